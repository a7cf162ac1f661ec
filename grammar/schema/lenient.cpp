#include "schema/lenient.hpp"

#include <utility>

#include <fmt/format.h>

#include "schema/keywords.hpp"

namespace weir::schema {
namespace {

bool is_reference(std::string_view keyword) {
  return keyword == "$ref" || keyword == "$dynamicRef" || keyword == "$recursiveRef";
}

}  // namespace

Lenient::Lenient(JsonDocument document, const JsonSchemaOptions& options)
    : copy_(std::move(document)), document_(&copy_), quiet_(copy_), references_(copy_, options, quiet_) {
  find_uses();
}

// Any place that looks like a reference counts as one, and dynamic ones lead to every dynamic anchor: to loosen too
// much is no fault.
void Lenient::find_uses() {
  std::vector<JsonId> dynamic;  // targets
  std::vector<JsonId> dynamic_users;
  for (JsonId node = 0; node < document_->size(); ++node) {
    const JsonId schema = (*document_)[node].parent;
    if (schema == kNoJson) continue;
    const std::string_view key = document_->key(node);
    if (key == "$dynamicAnchor" || key == "$recursiveAnchor") dynamic.push_back(schema);
    if (!is_reference(key) || document_->kind(node) != JsonKind::kString) continue;
    const JsonId target = references_.resolve(node, document_->text(node));
    if (target != kNoJson) users_[target].push_back(schema);
    if (key != "$ref") dynamic_users.push_back(schema);
  }
  for (const JsonId target : dynamic) {
    std::vector<JsonId>& users = users_[target];
    users.insert(users.end(), dynamic_users.begin(), dynamic_users.end());
  }
}

bool Lenient::drop(JsonId keyword, std::string_view why) {
  if (!passed_over_.keywords.insert(keyword).second) return false;
  warnings_.push_back(
      {fmt::format("\"{}\" is passed over: {}", document_->key(keyword), why), document_->pointer(keyword)});
  return true;
}

bool Lenient::pass_over(JsonId place, const Error& error) {
  if (place == kNoJson || place == 0 || place >= (*document_)[0].end) return false;
  JsonId keyword = place;
  JsonId schema = (*document_)[keyword].parent;
  if (document_->key(schema) == "patternProperties") {
    // A pattern says which keys it is about, and with that which are additional.
    keyword = schema;
    schema = (*document_)[keyword].parent;
    for (const std::string_view name : {"additionalProperties", "unevaluatedProperties"}) {
      const JsonId other = document_->find(schema, name);
      if (other != kNoJson) drop(other, "which keys it is about depends on a pattern that weir cannot keep");
    }
    forget_what_is_evaluated();
  }
  if (!drop(keyword, error.message)) return false;
  if (is_reference(document_->key(keyword))) forget_what_is_evaluated();
  loosen(schema);
  while (!pending_.empty()) {
    const JsonId loose = pending_.back();
    pending_.pop_back();
    const auto users = users_.find(loose);
    if (users != users_.end()) {
      for (const JsonId user : users->second) loosen(user);
    }
    // The schema is the value of a keyword, or one of several. A key may be the name of a keyword or of a property:
    // both are looked at.
    const JsonId around = (*document_)[loose].parent;
    if (around == kNoJson) continue;
    if (document_->kind(around) == JsonKind::kObject) loosen_user(loose, around);
    if ((*document_)[around].parent != kNoJson) loosen_user(around, (*document_)[around].parent);
  }
  return true;
}

void Lenient::loosen(JsonId schema) {
  if (loose_.insert(schema).second) pending_.push_back(schema);
}

// A schema that the keyword holds is loose.
void Lenient::loosen_user(JsonId keyword, JsonId schema) {
  if (document_->kind(schema) != JsonKind::kObject) return;
  constexpr std::string_view kWhy = "it asks whether a schema holds that weir cannot keep exactly";
  const KeywordInfo info = find_keyword(document_->key(keyword), references_.dialect(schema));
  if (info.subschemas == Subschemas::kNone) return;
  switch (info.keyword) {
    case Keyword::kAnnotation: return;  // $defs
    case Keyword::kNot: drop(keyword, kWhy); break;
    case Keyword::kIf:
      drop(keyword, kWhy);
      forget_what_is_evaluated();
      break;
    case Keyword::kOneOf:
      if (passed_over_.one_of.insert(keyword).second) {
        warnings_.push_back({"\"oneOf\" is read as \"anyOf\": weir cannot keep one of its schemas exactly",
                             document_->pointer(keyword)});
      }
      break;
    case Keyword::kContains:
      if (const JsonId most = document_->find(schema, "maxContains"); most != kNoJson) drop(most, kWhy);
      break;
    default: break;
  }
  loosen(schema);
}

void Lenient::forget_what_is_evaluated() {
  for (JsonId node = 1; node < document_->size(); ++node) {
    const std::string_view key = document_->key(node);
    if (key != "unevaluatedProperties" && key != "unevaluatedItems") continue;
    if (drop(node, "weir passes over something that may evaluate keys or items")) loosen((*document_)[node].parent);
  }
}

}  // namespace weir::schema
