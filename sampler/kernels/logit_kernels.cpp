// The vector kernels over logits; how Highway compiles this file is told in automata/kernels/mask_kernels.cpp.
//
// Doubles go through exactly the operations of math/exp_step.hpp, multiplications and additions apart, so that each
// element has the bits of the plain loop; sums are of integers (logit_kernels.hpp).
#include "kernels/logit_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/logit_kernels.cpp"  // NOLINT(readability-identifier-naming)
#include <hwy/foreach_target.h>
// Highway's own order: highway.h comes after foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weir::sampling::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR

Extremes maxima_of(const float* logits, std::size_t size, float* maxima) {
  return plain::block_maxima(logits, size, maxima);
}
void weights_of(const float* logits, std::size_t size, Heat heat, double* out) {
  plain::exponentials(logits, size, heat, out);
}
void sums_of(const float* logits, std::size_t size, Heat heat, BlockSum* sums, BlockSum* surprises) {
  plain::block_sums(logits, size, heat, sums, surprises);
}
double sum_of(const float* logits, std::size_t size, Heat heat) { return plain::approximate_sum(logits, size, heat); }
std::size_t reaching(const float* logits, std::size_t size, const float* maxima, float floor, std::uint32_t* out) {
  return plain::at_least(logits, size, maxima, floor, out);
}
std::size_t set_words(const std::uint32_t* words, std::size_t size, std::uint32_t* out) {
  return plain::nonzero(words, size, out);
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Doubles = hn::ScalableTag<double>;
using Words = hn::ScalableTag<std::uint32_t>;
using Double = hn::VFromD<Doubles>;

Extremes maxima_of(const float* logits, std::size_t size, float* maxima) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto least = hn::Set(d, -std::numeric_limits<float>::infinity());
  const auto most = hn::Set(d, std::numeric_limits<float>::max());
  const std::size_t whole = size - size % kBlock;
  auto all = least;
  auto bad = hn::Ne(least, least);
  for (std::size_t begin = 0; begin < whole; begin += kBlock) {
    auto max0 = least;
    auto max1 = least;
    auto bad0 = hn::Ne(least, least);
    for (std::size_t i = begin; i < begin + kBlock; i += 2 * lanes) {
      const auto first = hn::LoadU(d, logits + i);
      const auto second = hn::LoadU(d, logits + i + lanes);
      // Not <=: true for NaN as for +infinity. What Max makes of a NaN does not matter, as the step is refused.
      bad0 = hn::Or(bad0, hn::Not(hn::And(hn::Le(first, most), hn::Le(second, most))));
      max0 = hn::Max(max0, first);
      max1 = hn::Max(max1, second);
    }
    bad = hn::Or(bad, bad0);
    max0 = hn::Max(max0, max1);
    all = hn::Max(all, max0);
    maxima[begin / kBlock] = hn::GetLane(hn::MaxOfLanes(d, max0));
  }
  Extremes result{hn::GetLane(hn::MaxOfLanes(d, all)), hn::AllFalse(d, bad)};
  if (whole < size) {
    const Extremes rest = plain::block_maxima(logits + whole, size - whole, maxima + whole / kBlock);
    result.max = rest.max > result.max ? rest.max : result.max;
    result.finite = result.finite && rest.finite;
  }
  return result;
}

// math/exp_step.hpp, operation by operation; `clamped` receives the argument that it used.
HWY_INLINE Double exp_of(Double x, Double& clamped) {
  const Doubles d;
  const hn::RebindToUnsigned<Doubles> du;
  const auto set = [&](double value) HWY_ATTR { return hn::Set(d, value); };
  const auto smallest = set(kSmallest);
  clamped = hn::Max(x, smallest);
  const auto shifted = hn::Add(hn::Mul(clamped, set(kLog2E)), set(kRound));
  const auto k = hn::Sub(shifted, set(kRound));
  const auto r = hn::Sub(hn::Sub(clamped, hn::Mul(k, set(kLn2High))), hn::Mul(k, set(kLn2Low)));
  const auto term = [&](double a, double b) HWY_ATTR { return hn::Add(set(a), hn::Mul(r, set(b))); };
  const auto square = hn::Mul(r, r);
  auto series = term(1.0 / 479001600, 1.0 / 6227020800);
  series = hn::Add(term(1.0 / 3628800, 1.0 / 39916800), hn::Mul(square, series));
  series = hn::Add(term(1.0 / 40320, 1.0 / 362880), hn::Mul(square, series));
  series = hn::Add(term(1.0 / 720, 1.0 / 5040), hn::Mul(square, series));
  series = hn::Add(term(1.0 / 24, 1.0 / 120), hn::Mul(square, series));
  series = hn::Add(term(1.0 / 2, 1.0 / 6), hn::Mul(square, series));
  const auto value = hn::Add(set(1.0), hn::Add(r, hn::Mul(square, series)));
  const auto bits = hn::Add(hn::BitCast(du, value), hn::ShiftLeft<52>(hn::BitCast(du, shifted)));
  return hn::IfThenElseZero(hn::Ge(x, smallest), hn::BitCast(d, bits));
}

