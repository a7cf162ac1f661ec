// Hash-consed states of one sequence. Private to automata/.
//
// A state is a set of items (head, rest), rest being a state in turn: a stack whose tails are shared. On top, items
// with equal heads are merged by uniting what follows them (L(h)·A | L(h)·B = L(h)·(A | B)); the union below is a plain
// union of sets. So a position of the text makes no more new items than there are heads, and ambiguous grammars stay
// polynomial, as with a graph-structured stack (Tomita 1985). Merging the unions in turn would make new items of old
// ones without bound. Ids are dense and only ever added, so a state is an integer to whoever holds it.
// Thread safety: none; each matcher owns one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "frames/capture_tree.hpp"
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

  CaptureTree& captures() noexcept { return captures_; }
  // Does a captured item go on in this state, below its heads; one of unknown beginning?
  bool captures(StateId s) { return (capture_facts(s) & kCaptures) != 0; }
  bool captures_unknown(StateId s) { return (capture_facts(s) & kCapturesUnknown) != 0; }
  bool captures(const Item& item) { return is_after_item(item.head) || captures(item.rest); }
  bool captures_unknown(const Item& item) { return is_after_unknown(item.head) || captures_unknown(item.rest); }
  static bool is_after_item(const Head& head) noexcept {
    return head.kind() == HeadKind::kList && phase_of(head) == Phase::kAfterItem;
  }
  static bool is_after_unknown(const Head& head) noexcept {
    return is_after_item(head) && head.w2 == CaptureTree::kUnknown;
  }

  std::size_t size() const noexcept { return spans_.size(); }
  std::size_t memory_bytes() const noexcept {
    return bytes_of(items_.capacity(), spans_.capacity()) + captures_.memory_bytes();
  }
  bool is_half_full() const noexcept { return memory_bytes() > max_bytes_ / 2; }
  // The same for the states alone, without room for more.
  std::size_t used_bytes() const noexcept { return bytes_of(items_.size(), spans_.size()) + captures_.memory_bytes(); }
  // A state had no room, and stands as kDeadState wherever it was wanted: what was made since is wrong.
  bool exhausted() const noexcept { return exhausted_; }
  std::size_t max_bytes() const noexcept { return max_bytes_; }
  void set_max_bytes(std::size_t bytes) noexcept { max_bytes_ = bytes; }

  // A collection: keep() each state that is needed, then drop_others(), then renamed() tells the ids of those kept,
  // in their old order, until end_collection(). Memos are forgotten. O(states).
  void keep(StateId s);
  void drop_others();
  StateId renamed(StateId s) const noexcept { return renamed_[s]; }
  void end_collection();
  // Gives back the room that the states do not take.
  void shrink();

 private:
  struct Span {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    StateId closed = 0;
    std::uint32_t hash = 0;
  };
  static constexpr std::uint8_t kCaptures = 1;
  static constexpr std::uint8_t kCapturesUnknown = 2;
  std::uint8_t capture_facts(StateId s);
  void merge_heads(Items& items);
  StateId intern_sorted(std::span<const Item> items);
  // Room for one more state of so many items; false: that would be more than max_bytes_.
  bool make_room(std::size_t items);
  void fill_table();
  void drop_other_captures();
  std::size_t free_slot(std::uint32_t hash) const noexcept;
  // Beside items and spans: the table, and the names of a collection.
  static std::size_t table_size(std::size_t spans) noexcept { return std::bit_ceil(spans + spans / 3); }
  static std::size_t bytes_of(std::size_t items, std::size_t spans) noexcept {
    return items * sizeof(Item) + spans * (sizeof(Span) + sizeof(StateId)) + table_size(spans) * sizeof(StateId);
  }

  std::size_t max_bytes_;
  bool exhausted_ = false;
  std::vector<Item> items_;
  std::vector<Span> spans_;
  CaptureTree captures_;
  std::vector<std::uint8_t> capture_facts_;  // by state, as far as somebody asked
  std::vector<StateId> table_;               // by hash, open addressing; 0: free
  std::vector<StateId> renamed_;             // during a collection; 0: dropped
  std::vector<StateId> rests_;               // scratch
  Items united_;                             // scratch
};

}  // namespace weir
