#include "draw/history.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace weir::sampling {

std::size_t WindowCounts::start(std::size_t length) const noexcept {
  if (window_ < 0) return begin_;
  const auto window = static_cast<std::size_t>(window_);
  return std::max(begin_, length > window ? length - window : 0);
}

void WindowCounts::remove(TokenId token) {
  const auto at = counts_.find(token);
  if (--at->second == 0) counts_.erase(at);
}

void WindowCounts::reset(std::span<const TokenId> history, std::size_t begin) {
  begin_ = begin;
  counts_.clear();
  for (const TokenId token : history.subspan(std::min(start(history.size()), history.size()))) add(token);
}

void WindowCounts::pushed(std::span<const TokenId> history) {
  add(history.back());
  for (std::size_t i = start(history.size() - 1); i < start(history.size()); ++i) remove(history[i]);
}

void WindowCounts::popping(std::span<const TokenId> history) {
  for (std::size_t i = start(history.size() - 1); i < start(history.size()); ++i) add(history[i]);
  remove(history.back());
}

std::span<const TokenCount> WindowCounts::among(const Candidates& candidates) {
  found_.clear();
  if (candidates.sparse() && candidates.size() < counts_.size()) {
    for (const TokenId token : candidates.tokens()) {
      const auto at = counts_.find(token);
      if (at != counts_.end()) found_.push_back({token, at->second});
    }
  } else {
    for (const auto& [token, count] : counts_) found_.push_back({token, count});
  }
  return found_;
}

History::History(const SamplingParameters& p)
    : counts_repetition_(p.repetition_penalty != 1),
      counts_frequency_(p.frequency_penalty != 0 || p.presence_penalty != 0),
      repetition_prompt_(p.repetition_counts_prompt),
      frequency_prompt_(p.frequency_counts_prompt),
      repetition_(p.penalty_last_n),
      frequency_(p.penalty_last_n) {}

void History::set_prompt(std::span<const TokenId> prompt) {
  tokens_.assign(prompt.begin(), prompt.end());
  prompt_ = prompt.size();
  if (counts_repetition_) repetition_.reset(tokens_, repetition_prompt_ ? 0 : prompt_);
  if (counts_frequency_) frequency_.reset(tokens_, frequency_prompt_ ? 0 : prompt_);
}

void History::push(TokenId token) {
  tokens_.push_back(token);
  if (counts_repetition_) repetition_.pushed(tokens_);
  if (counts_frequency_) frequency_.pushed(tokens_);
}

void History::cut(std::size_t length) {
  while (accepted() > length) {
    if (counts_repetition_) repetition_.popping(tokens_);
    if (counts_frequency_) frequency_.popping(tokens_);
    tokens_.pop_back();
  }
}

Status History::apply(Candidates& candidates, const SamplingParameters& p) {
  const auto view = [&] { return TokenLogits{candidates.tokens(), candidates.edit()}; };
  const auto ban = [&](std::span<const TokenId> tokens) {
    if (!tokens.empty()) ban_tokens(view(), tokens);
  };
  Status status = ok_status();
  if (!p.logit_bias.empty()) status = apply_logit_bias(view(), p.logit_bias);
  if (status && counts_repetition_) {
    const auto counts = repetition_.among(candidates);
    if (!counts.empty()) status = apply_repetition_penalty(view(), counts, p.repetition_penalty);
  }
  if (status && counts_frequency_) {
    const auto counts = frequency_.among(candidates);
    if (!counts.empty()) status = apply_frequency_penalty(view(), counts, p.frequency_penalty, p.presence_penalty);
  }
  if (!status) return status;
  if (p.dry_multiplier > 0) {
    std::span<const TokenId> seen = tokens_;
    if (p.dry_penalty_last_n >= 0) {
      seen = seen.last(std::min(seen.size(), static_cast<std::size_t>(p.dry_penalty_last_n)));
    }
    const auto biases = dry_biases(seen, {p.dry_multiplier, p.dry_base, p.dry_allowed_length, p.dry_sequence_breakers});
    if (!biases) return biases.error();
    if (!biases->empty()) status = apply_logit_bias(view(), *biases);
  }
  ban(no_repeat_ngram_bans(tokens_, p.no_repeat_ngram_size));
  ban(p.banned_token_ids);
  if (!p.bad_words.empty()) ban(bad_word_bans(tokens_, p.bad_words));
  return status;
}

}  // namespace weir::sampling
