#include "frames/stepper.hpp"

#include <algorithm>

#include "frames/quoted.hpp"
#include "frames/text_inner.hpp"

namespace weir {
namespace {

// A key of a record: a place in the trie of listed keys, or off it.
struct KeyInner {
  Stepper& stepper;
  const RecordInfo& record;
  std::uint32_t place;

  bool begin_character() const { return true; }
  bool take_byte(std::uint8_t b) {
    place = stepper.step_key(record, place, b);
    return place != Stepper::kDeadKey;
  }
  bool may_end() const { return stepper.key_label(record, place) != Stepper::kNotAKey; }
  bool may_go_on() const { return may_take(0, 0x10FFFF); }
  bool may_take(char32_t first, char32_t last) const {
    if (record.others) return true;
    if ((place & kOffTrie) != 0) return false;
    const KeySet::Node& node = record.keys->node(place);
    for (std::uint32_t k = node.first_key; k < node.last_key; ++k) {
      const std::string& key = record.keys->keys()[k];
      if (key.size() == node.depth || !record.allows(k)) continue;
      std::size_t offset = node.depth;
      const char32_t c = next_code_point(key, offset);
      if (c >= first && c <= last) return true;
    }
    return false;
  }
};

// A superset of the bytes that go on within an escape, where the text goes on by one of these.
ByteSet escape_bytes(QuotedStage stage, std::span<const KeySet::Edge> edges) {
  const bool ascii = std::all_of(edges.begin(), edges.end(), [](const KeySet::Edge& e) { return e.byte < 0x80; });
  ByteSet bytes;
  switch (stage) {
    case QuotedStage::kEscape:
      bytes.insert('u');
      for (const KeySet::Edge& edge : edges) {
        for (const char c : std::string_view("\"\\/bfnrt")) {
          const auto b = static_cast<std::uint8_t>(c);
          if (detail::simple_escape(b) == edge.byte) bytes.insert(b);
        }
      }
      return bytes;
    case QuotedStage::kHex0:
    case QuotedStage::kHex1: return ascii ? ByteSet::single('0') : ByteSet::all();
    case QuotedStage::kHex2:
      for (const KeySet::Edge& edge : edges) bytes.insert(static_cast<std::uint8_t>('0' + (edge.byte >> 4U)));
      return ascii ? bytes : ByteSet::all();
    default: return ByteSet::all();
  }
}

// Does white space between signs change nothing, as in structural_form?
bool is_spaced_json(const Notation& n) {
  return n.flexible_space && n.longest_space == kUnbounded && n.space == json_space() && n.quote == '"' &&
         n.record_open == '{' && n.record_close == '}' && n.list_open == '[' && n.list_close == ']' &&
         n.item_separator == "," && n.key_separator == ":";
}

}  // namespace

Stepper::Stepper(const Grammar& grammar, StateStore& store)
    : grammar_(grammar),
      arena_(grammar.expressions()),
      structures_(grammar.structures()),
      style_{true, false},
      store_(store) {
  if (structures_ == nullptr) return;
  notation_ = &structures_->notation();
  style_ = {notation_->any_escape, grammar.start().kind == Symbol::Kind::kValue && is_spaced_json(*notation_)};
}

StateId Stepper::start() {
  const StateId end = store_.intern_one({Head::make(HeadKind::kEnd, 0, 0, 0), kDeadState});
  Items items;
  const Symbol start = grammar_.start();
  switch (start.kind) {
    case Symbol::Kind::kExpression:
      if (start.id != kEpsilonExpr && start.id != kEmptyExpr) {
        items.push_back({Head::make(HeadKind::kExpr, 0, start.id, 0), end});
      }
      break;
    case Symbol::Kind::kValue: {
      Items after{{Head::make(HeadKind::kEnd, 0, 0, 0), kDeadState}};
      if (notation_->flexible_space) after.push_back({Head::make(HeadKind::kSpace, 0, 0, 0), end});
      items.push_back({Head::make(HeadKind::kValue, 0, start.id, 0), store_.intern(after)});
      break;
    }
    case Symbol::Kind::kRule: {
      const StateId rule =
          store_.intern_one({Head::make(HeadKind::kRule, 0, grammar_.rules()[start.id].start, 0), end});
      append_closed(rule, items);
      break;
    }
  }
  if (grammar_.matches_empty()) items.push_back({Head::make(HeadKind::kEnd, 0, 0, 0), kDeadState});
  return store_.intern(items);
}

void Stepper::step(const Items& items, std::uint8_t byte, Items& out) {
  ended_.clear();
  stepped_ = &items;
  byte_ = byte;
  capture_ = now_ = kNoCapture;
  for (const Item& item : items) step_item(item, byte, out);
  // What follows is expanded once for all that ended here, so that equal calls from many places are one call.
  if (ended_.size() == 1) {
    append_closed(ended_.front(), out);
  } else if (!ended_.empty()) {
    append_closed(store_.unite(ended_), out);
  }
  if (capture_ != kNoCapture || now_ != kNoCapture) close_captures(out);
}

StateId Stepper::step(StateId s, std::uint8_t byte) {
  const Items items(store_.items(s).begin(), store_.items(s).end());
  Items out;
  step(items, byte, out);
  return store_.intern(out);
}

std::size_t Stepper::walk(std::string_view text, Items& items, Items& scratch) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    scratch.clear();
    step(items, static_cast<std::uint8_t>(text[i]), scratch);
    if (scratch.empty()) return i;
    remove_duplicates(scratch);
    items.swap(scratch);
  }
  return text.size();
}

