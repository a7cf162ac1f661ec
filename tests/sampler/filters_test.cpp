// Each filter against its formula in long double, on 10,000 random distributions each.
#include "weir/sampler/filters.hpp"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "reference_filters.hpp"

namespace weir {
namespace {

using reference::Indices;
constexpr int kCases = 10'000;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Cases {
 public:
  explicit Cases(std::uint64_t seed) : random_(seed) {}

  // Distributions of every temper: flat, peaked, with ties, with zeros, of few values.
  std::vector<double> probabilities() {
    std::vector<double> p(1 + random_() % 30);
    const unsigned kind = random_() % 4;
    std::normal_distribution<double> normal(0, kind == 0 ? 0.5 : 4);
    for (double& value : p) {
      value = kind == 3 ? static_cast<double>(1 + random_() % 3) : std::exp(normal(random_));
      if (random_() % 10 == 0) value = 0;
    }
    p[random_() % p.size()] += 1e-3;
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& value : p) value /= sum;
    return p;
  }
  double unit() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  std::size_t min_keep() { return random_() % 3 == 0 ? 1 + random_() % 5 : 1; }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
};

TEST(Filters, ExactTopK) {
  Cases cases(1);
  for (int i = 0; i < kCases; ++i) {
    const auto p = cases.probabilities();
    const std::size_t k = cases.random()() % 12;
    const std::size_t min_keep = cases.min_keep();
    ASSERT_EQ(*exact_top_k_support(p, k, min_keep), reference::exact_top_k(p, k, min_keep));
  }
  EXPECT_EQ(*exact_top_k_support(std::vector<double>{0.2, 0.3, 0.2, 0.3}, 3), (Indices{0, 1, 3}));
}

TEST(Filters, Epsilon) {
  Cases cases(2);
  for (int i = 0; i < kCases; ++i) {
    const auto p = cases.probabilities();
    const double epsilon = std::pow(10.0, -4 * cases.unit());
    const std::size_t min_keep = cases.min_keep();
    ASSERT_EQ(*epsilon_support(p, epsilon, min_keep), reference::epsilon(p, epsilon, min_keep));
  }
}

TEST(Filters, Eta) {
  Cases cases(3);
  for (int i = 0; i < kCases; ++i) {
    const auto p = cases.probabilities();
    const double epsilon = std::pow(10.0, -4 * cases.unit());
    const std::size_t min_keep = cases.min_keep();
    ASSERT_EQ(*eta_support(p, epsilon, min_keep), reference::eta(p, epsilon, min_keep));
  }
}

TEST(Filters, Typical) {
  Cases cases(4);
  for (int i = 0; i < kCases; ++i) {
    const auto p = cases.probabilities();
    const double tau = cases.random()() % 20 == 0 ? 1.0 : cases.unit();
    const std::size_t min_keep = cases.min_keep();
    ASSERT_EQ(*typical_support(p, tau, min_keep), reference::typical(p, tau, min_keep));
  }
  // The most probable token surprises too little: 0.6 is 0.51 nats, the entropy 1.19.
  EXPECT_EQ(*typical_support(std::vector<double>{0.6, 0.2, 0.1, 0.1}, 0.2), (Indices{1}));
}

TEST(Filters, TopNSigma) {
  Cases cases(5);
  std::normal_distribution<float> normal(0, 3);
  for (int i = 0; i < kCases; ++i) {
    std::vector<float> logits(1 + cases.random()() % 40);
    for (float& logit : logits) logit = cases.random()() % 9 == 0 ? -INFINITY : normal(cases.random());
    logits[cases.random()() % logits.size()] = 1.0F;
    const double n = 0.05 + 3 * cases.unit();
    const std::size_t min_keep = cases.min_keep();
    ASSERT_EQ(*top_n_sigma_support(logits, n, min_keep), reference::top_n_sigma(logits, n, min_keep));
  }
  EXPECT_EQ(*top_n_sigma_support(std::vector<float>{2, 2, 2}, 0.1), (Indices{0, 1, 2}));
}

TEST(Filters, Xtc) {
  Cases cases(6);
  for (int i = 0; i < kCases; ++i) {
    const auto p = cases.probabilities();
    const double threshold = cases.unit() * 0.5;
    const std::size_t min_keep = cases.min_keep();
    ASSERT_EQ(*xtc_support(p, threshold, min_keep), reference::xtc(p, threshold, min_keep));
  }
  EXPECT_EQ(*xtc_support(std::vector<double>{0.5, 0.25, 0.15, 0.1}, 0.2), (Indices{1, 2, 3}));
  EXPECT_EQ(*xtc_support(std::vector<double>{0.5, 0.25, 0.15, 0.1}, 0.3), (Indices{0, 1, 2, 3}));
}

TEST(Filters, Entropy) {
  Cases cases(7);
  for (int i = 0; i < kCases; ++i) {
    const auto p = cases.probabilities();
    ASSERT_NEAR(*entropy(p), static_cast<double>(reference::entropy(p)), 1e-12);
  }
  EXPECT_EQ(*entropy(std::vector<double>{0, 1, 0}), 0);
}

