// Masks over Llama-3.1's 128,256 tokens, bit by bit against the plain loop: patterns, lengths and rules whose tables
// are made group by group, where a small vocabulary has too few tokens to show a mistake.
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weir/automata/compiler.hpp"
#include "weir/automata/matcher.hpp"

namespace weir {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSlow = true;
#else
constexpr bool kSlow = false;
#endif

class RealVocabulary : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const char* folder = std::getenv("WEIR_TOKENIZERS");
    if (folder == nullptr) return;
    auto vocabulary = Vocabulary::from_file(std::string(folder) + "/llama3_1.json");
    if (vocabulary) compiler = new Compiler(std::make_shared<const Vocabulary>(*std::move(vocabulary)));
  }
  static void TearDownTestSuite() {
    delete compiler;
    compiler = nullptr;
  }
  void SetUp() override {
    ASSERT_NE(compiler, nullptr) << "WEIR_TOKENIZERS must name the folder of tests/tools/fetch_tokenizers.py";
  }

  // Walks the text token by token, comparing before some of them.
  static void check(const Result<CompiledGrammar>& grammar, const std::string& text, std::size_t every = 2) {
    if (kSlow) every *= 4;
    ASSERT_TRUE(grammar) << grammar.error().to_string();
    const Vocabulary& vocabulary = grammar->vocabulary();
    Matcher matcher(*grammar);
    std::vector<std::uint32_t> mask(vocabulary.mask_words());
    std::vector<std::uint32_t> plain(mask.size());
    const auto tokens = vocabulary.encode_greedy(text);
    ASSERT_TRUE(tokens);
    for (std::size_t i = 0; i <= tokens->size(); ++i) {
      if (i % 3 == 0) matcher.prepare(std::chrono::milliseconds(1));
      if (i % every == 0 || i == tokens->size()) {
        matcher.fill_mask(mask);
        matcher.fill_mask_plain(plain);
        // Asked again, a mask is written from what was remembered, in more than one form.
        for (int again = 0; again < 4 && mask == plain; ++again) matcher.fill_mask(mask);
        if (mask != plain) {
          for (TokenId t = 0; t < vocabulary.size(); ++t) {
            const auto bit = [t](const auto& m) { return ((m[t >> 5U] >> (t & 31U)) & 1U) != 0; };
            ASSERT_EQ(bit(mask), bit(plain))
                << "token " << t << " \"" << vocabulary.token(t) << "\" after " << i << " tokens of " << text;
          }
        }
      }
      if (i == tokens->size()) break;
      ASSERT_TRUE(matcher.accept((*tokens)[i])) << "token " << i << " of " << text;
    }
  }

  static Compiler* compiler;
};

Compiler* RealVocabulary::compiler = nullptr;

TEST_F(RealVocabulary, PatternsAndLengths) {
  struct Case {
    const char* constraint;
    std::vector<const char*> texts;
  };
  const std::vector<Case> cases = {
      {R"("pattern": "^[a-z]+$")", {"\"internationalization\""}},
      {R"("pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "maxLength": 30)", {"\"someLong_identifier_9\""}},
      {R"("pattern": "^[a-z0-9-]{3,20}$")", {"\"my-little-service\"", "\"abc\""}},
      {R"("pattern": "^[0-9a-f]{8}-[0-9a-f]{4}$")", {"\"0123abcd-ef01\""}},
      {R"("pattern": "^(\\S+\\s+){0,40}\\S+$", "maxLength": 200)", {"\"a few words ét\u00e9 and more\""}},
      {R"("pattern": "^(\\S+\\s+){0,9}\\S+$")", {"\"one two three\""}},
      {R"("pattern": "[a-zA-Z]{3}", "maxLength": 9)", {"\"12ab cd\\u0065\"", "\"a1abc\""}},
      {R"("pattern": "colou?r")", {"\"the colour red\""}},
      {R"("pattern": "^.*[0-9]$")", {"\"room 101\""}},
      {R"("pattern": "^[^/]+(/[^/]+)*$", "minLength": 5)", {"\"usr/l\u00efb/x\""}},
      {R"("pattern": "^[ A-Za-z\u00a3.,]{0,25}$")", {"\"Costs \u00a3 only\""}},
      {R"("enum": ["\u00b5g/m\u00b3", "\u05e4\u05dc\u05d8", "ppm"])",
       {"\"\u00b5g/m\u00b3\"", "\"\u05e4\u05dc\u05d8\""}},
      {R"("pattern": "^(\u00e9|\u00e9t\u00e9|\u4e2d.*)$")", {"\"\u00e9t\u00e9\"", "\"\u4e2d\u6587 x\""}},
      {R"("pattern": "^\\p{L}+$")", {"\"\u00fcberma\u00df\""}},
      {R"("pattern": "^(foo|foobar|bazaar)$")", {"\"foobar\""}},
      {R"("pattern": "^a{2,}b{0,3}$", "minLength": 4)", {"\"aaab\""}},
      {R"("pattern": "^(ab|cde)*$", "minLength": 7, "maxLength": 11)", {"\"abcdeab\""}},
      {R"("minLength": 3, "maxLength": 12)", {"\"hello w\\u00f6rld\""}},
      {R"("maxLength": 40)", {"\"a \\\"quoted\\\" text\""}},
      {R"("format": "date-time")", {"\"2024-02-29T12:00:00Z\""}},
      {R"("format": "email")", {"\"some.one@example.org\""}},
  };
  for (const Case& c : cases) {
    const auto grammar = compiler->compile_json_schema(std::string(R"({"type": "string", )") + c.constraint + "}");
    for (const char* text : c.texts) {
      check(grammar, text);
      if (HasFatalFailure()) FAIL() << c.constraint;
    }
  }
}