HWY_INLINE Double exponent_at(const float* logits, Double max, Double scale) {
  const Doubles d;
  const hn::Rebind<float, Doubles> half;
  return hn::Mul(hn::Sub(hn::PromoteTo(d, hn::LoadU(half, logits)), max), scale);
}

void weights_of(const float* logits, std::size_t size, Heat heat, double* out) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const auto max = hn::Set(d, static_cast<double>(heat.max));
  const auto scale = hn::Set(d, heat.scale);
  std::size_t i = 0;
  Double clamped;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(exp_of(exponent_at(logits + i, max, scale), clamped), d, out + i);
  }
  plain::exponentials(logits + i, size - i, heat, out + i);
}

// Sums of the two parts of values in [0, 1]: plain::add.
struct Parts {
  Double high;
  Double low;
};
HWY_INLINE Parts no_parts() { return {hn::Zero(Doubles()), hn::Zero(Doubles())}; }
HWY_INLINE void add(Parts& parts, Double value) {
  const auto to_high = hn::Set(Doubles(), kToHigh);
  const auto to_low = hn::Set(Doubles(), kToLow);
  const auto high = hn::Sub(hn::Add(value, to_high), to_high);
  parts.high = hn::Add(parts.high, high);
  parts.low = hn::Add(parts.low, hn::Sub(hn::Add(hn::Sub(value, high), to_low), to_low));
}
HWY_INLINE BlockSum total(const Parts& parts) {
  return {hn::GetLane(hn::SumOfLanes(Doubles(), parts.high)), hn::GetLane(hn::SumOfLanes(Doubles(), parts.low))};
}

template <bool kSurprises>
HWY_INLINE void sum_blocks(const float* logits, std::size_t size, Heat heat, BlockSum* sums, BlockSum* surprises) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const auto max = hn::Set(d, static_cast<double>(heat.max));
  const auto scale = hn::Set(d, heat.scale);
  const auto zero = hn::Zero(d);
  for (std::size_t begin = 0; begin < size; begin += kBlock) {
    Parts sum_parts = no_parts();
    Parts surprise_parts = no_parts();
    std::size_t i = begin;
    const std::size_t end = begin + kBlock < size ? begin + kBlock : size;
    // Two at a time, which keeps more of the processor busy than the chain of one exponential.
    for (; !kSurprises && i + 2 * lanes <= end; i += 2 * lanes) {
      Double clamped;
      const auto first = exponent_at(logits + i, max, scale);
      const auto second = exponent_at(logits + i + lanes, max, scale);
      const auto first_weight = exp_of(first, clamped);
      const auto second_weight = exp_of(second, clamped);
      add(sum_parts, first_weight);
      add(sum_parts, second_weight);
    }
    for (; i + lanes <= end; i += lanes) {
      Double clamped;
      const auto weight = exp_of(exponent_at(logits + i, max, scale), clamped);
      add(sum_parts, weight);
      if (kSurprises) add(surprise_parts, hn::Mul(weight, hn::Sub(zero, clamped)));
    }
    BlockSum sum = total(sum_parts);
    BlockSum surprise = total(surprise_parts);
    for (; i < end; ++i) plain::add_weight(logits[i], heat, sum, surprise);
    sums[begin / kBlock] = sum;
    if (kSurprises) surprises[begin / kBlock] = surprise;
  }
}

void sums_of(const float* logits, std::size_t size, Heat heat, BlockSum* sums, BlockSum* surprises) {
  if (surprises != nullptr) {
    sum_blocks<true>(logits, size, heat, sums, surprises);
  } else {
    sum_blocks<false>(logits, size, heat, sums, nullptr);
  }
}

