#include "schema/model.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/formats.hpp"
#include "schema/keywords.hpp"
#include "schema/number.hpp"
#include "schema/subschemas.hpp"

namespace weir::schema {
namespace {

constexpr unsigned kMaxReferenceChain = 512;

}  // namespace

TypeSet type_of(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull: return kNullType;
    case JsonKind::kFalse:
    case JsonKind::kTrue: return kBooleanType;
    case JsonKind::kNumber: return kNumberTypes;
    case JsonKind::kString: return kStringType;
    case JsonKind::kArray: return kArrayType;
    case JsonKind::kObject: return kObjectType;
  }
  return 0;
}

const Schema& SchemaReader::read(JsonId node) {
  if (schema_of_[node] == kNone) {
    schema_of_[node] = static_cast<std::uint32_t>(schemas_.size());
    schemas_.resize_at_least(schemas_.size() + 1);
    Schema& schema = schemas_[schema_of_[node]];
    schema.node = node;
    const Dialect dialect = references_.dialect(node);
    schema.draft = dialect.draft;
    schema.vocabularies = dialect.vocabularies;
    read_keywords(schema);
  }
  return schemas_[schema_of_[node]];
}

const Schema& SchemaReader::resolve(JsonId node) {
  const Schema* schema = &read(node);
  for (unsigned steps = 0; schema->reference_target != kNoJson && !schema->asserts(); ++steps) {
    if (schema->second_reference != kNoJson || schema->all_of != kNoJson || schema->any_of != kNoJson ||
        schema->one_of != kNoJson || schema->by_formula()) {
      break;
    }
    if (steps == kMaxReferenceChain) {
      diagnostics_->fail(ErrorCode::kInvalid, schema->reference,
                         fmt::format("this reference leads to itself, or through more than {} others, without ever "
                                     "reaching a schema that says something",
                                     kMaxReferenceChain));
      break;
    }
    schema = &read(schema->reference_target);
  }
  return *schema;
}

bool SchemaReader::invalid(JsonId value, std::string_view what) {
  return diagnostics_->fail(ErrorCode::kInvalid, value, fmt::format("\"{}\" must be {}", document_->key(value), what));
}

bool SchemaReader::expect(JsonId value, JsonKind kind, std::string_view what) {
  return document_->kind(value) == kind || invalid(value, what);
}

bool SchemaReader::expect_schema_list(JsonId value) {
  return (document_->kind(value) == JsonKind::kArray && (*document_)[value].size > 0) ||
         invalid(value, "an array of at least one schema");
}

bool SchemaReader::read_count(JsonId value, std::uint32_t& out) {
  constexpr std::string_view kWhat = "a whole number that is not negative";
  if (!expect(value, JsonKind::kNumber, kWhat)) return false;
  const auto number = Decimal::parse(document_->text(value));
  if (!number || !number->is_integer() || (number->negative && !number->digits.empty())) return invalid(value, kWhat);
  // Counts beyond 2^32 - 2 behave alike: no text that weir can hold gets there.
  std::uint64_t count = 0;
  for (std::int64_t i = 0; i < number->exponent && count < kUnbounded; ++i) {
    const auto at = static_cast<std::size_t>(i);
    count = count * 10 + (at < number->digits.size() ? static_cast<std::uint64_t>(number->digits[at] - '0') : 0);
  }
  out = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, kUnbounded - 1));
  return true;
}

bool SchemaReader::is_trivial(JsonId value, bool verdict) const {
  const JsonNode& node = (*document_)[value];
  if (!verdict && node.kind == JsonKind::kObject && node.size == 1 && document_->key(value + 1) == "not") {
    return is_trivial(value + 1, true);
  }
  return verdict ? node.kind == JsonKind::kTrue || (node.kind == JsonKind::kObject && node.size == 0)
                 : node.kind == JsonKind::kFalse;
}

void SchemaReader::read_keywords(Schema& schema) {
  const JsonKind kind = document_->kind(schema.node);
  if (kind == JsonKind::kTrue) return;
  if (kind == JsonKind::kFalse) {
    schema.never = true;
    schema.types = 0;
    return;
  }
  if (kind != JsonKind::kObject) {
    diagnostics_->fail(ErrorCode::kInvalid, schema.node, "a schema must be an object, true or false");
    return;
  }
  if (const JsonId reference = hiding_reference(*document_, schema.node, schema.draft); reference != kNoJson) {
    if (diagnostics_->passes_over(reference)) return;
    read_reference(schema, reference);
    if (options_->closed_objects && closed_.closes(schema.node)) close_reference(schema);
    return;
  }
  context_ = {};
  for (const JsonId value : document_->children(schema.node)) {
    if (!read_keyword(schema, value, document_->key(value))) return;
  }
  const bool closed = options_->closed_objects && closed_.closes(schema.node);
  const bool by_reference = closed && schema.reference != kNoJson && context_.condition == kNoJson;
  if (closed && !by_reference) context_.unevaluated_properties = document_->word(JsonKind::kFalse);
  read_in_context(schema);
  if (schema.types == 0) schema.never = true;
  if (by_reference) close_reference(schema);
}

