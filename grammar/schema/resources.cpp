#include "schema/resources.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/subschemas.hpp"
#include "schema/uri.hpp"

namespace weir::schema {

JsonId Resource::dynamic_anchor(std::string_view name) const {
  const auto it = std::find_if(dynamic_anchors.begin(), dynamic_anchors.end(),
                               [&](const auto& anchor) { return anchor.first == name; });
  return it == dynamic_anchors.end() ? kNoJson : it->second;
}

Resources::Resources(JsonDocument& document, const JsonSchemaOptions& options, Diagnostics& diagnostics)
    : document_(&document), options_(&options), diagnostics_(&diagnostics) {
  resources_.emplace_back();  // keeps its index while meta-schemas are loaded
  Resource root;
  root.dialect.draft = options.default_draft;
  read_dialect(root);
  if (root.unknown_dialect) {
    diagnostics.fail(root.unknown_dialect->code, document.find(0, "$schema"), root.unknown_dialect->message);
  }
  const JsonId id = document.find(0, id_keyword(root.dialect.draft));
  if (id != kNoJson && check_id(id)) root.base = resolve_uri("", document.text(id));
  if (!root.base.empty()) by_base_[root.base] = 0;
  resources_.front() = std::move(root);
}

std::uint32_t Resources::resource_of(JsonId node) const {
  if (by_root_.empty()) return 0;
  for (; node != kNoJson; node = (*document_)[node].parent) {
    if (const auto it = by_root_.find(node); it != by_root_.end()) return it->second;
  }
  return 0;
}

void Resources::index(std::uint32_t resource) {
  struct Visit {
    JsonId schema;
    std::uint32_t outer;
  };
  std::vector<Visit> pending{{resources_[resource].root, resource}};
  while (!pending.empty() && !diagnostics_->failed()) {
    const Visit at = pending.back();
    pending.pop_back();
    if (document_->kind(at.schema) != JsonKind::kObject) continue;
    const std::uint32_t inner = read_schema(at.schema, at.outer);
    const Dialect dialect = resources_[inner].dialect;
    for (const JsonId member : document_->children(at.schema)) {
      const Subschemas subschemas = find_keyword(document_->key(member), dialect).subschemas;
      for_each_subschema(*document_, member, subschemas, [&](JsonId child) { pending.push_back({child, inner}); });
    }
  }
}

std::uint32_t Resources::read_schema(JsonId schema, std::uint32_t outer) {
  const Draft draft = resources_[outer].dialect.draft;
  std::uint32_t resource = outer;
  if (hiding_reference(*document_, schema, draft) == kNoJson) {
    const JsonId id = document_->find(schema, id_keyword(draft));
    if (id != kNoJson && check_id(id)) {
      const std::string_view text = document_->text(id);
      if (schema != resources_[outer].root && !without_fragment(text).empty()) {
        resource = start_resource(schema, outer, text);
      }
      const auto fragment = fragment_of(text);
      if (fragment && !fragment->empty() && draft <= Draft::kDraft7) {
        resources_[resource].anchors.emplace(*fragment, schema);
      }
    }
  }
  if (resources_[resource].dialect.draft >= Draft::kDraft2019) read_anchors(schema, resources_[resource]);
  return resource;
}

std::uint32_t Resources::start_resource(JsonId schema, std::uint32_t outer, std::string_view id) {
  Resource inner;
  inner.root = schema;
  inner.base = resolve_uri(resources_[outer].base, id);
  // An embedded schema changes the dialect only here, where it starts a resource by the rules of the outer one.
  inner.dialect = resources_[outer].dialect;
  read_dialect(inner);
  const auto resource = static_cast<std::uint32_t>(resources_.size());
  by_root_.emplace(schema, resource);
  by_base_.emplace(inner.base, resource);
  resources_[outer].inner.push_back(resource);
  resources_.push_back(std::move(inner));
  return resource;
}

void Resources::read_anchors(JsonId schema, Resource& resource) {
  for (const std::string_view keyword : {"$anchor", "$dynamicAnchor"}) {
    const JsonId anchor = document_->find(schema, keyword);
    if (anchor == kNoJson || document_->kind(anchor) != JsonKind::kString || document_->text(anchor).empty()) continue;
    const std::string_view name = document_->text(anchor);
    resource.anchors.emplace(name, schema);
    if (keyword == "$dynamicAnchor" && resource.dialect.draft >= Draft::kDraft2020 &&
        resource.dynamic_anchor(name) == kNoJson) {
      resource.dynamic_anchors.emplace_back(name, schema);
    }
  }
  if (resource.dialect.draft != Draft::kDraft2019 || schema != resource.root) return;
  const JsonId recursive = document_->find(schema, "$recursiveAnchor");
  if (recursive != kNoJson && document_->kind(recursive) == JsonKind::kTrue) {
    resource.dynamic_anchors.emplace_back("", schema);
  }
}

// What is no name at all is an error; false also where the value is no string, as in data that look like a schema.
bool Resources::check_id(JsonId id) {
  if (document_->kind(id) != JsonKind::kString) return false;
  if (is_uri_reference(document_->text(id))) return true;
  return diagnostics_->fail(ErrorCode::kInvalid, id,
                            fmt::format("\"{}\" is no URI: it must consist of the characters of RFC 3986, with others "
                                        "written as %XX",
                                        document_->text(id)));
}

Result<JsonId> Resources::find(JsonId place, std::string_view reference) {
  std::uint32_t target = resource_of((*document_)[place].parent);
  const std::string_view address = without_fragment(reference);
  if (!address.empty()) {
    if (!is_uri_reference(address)) {
      return make_error(ErrorCode::kInvalid, fmt::format("the reference \"{}\" is no URI: it must consist of the "
                                                         "characters of RFC 3986, with others written as %XX",
                                                         reference));
    }
    const std::string uri = resolve_uri(resources_[target].base, address);
    auto it = by_base_.find(uri);
    if (it == by_base_.end()) {
      const Result<JsonId> root = load(uri, resources_[target].dialect);
      if (!root) return root.error();
      it = by_base_.find(uri);
    }
    target = it->second;
  }
  const Resource& resource = resources_[target];
  const std::string_view fragment = fragment_of(reference).value_or("");
  if (fragment.empty()) return resource.root;
  if (fragment.front() == '/') return follow_pointer(resource.root, fragment);
  const auto name = percent_decode(fragment);
  const auto anchor = name ? resource.anchors.find(*name) : resource.anchors.end();
  if (anchor == resource.anchors.end()) {
    return make_error(
        ErrorCode::kInvalid,
        address.empty()
            ? fmt::format("no schema here has the anchor \"{}\"; define it or correct the reference", fragment)
            : fmt::format("no schema in \"{}\" has the anchor \"{}\"; correct the reference", address, fragment));
  }
  return anchor->second;
}

Result<JsonId> Resources::follow_pointer(JsonId root, std::string_view pointer) {
  const auto fail = [&](std::string_view what) {
    return make_error(ErrorCode::kInvalid,
                      fmt::format("the reference \"#{}\" leads nowhere: {}; correct it", pointer, what));
  };
  JsonId at = root;
  std::string_view rest = pointer;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view raw = rest.substr(0, rest.find('/'));
    rest.remove_prefix(raw.size());
    std::string_view token = raw;
    std::string decoded;
    if (raw.find('%') != std::string_view::npos || raw.find('~') != std::string_view::npos) {
      const auto bytes = percent_decode(raw);
      if (!bytes) return fail("'%' without two hexadecimal digits");
      for (std::size_t i = 0; i < bytes->size(); ++i) {
        const char c = (*bytes)[i];
        if (c != '~') {
          decoded += c;
          continue;
        }
        const char next = i + 1 < bytes->size() ? (*bytes)[++i] : '\0';
        if (next != '0' && next != '1') return fail("'~' must stand before 0 or 1");
        decoded += next == '0' ? '~' : '/';
      }
      token = decoded;
    }
    JsonId next = kNoJson;
    if (document_->kind(at) == JsonKind::kArray) {
      const bool index = !token.empty() && token.size() <= 9 && (token.size() == 1 || token[0] != '0') &&
                         token.find_first_not_of("0123456789") == std::string_view::npos;
      if (index) next = document_->item(at, static_cast<std::uint32_t>(std::stoul(std::string(token))));
    } else {
      next = document_->find(at, token);
    }
    if (next == kNoJson) return fail(fmt::format("there is no \"{}\" at \"{}\"", token, document_->pointer(at)));
    at = next;
  }
  return at;
}

}  // namespace weir::schema
