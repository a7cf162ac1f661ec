// Writing token masks: little-endian 32-bit words, bit t = token t. Private to automata/.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/mask_kernels.hpp"
#include "weir/automata/mask.hpp"
#include "weir/automata/vocabulary.hpp"

namespace weir {

// What a string has on the heap; short ones lie in the object.
inline std::size_t heap_bytes_of(const std::string& text) noexcept {
  return text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
}

// A set of tokens: a short list of ids, or a bitset once that is smaller.
class TokenSet {
 public:
  void add(TokenId t) { ids_.push_back(t); }
  void add(std::span<const TokenId> ids) { ids_.insert(ids_.end(), ids.begin(), ids.end()); }
  static TokenSet dense(std::vector<std::uint32_t> bits) {
    TokenSet set;
    set.bits_ = std::move(bits);
    return set;
  }
  // kDense: a bitset even if the list is short. kBoth: both, for sets that masks often start with.
  enum class Form : std::uint8_t { kSmaller, kDense, kBoth };
  // Chooses the form. `words` is the width of the vocabulary's masks.
  void seal(std::size_t words, Form form = Form::kSmaller) {
    const bool many = ids_.size() > words / 4;
    if (many || form != Form::kSmaller) {
      bits_.assign(words, 0);
      for (const TokenId t : ids_) set_bit(bits_, t);
    }
    if (many || form == Form::kDense) ids_ = {};
    ids_.shrink_to_fit();
  }
  void or_into(std::span<std::uint32_t> words) const noexcept {
    if (!ids_.empty()) {
      for (const TokenId t : ids_) set_bit(words, t);
      return;
    }
    constexpr std::size_t kShort = 32;  // words; a call costs more than the loop
    if (bits_.size() > kShort) {
      weir::or_into(words, bits_);
    } else {
      plain::or_into(words.data(), bits_.data(), bits_.size());
    }
  }
  // Precondition: is_dense(), words as wide as the set.
  void copy_into(std::span<std::uint32_t> words) const noexcept {
    std::copy(bits_.begin(), bits_.end(), words.begin());
  }
  bool is_dense() const noexcept { return !bits_.empty(); }
  // The list; empty where there is only a bitset.
  std::span<const TokenId> ids() const noexcept { return ids_; }
  std::size_t memory_bytes() const noexcept { return bits_.capacity() * 4 + ids_.capacity() * sizeof(TokenId); }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const TokenId t : ids_) visit(t);
    if (!ids_.empty()) return;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      for (std::uint32_t w = bits_[i]; w != 0; w &= w - 1) {
        visit(static_cast<TokenId>(i * 32 + static_cast<unsigned>(std::countr_zero(w))));
      }
    }
  }

 private:
  std::vector<TokenId> ids_;
  std::vector<std::uint32_t> bits_;
};

// Collects tokens in any order, the same more than once if need be: a list first, a bitset once they are many.
class TokenCollector {
 public:
  explicit TokenCollector(std::size_t words) : words_(words) {}

  void add(TokenId t) {
    if (many_) {
      set_bit(bits_, t);
    } else {
      ids_.push_back(t);
      if (ids_.size() > words_ / 4) spill();
    }
  }
  void add(std::span<const TokenId> ids) {
    if (!many_ && ids_.size() + ids.size() <= words_ / 4) {
      ids_.insert(ids_.end(), ids.begin(), ids.end());
      return;
    }
    if (!many_) spill();
    for (const TokenId t : ids) set_bit(bits_, t);
  }
  // What was collected; starts anew.
  TokenSet take() {
    TokenSet set;
    if (many_) {
      set = TokenSet::dense(bits_);
      std::fill(bits_.begin(), bits_.end(), 0);
      many_ = false;
    } else {
      std::sort(ids_.begin(), ids_.end());
      ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
      set.add(ids_);
      set.seal(words_);
      ids_.clear();
    }
    return set;
  }

 private:
  void spill() {
    bits_.resize(words_);
    many_ = true;
    for (const TokenId t : ids_) set_bit(bits_, t);
    ids_.clear();
  }

  std::size_t words_;
  bool many_ = false;
  std::vector<TokenId> ids_;
  std::vector<std::uint32_t> bits_;
};

}  // namespace weir
