// One step: from logits, mask, parameters and history to what is left to draw from, and draws from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "draw/candidates.hpp"
#include "draw/history.hpp"
#include "draw/pool.hpp"
#include "draw/selector.hpp"
#include "weir/sampler/random.hpp"

namespace weir::sampling {

class Step {
 public:
  // Finds the candidates and what is left of them. `mu` counts only with mirostat; `coin` in (0, 1) only with XTC.
  // Errors: those of Sampler::draw. Afterwards the step is that of these arguments until the next call.
  Status prepare(std::span<const float> logits, std::span<const std::uint32_t> mask,
                 const SamplingParameters& parameters, History& history, double mu, double coin);

  const Candidates& candidates() const noexcept { return candidates_; }
  Selector& selector() noexcept { return selector_; }
  bool greedy() const noexcept { return greedy_; }
  // What is left: ascending indices of candidates with their weights. One item when greedy.
  std::span<const Item> items();
  // Index of the candidate drawn.
  std::size_t draw(const RandomStream& random, std::uint64_t position, Choice choice, std::uint32_t round = 0);
  // The same from what is left and wanted, asking as seldom as it can; nothing if nothing that is left is wanted.
  std::optional<std::size_t> draw_wanted(const RandomStream& random, std::uint64_t position, Choice choice,
                                         const std::function<bool(TokenId)>& wanted);
  // The sum of all candidates' weights, where those are the model's own at temperature 1; else nothing.
  std::optional<Uint128> model_sum();
  // -log2 p at the step's temperature, before anything was cut off.
  double surprise(std::size_t index);

 private:
  Status gather(std::span<const float> logits, std::span<const std::uint32_t> mask,
                const SamplingParameters& parameters);
  void find_temperature(const SamplingParameters& parameters);
  void filter(const SamplingParameters& parameters, double mu, bool xtc);
  void follow_order(const SamplingParameters& parameters, bool xtc);
  const Sums& sums();
  std::size_t draw_item(std::span<const Item> items, const RandomStream& random, std::uint64_t position,
                        std::uint32_t round) const;
  std::size_t draw_gumbel(std::span<const Item> items, const RandomStream& random, std::uint64_t position) const;

  Candidates candidates_;
  Selector selector_;
  Pool pool_;
  std::vector<std::uint32_t> mask_;
  bool greedy_ = false;
  bool everything_ = false;  // nothing is cut off: items_ is filled only when asked for
  bool summed_ = false;
  double temperature_ = 1;
  Sums sums_;
  std::vector<Item> items_;
};

}  // namespace weir::sampling
