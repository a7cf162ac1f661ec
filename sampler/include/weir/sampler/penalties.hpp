// What changes logits before anything is chosen: biases, bans and penalties on what the text holds already.
//
//   const std::vector<weir::TokenCount> counts = weir::count_tokens(history);
//   weir::TokenLogits view{{}, logits};                                        // logit i is that of token i
//   weir::Status status = weir::apply_repetition_penalty(view, counts, 1.1);
//   if (!status) return status.error();
//   weir::ban_tokens(view, weir::no_repeat_ngram_bans(history, 3));
//
// Each function looks at tokens one by one, so it commutes with a grammar's mask, and may be given the allowed tokens
// alone: then the work is that of the tokens allowed, not of the vocabulary.
//
// Numbers: each function computes in double and rounds once to float32, with +, -, *, / alone: the same bits
// everywhere. -infinity stays -infinity. Tokens that are no candidates are passed over. Cost: O(changes log n) for n
// candidates. Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weir/automata/vocabulary.hpp"
#include "weir/grammar/result.hpp"
#include "weir/sampler/parameters.hpp"

namespace weir {

// The candidates of a step. tokens: ascending ids, as many as logits; or empty, and logits[i] is that of token i.
struct TokenLogits {
  std::span<const TokenId> tokens;
  std::span<float> logits;
};

struct TokenCount {
  TokenId token = 0;
  std::uint32_t count = 0;
  friend bool operator==(const TokenCount&, const TokenCount&) = default;
};

// How often each token occurs; ascending ids. O(h log h).
std::vector<TokenCount> count_tokens(std::span<const TokenId> history);

// l(t) + bias. Errors: kArgument, before anything is changed, for NaN and +infinity.
// Source: the logit_bias of OpenAI's API.
Status apply_logit_bias(TokenLogits candidates, std::span<const TokenBias> biases);

// l(t) = -infinity.
void ban_tokens(TokenLogits candidates, std::span<const TokenId> tokens);

// l / r where l > 0, else l * r, for each token that was counted. Domain: r finite, > 0, else kArgument; above 1 it
// makes repetition rarer. Depends on where the logits' zero lies, as its inventors left it.
// Source: N. S. Keskar et al., "CTRL: a conditional transformer language model for controllable generation" (2019),
// with Hugging Face's treatment of negative logits.
Status apply_repetition_penalty(TokenLogits candidates, std::span<const TokenCount> counts, double penalty);

// l - frequency * count - presence [count > 0]. Domain: finite, else kArgument; negative values make repetition
// likelier. Source: the frequency_penalty and presence_penalty of OpenAI's API.
Status apply_frequency_penalty(TokenLogits candidates, std::span<const TokenCount> counts, double frequency,
                               double presence);

// The tokens that would end an n-gram that the history holds already; ascending ids. n = 0: none; n = 1: every token of
// the history. O(h n).
// Source: R. Paulus, C. Xiong, R. Socher, "A deep reinforced model for abstractive summarization", ICLR 2018.
std::vector<TokenId> no_repeat_ngram_bans(std::span<const TokenId> history, std::size_t n);

// The last tokens of those words whose other tokens end the history; ascending ids. A word of one token is always
// banned; an empty word bans nothing.
std::vector<TokenId> bad_word_bans(std::span<const TokenId> history, std::span<const std::vector<TokenId>> words);

struct DryOptions {
  double multiplier = 0.8;         // finite, >= 0
  double base = 1.75;              // finite, >= 1
  std::size_t allowed_length = 2;  // >= 1
  std::span<const TokenId> breakers = {};
};

// "Don't repeat yourself". For each earlier place where the history's last L tokens stand, L as great as possible, with
// no breaker among them: the token that followed there, if it is no breaker, has a match of length L. Each token's
// longest match L >= allowed_length costs it
//   multiplier * base^(L - allowed_length),
// given as a negative bias (at least -1e30); ascending ids. O(h) time and memory (Z-function of the reversed history).
// Errors: kArgument for options out of their domain.
// Source: P. E. Weidmann, "DRY: a modern repetition penalty" (text-generation-webui pull request 5677, 2024).
Result<std::vector<TokenBias>> dry_biases(std::span<const TokenId> history, const DryOptions& options);

// The ids of all text tokens that contain one of the strings: sequence breakers from text. O(bytes of the vocabulary).
std::vector<TokenId> tokens_containing(const Vocabulary& vocabulary, std::span<const std::string> texts);

}  // namespace weir
