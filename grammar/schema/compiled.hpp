// What a schema has become as far as it is expanded: values, and the shapes of their objects and arrays. All that the
// root reaches in closed form is there after a compile; what only formulas lead to comes when it is asked for. Private
// to grammar/schema.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schema/formula.hpp"
#include "schema/number.hpp"
#include "weir/grammar/detail/segmented.hpp"
#include "weir/grammar/expr.hpp"
#include "weir/grammar/structure.hpp"

namespace weir::schema {

using ShapeId = std::uint32_t;  // index into CompiledSchema::records or ::lists

struct TextSpec {
  ExprId content = kEmptyExpr;
  std::string_view format;       // not empty: this format is the content, built only when somebody asks for the value
  std::uint32_t min_length = 0;  // of `content` any_text() only; otherwise the content says it
  std::uint32_t max_length = kUnbounded;
  friend bool operator==(const TextSpec&, const TextSpec&) = default;
};

inline constexpr std::uint32_t kNoNumber = 0xFFFFFFFF;

struct ValueSpec {
  ExprId scalar = kEmptyExpr;
  std::uint32_t number = kNoNumber;  // index into CompiledSchema::numbers: beside `scalar`, built like a format
  std::vector<TextSpec> texts;
  std::vector<std::string_view> strings;  // listed texts; their expression is built like that of a format
  std::vector<ShapeId> records;
  std::vector<ShapeId> lists;
  bool expanded = false;

  bool has_scalar() const { return scalar != kEmptyExpr || number != kNoNumber || !texts.empty() || !strings.empty(); }
};

struct KeySpec {
  std::string_view name;
  ValueId value = kNoValue;  // kNoValue: the key is listed, and may not come
  bool required = false;
};

// Keys that are not listed, with the same schemas for their values.
struct KeyCell {
  ExprId keys = kEmptyExpr;
  ValueId value = kNoValue;  // of a record in closed form
};

// An object in closed form, or, by_formula, one whose residual formula tells what may come.
struct RecordShape {
  std::vector<KeySpec> keys;   // in the order in which they come; by_formula: names alone
  ValueId others = kNoValue;   // of keys that are not listed; kNoValue: there are none, or `cells` tell
  std::vector<KeyCell> cells;  // in place of `others`
  std::uint32_t min_members = 0;
  std::uint32_t max_members = kUnbounded;

  bool by_formula = false;
  FormulaId formula = kTrue;         // before the first member
  std::vector<std::uint32_t> names;  // numbers of the keys, as formulas name them
  bool all_others = false;           // by_formula: the one cell is all keys that are not listed
};

struct ListShape {
  std::vector<ValueId> prefix;
  ValueId rest = kNoValue;
  std::uint32_t min_items = 0;
  std::uint32_t max_items = kUnbounded;

  bool by_formula = false;
  FormulaId formula = kTrue;
};

struct CompiledSchema {
  detail::SegmentedVector<ValueSpec, 4> values;
  detail::SegmentedVector<RecordShape, 4> records;
  detail::SegmentedVector<ListShape, 4> lists;
  std::vector<NumberBounds> numbers;
  ValueId root = 0;
};

}  // namespace weir::schema
