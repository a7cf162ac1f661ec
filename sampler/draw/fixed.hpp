// Weights as integers. A weight is exp((l - max) / T), so the greatest is 1. Sums are taken over weights as integers,
// in units of 2^-62: integer addition is exact and associative, so no order of summation, vector width or selection
// algorithm changes which tokens are kept or drawn. For n < 2^32 weights a sum is below 2^94.
#pragma once

#include <cstdint>

#include "kernels/logit_kernels.hpp"
#include "weir/sampler/random.hpp"

namespace weir::sampling {

__extension__ using Uint128 = unsigned __int128;

// "Up to rounding", as logits.hpp says.
inline constexpr double kRounding = 0x1p-44;
inline constexpr double kLn2 = 0.69314718055994530942;

// A weight (or probability) in [0, 1] in units of 2^-62, to the nearest; ties to even.
inline std::uint64_t fixed(double weight) noexcept {
  const double high = (weight + kToHigh) - kToHigh;
  const double low = ((weight - high) + kToLow) - kToLow;
  return (static_cast<std::uint64_t>(static_cast<std::int64_t>(high * 0x1p31)) << 31U) +
         static_cast<std::uint64_t>(static_cast<std::int64_t>(low * 0x1p62));
}
// To the nearest double.
inline double from_fixed(Uint128 sum) noexcept { return static_cast<double>(sum) * 0x1p-62; }

// fraction * sum, rounded down, for fractions in [0, 1] and sums below 2^94.
inline Uint128 fraction_of(Uint128 sum, double fraction) noexcept {
  // In halves, so that nothing overflows.
  const Uint128 scale = fixed(fraction);
  const Uint128 high = (sum >> 32U) * scale;
  const Uint128 low = (sum & 0xFFFFFFFFU) * scale;
  return (high >> 30U) + ((((high & 0x3FFFFFFFU) << 32U) + low) >> 62U);
}

// The least sum that counts as reaching `threshold` of `sum`.
inline Uint128 needed_sum(double threshold, Uint128 sum) noexcept {
  const double fraction = threshold - kRounding;
  const Uint128 needed = fraction <= 0 ? 0 : fraction_of(sum, fraction);
  return needed > 1 ? needed : 1;
}

// Uniform in [0, bound), exactly: bits of the stream's blocks at `position`, attempt after attempt until below the
// bound (less than two on average). bound > 0. Different rounds, below 2^15, are independent.
Uint128 uniform_below(const RandomStream& stream, std::uint64_t position, Uint128 bound,
                      std::uint32_t round = 0) noexcept;
// Uniform in (0, 1): an odd multiple of 2^-54, from the one block that `attempt` names.
double uniform_unit(const RandomStream& stream, std::uint64_t position, std::uint32_t attempt) noexcept;
// -log(-log U) for the uniform of that block: the standard Gumbel distribution.
double standard_gumbel(const RandomStream& stream, std::uint64_t position, std::uint32_t attempt) noexcept;

// uniform_below gets to this attempt after 2^31 rejections, that is, never: it is free for a coin.
inline constexpr std::uint32_t kCoin = 0xFFFFFFFFU;

}  // namespace weir::sampling
