// Search: the most probable texts rather than random ones. With a grammar, every text found is in its language.
//
//   weir::Result<std::vector<weir::Hypothesis>> best = weir::beam_search(*model, grammar, prompt, {.beam_width = 4});
//   if (!best) return best.error();
//   if (best->front().complete) use(best->front().text);
//
// A hypothesis' logprob is the sum of log p(token | prompt and tokens before) over its tokens, an end token included.
// Two measures of p, SearchOptions::measure:
//   kConstrained  each step's p under the mask, renormalised: what sampling step by step under the grammar would do
//   kModel        the model's own p: between texts of the language, the same as the model conditioned on the language
//
// Ties go to the hypothesis whose parent came first, then to the smaller token, so results are the same everywhere.
// Cost of a step: one call of the model and O(n) for each live hypothesis, n the allowed tokens: linear in the width.
// Thread safety: one thread at a time for each model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weir/automata/matcher.hpp"
#include "weir/sampler/model.hpp"

namespace weir {

enum class Measure : std::uint8_t { kConstrained, kModel };

struct SearchOptions {
  std::size_t max_tokens = 256;  // >= 1, the end token included
  std::size_t min_tokens = 0;    // no end token among the first so many
  // Nothing: the vocabulary's. Empty: nothing ends a text but max_tokens, and all texts have that many tokens; with a
  // grammar the vocabulary's end tokens are then never taken.
  std::optional<std::vector<TokenId>> end_tokens = std::nullopt;
  Measure measure = Measure::kConstrained;
};

struct Hypothesis {
  std::vector<TokenId> tokens;  // a final end token included
  std::string text;             // without it
  double logprob = 0;
  double score = 0;  // what hypotheses are ranked by
  // Ended by an end token, or nothing could follow; with a grammar, its text is then in the language. Where there are
  // no end tokens: with a grammar, the text is in the language; without one, always.
  bool complete = false;
};

enum class LengthNorm : std::uint8_t {
  kPower,  // logprob / length^alpha
  kGnmt,   // logprob / ((5 + length) / 6)^alpha
};
enum class EarlyStopping : std::uint8_t {
  kTrue,   // as soon as n_best hypotheses are complete
  kFalse,  // when no live one would be among the n_best if it ended at its present length: Hugging Face's default
  kNever,  // when no live one can get among the n_best, whatever follows: exact
};

struct BeamOptions {
  SearchOptions search = {};
  std::size_t beam_width = 4;  // >= 1, live hypotheses after each step
  std::size_t n_best = 4;      // >= 1, how many are returned, at most
  // Finite. 0 ranks by logprob alone, which prefers short texts; Hugging Face's default is 1.
  double length_penalty = 0;
  LengthNorm length_norm = LengthNorm::kPower;
  EarlyStopping early_stopping = EarlyStopping::kNever;
  // Different tokens may spell the same text: true returns only the best hypothesis of each.
  bool distinct_texts = false;
  // >= 1, divides beam_width. Each group searches by itself, but within a step a token costs diversity_penalty (finite,
  // >= 0) for each hypothesis of an earlier group that has just taken it. Scores do not include that.
  std::size_t groups = 1;
  double diversity_penalty = 0;
};

// Keeps the beam_width best prefixes of each length. Equal to exhaustive search once beam_width is at least the number
// of prefixes. Returned: descending by score, complete ones first. Errors: kArgument for options out of their domain
// and a grammar of another vocabulary; the model's and the matcher's; kInvalid if the vocabulary cannot spell any text.
// Sources: Y. Wu et al., "Google's neural machine translation
// system" (2016) for the normalisation; A. K. Vijayakumar et al., "Diverse beam search", AAAI 2018 (Hamming diversity).
Result<std::vector<Hypothesis>> beam_search(LanguageModel& model, const CompiledGrammar& grammar,
                                            std::span<const TokenId> prompt, const BeamOptions& options = {});
Result<std::vector<Hypothesis>> beam_search(LanguageModel& model, std::span<const TokenId> prompt,
                                            const BeamOptions& options = {});

struct StochasticBeamOptions {
  SearchOptions search = {};
  std::size_t beam_width = 4;  // >= 1
  std::uint64_t seed = 0;
};

// Draws beam_width different texts at once, without replacement: each is distributed as drawing one after the other and
// putting none back. `score` is the perturbed logprob, descending; the first text is an ordinary draw from the model
// (under the grammar, for kConstrained). Source: W. Kool, H. van Hoof, M. Welling, "Stochastic beams and where to find
// them", ICML 2019.
Result<std::vector<Hypothesis>> stochastic_beam_search(LanguageModel& model, const CompiledGrammar& grammar,
                                                       std::span<const TokenId> prompt,
                                                       const StochasticBeamOptions& options = {});
Result<std::vector<Hypothesis>> stochastic_beam_search(LanguageModel& model, std::span<const TokenId> prompt,
                                                       const StochasticBeamOptions& options = {});

struct BestFirstOptions {
  SearchOptions search = {};
  std::size_t n_best = 1;                // >= 1
  std::size_t max_expansions = 100'000;  // calls of the model
};

// The n_best complete texts of the greatest logprob, exactly: prefixes are extended in descending order of logprob,
// which bounds everything that follows them, and what cannot get among the n_best found so far is dropped. Errors: as
// for beam_search; kLimit if max_expansions do not suffice for certainty.
Result<std::vector<Hypothesis>> best_first_search(LanguageModel& model, const CompiledGrammar& grammar,
                                                  std::span<const TokenId> prompt,
                                                  const BestFirstOptions& options = {});
Result<std::vector<Hypothesis>> best_first_search(LanguageModel& model, std::span<const TokenId> prompt,
                                                  const BestFirstOptions& options = {});

}  // namespace weir
