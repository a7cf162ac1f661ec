#include "draw/selector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/portable_math.hpp"

namespace weir::sampling {
namespace {

constexpr float kNone = -std::numeric_limits<float>::infinity();
constexpr std::size_t kFew = 4096;  // candidates for which no bound is worth finding

// The least float that no logit with exp((l - max) / T) >= weight is below. The margin covers what rounding, and the
// exponential's own error, may add.
float floor_of(double weight, float max, double temperature) noexcept {
  const double bound = static_cast<double>(max) + temperature * (portable_log(weight) * (1 + 1e-9) - 1e-9);
  if (!(bound >= -std::numeric_limits<float>::max())) return kNone;
  const auto floor = static_cast<float>(bound);
  return std::nextafterf(std::nextafterf(floor, kNone), kNone);
}

}  // namespace

// A logit that at least k candidates reach, or -infinity: the k-th greatest of the maxima of disjoint blocks.
float Selector::logit_floor(const Candidates& candidates, std::size_t k) {
  const auto maxima = candidates.block_maxima();
  if (k == 0 || k > maxima.size()) return kNone;
  maxima_.assign(maxima.begin(), maxima.end());
  const auto kth = maxima_.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(maxima_.begin(), kth, maxima_.end(), std::greater<>());
  return *kth;
}

void Selector::collect(const Candidates& candidates, double temperature, float floor) {
  const auto logits = candidates.logits();
  indices_.resize(logits.size() + kBlock);
  const std::size_t count =
      at_least(logits.data(), logits.size(), candidates.block_maxima().data(), floor, indices_.data());
  logits_.resize(count);
  weights_.resize(count);
  for (std::size_t i = 0; i < count; ++i) logits_[i] = logits[indices_[i]];
  exponentials(logits_.data(), count, {candidates.max(), scale_of(temperature)}, weights_.data());
  items_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    if (weights_[i] > 0) items_.push_back({static_cast<double>(logits_[i]), weights_[i], indices_[i]});
  }
}

// Where the sum of all weights lies. Most cuts are decided by a sum that is known to four digits, which is much cheaper
// than the exact one.
Selector::Interval Selector::sum_between(Candidates& candidates, double temperature) {
  const double scale = scale_of(temperature);
  if (candidates.size() <= kFew || scale > kMostScale || scale < kLeastScale) {
    const Uint128 sum = candidates.sums(temperature, false).weight;
    return {sum, sum};
  }
  const double sum = approximate_sum(candidates.logits().data(), candidates.size(), {candidates.max(), scale});
  // In units of 2^-62 beyond 64 bits: 2^-30 is fine enough.
  const auto units = [](double value) { return static_cast<Uint128>(value * 0x1p30) << 32U; };
  return {units(sum * (1 - kApproximate)), units(sum * (1 + kApproximate))};
}

void Selector::cut_top_k(std::size_t k, bool ties) {
  if (k == 0 || k >= candidates_.size()) return;
  const auto kth = candidates_.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(candidates_.begin(), kth, candidates_.end(), before);
  auto end = kth + 1;
  if (ties) {
    const double cutoff = kth->key;
    end = std::partition(end, candidates_.end(), [&](const Item& item) { return item.key >= cutoff; });
  }
  candidates_.erase(end, candidates_.end());
}

// How many of the candidates, in descending order, it takes to reach the sum; all if they do not. Those come first.
std::size_t Selector::top_p_length(Uint128 needed) {
  // Halving: everything before `low` is kept, everything from `high` on is not; linear in total.
  std::size_t low = 0;
  std::size_t high = candidates_.size();
  const auto at = [&](std::size_t i) { return candidates_.begin() + static_cast<std::ptrdiff_t>(i); };
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    std::nth_element(at(low), at(middle), at(high), before);
    Uint128 upper = 0;
    for (std::size_t i = low; i < middle; ++i) upper += fixed(candidates_[i].weight);
    if (upper >= needed) {
      high = middle;
    } else {
      needed -= upper;
      low = middle;
    }
  }
  return high;
}

