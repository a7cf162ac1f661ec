// The vector kernels of apply_mask; how Highway compiles this file is told in automata/kernels/mask_kernels.cpp.
#include "kernels/apply_mask.hpp"

#include <algorithm>
#include <limits>

#include "weir/sampler/logits.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/apply_mask.cpp"  // NOLINT(readability-identifier-naming)
#include <hwy/foreach_target.h>
// Highway's own order: highway.h comes after foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weir::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__

// Highway would emulate vectors, or take the bits of a word in another order than its bytes.
template <class T>
HWY_INLINE void apply(T* logits, const std::uint32_t* mask, std::size_t words, T impossible) {
  plain::apply_mask(logits, mask, words, impossible);
}

#elif HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2

namespace hn = hwy::HWY_NAMESPACE;

// No registers of mask bits, and stores under a mask are missing or, on some processors, very slow: compare, blend and
// store everything.
template <class T>
HWY_INLINE void apply(T* logits, const std::uint32_t* mask, std::size_t words, T impossible) {
  const hn::ScalableTag<T> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  using Bits = hn::TFromD<decltype(du)>;
  constexpr std::size_t kWidth = 8 * sizeof(T);
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  static_assert(kWidth % kLanes == 0);
  HWY_ALIGN Bits bit_of[kWidth];
  for (std::size_t i = 0; i < kWidth; ++i) bit_of[i] = static_cast<Bits>(Bits{1} << i);
  const auto cut = hn::Set(d, impossible);
  for (std::size_t word = 0; word < words; ++word, logits += 32) {
    const std::uint32_t allowed = mask[word];
    if (allowed == 0xFFFFFFFFU) continue;
    if (allowed == 0) {
      for (std::size_t i = 0; i < 32; i += kLanes) hn::StoreU(cut, d, logits + i);
      continue;
    }
    for (std::size_t part = 0; part < 32; part += kWidth) {
      const auto bits = hn::Set(du, static_cast<Bits>(allowed >> part));
      for (std::size_t i = 0; i < kWidth; i += kLanes) {
        T* const to = logits + part + i;
        const auto is_cut = hn::Eq(hn::And(bits, hn::Load(du, bit_of + i)), hn::Zero(du));
        hn::StoreU(hn::IfThenElse(hn::RebindMask(d, is_cut), cut, hn::LoadU(d, to)), d, to);
      }
    }
  }
}

#else

namespace hn = hwy::HWY_NAMESPACE;

// A store under a mask reads no logits.
template <class T>
HWY_INLINE void apply(T* logits, const std::uint32_t* mask, std::size_t words, T impossible) {
  const hn::CappedTag<T, 32> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto cut = hn::Set(d, impossible);
  for (std::size_t word = 0; word < words; ++word, logits += 32) {
    const std::uint32_t clear = ~mask[word];
    if (clear == 0) continue;
    for (std::size_t i = 0; i < 32; i += lanes) {
      const std::uint64_t bits = clear >> i;  // LoadMaskBits may read 8 bytes
      std::uint8_t bytes[sizeof(bits)];
      hwy::CopyBytes<sizeof(bits)>(&bits, bytes);
      hn::BlendedStore(cut, hn::LoadMaskBits(d, bytes), d, logits + i);
    }
  }
}

#endif

void apply_32(float* logits, const std::uint32_t* mask, std::size_t words, float impossible) {
  apply(logits, mask, words, impossible);
}
void apply_16(std::uint16_t* logits, const std::uint32_t* mask, std::size_t words, std::uint16_t impossible) {
  apply(logits, mask, words, impossible);
}

}  // namespace
}  // namespace weir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weir {

template void plain::apply_mask(float*, const std::uint32_t*, std::size_t, float) noexcept;
template void plain::apply_mask(std::uint16_t*, const std::uint32_t*, std::size_t, std::uint16_t) noexcept;

namespace {

HWY_EXPORT(apply_32);
HWY_EXPORT(apply_16);

// Whole words of logits to the kernel, then those of a last word, then those that the mask has no bits for.
template <class T, class Kernel>
void apply_all(std::span<T> logits, std::span<const std::uint32_t> mask, T impossible, Kernel kernel) noexcept {
  const std::size_t words = std::min(mask.size(), logits.size() / 32);
  kernel(logits.data(), mask.data(), words, impossible);
  std::span<T> rest = logits.subspan(words * 32);
  if (words < mask.size()) {
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if ((mask[words] >> i & 1U) == 0) rest[i] = impossible;
    }
  } else {
    std::fill(rest.begin(), rest.end(), impossible);
  }
}

}  // namespace

void apply_mask(std::span<float> logits, std::span<const std::uint32_t> mask) noexcept {
  apply_all(logits, mask, -std::numeric_limits<float>::infinity(), HWY_DYNAMIC_DISPATCH(apply_32));
}

void apply_mask_float16(std::span<std::uint16_t> logits, std::span<const std::uint32_t> mask) noexcept {
  apply_all(logits, mask, std::uint16_t{0xFC00}, HWY_DYNAMIC_DISPATCH(apply_16));
}

void apply_mask_bfloat16(std::span<std::uint16_t> logits, std::span<const std::uint32_t> mask) noexcept {
  apply_all(logits, mask, std::uint16_t{0xFF80}, HWY_DYNAMIC_DISPATCH(apply_16));
}

}  // namespace weir
#endif
