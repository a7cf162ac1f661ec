// Verdicts and masks of grammars at the far end of what people write (the cases that extremes_bench measures), and
// large repetitions of rules, counted.
#include <gtest/gtest.h>

#include "../bench/extreme_cases.hpp"
#include "reference/json_vocabulary.hpp"
#include "weir/automata/matcher.hpp"

namespace weir {
namespace {

bool accepts(const CompiledGrammar& grammar, std::string_view text) {
  Matcher matcher(grammar);
  return (text.empty() || matcher.accept_bytes(text)) && matcher.is_accepting() && !matcher.error();
}

// Follows the text in pieces; the mask before some of them equals the plain loop's.
TEST(Extremes, MasksAndVerdicts) {
  Compiler compiler(testing::json_vocabulary(61));
  std::vector<std::uint32_t> fast(compiler.vocabulary()->mask_words());
  std::vector<std::uint32_t> plain(fast.size());
  for (const bench::ExtremeCase& c : bench::extreme_cases()) {
    const auto grammar = bench::compile_extreme(compiler, c);
    ASSERT_TRUE(grammar) << c.name << ": " << grammar.error().to_string();
    Matcher matcher(*grammar);
    for (std::size_t at = 0, step = 0; at < c.text.size(); ++step) {
      if (step < 8 || step % 60 == 0) {
        matcher.fill_mask(fast);
        matcher.fill_mask_plain(plain);
        ASSERT_EQ(fast, plain) << c.name << " after " << at << " bytes";
      }
      const std::size_t size = step < 40 ? 1 : 7;
      ASSERT_TRUE(matcher.accept_bytes(std::string_view(c.text).substr(at, size))) << c.name << " at byte " << at;
      at += size;
    }
    const bool more_items_to_come = c.name == "minItems 1000000";
    EXPECT_EQ(matcher.is_accepting(), !more_items_to_come) << c.name;
    EXPECT_FALSE(Matcher(*grammar).accept_bytes(c.wrong)) << c.name;
    EXPECT_FALSE(matcher.error()) << c.name << ": " << matcher.error()->to_string();
  }
}

// How often the rule may stand is what was written, whatever it is divided into.
TEST(Extremes, RepetitionsOfRulesAreCounted) {
  Compiler compiler(testing::vocabulary_of({"a", "b", "(", ")", "ab", "aa", "aaaaaaaa"}));
  const struct {
    std::uint32_t min;
    std::uint32_t max;
  } cases[] = {{0, 256}, {0, 257}, {1, 300}, {257, 1000}, {500, 500}, {290, 291}, {1000, 5000}, {400, kUnbounded}};
  for (const auto& [min, max] : cases) {
    const std::string bounds =
        "{" + std::to_string(min) + "," + (max == kUnbounded ? std::string() : std::to_string(max)) + "}";
    // The second is ambiguous about where an item ends.
    for (const char* item : {"\"a\" | \"(\" item \")\"", "\"a\" \"b\"? | \"(\" item* \")\""}) {
      const auto grammar = compiler.compile_ebnf("root ::= item" + bounds + "\nitem ::= " + item);
      ASSERT_TRUE(grammar) << grammar.error().to_string();
      const std::uint32_t most = max == kUnbounded ? 3000 : max;
      Matcher matcher(*grammar);
      for (std::uint32_t count = 0; count <= most; ++count) {
        ASSERT_EQ(matcher.is_accepting(), count >= min) << bounds << " of " << item << ", " << count << " times";
        const bool nested = count % 7 == 3;
        ASSERT_EQ(matcher.accept_bytes(nested ? "((a))" : "a"), count < most || max == kUnbounded)
            << bounds << " of " << item << ", " << count << " times";
      }
    }
  }
}

// Masks of divided repetitions, at their seams and at their ends.
TEST(Extremes, MasksOfRepetitionsOfRules) {
  Compiler compiler(
      testing::vocabulary_of({"a", "b", "(", ")", "ab", "aa", "aaaa", "a(", ")a", ".", "a.", "aaa.", "(a)."}));
  std::vector<std::uint32_t> fast(1);
  std::vector<std::uint32_t> plain(1);
  for (const char* bounds : {"{3,300}", "{280,300}", "{300}", "{270,}"}) {
    const auto grammar = compiler.compile_ebnf(std::string("root ::= item") + bounds +
                                               " \".\"\nitem ::= \"a\" | \"(\" item \")\" | \"b\" root");
    ASSERT_TRUE(grammar) << grammar.error().to_string();
    Matcher matcher(*grammar);
    for (int i = 0; i < 320; ++i) {
      matcher.fill_mask(fast);
      matcher.fill_mask_plain(plain);
      ASSERT_EQ(fast, plain) << bounds << " after " << i;
      if (!matcher.accept_bytes("a")) break;
    }
  }
}

// Numbers of repetitions about as large as what one token can take: where a larger number is another to some token.
TEST(Extremes, MasksNearTheEndOfRepetitions) {
  Compiler compiler(testing::vocabulary_of({"a", "b", "aa", "ab", "aaaaaaaa", "aaaaaaa", "abababab", "ba", "\xC3\xA9",
                                            "\xC3", "\xA9", "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", "."}));
  std::vector<std::uint32_t> fast(1);
  std::vector<std::uint32_t> plain(1);
  for (int n = 1; n <= 24; ++n) {
    const std::string most = std::to_string(n) + "}";
    for (const std::string& pattern :
         {"a{1," + most, "(ab?){2," + std::to_string(n + 1) + "}", "(a?b?){0," + most, "[aé]{1," + most + "\\.",
          "(a{2,3}|b){1," + most + "a", "((ab?){1," + most + "\\.){1,3}"}) {
      const auto grammar = compiler.compile_regex(pattern);
      ASSERT_TRUE(grammar) << pattern << grammar.error().to_string();
      for (const std::string_view piece : {"a", "ab", "\xC3\xA9"}) {
        Matcher matcher(*grammar);
        for (int i = 0; i < 40; ++i) {
          matcher.fill_mask(fast);
          matcher.fill_mask_plain(plain);
          ASSERT_EQ(fast, plain) << pattern << " after " << i << " times " << piece;
          if (!matcher.accept_bytes(piece)) break;
        }
      }
    }
  }
}

TEST(Extremes, RepetitionsAreCheap) {
  Compiler compiler(testing::vocabulary_of({"a", "(", ")"}));
  const auto grammar = compiler.compile_ebnf("root ::= item{1,1000000}\nitem ::= \"a\" | \"(\" item \")\"").value();
  EXPECT_LT(grammar.grammar().rule_states().size(), 10'000U);
  EXPECT_TRUE(accepts(grammar, std::string(20'000, 'a')));
}

}  // namespace
}  // namespace weir
