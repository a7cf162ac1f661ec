#include "schema/liveness.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace weir::schema {
namespace {

constexpr std::size_t kMaxEdges = 8'000'000;

bool test_bit(const std::vector<std::uint64_t>& words, std::uint32_t bit) {
  return (bit >> 6U) < words.size() && ((words[bit >> 6U] >> (bit & 63U)) & 1U) != 0;
}

}  // namespace

Liveness::Node Liveness::node_at(std::vector<Node>& nodes, Kind kind, std::uint32_t id) {
  if (id >= nodes.size()) nodes.resize(id + 1, kNone);
  if (nodes[id] == kNone) {
    nodes[id] = static_cast<Node>(states_.size());
    State& state = states_.emplace_back();
    state.kind = kind;
    state.a = id;
  }
  return nodes[id];
}

Liveness::Node Liveness::node_of(Kind kind, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  const auto [it, fresh] =
      nodes_.try_emplace({static_cast<std::uint32_t>(kind), a, b, c, d}, static_cast<Node>(states_.size()));
  if (fresh) {
    State& state = states_.emplace_back();
    state.kind = kind;
    state.a = a;
    state.b = b;
    state.c = c;
    state.d = d;
  }
  return it->second;
}

std::uint32_t Liveness::number_of_used(const std::vector<std::uint64_t>& used) {
  const auto [it, fresh] = used_numbers_.try_emplace(used, static_cast<std::uint32_t>(used_.size()));
  if (fresh) used_.push_back(used);
  return it->second;
}

bool Liveness::record(ShapeId shape, FormulaId formula, std::uint32_t rank, const std::vector<std::uint64_t>& used) {
  return formula != kFalse && decide(node_of(Kind::kRecordState, formula, shape, rank, number_of_used(used)));
}

bool Liveness::list(FormulaId formula, std::uint32_t index) {
  return formula != kFalse && decide(node_of(Kind::kListState, formula, index, 0, 0));
}

// --- the search

bool Liveness::decide(Node node) {
  explore(node);
  while (!states_[node].alive && !pending_.empty()) {
    const std::uint32_t id = pending_.back();
    pending_.pop_back();
    const Edge edge = edges_[id];
    if (states_[edge.node].alive) continue;
    bool waits = false;
    for (std::uint32_t i = 0; i < edge.targets && !waits; ++i) {
      const Node target = targets_[edge.first_target + i];
      if (states_[target].alive) continue;
      explore(target);
      if (states_[target].alive) continue;
      waiting_.push_back({id, states_[target].first_waiting});
      states_[target].first_waiting = static_cast<std::uint32_t>(waiting_.size() - 1);
      waits = true;
    }
    if (!waits) enliven(edge.node);
  }
  // With nothing pending, all that was looked at and is not alive never will be.
  return states_[node].alive;
}

void Liveness::enliven(Node node) {
  State& state = states_[node];
  if (state.alive) return;
  state.alive = true;
  for (std::uint32_t at = state.first_waiting; at != kNone; at = waiting_[at].next)
    pending_.push_back(waiting_[at].edge);
  state.first_waiting = kNone;
}

void Liveness::add_edge(Node node, const std::vector<Node>& targets) {
  edges_.push_back({node, static_cast<std::uint32_t>(targets_.size()), static_cast<std::uint32_t>(targets.size())});
  targets_.insert(targets_.end(), targets.begin(), targets.end());
  pending_.push_back(static_cast<std::uint32_t>(edges_.size() - 1));
}

void Liveness::explore(Node node) {
  if (states_[node].explored) return;
  states_[node].explored = true;
  if (edges_.size() > kMaxEdges) {
    expander_->diagnostics().fail(ErrorCode::kLimit, 0,
                                  "deciding whether some text matches this schema takes too long");
    return;
  }
  switch (states_[node].kind) {
    case Kind::kValue: explore_value(node); return;
    case Kind::kRecord: explore_record(node); return;
    case Kind::kList: explore_list(node); return;
    case Kind::kRecordState: explore_record_state(node); return;
    case Kind::kListState: explore_list_state(node); return;
    case Kind::kMembers: explore_members(node); return;
  }
}

void Liveness::explore_value(Node node) {
  const ValueSpec& spec = expander_->value(states_[node].a);
  if (spec.has_scalar()) {
    enliven(node);
    return;
  }
  for (const ShapeId shape : spec.records) add_edge(node, {node_of_record(shape)});
  for (const ShapeId shape : spec.lists) add_edge(node, {node_of_list(shape)});
}

void Liveness::explore_record(Node node) {
  const ShapeId id = states_[node].a;
  const RecordShape& shape = expander_->compiled().records[id];
  if (shape.by_formula) {
    if (shape.formula != kFalse) {
      add_edge(node, {node_of(Kind::kRecordState, shape.formula, id, 0, number_of_used({}))});
    }
    return;
  }
  std::vector<Node> needed;
  for (const KeySpec& key : shape.keys) {
    if (!key.required) continue;
    if (key.value == kNoValue) return;
    needed.push_back(node_of_value(key.value));
  }
  const auto count = static_cast<std::uint32_t>(needed.size());
  if (shape.min_members > shape.max_members || count > shape.max_members) return;
  if (shape.min_members <= count) {
    if (needed.empty()) {
      enliven(node);
    } else {
      add_edge(node, needed);
    }
    return;
  }
  // More members than the required ones: keys that are not listed come as often as need be, or optional ones do.
  const auto add = [&](Node more) {
    needed.push_back(more);
    add_edge(node, needed);
    needed.pop_back();
  };
  add(node_of(Kind::kMembers, id, 0, shape.min_members - count, 0));
  for (const KeyCell& cell : shape.cells) {
    if (cell.value != kNoValue) add(node_of_value(cell.value));
  }
  if (shape.others != kNoValue) add(node_of_value(shape.others));
}

