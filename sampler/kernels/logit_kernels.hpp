// The loops over all logits of a step: their maxima, their weights exp((l - max) / T), exact sums of weights, and which
// logits reach a floor. Private to sampler/.
//
// namespace plain holds the obvious loops: what processors without vectors run, and what tests compare the vector
// kernels with, bit by bit. Why they take pointers is told in automata/kernels/mask_kernels.hpp.
//
// Exact sums: a weight in [0, 1], rounded to a multiple of 2^-62, is high + low, high a multiple of 2^-31 and low at
// most 2^-32 in size. The parts of a block of 256 weights are added by doubles without rounding, in any order and on
// any vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "math/exp_step.hpp"

namespace weir::sampling {

inline constexpr std::size_t kBlock = 256;  // logits that have a maximum and a sum of their own

struct BlockSum {
  double high = 0;
  double low = 0;
  friend bool operator==(const BlockSum&, const BlockSum&) = default;
};

// Adding and subtracting them rounds what is at most 1 to the nearest multiple of 2^-31, and of 2^-62; ties to even.
inline constexpr double kToHigh = 0x1.8p21;
inline constexpr double kToLow = 0x1.8p-10;

// What the kernels return beside their maxima.
struct Extremes {
  float max = -std::numeric_limits<float>::infinity();
  bool finite = true;  // no NaN and no +infinity
  friend bool operator==(const Extremes&, const Extremes&) = default;
};

// How logits become weights: exp((l - max) * scale).
struct Heat {
  float max = 0;
  double scale = 1;
};

// The relative error of approximate_sum, with a margin of ten, and the scales that it is made for.
inline constexpr double kApproximate = 1e-4;
inline constexpr double kMostScale = 1e3;
inline constexpr double kLeastScale = 1e-3;

namespace plain {

inline double exponent(float logit, const Heat& heat) noexcept {
  return (static_cast<double>(logit) - static_cast<double>(heat.max)) * heat.scale;
}

inline void add(BlockSum& sum, double value) noexcept {
  const double high = (value + kToHigh) - kToHigh;
  sum.high += high;
  sum.low += ((value - high) + kToLow) - kToLow;
}

// A logit's weight w, and w * -log w, which is below 0.37.
inline void add_weight(float logit, const Heat& heat, BlockSum& sum, BlockSum& surprise) noexcept {
  const double x = exponent(logit, heat);
  const double weight = exp_step(x);
  add(sum, weight);
  add(surprise, weight * (0.0 - (x < kSmallest ? kSmallest : x)));
}

// maxima[i] is the greatest of block i, the last of which may be short.
inline Extremes block_maxima(const float* logits, std::size_t size, float* maxima) noexcept {
  Extremes all;
  for (std::size_t begin = 0; begin < size; begin += kBlock) {
    float max = -std::numeric_limits<float>::infinity();
    for (std::size_t i = begin; i < size && i < begin + kBlock; ++i) {
      max = logits[i] > max ? logits[i] : max;
      all.finite = all.finite && logits[i] <= std::numeric_limits<float>::max();
    }
    maxima[begin / kBlock] = max;
    all.max = max > all.max ? max : all.max;
  }
  return all;
}

inline void exponentials(const float* logits, std::size_t size, Heat heat, double* out) noexcept {
  for (std::size_t i = 0; i < size; ++i) out[i] = exp_step(exponent(logits[i], heat));
}

// The sums of the weights w of each block; where `surprises` is not null, also of w * -log w.
inline void block_sums(const float* logits, std::size_t size, Heat heat, BlockSum* sums, BlockSum* surprises) noexcept {
  for (std::size_t begin = 0; begin < size; begin += kBlock) {
    BlockSum sum;
    BlockSum surprise;
    for (std::size_t i = begin; i < size && i < begin + kBlock; ++i) add_weight(logits[i], heat, sum, surprise);
    sums[begin / kBlock] = sum;
    if (surprises != nullptr) surprises[begin / kBlock] = surprise;
  }
}

// The sum of the weights up to a relative error of kApproximate, for scales between the two bounds.
inline double approximate_sum(const float* logits, std::size_t size, Heat heat) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += exp_step(exponent(logits[i], heat));
  return sum;
}

// The ascending indices of the logits >= floor in the blocks whose maximum is; how many. `out` has room for size +
// kBlock of them.
inline std::size_t at_least(const float* logits, std::size_t size, const float* maxima, float floor,
                            std::uint32_t* out) noexcept {
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < size; begin += kBlock) {
    if (!(maxima[begin / kBlock] >= floor)) continue;
    for (std::size_t i = begin; i < size && i < begin + kBlock; ++i) {
      if (logits[i] >= floor) out[count++] = static_cast<std::uint32_t>(i);
    }
  }
  return count;
}

// The ascending indices of the words that are not 0; how many. `out` has room for size + kBlock of them.
inline std::size_t nonzero(const std::uint32_t* words, std::size_t size, std::uint32_t* out) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (words[i] != 0) out[count++] = static_cast<std::uint32_t>(i);
  }
  return count;
}

}  // namespace plain

// The same with the widest vectors that the processor has.
Extremes block_maxima(const float* logits, std::size_t size, float* maxima) noexcept;
void exponentials(const float* logits, std::size_t size, Heat heat, double* out) noexcept;
void block_sums(const float* logits, std::size_t size, Heat heat, BlockSum* sums, BlockSum* surprises) noexcept;
double approximate_sum(const float* logits, std::size_t size, Heat heat) noexcept;
std::size_t at_least(const float* logits, std::size_t size, const float* maxima, float floor,
                     std::uint32_t* out) noexcept;
std::size_t nonzero(const std::uint32_t* words, std::size_t size, std::uint32_t* out) noexcept;

}  // namespace weir::sampling
