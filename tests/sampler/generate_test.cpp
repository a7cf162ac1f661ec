#include "weir/sampler/generate.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "weir/automata/compiler.hpp"
#include "weir/sampler/ngram_model.hpp"

namespace weir {
namespace {

// A model whose wishes are written down: after n generated tokens it gives wishes[n] a logit of 5, all else 0.
class ScriptedModel final : public LanguageModel {
 public:
  ScriptedModel(std::vector<std::string> tokens, std::vector<std::string> wishes, std::size_t prompt = 0)
      : wishes_(std::move(wishes)), prompt_(prompt) {
    const std::vector<TokenId> eos{static_cast<TokenId>(tokens.size() - 1)};
    vocabulary_ = std::make_shared<const Vocabulary>(*Vocabulary::from_bytes(tokens, eos, eos));
    logits_.resize(vocabulary_->size());
  }

  const std::shared_ptr<const Vocabulary>& vocabulary() const noexcept override { return vocabulary_; }
  Result<std::vector<TokenId>> encode_prompt(std::string_view text) const override {
    if (text == "bad") return make_error(ErrorCode::kArgument, "a bad prompt");
    return std::vector<TokenId>(prompt_, 0);
  }
  Status append(std::span<const TokenId> tokens) override {
    context.insert(context.end(), tokens.begin(), tokens.end());
    return ok_status();
  }
  Result<std::span<const float>> logits() override {
    ++calls;
    if (fail_at == context.size()) return make_error(ErrorCode::kInvalid, "the model failed");
    std::fill(logits_.begin(), logits_.end(), 0.0F);
    const std::size_t step = context.size() - prompt_;
    if (step < wishes_.size()) {
      for (TokenId t = 0; t < vocabulary_->size(); ++t) {
        if (vocabulary_->token(t) == wishes_[step]) logits_[t] = 5.0F;
      }
    }
    return std::span<const float>(logits_);
  }
  Status rewind(std::size_t length) override {
    context.resize(length);
    return ok_status();
  }
  std::size_t length() const noexcept override { return context.size(); }
  std::size_t max_length() const noexcept override { return capacity; }

  std::vector<TokenId> context;
  int calls = 0;
  std::size_t fail_at = static_cast<std::size_t>(-1);
  std::size_t capacity = 1000;

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
  std::vector<std::string> wishes_;
  std::size_t prompt_;
  std::vector<float> logits_;
};

// The last token ends the sequence.
const std::vector<std::string> kTokens{"[", "]", ",", "0", "1", "2", "12", ",1", "x", ""};

CompiledGrammar compile(const std::shared_ptr<const Vocabulary>& vocabulary, std::string_view pattern) {
  Compiler compiler(vocabulary);
  auto grammar = compiler.compile_regex(pattern);
  EXPECT_TRUE(grammar) << grammar.error().to_string();
  return *grammar;
}

constexpr std::string_view kList = R"(\[[0-2](,[0-2])*\])";
const GenerateOptions kGreedy{.sampler = {.temperature = 0}};

TEST(Generate, FollowsTheModelWhereTheGrammarAllows) {
  ScriptedModel model(kTokens, {"[", "2", ",1", "]"}, 2);
  const auto grammar = compile(model.vocabulary(), kList);
  const auto out = generate(model, grammar, "a prompt", kGreedy);
  ASSERT_TRUE(out) << out.error().to_string();
  EXPECT_EQ(out->text, "[2,1]");
  EXPECT_EQ(out->finish_reason, FinishReason::kAccepted);
  EXPECT_TRUE(out->complete);
  EXPECT_EQ(out->tokens, (std::vector<TokenId>{0, 5, 7, 1}));
  EXPECT_EQ(model.context, (std::vector<TokenId>{0, 0, 0, 5, 7, 1}));
  EXPECT_EQ(model.calls, 3) << "'[' is the only way to start";
}

TEST(Generate, NeverLeavesTheGrammar) {
  ScriptedModel model(kTokens, {"x", "x", "x", "]"});
  const auto out = generate(model, compile(model.vocabulary(), kList), std::string_view(), kGreedy);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->text, "[0]");  // at the second step ']' and ',' tie at 0: the smaller id, as the digits do
}

TEST(Generate, LogprobIsTheSumUnderTheConstrainedDistribution) {
  ScriptedModel model(kTokens, {"[", "2", ",1", "]"});
  const auto out = generate(model, compile(model.vocabulary(), kList), std::string_view(), kGreedy);
  ASSERT_TRUE(out);
  const double e5 = std::exp(5.0);
  // "2" among three digits; ",1" among "]", ",", ",1"; "]" among the same three.
  EXPECT_NEAR(out->logprob, 3 * std::log(e5 / (e5 + 2)), 1e-12);
}

TEST(Generate, StopsAtMaxTokens) {
  ScriptedModel model(kTokens, {"[", "0", ",", "1", ",", "2"});
  const auto grammar = compile(model.vocabulary(), kList);
  for (const std::size_t most : {0U, 1U, 3U}) {
    const auto out = generate(model, grammar, std::string_view(), {.sampler = {.temperature = 0}, .max_tokens = most});
    ASSERT_TRUE(out);
    EXPECT_EQ(out->finish_reason, FinishReason::kLength);
    EXPECT_EQ(out->tokens.size(), most);
    EXPECT_FALSE(out->complete);
  }
  model.capacity = 2;
  EXPECT_EQ(generate(model, grammar, std::string_view(), kGreedy)->finish_reason, FinishReason::kLength);
}

TEST(Generate, EndOfSequenceEndsWhatCouldGoOn) {
  // "1" is complete and may go on; the wish for "" is the end-of-sequence token.
  ScriptedModel model(kTokens, {"1", "2", ""});
  const auto grammar = compile(model.vocabulary(), "[0-2]+");
  const auto out = generate(model, grammar, std::string_view(), kGreedy);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->text, "12");
  EXPECT_EQ(out->tokens.back(), 9U);
  EXPECT_EQ(out->finish_reason, FinishReason::kAccepted);

