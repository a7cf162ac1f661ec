// Deterministic automata over bytes in normal form, as an arena keeps them. Private to grammar/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "weir/grammar/expr.hpp"

namespace weir {

// A minimal automaton. Every state is reached from the first one and reaches an accepting one; states are numbered as
// a breadth-first walk meets them, classes by their least bytes, so that equal languages give equal tables.
struct NormalAutomaton {
  ByteAutomaton table;
  std::array<std::uint16_t, 256> class_of{};  // classes.size(): leads nowhere
  ByteSet alphabet;
  std::uint64_t hash = 0;

  std::size_t width() const { return table.classes.size(); }
  std::size_t size() const { return table.accepting.size(); }
  std::uint32_t next(std::uint32_t state, std::uint8_t b) const {
    const std::uint16_t cls = class_of[b];
    return cls == width() ? ByteAutomaton::kNowhere : table.next[state * width() + cls];
  }
  // The bytes that lead from the state to where b leads.
  ByteSet class_at(std::uint32_t state, std::uint8_t b) const;
  // Calls visit(set) for each set of bytes that lead to one other state; the rest lead nowhere.
  template <class Visit>
  void for_each_class(std::uint32_t state, Visit&& visit) const {
    for (std::size_t c = 0; c < width(); ++c) {
      const std::uint32_t target = table.next[state * width() + c];
      if (target == ByteAutomaton::kNowhere) continue;
      const ByteSet set = class_at(state, table.classes[c].first());
      if (set.first() == table.classes[c].first()) visit(set);
    }
  }
};

// nullptr: no text leads from `start` to an accepting state. Hopcroft's algorithm: O(bytes * n log n).
std::shared_ptr<const NormalAutomaton> normal_automaton(const ByteAutomaton& table, std::uint32_t start);

// An automaton as a part of an arena.
struct ExprAutomaton {
  std::shared_ptr<const NormalAutomaton> table;
  std::vector<ExprId> ids;  // of the states that were met; kEmptyExpr: not yet
};

}  // namespace weir
