// The structures of a compiled schema, with the states of its objects expanded on demand. Private to grammar/schema.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "schema/compilation.hpp"
#include "weir/grammar/frontends.hpp"
#include "weir/grammar/structure.hpp"

namespace weir::schema {

class JsonSource final : public StructureSource {
 public:
  // Precondition: run() had no errors.
  JsonSource(std::unique_ptr<Compilation> compilation, Notation notation);

  ValueId root() const noexcept { return settled(schema_.root); }
  // False: the lengths of all strings together need more counter ids than there are.
  bool counters_fit() const noexcept { return counters_fit_; }

 protected:
  void expand_value(ValueId id, ValueInfo& out) override;
  void expand_record(RecordId id, RecordInfo& out) override;
  void expand_list(ListId id, ListInfo& out) override;
  void expand_members(RecordId id, std::uint32_t label, std::vector<Member>& out) override;
  ListId expand_list_after(ListId next, std::string_view item) override;
  bool expand_several(ValueId id) override;

 private:
  // A shape as its states use it. Ranks number the keys that may come at all, in the order of the schema.
  struct Layout {
    std::unique_ptr<KeySet> keys;
    std::vector<std::uint32_t> label_of;     // by rank
    std::vector<ValueId> value_of;           // by rank
    std::vector<std::uint32_t> rank_of;      // by label; KeySet::kNone: never comes
    std::vector<std::uint32_t> next_needed;  // by rank and the end: the first required key from there on, or the end
    std::vector<std::uint32_t> needed_from;  // by rank and the end: required keys from there on
    ValueId others = kNoValue;
    std::vector<KeyCell> cells;
    bool has_others() const { return others != kNoValue || !cells.empty(); }
  };
  // What has come so far. In listed order `position` is the lowest rank that may still come; in any order `used` has a
  // bit for each rank that came. `count` is kept only as far as min_members and max_members can tell it. By formula,
  // `formula` is what is still asked for.
  struct State {
    ShapeId shape = 0;
    std::uint32_t position = 0;
    std::uint32_t count = 0;
    FormulaId formula = kTrue;
    std::vector<std::uint64_t> used;
    std::vector<std::uint32_t> classes;  // by formula: the cells of RecordInfo::classes
  };
  struct ListState {
    ShapeId shape = 0;
    bool by_formula = false;
    FormulaId formula = kTrue;
    std::uint32_t index = 0;
  };

  const Layout& layout(ShapeId shape);
  void lay_out_closed(const RecordShape& shape, Layout& layout);
  RecordId intern(State state);
  ListId intern_list(const ListState& state);
  void step_list(const ListState& state, ListInfo& out);
  void expand_closed_list(const ListShape& shape, ListInfo& out);
  ValueId settled(ValueId id) const { return compilation_->settled(id); }
  void report();
  // The value has an id here too.
  ValueId shared(ValueId id);
  std::uint32_t count_after(const RecordShape& shape, std::uint32_t count) const;
  void allow_listed(const State& state, const Layout& layout, RecordInfo& out) const;
  void allow_any(const State& state, const Layout& layout, RecordInfo& out) const;
  void allow_others(const Layout& layout, RecordInfo& out) const;
  void allow_by_formula(RecordId id, const Layout& layout, RecordInfo& out);
  // What the formula has become when the key of a rank comes next.
  FormulaId formula_at(const State& state, std::uint32_t rank) const;
  bool is_alive(const State& state, const Alternative& way, std::uint32_t rank);
  State after_rank(const State& state, const Alternative& way, std::uint32_t rank) const;
  void expand_members_by_formula(const State& state, std::uint32_t label, std::vector<Member>& out);

  std::unique_ptr<Compilation> compilation_;
  CompiledSchema& schema_;
  std::shared_ptr<ExprArena> arena_;
  bool any_order_;
  bool counters_fit_ = true;
  std::vector<std::optional<Layout>> layouts_;  // by shape
  std::vector<State> states_;                   // by record id
  std::unordered_map<std::vector<std::uint64_t>, RecordId, WordsHash> state_ids_;
  std::vector<ListState> list_states_;  // by list id
  std::unordered_map<std::vector<std::uint64_t>, ListId, WordsHash> list_ids_;
};

}  // namespace weir::schema
