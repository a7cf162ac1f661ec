// The fast path of filters that keep the greatest: what cannot be kept is left out by bounds on logits before a weight
// is made or anything is sorted. Equal to Pool::keep, item by item.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "draw/filters.hpp"

namespace weir::sampling {

class Selector {
 public:
  // What the filters keep of the candidates at this temperature > 0, in ascending index; valid until the next call.
  // Candidates after find_maximum().
  std::span<const Item> select(Candidates& candidates, double temperature, const Filters& filters);
  // The k greatest, in descending order (ties to the smaller index), with their weights.
  std::span<const Item> greatest(const Candidates& candidates, double temperature, std::size_t k);

 private:
  struct Interval {
    Uint128 low = 0;
    Uint128 high = 0;
  };
  float logit_floor(const Candidates& candidates, std::size_t k);
  void collect(const Candidates& candidates, double temperature, float floor);
  Interval sum_between(Candidates& candidates, double temperature);
  void cut_top_k(std::size_t k, bool ties);
  std::size_t top_p_length(Uint128 needed);
  void cut_top_p(Candidates& candidates, double temperature, double top_p, Interval sum);

  std::vector<std::uint32_t> indices_;
  std::vector<float> logits_;
  std::vector<double> weights_;
  std::vector<float> maxima_;
  std::vector<Item> items_;       // those that may be kept, in ascending index
  std::vector<Item> candidates_;  // the same, in the order selection leaves them; the kept ones come first
};

}  // namespace weir::sampling
