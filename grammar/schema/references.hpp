// Where the $ref, $dynamicRef and $recursiveRef of a schema lead. Most documents refer to nothing but themselves and
// have one resource; there each reference is looked up when it is asked for. For others, all that the root reaches is
// followed beforehand: documents are loaded (resources.hpp) and resources copied where they mean different things in
// different dynamic scopes (dynamic_scopes.hpp), so that afterwards the document no longer changes and a reference
// leads from one node to one node. Private to grammar/schema.
#pragma once

#include <string_view>
#include <unordered_map>

#include "schema/diagnostics.hpp"
#include "schema/json_document.hpp"
#include "schema/resources.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir::schema {

class References {
 public:
  // Errors go to `diagnostics`; one of a reference only when it is resolved.
  References(JsonDocument& document, const JsonSchemaOptions& options, Diagnostics& diagnostics);

  // An error if it is unknown: what the schema's keywords mean is then unknown too.
  Dialect dialect(JsonId schema);
  // The node that `reference`, found in the keyword at node `place` of a schema, names; kNoJson after an error.
  JsonId resolve(JsonId place, std::string_view reference);

 private:
  // What a look at all keys tells: whether there may be resources or anchors below the root, references to other
  // resources, and references that depend on dynamic scopes.
  struct Signs {
    bool names = false;
    bool addresses = false;
    bool dynamic = false;
  };
  Signs read_signs() const;
  void follow();
  JsonId fail(JsonId place, const Error& error);

  JsonDocument* document_;
  Diagnostics* diagnostics_;
  Resources resources_;
  bool followed_ = false;
  std::unordered_map<JsonId, JsonId> targets_;                    // by place; followed_
  std::unordered_map<JsonId, Error> errors_;                      // by place that is no copy; followed_
  std::unordered_map<std::string_view, JsonId> targets_by_text_;  // while there is one resource
};

}  // namespace weir::schema
