#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "search/expander.hpp"

namespace weir {
namespace {

using sampling::Expander;
using sampling::Prefix;

class Group {
 public:
  Group(const BeamOptions& options, std::size_t width, Expander& expander)
      : options_(options), width_(width), expander_(expander) {}

  void start(Prefix prefix) { live_.push_back(std::move(prefix)); }
  // One token more. `taken`: how often each token was taken in this step by the groups before, this one's added.
  Status step(std::unordered_map<TokenId, std::size_t>& taken);
  bool done() const;
  // Complete ones, then those that ran out of tokens.
  std::vector<Hypothesis> results() const;

 private:
  struct Choice {
    std::size_t parent;
    TokenLogprob token;
    double score;  // with the cost of diversity
  };
  double norm(double logprob, std::size_t length) const;
  Status take(const std::vector<Choice>& choices, std::unordered_map<TokenId, std::size_t>& taken);
  void complete(Prefix prefix);

  const BeamOptions& options_;
  std::size_t width_;
  Expander& expander_;
  std::vector<Prefix> live_;
  std::vector<Hypothesis> complete_;  // the best, in descending order
};

double Group::norm(double logprob, std::size_t length) const {
  const double base = options_.length_norm == LengthNorm::kPower ? static_cast<double>(length)
                                                                 : (5.0 + static_cast<double>(length)) / 6;
  return options_.length_penalty == 0 ? logprob : logprob / std::pow(base, options_.length_penalty);
}

void Group::complete(Prefix prefix) {
  prefix.score = norm(prefix.logprob, prefix.tokens.size());
  Hypothesis hypothesis = expander_.finish(prefix);
  if (options_.distinct_texts) {
    const auto same = std::find_if(complete_.begin(), complete_.end(),
                                   [&](const Hypothesis& other) { return other.text == hypothesis.text; });
    if (same != complete_.end()) {
      if (same->score >= hypothesis.score) return;
      complete_.erase(same);
    }
  }
  complete_.push_back(std::move(hypothesis));
  sampling::keep_best(complete_, options_.n_best);
}

Status Group::step(std::unordered_map<TokenId, std::size_t>& taken) {
  std::vector<Choice> choices;
  // Of each hypothesis so many can be wanted: the width, the end tokens, and as many as diversity may push back.
  const std::size_t most = width_ + expander_.end_tokens() + (options_.diversity_penalty > 0 ? taken.size() : 0);
  for (std::size_t parent = 0; parent < live_.size(); ++parent) {
    const auto tokens = expander_.next(live_[parent], most);
    if (!tokens) return tokens.error();
    if (tokens->empty() && live_[parent].matcher && live_[parent].matcher->is_accepting())
      complete(live_[parent].fork());
    for (const TokenLogprob& token : *tokens) {
      const auto times = taken.find(token.token);
      const double cost = times == taken.end() ? 0 : options_.diversity_penalty * static_cast<double>(times->second);
      choices.push_back({parent, token, live_[parent].logprob + token.logprob - cost});
    }
  }
  std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.parent != b.parent ? a.parent < b.parent : a.token.token < b.token.token;
  });
  return take(choices, taken);
}

// In descending order: end tokens complete a hypothesis, the others go on, until there are enough of those.
Status Group::take(const std::vector<Choice>& choices, std::unordered_map<TokenId, std::size_t>& taken) {
  std::vector<Prefix> next;
  for (const Choice& choice : choices) {
    if (next.size() == width_) break;
    auto longer = expander_.extend(live_[choice.parent], choice.token);
    if (!longer) return longer.error();
    if (longer->ended) {
      complete(std::move(*longer));
    } else {
      next.push_back(std::move(*longer));
    }
  }
  live_ = std::move(next);
  for (const Prefix& prefix : live_) ++taken[prefix.tokens.back()];
  return ok_status();
}

bool Group::done() const {
  if (live_.empty()) return true;
  const std::size_t length = live_.front().tokens.size();
  if (length >= options_.search.max_tokens) return true;
  if (complete_.size() < options_.n_best) return false;
  if (options_.early_stopping == EarlyStopping::kTrue) return true;
  double best = -std::numeric_limits<double>::infinity();
  for (const Prefix& prefix : live_) {
    double reachable = norm(prefix.logprob, length);
    if (options_.early_stopping == EarlyStopping::kNever) {
      // Log-probabilities only fall; the norm is monotone in the length, so one of its ends is the best.
      reachable = std::max(norm(prefix.logprob, length + 1), norm(prefix.logprob, options_.search.max_tokens));
    }
    best = std::max(best, reachable);
  }
  return best <= complete_.back().score;
}

