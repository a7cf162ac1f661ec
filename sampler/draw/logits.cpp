#include "weir/sampler/logits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "draw/weights.hpp"

namespace weir {
namespace {

using sampling::Item;
using sampling::Selector;
using sampling::Weights;

Status check_probabilities(std::span<const double> probabilities) {
  double sum = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (!(probabilities[i] >= 0) || !std::isfinite(probabilities[i])) {
      return make_error(
          ErrorCode::kArgument,
          fmt::format("probability {} is {}; probabilities must be finite and not negative", i, probabilities[i]));
    }
    sum += probabilities[i];
  }
  if (std::abs(sum - 1) > 1e-6) {
    return make_error(ErrorCode::kArgument, fmt::format("the probabilities sum to {}, not to 1: normalise them", sum));
  }
  return ok_status();
}

// The support of checked options over unchecked probabilities.
Result<std::vector<std::size_t>> support(std::span<const double> probabilities, const Truncation& truncation) {
  if (Status status = check(truncation); !status) return status.error();
  if (Status status = check_probabilities(probabilities); !status) return status.error();
  // A sum of 1 within 1e-6 may have a term just above 1; selection works on weights up to 1.
  std::vector<double> weights(probabilities.begin(), probabilities.end());
  for (double& weight : weights) weight = std::min(weight, 1.0);
  Selector selector;
  std::vector<std::size_t> kept;
  for (const Item& item : selector.select(weights, *std::max_element(weights.begin(), weights.end()),
                                          sampling::fixed_sum(weights), truncation)) {
    kept.push_back(item.index);
  }
  return kept;
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
  Weights weights;
  if (Status status = weights.gather(logits, mask); !status) return status.error();
  if (temperature == 0) return Distribution{{weights.token(weights.greatest()), 1.0}};
  weights.exponentiate(temperature);
  const double sum = sampling::from_fixed(weights.sum());
  Distribution distribution;
  distribution.reserve(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double weight = weights.weights()[i];
    if (weight > 0) distribution.push_back({weights.token(i), weight / sum});
  }
  return distribution;
}

Result<TokenId> greedy_token(std::span<const float> logits, std::span<const std::uint32_t> mask) {
  Weights weights;
  if (Status status = weights.gather(logits, mask); !status) return status.error();
  return weights.token(weights.greatest());
}

Result<double> masked_log_probability(std::span<const float> logits, std::span<const std::uint32_t> mask,
                                      TokenId token) {
  Weights weights;
  if (Status status = weights.gather(logits, mask); !status) return status.error();
  if (token >= logits.size()) {
    return make_error(ErrorCode::kArgument, fmt::format("token {} is past the {} logits", token, logits.size()));
  }
  if (!mask.empty() && (mask[token / 32] >> (token % 32) & 1U) == 0) return -std::numeric_limits<double>::infinity();
  weights.exponentiate(1.0);
  std::size_t index = 0;
  while (weights.token(index) != token) ++index;
  return weights.log_probability(index);
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
