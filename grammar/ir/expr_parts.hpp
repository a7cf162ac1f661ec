// The parts of one expression while it is put together: mostly few, so that they need no memory of their own. Private
// to grammar/.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "weir/grammar/expr.hpp"

namespace weir {

class ExprParts {
 public:
  ExprParts() = default;
  explicit ExprParts(std::span<const ExprId> parts) {
    for (const ExprId part : parts) push_back(part);
  }
  ExprParts(const ExprParts&) = delete;
  ExprParts& operator=(const ExprParts&) = delete;

  void push_back(ExprId e) {
    if (size_ < kInline) {
      inline_[size_] = e;
    } else {
      if (size_ == kInline) many_.assign(inline_.begin(), inline_.end());
      many_.push_back(e);
    }
    ++size_;
  }
  void push_front(ExprId e) {
    push_back(e);
    std::rotate(begin(), end() - 1, end());
  }
  void shrink_to(ExprId* new_end) {
    size_ = static_cast<std::size_t>(new_end - begin());
    if (many_.empty()) return;
    many_.resize(size_);
    if (size_ > kInline) return;
    std::copy(many_.begin(), many_.end(), inline_.begin());
    many_.clear();
  }
  void clear() { shrink_to(begin()); }

  ExprId* begin() { return many_.empty() ? inline_.data() : many_.data(); }
  ExprId* end() { return begin() + size_; }
  const ExprId* begin() const { return many_.empty() ? inline_.data() : many_.data(); }
  const ExprId* end() const { return begin() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  ExprId front() const { return *begin(); }
  ExprId operator[](std::size_t i) const { return begin()[i]; }
  operator std::span<const ExprId>() const { return {begin(), size_}; }  // NOLINT(google-explicit-constructor)

 private:
  static constexpr std::size_t kInline = 12;
  std::array<ExprId, kInline> inline_;  // holds the parts while there are no more of them
  std::vector<ExprId> many_;
  std::size_t size_ = 0;
};

}  // namespace weir
