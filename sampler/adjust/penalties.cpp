#include "weir/sampler/penalties.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace weir {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

// change(logit, entry) for each entry whose token is a candidate.
template <class Entries, class Change>
void for_candidates(TokenLogits candidates, const Entries& entries, Change change) {
  for (const auto& entry : entries) {
    std::size_t index = entry.token;
    if (!candidates.tokens.empty()) {
      const auto at = std::lower_bound(candidates.tokens.begin(), candidates.tokens.end(), entry.token);
      if (at == candidates.tokens.end() || *at != entry.token) continue;
      index = static_cast<std::size_t>(at - candidates.tokens.begin());
    }
    if (index < candidates.logits.size()) change(candidates.logits[index], entry);
  }
}

void sort_unique(std::vector<TokenId>& tokens) {
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
}

bool ends_with(std::span<const TokenId> history, std::span<const TokenId> tail) {
  return history.size() >= tail.size() &&
         std::equal(tail.begin(), tail.end(), history.end() - static_cast<std::ptrdiff_t>(tail.size()));
}

// z[i] = the length of the longest common prefix of s and s from i on; z[0] = the length of s.
// Source: D. Gusfield, "Algorithms on strings, trees, and sequences" (1997), section 1.3.
std::vector<std::size_t> z_function(std::span<const TokenId> s) {
  std::vector<std::size_t> z(s.size());
  if (!s.empty()) z[0] = s.size();
  for (std::size_t i = 1, left = 0, right = 0; i < s.size(); ++i) {
    if (i < right) z[i] = std::min(right - i, z[i - left]);
    while (i + z[i] < s.size() && s[z[i]] == s[i + z[i]]) ++z[i];
    if (i + z[i] > right) {
      left = i;
      right = i + z[i];
    }
  }
  return z;
}

Status check_dry(const DryOptions& options) {
  if (!(options.multiplier >= 0) || !std::isfinite(options.multiplier)) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("dry_multiplier is {}; it must be finite and not negative", options.multiplier));
  }
  if (!(options.base >= 1) || !std::isfinite(options.base)) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("dry_base is {}; it must be finite and at least 1", options.base));
  }
  if (options.allowed_length == 0) return make_error(ErrorCode::kArgument, "dry_allowed_length must be at least 1");
  return ok_status();
}

}  // namespace

std::vector<TokenCount> count_tokens(std::span<const TokenId> history) {
  std::vector<TokenId> sorted(history.begin(), history.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<TokenCount> counts;
  for (const TokenId token : sorted) {
    if (counts.empty() || counts.back().token != token) counts.push_back({token, 0});
    ++counts.back().count;
  }
  return counts;
}

Status apply_logit_bias(TokenLogits candidates, std::span<const TokenBias> biases) {
  for (const TokenBias& bias : biases) {
    if (!(bias.bias <= std::numeric_limits<double>::max())) {
      return make_error(ErrorCode::kArgument, fmt::format("logit_bias of token {} is {}; it must be finite, or -inf to "
                                                          "ban the token",
                                                          bias.token, bias.bias));
    }
  }
  for_candidates(candidates, biases, [](float& logit, const TokenBias& bias) {
    logit = static_cast<float>(static_cast<double>(logit) + bias.bias);
  });
  return ok_status();
}

void ban_tokens(TokenLogits candidates, std::span<const TokenId> tokens) {
  for (const TokenId token : tokens) {
    const TokenBias ban{token, 0};
    for_candidates(candidates, std::span(&ban, 1), [](float& logit, const TokenBias&) { logit = kImpossible; });
  }
}

Status apply_repetition_penalty(TokenLogits candidates, std::span<const TokenCount> counts, double penalty) {
  if (!(penalty > 0) || !std::isfinite(penalty)) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("repetition_penalty is {}; it must be finite and positive", penalty));
  }
  for_candidates(candidates, counts, [&](float& logit, const TokenCount&) {
    const double l = logit;
    logit = static_cast<float>(l > 0 ? l / penalty : l * penalty);
  });
  return ok_status();
}

Status apply_frequency_penalty(TokenLogits candidates, std::span<const TokenCount> counts, double frequency,
                               double presence) {
  for (const auto& [name, value] : {std::pair{"frequency_penalty", frequency}, {"presence_penalty", presence}}) {
    if (!std::isfinite(value)) {
      return make_error(ErrorCode::kArgument, fmt::format("{} is {}; it must be finite", name, value));
    }
  }
  for_candidates(candidates, counts, [&](float& logit, const TokenCount& seen) {
    logit = static_cast<float>(static_cast<double>(logit) - frequency * static_cast<double>(seen.count) - presence);
  });
  return ok_status();
}

std::vector<TokenId> no_repeat_ngram_bans(std::span<const TokenId> history, std::size_t n) {
  std::vector<TokenId> bans;
  if (n == 0 || history.size() < n) return bans;
  const auto tail = history.last(n - 1);
  for (std::size_t i = 0; i + n <= history.size(); ++i) {
    if (std::equal(tail.begin(), tail.end(), history.begin() + static_cast<std::ptrdiff_t>(i))) {
      bans.push_back(history[i + n - 1]);
    }
  }
  sort_unique(bans);
  return bans;
}

std::vector<TokenId> bad_word_bans(std::span<const TokenId> history, std::span<const std::vector<TokenId>> words) {
  std::vector<TokenId> bans;
  for (const std::vector<TokenId>& word : words) {
    if (!word.empty() && ends_with(history, std::span(word).first(word.size() - 1))) bans.push_back(word.back());
  }
  sort_unique(bans);
  return bans;
}

Result<std::vector<TokenBias>> dry_biases(std::span<const TokenId> history, const DryOptions& options) {
  if (Status status = check_dry(options); !status) return status.error();
  std::vector<TokenBias> biases;
  const auto breaks = [&](TokenId token) {
    return std::find(options.breakers.begin(), options.breakers.end(), token) != options.breakers.end();
  };
  const std::vector<TokenId> reversed(history.rbegin(), history.rend());
  // Matches end at the first breaker, seen from the end.
  std::size_t most = 0;
  while (most < reversed.size() && !breaks(reversed[most])) ++most;
  if (most < options.allowed_length) return biases;
  const std::vector<std::size_t> z = z_function(reversed);
  std::vector<std::pair<TokenId, std::size_t>> matches;
  for (std::size_t i = 1; i < reversed.size(); ++i) {
    const std::size_t length = std::min(z[i], most);
    if (length >= options.allowed_length && !breaks(reversed[i - 1])) matches.emplace_back(reversed[i - 1], length);
  }
  std::sort(matches.begin(), matches.end());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const auto& [token, length] = matches[i];
    if (i + 1 < matches.size() && matches[i + 1].first == token) continue;  // the longest comes last
    double cost = options.multiplier;
    for (std::size_t n = options.allowed_length; n < length && cost < 1e30 && options.base > 1; ++n)
      cost *= options.base;
    biases.push_back({token, -std::min(cost, 1e30)});
  }
  return biases;
}

std::vector<TokenId> tokens_containing(const Vocabulary& vocabulary, std::span<const std::string> texts) {
  std::vector<TokenId> tokens;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const std::string_view bytes = vocabulary.token(id);
    if (std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
          return !text.empty() && bytes.find(text) != std::string_view::npos;
        })) {
      tokens.push_back(id);
    }
  }
  return tokens;
}

}  // namespace weir
