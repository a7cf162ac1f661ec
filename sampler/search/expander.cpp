#include "search/expander.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "weir/automata/mask.hpp"

namespace weir::sampling {

Result<Prefix> Expander::start() {
  if (options_.max_tokens == 0) return make_error(ErrorCode::kArgument, "max_tokens is 0; it must be at least 1");
  const Vocabulary& vocabulary = *model_.vocabulary();
  if (grammar_ != nullptr && &vocabulary != &grammar_->vocabulary() &&
      vocabulary.hash() != grammar_->vocabulary().hash()) {
    return make_error(ErrorCode::kArgument, fmt::format("the grammar was compiled for another vocabulary ({} tokens) "
                                                        "than the model's ({}): compile it with model.vocabulary()",
                                                        grammar_->vocabulary().size(), vocabulary.size()));
  }
  if (options_.end_tokens) {
    ends_ = *options_.end_tokens;
  } else {
    ends_.assign(vocabulary.eos().begin(), vocabulary.eos().end());
  }
  for (const TokenId token : ends_) {
    if (token >= vocabulary.size()) {
      return make_error(ErrorCode::kArgument, fmt::format("end_tokens has token {}, past the {} of the vocabulary",
                                                          token, vocabulary.size()));
    }
  }
  if (Status status = model_.rewind(0); !status) return status.error();
  if (Status status = model_.append(prompt_); !status) return status.error();
  context_.clear();
  mask_.assign(vocabulary.mask_words(), 0);
  Prefix prefix;
  if (grammar_ != nullptr) prefix.matcher.emplace(*grammar_);
  return prefix;
}

// The model's context becomes the prompt and the prefix; what it shares with the last one stays.
Result<std::span<const float>> Expander::logits(const Prefix& prefix) {
  const auto [mine, theirs] =
      std::mismatch(context_.begin(), context_.end(), prefix.tokens.begin(), prefix.tokens.end());
  const auto shared = static_cast<std::size_t>(mine - context_.begin());
  if (shared < context_.size()) {
    if (Status status = model_.rewind(prompt_.size() + shared); !status) return status.error();
  }
  const auto fresh = std::span(prefix.tokens).subspan(shared);
  if (!fresh.empty()) {
    if (Status status = model_.append(fresh); !status) return status.error();
  }
  context_ = prefix.tokens;
  return model_.logits();
}

// Which tokens may follow, in mask_.
Status Expander::mask(const Prefix& prefix, std::span<const float> logits) {
  if (prefix.matcher) {
    // fill_mask remembers what it finds; the state of the sequence stays.
    Matcher matcher = prefix.matcher->fork();
    matcher.fill_mask(mask_);
    if (matcher.error()) return *matcher.error();
    if (ends_.empty()) {
      for (const TokenId token : model_.vocabulary()->eos()) clear_bit(mask_, token);
    }
  } else {
    std::fill(mask_.begin(), mask_.end(), 0xFFFFFFFFU);
    if (logits.size() % 32 != 0) mask_.back() &= (1U << (logits.size() % 32)) - 1;
  }
  if (prefix.tokens.size() < options_.min_tokens) {
    for (const TokenId token : ends_) clear_bit(mask_, token);
  }
  return ok_status();
}

Result<std::span<const TokenLogprob>> Expander::next(const Prefix& prefix, std::size_t k) {
  found_.clear();
  log_allowed_mass_ = -std::numeric_limits<double>::infinity();
  const auto values = logits(prefix);
  if (!values) return values.error();
  if (Status status = mask(prefix, *values); !status) return status.error();
  if (!any_bit(mask_)) return std::span<const TokenLogprob>(found_);
  if (Status status = candidates_.gather(*values, mask_); !status) return status.error();
  if (std::all_of(candidates_.logits().begin(), candidates_.logits().end(),
                  [](float l) { return l == -std::numeric_limits<float>::infinity(); })) {
    return std::span<const TokenLogprob>(found_);
  }
  if (Status status = candidates_.find_maximum(); !status) return status.error();
  if (Status status = normaliser_.measure(candidates_.logits()); !status) return status.error();
  if (Status status = all_.measure(*values); !status) return status.error();
  log_allowed_mass_ = normaliser_.log_sum() - all_.log_sum();
  const Normaliser& measure = options_.measure == Measure::kModel ? all_ : normaliser_;
  const auto add = [&](std::size_t index) {
    const float logit = candidates_.logits()[index];
    if (logit == -std::numeric_limits<float>::infinity()) return;
    found_.push_back({candidates_.token(index), measure.log_probability(logit)});
  };
  if (k == 0) {
    for (std::size_t i = 0; i < candidates_.size(); ++i) add(i);
  } else {
    for (const Item& item : selector_.greatest(candidates_, 1.0, k)) add(item.index);
  }
  return std::span<const TokenLogprob>(found_);
}

Result<Prefix> Expander::extend(const Prefix& prefix, const TokenLogprob& token) {
  Prefix longer = prefix.fork();
  longer.tokens.push_back(token.token);
  longer.logprob += token.logprob;
  longer.score = longer.logprob;
  longer.ended = ends(token.token);
  // An end token that the grammar does not know ends the text all the same.
  if (longer.matcher && !longer.matcher->accept(token.token) && !longer.ended) {
    if (longer.matcher->error()) return *longer.matcher->error();
    return make_error(ErrorCode::kInvalid, fmt::format("the matcher refused token {}, which its mask allows; this is a "
                                                       "fault of weir",
                                                       token.token));
  }
  return longer;
}

bool Expander::ends(TokenId token) const noexcept {
  return std::find(ends_.begin(), ends_.end(), token) != ends_.end();
}

Hypothesis Expander::finish(const Prefix& prefix) const {
  Hypothesis result;
  result.tokens = prefix.tokens;
  for (const TokenId token : prefix.tokens) {
    if (!ends(token)) result.text += model_.vocabulary()->token(token);
  }
  result.logprob = prefix.logprob;
  result.score = prefix.score;
  const bool in_language = !prefix.matcher || prefix.matcher->is_terminated() || prefix.matcher->is_accepting();
  result.complete = in_language && (prefix.ended || ends_.empty());
  return result;
}

}  // namespace weir::sampling
