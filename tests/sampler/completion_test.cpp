// Completions against enumeration, and generation within a budget of tokens.
#include "weir/sampler/completion.hpp"

#include <random>

#include <gtest/gtest.h>

#include "weir/automata/compiler.hpp"
#include "weir/sampler/generate.hpp"
#include "weir/sampler/ngram_model.hpp"

namespace weir {
namespace {

using Texts = std::vector<std::string>;

std::shared_ptr<const Vocabulary> vocabulary_of(const Texts& tokens) {
  const std::vector<TokenId> eos{static_cast<TokenId>(tokens.size() - 1)};
  return std::make_shared<const Vocabulary>(*Vocabulary::from_bytes(tokens, eos, eos));
}

// The last token ends the sequence.
const Texts kTokens{"a", "b", "c", "ab", "abc", "bca", "cc", "aab", "cab", "ca", ""};

// The least number of tokens that spell the text, by trying everything.
std::size_t fewest_by_trying(std::string_view text) {
  if (text.empty()) return 0;
  std::size_t fewest = 1000;
  for (const std::string& token : kTokens) {
    if (!token.empty() && text.starts_with(token))
      fewest = std::min(fewest, 1 + fewest_by_trying(text.substr(token.size())));
  }
  return fewest;
}

TEST(Completions, FewestTokensOfAText) {
  const auto vocabulary = vocabulary_of(kTokens);
  Completions completions(*vocabulary);
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::string text(random() % 12, 'a');
    for (char& c : text) c = static_cast<char>('a' + random() % 3);
    const auto tokens = completions.fewest_tokens(text);
    ASSERT_TRUE(tokens);
    EXPECT_EQ(tokens->size(), fewest_by_trying(text));
    std::string spelled;
    for (const TokenId token : *tokens) spelled += vocabulary->token(token);
    EXPECT_EQ(spelled, text);
  }
  EXPECT_FALSE(completions.fewest_tokens("abx"));
}

// Random finite languages, where everything can be enumerated.
TEST(Completions, AgainstEnumeration) {
  const auto vocabulary = vocabulary_of(kTokens);
  Compiler compiler(vocabulary);
  std::mt19937 random(2);
  for (int round = 0; round < 150; ++round) {
    Texts words(1 + random() % 5);
    std::string pattern;
    for (std::string& word : words) {
      word.resize(1 + random() % 9);
      for (char& c : word) c = static_cast<char>('a' + random() % 3);
      pattern += (pattern.empty() ? "" : "|") + word;
    }
    const auto grammar = compiler.compile_regex(pattern);
    ASSERT_TRUE(grammar);
    Completions completions(*vocabulary);
    Matcher matcher(*grammar);
    const std::string& target = words[random() % words.size()];
    for (std::size_t taken = 0; taken <= target.size(); ++taken) {
      const std::string_view prefix = std::string_view(target).substr(0, taken);
      std::size_t bytes = 1000;
      std::size_t tokens = 1000;
      for (const std::string& word : words) {
        if (!word.starts_with(prefix)) continue;
        bytes = std::min(bytes, word.size() - taken);
        tokens = std::min(tokens, fewest_by_trying(std::string_view(word).substr(taken)));
      }
      // In any order of questions.
      for (const std::size_t most : {tokens, tokens + 3, tokens == 0 ? 0 : tokens - 1}) {
        EXPECT_EQ(completions.within(matcher, most), most >= tokens ? Reach::kYes : Reach::kNo)
            << pattern << " after " << prefix << ", " << most << " tokens";
      }
      const auto rest = completions.shortest(matcher);
      ASSERT_TRUE(rest) << rest.error().to_string();
      EXPECT_EQ(rest->size(), bytes) << pattern << " after " << prefix;
      EXPECT_NE(std::find(words.begin(), words.end(), std::string(prefix) + *rest), words.end());
      ASSERT_TRUE(taken == target.size() || matcher.accept_bytes(target.substr(taken, 1)));
    }
  }
}

TEST(Completions, FewerTokensMayBeMoreBytes) {
  // "cc" is shorter than "abcabc" in bytes, and as many tokens once "cc" is no token.
  const auto vocabulary = vocabulary_of({"a", "b", "c", "x", "abcabc", ""});
  Compiler compiler(vocabulary);
  const auto grammar = *compiler.compile_regex("x(cc|abcabc)");
  Matcher matcher(grammar);
  ASSERT_TRUE(matcher.accept(3));
  Completions completions(*vocabulary);
  EXPECT_EQ(*completions.shortest(matcher), "cc");
  EXPECT_EQ(completions.within(matcher, 1), Reach::kYes);
  EXPECT_EQ(completions.within(matcher, 0), Reach::kNo);
}

TEST(Completions, LimitsAreErrors) {
  const auto vocabulary = vocabulary_of(kTokens);
  Compiler compiler(vocabulary);
  const auto grammar = *compiler.compile_regex("(a|b|c){20}");
  Matcher matcher(grammar);
  Completions few(*vocabulary, {.max_states = 3, .max_token_steps = 5});
  EXPECT_EQ(few.shortest(matcher).error().code, ErrorCode::kLimit);
  EXPECT_EQ(few.within(matcher, 10), Reach::kUnknown);
  Completions enough(*vocabulary);
  EXPECT_EQ(enough.shortest(matcher)->size(), 20U);
  EXPECT_EQ(enough.within(matcher, 7), Reach::kYes);  // "bca" six times and "cc"
  EXPECT_EQ(enough.within(matcher, 6), Reach::kNo);
}

constexpr const char* kSchemas[] = {
    R"({"type": "object"})",
    R"({"type": "array"})",
    R"({"type": "string"})",
    R"({"type": "integer"})",
    R"({"type": "boolean"})",
    R"({})",
    R"({"enum": ["red", "green", {"a": [1, 2]}, null]})",
    R"({"type": "array", "items": {"type": "integer"}, "minItems": 3})",
    R"({"type": "array", "items": {"type": "array"}, "minItems": 2, "maxItems": 4})",
    R"({"type": "string", "minLength": 20})",
    R"({"type": "string", "pattern": "^[a-z]{4,9}@[a-z]+\\.(com|org)$"})",
    R"({"type": "string", "format": "date-time"})",
    R"({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})",
    R"({"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 18}},
        "required": ["name", "age"], "additionalProperties": false})",
    R"({"type": "object", "properties": {"x": {"type": "object", "properties": {"y": {"type": "array",
        "items": {"type": "number"}, "minItems": 1}}, "required": ["y"]}}, "required": ["x"]})",
    R"({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2})",
    R"({"anyOf": [{"type": "string", "minLength": 30}, {"type": "array", "minItems": 5}]})",
    R"({"type": "object", "properties": {"id": {"type": "string", "format": "uuid"}}, "required": ["id"]})",
    R"({"$defs": {"t": {"type": "object", "properties": {"v": {"type": "integer"}, "l": {"$ref": "#/$defs/t"}},
        "required": ["v"], "additionalProperties": false}}, "$ref": "#/$defs/t"})",
    R"({"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}, {"const": [1, [2]]}],
        "minItems": 3})",
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kRuns = 8;
#else
constexpr int kRuns = 50;
#endif

