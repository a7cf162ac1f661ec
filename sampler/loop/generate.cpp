#include "weir/sampler/generate.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "weir/automata/mask.hpp"
#include "weir/sampler/completion.hpp"
#include "weir/sampler/text_stream.hpp"

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
        grammar_(grammar),
        vocabulary_(grammar.vocabulary()),
        options_(options),
        sampler_(std::move(sampler)),
        matcher_(grammar),
        mask_(vocabulary_.mask_words()),
        stream_(options.stop, options.include_stop),
        began_(std::chrono::steady_clock::now()) {
    if (options.finish_within_max_tokens) completions_.emplace(vocabulary_);
  }

  Result<Generation> run(std::span<const TokenId> prompt);

 private:
  struct Step {
    double logprob;
    std::size_t text_size;          // before the step
    std::vector<TokenId> excluded;  // tokens that were taken back at this step
  };

  // The next token, or why there is none.
  Result<bool> step();
  // Which tokens may come next, in mask_; how many.
  std::size_t fill_mask();
  Result<Draw> choose(std::size_t allowed);
  // Takes the token; true: the loop goes on.
  Result<bool> take(const Draw& draw, std::size_t allowed);
  // Nothing can be drawn; `why` is the sampler's error, if it was asked.
  Result<bool> nothing_left(const std::optional<Error>& why);
  bool take_back();
  Result<bool> repair();
  bool is_fault(std::span<const float> logits) const;
  // How many more tokens there is room for.
  std::size_t room() const noexcept;
  // Could the text still be completed after this token?
  bool leaves_enough(TokenId token);
  Status check_budget();
  bool only_eos_allowed(std::size_t allowed) const noexcept;
  bool stops(TokenId token) const noexcept;
  void show(std::string_view bytes);
  bool finish(FinishReason reason);

  LanguageModel& model_;
  const CompiledGrammar& grammar_;
  const Vocabulary& vocabulary_;
  const GenerateOptions& options_;
  Sampler sampler_;
  Matcher matcher_;
  std::vector<std::uint32_t> mask_;
  std::optional<Completions> completions_;
  TextStream stream_;
  std::chrono::steady_clock::time_point began_;
  std::string text_;
  std::vector<Step> steps_;
  std::vector<TokenId> excluded_;  // at this step
  Generation result_;
};

bool Loop::stops(TokenId token) const noexcept {
  const auto& ids = options_.stop_token_ids;
  return std::find(ids.begin(), ids.end(), token) != ids.end();
}

std::size_t Loop::fill_mask() {
  matcher_.fill_mask(mask_);
  const auto clear = [&](TokenId token) {
    if (token < vocabulary_.size()) clear_bit(mask_, token);
  };
  for (const TokenId token : excluded_) clear(token);
  if (steps_.size() < options_.min_tokens) {
    const std::vector<std::uint32_t> all = mask_;
    for (const TokenId token : vocabulary_.eos()) clear(token);
    for (const TokenId token : options_.stop_token_ids) clear(token);
    if (!any_bit(mask_)) mask_ = all;
  }
  return count_bits(mask_);
}