void Stepper::step_item(const Item& item, std::uint8_t byte, Items& out) {
  switch (item.head.kind()) {
    case HeadKind::kExpr: step_expr(item.head.w1, item.rest, byte, out); return;
    case HeadKind::kText: step_text(item, byte, out); return;
    case HeadKind::kKey: step_key_head(item, byte, out); return;
    case HeadKind::kRecord: step_record(item, byte, out); return;
    case HeadKind::kList: step_list(item, byte, out); return;
    case HeadKind::kValue: step_value(item, byte, out); return;
    case HeadKind::kSpace:
      if (step_space(item, byte, out)) ended_.push_back(item.rest);
      return;
    case HeadKind::kCapture: capture_ = item.head.w1; return;
    case HeadKind::kEnd:
    case HeadKind::kRule:
    case HeadKind::kHole:
    case HeadKind::kLevel: return;
  }
}

HeadStep Stepper::step_head(const Head& head, std::uint8_t byte) {
  HeadStep result;
  if (head.kind() == HeadKind::kExpr) {
    const ExprId e = arena_.step(head.w1, byte);
    if (e == kEmptyExpr) return result;
    result.alive = e != kEpsilonExpr;
    result.ends = arena_.nullable(e);
    result.next = Head::make(HeadKind::kExpr, 0, e, 0);
    return result;
  }
  // What most bytes are: plain characters of uncounted text.
  if (head.aux() == 0 && head.w2 == 0 && byte >= 0x20 && byte < 0x80 && byte != '\\' &&
      byte != static_cast<std::uint8_t>(notation_->quote)) {
    const ExprId e = arena_.step(head.w1, byte);
    result.alive = e != kEmptyExpr;
    result.next = Head::make(HeadKind::kText, 0, e, 0);
    return result;
  }
  TextInner inner{arena_, structures_, head.w1, head.w2};
  std::uint32_t aux = head.aux();
  const QuotedStep step = step_quoted(inner, aux, byte, notation_->quote, notation_->any_escape);
  result.alive = step == QuotedStep::kAlive;
  result.ends = step == QuotedStep::kEnd;
  result.next = Head::make(HeadKind::kText, aux, inner.expr, inner.counter);
  return result;
}

void Stepper::step_expr(ExprId e, StateId rest, std::uint8_t byte, Items& out) {
  const ExprId next = arena_.step(e, byte);
  if (next == kEmptyExpr) return;
  if (next != kEpsilonExpr) out.push_back({Head::make(HeadKind::kExpr, 0, next, 0), rest});
  if (arena_.nullable(next)) ended_.push_back(rest);
}

void Stepper::step_text(const Item& item, std::uint8_t byte, Items& out) {
  const HeadStep step = step_head(item.head, byte);
  if (step.alive) out.push_back({step.next, item.rest});
  if (step.ends) ended_.push_back(item.rest);
}

std::uint32_t Stepper::step_key(const RecordInfo& record, std::uint32_t place, std::uint8_t byte) {
  ExprId utf8 = place & ~kOffTrie;
  if ((place & kOffTrie) == 0) {
    const std::uint32_t child = record.keys->child(place, byte);
    if (child != KeySet::kNone) {
      const KeySet::Node& node = record.keys->node(child);
      return record.others || record.allows_any(node.first_key, node.last_key) ? child : kDeadKey;
    }
    utf8 = record.keys->node(place).utf8;
  }
  if (!record.others) return kDeadKey;
  utf8 = arena_.step(utf8, byte);
  return utf8 == kEmptyExpr ? kDeadKey : kOffTrie | utf8;
}

