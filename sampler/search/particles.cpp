#include "weir/sampler/particles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "math/portable_math.hpp"
#include "search/expander.hpp"

namespace weir {
namespace {

using sampling::Expander;
using sampling::portable_exp;
using sampling::portable_log;
using sampling::Prefix;

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr std::uint32_t kShared = 0xFFFFFFFFU;  // the stream of what particles share

struct Weighted {
  Prefix prefix;
  double log_weight = 0;
  bool done = false;
};

// Weights relative to the greatest, in order; their greatest logarithm goes to `most`.
std::vector<double> relative(const std::vector<Weighted>& particles, double& most) {
  most = kNone;
  for (const Weighted& particle : particles) most = std::max(most, particle.log_weight);
  std::vector<double> weights;
  weights.reserve(particles.size());
  for (const Weighted& particle : particles) {
    weights.push_back(most == kNone ? 0.0 : portable_exp(particle.log_weight - most));
  }
  return weights;
}

double effective_number(const std::vector<double>& weights) {
  double sum = 0;
  double squares = 0;
  for (const double weight : weights) {
    sum += weight;
    squares += weight * weight;
  }
  return squares == 0 ? 0 : sum * sum / squares;
}

class Run {
 public:
  Run(LanguageModel& model, const CompiledGrammar& grammar, std::span<const TokenId> prompt,
      const ParticleOptions& options)
      : options_(options),
        search_{options.max_tokens, 0, std::nullopt, Measure::kModel},
        expander_(model, &grammar, prompt, search_) {}

  Result<Particles> run();

 private:
  Status advance(Weighted& particle, std::size_t index, std::size_t step);
  // Draws the particles anew if their weights are too uneven.
  void even_out(std::size_t step);
  Result<Particles> finish();

  const ParticleOptions& options_;
  SearchOptions search_;
  Expander expander_;
  std::vector<Weighted> particles_;
  double log_evidence_ = 0;
  std::size_t resampled_ = 0;
};

Status Run::advance(Weighted& particle, std::size_t index, std::size_t step) {
  const auto tokens = expander_.next(particle.prefix, 0);
  if (!tokens) return tokens.error();
  if (tokens->empty()) {
    // Nothing may follow: the end of a vocabulary without end tokens, or a dead end.
    particle.done = true;
    if (!particle.prefix.matcher->is_accepting()) particle.log_weight = kNone;
    return ok_status();
  }
  particle.log_weight += expander_.log_allowed_mass();
  sampling::Candidates& candidates = expander_.candidates();
  const RandomStream random(options_.seed, static_cast<std::uint32_t>(index));
  const TokenId token =
      candidates.token(candidates.at(sampling::uniform_below(random, step, candidates.sums(1.0, false).weight), 1.0));
  auto longer = expander_.extend(particle.prefix, {token, 0});
  if (!longer) return longer.error();
  particle.prefix = std::move(*longer);
  particle.done = particle.prefix.ended;
  return ok_status();
}

void Run::even_out(std::size_t step) {
  double most = kNone;
  const std::vector<double> weights = relative(particles_, most);
  const auto count = static_cast<double>(particles_.size());
  if (most == kNone || effective_number(weights) >= options_.threshold * count) return;
  double sum = 0;
  for (const double weight : weights) sum += weight;
  const double mean = most + portable_log(sum / count);
  // One uniform number for all: particle i is taken at each of u, u + 1, ... that falls into its share of `count`.
  const double u = sampling::uniform_unit(RandomStream(options_.seed, kShared), step, 0);
  std::vector<Weighted> drawn;
  double reached = 0;
  for (std::size_t i = 0; i < particles_.size(); ++i) {
    reached += weights[i] / sum * count;
    const bool last = i + 1 == particles_.size();
    while (drawn.size() < particles_.size() && weights[i] > 0 &&
           (last || u + static_cast<double>(drawn.size()) < reached)) {
      drawn.push_back({particles_[i].prefix.fork(), 0, particles_[i].done});
    }
  }
  if (drawn.size() < particles_.size()) return;  // rounding left the last place to a particle without weight
  particles_ = std::move(drawn);
  log_evidence_ += mean;
  ++resampled_;
}

Result<Particles> Run::finish() {
  for (Weighted& particle : particles_) {
    const Matcher& matcher = *particle.prefix.matcher;
    if (!particle.done && !matcher.is_terminated()) particle.log_weight = kNone;
  }
  double most = kNone;
  const std::vector<double> weights = relative(particles_, most);
  if (most == kNone) {
    return make_error(ErrorCode::kInvalid, fmt::format("none of {} particles is complete within {} tokens: raise "
                                                       "max_tokens or particles",
                                                       options_.particles, options_.max_tokens));
  }
  double sum = 0;
  for (const double weight : weights) sum += weight;
  Particles result;
  result.effective = effective_number(weights);
  result.resampled = resampled_;
  result.log_evidence = log_evidence_ + most + portable_log(sum / static_cast<double>(weights.size()));
  double left = sampling::uniform_unit(RandomStream(options_.seed, kShared), options_.max_tokens, 1) * sum;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    if (left >= 0) result.choice = result.particles.size();
    left -= weights[i];
    const Hypothesis text = expander_.finish(particles_[i].prefix);
    result.particles.push_back({text.tokens, text.text, weights[i] / sum});
  }
  return result;
}

Result<Particles> Run::run() {
  if (options_.particles == 0) return make_error(ErrorCode::kArgument, "particles is 0; it must be at least 1");
  if (!(options_.threshold >= 0 && options_.threshold <= 1)) {
    return make_error(ErrorCode::kArgument, fmt::format("threshold is {}; it must be in [0, 1]", options_.threshold));
  }
  auto prefix = expander_.start();
  if (!prefix) return prefix.error();
  for (std::size_t i = 0; i < options_.particles; ++i) particles_.push_back({prefix->fork(), 0, false});
  for (std::size_t step = 0; step < options_.max_tokens; ++step) {
    bool more = false;
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      if (particles_[i].done || particles_[i].log_weight == kNone) continue;
      if (Status status = advance(particles_[i], i, step); !status) return status.error();
      more = true;
    }
    if (!more) break;
    even_out(step);
  }
  return finish();
}

}  // namespace

Result<Particles> sample_given(LanguageModel& model, const CompiledGrammar& grammar, std::span<const TokenId> prompt,
                               const ParticleOptions& options) {
  return Run(model, grammar, prompt, options).run();
}

}  // namespace weir
