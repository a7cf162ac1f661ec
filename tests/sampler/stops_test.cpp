// How a text ends: stop strings and tokens, limits, and what is done where nothing can be drawn.
#include <random>

#include <gtest/gtest.h>

#include "small_model.hpp"
#include "weir/automata/compiler.hpp"
#include "weir/sampler/generate.hpp"
#include "weir/sampler/text_stream.hpp"

namespace weir {
namespace {

using testing::SmallModel;

bool is_whole_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t size = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    if (i + size > text.size()) return false;
    i += size;
  }
  return true;
}

// The text up to the stop string that ends first (the longest of those), or all of it.
std::string cut(const std::string& text, const std::vector<std::string>& stops, bool include) {
  for (std::size_t end = 0; end <= text.size(); ++end) {
    std::size_t begin = std::string::npos;
    for (const std::string& stop : stops) {
      if (end >= stop.size() && text.compare(end - stop.size(), stop.size(), stop) == 0) {
        begin = std::min(begin, end - stop.size());
      }
    }
    if (begin != std::string::npos) return text.substr(0, include ? end : begin);
  }
  return text;
}

TEST(TextStream, AnyPiecesGiveTheSameText) {
  std::mt19937 random(1);
  const std::vector<std::string> characters{"a", "b", "ab", "é", "漢", "😀", "b"};
  int stopped = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::size_t i = random() % 20; i > 0; --i) text += characters[random() % characters.size()];
    std::vector<std::string> stops(random() % 3);
    for (std::string& stop : stops) {
      for (std::size_t i = 1 + random() % 3; i > 0; --i) stop += characters[random() % characters.size()];
    }
    const bool include = round % 2 == 0;
    TextStream stream(stops, include);
    std::string shown;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = 1 + random() % 5;
      const std::string piece = stream.push(text.substr(at, size));
      EXPECT_TRUE(is_whole_utf8(piece));
      shown += piece;
      at += size;
    }
    shown += stream.flush();
    const std::string expected = cut(text, stops, include);
    EXPECT_EQ(shown, expected) << text;
    EXPECT_EQ(stream.shown(), expected);
    stopped += stream.stopped() ? 1 : 0;
  }
  EXPECT_GT(stopped, 500);
}

TEST(TextStream, HoldsBackNoMoreThanItMust) {
  TextStream stream({"END", "\n\n"});
  EXPECT_EQ(stream.push("one E"), "one ");
  EXPECT_EQ(stream.push("N"), "");
  EXPECT_EQ(stream.push("x\n"), "ENx");
  EXPECT_EQ(stream.push("y\xE6"), "\ny");
  EXPECT_EQ(stream.push("\xBC\xA2"
                        "E"),
            "漢");
  EXPECT_EQ(stream.push("ND more"), "");
  EXPECT_TRUE(stream.stopped());
  EXPECT_EQ(stream.push("more"), "");
  EXPECT_EQ(stream.flush(), "");
  TextStream odd;
  EXPECT_EQ(odd.push("\xFF\x80"), "\xFF\x80");  // no character begins so
  EXPECT_EQ(odd.push("\xE6"), "");
  EXPECT_EQ(odd.flush(), "\xE6");
}

// The last token ends the sequence.
const std::vector<std::string> kTokens{"a", "b", "c", "ab", ""};

struct Setting {
  SmallModel model{kTokens, 3};
  CompiledGrammar grammar;
  explicit Setting(std::string_view pattern)
      : grammar([&] {
          Compiler compiler(model.vocabulary());
          return *compiler.compile_regex(pattern);
        }()) {}
  Generation run(const GenerateOptions& options) {
    auto out = generate(model, grammar, std::string_view(), options);
    EXPECT_TRUE(out) << out.error().to_string();
    return *out;
  }
};

