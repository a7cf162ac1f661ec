// Structures whose members and items stand on lines of their own, indented by level, as pretty-printers write them.
//
// How deep a record or list lies is written below it: its continuation is a kLevel item on top of what follows. All
// items of a state have read the same text and lie equally deep, so any of them tells the level.
#include <string>

#include "frames/stepper.hpp"

namespace weir {
namespace {

constexpr std::uint8_t kLineBreak = '\n';
constexpr std::uint8_t kBlank = ' ';

std::uint8_t line_byte(std::uint32_t offset) { return offset == 0 ? kLineBreak : kBlank; }

}  // namespace

// What follows a structure that opens here, in front of `rest`.
StateId Stepper::inside(StateId rest) {
  const Item& around = store_.items(rest).front();
  std::uint32_t level = 0;
  if (around.head.kind() == HeadKind::kRecord || around.head.kind() == HeadKind::kList) {
    level = store_.items(around.rest).front().head.w1 + 1;
  }
  return store_.intern_one({Head::make(HeadKind::kLevel, 0, level, 0), rest});
}

// The structure above `rest` is closed.
void Stepper::end_structure(StateId rest) {
  for (const Item& level : store_.items(rest)) ended_.push_back(level.rest);
}

// Of the break and the blanks in front of the structure's members or items, or of the sign that closes it.
std::uint32_t Stepper::line_length(StateId rest, bool inner) const {
  const std::uint32_t level = store_.items(rest).front().head.w1;
  return 1 + *notation_->indent * (inner ? level + 1 : level);
}

// One byte of what stands between the structure's opening or a value, and the next member or item. True: that was the
// last one.
bool Stepper::step_to_next(const Item& item, std::uint8_t byte, Items& out) {
  const std::uint32_t offset = progress_of(item.head);
  const std::string& separator = notation_->item_separator;
  const auto skipped =
      phase_of(item.head) == Phase::kAfterOpen ? std::uint32_t{0} : static_cast<std::uint32_t>(separator.size());
  const std::uint8_t expected =
      offset < skipped ? static_cast<std::uint8_t>(separator[offset]) : line_byte(offset - skipped);
  if (byte != expected) return false;
  if (offset + 1 == skipped + line_length(item.rest, true)) return true;
  out.push_back({with_progress(item.head, offset + 1), item.rest});
  return false;
}

// One byte of what stands between a value and the sign that closes the structure.
void Stepper::step_to_close(const Item& item, char close, std::uint8_t byte, Items& out) {
  const std::uint32_t offset = progress_of(item.head);
  if (offset == line_length(item.rest, false)) {
    if (byte == static_cast<std::uint8_t>(close)) end_structure(item.rest);
    return;
  }
  if (byte != line_byte(offset)) return;
  out.push_back({Head::make(item.head.kind(), phase_aux(Phase::kBeforeClose, offset + 1), item.head.w1, item.head.w2),
                 item.rest});
}

void Stepper::step_lined_record(const Item& item, std::uint8_t byte, Items& out) {
  const RecordInfo& record = structures_->record(item.head.w1);
  const bool first = progress_of(item.head) == 0;
  switch (phase_of(item.head)) {
    case Phase::kAfterOpen:
      if (first && record.may_close && byte == static_cast<std::uint8_t>(notation_->record_close)) {
        end_structure(item.rest);
      }
      break;
    case Phase::kAfterValue:
      if (first && record.may_close) step_to_close(item, notation_->record_close, byte, out);
      break;
    case Phase::kAfterSeparator:
      if (byte == static_cast<std::uint8_t>(notation_->quote)) push_keys(item.head.w1, record, item.rest, out);
      return;
    case Phase::kBeforeClose: step_to_close(item, notation_->record_close, byte, out); return;
    case Phase::kAfterKey:  // a separator, the same with lines and without
    case Phase::kAfterItem: return;
  }
  if (record.may_continue && step_to_next(item, byte, out)) {
    out.push_back({Head::make(HeadKind::kRecord, phase_aux(Phase::kAfterSeparator), item.head.w1, 0), item.rest});
  }
}

void Stepper::step_lined_list(const Item& item, std::uint8_t byte, Items& out) {
  if (phase_of(item.head) == Phase::kBeforeClose) {
    step_to_close(item, notation_->list_close, byte, out);
    return;
  }
  const ListInfo& info = structures_->list(item.head.w1);
  const std::uint32_t count = item.head.w2;
  if (progress_of(item.head) == 0 && (info.stepwise ? info.may_close : count >= info.min_items)) {
    if (phase_of(item.head) != Phase::kAfterOpen) {
      step_to_close(item, notation_->list_close, byte, out);
    } else if (byte == static_cast<std::uint8_t>(notation_->list_close)) {
      end_structure(item.rest);
    }
  }
  const bool more = info.stepwise ? !info.steps.empty() : info.has_item(count);
  if (!more || !step_to_next(item, byte, out)) return;
  if (info.stepwise) {
    push_list_steps(info, phase_of(item.head) == Phase::kAfterItem, item.rest, out);
  } else {
    push_list_item(item.head.w1, info, count, item.rest, out);
  }
}

// A superset of the bytes that go on between members or items.
void Stepper::add_line_bytes(const Head& head, StateId rest, ByteSet& first) const {
  const bool list = head.kind() == HeadKind::kList;
  const std::uint32_t offset = progress_of(head);
  const auto close = static_cast<std::uint8_t>(list ? notation_->list_close : notation_->record_close);
  switch (phase_of(head)) {
    case Phase::kAfterOpen:
      if (offset == 0) first.insert(close);
      first.insert(line_byte(offset));
      return;
    case Phase::kAfterItem:
    case Phase::kAfterValue: {
      const std::string& separator = notation_->item_separator;
      if (offset == 0) first.insert(kLineBreak);
      first.insert(offset < separator.size() ? static_cast<std::uint8_t>(separator[offset])
                                             : line_byte(offset - static_cast<std::uint32_t>(separator.size())));
      return;
    }
    case Phase::kBeforeClose: first.insert(offset == line_length(rest, false) ? close : kBlank); return;
    case Phase::kAfterSeparator: first.insert(static_cast<std::uint8_t>(notation_->quote)); return;
    case Phase::kAfterKey: return;
  }
}

}  // namespace weir
