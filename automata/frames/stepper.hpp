// One byte further: the transition function of every kind of head. Private to automata/.
//
// The contract of a head h over what follows it: step gives the heads it may become, and where it may end, the heads
// of what follows. All heads handed out are alive: some text completes them. The only heads that a closed state holds
// are those that consume bytes, and kEnd.
// Thread safety: none; each matcher owns one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frames/head.hpp"
#include "frames/state_store.hpp"
#include "tokens/vocabulary_tables.hpp"
#include "weir/grammar/grammar.hpp"
#include "weir/grammar/structure.hpp"

namespace weir {

// What a head becomes by itself, whatever follows it.
struct HeadStep {
  bool alive = false;  // it goes on as `next`
  bool ends = false;   // it may end after this byte
  Head next;
};

class Stepper {
 public:
  Stepper(const Grammar& grammar, StateStore& store);

  // The state of the empty text.
  StateId start();
  // Appends what the items become by the byte. `out` may hold duplicates.
  void step(const Items& items, std::uint8_t byte, Items& out);
  // The state after the byte; kDeadState: none.
  StateId step(StateId s, std::uint8_t byte);
  // What the items become by the text, without duplicates; how many bytes of it they take. If not all, the items are
  // those before the byte that they do not take. `scratch` is overwritten.
  std::size_t walk(std::string_view text, Items& items, Items& scratch);

  // For kExpr and kText heads: the step without what follows.
  HeadStep step_head(const Head& head, std::uint8_t byte);
  // Bytes that leave the head as it is and where it may not end: a text of nothing else stays inside.
  ByteSet loop_bytes(const Head& head);
  // Appends the items of `s`, rules expanded.
  void append_closed(StateId s, Items& out);

  // A superset of the bytes with which a kText head goes on, but for the quote.
  ByteSet text_bytes(const Head& head);
  // A superset of the bytes with which some item goes on, exact for expressions.
  ByteSet first_bytes(const Items& items);

  bool may_complete(StateId s) const noexcept;

  // Where the text before is not known, as in walks of what follows a head, a list goes on behind a captured item as if
  // the item were none of those to come. That allows too much only where a later item has been entered and can be but
  // one thing. True: that may be so after these items.
  bool is_doubtful(const Items& items);

  // The place in the key set after one more byte of decoded key text, or kDead. Shared with the mask of keys.
  static constexpr std::uint32_t kDeadKey = 0xFFFFFFFF;
  std::uint32_t step_key(const RecordInfo& record, std::uint32_t place, std::uint8_t byte);
  // The place after a piece of a key as it is written, escapes and all, that ends between characters.
  std::uint32_t step_key_text(const RecordInfo& record, std::uint32_t place, std::string_view written);
  // The key's label if it may end here: a listed key, kOtherKey, or kNotAKey.
  static constexpr std::uint32_t kNotAKey = 0xFFFFFFFE;
  std::uint32_t key_label(const RecordInfo& record, std::uint32_t place) const;

  bool has_rules() const noexcept { return !grammar_.rules().empty(); }
  const Grammar& grammar() const noexcept { return grammar_; }
  TextStyle text_style() const noexcept { return style_; }
  ExprArena& arena() noexcept { return arena_; }
  StructureSource* structures() noexcept { return structures_; }

 private:
  // Appends what one item becomes; where it may end, what follows goes to ended_.
  void step_item(const Item& item, std::uint8_t byte, Items& out);
  void step_expr(ExprId e, StateId rest, std::uint8_t byte, Items& out);
  void step_text(const Item& item, std::uint8_t byte, Items& out);
  void step_key_head(const Item& item, std::uint8_t byte, Items& out);
  void step_record(const Item& item, std::uint8_t byte, Items& out);
  void step_list(const Item& item, std::uint8_t byte, Items& out);
  void step_value(const Item& item, std::uint8_t byte, Items& out);
  void push_keys(RecordId id, const RecordInfo& record, StateId rest, Items& out);
  // `unknown`: behind an item of which nothing is known.
  void push_list_steps(const ListInfo& info, bool unknown, StateId rest, Items& out);
  // The text that captured items are part of after the byte at hand.
  CaptureId capture_now();
  // The list's head behind a captured item, when a separator begins.
  Head after_item(const Head& head);
  void close_captures(Items& out);
  bool several_item(const Item& item, unsigned depth);
  bool several_head(const Head& head, unsigned depth);
  bool several_texts(ExprId content, CounterId counter);
  bool several_keys(RecordId id, std::uint32_t first, std::uint32_t last, unsigned depth);
  bool several_members(RecordId id, std::uint32_t label, unsigned depth);
  // The list's item number `count`, followed by the list.
  void push_list_item(ListId id, const ListInfo& info, std::uint32_t count, StateId rest, Items& out);
  void push_members(RecordId id, std::uint32_t label, StateId rest, Items& out);
  bool step_separator(const Item& item, const std::string& separator, std::uint8_t byte, Items& out, bool& finished);
  bool step_space(const Item& item, std::uint8_t byte, Items& out);

  // --- lines and their indentation (stepper_lines.cpp)
  StateId inside(StateId rest);
  void end_structure(StateId rest);
  std::uint32_t line_length(StateId rest, bool inner) const;
  void step_lined_record(const Item& item, std::uint8_t byte, Items& out);
  void step_lined_list(const Item& item, std::uint8_t byte, Items& out);
  bool step_to_next(const Item& item, std::uint8_t byte, Items& out);
  void step_to_close(const Item& item, char close, std::uint8_t byte, Items& out);
  void add_line_bytes(const Head& head, StateId rest, ByteSet& first) const;

  StateId close(StateId s);
  StateId rule_target(RuleStateId target, StateId rest);

  const Grammar& grammar_;
  ExprArena& arena_;
  StructureSource* structures_;
  const Notation* notation_ = nullptr;
  TextStyle style_;
  StateStore& store_;
  std::vector<StateId> ended_;  // scratch

  // Of the step at hand.
  static constexpr CaptureId kNoCapture = 0xFFFFFFFF;
  const Items* stepped_ = nullptr;
  std::uint8_t byte_ = 0;
  CaptureId capture_ = kNoCapture;  // before the byte
  CaptureId now_ = kNoCapture;      // after it, once somebody asked
  std::string captured_;            // scratch
};

}  // namespace weir
