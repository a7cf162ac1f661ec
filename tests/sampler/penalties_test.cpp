// Each penalty against its definition, on 10,000 random histories and logits each; over the whole vocabulary and over
// the allowed tokens alone.
#include "weir/sampler/penalties.hpp"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "reference_filters.hpp"

namespace weir {
namespace {

constexpr int kCases = 10'000;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  std::vector<TokenId> history;
  std::vector<float> logits;     // of the whole vocabulary
  std::vector<TokenId> allowed;  // some of it
};

class Cases {
 public:
  explicit Cases(std::uint64_t seed) : random_(seed) {}
  Case next() {
    Case result;
    const std::size_t size = 1 + random_() % 24;
    std::normal_distribution<float> normal(0, 4);
    for (std::size_t i = 0; i < size; ++i) result.logits.push_back(random_() % 12 == 0 ? -INFINITY : normal(random_));
    result.history.resize(random_() % 60);
    const std::size_t variety = 1 + random_() % (size + 2);  // some tokens are no candidates
    for (TokenId& token : result.history) token = static_cast<TokenId>(random_() % variety);
    for (TokenId t = 0; t < size; ++t) {
      if (random_() % 2 == 0) result.allowed.push_back(t);
    }
    return result;
  }
  double number(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
};

// change(view) on all logits, and on those allowed alone, gives what expected(token, logit) says, bit by bit.
template <class Change, class Expected>
void expect_changed(const Case& c, Change change, Expected expected) {
  std::vector<float> all = c.logits;
  change(TokenLogits{{}, all});
  for (TokenId t = 0; t < all.size(); ++t) ASSERT_EQ(all[t], expected(t, c.logits[t])) << "token " << t;
  std::vector<float> some;
  for (const TokenId t : c.allowed) some.push_back(c.logits[t]);
  if (some.empty()) return;
  change(TokenLogits{c.allowed, some});
  for (std::size_t i = 0; i < some.size(); ++i) ASSERT_EQ(some[i], all[c.allowed[i]]);
}

TEST(Penalties, LogitBias) {
  Cases cases(1);
  for (int i = 0; i < kCases; ++i) {
    const Case c = cases.next();
    std::map<TokenId, double> biases;
    for (int j = 0; j < 4; ++j) {
      biases[static_cast<TokenId>(cases.random()() % 30)] = j == 0 ? -INFINITY : cases.number(-100, 100);
    }
    std::vector<TokenBias> list;
    for (const auto& [token, bias] : biases) list.push_back({token, bias});
    expect_changed(
        c, [&](TokenLogits view) { ASSERT_TRUE(apply_logit_bias(view, list)); },
        [&](TokenId t, float l) {
          return biases.contains(t) ? static_cast<float>(static_cast<double>(l) + biases[t]) : l;
        });
  }
}

TEST(Penalties, Repetition) {
  Cases cases(2);
  for (int i = 0; i < kCases; ++i) {
    const Case c = cases.next();
    const double penalty = cases.number(0.5, 2);
    const auto seen = reference::counts(c.history);
    expect_changed(
        c, [&](TokenLogits view) { ASSERT_TRUE(apply_repetition_penalty(view, count_tokens(c.history), penalty)); },
        [&](TokenId t, float l) {
          if (!seen.contains(t)) return l;
          return static_cast<float>(l > 0 ? static_cast<double>(l) / penalty : static_cast<double>(l) * penalty);
        });
  }
}

TEST(Penalties, FrequencyAndPresence) {
  Cases cases(3);
  for (int i = 0; i < kCases; ++i) {
    const Case c = cases.next();
    const double frequency = cases.number(-2, 2);
    const double presence = cases.number(-2, 2);
    const auto seen = reference::counts(c.history);
    expect_changed(
        c,
        [&](TokenLogits view) {
          ASSERT_TRUE(apply_frequency_penalty(view, count_tokens(c.history), frequency, presence));
        },
        [&](TokenId t, float l) {
          if (!seen.contains(t)) return l;
          return static_cast<float>(static_cast<double>(l) - frequency * seen.at(t) - presence);
        });
  }
}

TEST(Penalties, NoRepeatNgram) {
  Cases cases(4);
  for (int i = 0; i < kCases; ++i) {
    const Case c = cases.next();
    const std::size_t n = cases.random()() % 6;
    const auto bans = no_repeat_ngram_bans(c.history, n);
    const auto expected = reference::ngram_bans(c.history, n);
    ASSERT_EQ(std::set<TokenId>(bans.begin(), bans.end()), expected);
    ASSERT_EQ(bans.size(), expected.size());
    expect_changed(
        c, [&](TokenLogits view) { ban_tokens(view, bans); },
        [&](TokenId t, float l) { return expected.contains(t) ? -INFINITY : l; });
  }
}

TEST(Penalties, BadWords) {
  Cases cases(5);
  for (int i = 0; i < kCases; ++i) {
    const Case c = cases.next();
    std::vector<std::vector<TokenId>> words;
    for (int j = 0; j < 4; ++j) {
      auto& word = words.emplace_back(cases.random()() % 4);
      for (TokenId& token : word) token = static_cast<TokenId>(cases.random()() % 3);
    }
    // After which tokens would the text end in one of the words?
    std::vector<TokenId> expected;
    for (TokenId t = 0; t < 3; ++t) {
      std::vector<TokenId> text = c.history;
      text.push_back(t);
      if (std::any_of(words.begin(), words.end(), [&](const auto& word) {
            return !word.empty() && word.size() <= text.size() && std::equal(word.rbegin(), word.rend(), text.rbegin());
          })) {
        expected.push_back(t);
      }
    }
    ASSERT_EQ(bad_word_bans(c.history, words), expected);
  }
}

TEST(Penalties, Dry) {
  Cases cases(6);
  int matches = 0;
  for (int i = 0; i < kCases; ++i) {
    const Case c = cases.next();
    std::vector<TokenId> breakers;
    for (std::size_t j = cases.random()() % 3; j > 0; --j)
      breakers.push_back(static_cast<TokenId>(cases.random()() % 24));
    const DryOptions options{cases.number(0, 2), cases.number(1, 3), 1 + cases.random()() % 4, breakers};
    const auto biases = dry_biases(c.history, options);
    ASSERT_TRUE(biases);
    std::size_t at = 0;
    for (const auto& [token, length] :
         reference::dry_matches(c.history, std::set<TokenId>(breakers.begin(), breakers.end()))) {
      if (length < options.allowed_length) continue;
      ASSERT_LT(at, biases->size());
      EXPECT_EQ((*biases)[at].token, token);
      const double cost =
          options.multiplier * std::pow(options.base, static_cast<double>(length - options.allowed_length));
      EXPECT_NEAR((*biases)[at].bias, -std::min(cost, 1e30), std::min(cost, 1e30) * 1e-12);
      ++at;
      ++matches;
    }
    ASSERT_EQ(at, biases->size());
  }
  EXPECT_GT(matches, kCases / 2);
}

TEST(Penalties, DryByHand) {
  // ... 1 2 3 4 ... 1 2 3 -> 4 has a match of 3, and 9 one of 1.
  const std::vector<TokenId> history{1, 2, 3, 4, 3, 9, 1, 2, 3};
  auto biases = *dry_biases(history, {.multiplier = 0.8, .base = 2, .allowed_length = 2});
  ASSERT_EQ(biases.size(), 1U);
  EXPECT_EQ(biases[0].token, 4U);
  EXPECT_EQ(biases[0].bias, -1.6);
  const std::vector<TokenId> breakers{2};
  EXPECT_TRUE(dry_biases(history, {.base = 2, .breakers = breakers})->empty());
  // A match of 3,000 does not overflow.
  EXPECT_EQ(dry_biases(std::vector<TokenId>(3001, 5), {})->front().bias, -1e30);
}

TEST(Penalties, OutOfDomainIsAnErrorAndChangesNothing) {
  std::vector<float> logits{1, 2, 3};
  const TokenLogits view{{}, logits};
  const std::vector<TokenCount> counts{{1, 2}};
  for (const double bad : {0.0, -1.0, kNan, static_cast<double>(INFINITY)}) {
    EXPECT_FALSE(apply_repetition_penalty(view, counts, bad));
  }
  for (const double bad : {kNan, static_cast<double>(INFINITY)}) {
    EXPECT_FALSE(apply_frequency_penalty(view, counts, bad, 0));
    EXPECT_FALSE(apply_frequency_penalty(view, counts, 0, bad));
    EXPECT_FALSE(apply_logit_bias(view, std::vector<TokenBias>{{0, 1}, {1, bad}}));
    EXPECT_FALSE(dry_biases({}, {.multiplier = bad}));
    EXPECT_FALSE(dry_biases({}, {.base = bad}));
  }
  EXPECT_FALSE(dry_biases({}, {.base = 0.5}));
  EXPECT_FALSE(dry_biases({}, {.allowed_length = 0}));
  EXPECT_EQ(logits, (std::vector<float>{1, 2, 3}));
}

TEST(Penalties, TokensContaining) {
  const std::vector<TokenId> eos{3};
  const auto vocabulary = *Vocabulary::from_bytes(std::vector<std::string>{"a\n", "b", "x:y", ""}, eos, eos);
  EXPECT_EQ(tokens_containing(vocabulary, std::vector<std::string>{"\n", ":", ""}), (std::vector<TokenId>{0, 2}));
}

}  // namespace
}  // namespace weir
