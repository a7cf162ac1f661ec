#include "draw/step.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "adjust/probabilities.hpp"
#include "math/portable_math.hpp"
#include "weir/automata/mask.hpp"
#include "weir/sampler/filters.hpp"

namespace weir::sampling {
namespace {

Filters filters_of(const SamplingParameters& p) {
  Filters filters;
  (p.exact_top_k ? filters.exact_k : filters.top_k) = p.top_k;
  filters.top_p = p.top_p;
  filters.min_p = p.min_p;
  filters.epsilon = p.epsilon_cutoff;
  filters.eta = p.eta_cutoff;
  filters.n_sigma = p.top_n_sigma;
  filters.min_keep = p.min_keep;
  return filters;
}

// Just the one filter that a stage of the caller's order stands for.
Filters filters_of(Stage stage, const SamplingParameters& p) {
  const Filters all = filters_of(p);
  Filters one;
  one.min_keep = all.min_keep;
  switch (stage) {
    case Stage::kTopK:
      one.top_k = all.top_k;
      one.exact_k = all.exact_k;
      break;
    case Stage::kTopP: one.top_p = all.top_p; break;
    case Stage::kMinP: one.min_p = all.min_p; break;
    case Stage::kEpsilon: one.epsilon = all.epsilon; break;
    case Stage::kEta: one.eta = all.eta; break;
    case Stage::kTopNSigma: one.n_sigma = all.n_sigma; break;
    case Stage::kTemperature:
    case Stage::kTypical:
    case Stage::kXtc: break;
  }
  return one;
}

double heated(const Sums& sums, std::size_t count, const SamplingParameters& p) {
  return dynamic_temperature(sums.entropy(), count, p.temperature, p.dynatemp_range, p.dynatemp_exponent);
}

}  // namespace

Status Step::gather(std::span<const float> logits, std::span<const std::uint32_t> mask, const SamplingParameters& p) {
  if (p.allowed_token_ids.empty()) return candidates_.gather(logits, mask);
  mask_.assign((logits.size() + 31) / 32, 0);
  for (const TokenId token : p.allowed_token_ids) {
    if (token >= logits.size()) {
      return make_error(ErrorCode::kArgument,
                        fmt::format("allowed_token_ids has token {}, past the {} logits", token, logits.size()));
    }
    if (mask.empty() || (token / 32 < mask.size() && test_bit(mask, token))) {
      set_bit(mask_, token);
    }
  }
  return candidates_.gather(logits, mask_);
}

const Sums& Step::sums() {
  if (!summed_) sums_ = candidates_.sums(temperature_, false);
  summed_ = true;
  return sums_;
}

void Step::find_temperature(const SamplingParameters& p) {
  temperature_ = p.temperature;
  if (p.dynatemp_range == 0 || !p.order.empty()) return;
  temperature_ = heated(candidates_.sums(1.0, true), candidates_.allowed(), p);
}

Status Step::prepare(std::span<const float> logits, std::span<const std::uint32_t> mask, const SamplingParameters& p,
                     History& history, double mu, double coin) {
  if (Status status = gather(logits, mask, p); !status) return status;
  if (Status status = history.apply(candidates_, p); !status) return status;
  if (Status status = candidates_.find_maximum(); !status) return status;
  items_.clear();
  summed_ = false;
  everything_ = false;
  greedy_ = p.temperature == 0;
  if (!greedy_) find_temperature(p);
  // A dynamic temperature may reach 0, too.
  greedy_ = greedy_ || temperature_ == 0;
  if (greedy_) {
    const auto index = static_cast<std::uint32_t>(candidates_.greatest());
    items_.push_back({static_cast<double>(candidates_.max()), 1.0, index});
    return ok_status();
  }
  const bool xtc = p.xtc_probability > 0 && coin < p.xtc_probability;
  p.order.empty() ? filter(p, mu, xtc) : follow_order(p, xtc);
  return ok_status();
}

void Step::filter(const SamplingParameters& p, double mu, bool xtc) {
  Filters filters = filters_of(p);
  if (p.mirostat_mode == 1) {
    std::vector<double> greatest;
    for (const Item& item : selector_.greatest(candidates_, temperature_, 100)) greatest.push_back(item.weight);
    const std::size_t k = mirostat_k(greatest, candidates_.allowed(), mu);
    filters.exact_k = filters.exact_k == 0 ? k : std::min(filters.exact_k, k);
  } else if (p.mirostat_mode == 2) {
    filters.least_probability = least_for_surprise(mu);
  }
  const bool more = p.typical_p < 1 || xtc;
  everything_ = !more && !filters.cuts(candidates_.size());
  if (everything_) return;
  const auto kept = selector_.select(candidates_, temperature_, filters);
  if (!more) {
    items_.assign(kept.begin(), kept.end());
    return;
  }
  pool_.assign(kept, static_cast<double>(candidates_.max()), temperature_);
  pool_.keep_typical(p.typical_p, p.min_keep);
  if (xtc) pool_.drop_top_choices(p.xtc_threshold, p.min_keep);
  const auto left = pool_.by_index();
  items_.assign(left.begin(), left.end());
}

void Step::follow_order(const SamplingParameters& p, bool xtc) {
  temperature_ = 1;
  pool_.assign(candidates_, temperature_);
  for (const Stage stage : p.order) {
    switch (stage) {
      case Stage::kTemperature:
        temperature_ = p.dynatemp_range == 0 ? p.temperature : heated(pool_.sums(), pool_.items().size(), p);
        if (temperature_ > 0) {
          pool_.heat(temperature_);
        } else {
          temperature_ = 1;
          pool_.keep({.exact_k = 1});
        }
        break;
      case Stage::kTypical: pool_.keep_typical(p.typical_p, p.min_keep); break;
      case Stage::kXtc:
        if (xtc) pool_.drop_top_choices(p.xtc_threshold, p.min_keep);
        break;
      default: pool_.keep(filters_of(stage, p));
    }
  }
  const auto left = pool_.by_index();
  items_.assign(left.begin(), left.end());
}

std::span<const Item> Step::items() {
  if (everything_ && items_.empty()) {
    const auto all = selector_.select(candidates_, temperature_, {});
    items_.assign(all.begin(), all.end());
  }
  return items_;
}

std::size_t Step::draw_item(std::span<const Item> items, const RandomStream& random, std::uint64_t position,
                            std::uint32_t round) const {
  Uint128 sum = 0;
  for (const Item& item : items) sum += fixed(item.weight);
  if (sum == 0) return items.front().index;  // all of them rarer than can be told apart
  Uint128 left = uniform_below(random, position, sum, round);
  for (const Item& item : items) {
    const std::uint64_t weight = fixed(item.weight);
    if (left < weight) return item.index;
    left -= weight;
  }
  return items.back().index;  // not reached: `left` began below the sum
}

std::size_t Step::draw_gumbel(std::span<const Item> items, const RandomStream& random, std::uint64_t position) const {
  std::size_t best = items.front().index;
  double most = -std::numeric_limits<double>::infinity();
  for (const Item& item : items) {
    const double value = portable_log(item.weight) + standard_gumbel(random, position, candidates_.token(item.index));
    if (value > most) {
      best = item.index;
      most = value;
    }
  }
  return best;
}

std::size_t Step::draw(const RandomStream& random, std::uint64_t position, Choice choice, std::uint32_t round) {
  if (greedy_) return items_.front().index;
  if (choice == Choice::kGumbel) return draw_gumbel(items(), random, position);
  if (everything_) return candidates_.at(uniform_below(random, position, sums().weight, round), temperature_);
  return draw_item(items_, random, position, round);
}

std::optional<std::size_t> Step::draw_wanted(const RandomStream& random, std::uint64_t position, Choice choice,
                                             const std::function<bool(TokenId)>& wanted) {
  // Drawing again until a wanted token comes is drawing from the wanted ones.
  constexpr std::uint32_t kRounds = 16;
  const std::uint32_t rounds = greedy_ || choice == Choice::kGumbel ? 1 : kRounds;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::size_t index = draw(random, position, choice, round);
    if (wanted(candidates_.token(index))) return index;
  }
  if (greedy_) return std::nullopt;
  std::vector<Item> left;
  for (const Item& item : items()) {
    if (wanted(candidates_.token(item.index))) left.push_back(item);
  }
  if (left.empty()) return std::nullopt;
  return choice == Choice::kGumbel ? draw_gumbel(left, random, position) : draw_item(left, random, position, kRounds);
}

std::optional<Uint128> Step::model_sum() {
  if (greedy_ || temperature_ != 1 || candidates_.edited()) return std::nullopt;
  return sums().weight;
}

double Step::surprise(std::size_t index) {
  const double sum = from_fixed(candidates_.sums(temperature_, false).weight);
  const double x = (static_cast<double>(candidates_.logits()[index]) - static_cast<double>(candidates_.max())) *
                   scale_of(temperature_);
  return (portable_log(sum) - x) / kLn2;
}

}  // namespace weir::sampling
