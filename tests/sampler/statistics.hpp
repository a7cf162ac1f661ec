// Chi-square tests of draws with fixed seeds, and logits to draw from. For tests only.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace weir::testing {

inline std::vector<float> random_logits(std::size_t size, float spread, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> logits(size);
  for (float& logit : logits) logit = normal(random) * spread;
  return logits;
}

// An upper quantile of the chi-square distribution, by Wilson and Hilferty's approximation: about one in 10,000 is
// above. The seeds are fixed, so a test that passes once passes always.
//
// Power: with n draws a distribution whose probabilities are off by a total of w^2 = sum (p' - p)^2 / p shifts the
// statistic by n w^2. At 40,000 draws and 20 cells a shift of 60 (w^2 = 0.0015: a fair coin off by 2%) is found with a
// probability above 0.99.
inline double chi_square_bound(double freedom) {
  const double scale = 2 / (9 * freedom);
  return freedom * std::pow(1 - scale + 3.72 * std::sqrt(scale), 3);
}

// Counts against expected probabilities by key; cells with an expectation below 8 are pooled.
template <class Key, class Probability>
void expect_distribution(const std::map<Key, std::size_t>& counts, const std::map<Key, Probability>& expected) {
  double draws = 0;
  for (const auto& [key, count] : counts) {
    ASSERT_TRUE(expected.contains(key)) << "drawn, but impossible";
    draws += static_cast<double>(count);
  }
  double chi_square = 0;
  double pooled = 0;
  double pooled_count = 0;
  int cells = 0;
  for (const auto& [key, probability] : expected) {
    const double mean = static_cast<double>(probability) * draws;
    const double count = counts.contains(key) ? static_cast<double>(counts.at(key)) : 0;
    if (mean < 8) {
      pooled += mean;
      pooled_count += count;
    } else {
      chi_square += (count - mean) * (count - mean) / mean;
      ++cells;
    }
  }
  if (pooled > 0) {
    chi_square += (pooled_count - pooled) * (pooled_count - pooled) / std::max(pooled, 1e-9);
    ++cells;
  }
  ASSERT_GT(cells, 1);
  EXPECT_LT(chi_square, chi_square_bound(cells - 1));
  EXPECT_GT(chi_square, 0) << "too good to be random";
}

}  // namespace weir::testing