ByteSet Stepper::loop_bytes(const Head& head) {
  if (head.kind() == HeadKind::kExpr ? arena_.nullable(head.w1) : head.aux() != 0 || head.w2 != 0) return {};
  ByteSet loop = arena_.loop_bytes(head.w1);
  if (head.kind() == HeadKind::kText) {
    loop &= ByteSet::range(0x20, 0x7F);
    loop.erase('\\');
    loop.erase(static_cast<std::uint8_t>(notation_->quote));
  }
  return loop;
}

std::uint32_t Stepper::step_key_text(const RecordInfo& record, std::uint32_t place, std::string_view written) {
  KeyInner inner{*this, record, place};
  std::uint32_t aux = 0;
  for (const char c : written) {
    if (step_quoted(inner, aux, static_cast<std::uint8_t>(c), notation_->quote, notation_->any_escape) !=
        QuotedStep::kAlive)
      return kDeadKey;
  }
  return aux == 0 ? inner.place : kDeadKey;
}

std::uint32_t Stepper::key_label(const RecordInfo& record, std::uint32_t place) const {
  const std::uint32_t other = record.others ? kOtherKey : kNotAKey;
  if ((place & kOffTrie) != 0) return other;
  const std::uint32_t key = record.keys->key_at(place);
  if (key == KeySet::kNone) return other;
  return record.allows(key) ? key : kNotAKey;
}

void Stepper::step_key_head(const Item& item, std::uint8_t byte, Items& out) {
  const RecordInfo& record = structures_->record(item.head.w1);
  KeyInner inner{*this, record, item.head.w2};
  std::uint32_t aux = item.head.aux();
  switch (step_quoted(inner, aux, byte, notation_->quote, notation_->any_escape)) {
    case QuotedStep::kDead: return;
    case QuotedStep::kAlive:
      out.push_back({Head::make(HeadKind::kKey, aux, item.head.w1, inner.place), item.rest});
      return;
    case QuotedStep::kEnd:
      out.push_back(
          {Head::make(HeadKind::kRecord, phase_aux(Phase::kAfterKey), item.head.w1, key_label(record, item.head.w2)),
           item.rest});
      return;
  }
}

// After the quote that begins a key. A key of a class is a text like any other, followed by what follows the key.
void Stepper::push_keys(RecordId id, const RecordInfo& record, StateId rest, Items& out) {
  if (record.others || record.allows_any(0, static_cast<std::uint32_t>(record.keys->keys().size()))) {
    out.push_back({Head::make(HeadKind::kKey, 0, id, 0), rest});
  }
  for (std::uint32_t i = 0; i < record.classes.size(); ++i) {
    const StateId after =
        store_.intern_one({Head::make(HeadKind::kRecord, phase_aux(Phase::kAfterKey), id, kFirstKeyClass + i), rest});
    out.push_back({Head::make(HeadKind::kText, 0, record.classes[i].content, record.classes[i].counter), after});
  }
}

// White space between signs, which may come where it is flexible, up to its bound. False: it may not.
bool Stepper::step_space(const Item& item, std::uint8_t byte, Items& out) {
  if (!notation_->flexible_space || !notation_->space.contains(byte)) return false;
  if (notation_->longest_space == kUnbounded) {
    out.push_back(item);
    return true;
  }
  const std::uint32_t taken = progress_of(item.head);
  if (taken >= notation_->longest_space) return false;
  out.push_back({with_progress(item.head, taken + 1), item.rest});
  return true;
}

// Reads a separator byte by byte. `finished` turns true when it is complete; otherwise the head with its new progress
// is pushed.
bool Stepper::step_separator(const Item& item, const std::string& separator, std::uint8_t byte, Items& out,
                             bool& finished) {
  const std::uint32_t offset = notation_->flexible_space ? 0 : progress_of(item.head);
  if (byte != static_cast<std::uint8_t>(separator[offset])) return false;
  finished = offset + 1 == separator.size();
  if (!finished) out.push_back({with_progress(item.head, offset + 1), item.rest});
  return true;
}

void Stepper::push_members(RecordId id, std::uint32_t label, StateId rest, Items& out) {
  for (const Member& member : structures_->members(id, label)) {
    const StateId after =
        store_.intern_one({Head::make(HeadKind::kRecord, phase_aux(Phase::kAfterValue), member.next, 0), rest});
    out.push_back({Head::make(HeadKind::kValue, 0, member.value, 0), after});
  }
}

