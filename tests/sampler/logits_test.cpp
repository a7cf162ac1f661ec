#include "weir/sampler/logits.hpp"

#include <limits>
#include <ostream>
#include <random>

#include <gtest/gtest.h>

#include "reference.hpp"

namespace weir {
namespace {

using Indices = std::vector<std::size_t>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
const std::vector<double> kExample{0.50, 0.25, 0.15, 0.10};

TEST(Supports, TheExampleOfTheDesign) {
  EXPECT_EQ(*top_k_support(kExample, 2), (Indices{0, 1}));
  EXPECT_EQ(*top_p_support(kExample, 0.70), (Indices{0, 1}));
  EXPECT_EQ(*min_p_support(kExample, 0.30), (Indices{0, 1, 2}));
}

struct SupportCase {
  std::vector<double> probabilities;
  Truncation truncation;
  Indices kept;
};

TEST(Supports, Table) {
  const std::vector<SupportCase> cases{
      {kExample, {.top_k = 0}, {0, 1, 2, 3}},
      {kExample, {.top_k = 1}, {0}},
      {kExample, {.top_k = 4}, {0, 1, 2, 3}},
      {kExample, {.top_k = 1000}, {0, 1, 2, 3}},
      {{0.1, 0.25, 0.25, 0.15, 0.25}, {.top_k = 1}, {1, 2, 4}},  // ties at the cutoff stay
      {{0.1, 0.25, 0.25, 0.15, 0.25}, {.top_k = 4}, {1, 2, 3, 4}},
      {{0.5, 0.0, 0.5, 0.0}, {.top_k = 3}, {0, 2}},  // what is impossible stays impossible
      {kExample, {.top_p = 0.0}, {0}},
      {kExample, {.top_p = 1e-9}, {0}},
      {kExample, {.top_p = 0.5}, {0}},
      {kExample, {.top_p = 0.500001}, {0, 1}},
      {kExample, {.top_p = 0.75}, {0, 1}},
      {kExample, {.top_p = 0.9}, {0, 1, 2}},  // 0.5 + 0.25 + 0.15, which is not 0.9 in doubles
      {kExample, {.top_p = 1.0}, {0, 1, 2, 3}},
      {{0.5, 0.25, 0.125, 0.125}, {.top_p = 0.75}, {0, 1}},
      {{0.25, 0.25, 0.25, 0.25}, {.top_p = 0.5}, {0, 1}},  // ties go to the smaller index
      {{0.1, 0.2, 0.3, 0.4}, {.top_p = 0.6}, {2, 3}},
      {{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, {.top_p = 0.3}, {0, 1, 2}},
      {{0.0, 1.0, 0.0}, {.top_p = 0.999}, {1}},
      {kExample, {.min_p = 0.0}, {0, 1, 2, 3}},
      {kExample, {.min_p = 0.2}, {0, 1, 2, 3}},
      {kExample, {.min_p = 0.5}, {0, 1}},
      {kExample, {.min_p = 1.0}, {0}},
      {{0.4, 0.4, 0.2}, {.min_p = 1.0}, {0, 1}},
  };
  for (const SupportCase& c : cases) {
    const Truncation& t = c.truncation;
    const auto kept = t.top_k > 0   ? top_k_support(c.probabilities, t.top_k)
                      : t.min_p > 0 ? min_p_support(c.probabilities, t.min_p)
                                    : top_p_support(c.probabilities, t.top_p);
    ASSERT_TRUE(kept) << kept.error().to_string();
    EXPECT_EQ(*kept, c.kept) << "k " << t.top_k << " p " << t.top_p << " alpha " << t.min_p;
  }
}

TEST(Supports, BadArgumentsAreErrors) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-0.1, 1.1, nan, static_cast<double>(kInfinity)}) {
    EXPECT_EQ(top_p_support(kExample, bad).error().code, ErrorCode::kArgument);
    EXPECT_EQ(min_p_support(kExample, bad).error().code, ErrorCode::kArgument);
    EXPECT_NE(min_p_support(kExample, bad).error().message.find("min_p"), std::string::npos);
  }
  for (const std::vector<double>& bad : {std::vector<double>{}, {0.5, 0.6}, {1.5, -0.5}, {nan, 1.0}, {0.0, 0.0}}) {
    EXPECT_FALSE(top_k_support(bad, 1));
    EXPECT_FALSE(top_p_support(bad, 0.5));
    EXPECT_FALSE(min_p_support(bad, 0.5));
  }
  EXPECT_FALSE(truncate({{3, 0.5}, {3, 0.5}}, {}));
  EXPECT_FALSE(truncate({}, {}));
}

TEST(MaskedSoftmax, LooksOnlyAtAllowedTokens) {
  const std::vector<float> logits{std::numeric_limits<float>::quiet_NaN(), 1.0F, kInfinity, 1.0F, -kInfinity, 0.0F};
  const std::vector<std::uint32_t> mask{0b011010};
  const auto p = masked_softmax(logits, mask);
  ASSERT_TRUE(p) << p.error().to_string();
  EXPECT_EQ(*p, (Distribution{{1, 0.5}, {3, 0.5}}));  // token 4 is allowed but impossible
  EXPECT_EQ(*greedy_token(logits, mask), 1U);
  EXPECT_NEAR(*masked_log_probability(logits, mask, 3), std::log(0.5), 1e-15);
  EXPECT_EQ(*masked_log_probability(logits, mask, 5), -INFINITY);
  EXPECT_EQ(*masked_log_probability(logits, mask, 4), -INFINITY);
}

