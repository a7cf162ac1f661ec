// Shared by the pure functions over probabilities. Private to sampler/.
#pragma once

#include <span>

#include "weir/grammar/result.hpp"

namespace weir::sampling {

// kArgument unless they are finite, >= 0, and sum to 1 within 1e-6.
Status check_probabilities(std::span<const double> probabilities);

// The probability of a surprise of mu bits, 2^-mu, in (0, 1].
double least_for_surprise(double mu) noexcept;

}  // namespace weir::sampling
