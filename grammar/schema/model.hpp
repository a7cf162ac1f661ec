// Schemas as typed records, read from the document when first asked for. Private to grammar/schema.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schema/closed.hpp"
#include "schema/diagnostics.hpp"
#include "schema/json_document.hpp"
#include "schema/keywords.hpp"
#include "schema/references.hpp"
#include "weir/grammar/detail/segmented.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir::schema {

// The types of instances. Numbers are two: JSON Schema's "integer" and all other numbers.
using TypeSet = std::uint8_t;
inline constexpr TypeSet kNullType = 1;
inline constexpr TypeSet kBooleanType = 2;
inline constexpr TypeSet kIntegerType = 4;
inline constexpr TypeSet kFractionType = 8;
inline constexpr TypeSet kStringType = 16;
inline constexpr TypeSet kArrayType = 32;
inline constexpr TypeSet kObjectType = 64;
inline constexpr TypeSet kNumberTypes = kIntegerType | kFractionType;
inline constexpr TypeSet kAllTypes = 127;

// The type of a JSON value; a number may be either.
TypeSet type_of(JsonKind kind);

// One schema. Keywords are ids of their values in the document, kNoJson where absent; keywords that say nothing (in
// this draft, or with this value) are absent too. Everything is checked for form, except that subschemas are checked
// when they are read themselves.
struct Schema {
  JsonId node = 0;
  Draft draft = Draft::kDraft2020;
  VocabularySet vocabularies = kStandardVocabularies;
  bool never = false;              // false, or what amounts to it
  TypeSet types = kAllTypes;       // by type, and by the values of enum and const
  bool lexical_integer = false;    // "integer" of draft 4: a spelling without fraction and exponent
  bool exclusive_minimum = false;  // of draft 4
  bool exclusive_maximum = false;
  TypeSet enumerated = 0;  // types of the values in enum and const; 0 without either

  JsonId enumeration = kNoJson;  // an array
  JsonId constant = kNoJson;

  JsonId multiple = kNoJson;
  JsonId minimum = kNoJson;
  JsonId maximum = kNoJson;
  JsonId above = kNoJson;  // exclusiveMinimum, exclusiveMaximum from draft 6 on
  JsonId below = kNoJson;

  JsonId pattern = kNoJson;
  JsonId format = kNoJson;
  bool format_of_numbers = false;
  std::uint32_t min_length = 0;
  std::uint32_t max_length = kUnbounded;

  JsonId properties = kNoJson;
  JsonId required = kNoJson;
  JsonId additional = kNoJson;
  JsonId patterns = kNoJson;  // patternProperties
  JsonId names = kNoJson;     // propertyNames
  std::uint32_t min_properties = 0;
  std::uint32_t max_properties = kUnbounded;

  JsonId prefix = kNoJson;  // prefixItems, or items as an array
  JsonId rest = kNoJson;    // the schema of the items after the prefix
  std::uint32_t min_items = 0;
  std::uint32_t max_items = kUnbounded;
  JsonId contains = kNoJson;
  std::uint32_t min_contains = 1;
  std::uint32_t max_contains = kUnbounded;
  JsonId unique = kNoJson;  // uniqueItems, if true

  JsonId all_of = kNoJson;
  JsonId any_of = kNoJson;
  JsonId one_of = kNoJson;
  JsonId reference = kNoJson;         // the keyword
  JsonId reference_target = kNoJson;  // the schema it names
  JsonId second_reference = kNoJson;  // $ref and $dynamicRef (or $recursiveRef) side by side
  JsonId second_target = kNoJson;
  JsonId negated = kNoJson;    // not
  JsonId condition = kNoJson;  // if, with one of the next two
  JsonId consequence = kNoJson;
  JsonId alternative = kNoJson;
  std::vector<JsonId> dependencies;  // by key: an array of keys, or a schema
  JsonId unevaluated_properties = kNoJson;
  JsonId unevaluated_items = kNoJson;
  // What the schemas around this one need not look at any more.
  bool evaluates_properties = false;  // all of them
  bool evaluates_items = false;
  JsonId evaluating_contains = kNoJson;  // the items that match it
  JsonId tested = kNoJson;               // if, with or without then and else