void Selector::cut_top_p(Candidates& candidates, double temperature, double top_p, Interval sum) {
  candidates_.resize(top_p_length(needed_sum(top_p, sum.high)));
  if (sum.low == sum.high) return;
  const std::size_t fewest = top_p_length(needed_sum(top_p, sum.low));
  if (fewest == candidates_.size()) return;
  candidates_.resize(top_p_length(needed_sum(top_p, candidates.sums(temperature, false).weight)));
}

std::span<const Item> Selector::select(Candidates& candidates, double temperature, const Filters& filters) {
  const std::size_t size = candidates.size();
  const bool few = size <= kFew;
  Sums sums;
  if (filters.needs_sum()) sums = candidates.sums(temperature, filters.eta > 0);
  const std::uint64_t least = least_weight(filters, 1.0, sums);
  double least_key = -std::numeric_limits<double>::infinity();
  if (filters.n_sigma > 0) {
    Spread spread;
    for (const float logit : candidates.logits()) spread.widen(static_cast<double>(logit));
    for (const float logit : candidates.logits()) spread.add(static_cast<double>(logit));
    least_key = static_cast<double>(candidates.max()) - filters.n_sigma * spread.sigma();
  }
  Interval sum;
  if (filters.top_p < 1) {
    sum = filters.needs_sum() ? Interval{sums.weight, sums.weight} : sum_between(candidates, temperature);
  }
  float floor = kNone;
  if (!few) {
    floor = std::max(logit_floor(candidates, filters.top_k), logit_floor(candidates, filters.exact_k));
    if (least > 0)
      floor = std::max(floor, floor_of(static_cast<double>(least) * 0x1p-62, candidates.max(), temperature));
    if (filters.top_p < 1) {
      // All weights up to w sum to at most n w: below (1 - top_p) of the sum, the rest reaches the threshold.
      const double rest = (1 - filters.top_p) * from_fixed(sum.low) * (1 - 1e-6) / static_cast<double>(size);
      if (rest > 1e-290) floor = std::max(floor, floor_of(std::min(rest, 1.0), candidates.max(), temperature));
    }
    if (filters.min_keep > 1) floor = std::min(floor, logit_floor(candidates, filters.min_keep));
  }
  collect(candidates, temperature, floor);

  candidates_.assign(items_.begin(), items_.end());
  Item must{std::numeric_limits<double>::infinity(), 1, 0};  // the last of those that min_keep names
  if (filters.min_keep > 1 && !items_.empty()) {
    const auto nth = candidates_.begin() + static_cast<std::ptrdiff_t>(std::min(filters.min_keep, items_.size()) - 1);
    std::nth_element(candidates_.begin(), nth, candidates_.end(), before);
    must = *nth;
  }
  cut_top_k(filters.top_k, /*ties=*/true);
  cut_top_k(filters.exact_k, /*ties=*/false);
  if (filters.top_p < 1) cut_top_p(candidates, temperature, filters.top_p, sum);
  // The last one kept, in descending order, is where the cut is; a pass in ascending index finds what is before it.
  const Item last = *std::max_element(candidates_.begin(), candidates_.end(), before);
  std::erase_if(items_, [&](const Item& item) {
    const bool kept = !before(last, item) && fixed(item.weight) >= least && item.key >= least_key;
    return !kept && before(must, item);
  });
  return items_;
}

std::span<const Item> Selector::greatest(const Candidates& candidates, double temperature, std::size_t k) {
  collect(candidates, temperature, candidates.size() <= kFew ? kNone : logit_floor(candidates, k));
  candidates_.assign(items_.begin(), items_.end());
  cut_top_k(k, /*ties=*/false);
  std::sort(candidates_.begin(), candidates_.end(), before);
  return candidates_;
}

}  // namespace weir::sampling
