// Structures: values made of quoted text, scalars, records of keyed members, and lists. JSON is their first notation;
// nothing here says JSON, so that others can follow.
//
// A structure source describes values by small integer ids and computes what an id means when it is first asked for:
//
//   const ValueInfo& v = source.value(id);          // which texts, scalars, records and lists this value may be
//   const RecordInfo& r = source.record(v.records[0]);
//   r.keys->keys();                                 // the listed keys, sorted by their bytes
//   r.allows(i);                                    // may listed key i come next in this state of the record?
//   source.members(v.records[0], i);                // what its value must be, and the record's state after it
//
// The state of a record is the part of its conditions that is still open (the residual): a member is one step. Every
// id that a source hands out is alive: some text matches it. So whoever offers only what the source offers never
// runs into a dead end.
//
// Thread safety: all accessors may be called by any number of threads; references stay valid as long as the source.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/grammar/detail/segmented.hpp"
#include "weir/grammar/expr.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

using ValueId = std::uint32_t;
using RecordId = std::uint32_t;  // one state of a record
using ListId = std::uint32_t;
using CounterId = std::uint32_t;  // code points left in a quoted text; see LengthCounter
inline constexpr ValueId kNoValue = 0xFFFFFFFF;

// How structures are written.
struct Notation {
  char quote = '"';
  char record_open = '{';
  char record_close = '}';
  char list_open = '[';
  char list_close = ']';
  std::string item_separator = ",";  // between members and between items
  std::string key_separator = ":";   // between a key and its value
  // true: runs of `space` bytes before and after every sign, each at most `longest_space` long; the separators are then
  // one byte each. false: none beside what the separators and `indent` say.
  bool flexible_space = true;
  std::uint32_t longest_space = kUnbounded;  // at most kLongestSpace, or kUnbounded
  static constexpr std::uint32_t kLongestSpace = 65'535;
  // Set, and not flexible: each member and each item begins a line, after so many blanks for each structure around it,
  // and so does the sign that closes the structure. Empty structures stay on one line.
  std::optional<std::uint32_t> indent;
  // true: every escape that denotes an allowed code point. false: only those of code points that have to be escaped
  // (controls, the quote, the backslash), as writers of JSON do.
  bool any_escape = true;
  ByteSet space;  // JSON: space, tab, line feed, carriage return
};

// Code points that a quoted text may and must still have. Id 0 is "any number"; the id after one more code point is
// id + 1 as long as max_left > 0, and 0 once the minimum is reached and there is no maximum.
struct LengthCounter {
  std::uint32_t min_left = 0;
  std::uint32_t max_left = kUnbounded;
  friend bool operator==(const LengthCounter&, const LengthCounter&) = default;
};

struct TextInfo {
  ExprId content = kEmptyExpr;  // the decoded text; a set of well-formed UTF-8 texts
  CounterId counter = 0;        // where counting starts
};

struct ValueInfo {
  ExprId scalar = kEmptyExpr;  // texts that stand for themselves: numbers, true, false, null
  std::vector<TextInfo> texts;
  std::vector<RecordId> records;  // states before the first member
  std::vector<ListId> lists;
};

// The listed keys of a record, sorted by their bytes, and a trie over them. Node 0 is the root.
class KeySet {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Node {
    std::uint32_t first_key = 0;  // the sorted keys that start with this node's text: [first_key, last_key)
    std::uint32_t last_key = 0;
    std::uint32_t depth = 0;       // bytes of this node's text
    std::uint32_t first_edge = 0;  // edges, ascending by byte: [first_edge, last_edge)
    std::uint32_t last_edge = 0;
    ExprId utf8 = kEmptyExpr;  // any_text() after this node's text, for keys that leave the trie here
  };
  struct Edge {
    std::uint8_t byte = 0;
    std::uint32_t target = 0;
  };
  // Keys are decoded, well-formed UTF-8, in any order, without duplicates.
  KeySet(std::vector<std::string> keys, ExprArena& arena);

  std::span<const std::string> keys() const noexcept { return keys_; }
  std::uint32_t find(std::string_view key) const;  // index of the key, or kNone
  const Node& node(std::uint32_t n) const noexcept { return nodes_[n]; }
  std::span<const Edge> edges(std::uint32_t n) const noexcept {
    return std::span(edges_).subspan(nodes_[n].first_edge, nodes_[n].last_edge - nodes_[n].first_edge);
  }
  std::uint32_t child(std::uint32_t n, std::uint8_t byte) const noexcept;  // kNone: no key goes on so
  // The key that ends at this node, or kNone.
  std::uint32_t key_at(std::uint32_t n) const noexcept {
    const Node& at = nodes_[n];
    return at.first_key < at.last_key && keys_[at.first_key].size() == at.depth ? at.first_key : kNone;
  }