// So many members among the optional keys from a rank on.
void Liveness::explore_members(Node node) {
  const State state = states_[node];
  if (state.c == 0) {
    enliven(node);
    return;
  }
  const RecordShape& shape = expander_->compiled().records[state.a];
  std::uint32_t rank = state.b;
  while (rank < shape.keys.size() && (shape.keys[rank].required || shape.keys[rank].value == kNoValue)) ++rank;
  if (rank >= shape.keys.size()) return;
  add_edge(node, {node_of(Kind::kMembers, state.a, rank + 1, state.c, 0)});
  add_edge(node, {node_of_value(shape.keys[rank].value), node_of(Kind::kMembers, state.a, rank + 1, state.c - 1, 0)});
}

void Liveness::explore_list(Node node) {
  const ListShape& shape = expander_->compiled().lists[states_[node].a];
  if (shape.by_formula) {
    if (shape.formula != kFalse) add_edge(node, {node_of(Kind::kListState, shape.formula, 0, 0, 0)});
    return;
  }
  if (shape.min_items > shape.max_items) return;
  std::vector<Node> needed;
  const auto prefix = static_cast<std::uint32_t>(shape.prefix.size());
  for (std::uint32_t i = 0; i < std::min(prefix, shape.min_items); ++i) {
    if (shape.prefix[i] == kNoValue) return;
    needed.push_back(node_of_value(shape.prefix[i]));
  }
  if (shape.min_items > prefix) {
    if (shape.rest == kNoValue) return;
    needed.push_back(node_of_value(shape.rest));
  }
  if (needed.empty()) {
    enliven(node);
  } else {
    add_edge(node, needed);
  }
}

// Keys that cannot help are left out; the first that can comes or does not.
void Liveness::explore_record_state(Node node) {
  const State state = states_[node];
  FormulaId formula = state.a;
  if (residuals_->may_close(formula)) {
    enliven(node);
    return;
  }
  const RecordShape& shape = expander_->compiled().records[state.b];
  for (std::uint32_t rank = state.c; rank < shape.names.size(); ++rank) {
    if (test_bit(used_[state.d], rank)) continue;
    const std::uint32_t key = shape.names[rank];
    const FormulaId without = residuals_->without(formula, key);
    if (residuals_->wants_key(formula, key)) {
      if (without != kFalse) {
        add_edge(node, {node_of(Kind::kRecordState, without, state.b, rank + 1, state.d)});
      }
      for (const Alternative& way : residuals_->after_key(formula, key)) {
        add_edge(node, {node_of_value(way.value), node_of(Kind::kRecordState, way.rest, state.b, rank + 1, state.d)});
      }
      return;
    }
    formula = without;
    if (formula == kFalse) return;
  }
  if (residuals_->may_close(formula)) {
    enliven(node);
    return;
  }
  if (!residuals_->wants_members(formula)) return;
  const auto end = static_cast<std::uint32_t>(shape.names.size());
  for (const KeyCell& cell : shape.cells) {
    for (const Alternative& way : residuals_->after_cell(formula, cell.keys)) {
      if (way.rest == formula) continue;
      add_edge(node, {node_of_value(way.value), node_of(Kind::kRecordState, way.rest, state.b, end, state.d)});
    }
  }
}

void Liveness::explore_list_state(Node node) {
  const State state = states_[node];
  if (residuals_->may_close(state.a)) {
    enliven(node);
    return;
  }
  const std::uint32_t index = residuals_->saturated(state.a, state.b);
  for (const Alternative& way : residuals_->after_item(state.a, index)) {
    add_edge(node, {node_of_value(way.value),
                    node_of(Kind::kListState, way.rest, residuals_->saturated(way.rest, index + 1), 0, 0)});
  }
}

std::string Liveness::explain_dead(ValueId id) {
  const CompiledSchema& schema = expander_->compiled();
  constexpr unsigned kMaxSteps = 8;
  std::string path;
  ValueId at = id;
  for (unsigned steps = 0; steps < kMaxSteps; ++steps) {
    const ValueSpec& spec = schema.values[at];
    const std::string where = path.empty() ? "the value" : fmt::format("the value at {}", path);
    if (spec.records.empty() && spec.lists.empty()) {
      return where + " can have no type, or its bounds, lengths, patterns or listed values exclude each other";
    }
    if (spec.records.empty()) return where + " is a list that must have an item for which nothing is allowed";
    const RecordShape& shape = schema.records[spec.records.front()];
    const KeySpec* culprit = nullptr;
    for (const KeySpec& key : shape.keys) {
      if (key.required && (key.value == kNoValue || !value(key.value))) culprit = &key;
      if (culprit != nullptr) break;
    }
    if (shape.by_formula) return where + " is an object whose conditions exclude each other";
    if (culprit == nullptr) return where + " is an object whose numbers of members exclude each other";
    path += fmt::format("/{}", culprit->name);
    if (culprit->value == kNoValue)
      return fmt::format("the property at {} is required and nothing is allowed there", path);
    at = culprit->value;
  }
  return "required properties need each other without end, from " + path + " on";
}

}  // namespace weir::schema
