#include "schema/json_source.hpp"

#include <algorithm>

#include "schema/formats.hpp"

namespace weir::schema {
namespace {

Notation notation_of(const JsonStyle& style) {
  Notation notation;
  notation.flexible_space = style.flexible_whitespace;
  notation.any_escape = style.any_escape;
  if (!style.flexible_whitespace) {
    notation.item_separator = style.item_separator;
    notation.key_separator = style.key_separator;
  }
  for (const char c : {' ', '\t', '\n', '\r'}) notation.space.insert(static_cast<std::uint8_t>(c));
  return notation;
}

bool test_bit(const std::vector<std::uint64_t>& words, std::uint32_t bit) {
  return ((words[bit >> 6U] >> (bit & 63U)) & 1U) != 0;
}

void set_bit(std::vector<std::uint64_t>& words, std::uint32_t bit) {
  words[bit >> 6U] |= std::uint64_t{1} << (bit & 63U);
}

}  // namespace

std::size_t JsonSource::KeyHash::operator()(const std::vector<std::uint64_t>& key) const noexcept {
  std::uint64_t hash = key.size();
  for (const std::uint64_t word : key) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29U;
  }
  return hash;
}

JsonSource::JsonSource(CompiledSchema schema, std::shared_ptr<ExprArena> arena, const JsonSchemaOptions& options)
    : StructureSource(notation_of(options.style)),
      schema_(std::move(schema)),
      arena_(std::move(arena)),
      any_order_(options.any_property_order),
      layouts_(schema_.records.size()) {
  add_values(schema_.values.size());
  add_lists(schema_.lists.size());
  for (const ValueSpec& value : schema_.values) {
    for (const TextSpec& text : value.texts) {
      if (add_counter(text.min_length, text.max_length) == kNoCounter) counters_fit_ = false;
    }
  }
}

void JsonSource::expand_value(ValueId id, ValueInfo& out) {
  const ValueSpec& spec = schema_.values[id];
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
    State start;
    start.shape = shape;
    if (any_order_) start.used.resize((layout(shape).label_of.size() + 63) / 64);
    out.records.push_back(intern(std::move(start)));
  }
  out.lists = spec.lists;
}

void JsonSource::expand_list(ListId id, ListInfo& out) {
  const ListShape& shape = schema_.lists[id];
  out.prefix = shape.prefix;
  out.rest = shape.rest;
  out.min_items = shape.min_items;
  out.max_items = shape.max_items;
}

const JsonSource::Layout& JsonSource::layout(ShapeId id) {
  std::optional<Layout>& made = layouts_[id];
  if (made) return *made;
  made.emplace();
  const RecordShape& shape = schema_.records[id];
  std::vector<std::string> names;
  names.reserve(shape.keys.size());
  for (const KeySpec& key : shape.keys) names.emplace_back(key.name);
  made->keys = std::make_unique<KeySet>(std::move(names), *arena_);
  made->rank_of.assign(shape.keys.size(), KeySet::kNone);
  std::vector<bool> needed;
  for (const KeySpec& key : shape.keys) {
    if (key.value == kNoValue) continue;
    const std::uint32_t label = made->keys->find(key.name);
    made->rank_of[label] = static_cast<std::uint32_t>(made->label_of.size());
    made->label_of.push_back(label);
    made->value_of.push_back(key.value);
    needed.push_back(key.required);
  }
  const std::size_t end = needed.size();
  made->next_needed.assign(end + 1, static_cast<std::uint32_t>(end));
  made->needed_from.assign(end + 1, 0);
  for (std::size_t rank = end; rank-- > 0;) {
    made->next_needed[rank] = needed[rank] ? static_cast<std::uint32_t>(rank) : made->next_needed[rank + 1];
    made->needed_from[rank] = made->needed_from[rank + 1] + (needed[rank] ? 1 : 0);
  }
  return *made;
}

RecordId JsonSource::intern(State state) {
  std::vector<std::uint64_t> key{state.shape, (std::uint64_t{state.position} << 32U) | state.count};
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
  if (any_order_) {
    allow_any(state, at, out);
  } else {
    allow_listed(state, at, out);
  }
  out.may_close = out.may_close && state.count >= schema_.records[state.shape].min_members;
  out.may_continue =
      out.others || std::any_of(out.allowed.begin(), out.allowed.end(), [](std::uint64_t word) { return word != 0; });
}

// A key may come if the required ones still fit below the maximum after it, and the rest reaches up to the minimum.
void JsonSource::allow_listed(const State& state, const Layout& at, RecordInfo& out) const {
  const RecordShape& shape = schema_.records[state.shape];
  const auto end = static_cast<std::uint32_t>(at.label_of.size());
  const std::uint32_t needed = at.next_needed[state.position];
  const std::uint64_t count = std::uint64_t{state.count} + 1;
  for (std::uint32_t rank = state.position; rank < std::min(needed + 1, end); ++rank) {
    const bool fits = count + at.needed_from[rank + 1] <= shape.max_members;
    const bool enough = shape.others != kNoValue || count + (end - rank - 1) >= shape.min_members;
    if (fits && enough) set_bit(out.allowed, at.label_of[rank]);
  }
  out.may_close = needed == end;
  out.others = needed == end && shape.others != kNoValue && count <= shape.max_members;
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
  out.may_close = needed == 0;
  out.others = shape.others != kNoValue && count + needed <= shape.max_members;
}

void JsonSource::expand_members(RecordId id, std::uint32_t label, std::vector<Member>& out) {
  State next = states_[id];
  const RecordShape& shape = schema_.records[next.shape];
  const Layout& at = layout(next.shape);
  next.count = count_after(shape, next.count);
  ValueId value = shape.others;
  if (label == kOtherKey) {
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