// 1,000 runs (fewer where a sanitizer makes each slow): complete, or the error at the first step and then no text that
// short.
// A search that outgrows its sequence's memory says so, and the next one does not believe what it knew by old numbers.
TEST(Completions, StatesNumberedAnew) {
  Limits limits;
  limits.max_sequence_bytes = 40'000;
  const auto vocabulary = vocabulary_of(kTokens);
  Compiler compiler(vocabulary, limits);
  const auto grammar =
      compiler.compile_ebnf("root ::= \"a\" pair{12}\npair ::= \"b\" | \"c\" | \"(\" pair pair \")\"").value();
  Matcher matcher(grammar);
  Completions completions(*vocabulary);
  const std::uint32_t epoch = matcher.state_epoch();
  ASSERT_TRUE(matcher.accept_bytes("a"));
  for (int round = 0; round < 50; ++round) {
    const auto text = round % 2 == 0 ? completions.shortest(matcher) : completions.any(matcher);
    if (!text) {
      ASSERT_EQ(text.error().code, ErrorCode::kLimit) << text.error().to_string();
      continue;
    }
    ASSERT_GE(text->size(), 12U);
    Matcher walker = matcher.fork();
    ASSERT_TRUE(walker.accept_bytes(*text) && walker.is_accepting()) << *text;
    // States that nobody needs later, so that they are dropped.
    for (int i = 0; i < 20; ++i) {
      Matcher waste = matcher.fork();
      std::string bytes;
      for (int k = 0; k < 10; ++k) bytes += "((((b"[(round * i + k) % 5];
      waste.accept_bytes(bytes);
    }
    ASSERT_FALSE(matcher.error());
  }
  EXPECT_NE(matcher.state_epoch(), epoch);
}

TEST(FinishWithinMaxTokens, EveryTextIsComplete) {
  auto model = NgramModel::embedded();
  ASSERT_TRUE(model);
  Compiler compiler((*model)->vocabulary());
  std::mt19937 random(3);
  int refused = 0;
  int undecided = 0;
  int full = 0;
  for (const char* schema : kSchemas) {
    const auto grammar = compiler.compile_json_schema(schema);
    ASSERT_TRUE(grammar) << grammar.error().to_string();
    for (int run = 0; run < kRuns; ++run) {
      GenerateOptions options;
      options.sampler = {.temperature = run % 5 == 0 ? 0.0 : 1.0, .seed = random()};
      if (run % 3 == 0) options.sampler.top_p = 0.9;
      options.max_tokens = run % 2 == 0 ? 1 + random() % 30 : 1 + random() % 200;
      options.finish_within_max_tokens = true;
      const auto out = generate(**model, *grammar, std::string_view(), options);
      if (!out) {
        ++refused;
        ASSERT_EQ(out.error().code, ErrorCode::kLimit) << out.error().to_string();
        undecided += out.error().message.find("no text of the grammar has so few") == std::string::npos ? 1 : 0;
        continue;
      }
      ASSERT_TRUE(out->complete) << schema << " in " << options.max_tokens << ": " << out->text;
      ASSERT_LE(out->tokens.size(), options.max_tokens);
      if (out->tokens.size() == options.max_tokens) ++full;
      Matcher judge(*grammar);
      ASSERT_TRUE(judge.accept_bytes(out->text));
      ASSERT_TRUE(judge.is_accepting());
    }
  }
  EXPECT_GT(refused, kRuns / 4);
  EXPECT_LT(undecided, 5);
  EXPECT_GT(full, 2 * kRuns);
}

TEST(FinishWithinMaxTokens, TheModelsContextCounts) {
  auto model = NgramModel::embedded();
  Compiler compiler((*model)->vocabulary());
  const auto grammar = *compiler.compile_regex("(ab){300}");
  GenerateOptions options;
  options.max_tokens = 10;
  options.finish_within_max_tokens = true;
  const auto out = generate(**model, grammar, std::string_view(), options);
  ASSERT_FALSE(out);
  EXPECT_NE(out.error().message.find("10 tokens are left"), std::string::npos) << out.error().message;
}

}  // namespace
}  // namespace weir
