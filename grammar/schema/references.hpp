// Where the $ref of a schema leads: resources ($id), anchors, JSON Pointers. Private to grammar/schema.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/diagnostics.hpp"
#include "schema/json_document.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir::schema {

class References {
 public:
  // Reads the root's $schema, and all resources if the document has any beside the root. Errors go to `diagnostics`.
  References(JsonDocument& document, const JsonSchemaOptions& options, Diagnostics& diagnostics);

  Draft draft(JsonId schema) const;
  // The node that `reference`, found in the keyword at node `place` of a schema, names; kNoJson after an error.
  JsonId resolve(JsonId place, std::string_view reference);
  // One resource, so that dynamic scopes hold nothing but the root.
  bool single_resource() const { return resources_.size() == 1; }

 private:
  struct Resource {
    JsonId root = 0;
    Draft draft = Draft::kDraft2020;
    std::string base;  // absolute where the document says so, without fragment
    std::unordered_map<std::string_view, JsonId> anchors;
  };

  void read_root(const JsonSchemaOptions& options);
  bool may_hold_resources() const;
  void index_resources();
  void read_schema(JsonId schema, std::uint32_t& resource);
  std::uint32_t resource_of(JsonId node) const;
  JsonId look_up(JsonId place, std::string_view reference);
  JsonId follow_pointer(JsonId place, const Resource& from, std::string_view pointer);

  JsonDocument* document_;
  Diagnostics* diagnostics_;
  std::vector<Resource> resources_;                    // 0: the whole document
  std::unordered_map<JsonId, std::uint32_t> by_root_;  // of resources beside the first
  std::unordered_map<std::string, std::uint32_t> by_base_;
  std::unordered_map<std::string_view, JsonId> targets_;  // of references, while there is one resource
};

}  // namespace weir::schema
