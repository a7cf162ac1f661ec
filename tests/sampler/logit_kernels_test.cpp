// The kernels over logits against the obvious loops, bit by bit, on every instruction set that this processor has.
#include "kernels/logit_kernels.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "reference/vector_targets.hpp"

namespace weir::sampling {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class LogitKernels : public testing::EachVectorTarget {};

// Logits of any spread, some of them -infinity; every length up to a few blocks.
std::vector<float> random_logits(std::mt19937& random, int round) {
  const std::size_t size = round < 540 ? static_cast<std::size_t>(round) : random() % 20'000;
  std::normal_distribution<float> normal(0.0F, std::pow(10.0F, static_cast<float>(random() % 7) - 2.0F));
  std::vector<float> logits(size);
  for (float& logit : logits) logit = random() % 16 == 0 ? -kInfinity : normal(random);
  return logits;
}

float greatest(const std::vector<float>& logits) {
  float max = -1;
  for (const float logit : logits) max = std::max(max, logit);
  return max;
}

TEST_P(LogitKernels, MaximaAreThoseOfTheObviousLoop) {
  std::mt19937 random(1);
  for (int round = 0; round < 700; ++round) {
    std::vector<float> logits = random_logits(random, round);
    const bool spoilt = !logits.empty() && round % 3 == 0;
    if (spoilt) logits[random() % logits.size()] = round % 2 == 0 ? kInfinity : std::nanf("");
    const std::size_t blocks = (logits.size() + kBlock - 1) / kBlock;
    std::vector<float> expected(blocks);
    std::vector<float> maxima(blocks);
    const Extremes plain = plain::block_maxima(logits.data(), logits.size(), expected.data());
    const Extremes found = block_maxima(logits.data(), logits.size(), maxima.data());
    ASSERT_EQ(found.finite, !spoilt);
    if (spoilt) continue;
    ASSERT_EQ(found, plain);
    ASSERT_EQ(maxima, expected);
  }
}

TEST_P(LogitKernels, WeightsAndSumsHaveTheSameBits) {
  std::mt19937 random(2);
  for (int round = 0; round < 700; ++round) {
    const std::vector<float> logits = random_logits(random, round);
    const double scale = std::pow(10.0, static_cast<double>(random() % 9) - 4.0);
    const Heat heat{greatest(logits), round % 50 == 0 ? std::numeric_limits<double>::max() : scale};
    std::vector<double> expected(logits.size());
    std::vector<double> weights(logits.size());
    plain::exponentials(logits.data(), logits.size(), heat, expected.data());
    exponentials(logits.data(), logits.size(), heat, weights.data());
    ASSERT_EQ(weights, expected);

    const std::size_t blocks = (logits.size() + kBlock - 1) / kBlock;
    std::vector<BlockSum> plain_sums(blocks);
    std::vector<BlockSum> plain_surprises(blocks);
    std::vector<BlockSum> sums(blocks);
    std::vector<BlockSum> surprises(blocks);
    plain::block_sums(logits.data(), logits.size(), heat, plain_sums.data(), plain_surprises.data());
    block_sums(logits.data(), logits.size(), heat, sums.data(), surprises.data());
    ASSERT_EQ(sums, plain_sums);
    ASSERT_EQ(surprises, plain_surprises);
    block_sums(logits.data(), logits.size(), heat, sums.data(), nullptr);
    ASSERT_EQ(sums, plain_sums);
    // And both are the integers that they claim to be.
    for (std::size_t block = 0; block < blocks; ++block) {
      std::int64_t low = 0;
      std::int64_t high = 0;
      for (std::size_t i = block * kBlock; i < std::min(logits.size(), (block + 1) * kBlock); ++i) {
        const auto fixed = static_cast<std::int64_t>(std::nearbyint(weights[i] * 0x1p62));
        high += fixed >> 31;
        low += fixed & 0x7FFFFFFF;
      }
      const auto sum_high = static_cast<std::int64_t>(sums[block].high * 0x1p31);
      const auto sum_low = static_cast<std::int64_t>(sums[block].low * 0x1p62);
      // Either may carry into the other.
      ASSERT_EQ(sum_high + (sum_low >> 31), high + (low >> 31));
      ASSERT_EQ(sum_low & 0x7FFFFFFF, low & 0x7FFFFFFF);
    }
  }
}

TEST_P(LogitKernels, TheApproximateSumKeepsItsBound) {
  std::mt19937 random(3);
  for (int round = 0; round < 700; ++round) {
    const std::vector<float> logits = random_logits(random, round);
    const double scale = std::pow(10.0, static_cast<double>(random() % 7) - 3.0);
    const Heat heat{greatest(logits), scale};
    const double expected = plain::approximate_sum(logits.data(), logits.size(), heat);
    const double found = approximate_sum(logits.data(), logits.size(), heat);
    ASSERT_NEAR(found, expected, expected * kApproximate / 4 + 1e-20) << logits.size() << " at scale " << scale;
  }
}

TEST_P(LogitKernels, IndicesAreThoseOfTheObviousLoop) {
  std::mt19937 random(4);
  for (int round = 0; round < 700; ++round) {
    const std::vector<float> logits = random_logits(random, round);
    std::vector<float> maxima((logits.size() + kBlock - 1) / kBlock);
    (void)plain::block_maxima(logits.data(), logits.size(), maxima.data());
    const float floor = logits.empty() || round % 9 == 0 ? -kInfinity : logits[random() % logits.size()];
    std::vector<std::uint32_t> expected(logits.size() + kBlock);
    std::vector<std::uint32_t> found(logits.size() + kBlock);
    expected.resize(plain::at_least(logits.data(), logits.size(), maxima.data(), floor, expected.data()));
    found.resize(at_least(logits.data(), logits.size(), maxima.data(), floor, found.data()));
    ASSERT_EQ(found, expected);

    std::vector<std::uint32_t> words(logits.size());
    for (std::uint32_t& word : words) word = random() % (round % 2 == 0 ? 2 : 100) == 0 ? 1U + (random() & 255U) : 0U;
    expected.assign(words.size() + kBlock, 0);
    found.assign(words.size() + kBlock, 0);
    expected.resize(plain::nonzero(words.data(), words.size(), expected.data()));
    found.resize(nonzero(words.data(), words.size(), found.data()));
    ASSERT_EQ(found, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, LogitKernels, ::testing::ValuesIn(testing::vector_targets()), testing::target_name);

}  // namespace
}  // namespace weir::sampling
