// The loop: a model, a grammar, a sampler; out comes a text that is in the grammar's language.
//
//   weir::Result<weir::Generation> out = weir::generate(model, grammar, prompt_tokens, {.max_tokens = 200});
//   if (!out) return out.error();
//   if (out->finish_reason == weir::FinishReason::kAccepted) use(out->text);
//
// At each step the matcher's mask is applied to the model's logits, so every text is a viable prefix, and a text that
// ends with kAccepted is complete. Where just one token is allowed the model is not asked. The sampler's history holds
// the prompt and the tokens taken, so penalties see them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/automata/matcher.hpp"
#include "weir/sampler/model.hpp"
#include "weir/sampler/sampler.hpp"

namespace weir {

enum class FinishReason : std::uint8_t {
  kAccepted,    // an end-of-sequence token was taken, nothing but it could follow, or stop_on_accepting held
  kLength,      // max_tokens were taken, or the model's context is full
  kStop,        // the observer returned false
  kDeadEnd,     // no token is allowed: the vocabulary cannot spell any continuation
  kStopString,  // a string of GenerateOptions::stop stood in the text
  kStopToken,   // a token of stop_token_ids was taken
  kTimeLimit,   // time_limit was over
  kRepaired,    // nothing could be drawn, and the shortest way to the end was taken (EmptySupport::kRepair)
};

// "accepted", "length", "stop", "dead_end", "stop_string", "stop_token", "time_limit", "repaired".
const char* to_string(FinishReason reason) noexcept;

// One token of a running generation, as the observer sees it.
struct GenerateStep {
  std::size_t index = 0;                // 0 for the first token after the prompt
  std::size_t allowed = 0;              // how many tokens the grammar allowed here, end-of-sequence included
  std::span<const std::uint32_t> mask;  // which ones
  TokenId token = 0;                    // the token taken
  std::string_view bytes;               // its bytes; empty for end-of-sequence
  double logprob = 0;                   // see Draw::logprob
  bool complete = false;                // the text is complete after this token
};

// What to do where nothing can be drawn: the mask allows no token, or bans and penalties leave none of those allowed.
enum class EmptySupport : std::uint8_t {
  kReject,     // stop with kDeadEnd where the mask is empty; an error (kInvalid) where bans are why
  kBacktrack,  // take back tokens to the last step that had another choice, and choose another there
  kRepair,     // take the tokens of a short way to the end, banned or not, if it fits; else as for kReject
};

struct GenerateOptions {
  SamplingParameters sampler = {};
  std::size_t max_tokens = 1024;
  // No end of the text among the first so many tokens, unless nothing else is allowed.
  std::size_t min_tokens = 0;
  // The text ends before the first of these strings, wherever the tokens' boundaries are.
  std::vector<std::string> stop = {};
  bool include_stop = false;  // or after it
  // The text ends before such a token; it is taken, as end-of-sequence is. With a grammar it must be allowed to be
  // drawn.
  std::vector<TokenId> stop_token_ids = {};
  // No step begins later; 0: no limit. Measured by the steady clock, so the only option that makes runs differ.
  std::chrono::nanoseconds time_limit{0};
  EmptySupport empty_support = EmptySupport::kReject;
  std::size_t max_backtracks = 100;  // tokens taken back in all; after that as for kReject
  // Never take a token after which the text could not be completed within max_tokens (and the model's context): what
  // comes out is complete, always, or generate() is an error (kLimit) before the first token, if no text of the grammar
  // has so few. The draw is that of Sampler::draw_wanted. A token counts as possible when a short completion is found
  // that fits (completion.hpp), or by a search of all others that is cut off after 20,000 steps: near the end of a
  // tight budget a token may be passed over although some way on existed.
  bool finish_within_max_tokens = false;
  // Stop as soon as the text is complete, though it could go on ("1" where "12" is possible).
  bool stop_on_accepting = false;
  // Called after each token, end-of-sequence included; false stops the loop.
  std::function<bool(const GenerateStep&)> observer = nullptr;
  // Called with text as soon as it is certain: whole characters, no stop string and no beginning of one. Together the
  // pieces are Generation::text. Text cannot be taken back, so kArgument with EmptySupport::kBacktrack.
  std::function<void(std::string_view)> on_text = nullptr;
};

struct Generation {
  std::string text;             // without the prompt and without end-of-sequence
  std::vector<TokenId> tokens;  // of the text, and a final end-of-sequence if one was drawn
  double logprob = 0;           // sum over `tokens`
  FinishReason finish_reason = FinishReason::kLength;
  bool complete = false;        // the text is in the grammar's language; always so with kAccepted
  std::size_t backtracked = 0;  // tokens that were taken back
};

// Sets the model's context to the prompt, then generates. Afterwards the context is the prompt and the tokens taken.
// Errors: kArgument if the grammar was compiled for another vocabulary or an option is out of its domain; kLimit if a
// budget of the matcher ran out, the prompt does not fit, or with
// finish_within_max_tokens no text of the grammar does; the model's own.
Result<Generation> generate(LanguageModel& model, const CompiledGrammar& grammar, std::span<const TokenId> prompt,
                            const GenerateOptions& options = {});

// The same with a prompt's text, encoded by the model.
Result<Generation> generate(LanguageModel& model, const CompiledGrammar& grammar, std::string_view prompt,
                            const GenerateOptions& options = {});

}  // namespace weir
