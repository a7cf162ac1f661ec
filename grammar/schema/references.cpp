#include "schema/references.hpp"

#include <fmt/format.h>

#include "schema/keywords.hpp"
#include "schema/uri.hpp"

namespace weir::schema {
namespace {

std::string_view id_keyword(Draft draft) { return draft == Draft::kDraft4 ? "id" : "$id"; }

}  // namespace

References::References(JsonDocument& document, const JsonSchemaOptions& options, Diagnostics& diagnostics)
    : document_(&document), diagnostics_(&diagnostics) {
  read_root(options);
  if (!diagnostics.failed() && may_hold_resources()) index_resources();
}

void References::read_root(const JsonSchemaOptions& options) {
  Resource& root = resources_.emplace_back();
  root.draft = options.default_draft;
  const JsonId schema = document_->find(0, "$schema");
  if (schema != kNoJson) {
    if (document_->kind(schema) != JsonKind::kString) {
      diagnostics_->fail(ErrorCode::kInvalid, schema, "$schema must be a string, the URI of a draft");
      return;
    }
    const auto draft = draft_of(document_->text(schema));
    if (!draft) {
      diagnostics_->fail(ErrorCode::kUnsupported, schema,
                         fmt::format("unknown dialect \"{}\"; weir reads drafts 4, 6, 7, 2019-09 and 2020-12, such as "
                                     "https://json-schema.org/draft/2020-12/schema",
                                     document_->text(schema)));
      return;
    }
    root.draft = *draft;
  }
  const JsonId id = document_->find(0, id_keyword(root.draft));
  if (id != kNoJson && document_->kind(id) == JsonKind::kString) {
    root.base = resolve_uri("", document_->text(id));
    if (!root.base.empty()) by_base_.emplace(root.base, 0);
  }
}

// A cheap test over all keys: most documents have no identifiers below the root and need no index.
bool References::may_hold_resources() const {
  for (JsonId node = 1; node < document_->size(); ++node) {
    const std::string_view key = document_->key(node);
    if (key.size() < 2 || key.size() > 14 || document_->kind(node) != JsonKind::kString) continue;
    if (key == "$anchor" || key == "$dynamicAnchor") return true;
    if (key == "$id" || key == "id") {
      // The root's own is read already, unless it is an anchor as well.
      if ((*document_)[node].parent != 0 || document_->text(node).find('#') != std::string_view::npos) return true;
    }
  }
  return false;
}

void References::index_resources() {
  struct Visit {
    JsonId schema;
    std::uint32_t resource;
  };
  std::vector<Visit> pending{{0, 0}};
  while (!pending.empty()) {
    Visit at = pending.back();
    pending.pop_back();
    if (document_->kind(at.schema) != JsonKind::kObject) continue;
    read_schema(at.schema, at.resource);
    const Draft draft = resources_[at.resource].draft;
    for (const JsonId member : document_->children(at.schema)) {
      const Subschemas subschemas = find_keyword(document_->key(member), draft).subschemas;
      const JsonKind kind = document_->kind(member);
      const bool list = subschemas == Subschemas::kList || subschemas == Subschemas::kOneOrList;
      if ((list && kind == JsonKind::kArray) || (subschemas == Subschemas::kMap && kind == JsonKind::kObject)) {
        for (const JsonId child : document_->children(member)) pending.push_back({child, at.resource});
      } else if (subschemas == Subschemas::kOne || subschemas == Subschemas::kOneOrList) {
        pending.push_back({member, at.resource});
      }
    }
  }
}

// Registers what the schema calls itself; `resource` becomes the one it starts.
void References::read_schema(JsonId schema, std::uint32_t& resource) {
  const Draft outer = resources_[resource].draft;
  const bool hidden = outer <= Draft::kDraft7 && document_->find(schema, "$ref") != kNoJson;
  const JsonId id = hidden ? kNoJson : document_->find(schema, id_keyword(outer));
  if (id != kNoJson && document_->kind(id) == JsonKind::kString) {
    const std::string_view text = document_->text(id);
    if (schema != 0 && !without_fragment(text).empty()) {
      Resource inner;
      inner.root = schema;
      inner.base = resolve_uri(resources_[resource].base, text);
      inner.draft = outer;
      // An embedded schema changes the dialect only here, where it starts a resource by the rules of the outer one.
      const JsonId dialect = document_->find(schema, "$schema");
      if (dialect != kNoJson && document_->kind(dialect) == JsonKind::kString) {
        inner.draft = draft_of(document_->text(dialect)).value_or(outer);
      }
      resource = static_cast<std::uint32_t>(resources_.size());
      by_root_.emplace(schema, resource);
      by_base_.emplace(inner.base, resource);
      resources_.push_back(std::move(inner));
    }
    const auto fragment = fragment_of(text);
    if (fragment && !fragment->empty() && outer <= Draft::kDraft7) {
      resources_[resource].anchors.emplace(*fragment, schema);
    }
  }
  if (resources_[resource].draft < Draft::kDraft2019) return;
  for (const std::string_view keyword : {"$anchor", "$dynamicAnchor"}) {
    const JsonId anchor = document_->find(schema, keyword);
    if (anchor != kNoJson && document_->kind(anchor) == JsonKind::kString) {
      resources_[resource].anchors.emplace(document_->text(anchor), schema);
    }
  }
}

std::uint32_t References::resource_of(JsonId node) const {
  if (by_root_.empty()) return 0;
  for (; node != kNoJson; node = (*document_)[node].parent) {
    if (const auto it = by_root_.find(node); it != by_root_.end()) return it->second;
  }
  return 0;
}

Draft References::draft(JsonId schema) const { return resources_[resource_of(schema)].draft; }

JsonId References::resolve(JsonId place, std::string_view reference) {
  if (!single_resource()) return look_up(place, reference);
  // Most schemas are referred to more than once, and what a reference means is the same everywhere.
  const auto [known, fresh] = targets_.try_emplace(reference, kNoJson);
  if (fresh || known->second == kNoJson) known->second = look_up(place, reference);
  return known->second;
}

JsonId References::look_up(JsonId place, std::string_view reference) {
  std::uint32_t target = resource_of((*document_)[place].parent);
  const std::string_view address = without_fragment(reference);
  if (!address.empty()) {
    const auto it = by_base_.find(resolve_uri(resources_[target].base, address));
    if (it == by_base_.end()) {
      diagnostics_->fail(
          ErrorCode::kUnsupported, place,
          fmt::format("the reference \"{}\" leads outside of this document; copy its schema into $defs", reference));
      return kNoJson;
    }
    target = it->second;
  }
  const Resource& resource = resources_[target];
  const std::string_view fragment = fragment_of(reference).value_or("");
  if (fragment.empty()) return resource.root;
  if (fragment.front() == '/') return follow_pointer(place, resource, fragment);
  const auto name = percent_decode(fragment);
  const auto anchor = name ? resource.anchors.find(*name) : resource.anchors.end();
  if (anchor == resource.anchors.end()) {
    diagnostics_->fail(
        ErrorCode::kInvalid, place,
        fmt::format("no schema here has the anchor \"{}\"; define it or correct the reference", fragment));
    return kNoJson;
  }
  return anchor->second;
}

JsonId References::follow_pointer(JsonId place, const Resource& from, std::string_view pointer) {
  const auto fail = [&](std::string_view what) {
    diagnostics_->fail(ErrorCode::kInvalid, place,
                       fmt::format("the reference \"#{}\" leads nowhere: {}; correct it", pointer, what));
    return kNoJson;
  };
  JsonId at = from.root;
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
