// What a schema has become once everything that its root reaches is expanded: values, and the shapes of their objects
// and arrays. The document is needed no more, apart from the storage of its keys. Private to grammar/schema.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schema/number.hpp"
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
  bool alive = false;  // some text matches; the others are never referred to
};

struct KeySpec {
  std::string_view name;
  ValueId value = kNoValue;  // kNoValue: the key is listed, and may not come
  bool required = false;
};

struct RecordShape {
  std::vector<KeySpec> keys;  // in the order in which they come
  ValueId others = kNoValue;  // of keys that are not listed; kNoValue: there are none
  std::uint32_t min_members = 0;
  std::uint32_t max_members = kUnbounded;
  bool alive = false;
};

struct ListShape {
  std::vector<ValueId> prefix;
  ValueId rest = kNoValue;
  std::uint32_t min_items = 0;
  std::uint32_t max_items = kUnbounded;
  bool alive = false;
};

struct CompiledSchema {
  std::vector<ValueSpec> values;
  std::vector<RecordShape> records;
  std::vector<ListShape> lists;
  std::vector<NumberBounds> numbers;
  ValueId root = 0;
  std::shared_ptr<const void> storage;
};

// Decides which values some text matches, by the least solution: a value that needs itself has none. Then takes out
// what is dead, shortens lists to their first dead item, and lets values that mean the same share one id. False, and
// only the aliveness is settled: the root is dead.
bool settle(CompiledSchema& schema);

// Why the root, which is dead, matches nothing; in words. After settle.
std::string explain_dead(const CompiledSchema& schema);

}  // namespace weir::schema
