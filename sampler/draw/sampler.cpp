#include "weir/sampler/sampler.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "draw/weights.hpp"
#include "weir/sampler/random.hpp"

namespace weir {

using sampling::fixed;
using sampling::Item;
using sampling::Selector;
using sampling::Uint128;
using sampling::Weights;

struct Sampler::Impl {
  explicit Impl(const SamplerOptions& given)
      : options(given), truncation{given.top_k, given.top_p, given.min_p}, random(given.seed, given.stream) {}

  bool greedy() const noexcept { return options.temperature == 0; }
  bool truncates() const noexcept {
    return truncation.top_p < 1 || truncation.min_p > 0 || (truncation.top_k > 0 && truncation.top_k < weights.size());
  }

  std::size_t draw_from(std::span<const Item> items);
  std::size_t draw_from_all();

  SamplerOptions options;
  Truncation truncation;
  RandomStream random;
  std::uint64_t position = 0;
  Weights weights;
  Selector selector;
};

std::size_t Sampler::Impl::draw_from(std::span<const Item> items) {
  Uint128 sum = 0;
  for (const Item& item : items) sum += fixed(item.weight);
  Uint128 left = sampling::uniform_below(random, position, sum);
  for (const Item& item : items) {
    const std::uint64_t weight = fixed(item.weight);
    if (left < weight) return item.index;
    left -= weight;
  }
  return items.back().index;  // not reached: `left` began below the sum
}

std::size_t Sampler::Impl::draw_from_all() {
  // Whole blocks are skipped by their sums, 64-bit ones: 2 weights of up to 2^62 fit twice over.
  const auto values = weights.weights();
  Uint128 left = sampling::uniform_below(random, position, weights.sum());
  std::size_t i = 0;
  for (; i + 2 <= values.size(); i += 2) {
    const std::uint64_t pair = fixed(values[i]) + fixed(values[i + 1]);
    if (left < pair) break;
    left -= pair;
  }
  for (; i + 1 < values.size(); ++i) {
    const std::uint64_t weight = fixed(values[i]);
    if (left < weight) break;
    left -= weight;
  }
  return i;
}

Result<Sampler> Sampler::create(const SamplerOptions& options) {
  if (!(options.temperature >= 0) || !std::isfinite(options.temperature)) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("temperature is {}; it must be finite and not negative", options.temperature));
  }
  if (Status status = check(Truncation{options.top_k, options.top_p, options.min_p}); !status) return status.error();
  return Sampler(std::make_unique<Impl>(options));
}

Sampler::Sampler(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;

Result<Draw> Sampler::draw(std::span<const float> logits, std::span<const std::uint32_t> mask) {
  Impl& self = *impl_;
  Weights& weights = self.weights;
  if (Status status = weights.gather(logits, mask); !status) return status.error();
  std::size_t chosen = 0;
  if (self.greedy()) {
    chosen = weights.greatest();
  } else {
    weights.exponentiate(self.options.temperature);
    chosen = self.truncates()
                 ? self.draw_from(self.selector.select(weights.weights(), 1.0, weights.sum(), self.truncation))
                 : self.draw_from_all();
  }
  Draw draw{weights.token(chosen), std::numeric_limits<double>::quiet_NaN()};
  if (self.options.logprob) {
    if (self.options.temperature != 1) weights.exponentiate(1.0);
    draw.logprob = weights.log_probability(chosen);
  }
  ++self.position;
  return draw;
}

Result<Distribution> Sampler::distribution(std::span<const float> logits, std::span<const std::uint32_t> mask) {
  Impl& self = *impl_;
  Weights& weights = self.weights;
  if (Status status = weights.gather(logits, mask); !status) return status.error();
  if (self.greedy()) return Distribution{{weights.token(weights.greatest()), 1.0}};
  weights.exponentiate(self.options.temperature);
  const auto items = self.selector.select(weights.weights(), 1.0, weights.sum(), self.truncation);
  double sum = 0;
  for (const Item& item : items) sum += item.weight;
  Distribution distribution;
  distribution.reserve(items.size());
  for (const Item& item : items) distribution.push_back({weights.token(item.index), item.weight / sum});
  return distribution;
}

const SamplerOptions& Sampler::options() const noexcept { return impl_->options; }
std::uint64_t Sampler::position() const noexcept { return impl_->position; }
void Sampler::seek(std::uint64_t position) noexcept { impl_->position = position; }

}  // namespace weir
