#include "math/portable_math.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace weir::sampling {
namespace {

TEST(PortableMath, ExponentialIsWithinTwoUnitsInTheLastPlace) {
  std::mt19937_64 random(1);
  for (const double range : {1e-12, 1e-3, 0.3, 0.4, 1.0, 30.0, 600.0}) {
    std::uniform_real_distribution<double> uniform(-range, 0);
    for (int i = 0; i < 20000; ++i) {
      const double x = uniform(random);
      const long double expected = std::exp(static_cast<long double>(x));
      ASSERT_LE(std::abs(portable_exp(x) - expected) / expected, 4e-16L) << x;
      ASSERT_LE(portable_exp(x), 1.0) << x;
    }
  }
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-1e-300), 1);
  EXPECT_EQ(portable_exp(-691), 0);
  EXPECT_EQ(portable_exp(-std::numeric_limits<double>::infinity()), 0);
}

TEST(PortableMath, PositiveExponentsToo) {
  for (double x = 0.01; x < 690; x *= 1.01) {
    const long double expected = std::exp(static_cast<long double>(x));
    ASSERT_LE(std::abs(portable_exp(x) - expected) / expected, 4e-16L) << x;
  }
}

TEST(PortableMath, Logarithm) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-600, 600);
  for (int i = 0; i < 50000; ++i) {
    const double x = std::exp(i % 2 == 0 ? uniform(random) : uniform(random) / 1000);
    const long double expected = std::log(static_cast<long double>(x));
    ASSERT_LE(std::abs(portable_log(x) - expected), 2e-16L + 2.5e-16L * std::abs(expected)) << x;
  }
  EXPECT_EQ(portable_log(1), 0);
}

}  // namespace
}  // namespace weir::sampling
