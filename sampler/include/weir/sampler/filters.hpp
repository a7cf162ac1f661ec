// Filters and temperatures beyond those of logits.hpp, as pure functions of probabilities (or, for top-n-sigma,
// logits).
//
//   weir::Result<std::vector<std::size_t>> kept = weir::typical_support(probabilities, 0.9);
//   if (!kept) return kept.error();
//   double temperature = weir::dynamic_temperature(*weir::entropy(probabilities), probabilities.size(), 1.0, 0.5, 1.0);
//
// As in logits.hpp: probabilities are finite, >= 0, sum to 1 within 1e-6, else kArgument; the indices kept ascend; at
// least one is kept and never one of probability 0; "descending" is by descending probability, ties by ascending index;
// a threshold missed by rounding (2^-44) is met. min_keep: at least so many are kept (fewer only if fewer have a
// positive probability), >= 1, else kArgument. Every function gives the same bits on every machine.
//
// Cost: O(n log n). Sampler does the same in O(n). Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "weir/grammar/result.hpp"

namespace weir {

// The k first in descending order, ties by ascending index: never more than k (unless min_keep says so). 0 keeps all.
Result<std::vector<std::size_t>> exact_top_k_support(std::span<const double> probabilities, std::size_t k,
                                                     std::size_t min_keep = 1);

// All with p >= epsilon; if there are none, the greatest with its ties. Domain: [0, 1].
// Source: J. Hewitt, C. D. Manning, P. Liang, "Truncation sampling as language model desmoothing", Findings of EMNLP
// 2022.
Result<std::vector<std::size_t>> epsilon_support(std::span<const double> probabilities, double epsilon,
                                                 std::size_t min_keep = 1);

// All with p >= min(epsilon, sqrt(epsilon) exp(-H)), H the entropy in nats; if there are none, the greatest
// with its ties. Domain: [0, 1]. Source: as for epsilon.
Result<std::vector<std::size_t>> eta_support(std::span<const double> probabilities, double epsilon,
                                             std::size_t min_keep = 1);

// The shortest prefix, by ascending |-log p - H| (ties by the descending order), whose sum reaches tau: what surprises
// about as much as expected. Need not keep the most probable. Domain: [0, 1]; 1 keeps all.
// Source: C. Meister, T. Pimentel, G. Wiher, R. Cotterell, "Locally typical sampling", TACL 11 (2023).
Result<std::vector<std::size_t>> typical_support(std::span<const double> probabilities, double tau,
                                                 std::size_t min_keep = 1);

// All with l >= max l - n sigma, sigma the standard deviation (over the number of finite logits) of the finite logits:
// the same tokens at every temperature. Domain: n finite, > 0; logits finite or -infinity, one of them finite.
// Source: C. Tang et al., "Top-n-sigma: not all logits are you need" (2024).
Result<std::vector<std::size_t>> top_n_sigma_support(std::span<const float> logits, double n, std::size_t min_keep = 1);

// "Exclude top choices", where it acts: without the most probable of those with p >= threshold, but for the least of
// them; at least min_keep stay. Domain: [0, 1]. Whether it acts on a step is a coin of the sampler's (xtc_probability).
// Source: P. E. Weidmann, text-generation-webui pull request 6335 (2024).
Result<std::vector<std::size_t>> xtc_support(std::span<const double> probabilities, double threshold,
                                             std::size_t min_keep = 1);

// H = - sum of p log p, in nats.
Result<double> entropy(std::span<const double> probabilities);

// T - r + 2 r (H / log n)^e: from T - r where the model is certain to T + r where it knows nothing; T if n < 2.
// Preconditions: 0 <= r <= T finite; e > 0; H in [0, log n].
// Source: "dynamic temperature" of text-generation-webui and llama.cpp (K. Roberts, 2023).
double dynamic_temperature(double entropy, std::size_t n, double temperature, double range, double exponent) noexcept;

// Mirostat aims at a surprise of tau bits a token, on average, by a bound mu that follows what was drawn: mu_1 = 2 tau,
//   mu_{t+1} = mu_t - eta (s_t - tau),     s_t = -log2 p of the token drawn,
// p being the model's at the step's temperature, before anything is cut off.
// Source: S. Basu et al., "Mirostat: a neural text decoding algorithm that directly controls perplexity", ICLR 2021.
double mirostat_next(double mu, double surprise, double tau, double eta) noexcept;

// Mirostat 2.0: all with -log2 p <= mu; if there are none, the greatest with its ties. Domain: mu finite.
Result<std::vector<std::size_t>> mirostat_support(std::span<const double> probabilities, double mu);

// Mirostat 1.0's k for an exact top-k. Zipf's exponent from the m = min(100, n) greatest p_1 >= ... >= p_m > 0:
//   s = sum t_i b_i / sum t_i^2,  t_i = log((i + 1) / i),  b_i = log(p_i / p_{i+1}),  e = s - 1,
//   k = (e 2^mu / (1 - n^-e))^(1/s), rounded down, in [1, n]; e -> 0 takes the limit, and s <= 1e-9 (all alike) keeps
//   all.
// `descending`: the greatest probabilities, or what is proportional to them; n: how many there are in all.
std::size_t mirostat_k(std::span<const double> descending, std::size_t n, double mu) noexcept;

}  // namespace weir
