// Everything that says how a token is drawn, in one struct, by the names that others use: docs/sampling.md has a table
// of how the parameters of OpenAI, vLLM, Hugging Face and llama.cpp map to these.
//
//   weir::SamplingParameters parameters{.temperature = 0.7, .top_p = 0.95, .seed = 42};
//   parameters.repetition_penalty = 1.1;
//   weir::Status status = weir::check(parameters);     // Sampler::create does it too
//   if (!status) return status.error();
//
// The order of work, unless `order` says otherwise for the filters:
//   1. on logits:        logit_bias, repetition, frequency and presence penalties, DRY, no-repeat n-grams, bans
//   2. the grammar's mask (-infinity); since 1 looks at each token alone, only what it allows is ever touched
//   3. the temperature, perhaps from the entropy (dynatemp), then the softmax
//   4. top-k, top-p, min-p, epsilon, eta, top-n-sigma, mirostat: each chooses what it keeps on the p of step 3, and
//   what
//      all of them keep is kept. All keep the most probable tokens, so nothing depends on their order.
//   5. typical, on what is left, renormalised; then XTC, on what is left, renormalised
//   6. the draw, from what is left, renormalised
// The formulas, domains and sources stand with the pure functions: penalties.hpp, filters.hpp, logits.hpp.
//
// The defaults change nothing: the model's own distribution under the mask.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/automata/vocabulary.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

struct TokenBias {
  TokenId token = 0;
  double bias = 0;  // added to the logit; -infinity bans, +infinity and NaN are errors
};

// Steps of the caller's own order.
enum class Stage : std::uint8_t {
  kTemperature,  // dynatemp included
  kTopK,
  kTopP,
  kMinP,
  kTypical,
  kEpsilon,
  kEta,
  kTopNSigma,
  kXtc,
};
// "temperature", "top_k", ...: the names of the fields, for messages.
const char* to_string(Stage stage) noexcept;

// How the token is chosen once the distribution stands.
enum class Choice : std::uint8_t {
  kInverse,  // a uniform integer below the sum of the integer weights: exact, and linear only in what is left
  kGumbel,   // the greatest log p + G, with a standard Gumbel variable G for each token: the same distribution (to the
             // rounding of doubles); a token's G depends on seed, stream, position and token alone
};

struct SamplingParameters {
  double temperature = 1.0;    // finite, >= 0; 0 is greedy, whatever the filters say
  std::size_t top_k = 0;       // 0 = off
  double top_p = 1.0;          // [0, 1]; 1 = off, 0 keeps the most probable token
  double min_p = 0.0;          // [0, 1]; 0 = off
  bool exact_top_k = false;    // false: what ties with the last of the k stays; true: the smaller ids, k in all
  double typical_p = 1.0;      // [0, 1]; 1 = off
  double epsilon_cutoff = 0;   // [0, 1]; 0 = off
  double eta_cutoff = 0;       // [0, 1]; 0 = off
  double top_n_sigma = 0;      // finite, >= 0; 0 = off
  double xtc_probability = 0;  // [0, 1]; the chance that XTC acts on a step
  double xtc_threshold = 0.1;  // [0, 1]; above 0.5 no two tokens reach it
  std::size_t min_keep = 1;    // >= 1: each filter keeps at least so many tokens

  double dynatemp_range = 0;     // [0, temperature]: temperatures from temperature - range to temperature + range
  double dynatemp_exponent = 1;  // finite, > 0

  int mirostat_mode = 0;      // 0 = off, 1, 2
  double mirostat_tau = 5.0;  // finite, >= 0: the surprise aimed at, in bits
  double mirostat_eta = 0.1;  // finite, >= 0: how fast the bound follows

  // Empty: the order above. Else the filters named here act one after the other, each on the renormalised result of the
  // one before; whatever is switched on must be named, each at most once. mirostat has no stage: it needs the order
  // above.
  std::vector<Stage> order = {};

  std::vector<TokenBias> logit_bias = {};            // each token at most once
  std::vector<TokenId> allowed_token_ids = {};       // if not empty: only these, as if the mask held no other
  std::vector<TokenId> banned_token_ids = {};        // never these
  std::vector<std::vector<TokenId>> bad_words = {};  // sequences that never come about; none may be empty

  double repetition_penalty = 1.0;       // finite, > 0; 1 = off
  double frequency_penalty = 0;          // finite; 0 = off
  double presence_penalty = 0;           // finite; 0 = off
  std::int64_t penalty_last_n = -1;      // the three look at so many last tokens; -1 = all
  bool repetition_counts_prompt = true;  // does the prompt count as seen? Hugging Face, vLLM: yes
  bool frequency_counts_prompt = false;  // and for the other two? OpenAI, vLLM: no
  std::size_t no_repeat_ngram_size = 0;  // 0 = off

  double dry_multiplier = 0;             // finite, >= 0; 0 = off
  double dry_base = 1.75;                // finite, >= 1
  std::size_t dry_allowed_length = 2;    // >= 1
  std::int64_t dry_penalty_last_n = -1;  // so many last tokens; -1 = all
  std::vector<TokenId> dry_sequence_breakers = {};

  std::uint64_t seed = 0;
  std::uint32_t stream = 0;  // independent sequences of one seed, such as the texts of a batch
  Choice choice = Choice::kInverse;

  // false leaves Draw::logprob NaN and saves a pass of exponentials where temperature is not 1.
  bool logprob = true;
  std::size_t top_logprobs = 0;  // so many most probable tokens are reported with each draw
  bool unconstrained = false;    // log-probabilities without the mask, too: costs a pass over all logits
};

// The name the parameters had when there were fewer of them.
using SamplerOptions = SamplingParameters;

// kArgument, with the name of the field, for a value out of its domain.
Status check(const SamplingParameters& parameters);

}  // namespace weir