void Stepper::step_record(const Item& item, std::uint8_t byte, Items& out) {
  const Head& head = item.head;
  if (step_space(item, byte, out)) return;
  bool finished = false;
  if (phase_of(head) == Phase::kAfterKey) {
    if (step_separator(item, notation_->key_separator, byte, out, finished) && finished) {
      push_members(head.w1, head.w2, item.rest, out);
    }
    return;
  }
  if (notation_->indent) {
    step_lined_record(item, byte, out);
    return;
  }
  const RecordInfo& record = structures_->record(head.w1);
  const std::uint32_t offset = notation_->flexible_space ? 0 : progress_of(head);
  const bool at_key = phase_of(head) != Phase::kAfterValue;
  if (offset == 0 && byte == static_cast<std::uint8_t>(notation_->record_close) && record.may_close &&
      phase_of(head) != Phase::kAfterSeparator) {
    ended_.push_back(item.rest);
  }
  if (!record.may_continue) return;
  if (at_key) {
    if (byte == static_cast<std::uint8_t>(notation_->quote)) push_keys(head.w1, record, item.rest, out);
  } else if (step_separator(item, notation_->item_separator, byte, out, finished) && finished) {
    out.push_back({Head::make(HeadKind::kRecord, phase_aux(Phase::kAfterSeparator), head.w1, 0), item.rest});
  }
}

void Stepper::push_list_steps(const ListInfo& info, bool unknown, StateId rest, Items& out) {
  for (const ListStep& step : info.steps) {
    const bool captured = step.captured || unknown;
    const Phase phase = captured ? Phase::kAfterItem : Phase::kAfterValue;
    const CaptureId begin = !captured ? 0 : unknown ? CaptureTree::kUnknown : capture_now();
    const StateId after = store_.intern_one({Head::make(HeadKind::kList, phase_aux(phase), step.next, begin), rest});
    out.push_back({Head::make(HeadKind::kValue, 0, step.value, 0), after});
  }
}

void Stepper::push_list_item(ListId id, const ListInfo& info, std::uint32_t count, StateId rest, Items& out) {
  const std::uint32_t next = std::min(count + 1, info.saturation());
  const StateId after = store_.intern_one({Head::make(HeadKind::kList, phase_aux(Phase::kAfterValue), id, next), rest});
  out.push_back({Head::make(HeadKind::kValue, 0, info.item(count), 0), after});
}

void Stepper::step_list(const Item& item, std::uint8_t byte, Items& out) {
  const Head& head = item.head;
  if (step_space(item, byte, out)) return;
  const bool separated = byte == static_cast<std::uint8_t>(notation_->item_separator.front());
  if (phase_of(head) == Phase::kAfterItem && separated && (notation_->flexible_space || progress_of(head) == 0)) {
    const Head now = after_item(head);
    if (now != head) {
      step_list({now, item.rest}, byte, out);
      return;
    }
  }
  if (notation_->indent) {
    step_lined_list(item, byte, out);
    return;
  }
  const std::uint32_t offset = notation_->flexible_space ? 0 : progress_of(head);
  const ListInfo& info = structures_->list(head.w1);
  const std::uint32_t count = head.w2;
  const bool may_close = info.stepwise ? info.may_close : count >= info.min_items;
  if (offset == 0 && byte == static_cast<std::uint8_t>(notation_->list_close) && may_close) {
    ended_.push_back(item.rest);
  }
  const bool more = info.stepwise ? !info.steps.empty() : info.has_item(count);
  if (phase_of(head) == Phase::kAfterOpen || !more) return;
  bool finished = false;
  if (!step_separator(item, notation_->item_separator, byte, out, finished) || !finished) return;
  if (info.stepwise) {
    push_list_steps(info, phase_of(head) == Phase::kAfterItem, item.rest, out);
  } else {
    push_list_item(head.w1, info, count, item.rest, out);
  }
}

