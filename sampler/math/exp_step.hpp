// The steps of the exponential, shared by the plain loop and the vector kernels. Private to sampler/.
#pragma once

#include <bit>
#include <cstdint>

namespace weir::sampling {

inline constexpr double kLog2E = 1.4426950408889634;
// ln 2 in two parts; the first has 32 significant bits, so that k * kLn2High is exact for |k| < 2^20.
inline constexpr double kLn2High = 0x1.62e42fee00000p-1;
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
// Adding 1.5 * 2^52 rounds to an integer, which then stands in the low bits of the sum.
inline constexpr double kRound = 0x1.8p52;
// exp(-690) is about 2e-300: every weight is 0 or a normal number, whatever the machine does with subnormals.
inline constexpr double kSmallest = -690.0;

// (exp(r) - 1 - r) / r^2 = 1/2! + r/3! + ... + r^11/13!; what is left out is below 4e-18 for |r| <= ln(2) / 2.
// Pairs of terms first, which shortens the chain of dependent operations.
inline double exp_series(double r) noexcept {
  const double square = r * r;
  const double p0 = 1.0 / 2 + r * (1.0 / 6);
  const double p1 = 1.0 / 24 + r * (1.0 / 120);
  const double p2 = 1.0 / 720 + r * (1.0 / 5040);
  const double p3 = 1.0 / 40320 + r * (1.0 / 362880);
  const double p4 = 1.0 / 3628800 + r * (1.0 / 39916800);
  const double p5 = 1.0 / 479001600 + r * (1.0 / 6227020800);
  return p0 + square * (p1 + square * (p2 + square * (p3 + square * (p4 + square * p5))));
}

// The exponential of portable_math.hpp: x = k ln 2 + r, exp(x) = 2^k exp(r). Without branches, so that loops over it
// vectorise.
inline double exp_step(double x) noexcept {
  const double clamped = x < kSmallest ? kSmallest : x;
  const double shifted = clamped * kLog2E + kRound;
  const double k = shifted - kRound;
  const double r = (clamped - k * kLn2High) - k * kLn2Low;
  const double value = 1.0 + (r + r * r * exp_series(r));
  // The low 12 bits of `shifted` are k modulo 2^12: moved to the exponent's place, they add k to it.
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value) + (std::bit_cast<std::uint64_t>(shifted) << 52U);
  const double result = std::bit_cast<double>(bits);
  return x < kSmallest ? 0.0 : result;
}

}  // namespace weir::sampling
