// The keywords of JSON Schema by draft. Private to grammar/schema.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "weir/grammar/frontends.hpp"

namespace weir::schema {

enum class Keyword : std::uint8_t {
  kUnknown,
  kAnnotation,  // says nothing about instances, or is read elsewhere ($id, $defs)
  // Any instance.
  kType,
  kEnum,
  kConst,
  kAllOf,
  kAnyOf,
  kOneOf,
  kNot,
  kIf,
  kThen,
  kElse,
  kRef,
  kDynamicRef,
  kRecursiveRef,
  kFormat,
  // Numbers.
  kMinimum,
  kMaximum,
  kExclusiveMinimum,
  kExclusiveMaximum,
  kMultipleOf,
  // Strings.
  kMinLength,
  kMaxLength,
  kPattern,
  // Objects.
  kProperties,
  kPatternProperties,
  kAdditionalProperties,
  kPropertyNames,
  kRequired,
  kMinProperties,
  kMaxProperties,
  kDependencies,
  kDependentRequired,
  kDependentSchemas,
  kUnevaluatedProperties,
  // Arrays.
  kItems,
  kPrefixItems,
  kAdditionalItems,
  kMinItems,
  kMaxItems,
  kUniqueItems,
  kContains,
  kMinContains,
  kMaxContains,
  kUnevaluatedItems,
};

// How a keyword holds other schemas.
enum class Subschemas : std::uint8_t { kNone, kOne, kList, kOneOrList, kMap };

struct KeywordInfo {
  Keyword keyword = Keyword::kUnknown;
  Subschemas subschemas = Subschemas::kNone;
};

// kUnknown for what the draft does not define. `dependencies`, `definitions` and `$defs` are known to all drafts.
KeywordInfo find_keyword(std::string_view name, Draft draft);

// The draft that a $schema names, with or without the empty fragment, http or https.
std::optional<Draft> draft_of(std::string_view schema_uri);

}  // namespace weir::schema
