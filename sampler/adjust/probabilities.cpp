#include "adjust/probabilities.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "draw/fixed.hpp"
#include "math/portable_math.hpp"

namespace weir::sampling {

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

double least_for_surprise(double mu) noexcept {
  // Surprises of more than 900 bits belong to probabilities that count as 0.
  return mu <= 0 ? 1.0 : portable_exp(-std::min(mu, 900.0) * kLn2);
}

}  // namespace weir::sampling
