// How far is it to the end? The shortest way to complete a text, and whether n more tokens can do it.
//
//   weir::Completions completions(grammar.vocabulary());
//   weir::Matcher matcher(grammar);
//   matcher.accept_bytes(truncated);
//   weir::Result<std::string> rest = completions.shortest(matcher);      // truncated + *rest is complete
//   if (!rest) return rest.error();
//   bool enough = completions.within(matcher, 20) == weir::Reach::kYes;  // 20 more tokens can complete it
//
// What is found is remembered by state, so a sequence is cheap to follow token by token. The matchers asked about must
// be one matcher and its forks; another one makes everything be forgotten. They are left as they are.
//
// How: `shortest` is Dijkstra's search over states by bytes, forced bytes in one step, ending at states whose distance
// is known. `within` first spells a short completion in the fewest tokens (dynamic programming), which decides nearly
// always; where that is too long it searches states breadth first by tokens, all that the masks allow, and so decides
// exactly. Cost: one step of search for each state not met before; the breadth-first search takes a step of the matcher
// for each allowed token of each state that it visits. Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/automata/matcher.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

struct CompletionLimits {
  std::size_t max_states = 100'000;         // visited by one search by bytes
  std::size_t max_token_steps = 2'000'000;  // taken by one search by tokens
};

enum class Reach : std::uint8_t {
  kYes,
  kNo,
  kUnknown,  // the limits ran out first
};

class Completions {
 public:
  explicit Completions(const Vocabulary& vocabulary, const CompletionLimits& limits = {});
  ~Completions();
  Completions(Completions&&) noexcept;
  Completions& operator=(Completions&&) noexcept;

  void set_limits(const CompletionLimits& limits) noexcept;

  // The shortest text that completes the matcher's, in bytes; of those, one. Errors: kLimit if the search visits more
  // than max_states states, or the matcher's own budget runs out; kInvalid if nothing completes it (a terminated
  // matcher).
  Result<std::string> shortest(const Matcher& matcher);

  // A short one, not always the shortest, where that takes too long to find. Errors as above.
  Result<std::string> any(const Matcher& matcher);

  // Can some `tokens` tokens or fewer, end-of-sequence not counted, complete the text? kYes and kNo are exact. After a
  // kYes some next token has a kYes for one token less, whatever the limits.
  Reach within(const Matcher& matcher, std::size_t tokens);

  // The fewest tokens that spell the text; nothing if no tokens do.
  std::optional<std::vector<TokenId>> fewest_tokens(std::string_view text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