// A schema with a reference is closed: what is evaluated is up to the target. A reference with nothing beside it to a
// schema that stands alone is that schema, closed.
void SchemaReader::close_reference(Schema& schema) {
  const JsonId never = document_->word(JsonKind::kFalse);
  schema.unevaluated_properties = never;
  if (schema.reference_target == kNoJson || schema.asserts() || closing_ == kMaxReferenceChain) return;
  if (schema.all_of != kNoJson || schema.any_of != kNoJson || schema.one_of != kNoJson || schema.negated != kNoJson ||
      !schema.dependencies.empty() || schema.unevaluated_items != kNoJson || schema.second_reference != kNoJson) {
    return;
  }
  ++closing_;
  const Schema& target = read(schema.reference_target);
  --closing_;
  if (diagnostics_->failed() || target.in_place() || target.tested != kNoJson || target.evaluates_properties) return;
  const JsonId node = schema.node;
  schema = target;
  schema.node = node;
  schema.additional = never;
  schema.evaluates_properties = true;
}

bool SchemaReader::read_keyword(Schema& schema, JsonId value, std::string_view name) {
  const JsonNode& node = (*document_)[value];
  if (diagnostics_->passes_over(value)) return true;
  switch (find_keyword(name, {schema.draft, schema.vocabularies}).keyword) {
    case Keyword::kUnknown:
      diagnostics_->warn(name, "is not a keyword of this draft and says nothing about instances", value);
      break;
    case Keyword::kAnnotation: break;
    case Keyword::kType: return read_type(schema, value);
    case Keyword::kEnum:
      if (!expect(value, JsonKind::kArray, "an array")) return false;
      schema.enumeration = value;
      read_values(schema, value + 1, node.end);
      break;
    case Keyword::kConst:
      schema.constant = value;
      read_values(schema, value, node.end);
      break;
    case Keyword::kAllOf: schema.all_of = value; return expect_schema_list(value);
    case Keyword::kAnyOf: schema.any_of = value; return expect_schema_list(value);
    case Keyword::kOneOf:
      (diagnostics_->reads_as_any_of(value) ? schema.any_of : schema.one_of) = value;
      return expect_schema_list(value);
    case Keyword::kNot:
      if (is_trivial(value, true)) {
        schema.types = 0;
      } else if (!is_trivial(value, false)) {
        schema.negated = value;
      }
      break;
    case Keyword::kIf: context_.condition = value; break;
    case Keyword::kThen: context_.consequence = value; break;
    case Keyword::kElse: context_.alternative = value; break;
    case Keyword::kRef:
    case Keyword::kDynamicRef:
    case Keyword::kRecursiveRef:
      if (!expect(value, JsonKind::kString, "a string")) return false;
      read_reference(schema, value);
      break;
    case Keyword::kFormat:
      if (!expect(value, JsonKind::kString, "a string")) return false;
      read_format(schema, value);
      break;
    case Keyword::kMinimum: schema.minimum = value; return expect(value, JsonKind::kNumber, "a number");
    case Keyword::kMaximum: schema.maximum = value; return expect(value, JsonKind::kNumber, "a number");
    case Keyword::kExclusiveMinimum:
      if (schema.draft == Draft::kDraft4) {
        context_.exclusive_minimum = value;
        break;
      }
      schema.above = value;
      return expect(value, JsonKind::kNumber, "a number (true and false belong to draft 4: set $schema for it)");
    case Keyword::kExclusiveMaximum:
      if (schema.draft == Draft::kDraft4) {
        context_.exclusive_maximum = value;
        break;
      }
      schema.below = value;
      return expect(value, JsonKind::kNumber, "a number (true and false belong to draft 4: set $schema for it)");
    case Keyword::kMultipleOf: return read_multiple(schema, value);
    case Keyword::kMinLength: return read_count(value, schema.min_length);
    case Keyword::kMaxLength: return read_count(value, schema.max_length);
    case Keyword::kPattern: schema.pattern = value; return expect(value, JsonKind::kString, "a string");
    case Keyword::kProperties: schema.properties = value; return expect(value, JsonKind::kObject, "an object");
    case Keyword::kPatternProperties:
      if (!expect(value, JsonKind::kObject, "an object")) return false;
      if (node.size > 0) schema.patterns = value;
      break;
    case Keyword::kAdditionalProperties: schema.additional = value; break;
    case Keyword::kPropertyNames:
      if (!is_trivial(value, true)) schema.names = value;
      break;
    case Keyword::kRequired:
      if (!expect(value, JsonKind::kArray, "an array of strings")) return false;
      for (const JsonId key : document_->children(value)) {
        if (document_->kind(key) != JsonKind::kString) return invalid(value, "an array of strings");
      }
      if (node.size > 0) schema.required = value;
      break;
    case Keyword::kMinProperties: return read_count(value, schema.min_properties);
    case Keyword::kMaxProperties: return read_count(value, schema.max_properties);
    case Keyword::kDependencies:
    case Keyword::kDependentRequired:
    case Keyword::kDependentSchemas:
      if (!expect(value, JsonKind::kObject, "an object")) return false;
      read_dependencies(schema, value);
      break;
    case Keyword::kUnevaluatedProperties: context_.unevaluated_properties = value; break;
    case Keyword::kItems: context_.items = value; break;
    case Keyword::kPrefixItems: context_.prefix_items = value; return expect_schema_list(value);
    case Keyword::kAdditionalItems: context_.additional_items = value; break;
    case Keyword::kMinItems: return read_count(value, schema.min_items);
    case Keyword::kMaxItems: return read_count(value, schema.max_items);
    case Keyword::kUniqueItems:
      if (node.kind != JsonKind::kTrue && node.kind != JsonKind::kFalse) return invalid(value, "true or false");
      if (node.kind == JsonKind::kTrue) schema.unique = value;
      break;
    case Keyword::kContains: context_.contains = value; break;
    case Keyword::kMinContains: return read_count(value, schema.min_contains);
    case Keyword::kMaxContains: return read_count(value, schema.max_contains);
    case Keyword::kUnevaluatedItems: context_.unevaluated_items = value; break;
  }
  return !diagnostics_->failed();
}

