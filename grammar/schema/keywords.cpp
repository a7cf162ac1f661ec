#include "schema/keywords.hpp"

#include <array>

namespace weir::schema {
namespace {

struct Row {
  std::string_view name;
  Keyword keyword;
  Subschemas subschemas = Subschemas::kNone;
  Draft first = Draft::kDraft4;
  Draft last = Draft::kDraft2020;
};

constexpr auto kRows = [] {
  using enum Keyword;
  using enum Subschemas;
  using enum Draft;
  std::array rows = {
      Row{"$schema", kAnnotation},
      Row{"id", kAnnotation, kNone, kDraft4, kDraft4},
      Row{"$id", kAnnotation, kNone, kDraft6},
      Row{"$anchor", kAnnotation, kNone, kDraft2019},
      Row{"$dynamicAnchor", kAnnotation, kNone, kDraft2020},
      Row{"$recursiveAnchor", kAnnotation, kNone, kDraft2019, kDraft2019},
      Row{"$vocabulary", kAnnotation, kNone, kDraft2019},
      Row{"$comment", kAnnotation},
      Row{"$defs", kAnnotation, kMap},
      Row{"definitions", kAnnotation, kMap},
      Row{"title", kAnnotation},
      Row{"description", kAnnotation},
      Row{"default", kAnnotation},
      Row{"examples", kAnnotation},
      Row{"readOnly", kAnnotation},
      Row{"writeOnly", kAnnotation},
      Row{"deprecated", kAnnotation},
      Row{"contentEncoding", kAnnotation},
      Row{"contentMediaType", kAnnotation},
      Row{"contentSchema", kAnnotation, kOne},
      Row{"type", kType},
      Row{"enum", kEnum},
      Row{"const", kConst, kNone, kDraft6},
      Row{"allOf", kAllOf, kList},
      Row{"anyOf", kAnyOf, kList},
      Row{"oneOf", kOneOf, kList},
      Row{"not", kNot, kOne},
      Row{"if", kIf, kOne, kDraft7},
      Row{"then", kThen, kOne, kDraft7},
      Row{"else", kElse, kOne, kDraft7},
      Row{"$ref", kRef},
      Row{"$dynamicRef", kDynamicRef, kNone, kDraft2020},
      Row{"$recursiveRef", kRecursiveRef, kNone, kDraft2019, kDraft2019},
      Row{"format", kFormat},
      Row{"minimum", kMinimum},
      Row{"maximum", kMaximum},
      Row{"exclusiveMinimum", kExclusiveMinimum},
      Row{"exclusiveMaximum", kExclusiveMaximum},
      Row{"multipleOf", kMultipleOf},
      Row{"minLength", kMinLength},
      Row{"maxLength", kMaxLength},
      Row{"pattern", kPattern},
      Row{"properties", kProperties, kMap},
      Row{"patternProperties", kPatternProperties, kMap},
      Row{"additionalProperties", kAdditionalProperties, kOne},
      Row{"propertyNames", kPropertyNames, kOne, kDraft6},
      Row{"required", kRequired},
      Row{"minProperties", kMinProperties},
      Row{"maxProperties", kMaxProperties},
      Row{"dependencies", kDependencies, kMap},
      Row{"dependentRequired", kDependentRequired, kNone, kDraft2019},
      Row{"dependentSchemas", kDependentSchemas, kMap, kDraft2019},
      Row{"unevaluatedProperties", kUnevaluatedProperties, kOne, kDraft2019},
      Row{"items", kItems, kOneOrList},
      Row{"prefixItems", kPrefixItems, kList, kDraft2020},
      Row{"additionalItems", kAdditionalItems, kOne},
      Row{"minItems", kMinItems},
      Row{"maxItems", kMaxItems},
      Row{"uniqueItems", kUniqueItems},
      Row{"contains", kContains, kOne, kDraft6},
      Row{"minContains", kMinContains, kNone, kDraft2019},
      Row{"maxContains", kMaxContains, kNone, kDraft2019},
      Row{"unevaluatedItems", kUnevaluatedItems, kOne, kDraft2019},
  };
  return rows;
}();

constexpr std::size_t hash(std::string_view name) {
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(name[i])); };
  return (name.size() * 5 + byte(0) * 7 + byte(name.size() / 2) * 31 + byte(name.size() - 1) * 17) % 256;
}