std::vector<Hypothesis> Group::results() const {
  std::vector<Hypothesis> results = complete_;
  std::vector<Hypothesis> rest;
  for (const Prefix& prefix : live_) {
    Prefix scored = prefix.fork();
    scored.score = norm(prefix.logprob, prefix.tokens.size());
    rest.push_back(expander_.finish(scored));
  }
  // Without end tokens those are the results; a grammar may find some of them complete.
  std::stable_sort(rest.begin(), rest.end(), [](const Hypothesis& a, const Hypothesis& b) {
    return a.complete != b.complete ? a.complete : a.score > b.score;
  });
  results.insert(results.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
  return results;
}

Status check(const BeamOptions& options) {
  if (options.beam_width == 0) return make_error(ErrorCode::kArgument, "beam_width is 0; it must be at least 1");
  if (options.n_best == 0) return make_error(ErrorCode::kArgument, "n_best is 0; it must be at least 1");
  if (options.groups == 0 || options.beam_width % options.groups != 0) {
    return make_error(ErrorCode::kArgument, fmt::format("groups is {}; it must divide beam_width, which is {}",
                                                        options.groups, options.beam_width));
  }
  if (!std::isfinite(options.length_penalty)) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("length_penalty is {}; it must be finite", options.length_penalty));
  }
  if (!(options.diversity_penalty >= 0) || !std::isfinite(options.diversity_penalty)) {
    return make_error(ErrorCode::kArgument, fmt::format("diversity_penalty is {}; it must be finite and not negative",
                                                        options.diversity_penalty));
  }
  return ok_status();
}

// All groups' results in one list: complete ones first, each by descending score.
std::vector<Hypothesis> merged(const std::vector<Group>& groups, const BeamOptions& options) {
  std::vector<Hypothesis> all;
  for (const Group& group : groups) {
    auto results = group.results();
    all.insert(all.end(), std::make_move_iterator(results.begin()), std::make_move_iterator(results.end()));
  }
  std::stable_sort(all.begin(), all.end(), [](const Hypothesis& a, const Hypothesis& b) {
    return a.complete != b.complete ? a.complete : a.score > b.score;
  });
  if (options.distinct_texts) {
    std::unordered_set<std::string> seen;
    std::erase_if(all, [&](const Hypothesis& hypothesis) { return !seen.insert(hypothesis.text).second; });
  }
  if (all.size() > options.n_best) all.resize(options.n_best);
  return all;
}

Result<std::vector<Hypothesis>> search(LanguageModel& model, const CompiledGrammar* grammar,
                                       std::span<const TokenId> prompt, const BeamOptions& options) {
  if (Status status = check(options); !status) return status.error();
  Expander expander(model, grammar, prompt, options.search);
  auto prefix = expander.start();
  if (!prefix) return prefix.error();
  std::vector<Group> groups;
  for (std::size_t i = 0; i < options.groups; ++i) {
    groups.emplace_back(options, options.beam_width / options.groups, expander).start(prefix->fork());
  }
  for (bool more = true; more;) {
    more = false;
    std::unordered_map<TokenId, std::size_t> taken;
    for (Group& group : groups) {
      if (group.done()) continue;
      if (Status status = group.step(taken); !status) return status.error();
      more = true;
    }
  }
  auto results = merged(groups, options);
  if (results.empty()) return make_error(ErrorCode::kInvalid, "the vocabulary cannot spell any text of the grammar");
  return results;
}

}  // namespace

Result<std::vector<Hypothesis>> beam_search(LanguageModel& model, const CompiledGrammar& grammar,
                                            std::span<const TokenId> prompt, const BeamOptions& options) {
  return search(model, &grammar, prompt, options);
}

Result<std::vector<Hypothesis>> beam_search(LanguageModel& model, std::span<const TokenId> prompt,
                                            const BeamOptions& options) {
  return search(model, nullptr, prompt, options);
}

}  // namespace weir
