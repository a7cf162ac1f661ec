// Masks filled in batches: the same as one by one, for any number of threads, grammars and forks. Meant to be run under
// ThreadSanitizer too (preset tsan).
#include "weir/automata/batch.hpp"

#include <atomic>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "reference/json_vocabulary.hpp"
#include "reference/tree_schema.hpp"

namespace weir {
namespace {

using Rows = std::vector<std::uint32_t>;

ThreadPool pool_of(std::size_t threads) { return ThreadPool::create(threads).value(); }

std::vector<CompiledGrammar> grammars_of(Compiler& compiler) {
  return {compiler.compile_json_schema(testing::kTreeSchema).value(), compiler.compile_json_schema("true").value(),
          compiler.compile_regex("[ab]{2,5}(name|key)*").value(),
          compiler.compile_ebnf(R"(root ::= "[" root* "]" | "a" "b"?)").value()};
}

// A walk of a few random tokens.
void walk(Matcher& matcher, std::mt19937& random, std::size_t steps) {
  Rows mask(matcher.vocabulary().mask_words());
  for (std::size_t step = 0; step < steps && !matcher.is_terminated(); ++step) {
    matcher.fill_mask(mask);
    std::vector<TokenId> allowed;
    for (TokenId t = 0; t < matcher.vocabulary().size(); ++t) {
      if ((mask[t >> 5U] >> (t & 31U) & 1U) != 0) allowed.push_back(t);
    }
    ASSERT_FALSE(allowed.empty());
    ASSERT_TRUE(matcher.accept(allowed[random() % allowed.size()]));
  }
}

// Sequences of every grammar in different states, some with forks of their own, in random order: as a scheduler has
// them. Clones have memory of their own, so the plain loop below does not prepare what the batch then reads.
std::vector<Matcher> batch_of(const std::vector<CompiledGrammar>& grammars, std::mt19937& random) {
  std::vector<Matcher> matchers;
  for (int i = 0; i < 12; ++i) {
    Matcher& first = matchers.emplace_back(grammars[random() % grammars.size()]);
    walk(first, random, random() % 12);
    for (std::size_t forks = i % 3 == 0 ? random() % 4 : 0; forks > 0; --forks) {
      Matcher fork = matchers[matchers.size() - 1].fork();
      walk(fork, random, random() % 4);
      matchers.push_back(std::move(fork));
    }
  }
  std::shuffle(matchers.begin(), matchers.end(), random);
  return matchers;
}

std::vector<Matcher*> pointers_to(std::vector<Matcher>& matchers) {
  std::vector<Matcher*> pointers;
  for (Matcher& matcher : matchers) pointers.push_back(&matcher);
  return pointers;
}

TEST(Batch, EqualsOneByOne) {
  const auto vocabulary = testing::json_vocabulary(31);
  std::mt19937 random(1);
  for (const std::size_t threads : {1U, 2U, 3U, 8U}) {
    ThreadPool pool = pool_of(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int round = 0; round < 8; ++round) {
      Compiler compiler(vocabulary);  // new, so that the threads fill its caches together
      const auto grammars = grammars_of(compiler);
      std::vector<Matcher> matchers = batch_of(grammars, random);
      const std::size_t width = vocabulary->mask_words() + random() % 3;
      Rows expected;
      for (Matcher& matcher : matchers) {
        Rows row(width, 0xDEADBEEFU);
        matcher.clone().fill_mask(row);
        expected.insert(expected.end(), row.begin(), row.end());
      }
      Rows rows(matchers.size() * width + 5, 0xDEADBEEFU);
      expected.insert(expected.end(), 5, 0xDEADBEEFU);  // past the last row nothing is written
      const auto pointers = pointers_to(matchers);
      const Status filled = fill_masks(pool, pointers, rows, width);
      ASSERT_TRUE(filled) << filled.error().to_string();
      ASSERT_EQ(rows, expected) << threads << " threads, round " << round;
    }
  }
}

// Step after step on one pool, as in generation, matchers moving from thread to thread.
TEST(Batch, ManySteps) {
  Compiler compiler(testing::json_vocabulary(32));
  const auto grammars = grammars_of(compiler);
  std::mt19937 random(2);
  std::vector<Matcher> matchers = batch_of(grammars, random);
  std::vector<Matcher> reference;
  reference.reserve(matchers.size());
  for (const Matcher& matcher : matchers) reference.push_back(matcher.clone());
  const auto pointers = pointers_to(matchers);
  const std::size_t words = compiler.vocabulary()->mask_words();
  ThreadPool pool = pool_of(4);
  Rows rows(matchers.size() * words);
  Rows row(words);
  for (int step = 0; step < 30; ++step) {
    ASSERT_TRUE(fill_masks(pool, pointers, rows, words));
    for (std::size_t i = 0; i < matchers.size(); ++i) {
      const auto mask = std::span(rows).subspan(i * words, words);
      reference[i].fill_mask(row);
      ASSERT_TRUE(std::equal(row.begin(), row.end(), mask.begin())) << "matcher " << i << ", step " << step;
      std::vector<TokenId> allowed;
      for (TokenId t = 0; t < words * 32; ++t) {
        if ((mask[t >> 5U] >> (t & 31U) & 1U) != 0) allowed.push_back(t);
      }
      if (allowed.empty()) continue;  // terminated
      const TokenId chosen = allowed[random() % allowed.size()];
      ASSERT_TRUE(matchers[i].accept(chosen));
      ASSERT_TRUE(reference[i].accept(chosen));
    }
  }
}

TEST(Batch, ForksAreKnownByTheirSequence) {
  Compiler compiler(testing::json_vocabulary(33));
  const auto grammar = compiler.compile_json_schema("true").value();
  const Matcher matcher(grammar);
  const Matcher other(grammar);
  const Matcher fork = matcher.fork();
  EXPECT_EQ(fork.fork().sequence_id(), matcher.sequence_id());
  EXPECT_NE(other.sequence_id(), matcher.sequence_id());
  EXPECT_NE(matcher.clone().sequence_id(), matcher.sequence_id());
}

// A batch of nothing but forks, and one matcher twice: legal, on one thread.
TEST(Batch, OneSequenceManyTimes) {
  Compiler compiler(testing::json_vocabulary(34));
  const auto grammar = compiler.compile_json_schema(testing::kTreeSchema).value();
  std::vector<Matcher> matchers;
  matchers.emplace_back(grammar);
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    Matcher fork = matchers[random() % matchers.size()].fork();
    walk(fork, random, 1 + random() % 3);
    matchers.push_back(std::move(fork));
  }
  auto pointers = pointers_to(matchers);
  pointers.push_back(pointers.front());
  const std::size_t words = compiler.vocabulary()->mask_words();
  Rows rows(pointers.size() * words);
  ThreadPool pool = pool_of(4);
  ASSERT_TRUE(fill_masks(pool, pointers, rows, words));
  Rows row(words);
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    pointers[i]->clone().fill_mask(row);
    EXPECT_TRUE(std::equal(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * words))) << i;
  }
}

