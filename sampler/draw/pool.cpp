#include "draw/pool.hpp"

#include <algorithm>
#include <cmath>

#include "math/exp_step.hpp"
#include "math/portable_math.hpp"

namespace weir::sampling {

void Pool::assign(const Candidates& candidates, double temperature) {
  items_.clear();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const double key = candidates.logits()[i];
    if (!std::isinf(key)) items_.push_back({key, 1, static_cast<std::uint32_t>(i)});
  }
  std::sort(items_.begin(), items_.end(), before);
  logits_ = true;
  heat(temperature);
}

void Pool::assign(std::span<const Item> items, double max, double temperature) {
  items_.assign(items.begin(), items.end());
  std::sort(items_.begin(), items_.end(), before);
  logits_ = true;
  max_ = max;
  scale_ = scale_of(temperature);
}

void Pool::assign_probabilities(std::span<const double> probabilities) {
  items_.clear();
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    // A sum of 1 within 1e-6 may have a term just above 1; weights are at most 1.
    const double p = std::min(probabilities[i], 1.0);
    if (p > 0) items_.push_back({p, p, static_cast<std::uint32_t>(i)});
  }
  std::sort(items_.begin(), items_.end(), before);
  logits_ = false;
}

std::span<const Item> Pool::by_index() {
  ascending_.clear();
  for (const Item& item : items_) {
    if (item.weight > 0) ascending_.push_back(item);
  }
  std::sort(ascending_.begin(), ascending_.end(), [](const Item& a, const Item& b) { return a.index < b.index; });
  return ascending_;
}

double Pool::surprise(const Item& item) const noexcept {
  if (logits_) return std::min(-kSmallest, -((item.key - max_) * scale_));
  return item.weight < 1e-300 ? -kSmallest : -portable_log(item.weight);
}

Sums Pool::sums() const noexcept {
  Sums sums;
  for (const Item& item : items_) {
    sums.weight += fixed(item.weight);
    sums.surprise += fixed(item.weight * surprise(item));
  }
  return sums;
}

double Pool::sigma() const noexcept {
  Spread spread;
  for (const Item& item : items_) spread.widen(item.key);
  for (const Item& item : items_) spread.add(item.key);
  return spread.sigma();
}

void Pool::heat(double temperature) {
  max_ = items_.front().key;
  scale_ = scale_of(temperature);
  for (Item& item : items_) item.weight = exp_step((item.key - max_) * scale_);
}

void Pool::rescale() {
  if (!logits_ || items_.front().key == max_) return;
  max_ = items_.front().key;
  for (Item& item : items_) item.weight = exp_step((item.key - max_) * scale_);
}

void Pool::keep(const Filters& filters) {
  const Sums all = sums();
  const std::uint64_t least = least_weight(filters, items_.front().weight, all);
  const double least_key = items_.front().key - filters.n_sigma * (filters.n_sigma > 0 ? sigma() : 0.0);
  const double kth =
      filters.top_k > 0 && filters.top_k < items_.size() ? items_[filters.top_k - 1].key : items_.back().key;
  const Uint128 needed = filters.top_p < 1 ? needed_sum(filters.top_p, all.weight) : all.weight + 1;
  Uint128 sum = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    const bool keep =
        i < filters.min_keep || (item.key >= kth && (filters.exact_k == 0 || i < filters.exact_k) && sum < needed &&
                                 fixed(item.weight) >= least && (filters.n_sigma == 0 || item.key >= least_key));
    sum += fixed(item.weight);
    if (keep && item.weight > 0) items_[kept++] = item;
  }
  items_.resize(kept);
}

void Pool::keep_typical(double tau, std::size_t min_keep) {
  if (tau >= 1) return;
  const Sums all = sums();
  const double mean = from_fixed(all.surprise) / from_fixed(all.weight);
  struct Ranked {
    double deviation;
    Item item;
  };
  std::vector<Ranked> ranked;
  for (const Item& item : items_) {
    if (item.weight > 0) ranked.push_back({std::abs(surprise(item) - mean), item});
  }
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return a.deviation != b.deviation ? a.deviation < b.deviation : before(a.item, b.item);
  });
  const Uint128 needed = needed_sum(tau, all.weight);
  Uint128 sum = 0;
  items_.clear();
  for (std::size_t i = 0; i < ranked.size() && (sum < needed || i < min_keep); ++i) {
    sum += fixed(ranked[i].item.weight);
    items_.push_back(ranked[i].item);
  }
  std::sort(items_.begin(), items_.end(), before);
  rescale();
}

void Pool::drop_top_choices(double threshold, std::size_t min_keep) {
  const auto least = std::max<Uint128>(1, fraction_of(sums().weight, threshold * (1 - kRounding)));
  std::size_t tops = 0;
  while (tops < items_.size() && fixed(items_[tops].weight) >= least) ++tops;
  const std::size_t spare = items_.size() > min_keep ? items_.size() - min_keep : 0;
  const std::size_t dropped = std::min(tops > 0 ? tops - 1 : 0, spare);
  items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(dropped));
  rescale();
}

}  // namespace weir::sampling