bool SchemaReader::read_type(Schema& schema, JsonId value) {
  TypeSet types = 0;
  if (document_->kind(value) == JsonKind::kArray) {
    for (const JsonId one : document_->children(value)) add_type(schema, one, types);
    if ((*document_)[value].size == 0) return invalid(value, "a type or an array of at least one");
  } else {
    add_type(schema, value, types);
  }
  schema.types &= types;
  if (schema.draft == Draft::kDraft4 && (types & kNumberTypes) == kIntegerType) schema.lexical_integer = true;
  return !diagnostics_->failed();
}

void SchemaReader::add_type(Schema&, JsonId value, TypeSet& types) {
  constexpr std::array<std::pair<std::string_view, TypeSet>, 7> kNames = {{{"string", kStringType},
                                                                           {"object", kObjectType},
                                                                           {"array", kArrayType},
                                                                           {"integer", kIntegerType},
                                                                           {"number", kNumberTypes},
                                                                           {"boolean", kBooleanType},
                                                                           {"null", kNullType}}};
  if (document_->kind(value) == JsonKind::kString) {
    for (const auto& [name, type] : kNames) {
      if (document_->text(value) == name) {
        types |= type;
        return;
      }
    }
  }
  diagnostics_->fail(ErrorCode::kInvalid, value,
                     "unknown type; the types are null, boolean, integer, number, string, array and object");
}

// The values of enum or const.
void SchemaReader::read_values(Schema& schema, JsonId first, JsonId end) {
  TypeSet types = 0;
  for (JsonId value = first; value < end; value = (*document_)[value].end) types |= type_of(document_->kind(value));
  schema.enumerated = schema.enumerated == 0 ? types : schema.enumerated & types;
  schema.types &= types;
}

void SchemaReader::read_reference(Schema& schema, JsonId value) {
  const JsonId target = references_.resolve(value, document_->text(value));
  if (target == kNoJson) return;
  const bool first = schema.reference == kNoJson;
  (first ? schema.reference : schema.second_reference) = value;
  (first ? schema.reference_target : schema.second_target) = target;
}

void SchemaReader::read_format(Schema& schema, JsonId value) {
  if (!options_->assert_formats && (schema.vocabularies & kFormatAssertion) == 0) return;
  // Draft 4 has no "time", and its validators do not assert it.
  if (schema.draft == Draft::kDraft4 && document_->text(value) == "time") return;
  schema.format = value;
  const auto numbers = format_bounds(document_->text(value));
  schema.format_of_numbers = numbers.has_value();
  if (numbers && numbers->integer) schema.types &= static_cast<TypeSet>(~kFractionType);
}

bool SchemaReader::read_multiple(Schema& schema, JsonId value) {
  constexpr std::string_view kWhat = "a number above 0";
  if (!expect(value, JsonKind::kNumber, kWhat)) return false;
  const auto number = Decimal::parse(document_->text(value));
  if (!number || number->negative || number->digits.empty()) return invalid(value, kWhat);
  if (*number == decimal_one()) {
    schema.types &= static_cast<TypeSet>(~kFractionType);
  } else {
    schema.multiple = value;
  }
  return true;
}

