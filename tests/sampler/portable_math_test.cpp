#include "math/portable_math.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

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

TEST(PortableMath, LoopAndSingleGiveTheSameBits) {
  std::mt19937_64 random(2);
  std::normal_distribution<float> normal(0, 20);
  for (const std::size_t size : {1U, 2U, 3U, 7U, 8U, 9U, 31U, 1000U}) {
    std::vector<float> logits(size);
    for (float& logit : logits) logit = -std::abs(normal(random));
    logits.front() = -std::numeric_limits<float>::infinity();
    std::vector<double> out(size);
    exponentials(logits, 3.5F, 0.7, out);
    for (std::size_t i = 0; i < size; ++i)
      EXPECT_EQ(out[i], portable_exp((static_cast<double>(logits[i]) - 3.5) * 0.7));
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
