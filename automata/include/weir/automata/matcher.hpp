// The state of one sequence under a grammar: which tokens may come next, and what follows from each.
//
//   weir::Matcher matcher(grammar);
//   std::vector<std::uint32_t> mask(grammar.vocabulary().mask_words());
//   while (!matcher.is_terminated()) {
//     matcher.fill_mask(mask);                    // bit t = token t may come next
//     weir::TokenId t = sample(mask);
//     if (!matcher.accept(t)) break;              // false only for tokens that are not in the mask
//   }
//
// A state of the grammar is a 32-bit integer, and a matcher a place in a tree of them: fork() copies the place, and
// rollback(n) goes back n places.
// End-of-sequence tokens are allowed exactly where the text so far is complete; accepting one terminates the matcher.
//
// Invariants, each a property test: (1) every text that ends in an accepting state is in the grammar's language;
// (2) from every reachable state some allowed token leads towards acceptance, if the vocabulary can spell it;
// (3) bit t is set exactly when accept(t) would succeed.
//
// Thread safety: a matcher and its forks belong to one thread at a time; other matchers of one grammar are independent.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/automata/compiler.hpp"
#include "weir/automata/vocabulary.hpp"

namespace weir {

using StateId = std::uint32_t;
struct Sequence;  // private

class Matcher {
 public:
  explicit Matcher(const CompiledGrammar& grammar);
  ~Matcher();
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;
  Matcher(const Matcher&) = delete;  // use fork(), which says what it does
  Matcher& operator=(const Matcher&) = delete;

  // Writes vocabulary().mask_words() words, little-endian bit order: bit (t & 31) of word t >> 5 is token t. Bits past
  // the vocabulary are 0. After termination all bits are 0. Precondition: mask.size() >= mask_words().
  void fill_mask(std::span<std::uint32_t> mask);
  // The same by the plain loop over the vocabulary, token by token: slow, obvious, the oracle of fill_mask.
  void fill_mask_plain(std::span<std::uint32_t> mask);
  // Finds in advance what masks after the next token are likely to need, for at most about `budget`: call it after
  // accept, while the model computes. Masks are the same with and without. What is begun when the time is up is
  // finished, a few microseconds as a rule, a millisecond where a large part of a grammar is met for the first time.
  // Does nothing once this sequence's states fill half of Limits::max_sequence_bytes.
  void prepare(std::chrono::microseconds budget);
  // Is token t in the mask? One walk over its bytes; no state changes.
  bool allows(TokenId t);

  // Takes the token, or returns false and changes nothing.
  bool accept(TokenId t);
  // Takes tokens until one is refused; returns how many were taken.
  std::size_t accept_all(std::span<const TokenId> tokens);
  // How many of the tokens could be taken in turn; changes nothing.
  std::size_t validate(std::span<const TokenId> tokens);
  // Takes text as if it were one token (one step of history). All or nothing; *consumed, if given, tells how many
  // bytes a longest viable prefix has.
  bool accept_bytes(std::string_view text, std::size_t* consumed = nullptr);

  // Undoes the last n accepted tokens, an end-of-sequence included. Precondition: n <= history_length(). O(log n), and
  // never allocates.
  void rollback(std::size_t n);
  std::size_t history_length() const noexcept;
  // A second matcher in the same state with the same history, O(1), without allocating. Either goes its own way; both
  // share the memory that holds their states, and so belong to one thread at a time.
  Matcher fork() const;
  // The same with memory of its own, for use on another thread. O(states of this sequence).
  Matcher clone() const;
  void reset();

  bool is_accepting() const;            // the text so far is complete
  bool is_terminated() const noexcept;  // an end-of-sequence token was accepted
  // The bytes that every continuation starts with, up to the first choice or the end. At most `limit` bytes.
  std::string forced_bytes(std::size_t limit = 4096);
  // forced_bytes as tokens: the longest token at each place, leaving off a last token that a longer one could replace
  // once more text is known.
  std::vector<TokenId> forced_tokens();
  // What could stand next: the bytes that some continuation starts with.
  ByteSet next_bytes();

  const Vocabulary& vocabulary() const noexcept;
  // The same for a matcher and its forks, different for all others: what belongs to one thread at a time.
  const void* sequence_id() const noexcept;
  // Equal ids of one matcher and its forks mean equal states, as long as state_epoch() is the same: it goes up when
  // max_sequence_bytes is reached, what is not needed is dropped, and the states that stay get new ids.
  StateId state() const noexcept;
  std::uint32_t state_epoch() const noexcept;
  // What max_sequence_bytes bounds: memory of this matcher and its forks.
  std::size_t memory_bytes() const noexcept;
  // Set when a budget of Limits ran out; masks are empty from then on and accept refuses.
  const std::optional<Error>& error() const noexcept;

 private:
  Matcher(std::shared_ptr<Sequence> sequence, std::uint32_t place, bool terminated) noexcept;
  bool usable() const noexcept;
  bool walk(std::string_view text, std::size_t* consumed);
  bool accept_text(std::string_view text, std::size_t* consumed);

  std::shared_ptr<Sequence> sequence_;  // null once moved from
  std::uint32_t place_ = 0;             // of the sequence's history
  bool terminated_ = false;             // the last place stands for an end-of-sequence token
};

}  // namespace weir
