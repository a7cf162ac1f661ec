// What a compile looks at besides the values that it expands: every schema that the root reaches.
#include <algorithm>
#include <vector>

#include "schema/expander.hpp"

namespace weir::schema {

void Expander::check_reachable() {
  std::vector<bool> seen(document_->size());
  std::vector<JsonId> pending{0};
  const auto reach = [&](JsonId node) {
    if (node == kNoJson || seen[node]) return;
    seen[node] = true;
    pending.push_back(node);
  };
  const auto reach_children = [&](JsonId list) {
    if (list == kNoJson) return;
    for (const JsonId child : document_->children(list)) reach(child);
  };
  while (!pending.empty() && !diagnostics_->failed()) {
    const Schema& schema = reader_.read(pending.back());
    pending.pop_back();
    if (diagnostics_->failed()) return;
    check_keywords(schema);
    for (const JsonId list :
         {schema.properties, schema.patterns, schema.prefix, schema.all_of, schema.any_of, schema.one_of}) {
      reach_children(list);
    }
    for (const JsonId one :
         {schema.additional, schema.names, schema.rest, schema.contains, schema.reference_target, schema.second_target,
          schema.negated, schema.tested, schema.consequence, schema.alternative, schema.unevaluated_properties,
          schema.unevaluated_items, schema.evaluating_contains}) {
      reach(one);
    }
    for (const JsonId dependency : schema.dependencies) {
      if (document_->kind(dependency) != JsonKind::kArray) reach(dependency);
    }
  }
}

void Expander::check_keywords(const Schema& schema) {
  if (schema.negated != kNoJson) {
    const Schema& inner = reader_.read(schema.negated);
    if (inner.unique != kNoJson && (inner.types & kArrayType) != 0) fail_unsupported(inner.unique);
  }
  if (schema.pattern != kNoJson) pattern_condition(document_->text(schema.pattern), schema.pattern);
  if (schema.format != kNoJson && (schema.types & kStringType) != 0) check_format(schema.format);
  if (divides(schema, schema.types & kNumberTypes)) multiples_of(decimal(schema.multiple), schema.multiple);
  if (schema.patterns != kNoJson) {
    for (const JsonId member : document_->children(schema.patterns)) keys_of_pattern(member);
  }
}

}  // namespace weir::schema
