// A model so small that every text can be enumerated: logits are a pure function of the last two tokens. For tests
// only.
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "weir/sampler/model.hpp"

namespace weir::testing {

class SmallModel final : public LanguageModel {
 public:
  // The last token ends the sequence.
  SmallModel(const std::vector<std::string>& tokens, std::uint64_t seed, float spread = 1.5F)
      : seed_(seed), spread_(spread) {
    const std::vector<TokenId> eos{static_cast<TokenId>(tokens.size() - 1)};
    vocabulary_ = std::make_shared<const Vocabulary>(*Vocabulary::from_bytes(tokens, eos, eos));
    logits_.resize(vocabulary_->size());
  }
  const std::shared_ptr<const Vocabulary>& vocabulary() const noexcept override { return vocabulary_; }
  Result<std::vector<TokenId>> encode_prompt(std::string_view) const override { return std::vector<TokenId>(); }
  Status append(std::span<const TokenId> tokens) override {
    context_.insert(context_.end(), tokens.begin(), tokens.end());
    return ok_status();
  }
  Result<std::span<const float>> logits() override {
    ++calls;
    const std::uint64_t size = context_.size();
    const std::uint64_t last = size > 0 ? context_[size - 1] + 1 : 0;
    const std::uint64_t before = size > 1 ? context_[size - 2] + 1 : 0;
    std::mt19937_64 random(seed_ * 1000 + last * 31 + before);
    for (float& logit : logits_) {
      logit = spread_ * (static_cast<float>(random() % 2001) / 1000.0F - 1.0F);
    }
    return std::span<const float>(logits_);
  }
  Status rewind(std::size_t length) override {
    if (length > context_.size()) return make_error(ErrorCode::kArgument, "past the context");
    context_.resize(length);
    return ok_status();
  }
  std::size_t length() const noexcept override { return context_.size(); }
  std::size_t max_length() const noexcept override { return 100'000; }

  int calls = 0;

 private:
  std::uint64_t seed_;
  float spread_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  std::vector<TokenId> context_;
  std::vector<float> logits_;
};

// log p of each token after the prefix, in long double.
inline std::vector<long double> log_softmax(SmallModel& model, const std::vector<TokenId>& prefix) {
  (void)model.rewind(0);
  (void)model.append(prefix);
  const auto logits = *model.logits();
  long double sum = 0;
  for (const float l : logits) sum += std::exp(static_cast<long double>(l));
  std::vector<long double> result;
  for (const float l : logits) result.push_back(static_cast<long double>(l) - std::log(sum));
  return result;
}

}  // namespace weir::testing
