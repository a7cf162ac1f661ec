// Searches against exhaustive enumeration of every sequence over a small vocabulary.
#include "weir/sampler/search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "small_model.hpp"
#include "statistics.hpp"
#include "weir/automata/compiler.hpp"
#include "weir/sampler/ngram_model.hpp"

namespace weir {
namespace {

using testing::SmallModel;

// The last token ends the sequence.
const std::vector<std::string> kTokens{"a", "b", "c", ""};
constexpr TokenId kEnd = 3;

struct Text {
  std::vector<TokenId> tokens;
  long double logprob = 0;
};

// Every sequence that an end token ends, or all of a length where `ends` is false. With a grammar: of its language, p
// under the masks where `constrained`.
std::vector<Text> enumerate(SmallModel& model, const CompiledGrammar* grammar, std::size_t max_tokens, bool ends,
                            bool constrained) {
  std::vector<Text> texts;
  std::vector<TokenId> tokens;
  std::optional<Matcher> matcher;
  if (grammar != nullptr) matcher.emplace(*grammar);
  const std::function<void(long double)> visit = [&](long double logprob) {
    if (tokens.size() == max_tokens) {
      if (!ends) texts.push_back({tokens, logprob});
      return;
    }
    const auto log_p = testing::log_softmax(model, tokens);
    const auto allowed = [&](TokenId t) { return !matcher || matcher->allows(t); };
    long double mass = 0;
    for (TokenId t = 0; t < log_p.size(); ++t) mass += allowed(t) ? std::exp(log_p[t]) : 0;
    for (TokenId t = 0; t < log_p.size(); ++t) {
      if (!allowed(t)) continue;
      const long double next = logprob + log_p[t] - (constrained ? std::log(mass) : 0);
      tokens.push_back(t);
      if (ends && t == kEnd) {
        texts.push_back({tokens, next});
      } else {
        if (matcher) matcher->accept(t);
        visit(next);
        if (matcher) matcher->rollback(1);
      }
      tokens.pop_back();
    }
  };
  visit(0);
  return texts;
}

void sort_by(std::vector<Text>& texts, const std::function<long double(const Text&)>& score) {
  std::stable_sort(texts.begin(), texts.end(), [&](const Text& a, const Text& b) { return score(a) > score(b); });
}

void expect_same(const std::vector<Hypothesis>& found, const std::vector<Text>& expected, std::size_t count,
                 const std::function<long double(const Text&)>& score) {
  ASSERT_EQ(found.size(), std::min(count, expected.size()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].tokens, expected[i].tokens) << "rank " << i;
    EXPECT_NEAR(found[i].logprob, static_cast<double>(expected[i].logprob), 1e-9);
    EXPECT_NEAR(found[i].score, static_cast<double>(score(expected[i])), 1e-9);
    EXPECT_TRUE(found[i].complete);
  }
}

long double plain(const Text& text) { return text.logprob; }

TEST(BeamSearch, ExactWhereTheBeamHoldsEveryPrefix) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SmallModel model(kTokens, seed);
    auto texts = enumerate(model, nullptr, 4, /*ends=*/false, false);
    ASSERT_EQ(texts.size(), 256U);
    sort_by(texts, plain);
    BeamOptions options;
    options.beam_width = 256;
    options.n_best = 10;
    options.search.max_tokens = 4;
    options.search.end_tokens.emplace();
    const auto found = beam_search(model, {}, options);
    ASSERT_TRUE(found);
    expect_same(*found, texts, 10, plain);
  }
}

TEST(BeamSearch, ExactWithEndTokensNormsAndStopping) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SmallModel model(kTokens, seed);
    const auto texts = enumerate(model, nullptr, 6, /*ends=*/true, false);
    for (const auto norm : {LengthNorm::kPower, LengthNorm::kGnmt}) {
      for (const double alpha : {0.0, 0.6, 1.0, 2.0, -0.5}) {
        BeamOptions options;
        options.beam_width = 1024;
        options.n_best = 7;
        options.search.max_tokens = 6;
        options.length_norm = norm;
        options.length_penalty = alpha;
        const auto score = [&](const Text& text) {
          const auto length = static_cast<long double>(text.tokens.size());
          const long double base = norm == LengthNorm::kPower ? length : (5 + length) / 6;
          return text.logprob / std::pow(base, static_cast<long double>(alpha));
        };
        auto expected = texts;
        sort_by(expected, score);
        const auto found = beam_search(model, {}, options);
        ASSERT_TRUE(found);
        expect_same(*found, expected, 7, score);
      }
    }
  }
}

