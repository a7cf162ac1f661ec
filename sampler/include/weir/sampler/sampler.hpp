// Draws tokens from masked logits: greedy, or seeded at random after penalties, temperature and filters.
//
//   weir::Result<weir::Sampler> sampler = weir::Sampler::create({.temperature = 0.7, .top_p = 0.9, .seed = 42});
//   if (!sampler) return sampler.error();
//   sampler->set_prompt(tokens);                                    // only penalties look at it
//   weir::Result<weir::Draw> draw = sampler->draw(logits, mask);    // mask as Matcher::fill_mask writes it
//   if (!draw) return draw.error();
//   sampler->accept(draw->token);                                   // the text has grown by this token
//
// parameters.hpp says in which order everything happens. What is drawn: exactly the distribution that the pure
// functions of penalties.hpp, logits.hpp and filters.hpp give one after the other; where logits differ and their
// probabilities as doubles do not, "descending" is by logit. The same seed, stream and position with the same logits,
// mask and history give the same token on every machine: the random number is an integer below the (integer) sum of the
// weights, so no rounding decides. (Weights are multiples of 2^-62 of the greatest; rarer tokens are never drawn.)
//
// Grammar first: only allowed tokens are ever looked at, so a filter never leaves a dead end, and where the mask allows
// n tokens, n at most a sixteenth of all, the work after a scan of the mask's words is O(n) plus that on the history.
//
// Cost: O(n) apart from typical, XTC and the caller's order, which sort; scratch memory of O(n) is kept between draws.
// Thread safety: one thread at a time for each sampler.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "weir/sampler/logits.hpp"
#include "weir/sampler/parameters.hpp"

namespace weir {

struct TokenLogprob {
  TokenId token = 0;
  double logprob = 0;
};

// Log-probabilities are natural logarithms under the model as it is, at temperature 1, without biases, penalties and
// filters: so sums over a text compare whatever the parameters were. NaN where they were not asked for.
struct Draw {
  TokenId token = 0;
  double logprob = 0;  // under the model constrained by the mask: masked softmax
  // With SamplingParameters::unconstrained:
  double unconstrained_logprob = 0;  // under the model without the mask
  double log_allowed_mass = 0;  // log of the probability that the model gives all allowed tokens together; the mask
                                // removed 1 - exp(log_allowed_mass). The difference of the two logprobs
  // With SamplingParameters::top_logprobs: the most probable allowed tokens under the constrained model, descending,
  // ties by ascending id.
  std::vector<TokenLogprob> top_logprobs = {};
};

class Sampler {
 public:
  // kArgument, with the parameter's name, for a value out of its domain.
  static Result<Sampler> create(const SamplingParameters& parameters);
  ~Sampler();
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;

  // One token. Advances position() by one, also when greedy; not on an error. An empty mask span allows all tokens.
  // Errors: kArgument if the mask does not fit the logits or a parameter names a token past them; kInvalid if an
  // allowed logit is NaN or +inf, if no token is allowed, or if all that are allowed are at -infinity (banned ones,
  // say).
  Result<Draw> draw(std::span<const float> logits, std::span<const std::uint32_t> mask = {});
  // n independent tokens from the same distribution, for little more than the price of one: draw i is that of the
  // stream stream + i at this position. (XTC throws one coin for all of them.) Advances position() by one.
  Result<std::vector<Draw>> draw_many(std::span<const float> logits, std::span<const std::uint32_t> mask,
                                      std::size_t n);

  // One token among those that are wanted, whatever that is found out by: `wanted` is asked only about tokens that
  // would be drawn, as long as those are often wanted, and must answer the same for the same token. Drawn from what the
  // filters keep of all allowed tokens, given that it is wanted; if nothing they keep is, from what they keep of the
  // wanted ones. Log-probabilities are those of draw(). Errors: as for draw(); kInvalid if no allowed token is wanted.
  Result<Draw> draw_wanted(std::span<const float> logits, std::span<const std::uint32_t> mask,
                           const std::function<bool(TokenId)>& wanted);

  // What draw() draws from. A point mass when greedy.
  Result<Distribution> distribution(std::span<const float> logits, std::span<const std::uint32_t> mask = {});

  // The history that penalties, bad words and mirostat look at: a prompt, and the tokens accepted since. set_prompt
  // forgets those, and mirostat's past.
  void set_prompt(std::span<const TokenId> prompt);
  // The text grows by this token, drawn or not. mirostat learns from a token that the last draw gave, and from no
  // other.
  void accept(TokenId token);
  // Back to the first `length` accepted tokens, mirostat's bound included. Precondition: length <= accepted().
  void rewind(std::size_t length);
  std::size_t accepted() const noexcept;
  // mirostat's bound for the next draw, in bits.
  double mirostat_mu() const noexcept;

  const SamplingParameters& parameters() const noexcept;
  // The number of the next draw. Going back to a position repeats its random number.
  std::uint64_t position() const noexcept;
  void seek(std::uint64_t position) noexcept;

 private:
  struct Impl;
  explicit Sampler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
