// What is drawn and reported beyond one token at a time: Gumbel's choice, many draws at once, the caller's order,
// mirostat, log-probabilities with and without the mask, and the textbook's exercises.
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "reference.hpp"
#include "statistics.hpp"
#include "weir/sampler/filters.hpp"
#include "weir/sampler/sampler.hpp"

namespace weir {
namespace {

using testing::random_logits;

std::map<TokenId, double> as_map(const Distribution& distribution) {
  std::map<TokenId, double> result;
  for (const auto& [token, probability] : distribution) result[token] = probability;
  return result;
}

const std::vector<float> kExample = [] {
  std::vector<float> logits;
  for (const double p : {0.50, 0.25, 0.15, 0.10}) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}();

std::vector<double> distribution_of(const SamplingParameters& parameters, const std::vector<float>& logits = kExample) {
  auto sampler = *Sampler::create(parameters);
  std::vector<double> dense(logits.size());
  const auto distribution = *sampler.distribution(logits);
  for (const auto& [token, p] : distribution) dense[token] = p;
  return dense;
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected, double error = 1e-7) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], error) << "token " << i;
}

TEST(Exercises, SupportsAndRenormalisedValues) {
  expect_near(distribution_of({.top_k = 2}), {2.0 / 3, 1.0 / 3, 0, 0});
  expect_near(distribution_of({.top_p = 0.70}), {2.0 / 3, 1.0 / 3, 0, 0});
  // 0.30 of the greatest is 0.15, which float32 logits miss in the eighth digit.
  expect_near(distribution_of({.min_p = 0.299999}), {5.0 / 9, 2.5 / 9, 1.5 / 9, 0});
  const Distribution p{{0, 0.50}, {1, 0.25}, {2, 0.15}, {3, 0.10}};
  const Distribution third = *truncate(p, {.min_p = 0.30});
  ASSERT_EQ(third.size(), 3U);
  EXPECT_NEAR(third[2].probability, 1.0 / 6, 1e-15);
}

TEST(Exercises, LimitsOfTheTemperature) {
  expect_near(distribution_of({.temperature = 1e-3}), {1, 0, 0, 0}, 1e-12);
  expect_near(distribution_of({.temperature = 0}), {1, 0, 0, 0}, 0);
  expect_near(distribution_of({.temperature = 1e9}), {0.25, 0.25, 0.25, 0.25}, 1e-8);
  // Two of the greatest share everything, but for greedy, which takes the first.
  const std::vector<float> tie{1, 3, 3, 2};
  expect_near(distribution_of({.temperature = 1e-9}, tie), {0, 0.5, 0.5, 0}, 0);
  expect_near(distribution_of({.temperature = 0}, tie), {0, 1, 0, 0}, 0);
}

TEST(Exercises, TheOrderOfOperationsMatters) {
  // At T = 2 p is proportional to sqrt(p): 0.379, 0.268, 0.207, 0.170 keep three for 0.7 where T = 1 keeps two.
  SamplingParameters p{.temperature = 2, .top_p = 0.7};
  const double sum = std::sqrt(0.5) + std::sqrt(0.25) + std::sqrt(0.15);
  expect_near(distribution_of(p), {std::sqrt(0.5) / sum, std::sqrt(0.25) / sum, std::sqrt(0.15) / sum, 0});
  p.order = {Stage::kTemperature, Stage::kTopP};
  expect_near(distribution_of(p), {std::sqrt(0.5) / sum, std::sqrt(0.25) / sum, std::sqrt(0.15) / sum, 0});
  p.order = {Stage::kTopP, Stage::kTemperature};
  const double two = std::sqrt(0.5) + std::sqrt(0.25);
  expect_near(distribution_of(p), {std::sqrt(0.5) / two, std::sqrt(0.25) / two, 0, 0});
}

TEST(Exercises, FiltersInTurnRenormalise) {
  // top_k 3 leaves 5/9, 2.5/9, 1.5/9. Of that 0.8 needs two tokens (0.833); of the whole it needs three.
  SamplingParameters p{.top_k = 3, .top_p = 0.8};
  expect_near(distribution_of(p), {5.0 / 9, 2.5 / 9, 1.5 / 9, 0});
  p.order = {Stage::kTopK, Stage::kTopP};
  expect_near(distribution_of(p), {2.0 / 3, 1.0 / 3, 0, 0});
  p.order = {Stage::kTopP, Stage::kTopK};
  expect_near(distribution_of(p), {5.0 / 9, 2.5 / 9, 1.5 / 9, 0});
}