TEST(BeamSearch, MinTokens) {
  SmallModel model(kTokens, 5);
  auto texts = enumerate(model, nullptr, 5, true, true);
  // No end before three tokens: with the end masked, p is that of the rest, and so constrained.
  BeamOptions options;
  options.beam_width = 600;
  options.n_best = 4;
  options.search.max_tokens = 5;
  options.search.min_tokens = 3;
  options.search.measure = Measure::kModel;
  std::erase_if(texts, [](const Text& text) { return text.tokens.size() < 4; });
  sort_by(texts, plain);
  const auto found = beam_search(model, {}, options);
  ASSERT_TRUE(found);
  expect_same(*found, texts, 4, plain);
}

TEST(BeamSearch, UnderAGrammar) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SmallModel model(kTokens, seed);
    Compiler compiler(model.vocabulary());
    const auto grammar = *compiler.compile_regex("a(b|c)*a|c+b?");
    for (const bool constrained : {true, false}) {
      auto texts = enumerate(model, &grammar, 6, true, constrained);
      sort_by(texts, plain);
      BeamOptions options;
      options.beam_width = 500;
      options.n_best = 8;
      options.search.max_tokens = 6;
      options.search.measure = constrained ? Measure::kConstrained : Measure::kModel;
      const auto found = beam_search(model, grammar, {}, options);
      ASSERT_TRUE(found);
      expect_same(*found, texts, 8, plain);
    }
  }
}

TEST(BeamSearch, NarrowBeamsAndEarlyStopping) {
  SmallModel model(kTokens, 3);
  BeamOptions options;
  options.beam_width = 1;
  options.n_best = 1;
  options.search.max_tokens = 8;
  options.search.end_tokens.emplace();
  const auto greedy = beam_search(model, {}, options);
  ASSERT_TRUE(greedy);
  std::vector<TokenId> tokens;
  for (int i = 0; i < 8; ++i) {
    const auto log_p = testing::log_softmax(model, tokens);
    tokens.push_back(static_cast<TokenId>(std::max_element(log_p.begin(), log_p.end()) - log_p.begin()));
  }
  EXPECT_EQ(greedy->front().tokens, tokens);

  // Stopping early asks the model less often, and never finds more.
  options = {};
  options.beam_width = 4;
  options.n_best = 2;
  options.search.max_tokens = 40;
  options.length_penalty = 1;
  std::vector<int> calls;
  std::vector<double> scores;
  for (const auto stopping : {EarlyStopping::kTrue, EarlyStopping::kFalse, EarlyStopping::kNever}) {
    options.early_stopping = stopping;
    model.calls = 0;
    const auto found = beam_search(model, {}, options);
    ASSERT_TRUE(found);
    calls.push_back(model.calls);
    scores.push_back(found->front().score);
  }
  EXPECT_TRUE(std::is_sorted(calls.begin(), calls.end()));
  EXPECT_LT(calls.front(), calls.back());
  EXPECT_TRUE(std::is_sorted(scores.begin(), scores.end()));
}

TEST(BeamSearch, TheModelIsAskedOnceForEachLiveHypothesis) {
  for (const std::size_t width : {1U, 2U, 4U, 8U}) {
    SmallModel model(kTokens, 4);
    BeamOptions options;
    options.beam_width = width;
    options.search.max_tokens = 20;
    options.search.end_tokens.emplace();
    ASSERT_TRUE(beam_search(model, {}, options));
    EXPECT_LE(model.calls, static_cast<int>(1 + 19 * width));
    EXPECT_GE(model.calls, static_cast<int>(1 + 17 * width));
  }
}

TEST(BeamSearch, DiverseGroups) {
  SmallModel model(kTokens, 6);
  BeamOptions options;
  options.beam_width = 3;
  options.groups = 3;
  options.n_best = 3;
  options.search.max_tokens = 1;
  options.search.end_tokens.emplace();
  // Without a penalty all groups do the same; with a great one they take three different tokens, the best ones.
  auto found = beam_search(model, {}, options);
  ASSERT_TRUE(found);
  for (const Hypothesis& hypothesis : *found) EXPECT_EQ(hypothesis.tokens, found->front().tokens);
  options.diversity_penalty = 100;
  found = beam_search(model, {}, options);
  ASSERT_TRUE(found);
  const auto log_p = testing::log_softmax(model, {});
  std::vector<TokenId> order{0, 1, 2, 3};
  std::sort(order.begin(), order.end(), [&](TokenId a, TokenId b) { return log_p[a] > log_p[b]; });
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*found)[i].tokens, std::vector<TokenId>{order[i]});
    EXPECT_NEAR((*found)[i].score, static_cast<double>(log_p[order[i]]), 1e-9);  // the penalty is not part of it
  }
}

