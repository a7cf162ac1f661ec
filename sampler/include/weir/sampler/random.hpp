// Random numbers that are the same on every machine: the counter-based generator Philox4x32-10.
//
//   weir::RandomStream random(/*seed=*/42);
//   auto bits = random.block(/*position=*/7, /*attempt=*/0);   // four 32-bit words, a pure function of its arguments
//
// Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.
// Being a function of a counter, it needs no state to save: a sequence is rewound by using an earlier position again.
#pragma once

#include <array>
#include <cstdint>

namespace weir {

// One block of Philox4x32 with 10 rounds: a bijection of the counter for each key. Integers only.
std::array<std::uint32_t, 4> philox4x32(const std::array<std::uint32_t, 4>& counter,
                                        const std::array<std::uint32_t, 2>& key) noexcept;

// The blocks of one seed. Counter words: position (low, high), attempt, stream; key words: seed (low, high).
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, std::uint32_t stream = 0) noexcept : seed_(seed), stream_(stream) {}

  // Blocks of different (seed, stream, position, attempt) are independent for all practical purposes.
  std::array<std::uint32_t, 4> block(std::uint64_t position, std::uint32_t attempt) const noexcept;

 private:
  std::uint64_t seed_;
  std::uint32_t stream_;
};

}  // namespace weir
