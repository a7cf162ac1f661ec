// Objects closed by default: which schemas mean `unevaluatedProperties: false` though they do not say so. Private to
// grammar/schema.
//
// Those that describe a value of their own (the root, the schemas of properties and of items) and name keys, in
// `properties` or `patternProperties` of their own or of a schema in place; unless they say themselves what becomes of
// other keys. So a value's keys are those that any of its schemas names, whether by allOf, $ref or a branch that holds.
// Not those below `not`, `if`, `contains` and `propertyNames`: they are questions, not descriptions.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "schema/json_document.hpp"
#include "schema/references.hpp"

namespace weir::schema {

class ClosedObjects {
 public:
  ClosedObjects(JsonDocument& document, References& references, const Diagnostics& diagnostics)
      : document_(&document), references_(&references), diagnostics_(&diagnostics), roles_(document.size()) {}

  // Precondition: `node` is a schema, and the schemas around it were asked about before it.
  bool closes(JsonId node);

 private:
  enum class Form : std::uint8_t { kUnknown, kNothing, kSchema, kMap, kList };  // a map or list of schemas
  enum class Use : std::uint8_t { kInPlace, kValue, kQuestion };
  struct Role {
    Form form = Form::kUnknown;
    Use use = Use::kInPlace;
  };

  Role role(JsonId node);
  Role role_below(Role around, JsonId node) const;
  bool names_keys(JsonId node);
  // Says what becomes of every key of an object that satisfies it, whether by itself or in place.
  bool tells_of_all_keys(JsonId node, unsigned depth);
  bool keywords_tell_of_all_keys(JsonId node, unsigned depth);
  bool may_be_object(JsonId node);

  JsonDocument* document_;
  References* references_;
  const Diagnostics* diagnostics_;
  std::vector<Role> roles_;  // by node
  std::unordered_map<JsonId, bool> tells_;
};

}  // namespace weir::schema
