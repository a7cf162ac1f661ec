#include "weir/sampler/sampler.hpp"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "reference.hpp"
#include "statistics.hpp"

namespace weir {
namespace {

using testing::random_logits;

TEST(Sampler, RefusesOptionsOutOfTheirDomain) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<SamplerOptions, std::string>> bad{{{.temperature = -0.1}, "temperature"},
                                                                {{.temperature = nan}, "temperature"},
                                                                {{.temperature = INFINITY}, "temperature"},
                                                                {{.top_p = -0.1}, "top_p"},
                                                                {{.top_p = 1.5}, "top_p"},
                                                                {{.top_p = nan}, "top_p"},
                                                                {{.min_p = -1}, "min_p"},
                                                                {{.min_p = 2}, "min_p"},
                                                                {{.min_p = nan}, "min_p"}};
  for (const auto& [options, name] : bad) {
    const auto sampler = Sampler::create(options);
    ASSERT_FALSE(sampler);
    EXPECT_EQ(sampler.error().code, ErrorCode::kArgument);
    EXPECT_NE(sampler.error().message.find(name), std::string::npos) << sampler.error().message;
  }
}

TEST(Sampler, GreedyTakesTheGreatestAndTheSmallerOfTies) {
  auto sampler = *Sampler::create({.temperature = 0});
  const std::vector<float> logits{0.5F, 2.0F, 1.0F, 2.0F};
  auto draw = sampler.draw(logits);
  ASSERT_TRUE(draw);
  EXPECT_EQ(draw->token, 1U);
  EXPECT_NEAR(draw->logprob, std::log(0.38595), 1e-5);  // of the untempered softmax
  draw = sampler.draw(logits, std::vector<std::uint32_t>{0b1101});
  EXPECT_EQ(draw->token, 3U);
  EXPECT_EQ(sampler.position(), 2U);
}

TEST(Sampler, LogProbabilityIsOfTheMaskedSoftmaxAtTemperatureOne) {
  const auto logits = random_logits(500, 4, 1);
  std::vector<std::uint32_t> mask(16, 0x55555555U);
  mask[15] &= 0xFFFFFU;
  const auto p = reference::softmax(logits, mask, 1.0);
  for (const SamplerOptions& options : {SamplerOptions{}, SamplerOptions{.temperature = 0},
                                        SamplerOptions{.temperature = 3}, SamplerOptions{.top_k = 2}}) {
    auto sampler = *Sampler::create(options);
    for (int i = 0; i < 20; ++i) {
      const auto draw = sampler.draw(logits, mask);
      ASSERT_TRUE(draw);
      EXPECT_NEAR(draw->logprob, static_cast<double>(std::log(p[draw->token])), 1e-12);
    }
  }
  auto silent = *Sampler::create({.temperature = 2, .logprob = false});
  EXPECT_TRUE(std::isnan(silent.draw(logits, mask)->logprob));
}

TEST(Sampler, ErrorsLeaveThePositionAlone) {
  auto sampler = *Sampler::create({});
  const std::vector<float> bad{NAN, NAN};
  EXPECT_FALSE(sampler.draw(bad));
  EXPECT_FALSE(sampler.draw(std::vector<float>{1.0F, 1.0F}, std::vector<std::uint32_t>{0}));
  EXPECT_EQ(sampler.position(), 0U);
}

TEST(Sampler, SeedStreamAndPositionDecide) {
  const auto logits = random_logits(1000, 1, 2);
  const auto draws = [&](const SamplerOptions& options, std::uint64_t from) {
    auto sampler = *Sampler::create(options);
    sampler.seek(from);
    std::vector<TokenId> tokens;
    for (int i = 0; i < 16; ++i) tokens.push_back(sampler.draw(logits)->token);
    return tokens;
  };
  const auto first = draws({.seed = 1}, 0);
  EXPECT_EQ(draws({.seed = 1}, 0), first);
  EXPECT_NE(draws({.seed = 2}, 0), first);
  EXPECT_NE(draws({.seed = 1, .stream = 1}, 0), first);
  const auto later = draws({.seed = 1}, 6);
  EXPECT_TRUE(std::equal(first.begin() + 6, first.end(), later.begin()));
}

// Pinned, so that a change of compiler, flags or machine that changes a draw is noticed. Made by this library on
// x86-64.
TEST(Sampler, PinnedTokens) {
  std::vector<float> logits(32000);
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>((i * 2654435761U) % 20011) * 0.0007F;
  auto sampler = *Sampler::create({.temperature = 0.9, .top_k = 5000, .top_p = 0.97, .min_p = 0.001, .seed = 20240229});
  std::vector<TokenId> tokens;
  for (int i = 0; i < 8; ++i) tokens.push_back(sampler.draw(logits)->token);
  EXPECT_EQ(tokens, (std::vector<TokenId>{6262, 26172, 21261, 7174, 8969, 12156, 8501, 13187}));
}

struct Setting {
  std::size_t size;
  float spread;
  std::vector<std::uint32_t> mask;
  SamplerOptions options;
};

// The draws of fixed seeds against the reference distribution.
TEST(Sampler, DrawsFollowTheExactDistribution) {
  const std::vector<Setting> settings{
      {5, 1, {}, {.seed = 11}},
      {50, 2, {}, {.temperature = 0.7, .seed = 12}},
      {64, 2, {0x0F0F0F0F, 0xFFFF0000}, {.temperature = 1.5, .seed = 13}},
      {200, 3, {}, {.top_k = 7, .seed = 14}},
      {200, 3, {}, {.top_p = 0.8, .seed = 15}},
      {200, 1, {}, {.min_p = 0.2, .seed = 16}},
      {2000, 2, {}, {.temperature = 0.8, .top_k = 50, .top_p = 0.9, .min_p = 0.02, .seed = 17}},
      {2, 0, {}, {.seed = 18}},
  };
  constexpr int kDraws = 40000;
  for (const Setting& setting : settings) {
    const auto logits = random_logits(setting.size, setting.spread, setting.options.seed);
    const Truncation truncation{setting.options.top_k, setting.options.top_p, setting.options.min_p};
    const auto expected =
        reference::truncate(reference::softmax(logits, setting.mask, setting.options.temperature), truncation);
    auto sampler = *Sampler::create(setting.options);
    std::map<TokenId, std::size_t> counts;
    for (int i = 0; i < kDraws; ++i) {
      const auto draw = sampler.draw(logits, setting.mask);
      ASSERT_TRUE(draw) << draw.error().to_string();
      ++counts[draw->token];
    }
    std::map<TokenId, long double> possible;
    for (std::size_t t = 0; t < expected.size(); ++t) {
      if (expected[t] > 0) possible[static_cast<TokenId>(t)] = expected[t];
    }
    testing::expect_distribution(counts, possible);
  }
}

TEST(Sampler, DistributionIsWhatTheReferenceSays) {
  for (const SamplerOptions& options :
       {SamplerOptions{}, SamplerOptions{.temperature = 0.5, .top_k = 30}, SamplerOptions{.top_p = 0.92},
        SamplerOptions{.min_p = 0.1}, SamplerOptions{.temperature = 1.2, .top_k = 100, .top_p = 0.5, .min_p = 0.01}}) {
    for (const std::size_t size : {3U, 100U, 7000U, 30000U}) {
      const auto logits = random_logits(size, 2.5F, size);
      std::vector<std::uint32_t> mask((size + 31) / 32, 0xFFFFDFFFU);
      if (size % 32 != 0) mask.back() &= (1U << (size % 32)) - 1;
      const auto expected = reference::truncate(reference::softmax(logits, mask, options.temperature),
                                                {options.top_k, options.top_p, options.min_p});
      auto sampler = *Sampler::create(options);
      const auto actual = sampler.distribution(logits, mask);
      ASSERT_TRUE(actual);
      std::vector<double> dense(size, 0.0);
      for (const auto& [token, probability] : *actual) dense[token] = probability;
      for (std::size_t t = 0; t < size; ++t) {
        ASSERT_NEAR(dense[t], static_cast<double>(expected[t]), 1e-12);
        ASSERT_EQ(dense[t] > 0, expected[t] > 0) << "token " << t << " of " << size;
      }
    }
  }
}

}  // namespace
}  // namespace weir
