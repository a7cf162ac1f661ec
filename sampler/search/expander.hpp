// What all searches share: a prefix, the grammar's state behind it, and the log-probabilities of what may follow.
// Private to sampler/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "draw/candidates.hpp"
#include "draw/selector.hpp"
#include "weir/sampler/sampler.hpp"
#include "weir/sampler/search.hpp"

namespace weir::sampling {

struct Prefix {
  std::vector<TokenId> tokens;
  std::optional<Matcher> matcher;  // with a grammar
  double logprob = 0;
  double score = 0;
  bool ended = false;

  Prefix fork() const {
    return {tokens, matcher ? std::optional<Matcher>(matcher->fork()) : std::nullopt, logprob, score, ended};
  }
};

class Expander {
 public:
  // `grammar` may be null.
  Expander(LanguageModel& model, const CompiledGrammar* grammar, std::span<const TokenId> prompt,
           const SearchOptions& options)
      : model_(model), grammar_(grammar), prompt_(prompt), options_(options) {}

  // Checks the options and the vocabularies, and takes the prompt.
  Result<Prefix> start();
  // What may follow the prefix, with log p; -infinity is left out. At most k of them, the most probable first, ties by
  // ascending id; k = 0: all, by ascending id. None: a dead end, or a text that nothing can follow.
  Result<std::span<const TokenLogprob>> next(const Prefix& prefix, std::size_t k);
  // log of the model's probability of all that the last next() allowed.
  double log_allowed_mass() const noexcept { return log_allowed_mass_; }
  // The prefix and the token. Error: kInvalid if a budget of the matcher ran out.
  Result<Prefix> extend(const Prefix& prefix, const TokenLogprob& token);
  bool ends(TokenId token) const noexcept;
  std::size_t end_tokens() const noexcept { return ends_.size(); }
  Hypothesis finish(const Prefix& prefix) const;

  // The candidates of the last next().
  Candidates& candidates() noexcept { return candidates_; }

 private:
  Result<std::span<const float>> logits(const Prefix& prefix);
  Status mask(const Prefix& prefix, std::span<const float> logits);

  LanguageModel& model_;
  const CompiledGrammar* grammar_;
  std::span<const TokenId> prompt_;
  const SearchOptions& options_;
  std::vector<TokenId> ends_;
  std::vector<TokenId> context_;  // of the model
  std::vector<std::uint32_t> mask_;
  Candidates candidates_;
  Selector selector_;
  Normaliser normaliser_;
  Normaliser all_;
  double log_allowed_mass_ = 0;
  std::vector<TokenLogprob> found_;
};

// Better first: by score, ties to the one that came first.
template <class Scored>
void keep_best(std::vector<Scored>& scored, std::size_t count) {
  std::stable_sort(scored.begin(), scored.end(), [](const Scored& a, const Scored& b) { return a.score > b.score; });
  if (scored.size() > count) scored.erase(scored.begin() + static_cast<std::ptrdiff_t>(count), scored.end());
}

}  // namespace weir::sampling
