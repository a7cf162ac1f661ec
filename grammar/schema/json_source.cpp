#include "schema/json_source.hpp"

#include <algorithm>
#include <utility>

#include "schema/formats.hpp"

namespace weir::schema {
namespace {

bool test_bit(const std::vector<std::uint64_t>& words, std::uint32_t bit) {
  return ((words[bit >> 6U] >> (bit & 63U)) & 1U) != 0;
}

void set_bit(std::vector<std::uint64_t>& words, std::uint32_t bit) {
  words[bit >> 6U] |= std::uint64_t{1} << (bit & 63U);
}

}  // namespace

JsonSource::JsonSource(std::unique_ptr<Compilation> compilation, Notation notation)
    : StructureSource(std::move(notation)),
      compilation_(std::move(compilation)),
      schema_(compilation_->expander.compiled()),
      arena_(compilation_->arena),
      any_order_(compilation_->options.any_property_order) {
  add_values(schema_.values.size());
  for (ValueId id = 0; id < schema_.values.size(); ++id) {
    for (const TextSpec& text : schema_.values[id].texts) {
      if (add_counter(text.min_length, text.max_length) == kNoCounter) counters_fit_ = false;
    }
  }
}

ValueId JsonSource::shared(ValueId id) {
  id = settled(id);
  for (std::size_t known = value_count(); known <= id; ++known) add_value();
  return id;
}

void JsonSource::expand_value(ValueId id, ValueInfo& out) {
  const ValueSpec& spec = compilation_->expander.value(id);
  out.scalar = spec.scalar;
  if (spec.number != kNoNumber) {
    const auto number = known_number(*arena_, schema_.numbers[spec.number]);
    if (number) out.scalar = arena_->alternate({spec.scalar, *number});
  }
  for (const TextSpec& text : spec.texts) {
    const ExprId content = text.format.empty() ? text.content : known_format(*arena_, text.format).expression;
    out.texts.push_back({content, add_counter(text.min_length, text.max_length)});
  }
  if (!spec.strings.empty()) out.texts.push_back({arena_->literals(spec.strings), 0});
  for (const ShapeId shape : spec.records) {
    if (!compilation_->liveness.record_shape(shape)) continue;
    State start;
    start.shape = shape;
    start.formula = schema_.records[shape].formula;
    if (any_order_) start.used.resize((layout(shape).label_of.size() + 63) / 64);
    out.records.push_back(intern(std::move(start)));
  }
  for (const ShapeId shape : spec.lists) {
    if (!compilation_->liveness.list_shape(shape)) continue;
    const ListShape& list = schema_.lists[shape];
    out.lists.push_back(intern_list({shape, list.by_formula, list.formula, 0}));
  }
  report();
}

// What goes wrong from here on is for whoever matches to know.
void JsonSource::report() {
  if (compilation_->diagnostics.failed()) set_error(compilation_->diagnostics.error());
  const bool values = schema_.values.size() > compilation_->options.limits.max_values / 2;
  if (values || compilation_->document.size() > JsonDocument::kMaxNodes / 2) set_half_full();
}

ListId JsonSource::intern_list(const ListState& state) {
  const std::uint64_t name =
      state.by_formula ? (std::uint64_t{state.formula} << 32U) | 1U : std::uint64_t{state.shape} << 32U;
  const auto [it, fresh] = list_ids_.try_emplace({name, state.index}, 0);
  if (fresh) {
    it->second = add_list();
    list_states_.push_back(state);
  }
  return it->second;
}

void JsonSource::expand_list(ListId id, ListInfo& out) {
  const ListState state = list_states_[id];
  if (state.by_formula) {
    step_list(state, out);
  } else {
    expand_closed_list(schema_.lists[state.shape], out);
  }
  report();
}

void JsonSource::step_list(const ListState& state, ListInfo& out) {
  Liveness& liveness = compilation_->liveness;
  Residuals& residuals = compilation_->residuals;
  out.stepwise = true;
  out.may_close = residuals.may_close(state.formula);
  for (const Alternative& way : residuals.after_item(state.formula, state.index)) {
    const std::uint32_t index = residuals.saturated(way.rest, state.index + 1);
    if (!liveness.value(way.value) || !liveness.list(way.rest, index)) continue;
    if (way.captured && !compilation_->enough_distinct(way)) continue;
    out.steps.push_back({shared(way.value), intern_list({state.shape, true, way.rest, index}), way.captured});
  }
}

ListId JsonSource::expand_list_after(ListId next, std::string_view item) {
  ListState state = list_states_[next];
  const auto value = compilation_->expander.number_of_text(item);
  if (value) state.formula = compilation_->residuals.taken(state.formula, *value);
  report();
  return intern_list(state);
}

void JsonSource::expand_closed_list(const ListShape& shape, ListInfo& out) {
  Liveness& liveness = compilation_->liveness;
  out.min_items = shape.min_items;
  out.max_items = shape.max_items;
  for (const ValueId item : shape.prefix) {
    if (!liveness.value(item)) {
      // The list ends before an item that nothing matches.
      out.max_items = std::min(out.max_items, static_cast<std::uint32_t>(out.prefix.size()));
      return;
    }
    out.prefix.push_back(shared(item));
  }
  const auto prefix = static_cast<std::uint32_t>(out.prefix.size());
  if (out.max_items <= prefix) {
    out.prefix.resize(out.max_items);
  } else if (liveness.value(shape.rest)) {
    out.rest = shared(shape.rest);
  } else {
    out.max_items = prefix;
  }
}

bool JsonSource::expand_several(ValueId id) { return compilation_->cardinality.at_least(id, 2); }

const JsonSource::Layout& JsonSource::layout(ShapeId id) {
  if (id >= layouts_.size()) layouts_.resize(id + 1);
  if (!layouts_[id]) {
    Layout made;
    const RecordShape& shape = schema_.records[id];
    std::vector<std::string> names;
    names.reserve(shape.keys.size());
    for (const KeySpec& key : shape.keys) names.emplace_back(key.name);
    made.keys = std::make_unique<KeySet>(std::move(names), *arena_);
    made.rank_of.assign(shape.keys.size(), KeySet::kNone);
    if (shape.by_formula) {
      for (const KeySpec& key : shape.keys) {
        const std::uint32_t label = made.keys->find(key.name);
        made.rank_of[label] = static_cast<std::uint32_t>(made.label_of.size());
        made.label_of.push_back(label);
      }
    } else {
      lay_out_closed(shape, made);
    }
    layouts_[id] = std::move(made);
  }
  return *layouts_[id];
}

void JsonSource::lay_out_closed(const RecordShape& shape, Layout& made) {
  Liveness& liveness = compilation_->liveness;
  std::vector<bool> needed;
  for (const KeySpec& key : shape.keys) {
    if (!liveness.value(key.value)) continue;
    const std::uint32_t label = made.keys->find(key.name);
    made.rank_of[label] = static_cast<std::uint32_t>(made.label_of.size());
    made.label_of.push_back(label);
    made.value_of.push_back(shared(key.value));
    needed.push_back(key.required);
  }
  if (liveness.value(shape.others)) made.others = shared(shape.others);
  for (const KeyCell& cell : shape.cells) {
    if (liveness.value(cell.value)) made.cells.push_back({cell.keys, shared(cell.value)});
  }
  const std::size_t end = needed.size();
  made.next_needed.assign(end + 1, static_cast<std::uint32_t>(end));
  made.needed_from.assign(end + 1, 0);
  for (std::size_t rank = end; rank-- > 0;) {
    made.next_needed[rank] = needed[rank] ? static_cast<std::uint32_t>(rank) : made.next_needed[rank + 1];
    made.needed_from[rank] = made.needed_from[rank + 1] + (needed[rank] ? 1 : 0);
  }
}

RecordId JsonSource::intern(State state) {
  std::vector<std::uint64_t> key{(std::uint64_t{state.formula} << 32U) | state.shape,
                                 (std::uint64_t{state.position} << 32U) | state.count};
  key.insert(key.end(), state.used.begin(), state.used.end());
  const auto [it, fresh] = state_ids_.try_emplace(std::move(key), 0);
  if (fresh) {
    it->second = add_record();
    states_.push_back(std::move(state));
  }
  return it->second;
}

// Members counted as far as anybody asks: up to the maximum if there is one, else up to the minimum.
std::uint32_t JsonSource::count_after(const RecordShape& shape, std::uint32_t count) const {
  return shape.max_members != kUnbounded ? count + 1 : std::min(count + 1, shape.min_members);
}

void JsonSource::expand_record(RecordId id, RecordInfo& out) {
  const State& state = states_[id];
  const Layout& at = layout(state.shape);
  out.keys = at.keys.get();
  out.allowed.assign((at.rank_of.size() + 63) / 64, 0);
  if (schema_.records[state.shape].by_formula) {
    allow_by_formula(id, at, out);
  } else if (any_order_) {
    allow_any(state, at, out);
  } else {
    allow_listed(state, at, out);
  }
  out.may_continue = out.others || !out.classes.empty() ||
                     std::any_of(out.allowed.begin(), out.allowed.end(), [](std::uint64_t word) { return word != 0; });
  report();
}

// A key may come if the required ones still fit below the maximum after it, and the rest reaches up to the minimum.
void JsonSource::allow_listed(const State& state, const Layout& at, RecordInfo& out) const {
  const RecordShape& shape = schema_.records[state.shape];
  const auto end = static_cast<std::uint32_t>(at.label_of.size());
  const std::uint32_t needed = at.next_needed[state.position];
  const std::uint64_t count = std::uint64_t{state.count} + 1;
  for (std::uint32_t rank = state.position; rank < std::min(needed + 1, end); ++rank) {
    const bool fits = count + at.needed_from[rank + 1] <= shape.max_members;
    const bool enough = at.has_others() || count + (end - rank - 1) >= shape.min_members;
    if (fits && enough) set_bit(out.allowed, at.label_of[rank]);
  }
  out.may_close = needed == end && state.count >= shape.min_members;
  if (needed == end && count <= shape.max_members) allow_others(at, out);
}

void JsonSource::allow_others(const Layout& at, RecordInfo& out) const {
  out.others = at.others != kNoValue;
  for (const KeyCell& cell : at.cells) out.classes.push_back({cell.keys, 0});
}

void JsonSource::allow_any(const State& state, const Layout& at, RecordInfo& out) const {
  const RecordShape& shape = schema_.records[state.shape];
  const auto end = static_cast<std::uint32_t>(at.label_of.size());
  std::uint64_t needed = 0;
  const auto is_needed = [&](std::uint32_t rank) { return at.next_needed[rank] == rank; };
  for (std::uint32_t rank = 0; rank < end; ++rank) needed += is_needed(rank) && !test_bit(state.used, rank) ? 1U : 0U;
  const std::uint64_t count = std::uint64_t{state.count} + 1;
  for (std::uint32_t rank = 0; rank < end; ++rank) {
    if (test_bit(state.used, rank)) continue;
    if (count + needed - (is_needed(rank) ? 1 : 0) <= shape.max_members) set_bit(out.allowed, at.label_of[rank]);
  }
  out.may_close = needed == 0 && state.count >= shape.min_members;
  if (count + needed <= shape.max_members) allow_others(at, out);
}

// --- by formula

FormulaId JsonSource::formula_at(const State& state, std::uint32_t rank) const {
  FormulaId formula = state.formula;
  if (any_order_) return formula;
  const std::vector<std::uint32_t>& names = schema_.records[state.shape].names;
  for (std::uint32_t r = state.position; r < rank && formula != kFalse; ++r) {
    formula = compilation_->residuals.without(formula, names[r]);
  }
  return formula;
}

JsonSource::State JsonSource::after_rank(const State& state, const Alternative& way, std::uint32_t rank) const {
  State next;
  next.shape = state.shape;
  next.formula = way.rest;
  next.used = state.used;
  const bool listed = rank < schema_.records[state.shape].names.size();
  if (!any_order_) {
    next.position = listed ? rank + 1 : rank;
  } else if (listed) {
    set_bit(next.used, rank);
  }
  return next;
}

bool JsonSource::is_alive(const State& state, const Alternative& way, std::uint32_t rank) {
  Liveness& liveness = compilation_->liveness;
  if (!liveness.value(way.value)) return false;
  const State next = after_rank(state, way, rank);
  return liveness.record(next.shape, next.formula, next.position, next.used);
}

void JsonSource::allow_by_formula(RecordId id, const Layout& at, RecordInfo& out) {
  Residuals& residuals = compilation_->residuals;
  const State state = states_[id];
  const RecordShape& shape = schema_.records[state.shape];
  const auto end = static_cast<std::uint32_t>(shape.names.size());
  const auto alive_at = [&](std::uint32_t rank) {
    return [&, rank](const Alternative& way) { return is_alive(state, way, rank); };
  };
  FormulaId formula = state.formula;
  for (std::uint32_t rank = any_order_ ? 0 : state.position; rank < end && formula != kFalse; ++rank) {
    if (any_order_ && test_bit(state.used, rank)) continue;
    if (residuals.any_after_key(formula, shape.names[rank], alive_at(rank))) set_bit(out.allowed, at.label_of[rank]);
    if (!any_order_) formula = residuals.without(formula, shape.names[rank]);
  }
  out.may_close = residuals.may_close(state.formula);
  if (formula == kFalse) return;
  for (std::uint32_t cell = 0; cell < shape.cells.size(); ++cell) {
    if (!residuals.any_after_cell(formula, shape.cells[cell].keys, alive_at(end))) continue;
    states_[id].classes.push_back(cell);
    if (shape.all_others) {
      out.others = true;
    } else {
      out.classes.push_back({shape.cells[cell].keys, 0});
    }
  }
}

void JsonSource::expand_members_by_formula(const State& state, std::uint32_t label, std::vector<Member>& out) {
  Residuals& residuals = compilation_->residuals;
  const RecordShape& shape = schema_.records[state.shape];
  auto rank = static_cast<std::uint32_t>(shape.names.size());
  std::span<const Alternative> ways;
  if (label >= kFirstKeyClass) {
    const std::uint32_t cell = state.classes[label == kOtherKey ? 0 : label - kFirstKeyClass];
    ways = residuals.after_cell(formula_at(state, rank), shape.cells[cell].keys);
  } else {
    rank = layout(state.shape).rank_of[label];
    ways = residuals.after_key(formula_at(state, rank), shape.names[rank]);
  }
  for (const Alternative& way : ways) {
    if (is_alive(state, way, rank)) out.push_back({shared(way.value), intern(after_rank(state, way, rank))});
  }
}

void JsonSource::expand_members(RecordId id, std::uint32_t label, std::vector<Member>& out) {
  State next = states_[id];
  const RecordShape& shape = schema_.records[next.shape];
  if (shape.by_formula) {
    expand_members_by_formula(next, label, out);
    report();
    return;
  }
  const Layout& at = layout(next.shape);
  next.count = count_after(shape, next.count);
  ValueId value = kNoValue;
  if (label >= kFirstKeyClass) {
    value = label == kOtherKey ? at.others : at.cells[label - kFirstKeyClass].value;
    if (!any_order_) next.position = static_cast<std::uint32_t>(at.label_of.size());
  } else {
    const std::uint32_t rank = at.rank_of[label];
    value = at.value_of[rank];
    if (any_order_) {
      set_bit(next.used, rank);
    } else {
      next.position = rank + 1;
    }
  }
  out.push_back({value, intern(std::move(next))});
}

}  // namespace weir::schema