TEST(MaskedSoftmax, Errors) {
  const std::vector<float> logits{0.0F, std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity};
  const auto code = [&](std::vector<std::uint32_t> mask) { return masked_softmax(logits, mask).error().code; };
  EXPECT_EQ(code({}), ErrorCode::kInvalid);  // all tokens, a NaN among them
  EXPECT_EQ(code({0b0010}), ErrorCode::kInvalid);
  EXPECT_EQ(code({0b0101}), ErrorCode::kInvalid);
  EXPECT_EQ(code({0b1000}), ErrorCode::kInvalid);
  EXPECT_EQ(code({0}), ErrorCode::kInvalid);
  EXPECT_EQ(code({0b10001}), ErrorCode::kArgument);  // past the logits
  EXPECT_EQ(code({1, 1}), ErrorCode::kArgument);
  EXPECT_TRUE(masked_softmax(logits, std::vector<std::uint32_t>{1, 0}));
  EXPECT_NE(masked_softmax(logits, std::vector<std::uint32_t>{4}).error().message.find("token 2 is +inf"),
            std::string::npos);
  const std::vector<float> many(40, 0.0F);
  EXPECT_EQ(masked_softmax(many, std::vector<std::uint32_t>{1}).error().code, ErrorCode::kArgument);  // mask too short
  EXPECT_EQ(masked_softmax(std::vector<float>{}, {}).error().code, ErrorCode::kArgument);
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(), static_cast<double>(kInfinity)}) {
    EXPECT_EQ(masked_softmax(many, {}, bad).error().code, ErrorCode::kArgument);
  }
  EXPECT_EQ(masked_log_probability(many, {}, 40).error().code, ErrorCode::kArgument);
}

TEST(MaskedSoftmax, TemperatureZeroIsGreedyWithTiesToTheSmallerId) {
  const std::vector<float> logits{0.5F, 2.0F, 1.0F, 2.0F};
  EXPECT_EQ(*masked_softmax(logits, {}, 0.0), (Distribution{{1, 1.0}}));
  // Temperatures so small that their reciprocal overflows still mean what they say.
  for (const double temperature : {1e-320, 1e-300, 1e-10}) {
    EXPECT_EQ(*masked_softmax(logits, {}, temperature), (Distribution{{1, 0.5}, {3, 0.5}})) << temperature;
  }
}

std::vector<std::uint32_t> random_mask(std::size_t size, double density, std::mt19937_64& random) {
  std::vector<std::uint32_t> mask((size + 31) / 32);
  std::bernoulli_distribution bit(density);
  mask[0] |= 1U;
  for (std::size_t t = 0; t < size; ++t) mask[t / 32] |= static_cast<std::uint32_t>(bit(random)) << (t % 32);
  return mask;
}

void expect_equal(const Distribution& actual, const std::vector<long double>& expected) {
  std::vector<double> dense(expected.size(), 0.0);
  long double sum = 0;
  for (const auto& [token, probability] : actual) {
    dense[token] = probability;
    sum += probability;
    EXPECT_GT(probability, 0);
  }
  EXPECT_NEAR(static_cast<double>(sum), 1.0, 1e-12);
  for (std::size_t t = 0; t < dense.size(); ++t) {
    ASSERT_NEAR(dense[t], static_cast<double>(expected[t]), 1e-12) << "token " << t;
    if (expected[t] > 1e-290L || expected[t] == 0) {
      ASSERT_EQ(dense[t] > 0, expected[t] > 0) << "token " << t;
    }
  }
}

struct Setting {
  std::size_t size;
  double spread;
  double density;
  double temperature;
};

void PrintTo(const Setting& s, std::ostream* out) {
  *out << s.size << " logits, spread " << s.spread << ", density " << s.density << ", temperature " << s.temperature;
}

class AgainstReference : public ::testing::TestWithParam<Setting> {};

TEST_P(AgainstReference, SoftmaxAndTruncationWithin1e12) {
  const Setting setting = GetParam();
  std::mt19937_64 random(setting.size * 31 + static_cast<std::size_t>(setting.spread * 7));
  std::normal_distribution<float> normal;
  std::vector<float> logits(setting.size);
  for (float& logit : logits) logit = normal(random) * static_cast<float>(setting.spread);
  for (std::size_t i = 0; i < setting.size / 3; ++i) logits[random() % setting.size] = logits[random() % setting.size];
  const auto mask =
      setting.density < 1 ? random_mask(setting.size, setting.density, random) : std::vector<std::uint32_t>{};

  const auto expected = reference::softmax(logits, mask, setting.temperature);
  const auto actual = masked_softmax(logits, mask, setting.temperature);
  ASSERT_TRUE(actual) << actual.error().to_string();
  expect_equal(*actual, expected);

  for (const Truncation& truncation :
       {Truncation{.top_k = 5}, Truncation{.top_k = 1}, Truncation{.top_p = 0.9}, Truncation{.top_p = 0.31},
        Truncation{.min_p = 0.05}, Truncation{.top_k = 40, .top_p = 0.95, .min_p = 0.02},
        Truncation{.top_k = 3, .top_p = 0.999, .min_p = 0.001}, Truncation{.top_p = 0.9999999}}) {
    const auto cut = truncate(*actual, truncation);
    ASSERT_TRUE(cut) << cut.error().to_string();
    expect_equal(*cut, reference::truncate(expected, truncation));
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, AgainstReference,
                         ::testing::Values(Setting{1, 1, 1, 1}, Setting{2, 1, 1, 0.3}, Setting{7, 2, 1, 1},
                                           Setting{33, 5, 0.5, 0.7}, Setting{100, 0, 1, 1}, Setting{1000, 3, 1, 1},
                                           Setting{1000, 3, 0.02, 1.3}, Setting{4096, 40, 0.5, 1},
                                           Setting{4096, 1, 1, 100}, Setting{20000, 6, 1, 0.1},
                                           Setting{20000, 200, 1, 1}));

}  // namespace
}  // namespace weir
