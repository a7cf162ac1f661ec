// A structure source for tests that is written down by hand: each id's meaning is a table entry.
#pragma once

#include <memory>
#include <vector>

#include "weir/grammar/structure.hpp"

namespace weir::testing {

inline Notation json_notation(bool flexible = true) {
  Notation notation;
  for (const char c : {' ', '\t', '\n', '\r'}) notation.space.insert(static_cast<std::uint8_t>(c));
  notation.flexible_space = flexible;
  if (!flexible) {
    notation.item_separator = ", ";
    notation.key_separator = ": ";
  }
  return notation;
}

// Records here take their listed keys in any order and number, each with the value of the same index, other keys with
// `other_value`; a key may not come twice.
class TableSource : public StructureSource {
 public:
  struct Record {
    std::vector<std::string> keys;
    std::vector<ValueId> values;
    ValueId other_value = kNoValue;
  };

  TableSource(ExprArena& arena, Notation notation) : StructureSource(std::move(notation)), arena_(arena) {}

  ValueId value_of(ValueInfo info) {
    values_.push_back(std::move(info));
    return add_value();
  }
  void set_value(ValueId id, ValueInfo info) { values_[id] = std::move(info); }
  ListId list_of(ListInfo info) {
    lists_.push_back(std::move(info));
    return add_list();
  }
  RecordId record_of(Record record) {
    key_sets_.push_back(std::make_unique<KeySet>(record.keys, arena_));
    shapes_.push_back(std::move(record));
    return state_of(shapes_.size() - 1, 0);
  }
  CounterId counter_of(std::uint32_t min, std::uint32_t max) { return add_counter(min, max); }

 protected:
  void expand_value(ValueId id, ValueInfo& out) override { out = values_[id]; }
  void expand_list(ListId id, ListInfo& out) override { out = lists_[id]; }
  void expand_record(RecordId id, RecordInfo& out) override {
    const auto [shape, used] = states_[id];
    out.keys = key_sets_[shape].get();
    const std::size_t n = shapes_[shape].keys.size();
    out.allowed = {~used & ((std::uint64_t{1} << n) - 1)};
    out.others = shapes_[shape].other_value != kNoValue;
    out.may_close = true;
    out.may_continue = out.others || out.allowed[0] != 0;
  }
  void expand_members(RecordId id, std::uint32_t label, std::vector<Member>& out) override {
    const auto [shape, used] = states_[id];
    if (label == kOtherKey) {
      out.push_back({shapes_[shape].other_value, id});
      return;
    }
    const std::string& key = key_sets_[shape]->keys()[label];
    std::size_t listed = 0;
    while (shapes_[shape].keys[listed] != key) ++listed;
    out.push_back({shapes_[shape].values[listed], state_of(shape, used | (std::uint64_t{1} << label))});
  }

 private:
  RecordId state_of(std::size_t shape, std::uint64_t used) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i] == std::pair(shape, used)) return static_cast<RecordId>(i);
    }
    states_.emplace_back(shape, used);
    return add_record();
  }

  ExprArena& arena_;
  std::vector<ValueInfo> values_;
  std::vector<ListInfo> lists_;
  std::vector<Record> shapes_;
  std::vector<std::unique_ptr<KeySet>> key_sets_;
  std::vector<std::pair<std::size_t, std::uint64_t>> states_;
};

}  // namespace weir::testing
