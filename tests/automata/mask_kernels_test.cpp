// The vector kernels of mask.hpp against the obvious loop, bit by bit, on every instruction set that this processor
// has.
#include "kernels/mask_kernels.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "reference/vector_targets.hpp"
#include "weir/automata/mask.hpp"

namespace weir {
namespace {

using Words = std::vector<std::uint32_t>;

class MaskKernels : public testing::EachVectorTarget {};

// Words of one kind: all zeros, all ones, one bit somewhere, or anything.
Words random_words(std::mt19937& random, std::size_t size) {
  Words words(size);
  switch (random() % 4) {
    case 0: break;
    case 1: words.assign(size, 0xFFFFFFFFU); break;
    case 2:
      if (size > 0) words[random() % size] = 1U << (random() % 32);
      break;
    default:
      for (auto& word : words) word = static_cast<std::uint32_t>(random());
  }
  return words;
}

// Every length up to a few vectors of any kind, and lengths of masks; every offset from an aligned address.
std::size_t random_length(std::mt19937& random, int round) {
  if (round < 300) return static_cast<std::size_t>(round);
  return random() % 9000;
}

std::size_t count_slowly(std::span<const std::uint32_t> words) {
  std::size_t count = 0;
  for (const std::uint32_t word : words) {
    for (unsigned bit = 0; bit < 32; ++bit) count += word >> bit & 1U;
  }
  return count;
}

TEST_P(MaskKernels, OrIsTheObviousLoop) {
  std::mt19937 random(1);
  for (int round = 0; round < 800; ++round) {
    const std::size_t size = random_length(random, round);
    const std::size_t to_offset = random() % 17;
    const std::size_t from_offset = random() % 17;
    // Words around the spans are there to stay as they are.
    Words to = random_words(random, to_offset + size + 40);
    const Words from = random_words(random, from_offset + size + 3);
    const std::size_t wider = random() % 20;  // the mask may be longer than what is added to it
    Words expected = to;
    for (std::size_t i = 0; i < size; ++i) expected[to_offset + i] = to[to_offset + i] | from[from_offset + i];
    Words plainly = to;
    plain::or_into(plainly.data() + to_offset, from.data() + from_offset, size);
    or_into(std::span(to).subspan(to_offset, size + wider), std::span(from).subspan(from_offset, size));
    ASSERT_EQ(to, expected) << size << " words at offsets " << to_offset << " and " << from_offset;
    ASSERT_EQ(plainly, expected);
  }
}

TEST_P(MaskKernels, CountIsTheObviousLoop) {
  std::mt19937 random(2);
  for (int round = 0; round < 800; ++round) {
    const std::size_t size = random_length(random, round);
    const std::size_t offset = random() % 17;
    const Words words = random_words(random, offset + size + 17);
    const auto span = std::span(words).subspan(offset, size);
    ASSERT_EQ(count_bits(span), count_slowly(span)) << size << " words at offset " << offset;
    ASSERT_EQ(plain::count_bits(span.data(), size), count_slowly(span));
  }
  // The most that a byte of a vector can count.
  const Words ones(100'000, 0xFFFFFFFFU);
  EXPECT_EQ(count_bits(ones), 3'200'000U);
}

TEST_P(MaskKernels, AnyFindsASingleBitAnywhere) {
  std::mt19937 random(3);
  for (std::size_t size = 0; size < 300; ++size) {
    const std::size_t offset = random() % 17;
    Words words(offset + size + 17);
    const auto span = std::span(words).subspan(offset, size);
    // Bits around the span do not count.
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i < offset || i >= offset + size) words[i] = 0xFFFFFFFFU;
    }
    ASSERT_FALSE(any_bit(span)) << size << " words at offset " << offset;
    for (std::size_t i = 0; i < size; ++i) {
      span[i] = 1U << (random() % 32);
      ASSERT_TRUE(any_bit(span)) << "word " << i << " of " << size << " at offset " << offset;
      ASSERT_TRUE(plain::any_bit(span.data(), size));
      span[i] = 0;
    }
  }
}

TEST_P(MaskKernels, EmptySpans) {
  or_into({}, {});
  EXPECT_EQ(count_bits({}), 0U);
  EXPECT_FALSE(any_bit({}));
}

INSTANTIATE_TEST_SUITE_P(Targets, MaskKernels, ::testing::ValuesIn(testing::vector_targets()), testing::target_name);

}  // namespace
}  // namespace weir
