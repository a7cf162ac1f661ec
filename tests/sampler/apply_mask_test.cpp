// Masks applied to logits against the obvious loop, bit by bit, on every instruction set that this processor has.
#include "kernels/apply_mask.hpp"

#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "reference/vector_targets.hpp"
#include "weir/sampler/logits.hpp"

namespace weir {
namespace {

using Mask = std::vector<std::uint32_t>;

class ApplyMask : public testing::EachVectorTarget {};

// Logits as bits, so that comparing them compares the payloads of NaNs and the signs of zeros.
struct Float32 {
  using Bits = std::uint32_t;
  static constexpr Bits kInfinity = 0xFF800000U;
  static void apply(std::span<Bits> bits, std::span<const std::uint32_t> mask) {
    std::vector<float> logits(bits.size() + 1);
    std::memcpy(logits.data(), bits.data(), bits.size_bytes());
    apply_mask(std::span(logits).first(bits.size()), mask);
    std::memcpy(bits.data(), logits.data(), bits.size_bytes());
  }
};
struct Float16 {
  using Bits = std::uint16_t;
  static constexpr Bits kInfinity = 0xFC00U;
  static void apply(std::span<Bits> bits, std::span<const std::uint32_t> mask) { apply_mask_float16(bits, mask); }
};
struct Bfloat16 {
  using Bits = std::uint16_t;
  static constexpr Bits kInfinity = 0xFF80U;
  static void apply(std::span<Bits> bits, std::span<const std::uint32_t> mask) { apply_mask_bfloat16(bits, mask); }
};

Mask random_mask(std::mt19937& random, std::size_t words) {
  Mask mask(words);
  const unsigned kind = random() % 5;
  for (auto& word : mask) {
    switch (kind) {
      case 0: word = 0; break;
      case 1: word = 0xFFFFFFFFU; break;
      case 2: word = random() % 8 == 0 ? 1U << (random() % 32) : 0U; break;
      case 3: word = random() % 8 == 0 ? ~(1U << (random() % 32)) : 0xFFFFFFFFU; break;
      default: word = static_cast<std::uint32_t>(random());
    }
  }
  return mask;
}

// Any bits: NaNs of both kinds with any payload, infinities, subnormals. The logits around the span must stay.
template <class Format>
void compare_with_the_loop(std::uint32_t seed) {
  using Bits = typename Format::Bits;
  std::mt19937 random(seed);
  for (int round = 0; round < 1500; ++round) {
    const std::size_t size = round < 600 ? static_cast<std::size_t>(round) : random() % 70'000;
    const std::size_t offset = random() % 33;
    std::vector<Bits> logits(offset + size + 40);
    for (Bits& logit : logits) logit = static_cast<Bits>(random());
    const std::size_t exact = (size + 31) / 32;
    const std::size_t words = round % 3 == 0 ? exact : round % 3 == 1 ? random() % (exact + 1) : exact + random() % 5;
    const std::size_t mask_offset = random() % 5;
    const Mask storage = random_mask(random, mask_offset + words);
    const auto mask = std::span(storage).subspan(mask_offset);
    std::vector<Bits> expected = logits;
    for (std::size_t i = 0; i < size; ++i) {
      const bool allowed = i / 32 < mask.size() && (mask[i / 32] >> (i % 32) & 1U) != 0;
      if (!allowed) expected[offset + i] = Format::kInfinity;
    }
    Format::apply(std::span(logits).subspan(offset, size), mask);
    ASSERT_EQ(logits, expected) << size << " logits at offset " << offset << ", " << words << " words of mask";
  }
}

TEST_P(ApplyMask, Float32IsTheObviousLoop) { compare_with_the_loop<Float32>(1); }
TEST_P(ApplyMask, Float16IsTheObviousLoop) { compare_with_the_loop<Float16>(2); }
TEST_P(ApplyMask, Bfloat16IsTheObviousLoop) { compare_with_the_loop<Bfloat16>(3); }

// In place at any offset from an aligned address, through the public function.
TEST_P(ApplyMask, UnalignedFloats) {
  std::mt19937 random(4);
  for (std::size_t offset = 0; offset < 17; ++offset) {
    const std::size_t size = 1000 + offset;
    std::vector<float> logits(offset + size + 20, 1.5F);
    const Mask mask = random_mask(random, size / 32 + 1);
    apply_mask(std::span(logits).subspan(offset, size), mask);
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const std::size_t t = i - offset;
      const bool inside = i >= offset && t < size;
      const bool allowed = !inside || (mask[t / 32] >> (t % 32) & 1U) != 0;
      ASSERT_EQ(logits[i], allowed ? 1.5F : -std::numeric_limits<float>::infinity()) << i << " at offset " << offset;
    }
  }
}

// A buffer of exactly the mask's and the logits' size: AddressSanitizer sees what reads past either.
TEST_P(ApplyMask, StaysInBounds) {
  for (std::size_t size = 0; size < 200; ++size) {
    for (std::size_t words = 0; words < 8; ++words) {
      std::vector<float> logits(size, 1.0F);
      logits.shrink_to_fit();
      Mask mask(words, 0x55555555U);
      mask.shrink_to_fit();
      apply_mask(logits, mask);
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(logits[i] == 1.0F, i < words * 32 && i % 2 == 0) << i << " of " << size << ", " << words << " words";
      }
    }
  }
}

// What is left after the mask is what masked_softmax makes of logits and mask.
TEST_P(ApplyMask, SoftmaxOfMaskedLogits) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> logits(3001);
  for (float& logit : logits) logit = normal(random);
  Mask mask((logits.size() + 31) / 32);
  for (std::size_t t = 0; t < logits.size(); t += 1 + random() % 9) mask[t / 32] |= 1U << (t % 32);
  const Distribution expected = masked_softmax(logits, mask).value();
  apply_mask(logits, mask);
  EXPECT_EQ(masked_softmax(logits, {}).value(), expected);
}

TEST(ApplyMaskPlain, WritesOnlyWhatIsCut) {
  std::mt19937 random(6);
  for (int round = 0; round < 200; ++round) {
    const Mask mask = random_mask(random, random() % 40);
    std::vector<std::uint16_t> logits(mask.size() * 32);
    for (auto& logit : logits) logit = static_cast<std::uint16_t>(random());
    auto expected = logits;
    for (std::size_t t = 0; t < logits.size(); ++t) {
      if ((mask[t / 32] >> (t % 32) & 1U) == 0) expected[t] = 0xFC00U;
    }
    plain::apply_mask(logits.data(), mask.data(), mask.size(), std::uint16_t{0xFC00U});
    ASSERT_EQ(logits, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ApplyMask, ::testing::ValuesIn(testing::vector_targets()), testing::target_name);

}  // namespace
}  // namespace weir
