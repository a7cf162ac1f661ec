// The arena behind ExprArena. Nothing here locks: expr.cpp takes the lock, then calls in. Private to grammar/.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/byte_automaton.hpp"
#include "ir/expr_parts.hpp"
#include "ir/expr_tables.hpp"
#include "weir/grammar/detail/segmented.hpp"
#include "weir/grammar/expr.hpp"

namespace weir {

// `a`, `b`, `c` by kind: bytes (index of the set), concat (left, right), alternate and intersect (offset and count in
// the children), complement (operand), repeat (operand, min, max), automaton (index, state).
struct ExprNode {
  ExprKind kind = ExprKind::kEmpty;
  bool nullable = false;
  bool boolean = false;  // holds an intersection or complement, so it may be empty without looking so
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};

enum class Emptiness : std::uint8_t { kUnknown, kEmpty, kNonEmpty };

// What is known of an expression beside its structure.
struct ExprFacts {
  std::atomic<Emptiness> emptiness{Emptiness::kUnknown};
  std::atomic<bool> text{false};  // matches only well-formed UTF-8
  std::atomic<const ExprLengths*> lengths{nullptr};
};

inline constexpr std::uint32_t kUnknownStep = 0xFFFFFFFF;

// One state of the lazily built automaton: derivatives by byte, kUnknownStep where nobody has asked yet.
struct ExprRow {
  std::array<std::atomic<std::uint32_t>, 256> next;
  ByteSet first;  // these two are there once first_known is
  ByteSet loop;
  std::atomic<bool> first_known{false};
  ExprRow() {
    for (auto& n : next) n.store(kUnknownStep, std::memory_order_relaxed);
  }
};

struct ExprArena::Impl {
  explicit Impl(const Limits& l);

  // Construction (expr_build.cpp).
  ExprId bytes(const ByteSet& set);
  ExprId literal(std::string_view text);
  ExprId literals(std::vector<std::string_view> texts);
  ExprId concat(ExprId left, ExprId right);
  ExprId byte(std::uint8_t b);
  ExprId alternate(std::span<const ExprId> parts);
  ExprId alternate(std::initializer_list<ExprId> parts) {
    return alternate(std::span<const ExprId>(parts.begin(), parts.size()));
  }
  ExprId intersect(std::span<const ExprId> parts);
  ExprId intersect(std::initializer_list<ExprId> parts) {
    return intersect(std::span<const ExprId>(parts.begin(), parts.size()));
  }
  ExprId complement(ExprId e);
  std::optional<Difference> difference(ExprId e);
  ExprId repeat(ExprId e, std::uint32_t min, std::uint32_t max);
  ExprId code_points(const CodePointSet& set);
  ExprId any_code_point();
  ExprId any_text();
  ExprId known_any_text() const noexcept { return known_any_text_.load(std::memory_order_acquire); }  // 0: not yet
  ExprId every();                                                  // every byte string
  ExprId automaton(std::shared_ptr<const NormalAutomaton> table);  // its first state; null: kEmptyExpr
  std::optional<std::uint32_t> place_of(std::shared_ptr<const NormalAutomaton> table);  // nothing: no room
  ExprId automaton_state(std::uint32_t automaton, std::uint32_t state);

  // The node with these operands, which must be in normal form; the constructors above see to that.
  template <class Known, class Visit>
  void visit_parts_first(ExprId root, bool through, Known&& known, Visit&& visit);
  ExprId intern(const ExprNode& node, std::span<const ExprId> kids, const ByteSet* set);

  // Matching and analysis (expr_step.cpp).
  ByteSet byte_class(ExprId e, std::uint8_t b) const;
  ExprId derivative(ExprId e, std::uint8_t b);  // not yet normalised to kEmptyExpr when it is empty in meaning
  ExprId step(ExprId e, std::uint8_t b);
  ByteSet first_bytes(ExprId e);
  // All classes that byte_class tells apart, by their first bytes.
  void byte_classes(ExprId e, std::vector<ByteSet>& out) const;
  ExprId raw_step(ExprId e, std::uint8_t b);  // derivative, remembered
  // Emptiness (expr_empty.cpp).
  bool is_empty(ExprId e);
  // True, false, or nothing when more than max_states states would have to be visited.
  std::optional<bool> search_empty(ExprId e, std::uint32_t max_states);
  std::optional<std::string> shortest_text(ExprId e);
  // Bounds from the structure (expr_lengths.cpp).
  const ExprLengths& lengths(ExprId e);
  const ExprLengths* known_lengths(ExprId e) const noexcept { return facts[e].lengths.load(std::memory_order_acquire); }
  void know_lengths(ExprId e, const ExprLengths& lengths);
  const ByteSet& alphabet(ExprId e);
  void append_loops(ExprId e, std::vector<ExprLoop>& out) const;
  ExprId saturated(ExprId e, std::uint32_t count);
  bool append_first_characters(ExprId e, std::vector<ExprId>& out);
  ExprId character_step(ExprId e, std::span<const ExprArena::CharacterPart> parts);
  ExprRow& row(ExprId e);
  ExprRow* existing_row(ExprId e) const noexcept {
    return e < rows.size() ? rows[e].load(std::memory_order_acquire) : nullptr;
  }

  std::span<const ExprId> children_of(const ExprNode& n) const { return {children.data() + n.a, n.b}; }
  void append_dump(ExprId e, unsigned depth, std::string& out) const;

  Limits limits;
  mutable std::mutex mutex;
  std::atomic<bool> half_full{false};
  std::atomic<bool> full{false};       // a budget of memory ran out
  std::atomic<bool> undecided{false};  // a search for emptiness gave up

  detail::SegmentedVector<ExprNode> nodes;
  detail::SegmentedVector<ExprFacts> facts;
  detail::SegmentedVector<std::atomic<ExprRow*>> rows;
  std::vector<std::unique_ptr<ExprRow>> row_storage;
  std::vector<ExprId> children;
  std::vector<ByteSet> sets;
  std::vector<ExprAutomaton> automata;
  std::unordered_map<ExprId, std::string> shortest;  // memo of shortest_text
  std::unordered_map<std::string, ExprId> names;

 private:
  bool same(ExprId id, const ExprNode& node, std::span<const ExprId> kids, const ByteSet* set) const;
  void grow_table();
  ExprId intern_concat(ExprId left, ExprId right);

  struct Slot {
    std::uint32_t hash = 0;
    ExprId id = 0;  // 0: free (ids 0 and 1 are never looked up)
  };
  std::vector<Slot> table_;             // open addressing
  std::array<ExprId, 256> byte_ids_{};  // sets of one byte; 0: not made yet
  StepTable raw_steps_;                 // derivatives of what holds intersections and complements
  std::unordered_multimap<std::uint64_t, std::uint32_t> automata_by_hash_;
  std::size_t automaton_states_ = 0;  // of all tables
  std::deque<ExprLengths> lengths_;
  std::unordered_map<ExprId, ByteSet> alphabets_;
  std::unordered_map<std::uint64_t, ExprId> saturated_;  // by expression and count
  ExprId any_code_point_ = 0;
  ExprId any_text_ = 0;
  std::atomic<ExprId> known_any_text_{0};  // the same for those without the lock
  ExprId every_ = 0;
};

}  // namespace weir
