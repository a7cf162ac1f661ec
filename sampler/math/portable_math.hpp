// Exponential and logarithm with the same bits on every machine.
//
// The C library's exp and log differ between systems in the last bit. These use only +, -, *, / and integer operations
// on IEEE 754 doubles, in the order written; the target is compiled with contraction off, so that no fused
// multiply-add changes a rounding. The kernels do the same operations for each element (kernels/logit_kernels.hpp),
// hence give the same.
#pragma once

namespace weir::sampling {

// exp(x) for x <= 690; relative error below 4e-16, and below -690 (-infinity included) exactly 0.
double portable_exp(double x) noexcept;

// log(x) for positive finite normal x; absolute error below 2e-16 + 2e-16 |log x|.
double portable_log(double x) noexcept;

}  // namespace weir::sampling
