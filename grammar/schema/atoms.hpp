// The conditions that value expressions are made of. Private to grammar/schema.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "schema/json_document.hpp"

namespace weir::schema {

// A schema node, or a node whose value the instance must be equal to; or that the instance must not satisfy, or equal.
class Atom {
 public:
  static constexpr Atom schema(JsonId node) { return Atom(node << 2U); }
  static constexpr Atom literal(JsonId node) { return Atom((node << 2U) | kLiteral); }
  static constexpr Atom always() { return Atom(kAlways); }
  static constexpr Atom never() { return Atom(kAlways | kNegated); }

  JsonId node() const { return code_ >> 2U; }
  bool is_literal() const { return (code_ & kLiteral) != 0; }
  bool is_negated() const { return (code_ & kNegated) != 0; }
  bool is_always() const { return code_ == kAlways; }
  bool is_never() const { return code_ == (kAlways | kNegated); }
  Atom negation() const { return Atom(code_ ^ kNegated); }
  std::uint32_t code() const { return code_; }
  friend bool operator==(Atom, Atom) = default;
  friend auto operator<=>(Atom, Atom) = default;

 private:
  static constexpr std::uint32_t kNegated = 1;
  static constexpr std::uint32_t kLiteral = 2;
  static constexpr std::uint32_t kAlways = 0xFFFFFFFC;
  explicit constexpr Atom(std::uint32_t code) : code_(code) {}
  std::uint32_t code_;
};

// Atoms in order of appearance, which is the order of keys, without repetition.
struct AtomSet {
  std::vector<Atom> atoms;
  bool never = false;

  void clear() {
    atoms.clear();
    never = false;
  }
  void insert(Atom atom) {
    if (atom.is_always() || never) return;
    if (atom.is_never()) {
      never = true;
    } else if (std::find(atoms.begin(), atoms.end(), atom) == atoms.end()) {
      never = std::find(atoms.begin(), atoms.end(), atom.negation()) != atoms.end();
      atoms.push_back(atom);
    }
  }
};

}  // namespace weir::schema
