// Small hash tables of the arena, by open addressing. Private to grammar/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "weir/grammar/expr.hpp"

namespace weir {

// Derivatives by (expression, byte).
class StepTable {
 public:
  // nullptr: not there. Valid until the next insert.
  const ExprId* find(std::uint64_t key) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = place(key);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].key == key) return &slots_[at].value;
      if (slots_[at].key == kFree) return nullptr;
    }
  }
  // Precondition: the key is not there.
  void insert(std::uint64_t key, ExprId value) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    put({key, value});
    ++size_;
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = kFree;
    ExprId value = kEmptyExpr;
  };
  std::size_t place(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> 32U) & (slots_.size() - 1);
  }
  void put(const Slot& slot) {
    std::size_t at = place(slot.key);
    while (slots_[at].key != kFree) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 64 : slots_.size() * 2));
    for (const Slot& slot : old) {
      if (slot.key != kFree) put(slot);
    }
  }
  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

// A set of expressions other than kEmptyExpr.
class ExprSet {
 public:
  // True: it was not there.
  bool insert(ExprId e) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    if (!put(e)) return false;
    ++size_;
    return true;
  }

 private:
  bool put(ExprId e) {
    std::size_t at = (e * std::size_t{0x9E3779B1}) & (slots_.size() - 1);
    for (; slots_[at] != kEmptyExpr; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == e) return false;
    }
    slots_[at] = e;
    return true;
  }
  void grow() {
    const std::vector<ExprId> old = std::exchange(slots_, std::vector<ExprId>(slots_.empty() ? 64 : slots_.size() * 2));
    for (const ExprId e : old) {
      if (e != kEmptyExpr) put(e);
    }
  }
  std::vector<ExprId> slots_;
  std::size_t size_ = 0;
};

}  // namespace weir
