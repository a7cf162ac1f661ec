#include "weir/grammar/structure.hpp"

#include <algorithm>

namespace weir {

KeySet::KeySet(std::vector<std::string> keys, ExprArena& arena) : keys_(std::move(keys)) {
  std::sort(keys_.begin(), keys_.end());
  // Breadth first, so that the edges of one node lie together; a node is its range of keys and its depth.
  Node root;
  root.last_key = static_cast<std::uint32_t>(keys_.size());
  root.utf8 = arena.any_text();
  nodes_.push_back(root);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    Node at = nodes_[n];
    at.first_edge = static_cast<std::uint32_t>(edges_.size());
    for (std::uint32_t k = at.first_key; k < at.last_key;) {
      if (keys_[k].size() == at.depth) {
        ++k;  // the key that ends here
        continue;
      }
      const char byte = keys_[k][at.depth];
      std::uint32_t end = k + 1;
      while (end < at.last_key && keys_[end][at.depth] == byte) ++end;
      edges_.push_back({static_cast<std::uint8_t>(byte), static_cast<std::uint32_t>(nodes_.size())});
      Node child;
      child.first_key = k;
      child.last_key = end;
      child.depth = at.depth + 1;
      child.utf8 = arena.step(at.utf8, static_cast<std::uint8_t>(byte));
      nodes_.push_back(child);
      k = end;
    }
    at.last_edge = static_cast<std::uint32_t>(edges_.size());
    nodes_[n] = at;
  }
}

std::uint32_t KeySet::find(std::string_view key) const {
  const auto it = std::lower_bound(keys_.begin(), keys_.end(), key);
  return it != keys_.end() && *it == key ? static_cast<std::uint32_t>(it - keys_.begin()) : kNone;
}

std::uint32_t KeySet::child(std::uint32_t n, std::uint8_t byte) const noexcept {
  for (const Edge& edge : edges(n)) {
    if (edge.byte == byte) return edge.target;
  }
  return kNone;
}

bool RecordInfo::allows_any(std::uint32_t first, std::uint32_t last) const noexcept {
  for (std::uint32_t word = first >> 6U; first < last; ++word) {
    const std::uint32_t end = std::min(last, (word + 1) << 6U);
    const std::uint32_t count = end - first;
    const std::uint64_t ones = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    if ((allowed[word] & (ones << (first & 63U))) != 0) return true;
    first = end;
  }
  return false;
}

StructureSource::MemberList::~MemberList() {
  for (MemberEntry* entry = head.load(std::memory_order_relaxed); entry != nullptr;) {
    MemberEntry* next = entry->next.load(std::memory_order_relaxed);
    delete entry;
    entry = next;
  }
}

std::span<const Member> StructureSource::members(RecordId id, std::uint32_t label) {
  const auto find = [&]() -> const MemberEntry* {
    if (id >= member_lists_.size()) return nullptr;
    const MemberEntry* entry = member_lists_[id].head.load(std::memory_order_acquire);
    while (entry != nullptr && entry->label != label) entry = entry->next.load(std::memory_order_acquire);
    return entry;
  };
  if (const MemberEntry* entry = find()) return entry->members;
  const std::lock_guard lock(mutex_);
  if (const MemberEntry* entry = find()) return entry->members;
  auto fresh = std::make_unique<MemberEntry>();
  fresh->label = label;
  expand_members(id, label, fresh->members);
  member_lists_.resize_at_least(id + 1);
  fresh->next.store(member_lists_[id].head.load(std::memory_order_relaxed), std::memory_order_relaxed);
  member_lists_[id].head.store(fresh.get(), std::memory_order_release);
  return fresh.release()->members;
}

CounterId StructureSource::add_counter(std::uint32_t min, std::uint32_t max) {
  if (min == 0 && max == kUnbounded) return 0;
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    if (counters_[i].min == min && counters_[i].max == max) return counters_[i].first;
  }
  const std::uint64_t size = std::uint64_t{max == kUnbounded ? min : max} + 1;
  if (size > std::uint64_t{kNoCounter} - next_counter_) return kNoCounter;
  const CounterId first = next_counter_;
  next_counter_ += static_cast<CounterId>(size);
  counters_.push_back({first, min, max});
  return first;
}

LengthCounter StructureSource::counter(CounterId id) const noexcept {
  if (id == 0) return {};
  // The last block that starts at or before the id.
  std::size_t low = 0;
  std::size_t high = counters_.size();
  while (high - low > 1) {
    const std::size_t mid = (low + high) / 2;
    (counters_[mid].first <= id ? low : high) = mid;
  }
  const CounterBlock& block = counters_[low];
  const std::uint32_t seen = id - block.first;
  return {block.min > seen ? block.min - seen : 0, block.max == kUnbounded ? kUnbounded : block.max - seen};
}

}  // namespace weir
