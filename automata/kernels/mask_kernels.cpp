// Vector kernels over the words of masks. Highway compiles the part between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE once for each instruction set, and picks one when a kernel is first called; the rest is for the
// build's own baseline.
#include "kernels/mask_kernels.hpp"

#include "weir/automata/mask.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mask_kernels.cpp"  // NOLINT(readability-identifier-naming)
#include <hwy/foreach_target.h>
// Highway's own order: highway.h comes after foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weir::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR

// Highway would emulate vectors; the compiler does better with the plain loops.
void or_words(std::uint32_t* to, const std::uint32_t* from, std::size_t size) { plain::or_into(to, from, size); }
std::size_t count_words(const std::uint32_t* words, std::size_t size) { return plain::count_bits(words, size); }
bool any_word(const std::uint32_t* words, std::size_t size) { return plain::any_bit(words, size); }

#else

namespace hn = hwy::HWY_NAMESPACE;

void or_words(std::uint32_t* HWY_RESTRICT to, const std::uint32_t* HWY_RESTRICT from, std::size_t size) {
  const hn::ScalableTag<std::uint32_t> d;
  const std::size_t lanes = hn::Lanes(d);
  if (size < lanes) {
    plain::or_into(to, from, size);
    return;
  }
  // Or twice is or once: the first and the last vector may overlap the others, which are stored at aligned addresses.
  const auto or_at = [&](std::size_t i)
                         HWY_ATTR { hn::StoreU(hn::Or(hn::LoadU(d, to + i), hn::LoadU(d, from + i)), d, to + i); };
  or_at(0);
  const std::size_t misplaced = reinterpret_cast<std::uintptr_t>(to) / sizeof(std::uint32_t) % lanes;
  std::size_t i = lanes - misplaced;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    or_at(i);
    or_at(i + lanes);
  }
  if (i + lanes <= size) or_at(i);
  or_at(size - lanes);
}

std::size_t count_words(const std::uint32_t* words, std::size_t size) {
  const hn::ScalableTag<std::uint8_t> d8;
  const hn::Repartition<std::uint64_t, decltype(d8)> d64;
  const std::size_t step = hn::Lanes(d8) / sizeof(std::uint32_t);
  const std::size_t whole = size - size % step;
  auto total = hn::Zero(d64);
  std::size_t i = 0;
  while (i < whole) {
    // Each vector adds at most 8 to a byte: 31 of them fit.
    const std::size_t most = i + 31 * step;
    const std::size_t end = most < whole ? most : whole;
    auto counts = hn::Zero(d8);
    for (; i < end; i += step) {
      const auto bytes = hn::LoadU(d8, reinterpret_cast<const std::uint8_t*>(words + i));
      counts = hn::Add(counts, hn::PopulationCount(bytes));
    }
    total = hn::Add(total, hn::SumsOf8(counts));
  }
  return static_cast<std::size_t>(hn::GetLane(hn::SumOfLanes(d64, total))) + plain::count_bits(words + i, size - i);
}

bool any_word(const std::uint32_t* words, std::size_t size) {
  const hn::ScalableTag<std::uint32_t> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    const auto low = hn::Or(hn::LoadU(d, words + i), hn::LoadU(d, words + i + lanes));
    const auto high = hn::Or(hn::LoadU(d, words + i + 2 * lanes), hn::LoadU(d, words + i + 3 * lanes));
    if (!hn::AllTrue(d, hn::Eq(hn::Or(low, high), hn::Zero(d)))) return true;
  }
  return plain::any_bit(words + i, size - i);
}

#endif

}  // namespace
}  // namespace weir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weir {

HWY_EXPORT(or_words);
HWY_EXPORT(count_words);
HWY_EXPORT(any_word);

void or_into(std::span<std::uint32_t> mask, std::span<const std::uint32_t> other) noexcept {
  HWY_DYNAMIC_DISPATCH(or_words)(mask.data(), other.data(), other.size());
}

std::size_t count_bits(std::span<const std::uint32_t> mask) noexcept {
  return HWY_DYNAMIC_DISPATCH(count_words)(mask.data(), mask.size());
}

bool any_bit(std::span<const std::uint32_t> mask) noexcept {
  return HWY_DYNAMIC_DISPATCH(any_word)(mask.data(), mask.size());
}

}  // namespace weir
#endif
