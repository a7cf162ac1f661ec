#include "weir/sampler/parameters.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "weir/sampler/penalties.hpp"

namespace weir {
namespace {

Error out_of_domain(const char* name, double value, const char* domain) {
  return make_error(ErrorCode::kArgument, fmt::format("{} is {}; it must be {}", name, value, domain));
}

Status check_numbers(const SamplingParameters& p) {
  struct Number {
    const char* name;
    double value;
  };
  for (const auto& [name, value] : {Number{"top_p", p.top_p},
                                    {"min_p", p.min_p},
                                    {"typical_p", p.typical_p},
                                    {"epsilon_cutoff", p.epsilon_cutoff},
                                    {"eta_cutoff", p.eta_cutoff},
                                    {"xtc_probability", p.xtc_probability},
                                    {"xtc_threshold", p.xtc_threshold}}) {
    if (!(value >= 0 && value <= 1)) return out_of_domain(name, value, "in [0, 1]");
  }
  for (const auto& [name, value] : {Number{"temperature", p.temperature},
                                    {"top_n_sigma", p.top_n_sigma},
                                    {"mirostat_tau", p.mirostat_tau},
                                    {"mirostat_eta", p.mirostat_eta},
                                    {"dynatemp_range", p.dynatemp_range},
                                    {"dry_multiplier", p.dry_multiplier}}) {
    if (!(value >= 0) || !std::isfinite(value)) return out_of_domain(name, value, "finite and not negative");
  }
  for (const auto& [name, value] :
       {Number{"repetition_penalty", p.repetition_penalty}, {"dynatemp_exponent", p.dynatemp_exponent}}) {
    if (!(value > 0) || !std::isfinite(value)) return out_of_domain(name, value, "finite and positive");
  }
  for (const auto& [name, value] :
       {Number{"frequency_penalty", p.frequency_penalty}, {"presence_penalty", p.presence_penalty}}) {
    if (!std::isfinite(value)) return out_of_domain(name, value, "finite");
  }
  if (!(p.dry_base >= 1) || !std::isfinite(p.dry_base))
    return out_of_domain("dry_base", p.dry_base, "finite, at least 1");
  if (p.dynatemp_range > p.temperature) {
    return out_of_domain("dynatemp_range", p.dynatemp_range, "at most the temperature");
  }
  return ok_status();
}

Status check_counts(const SamplingParameters& p) {
  if (p.min_keep == 0) return make_error(ErrorCode::kArgument, "min_keep is 0; at least one token has to be kept");
  if (p.mirostat_mode < 0 || p.mirostat_mode > 2) {
    return make_error(ErrorCode::kArgument, fmt::format("mirostat_mode is {}; it must be 0, 1 or 2", p.mirostat_mode));
  }
  for (const auto& [name, value] :
       {std::pair{"penalty_last_n", p.penalty_last_n}, {"dry_penalty_last_n", p.dry_penalty_last_n}}) {
    if (value < -1) {
      return make_error(ErrorCode::kArgument, fmt::format("{} is {}; it must be -1 (all) or more", name, value));
    }
  }
  if (p.dry_allowed_length == 0)
    return make_error(ErrorCode::kArgument, "dry_allowed_length is 0; it must be at least 1");
  return ok_status();
}

Status check_lists(const SamplingParameters& p) {
  std::vector<TokenId> biased;
  for (const TokenBias& bias : p.logit_bias) {
    if (std::isnan(bias.bias) || bias.bias > 1e30) {
      return make_error(ErrorCode::kArgument, fmt::format("logit_bias of token {} is {}; it must be at most 1e30, and "
                                                          "-inf to ban the token",
                                                          bias.token, bias.bias));
    }
    biased.push_back(bias.token);
  }
  std::sort(biased.begin(), biased.end());
  const auto twice = std::adjacent_find(biased.begin(), biased.end());
  if (twice != biased.end()) {
    return make_error(ErrorCode::kArgument, fmt::format("logit_bias names token {} twice", *twice));
  }
  if (std::any_of(p.bad_words.begin(), p.bad_words.end(), [](const auto& word) { return word.empty(); })) {
    return make_error(ErrorCode::kArgument, "bad_words has an empty word, which would ban nothing or everything");
  }
  return ok_status();
}

Status check_order(const SamplingParameters& p) {
  if (p.order.empty()) return ok_status();
  const auto times = [&](Stage stage) { return std::count(p.order.begin(), p.order.end(), stage); };
  struct Switch {
    Stage stage;
    bool on;
  };
  for (const auto& [stage, on] : {Switch{Stage::kTemperature, p.temperature != 1 || p.dynatemp_range > 0},
                                  {Stage::kTopK, p.top_k > 0},
                                  {Stage::kTopP, p.top_p < 1},
                                  {Stage::kMinP, p.min_p > 0},
                                  {Stage::kTypical, p.typical_p < 1},
                                  {Stage::kEpsilon, p.epsilon_cutoff > 0},
                                  {Stage::kEta, p.eta_cutoff > 0},
                                  {Stage::kTopNSigma, p.top_n_sigma > 0},
                                  {Stage::kXtc, p.xtc_probability > 0}}) {
    if (times(stage) > 1) {
      return make_error(ErrorCode::kArgument, fmt::format("order names {} more than once", to_string(stage)));
    }
    if (on && times(stage) == 0) {
      return make_error(
          ErrorCode::kArgument,
          fmt::format("{} is switched on, but order does not name it: add it, or leave order empty", to_string(stage)));
    }
  }
  if (p.mirostat_mode != 0) {
    return make_error(ErrorCode::kArgument, "mirostat has no stage: leave order empty, or mirostat_mode 0");
  }
  return ok_status();
}

}  // namespace

const char* to_string(Stage stage) noexcept {
  switch (stage) {
    case Stage::kTemperature: return "temperature";
    case Stage::kTopK: return "top_k";
    case Stage::kTopP: return "top_p";
    case Stage::kMinP: return "min_p";
    case Stage::kTypical: return "typical_p";
    case Stage::kEpsilon: return "epsilon_cutoff";
    case Stage::kEta: return "eta_cutoff";
    case Stage::kTopNSigma: return "top_n_sigma";
    case Stage::kXtc: return "xtc";
  }
  return "unknown";
}

Status check(const SamplingParameters& parameters) {
  for (const auto check_part : {check_numbers, check_counts, check_lists, check_order}) {
    if (Status status = check_part(parameters); !status) return status;
  }
  return ok_status();
}

}  // namespace weir
