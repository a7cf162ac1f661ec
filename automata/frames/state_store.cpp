#include "frames/state_store.hpp"

#include <algorithm>

namespace weir {
namespace {

std::uint32_t hash_of(std::span<const Item> items) noexcept {
  std::uint64_t h = items.size();
  for (const Item& item : items) {
    for (const std::uint32_t w : {item.head.w0, item.head.w1, item.head.w2, item.rest}) {
      h = (h ^ w) * 0x9E3779B97F4A7C15ULL;
      h ^= h >> 32U;
    }
  }
  return static_cast<std::uint32_t>(h);
}

}  // namespace

StateStore::StateStore(std::size_t max_bytes) : max_bytes_(max_bytes) {
  spans_.push_back({});
  table_.resize(64);
}

StateId StateStore::intern(Items& items) {
  merge_heads(items);
  return intern_sorted(items);
}

StateId StateStore::intern_one(const Item& item) { return intern_sorted({&item, 1}); }

void StateStore::merge_heads(Items& items) {
  if (items.size() < 2) return;
  std::sort(items.begin(), items.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items.size();) {
    rests_.clear();
    const Head head = items[i].head;
    for (; i < items.size() && items[i].head == head; ++i) rests_.push_back(items[i].rest);
    items[kept++] = {head, unite(rests_)};
  }
  items.resize(kept);
}

// All at once: uniting two at a time would intern every union on the way.
StateId StateStore::unite(std::vector<StateId>& states) {
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  if (states.size() == 1) return states.front();
  united_.clear();
  for (const StateId s : states) united_.insert(united_.end(), items(s).begin(), items(s).end());
  std::sort(united_.begin(), united_.end());
  united_.erase(std::unique(united_.begin(), united_.end()), united_.end());
  return intern_sorted(united_);
}

StateId StateStore::intern_sorted(std::span<const Item> items) {
  if (items.empty()) return kDeadState;
  const std::uint32_t hash = hash_of(items);
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash & mask;
  for (; table_[slot] != 0; slot = (slot + 1) & mask) {
    const Span& span = spans_[table_[slot]];
    if (span.hash == hash && span.count == items.size() &&
        std::equal(items.begin(), items.end(), items_.begin() + span.first)) {
      return table_[slot];
    }
  }
  if (memory_bytes() > max_bytes_) {
    exhausted_ = true;
    return kDeadState;
  }
  const auto id = static_cast<StateId>(spans_.size());
  Span span;
  span.first = static_cast<std::uint32_t>(items_.size());
  span.count = static_cast<std::uint32_t>(items.size());
  span.hash = hash;
  items_.insert(items_.end(), items.begin(), items.end());
  spans_.push_back(span);
  table_[slot] = id;
  if (spans_.size() * 2 > table_.size()) grow_table();
  return id;
}

void StateStore::grow_table() {
  table_.assign(table_.size() * 2, 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t id = 1; id < spans_.size(); ++id) {
    std::size_t slot = spans_[id].hash & mask;
    while (table_[slot] != 0) slot = (slot + 1) & mask;
    table_[slot] = static_cast<StateId>(id);
  }
}

CaptureId StateStore::extend(CaptureId capture, std::uint8_t byte) {
  const auto [it, fresh] = capture_ids_.try_emplace((std::uint64_t{capture} << 8U) | byte, 0);
  if (fresh) {
    it->second = static_cast<CaptureId>(captures_.size());
    captures_.push_back({capture, byte});
  }
  return it->second;
}

bool StateStore::captured(CaptureId begin, CaptureId end, std::string& out) const {
  out.clear();
  for (; end != begin; end = captures_[end].parent) {
    if (end <= kUnknown) return false;
    out += static_cast<char>(captures_[end].byte);
  }
  std::reverse(out.begin(), out.end());
  return true;
}

std::uint8_t StateStore::capture_facts(StateId s) {
  if (s < capture_facts_.size() && capture_facts_[s] != 0) return capture_facts_[s];
  std::uint8_t facts = kCaptureFactsKnown;
  for (std::uint32_t i = 0; i < spans_[s].count; ++i) {
    const Item item = items_[spans_[s].first + i];
    if (is_after_item(item.head)) {
      facts |= item.head.w2 == kUnknown ? kCaptures | kCapturesUnknown : kCaptures;
    }
    if (item.rest != kDeadState) facts |= capture_facts(item.rest);
  }
  if (s >= capture_facts_.size()) capture_facts_.resize(spans_.size());
  return capture_facts_[s] = facts;
}

std::size_t StateStore::memory_bytes() const noexcept {
  constexpr std::size_t kCaptureBytes = sizeof(CaptureNode) + 48;  // with its entry in the table
  return captures_.size() * kCaptureBytes + capture_facts_.capacity() + items_.capacity() * sizeof(Item) + spans_.capacity() * sizeof(Span) + table_.capacity() * sizeof(StateId);
}

}  // namespace weir
