#include "frames/state_store.hpp"

#include <algorithm>

namespace weir {
namespace {

constexpr std::size_t kFirstStates = 48;

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
  items_.reserve(kFirstStates);
  spans_.reserve(kFirstStates);
  spans_.push_back({});
  table_.resize(table_size(kFirstStates));
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
  std::size_t slot = hash & (table_.size() - 1);
  for (; table_[slot] != 0; slot = (slot + 1) & (table_.size() - 1)) {
    const Span& span = spans_[table_[slot]];
    if (span.hash == hash && span.count == items.size() &&
        std::equal(items.begin(), items.end(), items_.begin() + span.first)) {
      return table_[slot];
    }
  }
  if (spans_.size() == spans_.capacity() || items.size() > items_.capacity() - items_.size()) {
    if (!make_room(items.size())) {
      exhausted_ = true;
      return kDeadState;
    }
    slot = free_slot(hash);  // the table may be another
  }
  const auto id = static_cast<StateId>(spans_.size());
  Span span;
  span.first = static_cast<std::uint32_t>(items_.size());
  span.count = static_cast<std::uint32_t>(items.size());
  span.hash = hash;
  items_.insert(items_.end(), items.begin(), items.end());
  spans_.push_back(span);
  table_[slot] = id;
  return id;
}

bool StateStore::make_room(std::size_t items) {
  const auto larger = [](std::size_t capacity, std::size_t needed, std::size_t growth) {
    return needed <= capacity ? capacity : std::max(needed, capacity + growth);
  };
  // Twice as much, or what little is left.
  for (const std::size_t part : {1U, 8U}) {
    const std::size_t for_items = larger(items_.capacity(), items_.size() + items, items_.capacity() / part);
    const std::size_t for_spans = larger(spans_.capacity(), spans_.size() + 1, spans_.capacity() / part);
    if (bytes_of(for_items, for_spans) + captures_.memory_bytes() > max_bytes_) continue;
    items_.reserve(for_items);
    if (for_spans > spans_.capacity()) {
      spans_.reserve(for_spans);
      if (table_size(for_spans) > table_.size()) {
        table_.resize(table_size(for_spans));
        fill_table();
      }
    }
    return true;
  }
  return false;
}

std::uint8_t StateStore::capture_facts(StateId s) {
  // What a state rests on was there before it.
  while (capture_facts_.size() <= s) {
    std::uint8_t facts = 0;
    for (const Item& item : items(static_cast<StateId>(capture_facts_.size()))) {
      if (is_after_item(item.head)) facts |= kCaptures;
      if (is_after_unknown(item.head)) facts |= kCapturesUnknown;
      facts |= item.rest < capture_facts_.size() ? capture_facts_[item.rest] : std::uint8_t{0};
    }
    capture_facts_.push_back(facts);
  }
  return capture_facts_[s];
}

std::size_t StateStore::free_slot(std::uint32_t hash) const noexcept {
  std::size_t slot = hash & (table_.size() - 1);
  while (table_[slot] != 0) slot = (slot + 1) & (table_.size() - 1);
  return slot;
}

void StateStore::fill_table() {
  std::fill(table_.begin(), table_.end(), 0);
  for (std::size_t id = 1; id < spans_.size(); ++id) table_[free_slot(spans_[id].hash)] = static_cast<StateId>(id);
}

void StateStore::keep(StateId s) {
  if (renamed_.empty()) renamed_.resize(spans_.size());
  renamed_[s] = 1;
}

void StateStore::drop_others() {
  renamed_.resize(spans_.size());
  // What a state rests on was there before it, so going back every state is known to be needed when its turn comes.
  for (std::size_t id = spans_.size(); id-- > 1;) {
    if (renamed_[id] == 0) continue;
    for (const Item& item : items(static_cast<StateId>(id))) renamed_[item.rest] = 1;
  }
  renamed_[kDeadState] = kDeadState;
  drop_other_captures();
  std::uint32_t first = 0;
  StateId next = 1;
  for (std::size_t id = 1; id < spans_.size(); ++id) {
    if (renamed_[id] == 0) continue;
    const Span from = spans_[id];
    for (std::uint32_t i = 0; i < from.count; ++i) {
      Item item = items_[from.first + i];
      item.rest = renamed_[item.rest];
      items_[first + i] = item;
    }
    const auto kept = std::span<const Item>(items_).subspan(first, from.count);
    spans_[next] = {first, from.count, 0, hash_of(kept)};
    first += from.count;
    renamed_[id] = next++;
  }
  items_.resize(first);
  spans_.resize(next);
  fill_table();
  exhausted_ = false;
}

// The texts that no kept state is about. Heads keep their order.
void StateStore::drop_other_captures() {
  capture_facts_.clear();
  const auto each = [&](auto&& visit) {
    for (std::size_t id = 1; id < spans_.size(); ++id) {
      if (renamed_[id] == 0) continue;
      for (std::uint32_t i = 0; i < spans_[id].count; ++i) {
        Head& head = items_[spans_[id].first + i].head;
        if (head.kind() == HeadKind::kCapture) visit(head.w1);
        if (is_after_item(head)) visit(head.w2);
      }
    }
  };
  each([&](CaptureId& capture) { captures_.keep(capture); });
  captures_.drop_others();
  each([&](CaptureId& capture) { capture = captures_.renamed(capture); });
  captures_.end_collection();
}

void StateStore::end_collection() { renamed_ = {}; }

void StateStore::shrink() {
  items_.shrink_to_fit();
  spans_.shrink_to_fit();
  table_ = std::vector<StateId>(table_size(spans_.capacity()));
  fill_table();
}

}  // namespace weir
