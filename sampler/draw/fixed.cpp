#include "draw/fixed.hpp"

#include <bit>

#include "math/portable_math.hpp"

namespace weir::sampling {

Uint128 uniform_below(const RandomStream& stream, std::uint64_t position, Uint128 bound, std::uint32_t round) noexcept {
  const auto high = static_cast<std::uint64_t>((bound - 1) >> 64U);
  const auto low = static_cast<std::uint64_t>(bound - 1);
  const auto bits = static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
  const Uint128 keep = (static_cast<Uint128>(1) << static_cast<unsigned>(bits)) - 1;
  for (std::uint32_t attempt = round << 16U;; ++attempt) {
    const auto block = stream.block(position, attempt);
    Uint128 value = 0;
    for (const std::uint32_t word : block) value = value << 32U | word;
    // Running into the attempts of the next round takes 2^16 rejections, a chance of 2^-65536.
    if ((value & keep) < bound) return value & keep;
  }
}

double uniform_unit(const RandomStream& stream, std::uint64_t position, std::uint32_t attempt) noexcept {
  const auto block = stream.block(position, attempt);
  const std::uint64_t bits = (static_cast<std::uint64_t>(block[0]) << 32U | block[1]) >> 11U;
  return (static_cast<double>(bits) + 0.5) * 0x1p-53;
}

double standard_gumbel(const RandomStream& stream, std::uint64_t position, std::uint32_t attempt) noexcept {
  const double u = uniform_unit(stream, position, attempt);
  // -log(1 - u), which is as good as -log u, keeps its digits where it is small: that is the tail that wins.
  const double exponential =
      u < 0x1p-10 ? u * (1.0 + u * (1.0 / 2 + u * (1.0 / 3 + u * (1.0 / 4 + u * (1.0 / 5))))) : -portable_log(1.0 - u);
  return -portable_log(exponential);
}

}  // namespace weir::sampling
