#include "weir/sampler/sampler.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "draw/step.hpp"
#include "weir/automata/mask.hpp"
#include "weir/sampler/filters.hpp"
#include "weir/sampler/random.hpp"

namespace weir {
namespace {

constexpr std::uint32_t kAnew = 17;  // a round that Step::draw_wanted does not use
constexpr double kNotAsked = std::numeric_limits<double>::quiet_NaN();

// One past the greatest token that the parameters name, whose logits must exist.
std::size_t named_tokens(const SamplingParameters& p) {
  std::size_t end = 0;
  for (const TokenBias& bias : p.logit_bias) end = std::max<std::size_t>(end, bias.token + std::size_t{1});
  for (const TokenId token : p.banned_token_ids) end = std::max<std::size_t>(end, token + std::size_t{1});
  for (const auto& word : p.bad_words) end = std::max<std::size_t>(end, word.back() + std::size_t{1});
  return end;
}

}  // namespace

struct Sampler::Impl {
  explicit Impl(const SamplingParameters& given)
      : parameters(given),
        random(given.seed, given.stream),
        history(parameters),
        mus{2 * given.mirostat_tau},
        named(named_tokens(given)) {}

  Status prepare(std::span<const float> logits, std::span<const std::uint32_t> mask);
  Status measure(std::span<const float> logits);
  Draw report(std::size_t index);
  bool remembers() const noexcept { return parameters.mirostat_mode != 0; }

  SamplingParameters parameters;
  RandomStream random;
  std::uint64_t position = 0;
  sampling::Step step;
  sampling::History history;
  std::vector<double> mus;                            // before each accepted token, and the next one
  std::vector<std::pair<TokenId, double>> surprises;  // of the last draws, if mirostat is on
  std::size_t named;
  sampling::Normaliser constrained;
  sampling::Normaliser unconstrained;
  std::vector<TokenLogprob> top;
};

Status Sampler::Impl::prepare(std::span<const float> logits, std::span<const std::uint32_t> mask) {
  if (named > logits.size() && !logits.empty()) {
    return make_error(ErrorCode::kArgument, fmt::format("logit_bias, banned_token_ids or bad_words name token {}, past "
                                                        "the {} logits",
                                                        named - 1, logits.size()));
  }
  const double coin = parameters.xtc_probability > 0 ? sampling::uniform_unit(random, position, sampling::kCoin) : 1.0;
  return step.prepare(logits, mask, parameters, history, mus.back(), coin);
}

// What log-probabilities are relative to, and the most probable tokens.
Status Sampler::Impl::measure(std::span<const float> logits) {
  const sampling::Candidates& candidates = step.candidates();
  if (parameters.logprob || parameters.unconstrained || parameters.top_logprobs > 0) {
    if (const auto sum = step.model_sum()) {
      constrained.assign(candidates.max(), *sum);
    } else if (Status status = constrained.measure(candidates.raw()); !status) {
      return status;
    }
  }
  if (parameters.unconstrained) {
    if (Status status = unconstrained.measure(logits); !status) return status;
  }
  top.clear();
  if (parameters.top_logprobs == 0) return ok_status();
  const auto raw = candidates.raw();
  std::vector<std::uint32_t> order(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  const std::size_t n = std::min(parameters.top_logprobs, raw.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return raw[a] != raw[b] ? raw[a] > raw[b] : a < b; });
  for (std::size_t i = 0; i < n; ++i) {
    const double logprob = constrained.log_probability(raw[order[i]]);
    if (logprob == -std::numeric_limits<double>::infinity()) break;
    top.push_back({candidates.token(order[i]), logprob});
  }
  return ok_status();
}

Draw Sampler::Impl::report(std::size_t index) {
  const sampling::Candidates& candidates = step.candidates();
  Draw draw{candidates.token(index), kNotAsked, kNotAsked, kNotAsked, top};
  if (parameters.logprob) draw.logprob = constrained.log_probability(candidates.raw()[index]);
  if (parameters.unconstrained) {
    draw.unconstrained_logprob = unconstrained.log_probability(candidates.raw()[index]);
    draw.log_allowed_mass = constrained.log_sum() - unconstrained.log_sum();
  }
  if (remembers()) surprises.emplace_back(draw.token, step.surprise(index));
  return draw;
}

Result<Sampler> Sampler::create(const SamplingParameters& parameters) {
  if (Status status = check(parameters); !status) return status.error();
  return Sampler(std::make_unique<Impl>(parameters));
}

Sampler::Sampler(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;

Result<Draw> Sampler::draw(std::span<const float> logits, std::span<const std::uint32_t> mask) {
  Impl& self = *impl_;
  if (Status status = self.prepare(logits, mask); !status) return status.error();
  if (Status status = self.measure(logits); !status) return status.error();
  self.surprises.clear();
  const std::size_t index = self.step.greedy() ? self.step.items().front().index
                                               : self.step.draw(self.random, self.position, self.parameters.choice);
  ++self.position;
  return self.report(index);
}

Result<std::vector<Draw>> Sampler::draw_many(std::span<const float> logits, std::span<const std::uint32_t> mask,
                                             std::size_t n) {
  Impl& self = *impl_;
  if (Status status = self.prepare(logits, mask); !status) return status.error();
  if (Status status = self.measure(logits); !status) return status.error();
  self.surprises.clear();
  std::vector<Draw> draws;
  draws.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const RandomStream random(self.parameters.seed, self.parameters.stream + static_cast<std::uint32_t>(i));
    draws.push_back(self.report(self.step.draw(random, self.position, self.parameters.choice)));
  }
  ++self.position;
  return draws;
}

Result<Draw> Sampler::draw_wanted(std::span<const float> logits, std::span<const std::uint32_t> mask,
                                  const std::function<bool(TokenId)>& wanted) {
  Impl& self = *impl_;
  if (Status status = self.prepare(logits, mask); !status) return status.error();
  if (Status status = self.measure(logits); !status) return status.error();
  self.surprises.clear();
  auto index = self.step.draw_wanted(self.random, self.position, self.parameters.choice, wanted);
  if (!index) {
    // Nothing that was kept is wanted: the filters choose anew, among what is.
    const sampling::Candidates& candidates = self.step.candidates();
    std::vector<std::uint32_t> only((logits.size() + 31) / 32);
    bool any = false;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const TokenId token = candidates.token(i);
      if (candidates.logits()[i] == -std::numeric_limits<float>::infinity() || !wanted(token)) continue;
      set_bit(only, token);
      any = true;
    }
    if (!any)
      return make_error(ErrorCode::kInvalid, "none of the allowed tokens is wanted, so there is nothing to draw");
    if (Status status = self.prepare(logits, only); !status) return status.error();
    index = self.step.draw(self.random, self.position, self.parameters.choice, kAnew);
  }
  ++self.position;
  return self.report(*index);
}

