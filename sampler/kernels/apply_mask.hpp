// The plain loop behind apply_mask (logits.hpp): what processors without vectors run, and what tests compare the vector
// kernels with. Private to sampler/.
//
// It stands outside any instruction set and takes pointers, as automata/kernels/mask_kernels.hpp explains.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace weir::plain {

// 32 logits for each word of the mask. Only what becomes `impossible` is written.
template <class T>
inline void apply_mask(T* logits, const std::uint32_t* mask, std::size_t words, T impossible) noexcept {
  for (std::size_t word = 0; word < words; ++word, logits += 32) {
    const std::uint32_t clear = ~mask[word];
    if (clear == ~std::uint32_t{0}) {
      for (std::size_t i = 0; i < 32; ++i) logits[i] = impossible;
      continue;
    }
    for (std::uint32_t bits = clear; bits != 0; bits &= bits - 1) logits[std::countr_zero(bits)] = impossible;
  }
}
extern template void apply_mask(float*, const std::uint32_t*, std::size_t, float) noexcept;
extern template void apply_mask(std::uint16_t*, const std::uint32_t*, std::size_t, std::uint16_t) noexcept;

}  // namespace weir::plain
