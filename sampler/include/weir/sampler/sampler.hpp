// Draws tokens from masked logits: greedy, or seeded at random after temperature, top-k, top-p and min-p.
//
//   weir::Result<weir::Sampler> sampler = weir::Sampler::create({.temperature = 0.7, .top_p = 0.9, .seed = 42});
//   if (!sampler) return sampler.error();
//   weir::Result<weir::Draw> draw = sampler->draw(logits, mask);    // mask as Matcher::fill_mask writes it
//
// What is drawn: exactly the distribution of truncate(masked_softmax(logits, mask, temperature), ...), see logits.hpp.
// The same seed, stream and position with the same logits and mask give the same token on every machine: the random
// number is an integer below the (integer) sum of the weights, so no rounding decides. (Weights are multiples of 2^-62
// of the greatest; rarer tokens are never drawn.)
//
// Cost: O(n) for n allowed tokens after a scan of the mask's words; scratch memory of O(n) is kept between draws.
// Thread safety: one thread at a time for each sampler.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "weir/sampler/logits.hpp"

namespace weir {

struct SamplerOptions {
  double temperature = 1.0;  // finite, >= 0; 0 is greedy, whatever the rest says
  std::size_t top_k = 0;     // 0 = off
  double top_p = 1.0;        // [0, 1]; 1 = off, 0 keeps the most probable token
  double min_p = 0.0;        // [0, 1]; 0 = off
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;  // independent sequences of one seed, such as the texts of a batch
  // false leaves Draw::logprob NaN and saves a pass of exponentials where temperature is not 1.
  bool logprob = true;
};

struct Draw {
  TokenId token = 0;
  // Natural logarithm of the token's probability under the model constrained by the mask: masked softmax at
  // temperature 1, before any truncation. So sums over a text compare whatever the sampling options were.
  double logprob = 0;
};

class Sampler {
 public:
  // kArgument, with the option's name, for a value out of its domain.
  static Result<Sampler> create(const SamplerOptions& options);
  ~Sampler();
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;

  // One token. Advances position() by one, also when greedy; not on an error. An empty mask span allows all tokens.
  // Errors: those of masked_softmax.
  Result<Draw> draw(std::span<const float> logits, std::span<const std::uint32_t> mask = {});

  // What draw() draws from. A point mass when greedy.
  Result<Distribution> distribution(std::span<const float> logits, std::span<const std::uint32_t> mask = {});

  const SamplerOptions& options() const noexcept;
  // The number of the next draw. Going back to a position repeats its random number.
  std::uint64_t position() const noexcept;
  void seek(std::uint64_t position) noexcept;

 private:
  struct Impl;
  explicit Sampler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
