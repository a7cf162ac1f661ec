#include "weir/sampler/generate.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "weir/automata/mask.hpp"
#include "weir/sampler/completion.hpp"

namespace weir {
namespace {

TokenId first_bit(std::span<const std::uint32_t> mask) noexcept {
  std::size_t word = 0;
  while (mask[word] == 0) ++word;
  return static_cast<TokenId>(word * 32 + static_cast<std::size_t>(std::countr_zero(mask[word])));
}

// Of a search for a way to the end, at each token; the first one, which may be an error, has the library's default.
constexpr std::size_t kSteps = 5'000;

class Loop {
 public:
  Loop(LanguageModel& model, const CompiledGrammar& grammar, const GenerateOptions& options, Sampler sampler)
      : model_(model),
        vocabulary_(grammar.vocabulary()),
        options_(options),
        sampler_(std::move(sampler)),
        matcher_(grammar),
        mask_(vocabulary_.mask_words()) {
    if (options.finish_within_max_tokens) completions_.emplace(vocabulary_);
  }

  Result<Generation> run(std::span<const TokenId> prompt);

 private:
  // The next token under the mask, or the error.
  Result<Draw> choose(std::size_t allowed);
  // Takes the token; true: the loop goes on.
  Result<bool> take(const Draw& draw, std::size_t allowed);
  // How many more tokens there is room for.
  std::size_t room() const noexcept;
  // Could the text still be completed after this token?
  bool leaves_enough(TokenId token);
  Status check_budget();
  bool only_eos_allowed(std::size_t allowed) const noexcept;
  Generation finish(FinishReason reason);

