// Masks of real schemas, bit by bit: along the labelled instances of MaskBench and along random walks, every mask
// equals the plain loop over the vocabulary, some token is always allowed, and what a walk completes is valid.
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reference/json_vocabulary.hpp"
#include "weir/automata/matcher.hpp"

namespace weir {
namespace {

struct Line {
  std::string id;
  std::string schema;
  std::vector<std::pair<bool, std::string>> tests;
};

// Every `stride`th line of the corpus. Missing data is a failure, not a pass.
std::vector<Line> corpus(std::size_t stride) {
  std::vector<Line> lines;
  std::size_t number = 0;
  for (const char* name : {"Github_easy", "Github_medium", "Github_hard", "Glaiveai2K", "Kubernetes", "JsonSchemaStore",
                           "Snowplow", "WashingtonPost", "Handwritten", "JME", "BFCL"}) {
    const std::string path = std::string(WEIR_SHARED_DATA) + "/maskbench/" + name + ".jsonl";
    std::ifstream in(path);
    EXPECT_TRUE(in) << "missing test data: " << path;
    for (std::string text; std::getline(in, text);) {
      if (number++ % stride != 0) continue;
      const auto json = nlohmann::ordered_json::parse(text);
      Line line{json["id"], json["schema"].dump(), {}};
      for (const auto& test : json["tests"]) line.tests.emplace_back(test["valid"], test["text"]);
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

class MaskCheck {
 public:
  explicit MaskCheck(const CompiledGrammar& grammar)
      : vocabulary_(grammar.vocabulary()),
        matcher_(grammar),
        fast_(vocabulary_.mask_words()),
        plain_(vocabulary_.mask_words()) {}

  Matcher& matcher() { return matcher_; }
  std::size_t states() const { return seen_.size(); }

  // Compares the masks of the current state, once for each state; the allowed tokens come back.
  std::vector<TokenId> check(const std::string& where) {
    matcher_.fill_mask(fast_);
    if (seen_.insert(matcher_.state()).second) {
      matcher_.fill_mask_plain(plain_);
      EXPECT_EQ(fast_, plain_) << where << ": " << difference();
    }
    std::vector<TokenId> allowed;
    for (TokenId t = 0; t < vocabulary_.size(); ++t) {
      if (bit(fast_, t)) allowed.push_back(t);
    }
    EXPECT_FALSE(allowed.empty()) << "dead end: " << where;
    return allowed;
  }

 private:
  static bool bit(const std::vector<std::uint32_t>& words, TokenId t) {
    return ((words[t >> 5U] >> (t & 31U)) & 1U) != 0;
  }
  std::string difference() const {
    for (TokenId t = 0; t < vocabulary_.size(); ++t) {
      if (bit(fast_, t) != bit(plain_, t)) {
        return "token " + std::to_string(t) + " " + ::testing::PrintToString(std::string(vocabulary_.token(t))) +
               (bit(fast_, t) ? " is only in the fast mask" : " is only in the plain mask");
      }
    }
    return "";
  }

  const Vocabulary& vocabulary_;
  Matcher matcher_;
  std::vector<std::uint32_t> fast_;
  std::vector<std::uint32_t> plain_;
  std::set<StateId> seen_;
};

// Feeds the text piece by piece, `stride` bytes at a time, checking the mask before each.
void follow(MaskCheck& check, const std::string& id, const std::string& text, std::size_t stride) {
  check.matcher().reset();
  for (std::size_t at = 0; at < text.size(); at += stride) {
    check.check(id + " after " + text.substr(0, at));
    if (::testing::Test::HasFailure()) return;
    if (!check.matcher().accept_bytes(std::string_view(text).substr(at, stride))) return;
  }
  if (check.matcher().is_accepting()) check.check(id + " after " + text);
}

void walk_at_random(MaskCheck& check, const std::string& id, std::mt19937& random, const Vocabulary& vocabulary) {
  check.matcher().reset();
  std::string text;
  for (int step = 0; step < 12; ++step) {
    const auto allowed = check.check(id + " after " + text);
    if (::testing::Test::HasFailure() || allowed.empty()) return;
    const TokenId chosen = allowed[random() % allowed.size()];
    ASSERT_TRUE(check.matcher().accept(chosen));
    if (check.matcher().is_terminated()) return;
    text += vocabulary.token(chosen);
  }
}

// The same instance with lines and indentation.
std::string in_lines(const std::string& text, std::uint32_t indent) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_discarded() ? text : json.dump(static_cast<int>(indent));
}

void run(const std::shared_ptr<const Vocabulary>& vocabulary, std::size_t stride, std::size_t step,
         const JsonSchemaOptions& options, std::size_t max_text) {
  Compiler compiler(vocabulary);
  std::mt19937 random(5);
  std::size_t compiled = 0;
  std::size_t states = 0;
  for (const Line& line : corpus(stride)) {
    const auto grammar = compiler.compile_json_schema(line.schema, options);
    if (!grammar) continue;
    ++compiled;
    MaskCheck check(*grammar);
    for (const auto& [valid, text] : line.tests) {
      if (text.size() > max_text) continue;
      follow(check, line.id, text, step);
      if (options.style.indent) follow(check, line.id, in_lines(text, *options.style.indent), step);
    }
    walk_at_random(check, line.id, random, *vocabulary);
    ASSERT_FALSE(check.matcher().error()) << line.id << ": " << check.matcher().error()->to_string();
    if (::testing::Test::HasFailure()) return;
    states += check.states();
  }
  EXPECT_GT(compiled, 0U);
  ::testing::Test::RecordProperty("schemas", static_cast<int>(compiled));
  ::testing::Test::RecordProperty("states", static_cast<int>(states));
}

TEST(SchemaMasks, SmallVocabularyAsListed) { run(testing::json_vocabulary(11), 61, 7, {}, 400); }

TEST(SchemaMasks, SmallVocabularyAnyOrder) {
  JsonSchemaOptions options;
  options.any_property_order = true;
  run(testing::json_vocabulary(12), 83, 5, options, 300);
}

TEST(SchemaMasks, SmallVocabularyFixedSeparators) {
  JsonSchemaOptions options;
  options.style.flexible_whitespace = false;
  run(testing::json_vocabulary(13), 97, 5, options, 300);
}

TEST(SchemaMasks, SmallVocabularyIndented) {
  for (const std::uint32_t indent : {0, 3}) {
    JsonSchemaOptions options;
    options.style.flexible_whitespace = false;
    options.style.indent = indent;
    run(testing::json_vocabulary(16), 89, 5, options, 300);
  }
}

TEST(SchemaMasks, SmallVocabularyBoundedWhiteSpace) {
  for (const std::uint32_t longest : {1, 3}) {
    JsonSchemaOptions options;
    options.style.longest_whitespace = longest;
    run(testing::json_vocabulary(17), 79, 5, options, 300);
  }
}

TEST(SchemaMasks, SmallVocabularyNeededEscapes) {
  JsonSchemaOptions options;
  options.style.any_escape = false;
  run(testing::json_vocabulary(14), 71, 5, options, 300);
}

TEST(SchemaMasks, EscapesOnlyWhereNeeded) {
  Compiler compiler(testing::json_vocabulary(15));
  JsonSchemaOptions options;
  options.style.any_escape = false;
  const auto grammar =
      compiler.compile_json_schema(R"({"properties": {"key": {"enum": ["a/b", "\"\n\u0001"]}}})", options);
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  const auto accepts = [&](std::string_view text) {
    Matcher matcher(*grammar);
    return matcher.accept_bytes(text) && matcher.is_accepting();
  };
  EXPECT_TRUE(accepts(R"({"key": "a/b"})"));
  EXPECT_TRUE(accepts(R"({"key": "\"\n\u0001"})"));
  EXPECT_FALSE(accepts(R"({"key": "\u0022\u000A\u0001"})")) << "the quote has an escape of its own";
  EXPECT_TRUE(accepts(R"({"k\\\"": "x\u001fy\\"})"));
  EXPECT_FALSE(accepts(R"({"\u006bey": "a/b"})"));
  EXPECT_FALSE(accepts(R"({"key": "a\/b"})"));
  EXPECT_FALSE(accepts(R"({"x": "\u00e9"})"));
  EXPECT_FALSE(accepts(R"({"x": "\ud83d\ude00"})"));
  EXPECT_TRUE(accepts("{\"x\": \"\xC3\xA9\"}"));
}

// The real thing: every mask of a few schemas over Llama-3.1's 128,256 tokens.
TEST(SchemaMasks, Llama) {
  const char* folder = std::getenv("WEIR_TOKENIZERS");
  ASSERT_NE(folder, nullptr) << "WEIR_TOKENIZERS must name the folder of tests/tools/fetch_tokenizers.py";
  auto vocabulary = Vocabulary::from_file(std::string(folder) + "/llama3_1.json");
  ASSERT_TRUE(vocabulary) << vocabulary.error().to_string();
  const auto shared = std::make_shared<const Vocabulary>(*std::move(vocabulary));
  run(shared, 601, 9, {}, 200);
  JsonSchemaOptions options;
  options.style.longest_whitespace = 2;
  run(shared, 1201, 9, options, 200);
  options.style = {.flexible_whitespace = false, .indent = 2};
  run(shared, 1201, 9, options, 200);
}

}  // namespace
}  // namespace weir
