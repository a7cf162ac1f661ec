#include "weir/sampler/draw_batch.hpp"

#include <random>

#include <gtest/gtest.h>

namespace weir {
namespace {

struct Batch {
  static constexpr std::size_t kWidth = 5000;
  static constexpr std::size_t kWords = (kWidth + 31) / 32 + 2;  // rows may be wider
  std::vector<float> logits;
  std::vector<std::uint32_t> rows;
  std::vector<Sampler> samplers;
  std::vector<Sampler*> pointers;

  explicit Batch(std::size_t count) : rows(count * kWords) {
    std::mt19937_64 random(1);
    std::normal_distribution<float> normal(0, 2);
    for (std::size_t i = 0; i < count * kWidth; ++i) logits.push_back(normal(random));
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t t = 0; t < kWidth; ++t) {
        if (random() % (i % 2 == 0 ? 2 : 200) == 0) rows[i * kWords + t / 32] |= 1U << (t % 32);
      }
      SamplingParameters p{.temperature = 0.5 + 0.1 * static_cast<double>(i % 7), .seed = 3};
      p.stream = static_cast<std::uint32_t>(i);
      if (i % 3 == 0) p.top_p = 0.9;
      samplers.push_back(*Sampler::create(p));
    }
    for (Sampler& sampler : samplers) pointers.push_back(&sampler);
  }
};

TEST(DrawBatch, TheSameOnAnyNumberOfThreads) {
  constexpr std::size_t kCount = 37;
  std::vector<TokenId> expected;
  Batch one(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto mask = std::span<const std::uint32_t>(one.rows).subspan(i * Batch::kWords, Batch::kWords);
    expected.push_back(one.samplers[i]
                           .draw(std::span<const float>(one.logits).subspan(i * Batch::kWidth, Batch::kWidth), mask)
                           ->token);
  }
  for (const std::size_t threads : {1U, 2U, 5U}) {
    auto pool = ThreadPool::create(threads);
    ASSERT_TRUE(pool);
    Batch batch(kCount);
    const auto draws = draw_batch(*pool, batch.pointers, batch.logits, Batch::kWidth, batch.rows, Batch::kWords);
    ASSERT_TRUE(draws) << draws.error().to_string();
    ASSERT_EQ(draws->size(), kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_TRUE((*draws)[i]);
      EXPECT_EQ((*draws)[i]->token, expected[i]);
    }
  }
}

TEST(DrawBatch, ErrorsOfOneAreItsOwn) {
  auto pool = ThreadPool::create(2);
  Batch batch(3);
  for (std::size_t w = 0; w < Batch::kWords; ++w) batch.rows[Batch::kWords + w] = 0;
  const auto draws = draw_batch(*pool, batch.pointers, batch.logits, Batch::kWidth, batch.rows, Batch::kWords);
  ASSERT_TRUE(draws);
  EXPECT_TRUE((*draws)[0]);
  EXPECT_EQ((*draws)[1].error().code, ErrorCode::kInvalid);
  EXPECT_TRUE((*draws)[2]);
  EXPECT_EQ(batch.samplers[1].position(), 0U);
}

TEST(DrawBatch, BadArguments) {
  auto pool = ThreadPool::create(1);
  Batch batch(2);
  const auto code = [&](std::span<Sampler* const> samplers, std::size_t width, std::size_t words) {
    const auto draws = draw_batch(*pool, samplers, batch.logits, width, batch.rows, words);
    return draws ? ErrorCode::kIo : draws.error().code;
  };
  EXPECT_EQ(code(batch.pointers, Batch::kWidth + 1, Batch::kWords), ErrorCode::kArgument);
  EXPECT_EQ(code(batch.pointers, Batch::kWidth, Batch::kWords + 1), ErrorCode::kArgument);
  EXPECT_EQ(code(batch.pointers, Batch::kWidth, 0), ErrorCode::kArgument);
  const std::vector<Sampler*> null{batch.pointers[0], nullptr};
  EXPECT_EQ(code(null, Batch::kWidth, Batch::kWords), ErrorCode::kArgument);
  const std::vector<Sampler*> twice{batch.pointers[0], batch.pointers[0]};
  EXPECT_EQ(code(twice, Batch::kWidth, Batch::kWords), ErrorCode::kArgument);
}

}  // namespace
}  // namespace weir