TEST(Filters, DynamicTemperature) {
  Cases cases(8);
  for (int i = 0; i < kCases; ++i) {
    const std::size_t n = 2 + cases.random()() % 100'000;
    const double h = cases.unit() * std::log(static_cast<double>(n));
    const double temperature = 2 * cases.unit();
    const double range = temperature * cases.unit();
    const double exponent = 0.1 + 3 * cases.unit();
    const double expected = temperature - range + 2 * range * std::pow(h / std::log(static_cast<double>(n)), exponent);
    ASSERT_NEAR(dynamic_temperature(h, n, temperature, range, exponent), expected, 1e-12);
  }
  EXPECT_EQ(dynamic_temperature(0, 100, 1.0, 0.4, 1), 0.6);
  EXPECT_EQ(dynamic_temperature(0, 1, 1.0, 0.4, 1), 1.0);
}

TEST(Filters, MirostatTwo) {
  Cases cases(9);
  for (int i = 0; i < kCases; ++i) {
    const auto p = cases.probabilities();
    const double mu = 12 * cases.unit() - 1;
    const auto expected = reference::at_least(p, std::exp2(-static_cast<long double>(mu)), 1);
    ASSERT_EQ(*mirostat_support(p, mu), expected) << "mu " << mu;
  }
  EXPECT_EQ(mirostat_next(10, 7, 5, 0.1), 10 - 0.1 * (7 - 5));
}

// The formula of the paper, with the limits written out.
long double mirostat_k_formula(std::vector<double> p, std::size_t n, double mu) {
  std::sort(p.begin(), p.end(), std::greater<>());
  long double products = 0;
  long double squares = 0;
  for (std::size_t i = 1; i < std::min<std::size_t>(100, p.size()) && p[i] > 0; ++i) {
    const long double t = std::log(static_cast<long double>(i + 1) / static_cast<long double>(i));
    products += t * std::log(static_cast<long double>(p[i - 1]) / static_cast<long double>(p[i]));
    squares += t * t;
  }
  const auto count = static_cast<long double>(n);
  if (squares == 0 || products / squares <= 1e-9L) return count;
  const long double s = products / squares;
  const long double e = s - 1;
  const long double k = std::pow(e * std::exp2(static_cast<long double>(mu)) / (1 - std::pow(count, -e)), 1 / s);
  return std::min(std::max(k, 1.0L), count);
}

TEST(Filters, MirostatOne) {
  Cases cases(10);
  int decided = 0;
  for (int i = 0; i < kCases; ++i) {
    auto p = cases.probabilities();
    const double mu = 8 * cases.unit();
    const std::size_t n = p.size() + cases.random()() % 1000;
    std::sort(p.begin(), p.end(), std::greater<>());
    const long double k = mirostat_k_formula(p, n, mu);
    if (n == 1 || std::abs(k - std::round(k)) < 1e-6L * k) continue;  // on the edge rounding decides
    ++decided;
    ASSERT_EQ(mirostat_k(p, n, mu), static_cast<std::size_t>(k)) << "mu " << mu << " n " << n;
  }
  EXPECT_GT(decided, kCases / 2);
  EXPECT_EQ(mirostat_k(std::vector<double>{1.0}, 1, 5), 1U);
  EXPECT_EQ(mirostat_k(std::vector<double>(50, 0.02), 50, 1), 50U);
}

TEST(Filters, OutOfDomainIsAnError) {
  const std::vector<double> p{0.5, 0.25, 0.15, 0.10};
  for (const double bad : {-0.1, 1.1, kNan, static_cast<double>(INFINITY)}) {
    for (const auto& [result, name] : {std::pair{epsilon_support(p, bad), "epsilon_cutoff"},
                                       {eta_support(p, bad), "eta_cutoff"},
                                       {typical_support(p, bad), "typical_p"},
                                       {xtc_support(p, bad), "xtc_threshold"}}) {
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().code, ErrorCode::kArgument);
      EXPECT_NE(result.error().message.find(name), std::string::npos) << result.error().message;
    }
  }
  const std::vector<float> logits{1, 2};
  for (const double bad : {-1.0, 0.0, kNan}) EXPECT_FALSE(top_n_sigma_support(logits, bad));
  EXPECT_FALSE(top_n_sigma_support(std::vector<float>{-INFINITY}, 1));
  EXPECT_FALSE(top_n_sigma_support(std::vector<float>{1, NAN}, 1));
  EXPECT_FALSE(epsilon_support(p, 0.1, 0));
  for (const std::vector<double>& bad : {std::vector<double>{}, {0.5, 0.6}, {1.5, -0.5}, {kNan, 1.0}, {0.0, 0.0}}) {
    EXPECT_FALSE(exact_top_k_support(bad, 1));
    EXPECT_FALSE(typical_support(bad, 0.5));
    EXPECT_FALSE(xtc_support(bad, 0.5));
    EXPECT_FALSE(entropy(bad));
    EXPECT_FALSE(mirostat_support(bad, 3));
  }
  EXPECT_FALSE(mirostat_support(p, kNan));
}

}  // namespace
}  // namespace weir
