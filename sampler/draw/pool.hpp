// The plain path of filtering: all candidates sorted, each filter a line or two over them. What the fast path
// (selector.hpp) is compared with, what filters that do not keep the greatest use, and what runs the caller's order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "draw/filters.hpp"

namespace weir::sampling {

class Pool {
 public:
  // The candidates that are not at -infinity. Weights may be 0 until a filter has run: sigma counts them.
  void assign(const Candidates& candidates, double temperature);
  // Items of a positive weight, with `max` the logit that has weight 1 at this temperature.
  void assign(std::span<const Item> items, double max, double temperature);
  // Probabilities, not logits; those that are 0 are left out.
  void assign_probabilities(std::span<const double> probabilities);

  // In descending order; never empty.
  std::span<const Item> items() const noexcept { return items_; }
  // Those of positive weight in ascending order of index, which is the order that draws use.
  std::span<const Item> by_index();
  Sums sums() const noexcept;

  // The weights that the logits left have at this temperature.
  void heat(double temperature);
  // The intersection of what the filters keep.
  void keep(const Filters& filters);
  // The shortest prefix, by |-log p - entropy| ascending (ties by the descending order), whose sum reaches tau; at
  // least min_keep. Off at 1.
  void keep_typical(double tau, std::size_t min_keep);
  // Takes away the most probable of those with p >= threshold, but for the last of them, as long as min_keep are left.
  void drop_top_choices(double threshold, std::size_t min_keep);

 private:
  double surprise(const Item& item) const noexcept;  // -log weight
  double sigma() const noexcept;
  void rescale();  // the greatest weight becomes 1 again

  bool logits_ = true;  // keys are logits
  double max_ = 0;      // the logit of weight 1
  double scale_ = 1;
  std::vector<Item> items_;
  std::vector<Item> ascending_;
};

}  // namespace weir::sampling
