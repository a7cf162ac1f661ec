// Texts from the model *given* the grammar: sequential Monte Carlo.
//
//   weir::Result<weir::Particles> run = weir::sample_given(*model, grammar, prompt, {.particles = 64, .seed = 7});
//   if (!run) return run.error();
//   use(run->particles[run->choice].text);          // one draw
//
// Masking step by step is not conditioning: it spends the probability that the mask removes on the tokens that are
// left, so a token that is legal, but leads where the model never meant to go, comes too often. Here N particles are
// drawn under the masks, and each is weighted by the model's probability of what the masks allowed on its way,
//   w = product over its steps of sum over allowed t of p(t | tokens before),
// so that w times the probability of drawing a text is the model's own probability of the text. When the weights get
// too uneven, their effective number (sum w)^2 / sum w^2 below `threshold` N, the particles are drawn anew in
// proportion to them (systematically), and the weights start again alike. Grammar states are forked as integers.
//
// Texts that are not complete within max_tokens get weight 0: the target is the model given the grammar *and* an end
// within max_tokens. log_evidence estimates the logarithm of that event's probability under the model; exp of it is
// unbiased. Sums of weights times anything estimate expectations; a `choice` is a draw that gets exact as N grows.
//
// Source: A. Doucet, N. de Freitas, N. Gordon, "Sequential Monte Carlo methods in practice" (2001); for grammars,
// A. K. Lew et al., "Sequential Monte Carlo steering of large language models" (2023).
// Cost: a call of the model for each particle and step. Thread safety: one thread at a time for each model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weir/sampler/search.hpp"

namespace weir {

struct ParticleOptions {
  std::size_t particles = 32;    // >= 1
  std::size_t max_tokens = 256;  // >= 1, an end token included
  double threshold = 0.5;        // [0, 1]: 0 never draws anew, 1 does so at every step that weights differ
  std::uint64_t seed = 0;
};

struct Particle {
  std::vector<TokenId> tokens;  // a final end token included
  std::string text;             // without it
  double weight = 0;            // normalised: all sum to 1
};

struct Particles {
  std::vector<Particle> particles;  // the complete ones, which are all that have weight
  std::size_t choice = 0;           // index of one drawn by weight
  double log_evidence = 0;
  double effective = 0;       // (sum w)^2 / sum w^2 at the end
  std::size_t resampled = 0;  // how often particles were drawn anew
};

// Errors: kArgument for options out of their domain and a grammar of another vocabulary; kInvalid if no particle is
// complete within max_tokens; the model's and the matcher's.
Result<Particles> sample_given(LanguageModel& model, const CompiledGrammar& grammar, std::span<const TokenId> prompt,
                               const ParticleOptions& options = {});

}  // namespace weir
