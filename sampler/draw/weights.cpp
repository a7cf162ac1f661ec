#include "draw/weights.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "math/portable_math.hpp"

namespace weir::sampling {
namespace {

constexpr std::size_t kLanes = 8;

struct Extremes {
  float max = -std::numeric_limits<float>::infinity();
  bool finite = true;  // no NaN and no +inf
};

// Lanes, because a single running maximum of floats does not vectorise.
Extremes extremes(std::span<const float> values) noexcept {
  std::array<float, kLanes> max;
  max.fill(-std::numeric_limits<float>::infinity());
  std::array<std::uint32_t, kLanes> bad{};
  const std::size_t whole = values.size() - values.size() % kLanes;
  constexpr float kMost = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float value = values[i + lane];
      max[lane] = value > max[lane] ? value : max[lane];
      bad[lane] |= value <= kMost ? 0U : 1U;
    }
  }
  Extremes result;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    result.max = std::max(result.max, max[lane]);
    result.finite = result.finite && bad[lane] == 0;
  }
  for (std::size_t i = whole; i < values.size(); ++i) {
    result.max = values[i] > result.max ? values[i] : result.max;
    result.finite = result.finite && values[i] <= kMost;
  }
  return result;
}

bool before(const Item& a, const Item& b) noexcept {
  return a.weight != b.weight ? a.weight > b.weight : a.index < b.index;
}

Uint128 sum_of(std::span<const Item> items) noexcept {
  Uint128 sum = 0;
  for (const Item& item : items) sum += fixed(item.weight);
  return sum;
}

// A weight that at least k of the weights reach, or 0: the k-th greatest of the maxima of disjoint blocks.
double top_k_floor(std::span<const double> weights, std::size_t k, std::vector<double>& maxima) {
  constexpr std::size_t kBlock = 64;
  const std::size_t blocks = weights.size() / kBlock;
  if (k == 0 || k > blocks) return 0;
  maxima.clear();
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto part = weights.subspan(block * kBlock, kBlock);
    std::array<double, kLanes> max{};
    for (std::size_t i = 0; i < kBlock; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        max[lane] = part[i + lane] > max[lane] ? part[i + lane] : max[lane];
    }
    maxima.push_back(*std::max_element(max.begin(), max.end()));
  }
  const auto kth = maxima.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(maxima.begin(), kth, maxima.end(), std::greater<>());
  return *kth;
}

// The least sum that counts as reaching `threshold` of `sum`.
Uint128 needed_sum(double threshold, Uint128 sum) noexcept {
  const double fraction = threshold - kRounding;
  if (fraction <= 0) return 1;
  // fraction * 2^62 * sum / 2^62, in halves so that nothing overflows: sum < 2^94.
  const Uint128 scale = fixed(fraction);
  const Uint128 high = (sum >> 32U) * scale;
  const Uint128 low = (sum & 0xFFFFFFFFU) * scale;
  return std::max<Uint128>(1, (high >> 30U) + (low >> 62U));
}

}  // namespace

double from_fixed(Uint128 sum) noexcept { return static_cast<double>(sum) * 0x1p-62; }

Uint128 fixed_sum(std::span<const double> weights) noexcept {
  // Two 64-bit sums of the halves vectorise; neither can overflow below 2^32 weights.
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  for (const double weight : weights) {
    const std::uint64_t value = fixed(weight);
    high += value >> 32U;
    low += value & 0xFFFFFFFFU;
  }
  return (static_cast<Uint128>(high) << 32U) + low;
}

std::span<const Item> Selector::select(std::span<const double> weights, double max, Uint128 sum,
                                       const Truncation& truncation) {
  const bool top_p = truncation.top_p < 1.0;
  // What cannot be in the intersection is left out before anything is sorted. Each bound is on the safe side.
  double floor = truncation.min_p > 0 ? truncation.min_p * max * (1.0 - kRounding) : 0.0;
  if (truncation.top_k < weights.size()) floor = std::max(floor, top_k_floor(weights, truncation.top_k, maxima_));
  if (top_p) {
    // All weights up to w sum to at most n w: below (1 - threshold) of the sum, the rest reaches the threshold.
    const double rest = (1.0 - truncation.top_p) * from_fixed(sum) * (1.0 - 1e-6);
    floor = std::max(floor, std::min(rest / static_cast<double>(weights.size()), max));
  }
  items_.clear();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] >= floor && weights[i] > 0) items_.push_back({weights[i], static_cast<std::uint32_t>(i)});
  }
  const bool top_k = truncation.top_k > 0 && truncation.top_k < items_.size();
  if (!top_k && !top_p) return items_;

  candidates_.assign(items_.begin(), items_.end());
  if (top_k) cut_top_k(truncation.top_k);
  if (top_p) cut_top_p(needed_sum(truncation.top_p, sum));
  // The last one kept, in descending order, is where the cut is; a pass in ascending index finds what is before it.
  const Item last = *std::max_element(candidates_.begin(), candidates_.end(), before);
  std::erase_if(items_, [&](const Item& item) { return before(last, item); });
  return items_;
}

