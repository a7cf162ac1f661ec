#include "math/portable_math.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#ifdef __FAST_MATH__
#error "weir's sampler promises the same tokens on every machine: compile it without -ffast-math"
#endif

namespace weir::sampling {
namespace {

static_assert(std::numeric_limits<double>::is_iec559 && std::numeric_limits<double>::digits == 53);

constexpr double kLog2E = 1.4426950408889634;
// ln 2 in two parts; the first has 32 significant bits, so that k * kLn2High is exact for |k| < 2^20.
constexpr double kLn2High = 0x1.62e42fee00000p-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
// Adding 1.5 * 2^52 rounds to an integer, which then stands in the low bits of the sum.
constexpr double kRound = 0x1.8p52;
// exp(-690) is about 2e-300: every weight is 0 or a normal number, whatever the machine does with subnormals.
constexpr double kSmallest = -690.0;

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

// x = k ln 2 + r, exp(x) = 2^k exp(r). Without branches, so that loops over it vectorise.
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

}  // namespace

void exponentials(std::span<const float> logits, float max, double scale, std::span<double> out) noexcept {
  const float* in = logits.data();
  double* to = out.data();
  const double top = max;
  const std::size_t n = logits.size();
  for (std::size_t i = 0; i < n; ++i) to[i] = exp_step((static_cast<double>(in[i]) - top) * scale);
}

double portable_exp(double x) noexcept { return exp_step(x); }

// x = 2^k m with m in [sqrt(1/2), sqrt(2)); log m = 2 artanh(s), s = (m - 1) / (m + 1), |s| <= 0.1716.
double portable_log(double x) noexcept {
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52U) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<int>(bits >> 52U) - 1023;
  double m = std::bit_cast<double>((bits & kMantissa) | (std::uint64_t{1023} << 52U));
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double square = s * s;
  // s^2 (1/3 + s^2/5 + ...) up to s^22 / 23; the rest is below 1e-19.
  double series = 1.0 / 23.0;
  for (int odd = 21; odd >= 3; odd -= 2) series = series * square + 1.0 / odd;
  const double log_m = 2.0 * s + 2.0 * s * square * series;
  const double k = exponent;
  return k * kLn2High + (log_m + k * kLn2Low);
}

}  // namespace weir::sampling