 private:
  std::vector<std::string> keys_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
};

// Label of a member whose key is not listed.
inline constexpr std::uint32_t kOtherKey = 0xFFFFFFFF;
// Label of a member whose key is of RecordInfo::classes[i]: kFirstKeyClass + i.
inline constexpr std::uint32_t kFirstKeyClass = 0x80000000;

// A record between two members.
struct RecordInfo {
  const KeySet* keys = nullptr;
  std::vector<std::uint64_t> allowed;  // bit i: listed key i may come next
  bool others = false;                 // keys that are not listed may come next; any text but the listed ones
  // Sets of texts that may come next as keys, in place of `others`: those of patterns, mostly. No listed key is in any.
  std::vector<TextInfo> classes;
  bool may_close = false;
  bool may_continue = false;  // some key may come next

  bool allows(std::uint32_t key) const noexcept { return ((allowed[key >> 6U] >> (key & 63U)) & 1U) != 0; }
  // May some listed key of [first, last) come next?
  bool allows_any(std::uint32_t first, std::uint32_t last) const noexcept;
};

// One way to go on after a key: its value, and the record's state after that value. Several alternatives mean their
// union (they overlap where a text fits more than one).
struct Member {
  ValueId value = kNoValue;
  RecordId next = 0;
};

// One way to go on in a list that is told step by step: an item, and the list after that item.
struct ListStep {
  ValueId value = kNoValue;
  ListId next = 0;
  // What comes after this item depends on its text: StructureSource::list_after(next, text) tells. `next` itself is
  // right wherever the later items could not equal this one.
  bool captured = false;
};

// A list in closed form: item i is prefix[i], or rest beyond the prefix. Or one between two items, told step by step,
// where what may come depends on what the items so far were: then `steps` and `may_close` say all there is to say.
// Several steps mean their union.
struct ListInfo {
  bool stepwise = false;
  bool may_close = false;  // stepwise
  std::vector<ListStep> steps;

  std::vector<ValueId> prefix;
  ValueId rest = kNoValue;  // kNoValue: no items beyond the prefix
  std::uint32_t min_items = 0;
  std::uint32_t max_items = kUnbounded;

  ValueId item(std::uint32_t index) const noexcept { return index < prefix.size() ? prefix[index] : rest; }
  // May an item come after `count` of them? A saturated count of an unbounded list stands for every larger one.
  bool has_item(std::uint32_t count) const noexcept {
    return (max_items == kUnbounded || count < max_items) && item(count) != kNoValue;
  }
  // Counts from here on behave alike.
  std::uint32_t saturation() const noexcept {
    if (max_items != kUnbounded) return max_items;
    const auto p = static_cast<std::uint32_t>(prefix.size());
    return p > min_items ? p : min_items;
  }
};

// Base of all sources. Derived classes say what ids mean through the expand functions, which run once for each id,
// one at a time, under the source's lock.
class StructureSource {
 public:
  virtual ~StructureSource() = default;
  StructureSource(const StructureSource&) = delete;
  StructureSource& operator=(const StructureSource&) = delete;

  const Notation& notation() const noexcept { return notation_; }

  const ValueInfo& value(ValueId id) {
    return get(values_, id, [&](ValueInfo& out) { expand_value(id, out); });
  }
  const RecordInfo& record(RecordId id) {
    return get(records_, id, [&](RecordInfo& out) { expand_record(id, out); });
  }
  const ListInfo& list(ListId id) {
    return get(lists_, id, [&](ListInfo& out) { expand_list(id, out); });
  }
  // What follows listed key `label` (or kOtherKey). Precondition: record(id) allows it. Never empty.
  std::span<const Member> members(RecordId id, std::uint32_t label);
  LengthCounter counter(CounterId id) const noexcept;
  // The list after a captured item, by ListStep::next and the item as it was written. Alive, as all ids are.
  ListId list_after(ListId next, std::string_view item) {
    const std::lock_guard lock(mutex_);
    return expand_list_after(next, item);
  }

