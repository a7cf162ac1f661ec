// What is cut off before a draw, in terms of weights: shared by the plain path (pool.hpp) and the fast one
// (selector.hpp), so that both decide by the same integers.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "draw/candidates.hpp"
#include "draw/fixed.hpp"

namespace weir::sampling {

struct Item {
  double key = 0;           // what the order is by: the logit, or the probability
  double weight = 0;        // in [0, 1]
  std::uint32_t index = 0;  // into the candidates
};

// "Descending", in logits.hpp's words.
inline bool before(const Item& a, const Item& b) noexcept { return a.key != b.key ? a.key > b.key : a.index < b.index; }

// Filters that keep the greatest: chosen on the same probabilities, intersected. The defaults cut nothing.
struct Filters {
  std::size_t top_k = 0;    // ties with the last one stay
  std::size_t exact_k = 0;  // ties go to the smaller index
  double top_p = 1;
  double min_p = 0;
  double epsilon = 0;
  double eta = 0;
  double least_probability = 0;
  double n_sigma = 0;
  std::size_t min_keep = 1;  // the so many greatest stay, whatever the rest says

  bool needs_sum() const noexcept { return epsilon > 0 || eta > 0 || least_probability > 0; }
  bool cuts(std::size_t size) const noexcept {
    return (top_k > 0 && top_k < size) || (exact_k > 0 && exact_k < size) || top_p < 1 || min_p > 0 || needs_sum() ||
           n_sigma > 0;
  }
};

// The least fixed weight that min_p, epsilon, eta and least_probability keep, at least 1 if one of them is on. `sums`
// counts only if needs_sum().
std::uint64_t least_weight(const Filters& filters, double greatest, const Sums& sums) noexcept;

// max - n sigma, sigma the standard deviation (over n, not n - 1) of the finite keys. The same bits in any order.
class Spread {
 public:
  // First all of these, then all of those.
  void widen(double key) noexcept;
  void add(double key) noexcept;
  double sigma() const noexcept;

 private:
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  std::uint64_t count_ = 0;
  Uint128 sum_ = 0;      // of (max - key) / (max - min), fixed
  Uint128 squares_ = 0;  // of its square
};

}  // namespace weir::sampling