TEST(Stops, StringsAcrossTokens) {
  Setting setting("(a|b|c)*");
  int stopped = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    GenerateOptions options;
    options.sampler.seed = seed;
    options.max_tokens = 30;
    options.stop = {"ba", "cc"};
    std::string shown;
    options.on_text = [&](std::string_view piece) { shown += piece; };
    const Generation out = setting.run(options);
    EXPECT_EQ(out.text, shown);
    std::string all;
    for (const TokenId token : out.tokens) all += kTokens[token];
    EXPECT_EQ(out.text, cut(all, options.stop, false));
    EXPECT_EQ(out.finish_reason == FinishReason::kStopString, out.text != all);
    EXPECT_TRUE(out.complete) << "every text over the letters is in the language";
    stopped += out.finish_reason == FinishReason::kStopString ? 1 : 0;
  }
  EXPECT_GT(stopped, 15);
}

TEST(Stops, TokensMinTokensAndTime) {
  Setting setting("(a|b|c)*");
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    GenerateOptions options;
    options.sampler.seed = seed;
    options.min_tokens = 5;
    options.max_tokens = 9;
    options.stop_token_ids = {2};
    const Generation out = setting.run(options);
    EXPECT_GE(out.tokens.size(), 5U);
    if (out.finish_reason == FinishReason::kStopToken) {
      EXPECT_EQ(out.tokens.back(), 2U);
      EXPECT_EQ(out.text.find('c'), std::string::npos);
    }
  }
  // Nothing but the end is allowed: the text ends, whatever min_tokens says.
  Setting one("a");
  GenerateOptions options;
  options.min_tokens = 5;
  EXPECT_EQ(one.run(options).text, "a");
  options = {};
  options.max_tokens = 1'000'000'000;
  options.min_tokens = options.max_tokens;
  options.time_limit = std::chrono::milliseconds(20);
  EXPECT_EQ(setting.run(options).finish_reason, FinishReason::kTimeLimit);
}

TEST(EmptySupport, PoliciesWhereBansLeaveNothing) {
  // After "a" only "b" may follow, which is banned; "c" is the other way to begin.
  Setting setting("abc|ccc");
  GenerateOptions options;
  options.sampler.temperature = 0;
  options.sampler.banned_token_ids = {1, 3};
  options.sampler.logit_bias = {{0, 100.0}};
  const auto refused = generate(setting.model, setting.grammar, std::string_view(), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);

  options.empty_support = EmptySupport::kBacktrack;
  Generation out = setting.run(options);
  EXPECT_EQ(out.text, "ccc");
  EXPECT_EQ(out.finish_reason, FinishReason::kAccepted);
  EXPECT_EQ(out.backtracked, 1U);
  options.max_backtracks = 0;
  EXPECT_EQ(setting.run(options).finish_reason, FinishReason::kDeadEnd);

  options.empty_support = EmptySupport::kRepair;
  out = setting.run(options);
  EXPECT_EQ(out.text, "abc");
  EXPECT_EQ(out.finish_reason, FinishReason::kRepaired);
  EXPECT_TRUE(out.complete);
  options.max_tokens = 2;
  EXPECT_EQ(setting.run(options).finish_reason, FinishReason::kDeadEnd);

  options.empty_support = EmptySupport::kBacktrack;
  options.on_text = [](std::string_view) {};
  EXPECT_EQ(generate(setting.model, setting.grammar, std::string_view(), options).error().code, ErrorCode::kArgument);
}

TEST(EmptySupport, BacktracksOutOfADeadEndOfTheVocabulary) {
  // "x" cannot be spelt: of the ways to go on after "a", only "b" has an end.
  Setting setting("a(ccx|cax|b)");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    GenerateOptions options;
    options.sampler.seed = seed;
    options.empty_support = EmptySupport::kBacktrack;
    const Generation out = setting.run(options);
    EXPECT_EQ(out.text, "ab");
    EXPECT_TRUE(out.complete);
    // The result is as if nothing had been taken back.
    EXPECT_EQ(out.tokens, out.tokens.size() == 1 ? std::vector<TokenId>{3} : (std::vector<TokenId>{0, 1}));
  }
}

}  // namespace
}  // namespace weir
