// Follows all references that the root reaches, and resolves those that depend on the dynamic scope.
//
// A dynamic scope is the sequence of resources that evaluation has entered. All that $dynamicRef and $recursiveRef ask
// of it is, for each anchor, the outermost resource that has it. Reduced to that, and to the anchors that anything
// below a resource can ask for, there are finitely many scopes, and mostly one for a resource. Where there are more,
// each further one gets a copy of the resource's nodes: after that a node tells its scope, and whoever reads schemas
// need not know about scopes. Private to grammar/schema.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schema/diagnostics.hpp"
#include "schema/json_document.hpp"
#include "schema/keywords.hpp"
#include "schema/resources.hpp"
#include "weir/grammar/limits.hpp"

namespace weir::schema {

class ReferenceWalk {
 public:
  ReferenceWalk(JsonDocument& document, Resources& resources, const Limits& limits, Diagnostics& diagnostics)
      : document_(&document), resources_(&resources), limits_(&limits), diagnostics_(&diagnostics) {}

  // Afterwards `targets` has, by the place of each reference, where it leads, and `errors`, by places that are no
  // copies, why it leads nowhere. Other errors go to the diagnostics.
  void run();

  std::unordered_map<JsonId, JsonId> targets;
  std::unordered_map<JsonId, Error> errors;

 private:
  using Name = std::uint32_t;  // of a dynamic anchor that some reference asks for
  static constexpr Name kNoName = 0xFFFFFFFF;
  using Scope = std::vector<std::pair<Name, std::uint32_t>>;  // in order of names: the outermost resource that has it

  struct Reference {
    JsonId place;
    Keyword keyword;
  };
  struct StaticTarget {
    JsonId node;
    Name name;  // kNoName: the scope has no part in it
  };
  // Where a resource, or a copy of it, stands.
  struct Placement {
    std::uint32_t resource;
    std::uint32_t scope;
  };

  // --- where references lead before any scope
  void find_static_targets();
  bool reach(JsonId node);
  bool read_schema(JsonId schema);  // into schemas_ and references_
  void find_static_target(Reference reference);
  Name name_of(std::string_view anchor);
  void find_uses();

  // --- scopes
  void find_targets();
  void place(std::uint32_t resource, JsonId root, const Scope& outer);
  Scope enter(const Scope& scope, std::uint32_t resource) const;
  std::uint32_t intern(Scope scope);
  Placement placement_of(JsonId node) const;
  JsonId target_of(JsonId place, StaticTarget target);
  JsonId instance_of(std::uint32_t resource, Scope scope, JsonId place);

  JsonDocument* document_;
  Resources* resources_;
  const Limits* limits_;
  Diagnostics* diagnostics_;

  std::vector<bool> seen_;  // by node
  std::vector<JsonId> pending_;
  std::vector<JsonId> schemas_;  // in the schema that was read last
  std::vector<Reference> references_;

  std::unordered_map<JsonId, StaticTarget> static_targets_;  // by place
  std::map<std::string, Name, std::less<>> names_;
  std::vector<std::string> anchor_of_;                          // by name
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links_;  // from one resource to another
  std::vector<std::pair<std::uint32_t, Name>> calls_;           // by a dynamic reference in a resource
  std::vector<std::vector<bool>> uses_;                         // by resource and name

  std::vector<Scope> scopes_;
  std::map<Scope, std::uint32_t> scope_ids_;
  std::unordered_map<JsonId, Placement> placements_;                     // by root
  std::map<std::pair<std::uint32_t, std::uint32_t>, JsonId> instances_;  // roots by resource and scope
  std::uint32_t copies_ = 0;
};

}  // namespace weir::schema