void Stepper::step_value(const Item& item, std::uint8_t byte, Items& out) {
  if (step_space(item, byte, out)) return;
  const ValueInfo& value = structures_->value(item.head.w1);
  if (value.scalar != kEmptyExpr) step_expr(value.scalar, item.rest, byte, out);
  if (byte == static_cast<std::uint8_t>(notation_->quote)) {
    for (const TextInfo& text : value.texts) {
      out.push_back({Head::make(HeadKind::kText, 0, text.content, text.counter), item.rest});
    }
  }
  if (byte == static_cast<std::uint8_t>(notation_->record_open)) {
    const StateId rest = notation_->indent ? inside(item.rest) : item.rest;
    for (const RecordId id : value.records) {
      out.push_back({Head::make(HeadKind::kRecord, phase_aux(Phase::kAfterOpen), id, 0), rest});
    }
  }
  if (byte == static_cast<std::uint8_t>(notation_->list_open)) {
    for (const ListId id : value.lists) {
      if (notation_->indent) {
        out.push_back({Head::make(HeadKind::kList, phase_aux(Phase::kAfterOpen), id, 0), inside(item.rest)});
        continue;
      }
      const ListInfo& info = structures_->list(id);
      // The first item reads its own white space; this head is there to close an empty list.
      if (info.stepwise ? info.may_close : info.min_items == 0) {
        out.push_back({Head::make(HeadKind::kList, phase_aux(Phase::kAfterOpen), id, 0), item.rest});
      }
      if (info.stepwise) {
        push_list_steps(info, false, item.rest, out);
      } else if (info.has_item(0)) {
        push_list_item(id, info, 0, item.rest, out);
      }
    }
  }
}

bool Stepper::may_complete(StateId s) const noexcept {
  const auto items = store_.items(s);
  return std::any_of(items.begin(), items.end(), [](const Item& item) { return item.head.kind() == HeadKind::kEnd; });
}

ByteSet Stepper::text_bytes(const Head& head) {
  if (head.aux() != 0) return quoted_bytes(static_cast<QuotedStage>(head.aux() & 0xFU));
  ByteSet bytes = arena_.first_bytes(head.w1);
  bytes.insert('\\');
  return bytes;
}

ByteSet Stepper::first_bytes(const Items& items) {
  ByteSet first;
  for (const Item& item : items) {
    const Head& head = item.head;
    switch (head.kind()) {
      case HeadKind::kExpr: first |= arena_.first_bytes(head.w1); break;
      case HeadKind::kText:
        if (head.aux() == 0) return ByteSet::all();
        first |= quoted_bytes(static_cast<QuotedStage>(head.aux() & 0xFU));
        break;
      case HeadKind::kKey: {
        const RecordInfo& record = structures_->record(head.w1);
        if (head.aux() != 0) {
          const auto stage = static_cast<QuotedStage>(head.aux() & 0xFU);
          first |= record.others ? quoted_bytes(stage)
                                 : quoted_bytes(stage) & escape_bytes(stage, record.keys->edges(head.w2));
          break;
        }
        if (record.others) return ByteSet::all();
        for (const KeySet::Edge& edge : record.keys->edges(head.w2)) first.insert(edge.byte);
        first.insert(static_cast<std::uint8_t>(notation_->quote));
        first.insert('\\');
        break;
      }
      case HeadKind::kSpace: first |= notation_->space; break;
      case HeadKind::kValue: {
        const ValueInfo& value = structures_->value(head.w1);
        if (value.scalar != kEmptyExpr) first |= arena_.first_bytes(value.scalar);
        if (!value.texts.empty()) first.insert(static_cast<std::uint8_t>(notation_->quote));
        if (!value.records.empty()) first.insert(static_cast<std::uint8_t>(notation_->record_open));
        if (!value.lists.empty()) first.insert(static_cast<std::uint8_t>(notation_->list_open));
        if (notation_->flexible_space) first |= notation_->space;
        break;
      }
      case HeadKind::kRecord:
      case HeadKind::kList: {
        if (notation_->flexible_space) first |= notation_->space;
        const bool list = head.kind() == HeadKind::kList;
        const Phase phase = phase_of(head);
        const std::uint32_t offset = notation_->flexible_space ? 0 : progress_of(head);
        if (phase == Phase::kAfterKey) {
          first.insert(static_cast<std::uint8_t>(notation_->key_separator[offset]));
        } else if (notation_->indent) {
          add_line_bytes(head, item.rest, first);
        } else {
          first.insert(static_cast<std::uint8_t>(list ? notation_->list_close : notation_->record_close));
          if (phase == Phase::kAfterValue || phase == Phase::kAfterItem) {
            first.insert(static_cast<std::uint8_t>(notation_->item_separator[offset]));
          } else if (!list) {
            first.insert(static_cast<std::uint8_t>(notation_->quote));
          }
        }
        break;
      }
      case HeadKind::kCapture:
      case HeadKind::kEnd:
      case HeadKind::kRule:
      case HeadKind::kHole:
      case HeadKind::kLevel: break;
    }
  }
  return first;
}

}  // namespace weir
