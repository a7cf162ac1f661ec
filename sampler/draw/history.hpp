// The tokens of one sequence as penalties see them: counts in windows, kept up to date token by token.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "draw/candidates.hpp"
#include "weir/sampler/penalties.hpp"

namespace weir::sampling {

// How often each token occurs among the last `window` tokens from `begin` on.
class WindowCounts {
 public:
  explicit WindowCounts(std::int64_t window) noexcept : window_(window) {}
  // The history has just been given, grown by one, or is about to lose its last.
  void reset(std::span<const TokenId> history, std::size_t begin);
  void pushed(std::span<const TokenId> history);
  void popping(std::span<const TokenId> history);
  // Those among the candidates, at least: all that were counted, or those that the candidates hold, whichever is less
  // work. Valid until the next call.
  std::span<const TokenCount> among(const Candidates& candidates);

 private:
  void add(TokenId token) { ++counts_[token]; }
  void remove(TokenId token);
  // Where the window of a history of this length begins.
  std::size_t start(std::size_t length) const noexcept;

  std::int64_t window_;  // -1 = all
  std::size_t begin_ = 0;
  std::unordered_map<TokenId, std::uint32_t> counts_;
  std::vector<TokenCount> found_;
};

class History {
 public:
  explicit History(const SamplingParameters& parameters);
  void set_prompt(std::span<const TokenId> prompt);
  void push(TokenId token);
  // Drops accepted tokens until `length` are left. Precondition: length <= accepted().
  void cut(std::size_t length);
  std::size_t accepted() const noexcept { return tokens_.size() - prompt_; }
  // Steps 1 of parameters.hpp's order, on the candidates.
  Status apply(Candidates& candidates, const SamplingParameters& parameters);

 private:
  bool counts_repetition_;
  bool counts_frequency_;
  bool repetition_prompt_;
  bool frequency_prompt_;
  std::vector<TokenId> tokens_;
  std::size_t prompt_ = 0;
  WindowCounts repetition_;
  WindowCounts frequency_;
};

}  // namespace weir::sampling
