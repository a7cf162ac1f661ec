#include "schema/dynamic_scopes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/subschemas.hpp"
#include "schema/uri.hpp"

namespace weir::schema {

void ReferenceWalk::run() {
  find_static_targets();
  if (diagnostics_->failed()) return;
  if (names_.empty()) {
    for (const auto& [place, target] : static_targets_) targets.emplace(place, target.node);
    return;
  }
  find_uses();
  find_targets();
}

bool ReferenceWalk::reach(JsonId node) {
  if (node >= seen_.size()) seen_.resize(document_->size());
  if (seen_[node]) return false;
  seen_[node] = true;
  pending_.push_back(node);
  return true;
}

void ReferenceWalk::find_static_targets() {
  reach(0);
  while (!pending_.empty() && !diagnostics_->failed()) {
    const JsonId schema = pending_.back();
    pending_.pop_back();
    if (read_schema(schema)) {
      for (const JsonId inner : schemas_) reach(inner);
      for (const Reference reference : references_) find_static_target(reference);
    }
    if (!pending_.empty() || names_.empty()) continue;
    // A dynamic reference may lead to each anchor of its name, wherever the scope has it from.
    for (std::uint32_t i = 0; i < resources_->size(); ++i) {
      for (const auto& [name, node] : (*resources_)[i].dynamic_anchors) {
        if (names_.contains(name)) reach(node);
      }
    }
  }
}

// False: it is no object, or its dialect is unknown.
bool ReferenceWalk::read_schema(JsonId schema) {
  schemas_.clear();
  references_.clear();
  if (document_->kind(schema) != JsonKind::kObject) return false;
  const Resource& resource = (*resources_)[resources_->resource_of(document_->origin(schema))];
  if (resource.unknown_dialect) return false;
  const JsonId hiding = hiding_reference(*document_, schema, resource.dialect.draft);
  if (hiding != kNoJson) {
    references_.push_back({hiding, Keyword::kRef});
    return true;
  }
  for (const JsonId member : document_->children(schema)) {
    const KeywordInfo info = find_keyword(document_->key(member), resource.dialect);
    switch (info.keyword) {
      case Keyword::kAnnotation: break;  // $defs: only what is referred to
      case Keyword::kRef:
      case Keyword::kDynamicRef:
      case Keyword::kRecursiveRef:
        if (document_->kind(member) == JsonKind::kString) references_.push_back({member, info.keyword});
        break;
      default:
        for_each_subschema(*document_, member, info.subschemas, [&](JsonId child) { schemas_.push_back(child); });
    }
  }
  return true;
}

void ReferenceWalk::find_static_target(Reference reference) {
  const std::string_view text = document_->text(reference.place);
  const Result<JsonId> found = resources_->find(reference.place, text);
  if (!found) {
    errors.emplace(reference.place, found.error());
    return;
  }
  const std::uint32_t from = resources_->resource_of(document_->parent(reference.place));
  const std::uint32_t to = resources_->resource_of(*found);
  if (from != to) links_.emplace_back(from, to);
  StaticTarget target{*found, kNoName};
  // A dynamic reference is one only where its static target is a dynamic anchor of that name.
  const std::string anchor = percent_decode(fragment_of(text).value_or("")).value_or("");
  const bool dynamic =
      reference.keyword == Keyword::kRecursiveRef || (reference.keyword == Keyword::kDynamicRef && !anchor.empty());
  if (dynamic && (*resources_)[to].dynamic_anchor(anchor) == *found) {
    target.name = name_of(anchor);
    calls_.emplace_back(from, target.name);
    if (names_.size() > limits_->max_dynamic_scopes) {
      diagnostics_->fail(ErrorCode::kLimit, reference.place,
                         fmt::format("the schema has dynamic references to more than {} different anchors "
                                     "(Limits::max_dynamic_scopes)",
                                     limits_->max_dynamic_scopes));
    }
  }
  static_targets_.emplace(reference.place, target);
  reach(target.node);
}

ReferenceWalk::Name ReferenceWalk::name_of(std::string_view anchor) {
  const auto [known, fresh] = names_.try_emplace(std::string(anchor), static_cast<Name>(names_.size()));
  if (fresh) anchor_of_.emplace_back(anchor);
  return known->second;
}

// Which names a resource asks the scope for, itself or through what it leads to.
void ReferenceWalk::find_uses() {
  const std::size_t resources = resources_->size();
  // A name is used by whoever calls it; what the resources that have such an anchor use, callers use as well. So names
  // are nodes of the graph too, after the resources.
  std::vector<std::vector<std::uint32_t>> users(resources + names_.size());
  const auto add = [&](std::uint32_t user, std::size_t used) { users[used].push_back(user); };
  for (const auto& [from, to] : links_) add(from, to);
  for (const auto& [from, name] : calls_) add(from, resources + name);
  for (std::uint32_t i = 0; i < resources; ++i) {
    for (const std::uint32_t inner : (*resources_)[i].inner) add(i, inner);
    for (const auto& [anchor, node] : (*resources_)[i].dynamic_anchors) {
      const auto name = names_.find(anchor);
      if (name != names_.end()) add(static_cast<std::uint32_t>(resources + name->second), i);
    }
  }
  uses_.assign(users.size(), std::vector<bool>(names_.size()));
  std::vector<std::pair<std::size_t, Name>> pending;
  const auto use = [&](std::size_t user, Name name) {
    if (uses_[user][name]) return;
    uses_[user][name] = true;
    pending.emplace_back(user, name);
  };
  for (Name name = 0; name < names_.size(); ++name) use(resources + name, name);
  while (!pending.empty()) {
    const auto [used, name] = pending.back();
    pending.pop_back();
    for (const std::uint32_t user : users[used]) use(user, name);
  }
}

void ReferenceWalk::find_targets() {
  std::vector<bool> is_inner(resources_->size());
  for (std::uint32_t i = 0; i < resources_->size(); ++i) {
    for (const std::uint32_t inner : (*resources_)[i].inner) is_inner[inner] = true;
  }
  for (std::uint32_t i = 0; i < resources_->size(); ++i) {
    if (!is_inner[i]) place(i, (*resources_)[i].root, {});
  }
  seen_.assign(document_->size(), false);
  reach(0);
  while (!pending_.empty() && !diagnostics_->failed()) {
    const JsonId schema = pending_.back();
    pending_.pop_back();
    if (!read_schema(schema)) continue;
    for (const JsonId inner : schemas_) reach(inner);
    for (const Reference reference : references_) {
      const auto target = static_targets_.find(document_->origin(reference.place));
      if (target == static_targets_.end()) continue;
      const JsonId node = target_of(reference.place, target->second);
      if (node == kNoJson) return;
      targets.emplace(reference.place, node);
      reach(node);
    }
  }
}

// Notes where a resource stands, and those inside it. `outer`: the scope in which it is entered.
void ReferenceWalk::place(std::uint32_t resource, JsonId root, const Scope& outer) {
  struct Entry {
    std::uint32_t resource;
    JsonId root;
    Scope outer;
  };
  std::vector<Entry> pending;
  pending.push_back({resource, root, outer});
  while (!pending.empty()) {
    const Entry at = std::move(pending.back());
    pending.pop_back();
    const Scope scope = enter(at.outer, at.resource);
    const std::uint32_t id = intern(scope);
    placements_.emplace(at.root, Placement{at.resource, id});
    instances_.emplace(std::pair(at.resource, id), at.root);
    const Resource& here = (*resources_)[at.resource];
    for (const std::uint32_t inner : here.inner) {
      pending.push_back({inner, at.root + ((*resources_)[inner].root - here.root), scope});
    }
  }
}

ReferenceWalk::Scope ReferenceWalk::enter(const Scope& scope, std::uint32_t resource) const {
  Scope out;
  for (const auto& entry : scope) {
    if (uses_[resource][entry.first]) out.push_back(entry);
  }
  const std::size_t before = out.size();
  for (const auto& [anchor, node] : (*resources_)[resource].dynamic_anchors) {
    const auto name = names_.find(anchor);
    if (name == names_.end() || !uses_[resource][name->second]) continue;
    const bool known = std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(before),
                                   [&](const auto& entry) { return entry.first == name->second; });
    if (!known) out.emplace_back(name->second, resource);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::uint32_t ReferenceWalk::intern(Scope scope) {
  const auto [known, fresh] = scope_ids_.try_emplace(scope, static_cast<std::uint32_t>(scopes_.size()));
  if (fresh) scopes_.push_back(std::move(scope));
  return known->second;
}

ReferenceWalk::Placement ReferenceWalk::placement_of(JsonId node) const {
  for (; node != kNoJson; node = document_->parent(node)) {
    if (const auto it = placements_.find(node); it != placements_.end()) return it->second;
  }
  return {0, 0};  // never: each document's root has one
}

JsonId ReferenceWalk::target_of(JsonId place, StaticTarget target) {
  const Scope scope = scopes_[placement_of(place).scope];
  JsonId node = target.node;
  std::uint32_t resource = resources_->resource_of(node);
  if (target.name != kNoName) {
    const auto outermost =
        std::find_if(scope.begin(), scope.end(), [&](const auto& entry) { return entry.first == target.name; });
    if (outermost != scope.end()) {
      resource = outermost->second;
      node = (*resources_)[resource].dynamic_anchor(anchor_of_[target.name]);
    }
  }
  const JsonId root = instance_of(resource, enter(scope, resource), place);
  return root == kNoJson ? kNoJson : root + (node - (*resources_)[resource].root);
}

// The root of the resource, or of its copy, in that scope.
JsonId ReferenceWalk::instance_of(std::uint32_t resource, Scope scope, JsonId place) {
  const std::uint32_t id = intern(scope);
  if (const auto known = instances_.find({resource, id}); known != instances_.end()) return known->second;
  const JsonId root =
      copies_ < limits_->max_dynamic_scopes ? document_->append_copy((*resources_)[resource].root) : kNoJson;
  if (root == kNoJson) {
    diagnostics_->fail(ErrorCode::kLimit, place,
                       fmt::format("the dynamic references of this schema mean different things in more scopes than "
                                   "Limits::max_dynamic_scopes ({}) or {} values allow",
                                   limits_->max_dynamic_scopes, JsonDocument::kMaxNodes));
    return kNoJson;
  }
  ++copies_;
  this->place(resource, root, scope);
  return root;
}

}  // namespace weir::schema
