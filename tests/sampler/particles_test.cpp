// Sequential Monte Carlo against exact enumeration of the model given the grammar.
#include "weir/sampler/particles.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "small_model.hpp"
#include "statistics.hpp"
#include "weir/automata/compiler.hpp"

namespace weir {
namespace {

using testing::SmallModel;

const std::vector<std::string> kTokens{"a", "b", "c", ""};
constexpr TokenId kEnd = 3;
constexpr std::size_t kMaxTokens = 5;

// p(text) under the model for each text of the language with an end within kMaxTokens, not normalised.
std::map<std::string, double> enumerate(SmallModel& model, const CompiledGrammar& grammar) {
  std::map<std::string, double> texts;
  std::vector<TokenId> tokens;
  Matcher matcher(grammar);
  const std::function<void(long double)> visit = [&](long double logprob) {
    if (tokens.size() == kMaxTokens) return;
    const auto log_p = testing::log_softmax(model, tokens);
    for (TokenId t = 0; t < log_p.size(); ++t) {
      if (!matcher.allows(t)) continue;
      if (t == kEnd) {
        std::string text;
        for (const TokenId token : tokens) text += kTokens[token];
        texts[text] = static_cast<double>(std::exp(logprob + log_p[t]));
        continue;
      }
      tokens.push_back(t);
      matcher.accept(t);
      visit(logprob + log_p[t]);
      matcher.rollback(1);
      tokens.pop_back();
    }
  };
  visit(0);
  return texts;
}

struct Setting {
  SmallModel model{kTokens, 11, 2.5F};
  CompiledGrammar grammar;
  std::map<std::string, double> exact;
  double evidence = 0;

  Setting()
      : grammar([this] {
          Compiler compiler(model.vocabulary());
          // "a" may only be followed by what the model may not like; "b" is free.
          return *compiler.compile_regex("acb|acc(a|b)|b(a|b|c)?");
        }()) {
    exact = enumerate(model, grammar);
    for (const auto& [text, p] : exact) evidence += p;
    for (auto& [text, p] : exact) p /= evidence;
  }
};

TEST(Particles, TheWeightsAreThoseOfTheConditionedModel) {
  Setting setting;
  for (const double threshold : {0.0, 0.95, 1.0}) {
    const auto run = sample_given(setting.model, setting.grammar, {},
                                  {.particles = 20'000, .max_tokens = kMaxTokens, .threshold = threshold, .seed = 3});
    ASSERT_TRUE(run) << run.error().to_string();
    std::map<std::string, double> mass;
    for (const Particle& particle : run->particles) mass[particle.text] += particle.weight;
    for (const auto& [text, p] : setting.exact) {
      // Five standard errors of a share of so many effective particles.
      EXPECT_NEAR(mass[text], p, 5 * std::sqrt(p * (1 - p) / run->effective) + 1e-4) << text << " at " << threshold;
    }
    EXPECT_NEAR(run->log_evidence, std::log(setting.evidence), 0.05);
    EXPECT_TRUE(threshold > 0 || run->resampled == 0);
    EXPECT_TRUE(threshold < 1 || run->resampled > 1);
  }
}

TEST(Particles, ChoicesOfManyRunsAreDraws) {
  Setting setting;
  std::map<std::string, std::size_t> counts;
  double evidence = 0;
  constexpr std::uint64_t kRuns = 1500;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const auto run =
        sample_given(setting.model, setting.grammar, {}, {.particles = 64, .max_tokens = kMaxTokens, .seed = seed});
    ASSERT_TRUE(run);
    ++counts[run->particles[run->choice].text];
    evidence += std::exp(run->log_evidence) / kRuns;
  }
  testing::expect_distribution(counts, setting.exact);
  EXPECT_NEAR(evidence / setting.evidence, 1, 0.02) << "the evidence is unbiased";
}

TEST(Particles, MaskingIsNotConditioning) {
  // One particle is masking step by step, and that is another distribution.
  Setting setting;
  std::map<std::string, double> masked;
  constexpr std::uint64_t kRuns = 3000;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const auto run =
        sample_given(setting.model, setting.grammar, {}, {.particles = 1, .max_tokens = kMaxTokens, .seed = seed});
    ASSERT_TRUE(run);
    masked[run->particles[0].text] += 1.0 / kRuns;
  }
  double distance = 0;
  for (const auto& [text, p] : setting.exact) distance += std::abs(masked[text] - p) / 2;
  EXPECT_GT(distance, 0.1);
}

TEST(Particles, Errors) {
  Setting setting;
  EXPECT_EQ(sample_given(setting.model, setting.grammar, {}, {.particles = 0}).error().code, ErrorCode::kArgument);
  EXPECT_EQ(sample_given(setting.model, setting.grammar, {}, {.threshold = 1.5}).error().code, ErrorCode::kArgument);
  EXPECT_EQ(sample_given(setting.model, setting.grammar, {}, {.max_tokens = 0}).error().code, ErrorCode::kArgument);
  EXPECT_EQ(sample_given(setting.model, setting.grammar, {}, {.max_tokens = 1}).error().code, ErrorCode::kInvalid);
}

}  // namespace
}  // namespace weir
