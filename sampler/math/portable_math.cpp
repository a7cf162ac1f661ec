#include "math/portable_math.hpp"

#include <bit>
#include <cstdint>
#include <limits>

#include "math/exp_step.hpp"

#ifdef __FAST_MATH__
#error "weir's sampler promises the same tokens on every machine: compile it without -ffast-math"
#endif

namespace weir::sampling {
namespace {

static_assert(std::numeric_limits<double>::is_iec559 && std::numeric_limits<double>::digits == 53);

}  // namespace

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