  bool about_strings() const {
    return pattern != kNoJson || format != kNoJson || min_length > 0 || max_length != kUnbounded;
  }
  bool about_objects() const {
    return properties != kNoJson || required != kNoJson || additional != kNoJson || patterns != kNoJson ||
           names != kNoJson || min_properties > 0 || max_properties != kUnbounded;
  }
  bool about_arrays() const {
    return prefix != kNoJson || rest != kNoJson || min_items > 0 || max_items != kUnbounded || contains != kNoJson ||
           unique != kNoJson;
  }
  bool about_numbers() const {
    return minimum != kNoJson || maximum != kNoJson || above != kNoJson || below != kNoJson || multiple != kNoJson ||
           format_of_numbers;
  }
  // Other schemas that apply to the same instance.
  bool in_place() const {
    return all_of != kNoJson || any_of != kNoJson || one_of != kNoJson || reference != kNoJson || by_formula();
  }
  // What cannot be taken apart into alternatives that are conjunctions.
  bool by_formula() const {
    return negated != kNoJson || condition != kNoJson || !dependencies.empty() || unevaluated_properties != kNoJson ||
           unevaluated_items != kNoJson;
  }
  // Evaluates what schemas around it would call unevaluated, though it may ask for nothing.
  bool annotates() const {
    return evaluates_properties || evaluates_items || evaluating_contains != kNoJson || tested != kNoJson;
  }
  // What this schema itself asks of an instance, in_place() aside.
  bool asserts() const {
    return never || types != kAllTypes || enumerated != 0 || about_strings() || about_objects() || about_arrays() ||
           about_numbers();
  }
};

class SchemaReader {
 public:
  SchemaReader(JsonDocument& document, const JsonSchemaOptions& options, Diagnostics& diagnostics)
      : document_(&document),
        options_(&options),
        diagnostics_(&diagnostics),
        references_(document, options, diagnostics),
        closed_(document, references_, diagnostics),
        schema_of_(document.size(), kNone) {}

  // Errors go to the diagnostics; the schema is then what could be read. References stay valid.
  const Schema& read(JsonId node);
  // The schema that `node` amounts to: $ref without anything beside it is its target.
  const Schema& resolve(JsonId node);

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  void read_keywords(Schema& schema);
  bool read_keyword(Schema& schema, JsonId value, std::string_view name);
  bool read_type(Schema& schema, JsonId value);
  void add_type(Schema& schema, JsonId value, TypeSet& types);
  void read_values(Schema& schema, JsonId first, JsonId end);
  void read_reference(Schema& schema, JsonId value);
  void read_format(Schema& schema, JsonId value);
  bool read_multiple(Schema& schema, JsonId value);
  void read_dependencies(Schema& schema, JsonId value);
  void read_in_context(Schema& schema);
  void read_items(Schema& schema);
  void read_unevaluated(Schema& schema);
  void close_reference(Schema& schema);
  void read_draft4_bounds(Schema& schema);

  bool expect(JsonId value, JsonKind kind, std::string_view what);
  bool expect_schema_list(JsonId value);
  bool read_count(JsonId value, std::uint32_t& out);
  bool is_trivial(JsonId value, bool verdict) const;  // true or {} (false: false or not {})
  bool invalid(JsonId value, std::string_view what);

  JsonDocument* document_;
  const JsonSchemaOptions* options_;
  Diagnostics* diagnostics_;
  References references_;
  ClosedObjects closed_;
  unsigned closing_ = 0;                  // schemas that are being closed
  std::vector<std::uint32_t> schema_of_;  // by node
  detail::SegmentedVector<Schema, 3> schemas_;

  // Keywords that mean something only beside others, while one schema is read.
  struct Context {
    JsonId items = kNoJson;
    JsonId additional_items = kNoJson;
    JsonId prefix_items = kNoJson;
    JsonId unevaluated_items = kNoJson;
    JsonId unevaluated_properties = kNoJson;
    JsonId contains = kNoJson;
    JsonId condition = kNoJson;
    JsonId consequence = kNoJson;
    JsonId alternative = kNoJson;
    JsonId exclusive_minimum = kNoJson;
    JsonId exclusive_maximum = kNoJson;
  } context_;
};

}  // namespace weir::schema
