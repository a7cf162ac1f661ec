// The obvious reference of filters.hpp and penalties.hpp: the formulas as they are written down, in long double, with
// full sorts and quadratic searches. For tests only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "weir/sampler/penalties.hpp"

namespace weir::reference {

using Indices = std::vector<std::size_t>;
using Real = long double;
constexpr Real kRoundingError = 0x1p-44L;  // as logits.hpp says

template <class Number>
Indices descending(const std::vector<Number>& values) {
  Indices order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  return order;
}

inline Real entropy(const std::vector<double>& p) {
  Real sum = 0;
  for (const double value : p) {
    if (value > 0) sum -= static_cast<Real>(value) * std::log(static_cast<Real>(value));
  }
  return sum;
}

// The indices that `keep` holds for, those of the first min_keep in `order`, ascending; none of probability 0.
template <class Keep>
Indices kept(const std::vector<double>& p, const Indices& order, std::size_t min_keep, Keep keep) {
  Indices result;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const std::size_t i = order[rank];
    if (p[i] > 0 && (rank < min_keep || keep(i, rank))) result.push_back(i);
  }
  std::sort(result.begin(), result.end());
  return result;
}

// Where none reaches the floor, those that tie for the greatest.
inline Indices at_least(const std::vector<double>& p, Real floor, std::size_t min_keep) {
  floor = std::min(floor, static_cast<Real>(*std::max_element(p.begin(), p.end())));
  return kept(p, descending(p), min_keep,
              [&](std::size_t i, std::size_t) { return static_cast<Real>(p[i]) >= floor * (1 - kRoundingError); });
}

inline Indices exact_top_k(const std::vector<double>& p, std::size_t k, std::size_t min_keep) {
  return kept(p, descending(p), min_keep, [&](std::size_t, std::size_t rank) { return k == 0 || rank < k; });
}

inline Indices epsilon(const std::vector<double>& p, double e, std::size_t min_keep) {
  return at_least(p, static_cast<Real>(e), min_keep);
}

inline Indices eta(const std::vector<double>& p, double e, std::size_t min_keep) {
  const auto real = static_cast<Real>(e);
  return at_least(p, std::min(real, std::sqrt(real) * std::exp(-entropy(p))), min_keep);
}

inline Indices typical(const std::vector<double>& p, double tau, std::size_t min_keep) {
  const Real h = entropy(p);
  Indices order = descending(p);
  std::erase_if(order, [&](std::size_t i) { return p[i] == 0; });
  std::vector<Real> deviation(p.size());
  // Differences that only rounding makes are none.
  for (const std::size_t i : order) {
    deviation[i] = std::round(std::abs(-std::log(static_cast<Real>(p[i])) - h) * 1e12L);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return deviation[a] < deviation[b]; });
  Indices result;
  Real sum = 0;
  for (const std::size_t i : order) {
    const bool reached = tau < 1 && sum >= static_cast<Real>(tau) - kRoundingError && sum > 0;
    if (reached && result.size() >= min_keep) break;
    result.push_back(i);
    sum += static_cast<Real>(p[i]);
  }
  std::sort(result.begin(), result.end());
  return result;
}

inline Indices xtc(const std::vector<double>& p, double threshold, std::size_t min_keep) {
  Indices order = descending(p);
  std::erase_if(order, [&](std::size_t i) { return p[i] == 0; });
  while (order.size() > min_keep && order.size() > 1 &&
         static_cast<Real>(p[order[1]]) >= static_cast<Real>(threshold) * (1 - kRoundingError)) {
    order.erase(order.begin());
  }
  std::sort(order.begin(), order.end());
  return order;
}

inline Indices top_n_sigma(const std::vector<float>& logits, double n, std::size_t min_keep) {
  Real mean = 0;
  Real count = 0;
  Real max = -INFINITY;
  for (const float l : logits) {
    if (std::isinf(l)) continue;
    mean += static_cast<Real>(l);
    count += 1;
    max = std::max(max, static_cast<Real>(l));
  }
  mean /= count;
  Real variance = 0;
  for (const float l : logits) {
    if (!std::isinf(l)) variance += (static_cast<Real>(l) - mean) * (static_cast<Real>(l) - mean) / count;
  }
  const Real floor = max - static_cast<Real>(n) * std::sqrt(variance);
  const std::vector<double> finite(logits.size(), 1.0);
  std::vector<double> possible(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) possible[i] = std::isinf(logits[i]) ? 0.0 : 1.0;
  return kept(possible, descending(logits), min_keep, [&](std::size_t i, std::size_t) {
    return static_cast<Real>(logits[i]) >= floor - std::abs(floor) * 1e-14L;
  });
}

inline float rounded(Real value) { return static_cast<float>(static_cast<double>(value)); }

inline std::map<TokenId, std::uint32_t> counts(const std::vector<TokenId>& history) {
  std::map<TokenId, std::uint32_t> result;
  for (const TokenId token : history) ++result[token];
  return result;
}

inline std::set<TokenId> ngram_bans(const std::vector<TokenId>& history, std::size_t n) {
  std::set<std::vector<TokenId>> seen;
  const auto at = [&](std::size_t i) { return history.begin() + static_cast<std::ptrdiff_t>(i); };
  for (std::size_t i = 0; n > 0 && i + n <= history.size(); ++i) seen.insert({at(i), at(i + n)});
  std::set<TokenId> bans;
  for (const auto& gram : seen) {
    std::vector<TokenId> next(at(history.size() - (n - 1)), history.end());
    next.push_back(gram.back());
    if (next == gram) bans.insert(gram.back());
  }
  return bans;
}

// Each earlier place by itself, extended backwards token by token.
inline std::map<TokenId, std::size_t> dry_matches(const std::vector<TokenId>& history,
                                                  const std::set<TokenId>& breakers) {
  std::map<TokenId, std::size_t> longest;
  for (std::size_t next = 1; next < history.size(); ++next) {
    if (breakers.contains(history[next])) continue;
    std::size_t length = 0;
    while (length < next && history[next - 1 - length] == history[history.size() - 1 - length] &&
           !breakers.contains(history[next - 1 - length])) {
      ++length;
    }
    longest[history[next]] = std::max(longest[history[next]], length);
  }
  return longest;
}

}  // namespace weir::reference
