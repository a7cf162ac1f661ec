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

}  // namespace

KeywordInfo find_keyword(std::string_view name, Draft draft) {
  if (name.empty()) return {};
  std::size_t at = hash(name);
  for (; kTable[at] != 0; at = (at + 1) % kTable.size()) {
    const Row& row = kRows[kTable[at] - 1U];
    if (row.name != name) continue;
    if (draft < row.first || draft > row.last) return {};
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

}  // namespace weir::schema