// Single precision: x = (l - max) / T is at most 80 in size where it counts, so it is right to 2e-5, and so is exp(x)
// relatively; the rest (the polynomial 1e-6, sums of 64 in a lane 4e-6) is less.
double sum_of(const float* logits, std::size_t size, Heat heat) {
  const Floats d;
  const Doubles dd;
  const hn::Half<Floats> half;
  const hn::RebindToSigned<Floats> di;
  const std::size_t lanes = hn::Lanes(d);
  const auto set = [&](float value) HWY_ATTR { return hn::Set(d, value); };
  const auto max = set(heat.max);
  const auto scale = set(static_cast<float>(heat.scale));
  const auto exp_at = [&](std::size_t i) HWY_ATTR {
    const auto x = hn::Mul(hn::Sub(hn::LoadU(d, logits + i), max), scale);
    const auto clamped = hn::Max(x, set(-80.0F));
    const auto k = hn::Round(hn::Mul(clamped, set(1.44269504F)));
    const auto r = hn::NegMulAdd(k, set(0.693147181F), clamped);
    auto series = hn::MulAdd(r, set(1.0F / 120), set(1.0F / 24));
    series = hn::MulAdd(series, r, set(1.0F / 6));
    series = hn::MulAdd(series, r, set(0.5F));
    series = hn::MulAdd(series, r, set(1.0F));
    series = hn::MulAdd(series, r, set(1.0F));
    const auto power = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(di, k), hn::Set(di, 127)));
    return hn::IfThenElseZero(hn::Ge(x, set(-80.0F)), hn::Mul(series, hn::BitCast(d, power)));
  };
  auto total = hn::Zero(dd);
  const std::size_t whole = size - size % kBlock;
  for (std::size_t begin = 0; begin < whole; begin += kBlock) {
    auto first = hn::Zero(d);
    auto second = hn::Zero(d);
    for (std::size_t i = begin; i < begin + kBlock; i += 2 * lanes) {
      first = hn::Add(first, exp_at(i));
      second = hn::Add(second, exp_at(i + lanes));
    }
    const auto sum = hn::Add(first, second);
    total = hn::Add(total, hn::PromoteTo(dd, hn::LowerHalf(half, sum)));
    total = hn::Add(total, hn::PromoteTo(dd, hn::UpperHalf(half, sum)));
  }
  return hn::GetLane(hn::SumOfLanes(dd, total)) + plain::approximate_sum(logits + whole, size - whole, heat);
}

std::size_t reaching(const float* logits, std::size_t size, const float* maxima, float floor, std::uint32_t* out) {
  const Floats d;
  const Words dw;
  const std::size_t lanes = hn::Lanes(d);
  const auto least = hn::Set(d, floor);
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < size; begin += kBlock) {
    if (!(maxima[begin / kBlock] >= floor)) continue;
    std::size_t i = begin;
    const std::size_t end = begin + kBlock < size ? begin + kBlock : size;
    for (; i + lanes <= end; i += lanes) {
      const auto reaches = hn::Ge(hn::LoadU(d, logits + i), least);
      if (hn::AllFalse(d, reaches)) continue;
      const auto indices = hn::Iota(dw, static_cast<std::uint32_t>(i));
      count += hn::CompressStore(indices, hn::RebindMask(dw, reaches), dw, out + count);
    }
    for (; i < end; ++i) {
      if (logits[i] >= floor) out[count++] = static_cast<std::uint32_t>(i);
    }
  }
  return count;
}

std::size_t set_words(const std::uint32_t* words, std::size_t size, std::uint32_t* out) {
  const Words d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t count = 0;
  std::size_t i = 0;
  const auto zero = hn::Zero(d);
  const auto add_at = [&](std::size_t at) HWY_ATTR {
    const auto set = hn::Ne(hn::LoadU(d, words + at), zero);
    if (hn::AllFalse(d, set)) return;
    count += hn::CompressStore(hn::Iota(d, static_cast<std::uint32_t>(at)), set, d, out + count);
  };
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    const auto low = hn::Or(hn::LoadU(d, words + i), hn::LoadU(d, words + i + lanes));
    const auto high = hn::Or(hn::LoadU(d, words + i + 2 * lanes), hn::LoadU(d, words + i + 3 * lanes));
    if (hn::AllTrue(d, hn::Eq(hn::Or(low, high), zero))) continue;
    for (std::size_t part = 0; part < 4; ++part) add_at(i + part * lanes);
  }
  for (; i < size; ++i) {
    if (words[i] != 0) out[count++] = static_cast<std::uint32_t>(i);
  }
  return count;
}

#endif

}  // namespace
}  // namespace weir::sampling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weir::sampling {

HWY_EXPORT(maxima_of);
HWY_EXPORT(weights_of);
HWY_EXPORT(sums_of);
HWY_EXPORT(sum_of);
HWY_EXPORT(reaching);
HWY_EXPORT(set_words);

Extremes block_maxima(const float* logits, std::size_t size, float* maxima) noexcept {
  return HWY_DYNAMIC_DISPATCH(maxima_of)(logits, size, maxima);
}
void exponentials(const float* logits, std::size_t size, Heat heat, double* out) noexcept {
  HWY_DYNAMIC_DISPATCH(weights_of)(logits, size, heat, out);
}
void block_sums(const float* logits, std::size_t size, Heat heat, BlockSum* sums, BlockSum* surprises) noexcept {
  HWY_DYNAMIC_DISPATCH(sums_of)(logits, size, heat, sums, surprises);
}
double approximate_sum(const float* logits, std::size_t size, Heat heat) noexcept {
  return HWY_DYNAMIC_DISPATCH(sum_of)(logits, size, heat);
}
std::size_t at_least(const float* logits, std::size_t size, const float* maxima, float floor,
                     std::uint32_t* out) noexcept {
  return HWY_DYNAMIC_DISPATCH(reaching)(logits, size, maxima, floor, out);
}
std::size_t nonzero(const std::uint32_t* words, std::size_t size, std::uint32_t* out) noexcept {
  return HWY_DYNAMIC_DISPATCH(set_words)(words, size, out);
}

}  // namespace weir::sampling
#endif
