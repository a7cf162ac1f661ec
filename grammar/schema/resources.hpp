// The documents of a schema and what is in them by name: resources ($id), anchors, JSON Pointers. Documents that a
// reference leads to are loaded once: from those that weir knows (metaschemas.hpp), else through the caller's resolver.
// Private to grammar/schema.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schema/diagnostics.hpp"
#include "schema/json_document.hpp"
#include "schema/keywords.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir::schema {

struct Resource {
  JsonId root = 0;
  Dialect dialect;
  std::string base;  // absolute where the document says so, without fragment
  std::unordered_map<std::string_view, JsonId> anchors;
  // $dynamicAnchor by name, also among `anchors`; $recursiveAnchor with an empty name.
  std::vector<std::pair<std::string_view, JsonId>> dynamic_anchors;
  std::vector<std::uint32_t> inner;  // resources that start inside this one
  std::optional<Error> unknown_dialect;

  JsonId dynamic_anchor(std::string_view name) const;  // kNoJson: none
};

class Resources {
 public:
  // Reads what the root of the first document says of itself. Errors go to `diagnostics`.
  Resources(JsonDocument& document, const JsonSchemaOptions& options, Diagnostics& diagnostics);

  // Finds the resources and anchors below the root of the first document.
  void index_first_document() { index(0); }

  std::size_t size() const { return resources_.size(); }
  const Resource& operator[](std::uint32_t resource) const { return resources_[resource]; }
  // The innermost one that holds the node. Linear in the depth of the node, where there is more than one.
  std::uint32_t resource_of(JsonId node) const;

  // What the reference at node `place` names. Loads documents, so that nodes may move. Errors have no place yet.
  // Precondition, as everywhere here: no copy.
  Result<JsonId> find(JsonId place, std::string_view reference);

 private:
  void index(std::uint32_t resource);
  // What the schema calls itself is written down; returns the resource that holds it, which may start with it.
  std::uint32_t read_schema(JsonId schema, std::uint32_t outer);
  std::uint32_t start_resource(JsonId schema, std::uint32_t outer, std::string_view id);
  void read_anchors(JsonId schema, Resource& resource);
  bool check_id(JsonId id);
  Result<JsonId> follow_pointer(JsonId root, std::string_view pointer);

  // --- documents and dialects (documents.cpp)
  void read_dialect(Resource& resource);
  Result<Dialect> dialect_of(std::string_view schema_uri);
  Result<Dialect> read_meta_schema(const std::string& uri);
  Result<JsonId> load(const std::string& uri, Dialect dialect);
  Result<std::string> fetch(const std::string& uri) const;

  JsonDocument* document_;
  const JsonSchemaOptions* options_;
  Diagnostics* diagnostics_;
  std::vector<Resource> resources_;                    // 0: the whole first document
  std::unordered_map<JsonId, std::uint32_t> by_root_;  // of resources beside the first
  std::unordered_map<std::string, std::uint32_t> by_base_;
  std::unordered_map<std::string, Result<JsonId>> loaded_;     // roots by URI
  std::unordered_map<std::string, Result<Dialect>> dialects_;  // of meta-schemas by URI
  std::size_t loaded_bytes_ = 0;
};

}  // namespace weir::schema
