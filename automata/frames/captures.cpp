// Lists whose items are captured: what an item was decides what comes after it. See head.hpp.
#include <algorithm>

#include "frames/stepper.hpp"

namespace weir {
namespace {

constexpr unsigned kDeepest = 6;       // of values within values, and members in a row, that are looked at
constexpr std::uint32_t kLabels = 64;  // keys of one object that are looked at

}  // namespace

CaptureId Stepper::capture_now() {
  if (now_ != kNoCapture) return now_;
  CaptureId before = capture_;
  if (before == kNoCapture) {
    // Below a captured item whose text nobody passed on, another text begins.
    const bool within =
        std::any_of(stepped_->begin(), stepped_->end(), [&](const Item& item) { return store_.captures(item); });
    before = within ? CaptureTree::kWithinText : CaptureTree::kFirst;
  }
  return now_ = store_.captures().extend(before, byte_);
}

Head Stepper::after_item(const Head& head) {
  if (head.w2 == CaptureTree::kUnknown) return head;
  if (capture_ == kNoCapture || !store_.captures().read(head.w2, capture_, captured_)) {
    return Head::make(HeadKind::kList, head.aux(), head.w1, CaptureTree::kUnknown);
  }
  return Head::make(HeadKind::kList, phase_aux(Phase::kAfterValue), structures_->list_after(head.w1, captured_), 0);
}

// The text goes on as long as some item needs it.
void Stepper::close_captures(Items& out) {
  if (std::any_of(out.begin(), out.end(), [&](const Item& item) { return store_.captures(item); })) {
    out.push_back({Head::make(HeadKind::kCapture, 0, capture_now(), 0), kDeadState});
  }
}

bool Stepper::is_doubtful(const Items& items) {
  return std::any_of(items.begin(), items.end(), [&](const Item& item) {
    return item.head.kind() != HeadKind::kCapture && store_.captures_unknown(item) && !several_item(item, 0);
  });
}

// Is what comes before the end of the unknown item more than one thing?
bool Stepper::several_item(const Item& item, unsigned depth) {
  if (StateStore::is_after_unknown(item.head)) return false;
  if (several_head(item.head, 0)) return true;
  if (depth == kDeepest) return false;
  const auto count = static_cast<std::uint32_t>(store_.items(item.rest).size());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (several_item(store_.items(item.rest)[i], depth + 1)) return true;
  }
  return false;
}

bool Stepper::several_head(const Head& head, unsigned depth) {
  const bool structure = head.kind() == HeadKind::kRecord || head.kind() == HeadKind::kList;
  if (depth == kDeepest || (structure && phase_of(head) == Phase::kBeforeClose)) return false;
  switch (head.kind()) {
    case HeadKind::kValue: return structures_->several(head.w1);
    case HeadKind::kText: return head.aux() == 0 && several_texts(head.w1, head.w2);
    case HeadKind::kKey: {
      const RecordInfo& record = structures_->record(head.w1);
      if (record.others) return true;
      const KeySet::Node& node = record.keys->node(head.w2);
      return several_keys(head.w1, node.first_key, node.last_key, depth);
    }
    case HeadKind::kRecord: {
      if (phase_of(head) == Phase::kAfterKey) return several_members(head.w1, head.w2, depth);
      const RecordInfo& record = structures_->record(head.w1);
      if (record.others) return true;
      if (record.may_close && record.may_continue && phase_of(head) != Phase::kAfterSeparator) return true;
      return several_keys(head.w1, 0, static_cast<std::uint32_t>(record.keys->keys().size()), depth);
    }
    case HeadKind::kList: {
      const ListInfo& info = structures_->list(head.w1);
      if (info.stepwise) {
        return (info.may_close && !info.steps.empty() && phase_of(head) != Phase::kAfterOpen) ||
               std::any_of(info.steps.begin(), info.steps.end(),
                           [&](const ListStep& step) { return structures_->several(step.value); });
      }
      if (phase_of(head) == Phase::kAfterOpen || !info.has_item(head.w2)) return false;
      return head.w2 >= info.min_items || structures_->several(info.item(head.w2));
    }
    default: return false;
  }
}

bool Stepper::several_texts(ExprId content, CounterId counter) {
  if (counter != 0) {
    return content == arena_.any_text() && structures_->counter(counter).max_left > 0;
  }
  // Every derivative is alive: two ways to go on are two texts.
  for (unsigned steps = 0; steps < 64; ++steps) {
    const ByteSet first = arena_.first_bytes(content);
    if (first.size() > 1 || (!first.empty() && arena_.nullable(content))) return true;
    if (first.empty()) return false;
    content = arena_.step(content, first.first());
  }
  return false;
}

bool Stepper::several_keys(RecordId id, std::uint32_t first, std::uint32_t last, unsigned depth) {
  const RecordInfo& record = structures_->record(id);
  for (std::uint32_t label = first; label < std::min(last, first + kLabels); ++label) {
    if (record.allows(label) && several_members(id, label, depth)) return true;
  }
  for (std::uint32_t i = 0; first == 0 && i < record.classes.size(); ++i) {
    if (several_texts(record.classes[i].content, record.classes[i].counter)) return true;
  }
  return false;
}

bool Stepper::several_members(RecordId id, std::uint32_t label, unsigned depth) {
  for (const Member& member : structures_->members(id, label)) {
    if (structures_->several(member.value)) return true;
    const Head after = Head::make(HeadKind::kRecord, phase_aux(Phase::kAfterValue), member.next, 0);
    if (several_head(after, depth + 1)) return true;
  }
  return false;
}

}  // namespace weir
