// Where schemas stand in a schema. Private to grammar/schema.
#pragma once

#include "schema/json_document.hpp"
#include "schema/keywords.hpp"

namespace weir::schema {

// Calls visit(node) for each schema that the keyword with value `member` holds.
template <class Visit>
void for_each_subschema(const JsonDocument& document, JsonId member, Subschemas subschemas, Visit&& visit) {
  const JsonKind kind = document.kind(member);
  const bool list = subschemas == Subschemas::kList || subschemas == Subschemas::kOneOrList;
  if ((list && kind == JsonKind::kArray) || (subschemas == Subschemas::kMap && kind == JsonKind::kObject)) {
    for (const JsonId child : document.children(member)) visit(child);
  } else if (subschemas == Subschemas::kOne || subschemas == Subschemas::kOneOrList) {
    visit(member);
  }
}

// The $ref beside which, up to draft 7, nothing else counts; kNoJson: there is none, or the draft is later.
inline JsonId hiding_reference(JsonDocument& document, JsonId schema, Draft draft) {
  if (draft > Draft::kDraft7) return kNoJson;
  const JsonId reference = document.find(schema, "$ref");
  return reference != kNoJson && document.kind(reference) == JsonKind::kString ? reference : kNoJson;
}

}  // namespace weir::schema
