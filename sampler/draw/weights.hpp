// The scratch space of one draw: allowed logits, their weights, the support, and exact sums of weights.
//
// A weight is exp((l - max) / T), so the greatest is 1. Sums are taken over weights as integers, in units of 2^-62:
// integer addition is exact and associative, so no order of summation, vector width or selection algorithm changes
// which tokens are kept or drawn. For n < 2^32 weights a sum is below 2^94.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/sampler/logits.hpp"
#include "weir/sampler/random.hpp"

namespace weir::sampling {

__extension__ using Uint128 = unsigned __int128;

// A weight (or probability) in [0, 1] in units of 2^-62, rounded down.
inline std::uint64_t fixed(double weight) noexcept {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(weight * 0x1p62));
}
// To the nearest double.
double from_fixed(Uint128 sum) noexcept;
Uint128 fixed_sum(std::span<const double> weights) noexcept;

// "Up to rounding", as logits.hpp says.
inline constexpr double kRounding = 0x1p-44;

struct Item {
  double weight = 0;
  std::uint32_t index = 0;  // into the weights
};

// Chooses supports over weights in [0, 1] whose greatest is `max`. Reuses its memory.
class Selector {
 public:
  // The items that all three supports keep, in ascending index; valid until the next call.
  // Preconditions: check(truncation) is ok; some weight is positive; sum == fixed_sum(weights).
  std::span<const Item> select(std::span<const double> weights, double max, Uint128 sum, const Truncation& truncation);

 private:
  void cut_top_k(std::size_t k);
  void cut_top_p(Uint128 needed);

  std::vector<Item> items_;       // those that may be kept, in ascending index
  std::vector<Item> candidates_;  // the same, in the order selection leaves them; the kept ones come first
  std::vector<double> maxima_;
};

// The allowed tokens of one step, in ascending order.
class Weights {
 public:
  // Collects the allowed logits. Errors: those of masked_softmax, temperature aside.
  Status gather(std::span<const float> logits, std::span<const std::uint32_t> mask);

  // After gather():
  std::size_t size() const noexcept { return logits_.size(); }
  TokenId token(std::size_t index) const noexcept { return dense_ ? static_cast<TokenId>(index) : tokens_[index]; }
  float logit(std::size_t index) const noexcept { return logits_[index]; }
  // The index of the greatest logit, the first of equals.
  std::size_t greatest() const noexcept;
  // Makes the weights at this temperature > 0; sum() is theirs.
  void exponentiate(double temperature);

  // After exponentiate():
  std::span<const double> weights() const noexcept { return weights_; }
  Uint128 sum() const noexcept { return sum_; }
  // log p at the temperature of exponentiate(), which must have been 1.
  double log_probability(std::size_t index) const noexcept;

 private:
  Status gather_all(std::span<const float> logits);
  Status find_maximum();

  bool dense_ = false;  // all tokens are allowed: tokens_ is unused, logits_ views the caller's
  std::vector<TokenId> tokens_;
  std::vector<float> storage_;
  std::span<const float> logits_;
  std::vector<double> weights_;
  float max_ = 0;
  Uint128 sum_ = 0;
};

// Uniform in [0, bound), exactly: bits of the stream's blocks at `position`, attempt after attempt until below the
// bound (less than two on average). bound > 0.
Uint128 uniform_below(const RandomStream& stream, std::uint64_t position, Uint128 bound) noexcept;

}  // namespace weir::sampling