// By hash, with open addressing: one more than an index into the rows; 0 ends a search.
constexpr auto kTable = [] {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    std::size_t at = hash(kRows[i].name);
    while (table[at] != 0) at = (at + 1) % table.size();
    table[at] = static_cast<std::uint8_t>(i + 1);
  }
  return table;
}();

// The vocabularies of which one must be in use; 0: none.
constexpr VocabularySet vocabularies_of(Keyword keyword) {
  switch (keyword) {
    case Keyword::kUnknown:
    case Keyword::kAnnotation:
    case Keyword::kRef:
    case Keyword::kDynamicRef:
    case Keyword::kRecursiveRef: return 0;
    case Keyword::kAllOf:
    case Keyword::kAnyOf:
    case Keyword::kOneOf:
    case Keyword::kNot:
    case Keyword::kIf:
    case Keyword::kThen:
    case Keyword::kElse:
    case Keyword::kProperties:
    case Keyword::kPatternProperties:
    case Keyword::kAdditionalProperties:
    case Keyword::kPropertyNames:
    case Keyword::kDependencies:
    case Keyword::kDependentSchemas:
    case Keyword::kItems:
    case Keyword::kPrefixItems:
    case Keyword::kAdditionalItems:
    case Keyword::kContains: return kApplicator;
    case Keyword::kUnevaluatedProperties:
    case Keyword::kUnevaluatedItems: return kUnevaluated;
    case Keyword::kFormat: return kFormatAnnotation | kFormatAssertion;
    default: return kValidation;
  }
}

}  // namespace

KeywordInfo find_keyword(std::string_view name, Dialect dialect) {
  if (name.empty()) return {};
  std::size_t at = hash(name);
  for (; kTable[at] != 0; at = (at + 1) % kTable.size()) {
    const Row& row = kRows[kTable[at] - 1U];
    if (row.name != name) continue;
    if (dialect.draft < row.first || dialect.draft > row.last) return {};
    if (dialect.vocabularies != kStandardVocabularies) {
      const VocabularySet any_of = vocabularies_of(row.keyword);
      if (any_of != 0 && (any_of & dialect.vocabularies) == 0) return {};
    }
    return {row.keyword, row.subschemas};
  }
  return {};
}

std::optional<Draft> draft_of(std::string_view uri) {
  if (uri.ends_with('#')) uri.remove_suffix(1);
  if (uri.starts_with("http://")) {
    uri.remove_prefix(7);
  } else if (uri.starts_with("https://")) {
    uri.remove_prefix(8);
  } else {
    return std::nullopt;
  }
  if (uri == "json-schema.org/draft-04/schema") return Draft::kDraft4;
  if (uri == "json-schema.org/draft-06/schema") return Draft::kDraft6;
  if (uri == "json-schema.org/draft-07/schema") return Draft::kDraft7;
  if (uri == "json-schema.org/draft/2019-09/schema") return Draft::kDraft2019;
  if (uri == "json-schema.org/draft/2020-12/schema" || uri == "json-schema.org/schema") return Draft::kDraft2020;
  return std::nullopt;
}

std::optional<VocabularySet> vocabulary_of(std::string_view uri, bool required, Draft draft) {
  const bool old = draft == Draft::kDraft2019;
  const std::string_view folder =
      old ? "https://json-schema.org/draft/2019-09/vocab/" : "https://json-schema.org/draft/2020-12/vocab/";
  if (!uri.starts_with(folder)) return std::nullopt;
  uri.remove_prefix(folder.size());
  if (uri == "core" || uri == "meta-data" || uri == "content") return VocabularySet{0};
  if (uri == "validation") return kValidation;
  if (uri == "applicator") return static_cast<VocabularySet>(old ? kApplicator | kUnevaluated : kApplicator);
  // In 2019-09 formats are asserted where the vocabulary is required.
  if (old && uri == "format") return required ? kFormatAssertion : kFormatAnnotation;
  if (!old && uri == "unevaluated") return kUnevaluated;
  if (!old && uri == "format-annotation") return kFormatAnnotation;
  if (!old && uri == "format-assertion") return kFormatAssertion;
  return std::nullopt;
}

}  // namespace weir::schema
