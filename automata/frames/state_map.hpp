// What is remembered of states, by their id: direct-mapped. As long as there is a slot for each id nothing gets lost;
// with a bound on the slots, what was remembered of one state may give way to another's. Private to automata/.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "frames/head.hpp"

namespace weir {

// Value: default-constructible and cheap to copy. Thread safety: none.
template <class Value>
class StateMap {
 public:
  Value* find(StateId s) noexcept {
    Slot& slot = slots_[s & mask_];
    return slot.state == s ? &slot.value : nullptr;
  }
  // Sets the value of `s`. `states`: how many ids are known, so that it does not grow for each.
  void put(StateId s, const Value& value, std::size_t states) {
    const std::size_t wanted = std::bit_ceil(std::max<std::size_t>(states, std::size_t{s} + 1));
    if (wanted > slots_.size() && slots_.size() < most_) grow(std::min(wanted, most_));
    slots_[s & mask_] = {s, value};
  }
  void clear() { std::fill(slots_.begin(), slots_.end(), Slot{}); }
  // At most so many bytes from now on; forgets everything.
  void limit(std::size_t bytes) {
    most_ = std::bit_floor(std::max<std::size_t>(bytes / sizeof(Slot), 1));
    slots_ = std::vector<Slot>(1);
    mask_ = 0;
  }
  std::size_t memory_bytes() const noexcept { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    StateId state = kDeadState;  // of which nothing is ever remembered
    Value value{};
  };
  void grow(std::size_t size) {
    std::vector<Slot> slots(size);
    for (const Slot& slot : slots_) {
      if (slot.state != kDeadState) slots[slot.state & (size - 1)] = slot;
    }
    slots_ = std::move(slots);
    mask_ = size - 1;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1);  // a power of two
  std::size_t mask_ = 0;                            // one less: a slot's size is no power of two
  std::size_t most_ = std::size_t{1} << 31U;
};

}  // namespace weir
