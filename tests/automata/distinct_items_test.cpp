// Lists whose items must be distinct and may be anything: masks bit by bit against the plain loop, no dead ends, and
// verdicts against nlohmann::json, which compares values as JSON Schema does: 1 is 1.0, and the order of keys and the
// spelling of strings do not matter.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <regex>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reference/json_vocabulary.hpp"
#include "weir/automata/matcher.hpp"

namespace weir {
namespace {

using Json = nlohmann::json;

// Tokens that end one item and begin, or end, the next.
std::shared_ptr<const Vocabulary> vocabulary() {
  std::vector<std::string> tokens;
  for (const char c : std::string(R"([]{},:"\ 0123456789-.eabcxytrufalsn)"
                                  "\n"))
    tokens.emplace_back(1, c);
  for (const char* token : {R"(",")",
                            R"("a","a")",
                            R"(a","b)",
                            R"(a","a)",
                            R"(","a")",
                            R"("a",)",
                            R"(a"])",
                            R"(},{)",
                            R"(},{"a":)",
                            "1,1",
                            ",1",
                            "1,",
                            ",2]",
                            "],[",
                            "1],[1",
                            R"(b",")",
                            R"("},{"a":")",
                            "true",
                            "false",
                            "null",
                            "true,",
                            R"(\u0061)",
                            R"("\u0061",")",
                            "1.0",
                            "10e-1",
                            ", ",
                            R"(", ")",
                            " ,",
                            "12",
                            "[[",
                            "]]",
                            R"({"a":)",
                            R"({"b":)",
                            "aa",
                            "ab"}) {
    tokens.emplace_back(token);
  }
  return testing::vocabulary_of(std::move(tokens));
}

bool distinct(const Json& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (list[i] == list[j]) return false;
    }
  }
  return true;
}

bool any(const Json&) { return true; }
bool is_string(const Json& v) { return v.is_string(); }
bool is_pair(const Json& v) { return v.is_array() && v.size() == 2 && v[0].is_boolean() && v[1].is_boolean(); }
bool is_flags(const Json& v) {
  if (!v.is_object()) return false;
  for (const auto& [key, value] : v.items()) {
    if ((key != "a" && key != "b") || !value.is_boolean()) return false;
  }
  return true;
}
bool is_named(const Json& v) {
  return v.is_object() && v.contains("a") && v["a"].is_string() &&
         (v.size() == 1 || (v.size() == 2 && v.contains("b")));
}
bool is_whole(const Json& v) { return v.is_number() && std::floor(v.get<double>()) == v.get<double>(); }

struct Case {
  const char* name;
  const char* items;
  std::size_t min = 0;
  std::size_t max = 100;
  std::function<bool(const Json&)> valid;
  std::vector<std::string> samples;  // items and things like them, in several spellings
};

std::vector<Case> cases() {
  const std::vector<std::string> strings{R"("a")", R"("\u0061")", R"("b")", R"("")", R"("ab")", "1", R"("x")", "null"};
  return {
      {"Strings", R"({"type":"string"})", 0, 100, is_string, strings},
      {"ShortStrings", R"({"type":"string","maxLength":1,"pattern":"^[ab]*$"})", 0, 3,
       [](const Json& v) { return v == "a" || v == "b" || v == ""; }, strings},
      {"FourShortStrings",
       R"({"type":"string","maxLength":2,"pattern":"^[ab]+$"})",
       4,
       6,
       [](const Json& v) {
         return v.is_string() && (v == "a" || v == "b" || v == "aa" || v == "ab" || v == "ba" || v == "bb");
       },
       {R"("a")", R"("b")", R"("aa")", R"("ab")", R"("ba")", R"("bb")", R"("\u0061")", R"("x")"}},
      {"Whole", R"({"type":"integer"})", 2, 4, is_whole, {"1", "1.0", "1e0", "2", "-1", "1.5", R"("1")", "12", "0"}},
      {"Digits",
       R"({"type":"integer","minimum":0,"maximum":2})",
       0,
       100,
       [](const Json& v) { return v.is_number() && (v == 0 || v == 1 || v == 2); },
       {"1", "1.0", "0", "-0", "2", "2E0", "3"}},
      {"Anything",
       "true",
       0,
       100,
       any,
       {R"("a")", "1", "1.0", "true", "null", "[]", "[1]", "[1.0]", "{}", R"({"a":1,"b":2})", R"({"b":2,"a":1.0})"}},
      {"Flags",
       R"({"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"boolean"}},"additionalProperties":false})",
       0,
       100,
       is_flags,
       {"{}", R"({"a":true})", R"({"b":true,"a":true})", R"({"a":true,"b":true})", R"({"a":false,"b":true})", "[]",
        R"({"\u0061":true})"}},
      {"Named",
       R"({"type":"object","properties":{"a":{"type":"string"},"b":true},"required":["a"],
                    "additionalProperties":false})",
       0,
       100,
       is_named,
       {R"({"a":"a"})", R"({"a":"b"})", R"({"a":"a","b":1})", R"({"b":1.0,"a":"a"})", R"({"b":1})",
        R"({"a":"\u0061"})"}},
      {"ThreeFlags",
       R"({"type":"object","properties":{"a":{"type":"boolean"},"b":{"enum":[1,2]}},"required":["a"],
           "additionalProperties":false})",
       3,
       6,
       [](const Json& v) {
         return v.is_object() && v.contains("a") && v["a"].is_boolean() &&
                (v.size() == 1 || (v.size() == 2 && v.contains("b") && (v["b"] == 1 || v["b"] == 2)));
       },
       {R"({"a":true})", R"({"a":false})", R"({"a":true,"b":1})", R"({"b":1.0,"a":true})", R"({"a":false,"b":2})",
        R"({"b":1})"}},
      {"Pairs",
       R"({"type":"array","items":[{"type":"boolean"},{"type":"boolean"}],"minItems":2,"maxItems":2})",
       0,
       100,
       is_pair,
       {"[true,true]", "[true,false]", "[false, true]", "[true, true]", "[true]", "[false,false]"}},
      {"ListsOfDistinct",
       R"({"type":"array","items":{"type":"string"},"uniqueItems":true})",
       0,
       100,
       [](const Json& v) { return v.is_array() && std::all_of(v.begin(), v.end(), is_string) && distinct(v); },
       {R"(["a"])", R"(["a","b"])", R"(["b","a"])", R"(["a","a"])", "[]", R"(["\u0061"])"}},
      {"WordsOrNumbers",
       R"({"anyOf":[{"enum":["a","b"]},{"type":"number"}]})",
       0,
       100,
       [](const Json& v) { return v == "a" || v == "b" || v.is_number(); },
       {R"("a")", R"("b")", "1", "1.0", "2", R"("ab")"}},
  };
}

