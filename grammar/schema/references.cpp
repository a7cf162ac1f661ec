#include "schema/references.hpp"

#include <vector>

#include "schema/dynamic_scopes.hpp"
#include "schema/keywords.hpp"

namespace weir::schema {

References::References(JsonDocument& document, const JsonSchemaOptions& options, Diagnostics& diagnostics)
    : document_(&document), diagnostics_(&diagnostics), resources_(document, options, diagnostics) {
  if (diagnostics.failed()) return;
  const Signs signs = read_signs();
  if (signs.names || signs.addresses) resources_.index_first_document();
  if (diagnostics.failed() || (!signs.addresses && (!signs.dynamic || resources_.size() == 1))) return;
  followed_ = true;
  ReferenceWalk walk(document, resources_, options.limits, diagnostics);
  walk.run();
  targets_ = std::move(walk.targets);
  errors_ = std::move(walk.errors);
}

// A cheap test over all keys: most documents have nothing of this and need neither an index nor a walk.
References::Signs References::read_signs() const {
  Signs signs;
  const auto end = static_cast<JsonId>((*document_)[0].end);
  for (JsonId node = 1; node < end; ++node) {
    const std::string_view key = document_->key(node);
    if (key.size() < 2 || key.size() > 14 || document_->kind(node) != JsonKind::kString) continue;
    if (key == "$ref") {
      signs.addresses = signs.addresses || (!document_->text(node).empty() && document_->text(node).front() != '#');
    } else if (key == "$anchor" || key == "$dynamicAnchor") {
      signs.names = true;
    } else if (key == "$dynamicRef" || key == "$recursiveRef") {
      signs.dynamic = true;
      signs.addresses = signs.addresses || (!document_->text(node).empty() && document_->text(node).front() != '#');
    } else if (key == "$id" || key == "id") {
      // The root's own is read already, unless it is an anchor as well.
      signs.names =
          signs.names || (*document_)[node].parent != 0 || document_->text(node).find('#') != std::string_view::npos;
    }
  }
  return signs;
}

Dialect References::dialect(JsonId schema) {
  if (resources_.size() == 1) return resources_[0].dialect;  // a root of an unknown one is an error already
  const Resource& resource = resources_[resources_.resource_of(document_->origin(schema))];
  if (resource.unknown_dialect) fail(document_->find(resource.root, "$schema"), *resource.unknown_dialect);
  return resource.dialect;
}

JsonId References::resolve(JsonId place, std::string_view reference) {
  if (followed_) {
    if (const auto known = targets_.find(place); known != targets_.end()) return known->second;
    const auto error = errors_.find(document_->origin(place));
    return fail(place, error != errors_.end()
                           ? error->second
                           : make_error(ErrorCode::kUnsupported, "this reference stands where no schema was expected"));
  }
  // Most schemas are referred to more than once, and in a single resource a reference means the same everywhere.
  const bool one_resource = resources_.size() == 1;
  if (one_resource) {
    if (const auto known = targets_by_text_.find(reference); known != targets_by_text_.end()) return known->second;
  }
  const Result<JsonId> target = resources_.find(place, reference);
  if (!target) return fail(place, target.error());
  if (one_resource) targets_by_text_.emplace(reference, *target);
  return *target;
}

JsonId References::fail(JsonId place, const Error& error) {
  diagnostics_->fail(error.code, place, error.message);
  return kNoJson;
}

}  // namespace weir::schema
