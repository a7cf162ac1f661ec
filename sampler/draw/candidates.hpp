// The allowed tokens of one step and their logits: gathered under the mask, edited by penalties, summed up.
//
// Where the mask allows few tokens they are gathered, and everything after that is linear in their number. Where it
// allows many, the logits keep their places and -infinity stands for what is not allowed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "draw/fixed.hpp"
#include "kernels/logit_kernels.hpp"
#include "weir/sampler/logits.hpp"

namespace weir::sampling {

// Sums over weights w = exp((l - max) / T): of w, and of w * -log w.
struct Sums {
  Uint128 weight = 0;
  Uint128 surprise = 0;
  // Of the probabilities w / sum, in nats. Precondition: both sums were asked for.
  double entropy() const noexcept;
};

// A reciprocal that overflows still separates the greatest logit from the rest.
double scale_of(double temperature) noexcept;

class Candidates {
 public:
  Candidates() = default;
  Candidates(Candidates&&) noexcept = default;  // views into its own vectors: no copies
  Candidates& operator=(Candidates&&) noexcept = default;

  // Collects the allowed logits. Errors: those of masked_softmax, temperature and values of logits aside.
  Status gather(std::span<const float> logits, std::span<const std::uint32_t> mask);
  // The logits, to be changed in place; the caller's own stay as they are, and raw() too.
  std::span<float> edit();
  // Finds the maximum. Errors: kInvalid for NaN, +infinity, and where all are -infinity.
  Status find_maximum();

  std::size_t size() const noexcept { return logits_.size(); }  // those at -infinity included
  std::size_t allowed() const noexcept { return allowed_; }     // what the mask allowed
  bool sparse() const noexcept { return sparse_; }
  // Ascending ids where sparse(); else empty, and candidate i is token i.
  std::span<const TokenId> tokens() const noexcept {
    return sparse_ ? std::span<const TokenId>(tokens_) : std::span<const TokenId>();
  }
  TokenId token(std::size_t index) const noexcept { return sparse_ ? tokens_[index] : static_cast<TokenId>(index); }
  // The candidate of a token, or size() if it is none.
  std::size_t find(TokenId token) const noexcept;
  std::span<const float> logits() const noexcept { return logits_; }
  // The logits under the mask before any edit.
  std::span<const float> raw() const noexcept { return raw_; }
  bool edited() const noexcept { return edited_; }

  // After find_maximum():
  float max() const noexcept { return max_; }
  std::span<const float> block_maxima() const noexcept { return maxima_; }
  // The index of the greatest logit, the first of equals.
  std::size_t greatest() const noexcept;
  // Of all candidates at this temperature > 0; blocks() are then those sums.
  Sums sums(double temperature, bool surprise);
  // The candidate that the amount, below sums().weight, falls on when weights are laid out in ascending order.
  // Precondition: sums() was the last call that is not const, at this temperature.
  std::size_t at(Uint128 amount, double temperature) const;

 private:
  Status gather_few(std::span<const float> logits, std::span<const std::uint32_t> mask, std::size_t words);

  bool sparse_ = false;
  bool edited_ = false;
  std::size_t allowed_ = 0;
  std::vector<std::uint32_t> words_;  // indices of words of the mask that are not 0
  std::vector<TokenId> tokens_;
  std::vector<float> storage_;
  std::vector<float> edits_;
  std::span<const float> raw_;
  std::span<const float> logits_;
  std::vector<float> maxima_;
  std::vector<BlockSum> blocks_;
  std::vector<BlockSum> surprises_;
  float max_ = 0;
};

// All of some logits at temperature 1: what probabilities of the model itself are relative to.
class Normaliser {
 public:
  // Errors: kInvalid as for find_maximum; `what` says which logits.
  Status measure(std::span<const float> logits);
  // The same from what is known: the greatest of them, and the sum of their weights at temperature 1.
  void assign(float max, Uint128 sum) noexcept;
  // log of the probability that this logit stands for.
  double log_probability(float logit) const noexcept;
  // log of the sum of exp(l).
  double log_sum() const noexcept { return static_cast<double>(max_) + log_sum_; }

 private:
  std::vector<float> maxima_;
  std::vector<BlockSum> blocks_;
  float max_ = 0;
  double log_sum_ = 0;
};

Status check_extremes(const Extremes& found, std::span<const float> logits, std::span<const TokenId> tokens);

}  // namespace weir::sampling
