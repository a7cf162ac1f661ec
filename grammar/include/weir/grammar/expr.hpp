// Regular expressions over bytes: hash-consed, closed under intersection and complement, matched by derivatives.
//
//   weir::ExprArena arena;
//   weir::ExprId word = arena.repeat(arena.code_points(weir::CodePointSet::range('a', 'z')), 1, weir::kUnbounded);
//   weir::ExprId not_if = arena.intersect({word, arena.complement(arena.literal("if"))});
//   arena.matches(not_if, "iffy");   // true
//   arena.matches(not_if, "if");     // false
//
// An expression is an id in an arena; equal expressions (after the usual algebraic laws) have equal ids, so an id
// also serves as the state of a deterministic automaton: step(e, b) is the Brzozowski derivative of e by b, memoised
// per class of bytes that behave alike. The automaton exists only where somebody walked.
//
// Sources: J. A. Brzozowski, "Derivatives of Regular Expressions", JACM 1964; S. Owens, J. Reppy, A. Turon,
// "Regular-expression derivatives re-examined", JFP 2009 (similarity, byte classes).
//
// Thread safety: building (all constructors) belongs to one thread at a time, with no reader. step, nullable,
// is_empty, shortest_length, matches may be called by any number of threads at once. A structure source builds on
// demand, while others match: every constructor takes the arena's lock, and no reader looks at what is being built.
// Budgets: when Limits::max_expressions or max_automaton_states run out, constructors and step return the empty
// expression and full() turns true for good; a caller that matches checks it once at the end. So it does when step
// visits more than max_emptiness_states to find out whether what is left is empty. In is_empty such an expression
// counts as not empty. exhausted() tells either; a caller that builds checks that.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/grammar/code_points.hpp"
#include "weir/grammar/limits.hpp"

namespace weir {

// A set of byte values, 256 bits.
class ByteSet {
 public:
  constexpr ByteSet() = default;
  static constexpr ByteSet all() {
    ByteSet set;
    for (auto& word : set.words_) word = ~std::uint64_t{0};
    return set;
  }
  static constexpr ByteSet single(std::uint8_t b) { return range(b, b); }
  static constexpr ByteSet range(std::uint8_t first, std::uint8_t last) {
    ByteSet set;
    for (unsigned b = first; b <= last; ++b) set.insert(static_cast<std::uint8_t>(b));
    return set;
  }
  constexpr void insert(std::uint8_t b) { words_[b >> 6U] |= std::uint64_t{1} << (b & 63U); }
  constexpr void erase(std::uint8_t b) { words_[b >> 6U] &= ~(std::uint64_t{1} << (b & 63U)); }
  constexpr bool contains(std::uint8_t b) const { return ((words_[b >> 6U] >> (b & 63U)) & 1U) != 0; }
  constexpr bool empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }
  // The least member. Precondition: not empty.
  constexpr std::uint8_t first() const {
    unsigned i = 0;
    while (words_[i] == 0) ++i;
    return static_cast<std::uint8_t>(i * 64 + static_cast<unsigned>(std::countr_zero(words_[i])));
  }
  constexpr int size() const {
    return std::popcount(words_[0]) + std::popcount(words_[1]) + std::popcount(words_[2]) + std::popcount(words_[3]);
  }
  constexpr ByteSet complement() const {
    return map([](std::uint64_t w) { return ~w; });
  }
  constexpr ByteSet& operator|=(const ByteSet& o) {
    for (std::size_t i = 0; i < 4; ++i) words_[i] |= o.words_[i];
    return *this;
  }
  constexpr ByteSet& operator&=(const ByteSet& o) {
    for (std::size_t i = 0; i < 4; ++i) words_[i] &= o.words_[i];
    return *this;
  }
  friend constexpr ByteSet operator|(ByteSet a, const ByteSet& b) { return a |= b; }
  friend constexpr ByteSet operator&(ByteSet a, const ByteSet& b) { return a &= b; }
  friend constexpr bool operator==(const ByteSet&, const ByteSet&) = default;
  // Calls visit(byte) for each member in ascending order.
  template <class Visit>
  constexpr void for_each(Visit&& visit) const {
    for (unsigned i = 0; i < 4; ++i) {
      for (std::uint64_t w = words_[i]; w != 0; w &= w - 1) {
        visit(static_cast<std::uint8_t>(i * 64 + static_cast<unsigned>(std::countr_zero(w))));
      }
    }
  }
  constexpr const std::array<std::uint64_t, 4>& words() const { return words_; }

