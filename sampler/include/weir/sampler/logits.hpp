// From logits to the distribution a token is drawn from: masks, softmax, temperature, top-k, top-p, min-p.
//
//   weir::Result<weir::Distribution> p = weir::masked_softmax(logits, mask, /*temperature=*/0.8);
//   if (!p) return p.error();
//   weir::Result<weir::Distribution> q = weir::truncate(*p, {.top_k = 40, .top_p = 0.95, .min_p = 0.05});
//
// apply_mask writes the mask into the logits themselves, for samplers other than this library's.
//
// The order is fixed: logits, mask (-inf), temperature, softmax to p; each truncation chooses its support on that same
// p; the supports are intersected; what is left is renormalised. Sampler does the same in one pass and draws.
//
// Numbers: logits are float32, probabilities double, within 1e-12 of exact arithmetic. Exponential and logarithm are
// the library's own, made of IEEE 754 double operations in a fixed order, and sums are taken over 62-bit fixed-point
// weights, hence exact and free of order: every machine with IEEE doubles gets the same bits. Probabilities below
// 1e-300 count as 0. "Rounding" below is 2^-44 (5.7e-14): a sum or ratio that is short of its threshold by no more than
// that has reached it, so that 0.5 + 0.25 + 0.15 reaches 0.9.
//
// Cost: O(n) for n allowed tokens after a scan of the mask's words, apart from what truncation sorts.
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weir/automata/vocabulary.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

struct TokenProbability {
  TokenId token = 0;
  double probability = 0;
  friend bool operator==(const TokenProbability&, const TokenProbability&) = default;
};

// Ascending token ids, positive probabilities that sum to 1; tokens that are not listed have probability 0.
using Distribution = std::vector<TokenProbability>;

// p(t) = exp((l(t) - m) / T) / sum over allowed s of exp((l(s) - m) / T), where m is the greatest allowed logit.
// T = 0 puts all mass on the greatest logit, ties on the smallest id.
// `mask`: bit (t & 31) of word t >> 5 allows token t; an empty span allows all. Only allowed logits are looked at.
// Domain: T finite, >= 0; at least ceil(n / 32) mask words for n logits, no bit set past n. -inf means impossible.
// Errors: kArgument for those; kInvalid if an allowed logit is NaN or +inf, if no token is allowed, or all are -inf.
Result<Distribution> masked_softmax(std::span<const float> logits, std::span<const std::uint32_t> mask,
                                    double temperature = 1.0);

// The greatest allowed logit, ties to the smallest id. Errors as above.
Result<TokenId> greedy_token(std::span<const float> logits, std::span<const std::uint32_t> mask);

// log p(t) at T = 1. Errors as above, and kArgument if t is out of range; -infinity if t is not allowed.
Result<double> masked_log_probability(std::span<const float> logits, std::span<const std::uint32_t> mask,
                                      TokenId token);

// Logits whose bit is clear become -infinity; the others keep every bit, the payload of a NaN included. Logits that the
// mask has no bits for count as not allowed, an empty mask (unlike above) allows none, and bits past the logits are not
// looked at: the widths of a vocabulary and of a model's padded logits may differ either way, and nothing is an error.
// Cost: at most about that of copying the logits; words of the mask that are all ones cost no write.
void apply_mask(std::span<float> logits, std::span<const std::uint32_t> mask) noexcept;
// The same for logits stored as IEEE 754 binary16 (-infinity is 0xFC00), and as bfloat16, the upper half of a float32
// (0xFF80).
void apply_mask_float16(std::span<std::uint16_t> logits, std::span<const std::uint32_t> mask) noexcept;
void apply_mask_bfloat16(std::span<std::uint16_t> logits, std::span<const std::uint32_t> mask) noexcept;

// The supports take probabilities (finite, >= 0, sum 1 within 1e-6; else kArgument) and return the indices they keep,
// ascending. They always keep at least one index and never one of probability 0. "Descending" below means by descending
// probability, ties by ascending index.

// The k greatest, and all that tie with the k-th. k = 0, or k >= n, keeps all.
// Source: A. Fan, M. Lewis, Y. Dauphin, "Hierarchical neural story generation", ACL 2018.
Result<std::vector<std::size_t>> top_k_support(std::span<const double> probabilities, std::size_t k);

// The shortest descending prefix whose sum reaches the threshold, up to rounding. Domain: [0, 1], else kArgument;
// 0 keeps the first, 1 keeps all.
// Source: A. Holtzman et al., "The curious case of neural text degeneration", ICLR 2020 (nucleus sampling).
Result<std::vector<std::size_t>> top_p_support(std::span<const double> probabilities, double threshold);

// All with p >= alpha * max p, up to rounding. Domain: [0, 1], else kArgument; 0 keeps all.
// Source: M. N. Nguyen et al., "Turning up the heat: min-p sampling for creative and coherent LLM outputs", ICLR 2025.
Result<std::vector<std::size_t>> min_p_support(std::span<const double> probabilities, double alpha);

// What is cut off before drawing; the defaults cut nothing.
struct Truncation {
  std::size_t top_k = 0;
  double top_p = 1.0;
  double min_p = 0.0;
};

// kArgument, with the name of the field, unless top_p and min_p are in [0, 1].
Status check(const Truncation& truncation);

// q(t) = p(t) / sum of p over K for t in K, the intersection of the three supports; 0 elsewhere. All three supports are
// prefixes of the same descending order, so K is the shortest of them and never empty.
// Errors: as for the supports; kArgument too if the ids are not ascending.
Result<Distribution> truncate(const Distribution& distribution, const Truncation& truncation);

}  // namespace weir
