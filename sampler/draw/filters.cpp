#include "draw/filters.hpp"

#include <algorithm>
#include <cmath>

#include "math/portable_math.hpp"

namespace weir::sampling {

std::uint64_t least_weight(const Filters& filters, double greatest, const Sums& sums) noexcept {
  std::uint64_t least = 0;
  const auto raise = [&](Uint128 to) { least = std::max(least, std::max<std::uint64_t>(1, to)); };
  const auto raise_to_probability = [&](double p) {
    raise(fraction_of(sums.weight, std::min(1.0, p) * (1 - kRounding)));
  };
  if (filters.min_p > 0) raise(fixed(filters.min_p * greatest * (1 - kRounding)));
  if (filters.epsilon > 0) raise_to_probability(filters.epsilon);
  if (filters.eta > 0) {
    raise_to_probability(std::min(filters.eta, std::sqrt(filters.eta) * portable_exp(-sums.entropy())));
  }
  if (filters.least_probability > 0) raise_to_probability(filters.least_probability);
  // The greatest stays even where it is below epsilon. Sums may exceed 1, weights do not.
  return std::min(least, fixed(greatest));
}

void Spread::widen(double key) noexcept {
  if (!std::isfinite(key)) return;
  min_ = std::min(min_, key);
  max_ = std::max(max_, key);
}

void Spread::add(double key) noexcept {
  if (!std::isfinite(key)) return;
  ++count_;
  if (max_ == min_) return;
  const double share = (max_ - key) / (max_ - min_);
  sum_ += fixed(share);
  squares_ += fixed(share * share);
}

double Spread::sigma() const noexcept {
  if (count_ == 0 || max_ == min_) return 0;
  const auto count = static_cast<double>(count_);
  const double mean = from_fixed(sum_) / count;
  return (max_ - min_) * std::sqrt(std::max(0.0, from_fixed(squares_) / count - mean * mean));
}

}  // namespace weir::sampling