  // Do at least two different values match? False may mean that nobody can tell. For sources that capture items.
  bool several(ValueId id) {
    const std::lock_guard lock(mutex_);
    return expand_several(id);
  }

  // Half of a budget of Limits has gone to what was expanded since; what texts were like may take more and more of it.
  bool half_full() const noexcept { return half_full_.load(std::memory_order_relaxed); }

  // What went wrong while something was expanded, if anything did: a budget of Limits ran out. What was expanded since
  // allows too little; a caller that matches checks this once at the end.
  const Error* error() const noexcept { return failed_.load(std::memory_order_acquire) ? &*error_ : nullptr; }

 protected:
  explicit StructureSource(Notation notation) : notation_(std::move(notation)) {}

  // New ids. To be called under the lock (from expand functions) or before the source is shared.
  ValueId add_value() { return static_cast<ValueId>(values_.push_back({})); }
  RecordId add_record() { return static_cast<RecordId>(records_.push_back({})); }
  ListId add_list() { return static_cast<ListId>(lists_.push_back({})); }
  std::size_t value_count() const noexcept { return values_.size(); }
  void add_values(std::size_t count) { values_.resize_at_least(values_.size() + count); }
  // The id where counting min..max code points starts. Equal bounds share ids. kNoCounter when ids run out.
  static constexpr CounterId kNoCounter = 0xFFFFFFFF;
  CounterId add_counter(std::uint32_t min, std::uint32_t max);

  virtual void expand_value(ValueId id, ValueInfo& out) = 0;
  virtual void expand_record(RecordId id, RecordInfo& out) = 0;
  virtual void expand_list(ListId id, ListInfo& out) = 0;
  // Appends the alternatives after the key.
  virtual void expand_members(RecordId id, std::uint32_t label, std::vector<Member>& out) = 0;
  // For sources that capture items.
  virtual ListId expand_list_after(ListId next, std::string_view) { return next; }
  virtual bool expand_several(ValueId) { return false; }

  void set_half_full() noexcept { half_full_.store(true, std::memory_order_relaxed); }
  std::recursive_mutex& mutex() noexcept { return mutex_; }
  // From expand functions; the first error stays.
  void set_error(Error error) {
    if (failed_.load(std::memory_order_relaxed)) return;
    error_ = std::move(error);
    failed_.store(true, std::memory_order_release);
  }

 private:
  template <class T>
  struct Slot {
    std::atomic<bool> ready{false};
    T info;
    Slot() = default;
    Slot(Slot&& o) noexcept : ready(o.ready.load()), info(std::move(o.info)) {}
    Slot& operator=(Slot&& o) noexcept {
      ready.store(o.ready.load());
      info = std::move(o.info);
      return *this;
    }
  };
  template <class T>
  using Slots = detail::SegmentedVector<Slot<T>, 4>;

  template <class T, class Expand>
  const T& get(Slots<T>& slots, std::uint32_t id, Expand expand) {
    Slot<T>& slot = slots[id];
    if (!slot.ready.load(std::memory_order_acquire)) {
      const std::lock_guard lock(mutex_);
      if (!slot.ready.load(std::memory_order_relaxed)) {
        expand(slot.info);
        slot.ready.store(true, std::memory_order_release);
      }
    }
    return slot.info;
  }

  struct CounterBlock {
    CounterId first = 0;
    std::uint32_t min = 0;
    std::uint32_t max = 0;
  };

  Notation notation_;
  std::optional<Error> error_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> half_full_{false};
  std::recursive_mutex mutex_;
  Slots<ValueInfo> values_;
  Slots<RecordInfo> records_;
  Slots<ListInfo> lists_;
  // Members by (record, label): published by index, like everything else here.
  struct MemberEntry {
    std::uint32_t label = 0;
    std::vector<Member> members;
    std::atomic<MemberEntry*> next{nullptr};
  };
  struct MemberList {
    std::atomic<MemberEntry*> head{nullptr};
    MemberList() = default;
    MemberList(MemberList&& o) noexcept : head(o.head.exchange(nullptr)) {}
    MemberList& operator=(MemberList&& o) noexcept {
      head.store(o.head.exchange(nullptr));
      return *this;
    }
    ~MemberList();
  };
  detail::SegmentedVector<MemberList, 6> member_lists_;  // by record id
  detail::SegmentedVector<CounterBlock, 4> counters_;
  CounterId next_counter_ = 1;
};

}  // namespace weir
