#include "weir/sampler/logits.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "adjust/probabilities.hpp"
#include "draw/pool.hpp"

namespace weir {
namespace {

// The support of checked options over unchecked probabilities.
Result<std::vector<std::size_t>> support(std::span<const double> probabilities, const Truncation& truncation) {
  if (Status status = check(truncation); !status) return status.error();
  if (Status status = sampling::check_probabilities(probabilities); !status) return status.error();
  sampling::Pool pool;
  pool.assign_probabilities(probabilities);
  pool.keep({.top_k = truncation.top_k, .top_p = truncation.top_p, .min_p = truncation.min_p});
  std::vector<std::size_t> kept;
  for (const sampling::Item& item : pool.by_index()) kept.push_back(item.index);
  return kept;
}

Result<sampling::Candidates> gathered(std::span<const float> logits, std::span<const std::uint32_t> mask) {
  sampling::Candidates candidates;
  if (Status status = candidates.gather(logits, mask); !status) return status.error();
  if (Status status = candidates.find_maximum(); !status) return status.error();
  return candidates;
}

}  // namespace

Status check(const Truncation& truncation) {
  if (!(truncation.top_p >= 0 && truncation.top_p <= 1)) {
    return make_error(ErrorCode::kArgument, fmt::format("top_p is {}; it must be in [0, 1]", truncation.top_p));
  }
  if (!(truncation.min_p >= 0 && truncation.min_p <= 1)) {
    return make_error(ErrorCode::kArgument, fmt::format("min_p is {}; it must be in [0, 1]", truncation.min_p));
  }
  return ok_status();
}

Result<Distribution> masked_softmax(std::span<const float> logits, std::span<const std::uint32_t> mask,
                                    double temperature) {
  if (!(temperature >= 0) || !std::isfinite(temperature)) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("temperature is {}; it must be finite and not negative", temperature));
  }
  auto candidates = gathered(logits, mask);
  if (!candidates) return candidates.error();
  if (temperature == 0) return Distribution{{candidates->token(candidates->greatest()), 1.0}};
  const double sum = sampling::from_fixed(candidates->sums(temperature, false).weight);
  std::vector<double> weights(candidates->size());
  sampling::exponentials(candidates->logits().data(), weights.size(),
                         {candidates->max(), sampling::scale_of(temperature)}, weights.data());
  Distribution distribution;
  distribution.reserve(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) distribution.push_back({candidates->token(i), weights[i] / sum});
  }
  return distribution;
}

Result<TokenId> greedy_token(std::span<const float> logits, std::span<const std::uint32_t> mask) {
  const auto candidates = gathered(logits, mask);
  if (!candidates) return candidates.error();
  return candidates->token(candidates->greatest());
}

Result<double> masked_log_probability(std::span<const float> logits, std::span<const std::uint32_t> mask,
                                      TokenId token) {
  const auto candidates = gathered(logits, mask);
  if (!candidates) return candidates.error();
  if (token >= logits.size()) {
    return make_error(ErrorCode::kArgument, fmt::format("token {} is past the {} logits", token, logits.size()));
  }
  const std::size_t index = candidates->find(token);
  if (index == candidates->size()) return -std::numeric_limits<double>::infinity();
  sampling::Normaliser normaliser;
  if (Status status = normaliser.measure(candidates->logits()); !status) return status.error();
  return normaliser.log_probability(candidates->logits()[index]);
}

Result<std::vector<std::size_t>> top_k_support(std::span<const double> probabilities, std::size_t k) {
  return support(probabilities, {.top_k = k});
}

Result<std::vector<std::size_t>> top_p_support(std::span<const double> probabilities, double threshold) {
  return support(probabilities, {.top_p = threshold});
}

Result<std::vector<std::size_t>> min_p_support(std::span<const double> probabilities, double alpha) {
  return support(probabilities, {.min_p = alpha});
}

Result<Distribution> truncate(const Distribution& distribution, const Truncation& truncation) {
  std::vector<double> probabilities;
  probabilities.reserve(distribution.size());
  for (std::size_t i = 0; i < distribution.size(); ++i) {
    if (i > 0 && distribution[i].token <= distribution[i - 1].token) {
      return make_error(ErrorCode::kArgument, "the token ids of a distribution must ascend: sort it first");
    }
    probabilities.push_back(distribution[i].probability);
  }
  auto kept = support(probabilities, truncation);
  if (!kept) return kept.error();
  double sum = 0;
  for (const std::size_t index : *kept) sum += probabilities[index];
  Distribution result;
  result.reserve(kept->size());
  for (const std::size_t index : *kept) result.push_back({distribution[index].token, probabilities[index] / sum});
  return result;
}

}  // namespace weir