void SchemaReader::read_dependencies(Schema& schema, JsonId value) {
  const std::string_view name = document_->key(value);
  for (const JsonId one : document_->children(value)) {
    const bool list = document_->kind(one) == JsonKind::kArray;
    if (list && name != "dependentSchemas") {
      for (const JsonId key : document_->children(one)) {
        if (document_->kind(key) != JsonKind::kString) {
          diagnostics_->fail(ErrorCode::kInvalid, one, "the keys that a key asks for must be an array of strings");
          return;
        }
      }
      if ((*document_)[one].size == 0) continue;
    } else if (name == "dependentRequired" || list) {
      diagnostics_->fail(
          ErrorCode::kInvalid, one,
          list ? "what a key asks for must be a schema" : "what a key asks for must be an array of keys");
      return;
    } else if (is_trivial(one, true)) {
      continue;
    }
    schema.dependencies.push_back(one);
  }
}

void SchemaReader::read_in_context(Schema& schema) {
  if (schema.draft == Draft::kDraft4) read_draft4_bounds(schema);
  schema.tested = context_.condition;
  if (context_.condition != kNoJson) {
    const auto says_something = [&](JsonId branch) { return branch != kNoJson && !is_trivial(branch, true); };
    if (says_something(context_.consequence) || says_something(context_.alternative)) {
      schema.condition = context_.condition;
    }
    schema.consequence = context_.consequence;
    schema.alternative = context_.alternative;
  }
  read_items(schema);
  if (schema.max_items <= 1) schema.unique = kNoJson;
  if (context_.contains != kNoJson && (schema.min_contains > 0 || schema.max_contains != kUnbounded)) {
    schema.contains = context_.contains;
  }
  read_unevaluated(schema);
}

void SchemaReader::read_draft4_bounds(Schema& schema) {
  const auto read = [&](JsonId value, JsonId bound, bool& exclusive) {
    if (value == kNoJson) return;
    const JsonKind kind = document_->kind(value);
    if (kind != JsonKind::kTrue && kind != JsonKind::kFalse) {
      invalid(value, "true or false in draft 4");
    } else if (bound == kNoJson) {
      diagnostics_->warn(document_->key(value), "says nothing without the bound that it belongs to", value);
    } else {
      exclusive = kind == JsonKind::kTrue;
    }
  };
  read(context_.exclusive_minimum, schema.minimum, schema.exclusive_minimum);
  read(context_.exclusive_maximum, schema.maximum, schema.exclusive_maximum);
}

// Arrays of schemas in `items` are read in every draft: that is what prefixItems was called before 2020-12.
void SchemaReader::read_items(Schema& schema) {
  schema.prefix = context_.prefix_items;
  schema.rest = context_.items;
  if (context_.items != kNoJson && document_->kind(context_.items) == JsonKind::kArray) {
    if (schema.prefix != kNoJson) {
      invalid(context_.items, "a schema beside prefixItems");
      return;
    }
    schema.prefix = context_.items;
    schema.rest = context_.additional_items;
    if ((*document_)[schema.prefix].size == 0) schema.prefix = kNoJson;
  }
  if (schema.rest != kNoJson && is_trivial(schema.rest, true)) schema.rest = kNoJson;
}

// What is unevaluated is what is additional, as long as no other schema in place can evaluate anything.
void SchemaReader::read_unevaluated(Schema& schema) {
  const bool alone = !schema.in_place() && context_.condition == kNoJson;
  const JsonId properties = context_.unevaluated_properties;
  schema.evaluates_properties =
      schema.additional != kNoJson || (properties != kNoJson && (alone || is_trivial(properties, true)));
  if (properties != kNoJson && !is_trivial(properties, true) && schema.additional == kNoJson) {
    (alone ? schema.additional : schema.unevaluated_properties) = properties;
  }
  const JsonId items = context_.unevaluated_items;
  const bool all_evaluated =
      context_.items != kNoJson && (document_->kind(context_.items) != JsonKind::kArray || schema.rest != kNoJson ||
                                    context_.additional_items != kNoJson);
  schema.evaluates_items =
      all_evaluated || (items != kNoJson && ((alone && context_.contains == kNoJson) || is_trivial(items, true)));
  if (schema.draft == Draft::kDraft2020) schema.evaluating_contains = context_.contains;
  if (items != kNoJson && !is_trivial(items, true) && !all_evaluated) {
    (alone && context_.contains == kNoJson ? schema.rest : schema.unevaluated_items) = items;
  }
  if (schema.unevaluated_properties == kNoJson && schema.additional != kNoJson && is_trivial(schema.additional, true)) {
    schema.additional = kNoJson;
  }
}

}  // namespace weir::schema