TEST(Exercises, MaskedSoftmaxIsConditioning) {
  const std::vector<float> logits = random_logits(100, 2, 1);
  const std::vector<std::uint32_t> mask{0x12345678, 0, 0xFF, 0x9};
  const auto all = *masked_softmax(logits, {});
  double allowed = 0;
  for (const auto& [token, p] : all) allowed += reference::allowed(mask, token) ? p : 0;
  const auto masked = *masked_softmax(logits, mask);
  for (const auto& [token, p] : masked) EXPECT_NEAR(p, all[token].probability / allowed, 1e-15);
}

TEST(Draws, GumbelFollowsTheSameDistribution) {
  for (const SamplingParameters& base :
       {SamplingParameters{.seed = 21},
        SamplingParameters{.temperature = 0.7, .top_k = 9, .min_p = 0.01, .seed = 22}}) {
    SamplingParameters p = base;
    p.choice = Choice::kGumbel;
    auto sampler = *Sampler::create(p);
    const auto logits = random_logits(40, 1.5F, p.seed);
    std::map<TokenId, std::size_t> counts;
    for (int i = 0; i < 20'000; ++i) ++counts[sampler.draw(logits)->token];
    testing::expect_distribution(counts, as_map(*sampler.distribution(logits)));
  }
}

TEST(Draws, GumbelNoiseIsTheTokensOwn) {
  // Taking away a token that was not drawn leaves the draw as it is.
  SamplingParameters p{.seed = 5};
  p.choice = Choice::kGumbel;
  auto sampler = *Sampler::create(p);
  const auto logits = random_logits(32, 1, 3);
  for (std::uint64_t position = 0; position < 50; ++position) {
    sampler.seek(position);
    const TokenId token = sampler.draw(logits)->token;
    sampler.seek(position);
    const std::vector<std::uint32_t> mask{(0x0F0F0F0FU * static_cast<std::uint32_t>(position + 1)) | 1U << token};
    EXPECT_EQ(sampler.draw(logits, mask)->token, token);
  }
}

TEST(Draws, ManyAtOnceAreThoseOfTheirStreams) {
  const auto logits = random_logits(6000, 2, 4);
  for (const SamplingParameters& p :
       {SamplingParameters{.seed = 9, .stream = 3}, SamplingParameters{.temperature = 0.8, .top_p = 0.9, .seed = 10}}) {
    auto many = *Sampler::create(p);
    many.seek(17);
    const auto draws = *many.draw_many(logits, {}, 8);
    ASSERT_EQ(draws.size(), 8U);
    EXPECT_EQ(many.position(), 18U);
    for (std::uint32_t i = 0; i < 8; ++i) {
      SamplingParameters one = p;
      one.stream += i;
      auto sampler = *Sampler::create(one);
      sampler.seek(17);
      const auto draw = *sampler.draw(logits);
      EXPECT_EQ(draws[i].token, draw.token);
      EXPECT_EQ(draws[i].logprob, draw.logprob);
    }
  }
}

TEST(Draws, ManyAtOnceFollowTheDistribution) {
  SamplingParameters p{.temperature = 0.9, .seed = 31};
  p.typical_p = 0.8;
  auto sampler = *Sampler::create(p);
  const auto logits = random_logits(25, 1.5F, 6);
  std::map<TokenId, std::size_t> counts;
  const auto draws = *sampler.draw_many(logits, {}, 20'000);
  for (const Draw& draw : draws) ++counts[draw.token];
  testing::expect_distribution(counts, as_map(*sampler.distribution(logits)));
}

TEST(Draws, XtcThrowsACoinForEachStep) {
  // With probability 0.3 the first two of three tops go.
  SamplingParameters p{.seed = 7};
  p.xtc_probability = 0.3;
  p.xtc_threshold = 0.14;
  auto sampler = *Sampler::create(p);
  std::map<TokenId, std::size_t> counts;
  for (int i = 0; i < 20'000; ++i) ++counts[sampler.draw(kExample)->token];
  const std::map<TokenId, double> expected{
      {0, 0.7 * 0.5}, {1, 0.7 * 0.25}, {2, 0.7 * 0.15 + 0.3 * 0.6}, {3, 0.7 * 0.10 + 0.3 * 0.4}};
  testing::expect_distribution(counts, expected);
}

TEST(Draws, LogProbabilitiesWithAndWithoutTheMask) {
  const auto logits = random_logits(300, 3, 8);
  std::vector<std::uint32_t> mask(10, 0x11111111U);
  mask[9] &= 0xFFFU;
  SamplingParameters p{.temperature = 0.5, .top_k = 20};
  p.unconstrained = true;
  p.top_logprobs = 5;
  p.logit_bias = {{4, -2.0}, {8, 1.0}};  // the model's own probabilities do not know of it
  auto sampler = *Sampler::create(p);
  const auto constrained = reference::softmax(logits, mask, 1);
  const auto all = reference::softmax(logits, {}, 1);
  long double mass = 0;
  for (std::size_t t = 0; t < logits.size(); ++t) mass += reference::allowed(mask, t) ? all[t] : 0;
  for (int i = 0; i < 20; ++i) {
    const Draw draw = *sampler.draw(logits, mask);
    EXPECT_NEAR(draw.logprob, static_cast<double>(std::log(constrained[draw.token])), 1e-12);
    EXPECT_NEAR(draw.unconstrained_logprob, static_cast<double>(std::log(all[draw.token])), 1e-12);
    EXPECT_NEAR(draw.log_allowed_mass, static_cast<double>(std::log(mass)), 1e-12);
    EXPECT_NEAR(draw.unconstrained_logprob, draw.logprob + draw.log_allowed_mass, 1e-12);
    ASSERT_EQ(draw.top_logprobs.size(), 5U);
    std::vector<std::pair<long double, TokenId>> order;
    for (std::size_t t = 0; t < logits.size(); ++t) order.emplace_back(-constrained[t], static_cast<TokenId>(t));
    std::sort(order.begin(), order.end());
    for (std::size_t n = 0; n < 5; ++n) {
      EXPECT_EQ(draw.top_logprobs[n].token, order[n].second);
      EXPECT_NEAR(draw.top_logprobs[n].logprob, static_cast<double>(std::log(-order[n].first)), 1e-12);
    }
  }
  auto plain = *Sampler::create({});
  EXPECT_TRUE(std::isnan(plain.draw(logits, mask)->log_allowed_mass));
  EXPECT_TRUE(plain.draw(logits, mask)->top_logprobs.empty());
  // Fewer possible tokens than asked for.
  EXPECT_EQ(sampler.draw(logits, std::vector<std::uint32_t>{0x7U, 0, 0, 0, 0, 0, 0, 0, 0, 0})->top_logprobs.size(), 3U);
}

TEST(Draws, MirostatAimsAtItsSurprise) {
  for (const int mode : {1, 2}) {
    SamplingParameters p{.seed = 41};
    p.mirostat_mode = mode;
    p.mirostat_tau = 6;
    auto sampler = *Sampler::create(p);
    EXPECT_EQ(sampler.mirostat_mu(), 12);
    const auto logits = random_logits(5000, 2, 9);
    const auto all = reference::softmax(logits, {}, 1);
    double total = 0;
    double mu = 12;
    constexpr int kSteps = 3000;
    for (int i = 0; i < kSteps; ++i) {
      const TokenId token = sampler.draw(logits)->token;
      const double surprise = -static_cast<double>(std::log2(all[token]));
      if (mode == 2 && mu > 5) {
        ASSERT_LE(surprise, mu + 1e-9);
      }
      sampler.accept(token);
      mu = mirostat_next(mu, surprise, 6, 0.1);
      ASSERT_NEAR(sampler.mirostat_mu(), mu, 1e-9 * kSteps);
      total += surprise;
    }
    EXPECT_NEAR(total / kSteps, 6, 0.2) << "mode " << mode;
  }
}

TEST(Draws, MirostatRewinds) {
  SamplingParameters p{.seed = 43};
  p.mirostat_mode = 2;
  auto sampler = *Sampler::create(p);
  const auto logits = random_logits(500, 2, 10);
  std::vector<TokenId> tokens;
  std::vector<double> mus;
  for (int i = 0; i < 30; ++i) {
    mus.push_back(sampler.mirostat_mu());
    tokens.push_back(sampler.draw(logits)->token);
    sampler.accept(tokens.back());
  }
  sampler.rewind(11);
  sampler.seek(11);
  EXPECT_EQ(sampler.mirostat_mu(), mus[11]);
  for (std::size_t i = 11; i < 30; ++i) {
    EXPECT_EQ(sampler.mirostat_mu(), mus[i]);
    ASSERT_EQ(sampler.draw(logits)->token, tokens[i]);
    sampler.accept(tokens[i]);
  }
  // A token that was not drawn teaches nothing.
  const double mu = sampler.mirostat_mu();
  sampler.accept(3);
  EXPECT_EQ(sampler.mirostat_mu(), mu);
  EXPECT_EQ(sampler.accepted(), 31U);
  sampler.set_prompt({});
  EXPECT_EQ(sampler.accepted(), 0U);
  EXPECT_EQ(sampler.mirostat_mu(), mus[0]);
}

TEST(Draws, WhatIsAllowedAndBanned) {
  SamplingParameters p;
  p.allowed_token_ids = {3, 1};
  p.banned_token_ids = {3};
  auto sampler = *Sampler::create(p);
  EXPECT_EQ(sampler.draw(kExample)->token, 1U);
  EXPECT_EQ(sampler.draw(kExample, std::vector<std::uint32_t>{0b1010})->token, 1U);
  const auto nothing = sampler.draw(kExample, std::vector<std::uint32_t>{0b1000});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(sampler.draw(kExample, std::vector<std::uint32_t>{0b0101}).error().code, ErrorCode::kInvalid);
  const std::vector<float> two{1, 2};
  EXPECT_EQ(sampler.draw(two).error().code, ErrorCode::kArgument);
  for (const SamplingParameters& past :
       {SamplingParameters{.logit_bias = {{4, 1}}}, SamplingParameters{.banned_token_ids = {4}},
        SamplingParameters{.bad_words = {{1, 4}}}}) {
    auto other = *Sampler::create(past);
    const auto refused = other.draw(kExample);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("token 4"), std::string::npos) << refused.error().message;
  }
}

TEST(Parameters, OutOfDomainIsAnErrorThatNamesTheField) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::pair<SamplingParameters, std::string>> bad;
  const auto add = [&](auto SamplingParameters::*field, auto value, std::string name) {
    SamplingParameters p;
    p.*field = value;
    bad.emplace_back(p, std::move(name));
  };
  for (const double value : {-0.5, 1.5, nan}) {
    add(&SamplingParameters::typical_p, value, "typical_p");
    add(&SamplingParameters::epsilon_cutoff, value, "epsilon_cutoff");
    add(&SamplingParameters::eta_cutoff, value, "eta_cutoff");
    add(&SamplingParameters::xtc_probability, value, "xtc_probability");
    add(&SamplingParameters::xtc_threshold, value, "xtc_threshold");
  }
  for (const double value : {-0.5, nan, static_cast<double>(INFINITY)}) {
    add(&SamplingParameters::top_n_sigma, value, "top_n_sigma");
    add(&SamplingParameters::repetition_penalty, value, "repetition_penalty");
    add(&SamplingParameters::dynatemp_range, value, "dynatemp_range");
    add(&SamplingParameters::dynatemp_exponent, value, "dynatemp_exponent");
    add(&SamplingParameters::mirostat_tau, value, "mirostat_tau");
    add(&SamplingParameters::mirostat_eta, value, "mirostat_eta");
    add(&SamplingParameters::dry_multiplier, value, "dry_multiplier");
    add(&SamplingParameters::dry_base, value, "dry_base");
  }
  add(&SamplingParameters::frequency_penalty, nan, "frequency_penalty");
  add(&SamplingParameters::presence_penalty, nan, "presence_penalty");
  add(&SamplingParameters::dynatemp_range, 1.5, "dynatemp_range");
  add(&SamplingParameters::min_keep, std::size_t{0}, "min_keep");
  add(&SamplingParameters::mirostat_mode, 3, "mirostat_mode");
  add(&SamplingParameters::penalty_last_n, std::int64_t{-2}, "penalty_last_n");
  add(&SamplingParameters::dry_penalty_last_n, std::int64_t{-2}, "dry_penalty_last_n");
  add(&SamplingParameters::dry_allowed_length, std::size_t{0}, "dry_allowed_length");
  add(&SamplingParameters::logit_bias, std::vector<TokenBias>{{1, nan}}, "logit_bias");
  add(&SamplingParameters::logit_bias, std::vector<TokenBias>{{1, 2}, {1, 3}}, "twice");
  add(&SamplingParameters::bad_words, std::vector<std::vector<TokenId>>{{}}, "bad_words");
  bad.emplace_back(SamplingParameters{.top_k = 3, .order = {Stage::kTemperature}}, "top_k");
  bad.emplace_back(SamplingParameters{.order = {Stage::kTopK, Stage::kTopK}}, "more than once");
  bad.emplace_back(SamplingParameters{.mirostat_mode = 1, .order = {Stage::kTopK}}, "mirostat");
  for (const auto& [parameters, name] : bad) {
    const auto sampler = Sampler::create(parameters);
    ASSERT_FALSE(sampler) << name;
    EXPECT_EQ(sampler.error().code, ErrorCode::kArgument);
    EXPECT_NE(sampler.error().message.find(name), std::string::npos) << sampler.error().message;
  }
}

}  // namespace
}  // namespace weir
