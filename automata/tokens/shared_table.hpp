// A hash table that only grows: any number of threads find what is there without a lock, while one adds. Private to
// automata/.
//
// The slots are pointers to entries, which never move. A table that is full is replaced by a larger one; the old one
// stays, for those who still read it, so that all of them take no more than twice the last.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace weir {

// Thread safety: find() by any thread at any time; the others by one thread at a time (the owner's lock).
template <class Key, class Value, class Hash>
class SharedTable {
 public:
  SharedTable() { add_slots(kFirstSlots); }

  // Null: not there.
  const Value* find(const Key& key) const noexcept {
    const Slots& slots = *slots_.load(std::memory_order_acquire);
    for (std::size_t at = Hash()(key) & slots.mask;; at = (at + 1) & slots.mask) {
      const Entry* entry = slots.entries[at].load(std::memory_order_acquire);
      if (entry == nullptr) return nullptr;
      if (entry->key == key) return entry->value;
    }
  }
  // The value that stands for the key from now on: the one given, or the one that came before it.
  const Value& insert(const Key& key, std::unique_ptr<const Value> value) {
    if (const Value* known = find(key)) return *known;
    values_.push_back(std::move(value));
    return insert_alias(key, *values_.back());
  }
  // The same for a value of this or another table that lives as long.
  const Value& insert_alias(const Key& key, const Value& value) {
    if (const Value* known = find(key)) return *known;
    if ((entries_.size() + 1) * 2 > all_slots_.back()->mask + 1) add_slots(2 * (all_slots_.back()->mask + 1));
    entries_.push_back(std::make_unique<const Entry>(Entry{key, &value}));
    put(*all_slots_.back(), *entries_.back());
    return *entries_.back()->value;
  }
  std::size_t size() const noexcept { return entries_.size(); }
  std::size_t slots_bytes() const noexcept {
    return 2 * (all_slots_.back()->mask + 1) * sizeof(std::atomic<const Entry*>) + entries_.size() * sizeof(Entry);
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& value : values_) visit(*value);
  }

 private:
  static constexpr std::size_t kFirstSlots = 64;
  struct Entry {
    Key key;
    const Value* value;
  };
  struct Slots {
    explicit Slots(std::size_t size) : mask(size - 1), entries(new std::atomic<const Entry*>[size]()) {}
    std::size_t mask;
    std::unique_ptr<std::atomic<const Entry*>[]> entries;
  };
  static void put(Slots& slots, const Entry& entry) {
    std::size_t at = Hash()(entry.key) & slots.mask;
    while (slots.entries[at].load(std::memory_order_relaxed) != nullptr) at = (at + 1) & slots.mask;
    slots.entries[at].store(&entry, std::memory_order_release);
  }
  void add_slots(std::size_t size) {
    auto fresh = std::make_unique<Slots>(size);
    for (const auto& entry : entries_) put(*fresh, *entry);
    slots_.store(fresh.get(), std::memory_order_release);
    all_slots_.push_back(std::move(fresh));
  }

  std::atomic<const Slots*> slots_{nullptr};
  std::vector<std::unique_ptr<Slots>> all_slots_;  // the last one is in use
  std::vector<std::unique_ptr<const Entry>> entries_;
  std::vector<std::unique_ptr<const Value>> values_;
};

}  // namespace weir
