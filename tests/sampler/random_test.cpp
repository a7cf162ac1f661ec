#include "weir/sampler/random.hpp"

#include <set>

#include <gtest/gtest.h>

namespace weir {
namespace {

using Block = std::array<std::uint32_t, 4>;

// The published answers for Philox4x32 with 10 rounds (Random123, kat_vectors).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, PlacesItsWords) {
  const RandomStream random(0x299f31d0a4093822U, 0x03707344);
  EXPECT_EQ(random.block(0x85a308d3243f6a88U, 0x13198a2e), (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, EveryArgumentMatters) {
  std::set<Block> blocks;
  for (const std::uint64_t high : {std::uint64_t{0}, std::uint64_t{1} << 32U}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      for (std::uint32_t stream = 0; stream < 4; ++stream) {
        for (std::uint64_t position = 0; position < 4; ++position) {
          for (std::uint32_t attempt = 0; attempt < 4; ++attempt) {
            blocks.insert(RandomStream(seed + high, stream).block(position + high, attempt));
          }
        }
      }
    }
  }
  EXPECT_EQ(blocks.size(), 2U * 4 * 4 * 4 * 4);
}

}  // namespace
}  // namespace weir