Result<Distribution> Sampler::distribution(std::span<const float> logits, std::span<const std::uint32_t> mask) {
  Impl& self = *impl_;
  if (Status status = self.prepare(logits, mask); !status) return status.error();
  const auto items = self.step.items();
  double sum = 0;
  for (const sampling::Item& item : items) sum += item.weight;
  Distribution distribution;
  distribution.reserve(items.size());
  for (const sampling::Item& item : items) {
    distribution.push_back({self.step.candidates().token(item.index), item.weight / sum});
  }
  return distribution;
}

void Sampler::set_prompt(std::span<const TokenId> prompt) {
  impl_->history.set_prompt(prompt);
  impl_->mus.resize(1);
  impl_->surprises.clear();
}

void Sampler::accept(TokenId token) {
  Impl& self = *impl_;
  self.history.push(token);
  if (!self.remembers()) return;
  double mu = self.mus.back();
  const auto drawn = std::find_if(self.surprises.begin(), self.surprises.end(),
                                  [&](const auto& surprise) { return surprise.first == token; });
  if (drawn != self.surprises.end()) {
    mu = mirostat_next(mu, drawn->second, self.parameters.mirostat_tau, self.parameters.mirostat_eta);
  }
  self.surprises.clear();
  self.mus.push_back(mu);
}

void Sampler::rewind(std::size_t length) {
  impl_->history.cut(length);
  if (impl_->remembers()) impl_->mus.resize(length + 1);
  impl_->surprises.clear();
}

std::size_t Sampler::accepted() const noexcept { return impl_->history.accepted(); }
double Sampler::mirostat_mu() const noexcept { return impl_->mus.back(); }
const SamplingParameters& Sampler::parameters() const noexcept { return impl_->parameters; }
std::uint64_t Sampler::position() const noexcept { return impl_->position; }
void Sampler::seek(std::uint64_t position) noexcept { impl_->position = position; }

}  // namespace weir
