// Matchers on several threads over one grammar, while another thread compiles: the same masks as on one thread. Meant
// to be run under ThreadSanitizer too (preset tsan).
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "reference/json_vocabulary.hpp"
#include "reference/tree_schema.hpp"
#include "weir/automata/batch.hpp"
#include "weir/automata/matcher.hpp"

namespace weir {
namespace {

using testing::kTreeSchema;
using testing::kTreeText;

// All masks along the text, as one number.
std::uint64_t follow(const CompiledGrammar& grammar, std::string_view text = kTreeText) {
  std::uint64_t hash = 14695981039346656037U;
  std::vector<std::uint32_t> mask(grammar.vocabulary().mask_words());
  Matcher matcher(grammar);
  for (std::size_t i = 0; i < text.size(); ++i) {
    matcher.fill_mask(mask);
    for (const std::uint32_t word : mask) hash = (hash ^ word) * 1099511628211U;
    if (!matcher.accept_bytes(text.substr(i, 1))) return 0;
  }
  return matcher.is_accepting() ? hash : 0;
}

TEST(Threads, SameMasksAsOnOne) {
  const auto vocabulary = testing::json_vocabulary(21);
  Compiler alone(vocabulary);
  const auto reference = alone.compile_json_schema(kTreeSchema);
  ASSERT_TRUE(reference) << reference.error().to_string();
  const std::uint64_t expected = follow(*reference);
  ASSERT_NE(expected, 0U);

  for (int round = 0; round < 5; ++round) {
    Compiler compiler(vocabulary);
    const auto grammar = compiler.compile_json_schema(kTreeSchema);
    ASSERT_TRUE(grammar);
    std::vector<std::uint64_t> hashes(4);
    std::vector<std::thread> threads;
    threads.reserve(hashes.size() + 1);
    for (auto& hash : hashes) threads.emplace_back([&hash, &grammar] { hash = follow(*grammar); });
    bool compiled = true;
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const std::string pattern = "^x{" + std::to_string(i) + "}[0-9a-f]+$";
        compiled =
            compiled && compiler.compile_json_schema(R"({"type": "string", "pattern": ")" + pattern + "\"}").ok();
      }
    });
    for (auto& thread : threads) thread.join();
    EXPECT_TRUE(compiled);
    EXPECT_EQ(hashes, std::vector<std::uint64_t>(hashes.size(), expected));
  }
}

// What a server does, all at once: eight threads on one compiler and one grammar whose caches are empty; each takes and
// gives back matchers of the shared grammar, compiles grammars of its own and of the others, and lets handles go.
TEST(Threads, EightOnOneCompiler) {
  constexpr std::size_t kThreads = 8;
  constexpr const char* kRules = R"(root ::= "[" (item ("," item)*)? "]"
                                    item ::= root | name | [0-9]+ ("." [0-9]+)? | "\"" [^"]* "\""
                                    name ::= [a-z] name | [a-z]{1,40})";
  constexpr std::string_view kRulesText = R"([abc,[],["né",12.5,[na,[name]]],x])";
  const auto vocabulary = testing::json_vocabulary(22);
  const auto own_schema = [](std::size_t i) {
    return R"({"type": "array", "items": {"type": "string", "pattern": "^[a-e]{)" + std::to_string(i % 5) +
           R"(,9}x?$", "maxLength": )" + std::to_string(4 + i) + "}}";
  };
  constexpr std::string_view kOwnText = R"(["abab", "abcdx", "aba"])";
  const auto all_masks = [&](Compiler& compiler, const Result<CompiledGrammar>& schema,
                             const Result<CompiledGrammar>& rules, std::size_t i) {
    const auto own = compiler.compile_json_schema(own_schema(i)).value();
    return follow(*schema) + 3 * follow(*rules, kRulesText) + 5 * follow(own, kOwnText);
  };
  std::vector<std::uint64_t> expected;
  for (std::size_t i = 0; i < kThreads; ++i) {
    Compiler alone(vocabulary);
    expected.push_back(all_masks(alone, alone.compile_json_schema(kTreeSchema), alone.compile_ebnf(kRules), i));
  }
  for (int round = 0; round < 3; ++round) {
    Compiler compiler(vocabulary);
    auto schema = std::make_unique<Result<CompiledGrammar>>(compiler.compile_json_schema(kTreeSchema));
    auto rules = std::make_unique<Result<CompiledGrammar>>(compiler.compile_ebnf(kRules));
    std::vector<std::vector<std::uint64_t>> hashes(kThreads);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i, schema = *schema, rules = *rules] {
        // From the second time on the matchers are those that somebody gave back.
        for (std::size_t turn = 0; turn < 3; ++turn) {
          hashes[i].push_back(all_masks(compiler, schema, rules, (i + turn) % kThreads));
        }
      });
    }
    schema.reset();  // the last handle goes on some thread
    rules.reset();
    for (auto& thread : threads) thread.join();
    for (std::size_t i = 0; i < kThreads; ++i) {
      for (std::size_t turn = 0; turn < 3; ++turn) {
        EXPECT_EQ(hashes[i][turn], expected[(i + turn) % kThreads]) << "thread " << i << ", turn " << turn;
      }
    }
  }
}

// One step of many matchers of one grammar on a pool, from the first mask on: the caches fill while others read.
TEST(Threads, BatchFillsColdCaches) {
  const auto vocabulary = testing::json_vocabulary(23);
  Compiler compiler(vocabulary);
  ThreadPool pool = ThreadPool::create(8).value();
  const std::size_t words = vocabulary->mask_words();
  constexpr std::size_t kMatchers = 16;
  const std::string_view text = kTreeText;
  const auto grammar = compiler.compile_json_schema(kTreeSchema).value();
  std::vector<Matcher> matchers;
  std::vector<Matcher*> pointers;
  for (std::size_t i = 0; i < kMatchers; ++i) matchers.emplace_back(grammar);
  for (Matcher& matcher : matchers) pointers.push_back(&matcher);
  std::vector<std::uint32_t> rows(kMatchers * words);
  // Matcher i is i characters ahead of matcher 0, so that each state is new to one and known to others.
  for (std::size_t step = 0; step < text.size(); ++step) {
    ASSERT_TRUE(fill_masks(pool, pointers, rows, words));
    for (std::size_t i = 0; i < kMatchers; ++i) {
      const std::size_t from = step == 0 ? 0 : step + i;
      const std::size_t count = step == 0 ? i + 1 : 1;
      if (from + count > text.size()) continue;
      ASSERT_TRUE(matchers[i].accept_bytes(text.substr(from, count)));
    }
  }
  std::vector<std::uint32_t> row(words);
  Compiler alone(vocabulary);
  Matcher reference(alone.compile_json_schema(kTreeSchema).value());
  ASSERT_TRUE(reference.accept_bytes(text));
  reference.fill_mask(row);
  ASSERT_TRUE(fill_masks(pool, pointers, rows, words));
  for (std::size_t i = 0; i < kMatchers; ++i) {
    EXPECT_TRUE(matchers[i].is_accepting());
    EXPECT_TRUE(std::equal(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * words))) << i;
  }
}

}  // namespace
}  // namespace weir
