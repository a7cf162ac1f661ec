// Hash-consed states of one sequence. Private to automata/.
//
// A state is a set of items (head, rest), rest being a state in turn: a stack whose tails are shared. Items with equal
// heads are merged by uniting what follows them (L(h)·A | L(h)·B = L(h)·(A | B)), which keeps ambiguous grammars
// polynomial. Ids are dense and only ever added, so a state is an integer to whoever holds it.
// Thread safety: none; each matcher owns one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "frames/head.hpp"

namespace weir {

class StateStore {
 public:
  explicit StateStore(std::size_t max_bytes);

  // The state of these items; reorders them. No items: kDeadState.
  StateId intern(Items& items);
  StateId intern_one(const Item& item);
  StateId unite(StateId a, StateId b) { return unite(a, b, 0); }
  std::span<const Item> items(StateId s) const noexcept {
    return std::span(items_).subspan(spans_[s].first, spans_[s].count);
  }
  // A memo for the owner: the state that `s` expands to, 0 while unknown.
  StateId& closed(StateId s) noexcept { return spans_[s].closed; }

  std::size_t size() const noexcept { return spans_.size(); }
  std::size_t memory_bytes() const noexcept;
  bool exhausted() const noexcept { return exhausted_; }

 private:
  struct Span {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    StateId closed = 0;
    std::uint32_t hash = 0;
  };
  void normalise(Items& items, unsigned depth);
  StateId intern_sorted(std::span<const Item> items);
  StateId unite(StateId a, StateId b, unsigned depth);
  void grow_table();

  std::size_t max_bytes_;
  bool exhausted_ = false;
  std::vector<Item> items_;
  std::vector<Span> spans_;
  std::vector<StateId> table_;
  std::unordered_map<std::uint64_t, StateId> unions_;
};

}  // namespace weir
