// The whole of a step: the fast path against the plain one, bit by bit; and the sampler against the pure functions
// called one after the other in the documented order.
#include <random>

#include <gtest/gtest.h>

#include "draw/pool.hpp"
#include "draw/selector.hpp"
#include "reference.hpp"
#include "reference_filters.hpp"
#include "weir/sampler/filters.hpp"
#include "weir/sampler/penalties.hpp"
#include "weir/sampler/sampler.hpp"

namespace weir {
namespace {

using sampling::Filters;
using sampling::Item;

class Cases {
 public:
  explicit Cases(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return random_() % n; }
  double number(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  // Of any spread; with ties where `steps`.
  std::vector<float> logits(std::size_t size) {
    const double spread = std::pow(10.0, number(-2, 2));
    const bool steps = below(3) == 0;
    std::normal_distribution<double> normal(0, spread);
    std::vector<float> logits(size);
    for (float& logit : logits) {
      const double value = normal(random_);
      logit = static_cast<float>(steps ? std::round(value * 4 / spread) * spread / 4 : value);
      if (below(30) == 0) logit = -INFINITY;
    }
    logits[below(size)] = static_cast<float>(spread);
    return logits;
  }
  std::vector<std::uint32_t> mask(std::size_t size, std::size_t keep) {
    std::vector<std::uint32_t> mask((size + 31) / 32);
    for (std::size_t t = 0; t < size; ++t) {
      if (t == keep || below(3) == 0) mask[t / 32] |= 1U << (t % 32);
    }
    return mask;
  }

 private:
  std::mt19937_64 random_;
};

Filters random_filters(Cases& cases, std::size_t size) {
  Filters filters;
  if (cases.below(3) == 0) filters.top_k = 1 + cases.below(size);
  if (cases.below(4) == 0) filters.exact_k = 1 + cases.below(60);
  if (cases.below(2) == 0) filters.top_p = cases.below(5) == 0 ? 1 - 1e-6 : cases.number(0, 1);
  if (cases.below(3) == 0) filters.min_p = std::pow(10.0, cases.number(-6, 0));
  if (cases.below(5) == 0) filters.epsilon = std::pow(10.0, cases.number(-6, 0));
  if (cases.below(5) == 0) filters.eta = std::pow(10.0, cases.number(-6, 0));
  if (cases.below(6) == 0) filters.n_sigma = cases.number(0.1, 4);
  if (cases.below(6) == 0) filters.least_probability = std::pow(2.0, -cases.number(0, 20));
  if (cases.below(4) == 0) filters.min_keep = 1 + cases.below(40);
  return filters;
}

void expect_same_items(std::span<const Item> fast, std::span<const Item> plain, const Filters& f) {
  ASSERT_EQ(fast.size(), plain.size()) << "top_k " << f.top_k << " exact_k " << f.exact_k << " top_p " << f.top_p
                                       << " min_p " << f.min_p << " eps " << f.epsilon << " eta " << f.eta << " sigma "
                                       << f.n_sigma << " least " << f.least_probability << " min_keep " << f.min_keep;
  for (std::size_t i = 0; i < fast.size(); ++i) {
    ASSERT_EQ(fast[i].index, plain[i].index);
    ASSERT_EQ(fast[i].key, plain[i].key);
    ASSERT_EQ(fast[i].weight, plain[i].weight);
  }
}

TEST(Pipeline, TheFastPathIsThePlainOne) {
  Cases cases(1);
  sampling::Selector selector;
  sampling::Candidates candidates;
  for (int round = 0; round < 1500; ++round) {
    const std::size_t size = round % 4 == 0 ? 4097 + cases.below(9000) : 1 + cases.below(400);
    const auto logits = cases.logits(size);
    const double temperature = cases.below(20) == 0 ? 1e-310 : std::pow(10.0, cases.number(-3, 4));
    const Filters filters = random_filters(cases, size);
    ASSERT_TRUE(candidates.gather(logits, {}));
    ASSERT_TRUE(candidates.find_maximum());
    sampling::Pool pool;
    pool.assign(candidates, temperature);
    pool.keep(filters);
    expect_same_items(selector.select(candidates, temperature, filters), pool.by_index(), filters);
    if (HasFatalFailure()) return;
  }
}

// Sums that meet top-p at the last digit, so that the approximate sum cannot decide.
TEST(Pipeline, TheFastPathIsThePlainOneOnTheEdge) {
  sampling::Selector selector;
  sampling::Candidates candidates;
  const std::vector<float> logits(8192, 1.5F);
  ASSERT_TRUE(candidates.gather(logits, {}));
  ASSERT_TRUE(candidates.find_maximum());
  for (const std::size_t n : {1U, 4096U, 4097U, 8000U}) {
    const auto kept = selector.select(candidates, 1.0, {.top_p = static_cast<double>(n) / 8192});
    EXPECT_EQ(kept.size(), n);
    EXPECT_EQ(kept.back().index, n - 1);
  }
}

SamplingParameters random_parameters(Cases& cases, std::size_t size) {
  SamplingParameters p;
  p.temperature = cases.below(20) == 0 ? 0 : cases.number(0.1, 3);
  if (cases.below(4) == 0) p.dynatemp_range = p.temperature * cases.number(0, 1);
  p.dynatemp_exponent = cases.number(0.5, 2);
  if (cases.below(3) == 0) p.top_k = 1 + cases.below(20);
  p.exact_top_k = cases.below(2) == 0;
  if (cases.below(3) == 0) p.top_p = cases.number(0, 1);
  if (cases.below(3) == 0) p.min_p = cases.number(0, 0.3);
  if (cases.below(4) == 0) p.typical_p = cases.number(0, 1);
  if (cases.below(4) == 0) p.epsilon_cutoff = cases.number(0, 0.05);
  if (cases.below(4) == 0) p.eta_cutoff = cases.number(0, 0.05);
  if (cases.below(4) == 0) p.top_n_sigma = cases.number(0.5, 3);
  if (cases.below(4) == 0) p.xtc_probability = cases.below(2) == 0 ? 1 : 0.5;
  p.xtc_threshold = cases.number(0, 0.4);
  if (cases.below(3) == 0) p.min_keep = 1 + cases.below(4);
  if (cases.below(3) == 0) p.logit_bias = {{static_cast<TokenId>(cases.below(size)), cases.number(-3, 3)}};
  if (cases.below(3) == 0) p.banned_token_ids = {static_cast<TokenId>(cases.below(size))};
  if (cases.below(3) == 0) p.repetition_penalty = cases.number(0.8, 1.5);
  if (cases.below(3) == 0) p.frequency_penalty = cases.number(-1, 1);
  if (cases.below(3) == 0) p.presence_penalty = cases.number(-1, 1);
  p.penalty_last_n = static_cast<std::int64_t>(cases.below(30)) - 1;
  p.repetition_counts_prompt = cases.below(2) == 0;
  p.frequency_counts_prompt = cases.below(2) == 0;
  if (cases.below(4) == 0) p.no_repeat_ngram_size = 2 + cases.below(3);
  if (cases.below(4) == 0) p.dry_multiplier = 0.8;
  p.dry_penalty_last_n = static_cast<std::int64_t>(cases.below(30)) - 1;
  p.seed = cases.below(1000);
  return p;
}

struct History {
  std::vector<TokenId> prompt;
  std::vector<TokenId> accepted;
  // The last n of what counts.
  std::vector<TokenId> window(std::int64_t n, bool prompt_counts) const {
    std::vector<TokenId> all = prompt_counts ? prompt : std::vector<TokenId>{};
    all.insert(all.end(), accepted.begin(), accepted.end());
    if (n >= 0 && static_cast<std::size_t>(n) < all.size()) all.erase(all.begin(), all.end() - n);
    return all;
  }
};

void adjust(std::vector<float>& logits, const SamplingParameters& p, const History& history) {
  const TokenLogits view{{}, logits};
  ASSERT_TRUE(apply_logit_bias(view, p.logit_bias));
  ASSERT_TRUE(apply_repetition_penalty(view, count_tokens(history.window(p.penalty_last_n, p.repetition_counts_prompt)),
                                       p.repetition_penalty));
  ASSERT_TRUE(apply_frequency_penalty(view, count_tokens(history.window(p.penalty_last_n, p.frequency_counts_prompt)),
                                      p.frequency_penalty, p.presence_penalty));
  if (p.dry_multiplier > 0) {
    ASSERT_TRUE(apply_logit_bias(
        view, *dry_biases(history.window(p.dry_penalty_last_n, true), {.multiplier = p.dry_multiplier})));
  }
  ban_tokens(view, no_repeat_ngram_bans(history.window(-1, true), p.no_repeat_ngram_size));
  ban_tokens(view, p.banned_token_ids);
}

std::vector<double> restricted(const std::vector<double>& p, const std::vector<std::size_t>& kept) {
  std::vector<double> q(p.size());
  double sum = 0;
  for (const std::size_t i : kept) sum += p[i];
  for (const std::size_t i : kept) q[i] = p[i] / sum;
  return q;
}

// Steps 3 to 5 of parameters.hpp by the pure functions over all of the vocabulary.
std::vector<double> expected_distribution(const std::vector<float>& logits, const std::vector<std::uint32_t>& mask,
                                          const SamplingParameters& p, bool xtc) {
  const auto dense = [&](double temperature) {
    const auto reals = reference::softmax(logits, mask, temperature);
    return std::vector<double>(reals.begin(), reals.end());
  };
  double temperature = p.temperature;
  if (p.dynatemp_range > 0) {
    std::size_t allowed = 0;
    for (std::size_t t = 0; t < logits.size(); ++t) allowed += reference::allowed(mask, t) ? 1 : 0;
    temperature = dynamic_temperature(static_cast<double>(reference::entropy(dense(1))), allowed, p.temperature,
                                      p.dynatemp_range, p.dynatemp_exponent);
  }
  std::vector<double> all;
  if (temperature == 0) {
    all.assign(logits.size(), 0);
    all[*greedy_token(logits, mask)] = 1;
    return all;
  }
  all = dense(temperature);
  std::vector<float> masked = logits;
  for (std::size_t t = 0; t < masked.size(); ++t) masked[t] = reference::allowed(mask, t) ? masked[t] : -INFINITY;
  std::vector<std::size_t> votes(logits.size());
  std::size_t voters = 0;
  const auto vote = [&](const Result<std::vector<std::size_t>>& kept) {
    ++voters;
    for (const std::size_t i : *kept) ++votes[i];
  };
  vote(p.exact_top_k ? exact_top_k_support(all, p.top_k) : top_k_support(all, p.top_k));
  vote(top_p_support(all, p.top_p));
  vote(min_p_support(all, p.min_p));
  vote(epsilon_support(all, p.epsilon_cutoff));
  vote(eta_support(all, p.eta_cutoff));
  if (p.top_n_sigma > 0) vote(top_n_sigma_support(masked, p.top_n_sigma));
  const auto first = *exact_top_k_support(all, p.min_keep);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (votes[i] == voters || std::find(first.begin(), first.end(), i) != first.end()) kept.push_back(i);
  }
  auto q = restricted(all, kept);
  if (p.typical_p < 1) q = restricted(q, reference::typical(q, p.typical_p, p.min_keep));
  if (xtc) q = restricted(q, reference::xtc(q, p.xtc_threshold, p.min_keep));
  return q;
}

TEST(Pipeline, TheSamplerIsThePureFunctionsInOrder) {
  Cases cases(2);
  int errors = 0;
  for (int round = 0; round < 10'000; ++round) {
    const std::size_t size = 2 + cases.below(70);
    const auto parameters = random_parameters(cases, size);
    auto sampler = Sampler::create(parameters);
    ASSERT_TRUE(sampler) << sampler.error().to_string();
    History history;
    for (std::size_t i = cases.below(12); i > 0; --i) history.prompt.push_back(static_cast<TokenId>(cases.below(size)));
    sampler->set_prompt(history.prompt);
    // A few more than stay, to be rewound.
    for (std::size_t i = cases.below(25); i > 0; --i) {
      history.accepted.push_back(static_cast<TokenId>(cases.below(size)));
      sampler->accept(history.accepted.back());
    }
    history.accepted.resize(cases.below(history.accepted.size() + 1));
    sampler->rewind(history.accepted.size());

    auto logits = cases.logits(size);
    const auto mask = cases.below(2) == 0 ? std::vector<std::uint32_t>{} : cases.mask(size, cases.below(size));
    sampler->seek(cases.below(100));
    const auto actual = sampler->distribution(logits, mask);
    adjust(logits, parameters, history);
    bool possible = false;
    for (std::size_t t = 0; t < size; ++t) possible |= reference::allowed(mask, t) && !std::isinf(logits[t]);
    ASSERT_EQ(actual.ok(), possible);
    if (!possible) {
      ++errors;
      continue;
    }
    const RandomStream random(parameters.seed, parameters.stream);
    const bool xtc = parameters.xtc_probability > 0 &&
                     sampling::uniform_unit(random, sampler->position(), sampling::kCoin) < parameters.xtc_probability;
    const auto expected = expected_distribution(logits, mask, parameters, xtc);
    std::vector<double> dense(size);
    for (const auto& [token, probability] : *actual) dense[token] = probability;
    for (std::size_t t = 0; t < size; ++t)
      ASSERT_NEAR(dense[t], expected[t], 1e-9) << "round " << round << " token " << t;
  }
  EXPECT_GT(errors, 0);
  EXPECT_LT(errors, 2000);
}

}  // namespace
}  // namespace weir