Result<Draw> Loop::choose(std::size_t allowed) {
  const SamplingParameters& p = options_.sampler;
  const bool bans = !p.logit_bias.empty() || !p.banned_token_ids.empty() || !p.bad_words.empty() ||
                    !p.allowed_token_ids.empty() || p.no_repeat_ngram_size > 0;
  if (allowed == 1 && !bans) {
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
  return std::min(context, options_.max_tokens - std::min(steps_.size(), options_.max_tokens));
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
  return allowed == static_cast<std::size_t>(std::count_if(vocabulary_.eos().begin(), vocabulary_.eos().end(),
                                                           [&](TokenId t) { return test_bit(mask_, t); }));
}

void Loop::show(std::string_view bytes) {
  const std::string shown = stream_.push(bytes);
  if (options_.on_text && !shown.empty()) options_.on_text(shown);
}

bool Loop::finish(FinishReason reason) {
  const std::string rest = stream_.flush();
  if (options_.on_text && !rest.empty()) options_.on_text(rest);
  result_.text = stream_.shown();
  for (const Step& step : steps_) result_.logprob += step.logprob;
  result_.finish_reason = reason;
  if (reason == FinishReason::kStopString || reason == FinishReason::kStopToken) {
    Matcher judge(grammar_);
    result_.complete = judge.accept_bytes(result_.text) && judge.is_accepting();
  } else {
    result_.complete = reason == FinishReason::kAccepted || matcher_.is_terminated() || matcher_.is_accepting();
  }
  return false;
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
  const bool stop = !eos && stops(draw.token);
  const std::string_view bytes = eos || stop ? std::string_view() : vocabulary_.token(draw.token);
  const GenerateStep step{
      steps_.size(), allowed, mask_, draw.token, bytes, draw.logprob, eos || matcher_.is_accepting()};
  result_.tokens.push_back(draw.token);
  steps_.push_back({draw.logprob, text_.size(), std::move(excluded_)});
  excluded_.clear();
  text_ += bytes;
  show(bytes);
  const bool more = !options_.observer || options_.observer(step);
  if (stop) return finish(FinishReason::kStopToken);
  if (stream_.stopped()) return finish(FinishReason::kStopString);
  if (matcher_.is_terminated()) return finish(FinishReason::kAccepted);
  return more || finish(FinishReason::kStop);
}

// The last token is not to be taken again at its step. False: there is none, or enough have been taken back.
bool Loop::take_back() {
  if (steps_.empty() || result_.backtracked >= options_.max_backtracks) return false;
  if (!model_.rewind(model_.length() - 1)) return false;
  ++result_.backtracked;
  matcher_.rollback(1);
  sampler_.rewind(sampler_.accepted() - 1);
  excluded_ = std::move(steps_.back().excluded);
  excluded_.push_back(result_.tokens.back());
  text_.resize(steps_.back().text_size);
  steps_.pop_back();
  result_.tokens.pop_back();
  stream_ = TextStream(options_.stop, options_.include_stop);
  stream_.push(text_);
  return true;
}

// A short way to the end, if there is room for it; its tokens count as drawn under the mask.
Result<bool> Loop::repair() {
  Completions completions(vocabulary_);
  const auto text = completions.any(matcher_);
  const auto tokens = text ? completions.fewest_tokens(*text) : std::nullopt;
  if (!tokens || tokens->size() > room()) return finish(FinishReason::kDeadEnd);
  for (const TokenId token : *tokens) {
    matcher_.fill_mask(mask_);
    const auto logits = model_.logits();
    if (!logits) return logits.error();
    const auto logprob = masked_log_probability(*logits, mask_, token);
    if (!logprob) return logprob.error();
    const auto more = take({token, *logprob}, count_bits(mask_));
    if (!more || !*more) return more;
  }
  return finish(FinishReason::kRepaired);
}

Result<bool> Loop::nothing_left(const std::optional<Error>& why) {
  switch (options_.empty_support) {
    case EmptySupport::kBacktrack:
      if (take_back()) return true;
      break;
    case EmptySupport::kRepair:
      if (!matcher_.is_terminated()) return repair();
      break;
    case EmptySupport::kReject: break;
  }
  if (why && options_.empty_support == EmptySupport::kReject) return *why;
  return finish(FinishReason::kDeadEnd);
}

// Is it the model's fault that nothing could be drawn?
bool Loop::is_fault(std::span<const float> logits) const {
  for (std::size_t t = 0; t < logits.size(); ++t) {
    if (test_bit(mask_, static_cast<TokenId>(t)) && !(logits[t] <= std::numeric_limits<float>::max())) return true;
  }
  return false;
}

Result<bool> Loop::step() {
  const bool may_end = steps_.size() >= options_.min_tokens;
  if (options_.stop_on_accepting && may_end && matcher_.is_accepting()) return finish(FinishReason::kAccepted);
  if (options_.time_limit.count() > 0 && std::chrono::steady_clock::now() - began_ >= options_.time_limit) {
    return finish(FinishReason::kTimeLimit);
  }
  const std::size_t allowed = fill_mask();
  if (matcher_.error()) return *matcher_.error();
  if (allowed == 0) {
    // A vocabulary without end-of-sequence tokens ends a finished text this way.
    if (excluded_.empty() && matcher_.is_accepting()) return finish(FinishReason::kAccepted);
    return nothing_left(std::nullopt);
  }
  if (only_eos_allowed(allowed)) return finish(FinishReason::kAccepted);
  if (room() == 0) return finish(FinishReason::kLength);
  const auto draw = choose(allowed);
  if (draw) return take(*draw, allowed);
  if (draw.error().code != ErrorCode::kInvalid) return draw.error();
  const auto logits = model_.logits();
  if (!logits || is_fault(*logits)) return draw.error();
  return nothing_left(draw.error());
}

Result<Generation> Loop::run(std::span<const TokenId> prompt) {
  sampler_.set_prompt(prompt);
  if (completions_) {
    if (Status status = check_budget(); !status) return status.error();
  }
  while (true) {
    const auto more = step();
    if (!more) return more.error();
    if (!*more) return std::move(result_);
  }
}

}  // namespace

const char* to_string(FinishReason reason) noexcept {
  switch (reason) {
    case FinishReason::kAccepted: return "accepted";
    case FinishReason::kLength: return "length";
    case FinishReason::kStop: return "stop";
    case FinishReason::kDeadEnd: return "dead_end";
    case FinishReason::kStopString: return "stop_string";
    case FinishReason::kStopToken: return "stop_token";
    case FinishReason::kTimeLimit: return "time_limit";
    case FinishReason::kRepaired: return "repaired";
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
  if (options.on_text && options.empty_support == EmptySupport::kBacktrack) {
    return make_error(ErrorCode::kArgument, "on_text cannot take text back, as EmptySupport::kBacktrack does: use one");
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
