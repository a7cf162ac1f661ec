// The plain loops behind mask.hpp: what short spans use, what processors without vectors run, and what tests compare
// the vector kernels with. Private to automata/.
//
// They take pointers because they are called from code compiled for one instruction set: a template of the standard
// library instantiated there could end up, compiled for that set, in code that every processor runs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace weir::plain {

inline void or_into(std::uint32_t* __restrict to, const std::uint32_t* __restrict from, std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) to[i] |= from[i];
}

inline std::size_t count_bits(const std::uint32_t* words, std::size_t size) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) count += static_cast<std::size_t>(std::popcount(words[i]));
  return count;
}

inline bool any_bit(const std::uint32_t* words, std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    if (words[i] != 0) return true;
  }
  return false;
}

}  // namespace weir::plain