TEST(BestFirst, FindsTheBestExactly) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    SmallModel model(kTokens, seed);
    Compiler compiler(model.vocabulary());
    const auto grammar = *compiler.compile_regex("(a|bc)*c?");
    for (const bool constrained : {true, false}) {
      auto texts = enumerate(model, &grammar, 7, true, constrained);
      sort_by(texts, plain);
      BestFirstOptions options;
      options.n_best = 5;
      options.search.max_tokens = 7;
      options.search.measure = constrained ? Measure::kConstrained : Measure::kModel;
      const auto found = best_first_search(model, grammar, {}, options);
      ASSERT_TRUE(found);
      expect_same(*found, texts, 5, plain);
      options.max_expansions = 2;
      EXPECT_EQ(best_first_search(model, grammar, {}, options).error().code, ErrorCode::kLimit);
    }
  }
}

// The first text is an ordinary draw; the set of two is what drawing without putting back gives.
TEST(StochasticBeam, DrawsWithoutReplacement) {
  SmallModel model(kTokens, 8, 1.0F);
  Compiler compiler(model.vocabulary());
  const auto grammar = *compiler.compile_regex("a?b?c?");
  const auto texts = enumerate(model, &grammar, 4, true, /*constrained=*/true);
  std::map<std::vector<TokenId>, double> p;
  for (const Text& text : texts) p[text.tokens] = static_cast<double>(std::exp(text.logprob));
  std::map<std::vector<std::vector<TokenId>>, double> pairs;
  for (const auto& [first, p_first] : p) {
    for (const auto& [second, p_second] : p) {
      if (first != second) pairs[{first, second}] = p_first * p_second / (1 - p_first);
    }
  }
  std::map<std::vector<TokenId>, std::size_t> firsts;
  std::map<std::vector<std::vector<TokenId>>, std::size_t> counts;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    StochasticBeamOptions options;
    options.beam_width = 2;
    options.seed = seed;
    options.search.max_tokens = 4;
    const auto found = stochastic_beam_search(model, grammar, {}, options);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 2U);
    EXPECT_GE((*found)[0].score, (*found)[1].score);
    EXPECT_NEAR((*found)[0].logprob, std::log(p.at((*found)[0].tokens)), 1e-9);
    ++firsts[(*found)[0].tokens];
    ++counts[{(*found)[0].tokens, (*found)[1].tokens}];
  }
  testing::expect_distribution(firsts, p);
  testing::expect_distribution(counts, pairs);
}

TEST(Search, OutOfDomainIsAnError) {
  SmallModel model(kTokens, 1);
  const auto code = [&](const BeamOptions& options) { return beam_search(model, {}, options).error().code; };
  BeamOptions bad;
  bad.beam_width = 0;
  EXPECT_EQ(code(bad), ErrorCode::kArgument);
  bad = {};
  bad.n_best = 0;
  EXPECT_EQ(code(bad), ErrorCode::kArgument);
  bad = {};
  bad.groups = 3;
  EXPECT_EQ(code(bad), ErrorCode::kArgument);
  bad = {};
  bad.search.max_tokens = 0;
  EXPECT_EQ(code(bad), ErrorCode::kArgument);
  bad = {};
  bad.length_penalty = NAN;
  EXPECT_EQ(code(bad), ErrorCode::kArgument);
  bad = {};
  bad.diversity_penalty = -1;
  EXPECT_EQ(code(bad), ErrorCode::kArgument);
  bad = {};
  bad.search.end_tokens = std::vector<TokenId>{17};
  EXPECT_EQ(code(bad), ErrorCode::kArgument);
  Compiler other(std::make_shared<const Vocabulary>(*Vocabulary::from_bytes(std::vector<std::string>{"a"}, {}, {})));
  const auto grammar = *other.compile_regex("a");
  EXPECT_EQ(beam_search(model, grammar, {}).error().code, ErrorCode::kArgument);
}

TEST(BeamSearch, FourDistinctValidTextsOfASchema) {
  auto model = NgramModel::embedded();
  ASSERT_TRUE(model);
  Compiler compiler((*model)->vocabulary());
  const auto grammar = compiler.compile_json_schema(R"({"type": "object", "properties": {"name": {"type": "string"},
      "age": {"type": "integer"}}, "required": ["name", "age"], "additionalProperties": false})");
  ASSERT_TRUE(grammar);
  BeamOptions options;
  options.distinct_texts = true;
  const auto found = beam_search(**model, *grammar, {}, options);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 4U);
  std::set<std::string> texts;
  for (std::size_t i = 0; i < 4; ++i) {
    texts.insert((*found)[i].text);
    EXPECT_TRUE((*found)[i].complete);
    Matcher judge(*grammar);
    EXPECT_TRUE(judge.accept_bytes((*found)[i].text) && judge.is_accepting()) << (*found)[i].text;
    if (i > 0) {
      EXPECT_LE((*found)[i].score, (*found)[i - 1].score);
    }
  }
  EXPECT_EQ(texts.size(), 4U);
}

}  // namespace
}  // namespace weir
