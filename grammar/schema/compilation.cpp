#include "schema/compilation.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include <fmt/format.h>

namespace weir::schema {
namespace {

constexpr std::uint32_t kItemsTried = 64;

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

void Compilation::run() {
  expander.expand();
  CompiledSchema& schema = expander.compiled();
  // What lists by formula cannot keep is to be an error now.
  bool lazy = false;
  for (ShapeId id = 0; id < schema.lists.size() && !diagnostics.failed(); ++id) {
    const ListShape& list = schema.lists[id];
    if (!list.by_formula) continue;
    lazy = true;
    if (residuals.distinct_keyword(list.formula) == kNoJson) continue;
    const std::uint32_t last = residuals.saturated(list.formula, kUnbounded);
    for (std::uint32_t i = 0; i <= std::min(last, kItemsTried) && !diagnostics.failed(); ++i) {
      for (const Alternative& way : residuals.after_item(list.formula, i)) {
        if (way.captured && liveness.value(way.value)) enough_distinct(way);
      }
    }
  }
  for (ShapeId id = 0; id < schema.records.size(); ++id) lazy = lazy || schema.records[id].by_formula;
  if (lazy && !diagnostics.failed()) expander.check_reachable();
  if (diagnostics.failed()) return;
  if (!liveness.value(schema.root)) {
    if (!diagnostics.failed()) {
      diagnostics.fail(ErrorCode::kUnsatisfiable, 0,
                       fmt::format("no JSON text satisfies this schema: {}", liveness.explain_dead(schema.root)));
    }
    return;
  }
  std::vector<ValueId> table(std::bit_ceil(schema.values.size() * 2), kNoValue);
  const auto first_same = [&](ValueId id) {
    std::size_t at = ValueHash()(&schema.values[id]) & (table.size() - 1);
    for (; table[at] != kNoValue; at = (at + 1) & (table.size() - 1)) {
      if (ValueEqual()(&schema.values[id], &schema.values[table[at]])) return table[at];
    }
    return table[at] = id;
  };
  const auto count = static_cast<ValueId>(schema.values.size());
  std::vector<ValueId> settled(count);
  for (ValueId id = 0; id < count; ++id) {
    settled[id] = id;
    if (!schema.values[id].expanded || !liveness.value(id)) continue;
    ValueSpec& value = schema.values[id];
    std::erase_if(value.records, [&](ShapeId shape) { return !liveness.record_shape(shape); });
    std::erase_if(value.lists, [&](ShapeId shape) { return !liveness.list_shape(shape); });
    settled[id] = first_same(id);
  }
  same = std::move(settled);
}

bool Compilation::enough_distinct(const Alternative& way) {
  if (residuals.may_close(way.rest)) return true;
  const std::uint32_t wanted = residuals.wanted_items(way.rest);
  // Each item so far takes away one value at most.
  if (cardinality.at_least(way.any_value, std::uint64_t{wanted} + 1 + way.left_out)) return true;
  expander.fail_unsupported(residuals.distinct_keyword(way.rest));
  return false;
}

}  // namespace weir::schema
