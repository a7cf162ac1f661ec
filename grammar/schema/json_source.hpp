// The structures of a compiled schema, with the states of its objects expanded on demand. Private to grammar/schema.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "schema/compiled.hpp"
#include "weir/grammar/frontends.hpp"
#include "weir/grammar/structure.hpp"

namespace weir::schema {

class JsonSource final : public StructureSource {
 public:
  // Precondition: settle(schema) has run, the root is alive.
  JsonSource(CompiledSchema schema, std::shared_ptr<ExprArena> arena, const JsonSchemaOptions& options);

  ValueId root() const noexcept { return schema_.root; }
  // False: the lengths of all strings together need more counter ids than there are.
  bool counters_fit() const noexcept { return counters_fit_; }

 protected:
  void expand_value(ValueId id, ValueInfo& out) override;
  void expand_record(RecordId id, RecordInfo& out) override;
  void expand_list(ListId id, ListInfo& out) override;
  void expand_members(RecordId id, std::uint32_t label, std::vector<Member>& out) override;

 private:
  // A shape as its states use it. Ranks number the keys that may come at all, in the order of the schema.
  struct Layout {
    std::unique_ptr<KeySet> keys;
    std::vector<std::uint32_t> label_of;     // by rank
    std::vector<ValueId> value_of;           // by rank
    std::vector<std::uint32_t> rank_of;      // by label; KeySet::kNone: never comes
    std::vector<std::uint32_t> next_needed;  // by rank and the end: the first required key from there on, or the end
    std::vector<std::uint32_t> needed_from;  // by rank and the end: required keys from there on
  };
  // What has come so far. In listed order `position` is the lowest rank that may still come; in any order `used` has a
  // bit for each rank that came. `count` is kept only as far as min_members and max_members can tell it.
  struct State {
    ShapeId shape = 0;
    std::uint32_t position = 0;
    std::uint32_t count = 0;
    std::vector<std::uint64_t> used;
  };
  struct KeyHash {
    std::size_t operator()(const std::vector<std::uint64_t>& key) const noexcept;
  };

  const Layout& layout(ShapeId shape);
  RecordId intern(State state);
  std::uint32_t count_after(const RecordShape& shape, std::uint32_t count) const;
  void allow_listed(const State& state, const Layout& layout, RecordInfo& out) const;
  void allow_any(const State& state, const Layout& layout, RecordInfo& out) const;

  CompiledSchema schema_;
  std::shared_ptr<ExprArena> arena_;
  bool any_order_;
  bool counters_fit_ = true;
  std::vector<std::optional<Layout>> layouts_;  // by shape
  std::vector<State> states_;                   // by record id
  std::unordered_map<std::vector<std::uint64_t>, RecordId, KeyHash> state_ids_;
};

}  // namespace weir::schema
