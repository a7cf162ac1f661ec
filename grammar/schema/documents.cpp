// Documents beside the first, and dialects that meta-schemas among them define.
#include <fmt/format.h>

#include "schema/metaschemas.hpp"
#include "schema/resources.hpp"
#include "schema/uri.hpp"

namespace weir::schema {

// The draft and vocabularies that the resource's $schema names; without one it keeps those that it has.
void Resources::read_dialect(Resource& resource) {
  const JsonId schema = document_->find(resource.root, "$schema");
  if (schema == kNoJson || diagnostics_->passes_over(schema)) return;
  const Result<Dialect> dialect =
      document_->kind(schema) == JsonKind::kString
          ? dialect_of(document_->text(schema))
          : make_error(ErrorCode::kInvalid, "$schema must be a string, the URI of a draft or of a meta-schema");
  if (dialect) {
    resource.dialect = *dialect;
  } else {
    resource.unknown_dialect = dialect.error();
  }
}

Result<Dialect> Resources::dialect_of(std::string_view schema_uri) {
  if (const auto draft = draft_of(schema_uri)) return Dialect{*draft, kStandardVocabularies};
  const std::string uri(without_fragment(schema_uri));
  // While it is being found out, whoever asks goes round in a circle.
  const auto [known, fresh] = dialects_.try_emplace(
      uri,
      make_error(ErrorCode::kInvalid,
                 fmt::format("the $schema of the meta-schema \"{}\" leads back to it, and never to a draft", uri)));
  if (!fresh) return known->second;
  Result<Dialect> dialect = read_meta_schema(uri);
  return dialects_.insert_or_assign(uri, std::move(dialect)).first->second;
}

Result<Dialect> Resources::read_meta_schema(const std::string& uri) {
  if (!options_->resolver) {
    return make_error(ErrorCode::kUnsupported,
                      fmt::format("unknown dialect \"{}\"; weir reads drafts 4, 6, 7, 2019-09 and 2020-12, such as "
                                  "https://json-schema.org/draft/2020-12/schema, and others if "
                                  "JsonSchemaOptions::resolver has their meta-schemas",
                                  uri));
  }
  const Result<JsonId> root = load(uri, {});
  if (!root) return root.error();
  const JsonId schema = document_->find(*root, "$schema");
  if (schema == kNoJson || document_->kind(schema) != JsonKind::kString) {
    return make_error(ErrorCode::kInvalid,
                      fmt::format("the meta-schema \"{}\" has no $schema that says which draft it extends", uri));
  }
  Result<Dialect> dialect = dialect_of(document_->text(schema));
  const JsonId vocabularies = document_->find(*root, "$vocabulary");
  if (!dialect || dialect->draft < Draft::kDraft2019 || vocabularies == kNoJson) return dialect;
  if (document_->kind(vocabularies) != JsonKind::kObject) {
    return make_error(ErrorCode::kInvalid, fmt::format("$vocabulary of the meta-schema \"{}\" must be an object", uri));
  }
  dialect->vocabularies = 0;
  for (const JsonId line : document_->children(vocabularies)) {
    const bool required = document_->kind(line) == JsonKind::kTrue;
    if (const auto known = vocabulary_of(document_->key(line), required, dialect->draft)) {
      dialect->vocabularies = static_cast<VocabularySet>(dialect->vocabularies | *known);
    } else if (required) {
      return make_error(
          ErrorCode::kUnsupported,
          fmt::format("the dialect \"{}\" requires the vocabulary \"{}\", which weir does not know; use a "
                      "meta-schema whose $vocabulary has it with false, if it says nothing that counts",
                      uri, document_->key(line)));
    }
  }
  return dialect;
}

// `dialect`: of the reference, for documents that do not say theirs.
Result<JsonId> Resources::load(const std::string& uri, Dialect dialect) {
  if (const auto known = loaded_.find(uri); known != loaded_.end()) return known->second;
  const auto read = [&]() -> Result<JsonId> {
    const Result<std::string> text = fetch(uri);
    if (!text) return text.error();
    loaded_bytes_ += text->size();
    if (loaded_.size() >= options_->limits.max_documents || loaded_bytes_ > options_->limits.max_text_bytes) {
      return make_error(ErrorCode::kLimit,
                        fmt::format("with the document \"{}\" the schema is made of more documents or bytes than "
                                    "Limits::max_documents ({}) and max_text_bytes ({}) allow",
                                    uri, options_->limits.max_documents, options_->limits.max_text_bytes));
    }
    Result<JsonDocument> document = JsonDocument::parse(*text, options_->limits);
    if (!document) {
      return make_error(document.error().code,
                        fmt::format("the document \"{}\" cannot be read: {}", uri, document.error().to_string()));
    }
    const JsonId root = document_->append_document(*std::move(document), uri);
    if (root != kNoJson) return root;
    return make_error(ErrorCode::kLimit, fmt::format("with the document \"{}\" the schema has more than {} values", uri,
                                                     JsonDocument::kMaxNodes));
  };
  Result<JsonId> root = read();
  loaded_.emplace(uri, root);
  if (!root) return root;
  Resource resource;
  resource.root = *root;
  resource.base = uri;
  resource.dialect = dialect;
  read_dialect(resource);
  const JsonId id = document_->find(*root, id_keyword(resource.dialect.draft));
  if (id != kNoJson && check_id(id)) resource.base = resolve_uri(uri, document_->text(id));
  const auto number = static_cast<std::uint32_t>(resources_.size());
  by_root_.emplace(*root, number);
  by_base_.emplace(uri, number);
  by_base_.emplace(resource.base, number);
  resources_.push_back(std::move(resource));
  index(number);
  return root;
}

Result<std::string> Resources::fetch(const std::string& uri) const {
  if (const auto text = metaschema_text(uri)) return std::string(*text);
  if (!options_->resolver) {
    return make_error(ErrorCode::kUnsupported,
                      fmt::format("the schema refers to another document, \"{}\", and weir loads none by itself: copy "
                                  "what it says into $defs, or hand it over through JsonSchemaOptions::resolver",
                                  uri));
  }
  Result<std::string> text = options_->resolver(uri);
  if (text) return text;
  return make_error(text.error().code,
                    fmt::format("the document \"{}\" could not be had: {}", uri, text.error().to_string()));
}

}  // namespace weir::schema
