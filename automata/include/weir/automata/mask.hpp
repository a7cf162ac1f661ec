// Masks: one token, and whole masks at a time: union, number of tokens, any token at all.
//
//   first.fill_mask(mask);
//   second.fill_mask(other);
//   weir::or_into(mask, other);                       // what either grammar allows
//   std::size_t choices = weir::count_bits(mask);
//   for (const weir::TokenId t : {7U, 9U}) {
//     if (weir::test_bit(mask, t)) weir::clear_bit(mask, t);  // not these
//   }
//   if (!weir::any_bit(mask)) return 0;
//
// A mask is a span of 32-bit words as Matcher::fill_mask writes them: bit (t & 31) of word t >> 5 is token t. Any
// length and any alignment will do. To apply masks to logits see sampler/logits.hpp.
//
// The loops use the widest vectors that the processor has, chosen when the first of them runs; results never depend on
// it. Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "weir/automata/vocabulary.hpp"

namespace weir {

// One token. Precondition: its word is in the mask.
inline bool test_bit(std::span<const std::uint32_t> mask, TokenId t) noexcept {
  return ((mask[t >> 5U] >> (t & 31U)) & 1U) != 0;
}
inline void set_bit(std::span<std::uint32_t> mask, TokenId t) noexcept { mask[t >> 5U] |= 1U << (t & 31U); }
inline void clear_bit(std::span<std::uint32_t> mask, TokenId t) noexcept { mask[t >> 5U] &= ~(1U << (t & 31U)); }

// mask |= other, word by word. Precondition: mask.size() >= other.size(); words past `other` stay as they are. The
// spans must not overlap.
void or_into(std::span<std::uint32_t> mask, std::span<const std::uint32_t> other) noexcept;

// The number of bits that are set.
std::size_t count_bits(std::span<const std::uint32_t> mask) noexcept;

// Is a bit set? Stops soon after the first one.
bool any_bit(std::span<const std::uint32_t> mask) noexcept;

}  // namespace weir
