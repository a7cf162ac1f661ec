#include "weir/sampler/filters.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "adjust/probabilities.hpp"
#include "draw/pool.hpp"
#include "math/portable_math.hpp"

namespace weir {
namespace {

using sampling::Pool;

Status check_unit(const char* name, double value) {
  if (value >= 0 && value <= 1) return ok_status();
  return make_error(ErrorCode::kArgument, fmt::format("{} is {}; it must be in [0, 1]", name, value));
}

Status check_min_keep(std::size_t min_keep) {
  if (min_keep > 0) return ok_status();
  return make_error(ErrorCode::kArgument, "min_keep is 0; at least one token has to be kept");
}

// act(pool) on checked probabilities; what is left.
template <class Act>
Result<std::vector<std::size_t>> support(std::span<const double> probabilities, std::size_t min_keep, Act act) {
  if (Status status = check_min_keep(min_keep); !status) return status.error();
  if (Status status = sampling::check_probabilities(probabilities); !status) return status.error();
  Pool pool;
  pool.assign_probabilities(probabilities);
  act(pool);
  std::vector<std::size_t> kept;
  for (const sampling::Item& item : pool.by_index()) kept.push_back(item.index);
  return kept;
}

}  // namespace

Result<std::vector<std::size_t>> exact_top_k_support(std::span<const double> probabilities, std::size_t k,
                                                     std::size_t min_keep) {
  return support(probabilities, min_keep, [&](Pool& pool) {
    if (k > 0) pool.keep({.exact_k = k, .min_keep = min_keep});
  });
}

Result<std::vector<std::size_t>> epsilon_support(std::span<const double> probabilities, double epsilon,
                                                 std::size_t min_keep) {
  if (Status status = check_unit("epsilon_cutoff", epsilon); !status) return status.error();
  return support(probabilities, min_keep, [&](Pool& pool) { pool.keep({.epsilon = epsilon, .min_keep = min_keep}); });
}

Result<std::vector<std::size_t>> eta_support(std::span<const double> probabilities, double epsilon,
                                             std::size_t min_keep) {
  if (Status status = check_unit("eta_cutoff", epsilon); !status) return status.error();
  return support(probabilities, min_keep, [&](Pool& pool) { pool.keep({.eta = epsilon, .min_keep = min_keep}); });
}

Result<std::vector<std::size_t>> typical_support(std::span<const double> probabilities, double tau,
                                                 std::size_t min_keep) {
  if (Status status = check_unit("typical_p", tau); !status) return status.error();
  return support(probabilities, min_keep, [&](Pool& pool) { pool.keep_typical(tau, min_keep); });
}

Result<std::vector<std::size_t>> xtc_support(std::span<const double> probabilities, double threshold,
                                             std::size_t min_keep) {
  if (Status status = check_unit("xtc_threshold", threshold); !status) return status.error();
  return support(probabilities, min_keep, [&](Pool& pool) { pool.drop_top_choices(threshold, min_keep); });
}

Result<std::vector<std::size_t>> top_n_sigma_support(std::span<const float> logits, double n, std::size_t min_keep) {
  if (!(n > 0) || !std::isfinite(n)) {
    return make_error(ErrorCode::kArgument, fmt::format("top_n_sigma is {}; it must be finite and positive", n));
  }
  if (Status status = check_min_keep(min_keep); !status) return status.error();
  sampling::Candidates candidates;
  if (Status status = candidates.gather(logits, {}); !status) return status.error();
  if (Status status = candidates.find_maximum(); !status) return status.error();
  // A temperature at which no finite logit's weight is 0.
  Pool pool;
  pool.assign(candidates, std::numeric_limits<double>::max());
  pool.keep({.n_sigma = n, .min_keep = min_keep});
  std::vector<std::size_t> kept;
  for (const sampling::Item& item : pool.by_index()) kept.push_back(item.index);
  return kept;
}

Result<double> entropy(std::span<const double> probabilities) {
  if (Status status = sampling::check_probabilities(probabilities); !status) return status.error();
  Pool pool;
  pool.assign_probabilities(probabilities);
  return std::max(0.0, pool.sums().entropy());
}

double dynamic_temperature(double entropy, std::size_t n, double temperature, double range, double exponent) noexcept {
  if (n < 2) return temperature;
  const double share = std::clamp(entropy / sampling::portable_log(static_cast<double>(n)), 0.0, 1.0);
  const double power = share > 0 ? sampling::portable_exp(exponent * sampling::portable_log(share)) : 0.0;
  return (temperature - range) + 2 * range * power;
}

double mirostat_next(double mu, double surprise, double tau, double eta) noexcept {
  return mu - eta * (surprise - tau);
}

Result<std::vector<std::size_t>> mirostat_support(std::span<const double> probabilities, double mu) {
  if (!std::isfinite(mu)) return make_error(ErrorCode::kArgument, fmt::format("mu is {}; it must be finite", mu));
  const double least = sampling::least_for_surprise(mu);
  return support(probabilities, 1, [&](Pool& pool) { pool.keep({.least_probability = least}); });
}

std::size_t mirostat_k(std::span<const double> descending, std::size_t n, double mu) noexcept {
  using sampling::portable_exp;
  using sampling::portable_log;
  if (n <= 1) return 1;
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i + 1 < std::min<std::size_t>(100, descending.size()) && descending[i + 1] > 0; ++i) {
    const double t = portable_log(static_cast<double>(i + 2) / static_cast<double>(i + 1));
    products += t * portable_log(descending[i] / descending[i + 1]);
    squares += t * t;
  }
  const double s = squares > 0 ? products / squares : 0;
  if (s <= 1e-9) return n;
  const double e = s - 1;
  const double log_n = portable_log(static_cast<double>(n));
  // e / (1 - n^-e), which tends to 1 / log n.
  const double factor = std::abs(e * log_n) < 1e-8 ? 1 / log_n
                                                   : (e < 0 ? -e / (portable_exp(std::min(-e * log_n, 690.0)) - 1)
                                                            : e / (1 - portable_exp(-e * log_n)));
  const double log_k = (portable_log(factor) + mu * sampling::kLn2) / s;
  if (log_k >= log_n) return n;
  if (log_k <= 0) return 1;
  return std::clamp<std::size_t>(static_cast<std::size_t>(portable_exp(log_k)), 1, n);
}

}  // namespace weir