std::string schema_of(const Case& c) {
  return R"({"$schema":"http://json-schema.org/draft-07/schema#","type":"array","uniqueItems":true,"items":)" +
         std::string(c.items) + R"(,"minItems":)" + std::to_string(c.min) + R"(,"maxItems":)" + std::to_string(c.max) +
         "}";
}

class DistinctItems : public ::testing::TestWithParam<Case> {
 protected:
  // True as well where nlohmann::json cannot tell: it has 1e-999 be 0, and no 1e999.
  bool valid(const std::string& text) const {
    static const std::regex beyond("[eE][-+]?[0-9]{3}");
    if (std::regex_search(text, beyond)) return true;
    const Json value = Json::parse(text);
    const Case& c = GetParam();
    return value.is_array() && value.size() >= c.min && value.size() <= c.max &&
           std::all_of(value.begin(), value.end(), c.valid) && distinct(value);
  }
  void walk(const JsonSchemaOptions& options) const;
};

TEST_P(DistinctItems, Verdicts) {
  Compiler compiler(vocabulary());
  const auto grammar = compiler.compile_json_schema(schema_of(GetParam()), {.any_property_order = true});
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  std::mt19937 random(3);
  std::size_t right = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = "[";
    const std::size_t count = random() % 6;
    for (std::size_t k = 0; k < count; ++k) {
      if (k != 0) text += random() % 2 == 0 ? "," : " , ";
      text += GetParam().samples[random() % GetParam().samples.size()];
    }
    text += "]";
    Matcher matcher(*grammar);
    const bool accepted = matcher.accept_bytes(text) && matcher.is_accepting();
    ASSERT_EQ(accepted, valid(text)) << text;
    ASSERT_FALSE(matcher.error()) << matcher.error()->to_string();
    right += accepted ? 1 : 0;
  }
  EXPECT_GT(right, 50U);
}

void DistinctItems::walk(const JsonSchemaOptions& options) const {
  const auto tokens = vocabulary();
  Compiler compiler(tokens);
  const auto grammar = compiler.compile_json_schema(schema_of(GetParam()), options);
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  std::vector<std::uint32_t> fast(tokens->mask_words());
  std::vector<std::uint32_t> plain(tokens->mask_words());
  std::mt19937 random(7);
  std::size_t ended = 0;
  for (int run = 0; run < 60; ++run) {
    Matcher matcher(*grammar);
    std::string text;
    for (int step = 0; step < 100 && !matcher.is_terminated(); ++step) {
      matcher.fill_mask(fast);
      matcher.fill_mask_plain(plain);
      ASSERT_EQ(fast, plain) << "after " << text;
      std::vector<TokenId> allowed;
      for (TokenId t = 0; t < tokens->size(); ++t) {
        if (((fast[t >> 5U] >> (t & 31U)) & 1U) == 0) continue;
        // Mostly no white space that need not be.
        const bool spare = options.style.flexible_whitespace && tokens->token(t).find(' ') != std::string_view::npos;
        if (!spare || random() % 16 == 0) allowed.push_back(t);
      }
      if (allowed.empty()) {
        ASSERT_TRUE(std::any_of(fast.begin(), fast.end(), [](auto w) { return w != 0; }))
            << "dead end after " << text << (matcher.error() ? matcher.error()->to_string() : "");
        continue;
      }
      if (matcher.is_accepting()) {
        ASSERT_TRUE(valid(text)) << text;
      }
      const TokenId chosen = allowed[random() % allowed.size()];
      ASSERT_TRUE(matcher.accept(chosen)) << "after " << text;
      text += tokens->is_eos(chosen) ? "" : tokens->token(chosen);
    }
    ASSERT_FALSE(matcher.error()) << matcher.error()->to_string();
    ended += matcher.is_terminated() ? 1 : 0;
  }
  EXPECT_GT(ended, 0U);
}

