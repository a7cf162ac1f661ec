// The matcher's invariants on grammars of rules: random grammars x all short texts x small vocabularies, with an
// independent recogniser as judge, and grammars written in EBNF.
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "reference/json_vocabulary.hpp"
#include "reference/random_grammar.hpp"
#include "reference/rule_recognizer.hpp"
#include "weir/automata/matcher.hpp"

namespace weir {
namespace {

using reference::Node;

std::vector<std::string> texts_up_to(std::size_t length) {
  std::vector<std::string> texts{""};
  for (std::size_t i = 0; texts[i].size() < length; ++i) {
    for (const char c : {'a', 'b'}) texts.push_back(texts[i] + c);
  }
  return texts;
}

std::vector<TokenId> ids(const std::vector<std::uint32_t>& mask) {
  std::vector<TokenId> out;
  for (TokenId t = 0; t < mask.size() * 32; ++t) {
    if (((mask[t >> 5U] >> (t & 31U)) & 1U) != 0) out.push_back(t);
  }
  return out;
}

void check_grammar(const std::vector<Node>& rules, std::mt19937& random) {
  constexpr std::size_t kLength = 6;
  std::vector<std::string> tokens{"a", "b"};
  for (const std::string& text : texts_up_to(3)) {
    if (text.size() >= 2 && random() % 3 != 0) tokens.push_back(text);
  }
  Compiler compiler(testing::vocabulary_of(tokens));
  GrammarBuilder builder(compiler.arena());
  for (std::size_t r = 0; r < rules.size(); ++r) builder.declare_rule("r" + std::to_string(r));
  for (std::size_t r = 0; r < rules.size(); ++r) {
    builder.define_rule(static_cast<RuleId>(r), reference::to_body(builder, rules[r]));
  }
  auto grammar = builder.finish(0);
  if (!grammar) {
    EXPECT_EQ(grammar.error().code, ErrorCode::kUnsatisfiable) << grammar.error().to_string();
    return;
  }
  const auto compiled = compiler.compile(*std::move(grammar)).value();
  const Vocabulary& vocabulary = compiled.vocabulary();
  Matcher matcher(compiled);
  reference::WrittenRecognizer written(rules);
  std::set<StateId> seen;
  std::vector<std::uint32_t> fast(vocabulary.mask_words());
  std::vector<std::uint32_t> plain(vocabulary.mask_words());
  for (const std::string& text : texts_up_to(kLength)) {
    const bool viable = text.empty() || matcher.accept_bytes(text);
    const bool member = ((written.solve(text)[0][0] >> text.size()) & 1U) != 0;
    ASSERT_EQ(viable && matcher.is_accepting(), member) << "text " << text;
    // Exactly what can be completed is taken: nothing that leads to a dead end, nothing less.
    ASSERT_EQ(viable, written.viable()) << "text " << text;
    if (viable && seen.insert(matcher.state()).second) {
      matcher.fill_mask(fast);
      matcher.fill_mask_plain(plain);
      ASSERT_EQ(ids(fast), ids(plain)) << "after " << text;
      ASSERT_FALSE(ids(fast).empty()) << "dead end after " << text;
    }
    if (viable && !text.empty()) matcher.rollback(1);
  }
  ASSERT_FALSE(matcher.error());
}

TEST(RuleMasks, RandomGrammarsExhaustively) {
  std::mt19937 random(99);
  for (int round = 0; round < 400; ++round) {
    const auto rules = reference::random_rules(random);
    check_grammar(rules, random);
    ASSERT_FALSE(::testing::Test::HasFailure()) << reference::print(rules);
  }
}

Result<CompiledGrammar> ebnf(Compiler& compiler, const char* text) { return compiler.compile_ebnf(text); }

std::vector<std::string> allowed_after(const CompiledGrammar& grammar, std::string_view prefix) {
  Matcher matcher(grammar);
  EXPECT_TRUE(prefix.empty() || matcher.accept_bytes(prefix)) << prefix;
  std::vector<std::uint32_t> mask(grammar.vocabulary().mask_words());
  matcher.fill_mask(mask);
  std::vector<std::string> out;
  for (const TokenId t : ids(mask)) out.emplace_back(grammar.vocabulary().spelling(t));
  return out;
}

// The list of digits: what may follow "[", "[3" and "[3,".
TEST(RuleMasks, ListOfDigits) {
  std::vector<std::string> tokens{"[", "]", ",", "a", " "};
  const std::vector<std::string> digits{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  tokens.insert(tokens.end(), digits.begin(), digits.end());
  Compiler compiler(testing::vocabulary_of(tokens));
  for (const char* text :
       {"list = '[', d, {',', d}, ']'; d = [0-9];", "root ::= \"[\" d (\",\" d)* \"]\"\nd ::= [0-9]"}) {
    const auto grammar = ebnf(compiler, text);
    ASSERT_TRUE(grammar) << grammar.error().to_string();
    EXPECT_EQ(allowed_after(*grammar, "["), digits);
    EXPECT_EQ(allowed_after(*grammar, "[3"), (std::vector<std::string>{"]", ","}));
    EXPECT_EQ(allowed_after(*grammar, "[3,"), digits);
    EXPECT_EQ(allowed_after(*grammar, "[3]"), std::vector<std::string>{"<end>"});
  }
}

// Ambiguity without end: quadratic memory, not exponential.
TEST(RuleMasks, AmbiguousGrammarsStayPolynomial) {
  Compiler compiler(testing::vocabulary_of({"a", "b"}));
  const auto grammar = ebnf(compiler,
                            "root ::= \"b\" | r{2,3} \"b\" r | \"a\"\n"
                            "r ::= ((r r) | \"b\"{1,} | [ab] | root) (\"a\"? (root \"a\") [ab]{2,3}) [ab]?");
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  std::vector<std::size_t> memory;
  for (const std::size_t length : {40U, 80U, 160U}) {
    Matcher matcher(*grammar);
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += "abaab"[i % 5];
    ASSERT_TRUE(matcher.accept_bytes(text));
    memory.push_back(matcher.memory_bytes());
  }
  EXPECT_LT(memory[1], memory[0] * 8);
  EXPECT_LT(memory[2], memory[1] * 8);
}

// Recursion and ambiguity must not make states grow with the length of the text.
TEST(RuleMasks, LongTextsStaySmall) {
  Compiler compiler(testing::vocabulary_of({"1", "+", "*", "(", ")", "-", " "}));
  const struct {
    const char* grammar;
    const char* piece;
    const char* last;
  } cases[] = {
      {"root ::= e\ne ::= e \"+\" e | e \"*\" e | \"1\"", "1+1*", "1"},
      {"root ::= e\ne ::= t | e \"+\" t\nt ::= f | t \"*\" f\nf ::= \"1\" | \"(\" e \")\"", "1+1*", "1"},
      {"root ::= \"-\" root | \"1\"", "-", "1"},
      {"root ::= root root | \"1\"", "1", "1"},
  };
  for (const auto& c : cases) {
    const auto grammar = ebnf(compiler, c.grammar);
    ASSERT_TRUE(grammar) << grammar.error().to_string();
    Matcher matcher(*grammar);
    std::set<StateId> states;
    for (int i = 0; i < 2000; ++i) {
      ASSERT_TRUE(matcher.accept_bytes(c.piece)) << c.grammar;
      states.insert(matcher.state());
    }
    ASSERT_TRUE(matcher.accept_bytes(c.last));
    EXPECT_TRUE(matcher.is_accepting());
    EXPECT_LT(states.size(), 20U) << c.grammar;
    EXPECT_LT(matcher.memory_bytes(), 200'000U) << c.grammar;
  }
}

TEST(RuleMasks, DeepNestingIsLinear) {
  Compiler compiler(testing::vocabulary_of({"(", ")", "x"}));
  const auto grammar = ebnf(compiler, "root ::= \"(\" root \")\" | \"x\"");
  ASSERT_TRUE(grammar);
  Matcher matcher(*grammar);
  constexpr int kDepth = 20'000;
  for (int i = 0; i < kDepth; ++i) ASSERT_TRUE(matcher.accept(0));
  ASSERT_TRUE(matcher.accept(2));
  for (int i = 0; i < kDepth; ++i) ASSERT_TRUE(matcher.accept(1));
  EXPECT_TRUE(matcher.is_accepting());
  EXPECT_FALSE(matcher.accept(1));
  EXPECT_LT(matcher.memory_bytes(), kDepth * 400U);
}

}  // namespace
}  // namespace weir
