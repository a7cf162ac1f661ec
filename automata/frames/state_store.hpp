// Hash-consed states of one sequence. Private to automata/.
//
// A state is a set of items (head, rest), rest being a state in turn: a stack whose tails are shared. On top, items
// with equal heads are merged by uniting what follows them (L(h)·A | L(h)·B = L(h)·(A | B)); the union below is a plain
// union of sets. So a position of the text makes no more new items than there are heads, and ambiguous grammars stay
// polynomial, as with a graph-structured stack (Tomita 1985). Merging the unions in turn would make new items of old
// ones without bound. Ids are dense and only ever added, so a state is an integer to whoever holds it.
// Thread safety: none; each matcher owns one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "frames/head.hpp"

namespace weir {

class StateStore {
 public:
  explicit StateStore(std::size_t max_bytes);

  // The state of these items; reorders them. No items: kDeadState.
  StateId intern(Items& items);
  StateId intern_one(const Item& item);
  // The state with the items of all, as they are; reorders them. Precondition: not empty.
  StateId unite(std::vector<StateId>& states);
  std::span<const Item> items(StateId s) const noexcept {
    return std::span(items_).subspan(spans_[s].first, spans_[s].count);
  }
  // A memo for the owner: the state that `s` expands to, 0 while unknown.
  StateId& closed(StateId s) noexcept { return spans_[s].closed; }

  // Texts that were read. Equal texts that began together are equal ids. From kFirstCapture on texts of the sequence
  // are kept; from kWithinText those that began in the part of a token whose beginning nobody knows; kUnknown stands for
  // a beginning of which nothing is known, and nothing comes after it.
  static constexpr CaptureId kFirstCapture = 0;
  static constexpr CaptureId kWithinText = 1;
  static constexpr CaptureId kUnknown = 2;
  CaptureId extend(CaptureId capture, std::uint8_t byte);
  // The bytes from one capture to another; false: the first is not on the way to the second.
  bool captured(CaptureId begin, CaptureId end, std::string& out) const;
  // Does a captured item go on in this state, below its heads; one of unknown beginning?
  bool captures(StateId s) { return (capture_facts(s) & kCaptures) != 0; }
  bool captures_unknown(StateId s) { return (capture_facts(s) & kCapturesUnknown) != 0; }
  bool captures(const Item& item) { return is_after_item(item.head) || captures(item.rest); }
  bool captures_unknown(const Item& item) {
    return (is_after_item(item.head) && item.head.w2 == kUnknown) || captures_unknown(item.rest);
  }
  static bool is_after_item(const Head& head) noexcept {
    return head.kind() == HeadKind::kList && phase_of(head) == Phase::kAfterItem;
  }

  std::size_t size() const noexcept { return spans_.size(); }
  std::size_t memory_bytes() const noexcept;
  bool exhausted() const noexcept { return exhausted_; }

 private:
  struct Span {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    StateId closed = 0;
    std::uint32_t hash = 0;
  };
  static constexpr std::uint8_t kCaptures = 1;
  static constexpr std::uint8_t kCapturesUnknown = 2;
  static constexpr std::uint8_t kCaptureFactsKnown = 4;
  struct CaptureNode {
    CaptureId parent = 0;
    std::uint8_t byte = 0;
  };
  std::uint8_t capture_facts(StateId s);
  void merge_heads(Items& items);
  StateId intern_sorted(std::span<const Item> items);
  void grow_table();

  std::size_t max_bytes_;
  bool exhausted_ = false;
  std::vector<Item> items_;
  std::vector<Span> spans_;
  std::vector<StateId> table_;
  std::vector<CaptureNode> captures_{3};
  std::unordered_map<std::uint64_t, CaptureId> capture_ids_;  // by node and byte
  std::vector<std::uint8_t> capture_facts_;                   // by state, as far as they were asked for
  std::vector<StateId> rests_;  // scratch
  Items united_;                // scratch
};

}  // namespace weir
