#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "schema/compiled.hpp"

namespace weir::schema {
namespace {

// A list for each index, all of them in one array.
template <class T>
class Lists {
 public:
  explicit Lists(std::size_t size) : first_(size, kEnd) {}
  void add(std::uint32_t list, const T& item) {
    items_.push_back({item, first_[list]});
    first_[list] = static_cast<std::uint32_t>(items_.size() - 1);
  }
  template <class Visit>
  void for_each(std::uint32_t list, Visit&& visit) const {
    for (std::uint32_t at = first_[list]; at != kEnd; at = items_[at].next) visit(items_[at].item);
  }

 private:
  static constexpr std::uint32_t kEnd = 0xFFFFFFFF;
  struct Link {
    T item;
    std::uint32_t next;
  };
  std::vector<std::uint32_t> first_;
  std::vector<Link> items_;
};

// The least fixpoint, by a worklist: each value that turns alive tells the shapes that wait for it, and each shape that
// turns alive tells the values that may be it.
class Liveness {
 public:
  explicit Liveness(CompiledSchema& schema)
      : schema_(&schema),
        shape_users_(schema.values.size()),
        record_users_(schema.records.size()),
        list_users_(schema.lists.size()),
        records_(schema.records.size()),
        lists_(schema.lists.size()) {}

  void run() {
    for (ShapeId id = 0; id < records_.size(); ++id) watch_record(id);
    for (ShapeId id = 0; id < lists_.size(); ++id) watch_list(id);
    for (ValueId id = 0; id < schema_->values.size(); ++id) {
      const ValueSpec& value = schema_->values[id];
      for (const ShapeId shape : value.records) record_users_.add(shape, id);
      for (const ShapeId shape : value.lists) list_users_.add(shape, id);
    }
    for (ValueId id = 0; id < schema_->values.size(); ++id) {
      const ValueSpec& value = schema_->values[id];
      if (value.scalar != kEmptyExpr || value.number != kNoNumber || !value.texts.empty() || !value.strings.empty())
        enliven(id);
    }
    for (ShapeId id = 0; id < records_.size(); ++id) check_record(id);
    for (ShapeId id = 0; id < lists_.size(); ++id) check_list(id);
    while (!pending_.empty()) {
      const ValueId id = pending_.back();
      pending_.pop_back();
      shape_users_.for_each(id, [&](const Use& use) { notify(use); });
    }
  }

 private:
  enum class Role : std::uint8_t { kRequired, kOptional, kOther, kItem };
  struct Use {
    ShapeId shape;
    Role role;
  };
  // What a shape still waits for.
  struct Waiting {
    std::uint32_t unmet = 0;  // required members, or items that must be there
    std::uint32_t keys = 0;   // listed keys that may come
    bool others = false;
    bool impossible = false;
  };

  void watch_record(ShapeId id) {
    const RecordShape& shape = schema_->records[id];
    Waiting& waiting = records_[id];
    std::uint32_t required = 0;
    for (const KeySpec& key : shape.keys) {
      if (key.required) {
        ++required;
        ++waiting.unmet;
        if (key.value == kNoValue) waiting.impossible = true;
      }
      if (key.value != kNoValue) {
        shape_users_.add(key.value, {id, key.required ? Role::kRequired : Role::kOptional});
      }
    }
    if (shape.others != kNoValue) shape_users_.add(shape.others, {id, Role::kOther});
    if (shape.min_members > shape.max_members || required > shape.max_members) waiting.impossible = true;
  }

  void watch_list(ShapeId id) {
    const ListShape& shape = schema_->lists[id];
    Waiting& waiting = lists_[id];
    const auto prefix = static_cast<std::uint32_t>(shape.prefix.size());
    for (std::uint32_t i = 0; i < std::min(prefix, shape.min_items); ++i) wait_for_item(id, shape.prefix[i], waiting);
    if (shape.min_items > prefix) wait_for_item(id, shape.rest, waiting);
    if (shape.min_items > shape.max_items) waiting.impossible = true;
  }

  void wait_for_item(ShapeId list, ValueId item, Waiting& waiting) {
    ++waiting.unmet;
    if (item == kNoValue) {
      waiting.impossible = true;
    } else {
      shape_users_.add(item, {list, Role::kItem});
    }
  }

  void notify(const Use& use) {
    if (use.role == Role::kItem) {
      --lists_[use.shape].unmet;
      check_list(use.shape);
      return;
    }
    Waiting& waiting = records_[use.shape];
    if (use.role == Role::kRequired) --waiting.unmet;
    if (use.role == Role::kOther) {
      waiting.others = true;
    } else {
      ++waiting.keys;
    }
    check_record(use.shape);
  }

  void check_record(ShapeId id) {
    RecordShape& shape = schema_->records[id];
    const Waiting& waiting = records_[id];
    if (shape.alive || waiting.impossible || waiting.unmet > 0) return;
    if (!waiting.others && waiting.keys < shape.min_members) return;
    shape.alive = true;
    record_users_.for_each(id, [&](ValueId user) { enliven(user); });
  }

  void check_list(ShapeId id) {
    ListShape& shape = schema_->lists[id];
    if (shape.alive || lists_[id].impossible || lists_[id].unmet > 0) return;
    shape.alive = true;
    list_users_.for_each(id, [&](ValueId user) { enliven(user); });
  }

