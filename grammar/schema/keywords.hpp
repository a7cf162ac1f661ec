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

// Vocabularies of 2019-09 and 2020-12, as bits. What is in none of them is in all dialects.
using VocabularySet = std::uint8_t;
inline constexpr VocabularySet kApplicator = 1;
inline constexpr VocabularySet kUnevaluated = 2;  // of kApplicator in 2019-09
inline constexpr VocabularySet kValidation = 4;
inline constexpr VocabularySet kFormatAnnotation = 8;
inline constexpr VocabularySet kFormatAssertion = 16;
inline constexpr VocabularySet kStandardVocabularies = kApplicator | kUnevaluated | kValidation | kFormatAnnotation;

// What a schema's keywords mean: a draft, and those of its vocabularies that are in use.
struct Dialect {
  Draft draft = Draft::kDraft2020;
  VocabularySet vocabularies = kStandardVocabularies;
  friend bool operator==(const Dialect&, const Dialect&) = default;
};

struct KeywordInfo {
  Keyword keyword = Keyword::kUnknown;
  Subschemas subschemas = Subschemas::kNone;
};

// kUnknown for what the dialect does not define. `dependencies`, `definitions` and `$defs` are known to all drafts.
KeywordInfo find_keyword(std::string_view name, Dialect dialect);

// The draft that a $schema names, with or without the empty fragment, http or https.
std::optional<Draft> draft_of(std::string_view schema_uri);

// What a line of $vocabulary turns on in a meta-schema of the draft; nullopt: an unknown vocabulary.
std::optional<VocabularySet> vocabulary_of(std::string_view uri, bool required, Draft draft);

// The keyword that names a resource.
inline std::string_view id_keyword(Draft draft) { return draft == Draft::kDraft4 ? "id" : "$id"; }

}  // namespace weir::schema
