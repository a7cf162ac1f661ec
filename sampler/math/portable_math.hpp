// Exponential and logarithm with the same bits on every machine.
//
// The C library's exp and log differ between systems in the last bit. These use only +, -, *, / and integer operations
// on IEEE 754 doubles, in the order written; the target is compiled with contraction off, so that no fused
// multiply-add changes a rounding. A vectorised loop does the same operations for each element, hence gives the same.
#pragma once

#include <span>

namespace weir::sampling {

// out[i] = exp((logits[i] - max) * scale), for logits <= max and scale >= 0. Relative error below 4e-16 for scale 1;
// what is below 1e-300 (-inf included) gives 0. out.size() == logits.size().
void exponentials(std::span<const float> logits, float max, double scale, std::span<double> out) noexcept;

// exp(x) for x <= 0, the same function as above.
double portable_exp(double x) noexcept;

// log(x) for positive finite normal x; absolute error below 2e-16 + 2e-16 |log x|.
double portable_log(double x) noexcept;

}  // namespace weir::sampling
