#include "schema/closed.hpp"

#include <string_view>
#include <unordered_set>

#include "schema/keywords.hpp"
#include "schema/subschemas.hpp"

namespace weir::schema {
namespace {

constexpr unsigned kMostInPlace = 64;  // schemas in place of each other that are looked through

}  // namespace

bool ClosedObjects::closes(JsonId node) {
  if (document_->kind(node) != JsonKind::kObject) return false;
  const JsonId place = document_->origin(node);  // a copy stands where its origin does
  const Role here = role(place);
  if (here.form != Form::kSchema) roles_[place] = {Form::kSchema, Use::kInPlace};  // only references lead here
  if (here.form != Form::kSchema || here.use != Use::kValue) return false;
  return names_keys(node) && !tells_of_all_keys(node, 0);
}

ClosedObjects::Role ClosedObjects::role(JsonId node) {
  if (node == 0) return {Form::kSchema, Use::kValue};
  std::vector<JsonId> path;
  JsonId at = node;
  for (; at != 0 && roles_[at].form == Form::kUnknown; at = document_->parent(at)) {
    if (document_->parent(at) == kNoJson) {
      roles_[at] = {Form::kSchema, Use::kInPlace};  // another document
      break;
    }
    path.push_back(at);
  }
  Role around = at == 0 ? Role{Form::kSchema, Use::kValue} : roles_[at];
  for (; !path.empty(); path.pop_back()) roles_[path.back()] = around = role_below(around, path.back());
  return around;
}

ClosedObjects::Role ClosedObjects::role_below(Role around, JsonId node) const {
  switch (around.form) {
    case Form::kMap:
    case Form::kList: return {Form::kSchema, around.use};
    case Form::kUnknown:
    case Form::kNothing: return {Form::kNothing, around.use};
    case Form::kSchema: break;
  }
  const KeywordInfo keyword = find_keyword(document_->key(node), references_->dialect(node));
  Role role{Form::kNothing, Use::kInPlace};
  switch (keyword.subschemas) {
    case Subschemas::kNone: return role;
    case Subschemas::kOne: role.form = Form::kSchema; break;
    case Subschemas::kList: role.form = Form::kList; break;
    case Subschemas::kMap: role.form = Form::kMap; break;
    case Subschemas::kOneOrList:
      role.form = document_->kind(node) == JsonKind::kArray ? Form::kList : Form::kSchema;
      break;
  }
  switch (keyword.keyword) {
    case Keyword::kProperties:
    case Keyword::kPatternProperties:
    case Keyword::kAdditionalProperties:
    case Keyword::kUnevaluatedProperties:
    case Keyword::kItems:
    case Keyword::kPrefixItems:
    case Keyword::kAdditionalItems:
    case Keyword::kUnevaluatedItems: role.use = Use::kValue; break;
    case Keyword::kNot:
    case Keyword::kIf:
    case Keyword::kContains:
    case Keyword::kPropertyNames: role.use = Use::kQuestion; break;
    default: break;
  }
  if (around.use == Use::kQuestion) role.use = Use::kQuestion;
  return role;
}

bool ClosedObjects::names_keys(JsonId node) {
  std::unordered_set<JsonId> seen;
  std::vector<JsonId> pending{node};
  while (!pending.empty()) {
    const JsonId at = pending.back();
    pending.pop_back();
    if (document_->kind(at) != JsonKind::kObject || !seen.insert(at).second) continue;
    const Dialect dialect = references_->dialect(at);
    const JsonId hiding = hiding_reference(*document_, at, dialect.draft);
    for (const JsonId member : document_->children(at)) {
      if ((hiding != kNoJson && member != hiding) || diagnostics_->passes_over(member)) continue;
      const bool map = document_->kind(member) == JsonKind::kObject;
      switch (find_keyword(document_->key(member), dialect).keyword) {
        case Keyword::kProperties:
        case Keyword::kPatternProperties:
          if (map && (*document_)[member].size > 0) return true;
          break;
        case Keyword::kRef:
        case Keyword::kDynamicRef:
        case Keyword::kRecursiveRef: {
          if (document_->kind(member) != JsonKind::kString) break;
          const JsonId target = references_->resolve(member, document_->text(member));
          if (target != kNoJson) pending.push_back(target);
          break;
        }
        case Keyword::kAllOf:
        case Keyword::kAnyOf:
        case Keyword::kOneOf:
          if (document_->kind(member) != JsonKind::kArray) break;
          for (const JsonId branch : document_->children(member)) pending.push_back(branch);
          break;
        case Keyword::kThen:
        case Keyword::kElse: pending.push_back(member); break;
        case Keyword::kDependencies:
        case Keyword::kDependentSchemas:
          if (!map) break;
          for (const JsonId branch : document_->children(member)) pending.push_back(branch);
          break;
        default: break;
      }
    }
  }
  return false;
}

bool ClosedObjects::may_be_object(JsonId node) {
  if (document_->kind(node) == JsonKind::kFalse) return false;
  if (document_->kind(node) != JsonKind::kObject) return true;
  const JsonId type = document_->find(node, "type");
  if (type == kNoJson || hiding_reference(*document_, node, references_->dialect(node).draft) != kNoJson) {
    return true;
  }
  if (document_->kind(type) == JsonKind::kString) return document_->text(type) == "object";
  for (const JsonId one : document_->children(type)) {
    if (document_->kind(one) == JsonKind::kString && document_->text(one) == "object") return true;
  }
  return document_->kind(type) != JsonKind::kArray;
}

bool ClosedObjects::tells_of_all_keys(JsonId node, unsigned depth) {
  if (document_->kind(node) != JsonKind::kObject || depth == kMostInPlace) return false;
  // While it is being found out it is in doubt, which is as good as no.
  const auto [known, fresh] = tells_.try_emplace(node, false);
  if (!fresh) return known->second;
  const bool tells = keywords_tell_of_all_keys(node, depth);
  tells_[node] = tells;
  return tells;
}

bool ClosedObjects::keywords_tell_of_all_keys(JsonId node, unsigned depth) {
  const Dialect dialect = references_->dialect(node);
  const JsonId hiding = hiding_reference(*document_, node, dialect.draft);
  for (const JsonId member : document_->children(node)) {
    if (hiding != kNoJson && member != hiding) continue;
    if (diagnostics_->passes_over(member)) return true;  // what it would say nobody knows
    switch (find_keyword(document_->key(member), dialect).keyword) {
      case Keyword::kAdditionalProperties:
      case Keyword::kUnevaluatedProperties: return true;
      case Keyword::kRef:
      case Keyword::kDynamicRef:
      case Keyword::kRecursiveRef: {
        if (document_->kind(member) != JsonKind::kString) break;
        const JsonId target = references_->resolve(member, document_->text(member));
        if (target != kNoJson && tells_of_all_keys(target, depth + 1)) return true;
        break;
      }
      case Keyword::kAllOf:
        if (document_->kind(member) != JsonKind::kArray) break;
        for (const JsonId part : document_->children(member)) {
          if (tells_of_all_keys(part, depth + 1)) return true;
        }
        break;
      case Keyword::kAnyOf:
      case Keyword::kOneOf: {
        if (document_->kind(member) != JsonKind::kArray) break;
        bool all = (*document_)[member].size > 0;
        for (const JsonId branch : document_->children(member)) {
          all = all && (!may_be_object(branch) || tells_of_all_keys(branch, depth + 1));
        }
        if (all) return true;
        break;
      }
      default: break;
    }
  }
  return false;
}

}  // namespace weir::schema