TEST_F(RealVocabulary, StructuresWithWhiteSpace) {
  const auto grammar = compiler->compile_json_schema(R"({
    "type": "object",
    "properties": {
      "name": {"type": "string"}, "n": {"type": "integer", "minimum": 3, "maximum": 4711},
      "list": {"type": "array", "items": {"enum": ["a", "bc", 1.5, null]}, "maxItems": 3},
      "nested": {"type": "object", "properties": {"x": {"type": "number"}}, "additionalProperties": false}
    },
    "required": ["n"]
  })");
  check(grammar,
        "{ \"name\" : \"x\\n\",\n  \"n\": 42, \"list\": [\"bc\", 1.5 ],\"nested\":{\"x\": -1e3}, \"more\": [{}]}  ");
}

TEST_F(RealVocabulary, Rules) {
  const auto grammar = compiler->compile_lark(R"LARK(
start: WS? stmt*
stmt: "let" WSA ID WS? "=" WS? expr ";" WS? | "if" WS? "(" WS? expr ")" WS? block | expr ";" WS?
block: "{" WS? stmt* "}" WS?
expr: and ("||" WS? and)*
and: add ("&&" WS? add)*
add: mul (("+"|"-") WS? mul)*
mul: un (("*"|"/") WS? un)*
un: ("!"|"-") WS? un | prim (call WS?)*
call: "(" WS? (expr ("," WS? expr)*)? ")"
prim: ID WS? | NUM WS? | STR WS? | "(" WS? expr ")" WS?
ID: /[A-Za-z_][A-Za-z0-9_]*/
NUM: /[0-9]+(\.[0-9]+)?/
STR: /"[^"\n]*"/
WS: /[ \t\n]+/
WSA: /[ \t\n]+/
)LARK");
  check(grammar, "let total = foo(a, 1.5) + -b * (c - \"x y\");\nif (total && !done(f(1))) { total; }\n", 4);
}

// Loops that may end before a byte of their own: a name before a name, text before text; characters beyond ASCII and
// bytes that are none.
TEST_F(RealVocabulary, RulesWithLexemesSideBySide) {
  const auto names = compiler->compile_lark(R"LARK(
start: item+
item: NAME | "(" item+ ")" | NUMBER "px" | "--" REMARK
NAME: /[a-z][A-Za-z0-9_]*/
NUMBER: /[0-9]+(\.[0-9]+)?/
REMARK: /[^\n]*/
)LARK");
  check(names, "abc(ofthe(1.5px)end)--some r\u00e9marks \u4e2d\u6587; and(more)", 2);
  const auto bytes = compiler->compile_ebnf(R"EBNF(
root ::= part+
part ::= "<" [^<>]* part? ">" | [^<>a]+ "a"
)EBNF");
  check(bytes, "<some text \u00e9t\u00e9 <\u4e2d\u6587>>ba", 2);
}

}  // namespace
}  // namespace weir