 private:
  template <class F>
  constexpr ByteSet map(F f) const {
    ByteSet out;
    for (std::size_t i = 0; i < 4; ++i) out.words_[i] = f(words_[i]);
    return out;
  }
  std::array<std::uint64_t, 4> words_{};
};

using ExprId = std::uint32_t;
inline constexpr ExprId kEmptyExpr = 0;    // matches nothing
inline constexpr ExprId kEpsilonExpr = 1;  // matches only the empty text
inline constexpr std::uint32_t kUnbounded = 0xFFFFFFFF;

enum class ExprKind : std::uint8_t {
  kEmpty,
  kEpsilon,
  kBytes,
  kConcat,
  kAlternate,
  kIntersect,
  kComplement,
  kRepeat,
  kAutomaton
};

// A deterministic automaton over bytes as a table, for sets that are counted rather than spelled (the multiples of 7).
struct ByteAutomaton {
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;
  std::vector<ByteSet> classes;     // disjoint; a byte of none leads nowhere
  std::vector<std::uint32_t> next;  // from state s by a byte of classes[c]: next[s * classes.size() + c], or kNowhere
  std::vector<bool> accepting;      // one for each state
};

// The numbers of code points of an expression's texts: all of from..to occur, none below `least` or above `most`, which
// occur themselves; between is not known. kUnbounded: no limit.
struct ExprLengths {
  bool known = false;  // false: nothing is known (the expression holds intersections, complements, automata or parts of
                       // characters)
  std::uint32_t least = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t most = kUnbounded;

  enum class Answer : std::uint8_t { kNo, kYes, kUnknown };
  // Does some text have a number of code points in min..max?
  Answer some_in(std::uint32_t min, std::uint32_t max) const noexcept {
    if (!known) return Answer::kUnknown;
    if (max < least || min > most) return Answer::kNo;
    const auto in = [&](std::uint32_t n) { return n >= min && n <= max; };
    return (from <= max && to >= min) || in(least) || in(most) ? Answer::kYes : Answer::kUnknown;
  }
};

// A repetition that an expression may start with: up to `max` copies of `body` in a row keep it alive. It is the first
// factor of `part`, an alternative of the expression or all of it.
struct ExprLoop {
  ExprId body = kEmptyExpr;
  std::uint32_t max = kUnbounded;
  ExprId part = kEmptyExpr;
};

class ExprImage;

class ExprArena {
 public:
  explicit ExprArena(const Limits& limits = {});
  ~ExprArena();
  ExprArena(const ExprArena&) = delete;  // ids would silently belong to two arenas; share it by shared_ptr
  ExprArena& operator=(const ExprArena&) = delete;

  // --- construction. Each applies the laws that keep the automata small: units, zeros, flattening, ordering,
  // --- deduplication, merging of byte sets, double complement.
  ExprId empty() const { return kEmptyExpr; }
  ExprId epsilon() const { return kEpsilonExpr; }
  ExprId byte(std::uint8_t b) { return bytes(ByteSet::single(b)); }
  ExprId bytes(const ByteSet& set);
  ExprId literal(std::string_view text);
  // One of several texts, as a trie: O(total length), and cheap to match however many there are.
  ExprId literals(std::span<const std::string_view> texts);
  ExprId literals(std::span<const std::string> texts);
  ExprId concat(ExprId left, ExprId right);
  ExprId concat(std::initializer_list<ExprId> parts);
  ExprId concat(std::span<const ExprId> parts);
  ExprId alternate(std::initializer_list<ExprId> parts);
  ExprId alternate(std::span<const ExprId> parts);  // no parts: empty()
  ExprId intersect(std::initializer_list<ExprId> parts);
  ExprId intersect(std::span<const ExprId> parts);                // no parts: every byte string
  ExprId complement(ExprId e);                                    // every byte string that e does not match
  ExprId repeat(ExprId e, std::uint32_t min, std::uint32_t max);  // max may be kUnbounded
  ExprId optional(ExprId e) { return repeat(e, 0, 1); }
  ExprId star(ExprId e) { return repeat(e, 0, kUnbounded); }
  ExprId plus(ExprId e) { return repeat(e, 1, kUnbounded); }
  // One code point of the set, in UTF-8.
  ExprId code_points(const CodePointSet& set);
  // Any one code point; any well-formed UTF-8 text.
  ExprId any_code_point();
  ExprId any_text();
  ExprId any_bytes();
  // The texts that lead from the state `start` to an accepting one. The automaton is made minimal first, so that equal
  // sets built so have equal ids; its states are expressions like all others, interned when somebody walks there.
  // Preconditions: `next` has classes * states entries, each kNowhere or a state, and start is one. The states count
  // towards max_expressions.
  ExprId automaton(const ByteAutomaton& table, std::uint32_t start);