  LanguageModel& model_;
  const Vocabulary& vocabulary_;
  const GenerateOptions& options_;
  Sampler sampler_;
  Matcher matcher_;
  std::vector<std::uint32_t> mask_;
  std::optional<Completions> completions_;
  Generation result_;
};

Result<Draw> Loop::choose(std::size_t allowed) {
  if (allowed == 1) {
    // Certain, whatever the model says; the random numbers of later tokens do not depend on this short cut.
    sampler_.seek(sampler_.position() + 1);
    return Draw{first_bit(mask_), 0.0};
  }
  auto logits = model_.logits();
  if (!logits) return logits.error();
  if (!completions_) return sampler_.draw(*logits, mask_);
  return sampler_.draw_wanted(*logits, mask_, [&](TokenId token) { return leaves_enough(token); });
}

std::size_t Loop::room() const noexcept {
  const std::size_t context = model_.max_length() - std::min(model_.length(), model_.max_length());
  return std::min(context, options_.max_tokens - std::min(result_.tokens.size(), options_.max_tokens));
}

bool Loop::leaves_enough(TokenId token) {
  if (vocabulary_.is_eos(token)) return true;
  if (!matcher_.accept(token)) return false;
  const Reach reach = completions_->within(matcher_, room() - 1);
  matcher_.rollback(1);
  return reach == Reach::kYes;
}

Status Loop::check_budget() {
  const Reach reach = completions_->within(matcher_, room());
  completions_->set_limits({.max_token_steps = kSteps});
  if (reach == Reach::kYes) return ok_status();
  if (matcher_.error()) return *matcher_.error();
  const char* what = reach == Reach::kNo ? "no text of the grammar has so few tokens"
                                         : "the search for a text that short ran out of its limits";
  return make_error(
      ErrorCode::kLimit,
      fmt::format("finish_within_max_tokens: {} tokens are left, and {}; raise max_tokens", room(), what));
}

bool Loop::only_eos_allowed(std::size_t allowed) const noexcept {
  if (allowed > vocabulary_.eos().size()) return false;
  const auto is_set = [&](TokenId t) { return (mask_[t / 32] >> (t % 32) & 1U) != 0; };
  return allowed == static_cast<std::size_t>(std::count_if(vocabulary_.eos().begin(), vocabulary_.eos().end(), is_set));
}

Generation Loop::finish(FinishReason reason) {
  result_.finish_reason = reason;
  result_.complete = reason == FinishReason::kAccepted || matcher_.is_terminated() || matcher_.is_accepting();
  return std::move(result_);
}

Result<bool> Loop::take(const Draw& draw, std::size_t allowed) {
  if (!matcher_.accept(draw.token)) {
    if (matcher_.error()) return *matcher_.error();
    return make_error(
        ErrorCode::kInvalid,
        fmt::format("the matcher refused token {}, which its mask allows; this is a fault of weir", draw.token));
  }
  if (Status status = model_.append({&draw.token, 1}); !status) return status.error();
  sampler_.accept(draw.token);
  const bool eos = vocabulary_.is_eos(draw.token);
  const std::string_view bytes = eos ? std::string_view() : vocabulary_.token(draw.token);
  const GenerateStep step{result_.tokens.size(),         allowed, mask_, draw.token, bytes, draw.logprob,
                          eos || matcher_.is_accepting()};
  result_.tokens.push_back(draw.token);
  result_.text += bytes;
  result_.logprob += draw.logprob;
  return !options_.observer || options_.observer(step);
}

Result<Generation> Loop::run(std::span<const TokenId> prompt) {
  sampler_.set_prompt(prompt);
  if (completions_) {
    if (Status status = check_budget(); !status) return status.error();
  }
  while (true) {
    if (options_.stop_on_accepting && matcher_.is_accepting()) return finish(FinishReason::kAccepted);
    matcher_.fill_mask(mask_);
    if (matcher_.error()) return *matcher_.error();
    const std::size_t allowed = count_bits(mask_);
    if (allowed == 0) {
      // A vocabulary without end-of-sequence tokens ends a finished text this way.
      return finish(matcher_.is_accepting() ? FinishReason::kAccepted : FinishReason::kDeadEnd);
    }
    if (only_eos_allowed(allowed)) return finish(FinishReason::kAccepted);
    if (result_.tokens.size() >= options_.max_tokens || model_.length() >= model_.max_length()) {
      return finish(FinishReason::kLength);
    }
    const auto draw = choose(allowed);
    if (!draw) return draw.error();
    const auto more = take(*draw, allowed);
    if (!more) return more.error();
    if (matcher_.is_terminated()) return finish(FinishReason::kAccepted);
    if (!*more) return finish(FinishReason::kStop);
  }
}

}  // namespace

const char* to_string(FinishReason reason) noexcept {
  switch (reason) {
    case FinishReason::kAccepted: return "accepted";
    case FinishReason::kLength: return "length";
    case FinishReason::kStop: return "stop";
    case FinishReason::kDeadEnd: return "dead_end";
  }
  return "unknown";
}

Result<Generation> generate(LanguageModel& model, const CompiledGrammar& grammar, std::span<const TokenId> prompt,
                            const GenerateOptions& options) {
  auto sampler = Sampler::create(options.sampler);
  if (!sampler) return sampler.error();
  if (model.vocabulary().get() != &grammar.vocabulary() && model.vocabulary()->hash() != grammar.vocabulary().hash()) {
    return make_error(ErrorCode::kArgument, fmt::format("the grammar was compiled for another vocabulary ({} tokens) "
                                                        "than the model's ({}): compile it with model.vocabulary()",
                                                        grammar.vocabulary().size(), model.vocabulary()->size()));
  }
  if (Status status = model.rewind(0); !status) return status.error();
  if (Status status = model.append(prompt); !status) return status.error();
  return Loop(model, grammar, options, std::move(*sampler)).run(prompt);
}

Result<Generation> generate(LanguageModel& model, const CompiledGrammar& grammar, std::string_view prompt,
                            const GenerateOptions& options) {
  const auto tokens = model.encode_prompt(prompt);
  if (!tokens) return tokens.error();
  return generate(model, grammar, std::span<const TokenId>(*tokens), options);
}

}  // namespace weir