void Selector::cut_top_k(std::size_t k) {
  const auto kth = candidates_.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(candidates_.begin(), kth, candidates_.end(), before);
  const double cutoff = kth->weight;
  candidates_.erase(
      std::partition(candidates_.begin(), candidates_.end(), [&](const Item& item) { return item.weight >= cutoff; }),
      candidates_.end());
}

void Selector::cut_top_p(Uint128 needed) {
  // Halving: everything before `low` is kept, everything from `high` on is not; linear in total.
  std::size_t low = 0;
  std::size_t high = candidates_.size();
  const auto at = [&](std::size_t i) { return candidates_.begin() + static_cast<std::ptrdiff_t>(i); };
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    std::nth_element(at(low), at(middle), at(high), before);
    const Uint128 upper = sum_of(std::span<const Item>(candidates_).subspan(low, middle - low));
    if (upper >= needed) {
      high = middle;
    } else {
      needed -= upper;
      low = middle;
    }
  }
  candidates_.resize(high);
}

Status Weights::gather(std::span<const float> logits, std::span<const std::uint32_t> mask) {
  if (logits.empty()) return make_error(ErrorCode::kArgument, "there are no logits: pass one for each token");
  if (logits.size() > std::numeric_limits<std::uint32_t>::max()) {
    return make_error(ErrorCode::kArgument, "more than 2^32 - 1 logits");
  }
  dense_ = mask.empty();
  if (dense_) {
    logits_ = logits;
    return find_maximum();
  }
  const std::size_t words = (logits.size() + 31) / 32;
  if (mask.size() < words) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("the mask has {} words; {} logits need {}", mask.size(), logits.size(), words));
  }
  tokens_.clear();
  storage_.clear();
  for (std::size_t word = 0; word < words; ++word) {
    for (std::uint32_t bits = mask[word]; bits != 0; bits &= bits - 1) {
      const auto token = static_cast<TokenId>(word * 32 + static_cast<std::size_t>(std::countr_zero(bits)));
      if (token >= logits.size()) break;  // reported below
      tokens_.push_back(token);
      storage_.push_back(logits[token]);
    }
  }
  const std::uint32_t past = logits.size() % 32 == 0 ? 0 : mask[words - 1] >> (logits.size() % 32);
  if (past != 0 || std::any_of(mask.begin() + static_cast<std::ptrdiff_t>(words), mask.end(),
                               [](std::uint32_t bits) { return bits != 0; })) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("the mask allows tokens past the {} logits: the model and the mask have different "
                                  "vocabularies",
                                  logits.size()));
  }
  logits_ = storage_;
  if (logits_.empty()) return make_error(ErrorCode::kInvalid, "the mask allows no token, so there is nothing to draw");
  return find_maximum();
}

Status Weights::find_maximum() {
  const Extremes found = extremes(logits_);
  if (!found.finite) {
    const auto bad = std::find_if(logits_.begin(), logits_.end(),
                                  [](float value) { return !(value <= std::numeric_limits<float>::max()); });
    return make_error(ErrorCode::kInvalid, fmt::format("the logit of token {} is {}; logits must be finite or -inf",
                                                       token(static_cast<std::size_t>(bad - logits_.begin())),
                                                       std::isnan(*bad) ? "NaN" : "+inf"));
  }
  if (std::isinf(found.max)) {
    return make_error(ErrorCode::kInvalid, "the logits of all allowed tokens are -inf, so none of them can be drawn");
  }
  max_ = found.max;
  return ok_status();
}

std::size_t Weights::greatest() const noexcept {
  return static_cast<std::size_t>(std::find(logits_.begin(), logits_.end(), max_) - logits_.begin());
}

void Weights::exponentiate(double temperature) {
  // A reciprocal that overflows still separates the greatest logit from the rest.
  const double scale = std::min(1.0 / temperature, std::numeric_limits<double>::max());
  weights_.resize(logits_.size());
  exponentials(logits_, max_, scale, weights_);
  sum_ = fixed_sum(weights_);
}

double Weights::log_probability(std::size_t index) const noexcept {
  return (static_cast<double>(logits_[index]) - static_cast<double>(max_)) - portable_log(from_fixed(sum_));
}

Uint128 uniform_below(const RandomStream& stream, std::uint64_t position, Uint128 bound) noexcept {
  const auto high = static_cast<std::uint64_t>((bound - 1) >> 64U);
  const auto low = static_cast<std::uint64_t>(bound - 1);
  const auto bits = static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
  const Uint128 keep = (static_cast<Uint128>(1) << static_cast<unsigned>(bits)) - 1;
  for (std::uint32_t attempt = 0;; ++attempt) {
    const auto block = stream.block(position, attempt);
    Uint128 value = 0;
    for (const std::uint32_t word : block) value = value << 32U | word;
    // The attempt that comes round again after 2^32 rejections has a chance of 2^-(2^32).
    if ((value & keep) < bound) return value & keep;
  }
}

}  // namespace weir::sampling