  void enliven(ValueId id) {
    ValueSpec& value = schema_->values[id];
    if (value.alive) return;
    value.alive = true;
    pending_.push_back(id);
  }

  CompiledSchema* schema_;
  Lists<Use> shape_users_;       // by value
  Lists<ValueId> record_users_;  // by record shape
  Lists<ValueId> list_users_;
  std::vector<Waiting> records_;
  std::vector<Waiting> lists_;
  std::vector<ValueId> pending_;
};

struct ValueHash {
  std::size_t operator()(const ValueSpec* value) const noexcept {
    std::uint64_t hash = (std::uint64_t{value->number} << 32U) | value->scalar;
    const auto mix = [&](std::uint64_t v) {
      hash = (hash ^ v) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 29U;
    };
    for (const TextSpec& text : value->texts) {
      mix(text.content);
      mix(text.format.size());
      mix((std::uint64_t{text.min_length} << 32U) | text.max_length);
    }
    std::uint64_t strings = 0;  // in any order
    for (const std::string_view text : value->strings) strings += std::hash<std::string_view>()(text);
    mix(strings);
    for (const ShapeId shape : value->records) mix(shape + 1);
    mix(0);
    for (const ShapeId shape : value->lists) mix(shape + 1);
    return hash;
  }
};

struct ValueEqual {
  bool operator()(const ValueSpec* a, const ValueSpec* b) const {
    return a->scalar == b->scalar && a->number == b->number && a->texts == b->texts && a->records == b->records &&
           a->lists == b->lists && same_strings(a->strings, b->strings);
  }
  static bool same_strings(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    if (a == b || a.size() != b.size()) return a == b;
    std::vector<std::string_view> sorted_a(a);
    std::vector<std::string_view> sorted_b(b);
    std::sort(sorted_a.begin(), sorted_a.end());
    std::sort(sorted_b.begin(), sorted_b.end());
    return sorted_a == sorted_b;
  }
};

}  // namespace

bool settle(CompiledSchema& schema) {
  Liveness(schema).run();
  if (!schema.values[schema.root].alive) return false;
  // Values that mean the same become the first of them.
  std::vector<ValueId> same(schema.values.size(), kNoValue);
  std::vector<ValueId> table(std::bit_ceil(schema.values.size() * 2), kNoValue);
  const auto first_same = [&](ValueId id) {
    std::size_t at = ValueHash()(&schema.values[id]) & (table.size() - 1);
    for (; table[at] != kNoValue; at = (at + 1) & (table.size() - 1)) {
      if (ValueEqual()(&schema.values[id], &schema.values[table[at]])) return table[at];
    }
    return table[at] = id;
  };
  for (ValueId id = 0; id < schema.values.size(); ++id) {
    ValueSpec& value = schema.values[id];
    if (!value.alive) continue;
    std::erase_if(value.records, [&](ShapeId shape) { return !schema.records[shape].alive; });
    std::erase_if(value.lists, [&](ShapeId shape) { return !schema.lists[shape].alive; });
    same[id] = first_same(id);
  }
  const auto settled = [&](ValueId id) { return id == kNoValue ? kNoValue : same[id]; };
  for (RecordShape& shape : schema.records) {
    for (KeySpec& key : shape.keys) key.value = settled(key.value);
    shape.others = settled(shape.others);
  }
  for (ListShape& shape : schema.lists) {
    for (ValueId& item : shape.prefix) item = settled(item);
    shape.rest = settled(shape.rest);
    const auto dead = std::find(shape.prefix.begin(), shape.prefix.end(), kNoValue);
    const auto length = static_cast<std::uint32_t>(dead - shape.prefix.begin());
    if (dead != shape.prefix.end() || shape.rest == kNoValue) shape.max_items = std::min(shape.max_items, length);
    shape.prefix.erase(dead, shape.prefix.end());
    if (shape.max_items <= shape.prefix.size()) {
      shape.prefix.resize(shape.max_items);
      shape.rest = kNoValue;
    }
  }
  schema.root = settled(schema.root);
  return true;
}

std::string explain_dead(const CompiledSchema& schema) {
  constexpr unsigned kMaxSteps = 8;
  std::string path;
  ValueId at = schema.root;
  for (unsigned steps = 0; steps < kMaxSteps; ++steps) {
    const ValueSpec& value = schema.values[at];
    const std::string where = path.empty() ? "the value" : fmt::format("the value at {}", path);
    if (value.records.empty() && value.lists.empty()) {
      return where + " can have no type, or its bounds, lengths, patterns or listed values exclude each other";
    }
    if (value.records.empty()) return where + " is a list that must have an item for which nothing is allowed";
    const RecordShape& shape = schema.records[value.records.front()];
    const KeySpec* culprit = nullptr;
    for (const KeySpec& key : shape.keys) {
      if (key.required && (key.value == kNoValue || !schema.values[key.value].alive)) culprit = &key;
      if (culprit != nullptr) break;
    }
    if (culprit == nullptr) return where + " is an object whose numbers of members exclude each other";
    path += fmt::format("/{}", culprit->name);
    if (culprit->value == kNoValue)
      return fmt::format("the property at {} is required and nothing is allowed there", path);
    at = culprit->value;
  }
  return "required properties need each other without end, from " + path + " on";
}

}  // namespace weir::schema