TEST(Batch, WhatIsRefused) {
  Compiler compiler(testing::json_vocabulary(35));
  const auto grammar = compiler.compile_json_schema("true").value();
  Matcher a(grammar);
  Matcher b(grammar);
  const std::size_t words = compiler.vocabulary()->mask_words();
  ThreadPool pool = pool_of(2);
  Rows rows(2 * words, 7);
  const Rows before = rows;
  const auto refused = [&](std::vector<Matcher*> matchers, std::size_t size, std::size_t width) {
    const Status status = fill_masks(pool, matchers, std::span(rows).first(size), width);
    return !status && status.error().code == ErrorCode::kArgument;
  };
  EXPECT_TRUE(refused({&a, nullptr}, 2 * words, words));
  EXPECT_TRUE(refused({&a, &b}, 2 * words - 1, words));
  EXPECT_TRUE(refused({&a, &b}, 2 * words, words - 1));
  EXPECT_TRUE(refused({&a, &b}, 2 * words, 0));
  EXPECT_TRUE(refused({&a, &b}, 2 * words, ~std::size_t{0}));  // a product that overflows
  EXPECT_EQ(rows, before);
  EXPECT_TRUE(fill_masks(pool, {}, {}, 0));
  EXPECT_EQ(ThreadPool::create(0).error().code, ErrorCode::kArgument);
  EXPECT_EQ(ThreadPool::create(ThreadPool::kMaxThreads + 1).error().code, ErrorCode::kArgument);
}

// Each piece exactly once, what was written visible afterwards, whoever comes late.
TEST(ThreadPool, EachPieceOnce) {
  for (const std::size_t threads : {1U, 2U, 5U}) {
    ThreadPool pool = pool_of(threads);
    for (std::size_t round = 0; round < 2000; ++round) {
      const std::size_t count = round % 23;
      std::vector<int> times(count);  // not atomic: no two threads may have the same piece
      pool.for_each(count, [&](std::size_t i) noexcept {
        ++times[i];
        if (round % 2 == 0) std::this_thread::yield();  // time enough for the others to come
      });
      ASSERT_EQ(times, std::vector<int>(count, 1)) << "round " << round;
    }
  }
}

TEST(ThreadPool, WorksOnAllItsThreads) {
  ThreadPool pool = pool_of(3);
  // Each piece waits for the others, so each needs a thread of its own.
  std::atomic<int> arrived{0};
  pool.for_each(3, [&](std::size_t) noexcept {
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 3);
}

TEST(ThreadPool, CallersTakeTurns) {
  ThreadPool pool = pool_of(3);
  std::atomic<int> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 300; ++round) pool.for_each(7, [&](std::size_t i) noexcept { sum += int(i); });
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 300 * 21);
}

TEST(ThreadPool, MovesWithItsThreads) {
  ThreadPool first = pool_of(2);
  ThreadPool second = std::move(first);
  first = pool_of(3);
  std::atomic<int> calls{0};
  for (ThreadPool* pool : {&first, &second}) pool->for_each(10, [&](std::size_t) noexcept { ++calls; });
  EXPECT_EQ(calls, 20);
  second = std::move(first);  // ends the threads it had
  EXPECT_EQ(second.threads(), 3U);
}

}  // namespace
}  // namespace weir