  // --- matching
  bool nullable(ExprId e) const;          // does e match the empty text?
  ExprId step(ExprId e, std::uint8_t b);  // derivative; kEmptyExpr exactly when no text that starts so matches
  ByteSet first_bytes(ExprId e);          // { b : step(e, b) != kEmptyExpr }
  ByteSet loop_bytes(ExprId e);           // { b : step(e, b) == e }
  // Bytes that every derivative of e cannot tell from b; contains b. An under-approximation of the true class.
  ByteSet byte_class(ExprId e, std::uint8_t b) const;
  bool matches(ExprId e, std::string_view text);

  // --- analysis; memoised
  bool is_empty(ExprId e);                                 // matches no text at all? Exact within max_emptiness_states
  bool proves_empty(ExprId e, std::uint32_t max_states);   // false: no, or the search gave up (and exhausted nothing)
  std::optional<std::uint32_t> shortest_length(ExprId e);  // bytes of the shortest match; nullopt: none
  std::optional<std::string> shortest_text(ExprId e);      // the first in byte order of the shortest matches
  ExprLengths lengths(ExprId e);                           // in code points
  // If e says so itself: a text matches it that matches `base` and does not match `excluded`.
  struct Difference {
    ExprId base = kEmptyExpr;
    ExprId excluded = kEmptyExpr;
  };
  std::optional<Difference> difference(ExprId e);
  ByteSet alphabet(ExprId e);             // a superset of the bytes that its texts use
  std::vector<ExprLoop> loops(ExprId e);  // of each alternative that starts with one
  // The parts that decide what e does with its first character, each the set of some single characters beyond ASCII;
  // and the derivative of e by characters of which all or none are in each part. Null where the structure does not
  // tell. May be called while others match.
  std::optional<std::vector<ExprId>> first_characters(ExprId e);
  struct CharacterPart {
    ExprId part = kEmptyExpr;
    bool matches = false;
  };
  ExprId character_step(ExprId e, std::span<const CharacterPart> parts);
  // e without the maximum of every repetition that takes more than `characters` to reach: shorter texts cannot tell.
  // May be called while others match.
  ExprId saturated(ExprId e, std::uint32_t characters);
  // The texts of e that have min..max code points. May be called while others match.
  ExprId with_length(ExprId e, std::uint32_t min, std::uint32_t max);

  // --- memory: what a front end built from a text (a pattern, a format) and wants to find again. Belongs to building.
  std::optional<ExprId> find_named(std::string_view name) const;
  void remember(std::string_view name, ExprId e);  // forgotten at once when there are very many

  // --- inspection
  ExprKind kind(ExprId e) const;
  std::size_t size() const;  // expressions interned so far
  bool full() const noexcept;
  bool half_full() const noexcept;  // half of max_expressions or of max_automaton_states is used
  bool exhausted() const noexcept;
  // One line, canonical: equal dumps mean equal ids. The language of the tests: `[61-7a]{1,}`, `"if"`, `(a&~b)`; a
  // state of an automaton has the hash of the table and its number, `<dfa 9b1c5f20a3d4e687 12>`.
  std::string dump(ExprId e) const;

  struct Impl;

 private:
  friend class ExprImage;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
