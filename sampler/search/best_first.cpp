#include <algorithm>
#include <queue>

#include <fmt/format.h>

#include "search/expander.hpp"

namespace weir {
namespace {

using sampling::Expander;
using sampling::Prefix;

Result<std::vector<Hypothesis>> search(LanguageModel& model, const CompiledGrammar* grammar,
                                       std::span<const TokenId> prompt, const BestFirstOptions& options) {
  if (options.n_best == 0) return make_error(ErrorCode::kArgument, "n_best is 0; it must be at least 1");
  Expander expander(model, grammar, prompt, options.search);
  auto first = expander.start();
  if (!first) return first.error();

  struct Entry {
    double logprob;
    std::size_t prefix;
    bool operator<(const Entry& other) const noexcept {
      return logprob != other.logprob ? logprob < other.logprob : prefix > other.prefix;
    }
  };
  std::vector<Prefix> prefixes;
  std::priority_queue<Entry> queue;
  std::vector<Hypothesis> best;
  const auto hopeless = [&](double logprob) { return best.size() == options.n_best && logprob <= best.back().score; };
  const auto found = [&](const Prefix& prefix) {
    best.push_back(expander.finish(prefix));
    sampling::keep_best(best, options.n_best);
  };
  prefixes.push_back(std::move(*first));
  queue.push({0, 0});
  std::size_t expansions = 0;
  while (!queue.empty() && !hopeless(queue.top().logprob)) {
    Prefix prefix = std::move(prefixes[queue.top().prefix]);
    queue.pop();
    if (++expansions > options.max_expansions) {
      return make_error(ErrorCode::kLimit, fmt::format("the best texts are not certain after {} expansions: raise "
                                                       "max_expansions",
                                                       options.max_expansions));
    }
    const auto tokens = expander.next(prefix, 0);
    if (!tokens) return tokens.error();
    if (tokens->empty() && prefix.matcher && prefix.matcher->is_accepting()) {
      prefix.ended = true;
      found(prefix);
    }
    for (const TokenLogprob& token : *tokens) {
      if (hopeless(prefix.logprob + token.logprob)) continue;
      auto longer = expander.extend(prefix, token);
      if (!longer) return longer.error();
      const bool full = longer->tokens.size() >= options.search.max_tokens;
      if (longer->ended || full) {
        if (expander.finish(*longer).complete) found(*longer);
      } else {
        queue.push({longer->logprob, prefixes.size()});
        prefixes.push_back(std::move(*longer));
      }
    }
  }
  if (best.empty()) return make_error(ErrorCode::kInvalid, "no complete text has so few tokens: raise max_tokens");
  return best;
}

}  // namespace

Result<std::vector<Hypothesis>> best_first_search(LanguageModel& model, const CompiledGrammar& grammar,
                                                  std::span<const TokenId> prompt, const BestFirstOptions& options) {
  return search(model, &grammar, prompt, options);
}

Result<std::vector<Hypothesis>> best_first_search(LanguageModel& model, std::span<const TokenId> prompt,
                                                  const BestFirstOptions& options) {
  return search(model, nullptr, prompt, options);
}

}  // namespace weir