TEST_P(DistinctItems, MasksAreThePlainOnesAndLeadOn) { walk({.any_property_order = true}); }

TEST_P(DistinctItems, InEveryStyle) {
  for (const JsonStyle& style :
       {JsonStyle{.flexible_whitespace = false}, JsonStyle{.flexible_whitespace = false, .indent = 1},
        JsonStyle{.longest_whitespace = 1}}) {
    walk({.style = style});
  }
}

INSTANTIATE_TEST_SUITE_P(All, DistinctItems, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

// More items than there are: nothing satisfies the schema, or weir cannot tell and says so.
TEST(DistinctItemsErrors, MoreThanThereAre) {
  Compiler compiler(vocabulary());
  for (const char* items : {R"({"enum":["a","b"]})", R"({"type":"string","maxLength":1,"pattern":"^a*$"})",
                            R"({"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"],
                                "additionalProperties":false})"}) {
    const std::string schema = R"({"type":"array","uniqueItems":true,"minItems":3,"items":)" + std::string(items) + "}";
    const auto grammar = compiler.compile_json_schema(schema);
    ASSERT_FALSE(grammar) << schema;
    const ErrorCode code = grammar.error().code;
    EXPECT_TRUE(code == ErrorCode::kUnsatisfiable || code == ErrorCode::kUnsupported) << grammar.error().to_string();
  }
}

// A fork goes on from the items of its parent, and a rollback forgets what was taken back.
TEST(DistinctItemsHistory, ForkAndRollback) {
  Compiler compiler(vocabulary());
  const auto grammar = compiler.compile_json_schema(schema_of(cases().front()));
  ASSERT_TRUE(grammar);
  Matcher matcher(*grammar);
  ASSERT_TRUE(matcher.accept_bytes(R"(["a",)"));
  ASSERT_TRUE(matcher.accept_bytes(R"("b")"));
  Matcher fork = matcher.fork();
  Matcher clone = matcher.clone();
  for (Matcher* m : {&fork, &clone}) {
    EXPECT_FALSE(m->accept_bytes(R"(,"b")"));
    EXPECT_FALSE(m->accept_bytes(R"(,"a")"));
    EXPECT_TRUE(m->accept_bytes(R"(,"c"])"));
  }
  matcher.rollback(1);
  EXPECT_FALSE(matcher.accept_bytes(R"("a")"));
  EXPECT_TRUE(matcher.accept_bytes(R"("b","x"])"));
}

// However deep the list lies.
TEST(DistinctItemsHistory, BelowManyLevels) {
  Compiler compiler(vocabulary());
  const auto grammar = compiler.compile_json_schema(
      R"({"type":"array","maxItems":1,"items":{"anyOf":[{"$ref":"#"},
          {"type":"object","properties":{"a":{"type":"array","uniqueItems":true}},"additionalProperties":false}]}})");
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  constexpr std::size_t kLevels = 200'000;
  Matcher matcher(*grammar);
  ASSERT_TRUE(matcher.accept_bytes(std::string(kLevels, '[')));
  ASSERT_TRUE(matcher.accept_bytes(R"({"a":[1,2)"));
  std::vector<std::uint32_t> mask(grammar->vocabulary().mask_words());
  matcher.fill_mask(mask);
  EXPECT_FALSE(matcher.fork().accept_bytes(",1]"));
  EXPECT_TRUE(matcher.accept_bytes(",3]}" + std::string(kLevels, ']')));
  EXPECT_TRUE(matcher.is_accepting()) << (matcher.error() ? matcher.error()->to_string() : "");
}

// Each text brings items that no text had before: what is kept of them goes when half of a budget is used.
TEST(DistinctItemsHistory, GrammarsAreMadeAnew) {
  Limits limits;
  limits.max_values = 400;
  limits.max_automaton_states = 8000;
  Compiler compiler(vocabulary(), limits);
  JsonSchemaOptions options;
  options.limits = limits;
  const auto grammar = compiler.compile_json_schema(
      R"({"type":"array","uniqueItems":true,"items":{"type":"object","properties":{"a":{"type":"string"}}}})", options);
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  for (int i = 0; i < 2000; ++i) {
    Matcher matcher(*grammar);
    const std::string item = R"({"a":"x)" + std::to_string(i) + R"("})";
    ASSERT_TRUE(matcher.accept_bytes("[" + item + ",")) << i << (matcher.error() ? matcher.error()->to_string() : "");
    ASSERT_FALSE(matcher.clone().accept_bytes(item + "]")) << i;
    ASSERT_TRUE(matcher.accept_bytes(R"({"a":""}])")) << i;
  }
}

}  // namespace
}  // namespace weir
