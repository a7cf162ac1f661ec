#include <algorithm>
#include <cmath>
#include <limits>

#include "draw/fixed.hpp"
#include "search/expander.hpp"

namespace weir {
namespace {

using sampling::Expander;
using sampling::Prefix;

constexpr double kLeast = -std::numeric_limits<double>::infinity();

// log(1 - exp(x)) for x <= 0.
double log1mexp(double x) { return x > -0.693 ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x)); }

// A child's perturbed logprob, given that the greatest of its siblings', `most`, has to be the parent's.
// Source: appendix B.3 of the paper, in a form that neither overflows nor cancels.
double conditioned(double child, double most, double parent) {
  if (child == most) return parent;
  const double v = parent - child + log1mexp(child - most);
  return parent - std::max(0.0, v) - std::log1p(std::exp(-std::abs(v)));
}

struct Child {
  std::size_t parent = 0;
  TokenLogprob token;
  double score = 0;
  bool whole = false;  // the parent itself, which has ended
};

Result<std::vector<Hypothesis>> search(LanguageModel& model, const CompiledGrammar* grammar,
                                       std::span<const TokenId> prompt, const StochasticBeamOptions& options) {
  if (options.beam_width == 0) return make_error(ErrorCode::kArgument, "beam_width is 0; it must be at least 1");
  Expander expander(model, grammar, prompt, options.search);
  auto first = expander.start();
  if (!first) return first.error();
  std::vector<Prefix> beam;
  beam.push_back(std::move(*first));
  beam.front().score = 0;
  for (std::size_t length = 0; length < options.search.max_tokens; ++length) {
    std::vector<Child> children;
    bool more = false;
    for (std::size_t parent = 0; parent < beam.size(); ++parent) {
      if (beam[parent].ended) {
        children.push_back({parent, {}, beam[parent].score, true});
        continue;
      }
      const auto tokens = expander.next(beam[parent], 0);
      if (!tokens) return tokens.error();
      if (tokens->empty()) {
        beam[parent].ended = true;
        children.push_back({parent, {}, beam[parent].score, true});
        continue;
      }
      more = true;
      const RandomStream random(options.seed, static_cast<std::uint32_t>(parent));
      const std::size_t begin = children.size();
      double most = kLeast;
      for (const TokenLogprob& token : *tokens) {
        const double perturbed =
            beam[parent].logprob + token.logprob + sampling::standard_gumbel(random, length, token.token);
        most = std::max(most, perturbed);
        children.push_back({parent, token, perturbed, false});
      }
      for (std::size_t i = begin; i < children.size(); ++i) {
        children[i].score = conditioned(children[i].score, most, beam[parent].score);
      }
    }
    if (!more) break;
    sampling::keep_best(children, options.beam_width);
    std::vector<Prefix> next;
    for (const Child& child : children) {
      auto longer =
          child.whole ? Result<Prefix>(beam[child.parent].fork()) : expander.extend(beam[child.parent], child.token);
      if (!longer) return longer.error();
      longer->score = child.score;
      next.push_back(std::move(*longer));
    }
    beam = std::move(next);
  }
  std::vector<Hypothesis> results;
  results.reserve(beam.size());
  for (const Prefix& prefix : beam) results.push_back(expander.finish(prefix));
  return results;
}

}  // namespace

Result<std::vector<Hypothesis>> stochastic_beam_search(LanguageModel& model, const CompiledGrammar& grammar,
                                                       std::span<const TokenId> prompt,
                                                       const StochasticBeamOptions& options) {
  return search(model, &grammar, prompt, options);
}

Result<std::vector<Hypothesis>> stochastic_beam_search(LanguageModel& model, std::span<const TokenId> prompt,
                                                       const StochasticBeamOptions& options) {
  return search(model, nullptr, prompt, options);
}

}  // namespace weir
