// The obvious reference of the sampler: the formulas of logits.hpp in long double, over the whole vocabulary, with full
// sorts. For tests only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "weir/sampler/logits.hpp"

namespace weir::reference {

inline bool allowed(const std::vector<std::uint32_t>& mask, std::size_t token) {
  return mask.empty() || (mask[token / 32] >> (token % 32) & 1U) != 0;
}

inline std::vector<long double> softmax(const std::vector<float>& logits, const std::vector<std::uint32_t>& mask,
                                        double temperature) {
  long double max = -INFINITY;
  for (std::size_t t = 0; t < logits.size(); ++t) {
    if (allowed(mask, t)) max = std::max(max, static_cast<long double>(logits[t]));
  }
  std::vector<long double> p(logits.size(), 0.0L);
  for (std::size_t t = 0; t < logits.size(); ++t) {
    if (allowed(mask, t))
      p[t] = std::exp((static_cast<long double>(logits[t]) - max) / static_cast<long double>(temperature));
  }
  const long double sum = std::accumulate(p.begin(), p.end(), 0.0L);
  for (long double& value : p) value /= sum;
  return p;
}

// The final distribution: supports on p, intersected, renormalised.
inline std::vector<long double> truncate(const std::vector<long double>& p, const Truncation& truncation) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
  const long double max = p[order[0]];
  const std::size_t k = truncation.top_k == 0 ? p.size() : std::min(truncation.top_k, p.size());
  const long double kth = p[order[k - 1]];
  std::vector<bool> nucleus(p.size(), truncation.top_p == 1);
  constexpr long double kRounding = 0x1p-44L;  // as logits.hpp says
  long double sum = 0;
  for (const std::size_t i : order) {
    nucleus[i] = true;
    sum += p[i];
    if (truncation.top_p < 1 && sum >= static_cast<long double>(truncation.top_p) - kRounding) break;
  }
  std::vector<long double> q(p.size(), 0.0L);
  long double kept = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const long double floor = static_cast<long double>(truncation.min_p) * max * (1 - kRounding);
    const bool keep = p[i] > 0 && p[i] >= kth && nucleus[i] && p[i] >= floor;
    if (keep) kept += q[i] = p[i];
  }
  for (long double& value : q) value /= kept;
  return q;
}

}  // namespace weir::reference