  GenerateOptions eager = kGreedy;
  eager.stop_on_accepting = true;
  EXPECT_EQ(generate(model, grammar, std::string_view(), eager)->text, "1");
}

TEST(Generate, MaxTokensOnACompleteTextSaysSo) {
  ScriptedModel model(kTokens, {"1", "2", "1", "2"});
  const auto out = generate(model, compile(model.vocabulary(), "[0-2]+"), std::string_view(),
                            {.sampler = {.temperature = 0}, .max_tokens = 3});
  ASSERT_TRUE(out);
  EXPECT_EQ(out->finish_reason, FinishReason::kLength);
  EXPECT_TRUE(out->complete);
}

TEST(Generate, DeadEndWhereTheVocabularyCannotSpellTheRest) {
  ScriptedModel model(kTokens, {"1"});
  const auto out = generate(model, compile(model.vocabulary(), "1y"), std::string_view(), kGreedy);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->finish_reason, FinishReason::kDeadEnd);
  EXPECT_FALSE(out->complete);
}

TEST(Generate, TheObserverSeesEveryStepAndMayStop) {
  ScriptedModel model(kTokens, {"[", "12", ",", "0", "]"});
  const auto grammar = compile(model.vocabulary(), R"(\[[0-2]{1,2}(,[0-2]{1,2})*\]?)");
  std::vector<std::size_t> allowed;
  std::string text;
  std::vector<bool> complete;
  GenerateOptions options = kGreedy;
  options.observer = [&](const GenerateStep& step) {
    EXPECT_EQ(step.index, allowed.size());
    EXPECT_NE(step.mask[step.token / 32] >> (step.token % 32) & 1U, 0U);
    allowed.push_back(step.allowed);
    text += step.bytes;
    complete.push_back(step.complete);
    return true;
  };
  auto out = generate(model, grammar, std::string_view(), options);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->text, "[12,0]");
  EXPECT_EQ(text, out->text);
  // "["; 0 1 2 12; ] , ,1 and the end; 0 1 2 12; 0 1 2 ] , ,1 and the end.
  EXPECT_EQ(allowed, (std::vector<std::size_t>{1, 4, 4, 4, 7}));
  EXPECT_EQ(complete, (std::vector<bool>{false, true, false, true, true}));

  options.observer = [](const GenerateStep& step) { return step.index < 1; };
  out = generate(model, grammar, std::string_view(), options);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->finish_reason, FinishReason::kStop);
  EXPECT_EQ(out->tokens.size(), 2U);
  EXPECT_TRUE(out->complete);
}

TEST(Generate, Errors) {
  ScriptedModel model(kTokens, {"["});
  const auto grammar = compile(model.vocabulary(), kList);
  EXPECT_EQ(generate(model, grammar, "bad", kGreedy).error().message, "a bad prompt");
  EXPECT_EQ(generate(model, grammar, std::string_view(), {.sampler = {.temperature = -1}}).error().code,
            ErrorCode::kArgument);
  ScriptedModel other({"a", "b", ""}, {});
  const auto mismatch = generate(other, grammar, std::string_view(), kGreedy);
  ASSERT_FALSE(mismatch);
  EXPECT_NE(mismatch.error().message.find("another vocabulary"), std::string::npos);
  model.fail_at = 1;
  EXPECT_EQ(generate(model, grammar, std::string_view(), kGreedy).error().message, "the model failed");
}

TEST(Generate, TheSameSeedGivesTheSameTextFromTheEmbeddedModel) {
  auto model = NgramModel::embedded();
  ASSERT_TRUE(model);
  Compiler compiler((*model)->vocabulary());
  const auto grammar = compiler.compile_json_schema(R"({"type": "object", "properties": {"name": {"type": "string"},
      "age": {"type": "integer", "minimum": 0, "maximum": 120}}, "required": ["name", "age"],
      "additionalProperties": false})");
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  const auto write = [&](std::uint64_t seed) {
    auto out = generate(**model, *grammar, std::string_view(), {.sampler = {.seed = seed}, .max_tokens = 400});
    EXPECT_TRUE(out);
    EXPECT_TRUE(out->complete || out->finish_reason == FinishReason::kLength) << out->text;
    return out->text;
  };
  const std::string first = write(1);
  EXPECT_EQ(write(1), first);
  EXPECT_NE(write(2), first);
}

TEST(FinishReason, HasStableNames) {
  EXPECT_STREQ(to_string(FinishReason::kAccepted), "accepted");
  EXPECT_STREQ(to_string(FinishReason::kLength), "length");
  EXPECT_STREQ(to_string(FinishReason::kStop), "stop");
  EXPECT_STREQ(to_string(FinishReason::kDeadEnd), "dead_end");
}

}  // namespace
}  // namespace weir
