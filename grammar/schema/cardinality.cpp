#include "schema/cardinality.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <string>

#include "schema/formats.hpp"

namespace weir::schema {
namespace {

constexpr std::size_t kTried = 50'000;  // steps from text to text
constexpr std::size_t kDeepest = 16;    // values within values

struct Word {
  std::string text;
  ExprId rest = kEmptyExpr;
  std::uint32_t code_points = 0;
};

// Calls visit(word) for the texts of an expression, the shortest first, until it returns true or too many steps were
// taken. False: it never did.
template <class Visit>
bool any_word(ExprArena& arena, ExprId e, std::uint32_t max_code_points, Visit&& visit) {
  std::deque<Word> pending{{"", e, 0}};
  for (std::size_t steps = 0; !pending.empty() && steps < kTried;) {
    const Word word = std::move(pending.front());
    pending.pop_front();
    if (arena.nullable(word.rest) && visit(word)) return true;
    arena.first_bytes(word.rest).for_each([&](std::uint8_t byte) {
      const std::uint32_t code_points = word.code_points + ((byte & 0xC0U) != 0x80U ? 1 : 0);
      if (++steps > kTried || code_points > max_code_points) return;
      pending.push_back({word.text + static_cast<char>(byte), arena.step(word.rest, byte), code_points});
    });
  }
  return false;
}

}  // namespace

bool Cardinality::at_least(ValueId id, std::uint64_t count) {
  if (id == kNoValue || !liveness_->value(id)) return false;
  if (count <= 1) return true;
  if (path_.size() >= kDeepest || std::find(path_.begin(), path_.end(), id) != path_.end()) return false;
  path_.push_back(id);
  const ValueSpec& spec = expander_->value(id);
  bool enough = texts_at_least(spec, count) || numbers_at_least(spec, count);
  for (std::size_t i = 0; i < spec.records.size() && !enough; ++i) enough = record_at_least(spec.records[i], count);
  for (std::size_t i = 0; i < spec.lists.size() && !enough; ++i) enough = list_at_least(spec.lists[i], count);
  path_.pop_back();
  return enough;
}

bool Cardinality::texts_at_least(const ValueSpec& spec, std::uint64_t count) {
  if (spec.strings.size() >= count) {
    const std::set<std::string_view> different(spec.strings.begin(), spec.strings.end());
    if (different.size() >= count) return true;
  }
  ExprArena& arena = expander_->arena();
  return std::any_of(spec.texts.begin(), spec.texts.end(), [&](const TextSpec& text) {
    const ExprId content = text.format.empty() ? text.content : known_format(arena, text.format).expression;
    std::uint64_t found = 0;
    return any_word(arena, content, text.max_length,
                    [&](const Word& word) { return word.code_points >= text.min_length && ++found >= count; });
  });
}

bool Cardinality::numbers_at_least(const ValueSpec& spec, std::uint64_t count) {
  ExprArena& arena = expander_->arena();
  ExprId scalar = spec.scalar;
  if (spec.number != kNoNumber) {
    if (const auto number = known_number(arena, expander_->compiled().numbers[spec.number])) {
      scalar = arena.alternate({scalar, *number});
    }
  }
  if (scalar == kEmptyExpr) return false;
  std::set<std::string> different;
  return any_word(arena, scalar, kUnbounded, [&](const Word& word) {
    const auto number = Decimal::parse(word.text);
    different.insert(number ? number->to_string() : word.text);
    return different.size() >= count;
  });
}

bool Cardinality::record_at_least(ShapeId id, std::uint64_t count) {
  if (!liveness_->record_shape(id)) return false;
  const RecordShape& shape = expander_->compiled().records[id];
  if (shape.by_formula) {
    for (std::uint32_t rank = 0; rank < shape.names.size(); ++rank) {
      const bool enough = residuals_->any_after_key(shape.formula, shape.names[rank], [&](const Alternative& way) {
        return at_least(way.value, count) && liveness_->record(id, way.rest, rank + 1, {});
      });
      if (enough) return true;
    }
    return std::any_of(shape.cells.begin(), shape.cells.end(), [&](const KeyCell& cell) {
      return residuals_->any_after_cell(shape.formula, cell.keys, [&](const Alternative& way) {
        const auto end = static_cast<std::uint32_t>(shape.names.size());
        return at_least(way.value, count) && liveness_->record(id, way.rest, end, {});
      });
    });
  }
  const auto required = static_cast<std::uint32_t>(
      std::count_if(shape.keys.begin(), shape.keys.end(), [](const KeySpec& key) { return key.required; }));
  const bool room = shape.max_members > required;
  if (room && liveness_->value(shape.others)) return true;  // any key will do
  // Keys are chosen independently: the numbers of their values multiply, and an optional one may be absent as well.
  const bool room_for_all = shape.max_members >= shape.keys.size() && shape.min_members <= required;
  std::uint64_t missing = count;
  for (const KeySpec& key : shape.keys) {
    if (missing <= 1) break;
    if (!key.required && !room_for_all) continue;
    const std::uint64_t values = count_up_to(key.value, missing);
    const std::uint64_t ways = key.required ? values : values + 1;
    if (ways > 1) missing = (missing + ways - 1) / ways;
  }
  return missing <= 1 || (room && std::any_of(shape.keys.begin(), shape.keys.end(),
                                              [&](const KeySpec& key) { return at_least(key.value, count); }));
}

std::uint64_t Cardinality::count_up_to(ValueId id, std::uint64_t most) {
  std::uint64_t known = 0;
  while (known < most) {
    const std::uint64_t tried = known + (most - known + 1) / 2;
    if (at_least(id, tried)) {
      known = tried;
    } else {
      most = tried - 1;
    }
  }
  return known;
}

bool Cardinality::list_at_least(ShapeId id, std::uint64_t count) {
  if (!liveness_->list_shape(id)) return false;
  const ListShape& shape = expander_->compiled().lists[id];
  if (shape.by_formula) {
    const auto ways = residuals_->after_item(shape.formula, 0);
    const std::uint32_t next = residuals_->saturated(shape.formula, 1);
    return std::any_of(ways.begin(), ways.end(), [&](const Alternative& way) {
      return liveness_->list(way.rest, next) && at_least(way.value, count);
    });
  }
  if (shape.max_items == 0) return false;
  if (shape.max_items == kUnbounded && liveness_->value(shape.rest)) {
    const bool reached =
        std::all_of(shape.prefix.begin(), shape.prefix.end(), [&](ValueId item) { return liveness_->value(item); });
    if (reached) return true;
  }
  return at_least(shape.prefix.empty() ? shape.rest : shape.prefix.front(), count);
}

}  // namespace weir::schema
