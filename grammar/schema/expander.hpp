// Expands value expressions. An expression is a set of atoms, all of which must hold: schemas, and JSON values that the
// instance must be equal to. Expanding one multiplies its alternatives (anyOf, oneOf) out into products, in which
// nothing but the keywords of single schemas is left, and takes each product apart by type. The members and items that
// come up are value expressions again; there are finitely many, so recursion ends by itself. Private to grammar/schema.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "schema/compiled.hpp"
#include "schema/diagnostics.hpp"
#include "schema/json_document.hpp"
#include "schema/model.hpp"
#include "schema/number.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir::schema {

// A schema node, or a node whose value the instance must be equal to.
class Atom {
 public:
  static Atom schema(JsonId node) { return Atom(node << 1U); }
  static Atom literal(JsonId node) { return Atom((node << 1U) | 1U); }
  JsonId node() const { return code_ >> 1U; }
  bool is_literal() const { return (code_ & 1U) != 0; }
  std::uint32_t code() const { return code_; }
  friend bool operator==(Atom, Atom) = default;

 private:
  explicit Atom(std::uint32_t code) : code_(code) {}
  std::uint32_t code_;
};

// Atoms in order of appearance, which is the order of keys, without repetition.
struct AtomSet {
  std::vector<Atom> atoms;
  bool never = false;

  void clear() {
    atoms.clear();
    never = false;
  }
  void insert(Atom atom);
};

struct AtomsHash {
  std::size_t operator()(const std::vector<std::uint32_t>& codes) const noexcept;
};

// A conjunction of single schemas and literals.
struct Product {
  std::vector<Atom> atoms;
  TypeSet types = kAllTypes;
};

class Expander {
 public:
  Expander(JsonDocument& document, const JsonSchemaOptions& options, ExprArena& arena, Diagnostics& diagnostics)
      : document_(&document),
        options_(&options),
        arena_(&arena),
        diagnostics_(&diagnostics),
        reader_(document, options, diagnostics),
        value_of_(document.size(), kNoValue) {}

  // Expands all that the root reaches; errors go to the diagnostics.
  CompiledSchema expand();

 private:
  // One expansion into products.
  struct Walk {
    std::span<const Atom> context;  // what is being expanded
    std::vector<JsonId> path;       // schemas whose in-place subschemas are being walked
    std::size_t budget = 0;         // products
    bool proof = false;             // a superset will do: oneOf as anyOf, unsupported keywords passed over
    JsonId assumed = kNoJson;       // proof: the oneOf that is given up
    bool exceeded = false;          // proof: the budget ran out
  };
  struct RecordParts;
  class KeyNumbers;
  struct ListParts;

  // --- values
  void add_schema(AtomSet& set, JsonId node);
  ValueId intern(const AtomSet& set);
  const Schema* lone_schema(std::span<const Atom> atoms);
  std::span<const Atom> expression_of(ValueId id) const {
    const std::size_t end = id + 1 < expressions_.size() ? expressions_[id + 1] : atoms_.size();
    return std::span(atoms_).subspan(expressions_[id], end - expressions_[id]);
  }
  void expand_value(ValueId id);
  void build_early();
  void expand_product(const Product& product, ValueSpec& out);
  void check_supported(const Product& product);

  // --- products (expand_products.cpp)
  std::vector<Product> multiply(std::span<const Atom> atoms, Walk& walk);
  void conjoin(Atom atom, std::vector<Product>& products, Walk& walk);
  void conjoin_literal(JsonId value, std::vector<Product>& products);
  void conjoin_parts(const Schema& schema, std::vector<Product>& products, Walk& walk);
  void conjoin_values(JsonId first, JsonId end, std::vector<Product>& products, Walk& walk);
  void conjoin_any(std::span<const JsonId> branches, JsonId keyword, std::vector<Product>& products, Walk& walk);
  void conjoin_one(const Schema& schema, std::vector<Product>& products, Walk& walk);
  bool within_budget(const std::vector<Product>& products, JsonId keyword, Walk& walk);

  // --- proofs that nothing satisfies a conjunction (disjoint.cpp)
  bool disjoint(const Schema& schema, JsonId a, JsonId b, std::span<const Atom> context);
  bool proves_empty(std::span<const Atom> atoms, unsigned depth, JsonId assumed);
  bool proves_product_empty(const Product& product, unsigned depth);
  bool proves_record_empty(const Product& product, unsigned depth);
  bool proves_list_empty(const Product& product, unsigned depth);

  // --- numbers, strings, constants (expand_scalars.cpp)
  void expand_scalars(const Product& product, ValueSpec& out);
  // The scalars that enum, const and literals leave; false if there is none of these. They pass all other conditions.
  bool list_choices(const Product& product, std::vector<JsonId>& out);
  void keep_common(std::vector<JsonId>& choices, std::span<const JsonId> others);
  void keep_valid(const Product& product, std::vector<JsonId>& choices);
  bool equal_scalars(JsonId a, JsonId b);
  std::string scalar_key(JsonId value);
  void expand_choices(const Product& product, std::span<const JsonId> choices);
  bool read_bounds(const Product& product, NumberBounds& out);  // false: they exclude each other
  ExprId word(JsonKind kind);                                   // null, false or true
  bool postpone_number(const Product& product, const NumberBounds& bounds, ValueSpec& out);
  ExprId number(const Product& product, const NumberBounds& bounds);
  ExprId number_result(Result<ExprId> result, const Product& product);
  Decimal decimal(JsonId number);
  std::optional<TextSpec> text(const Product& product);
  std::string_view lone_format(const Product& product);
  void count_repetition(TextSpec& spec);
  void text_lengths(const Product& product, TextSpec& out);
  void list_text_conditions(const Product& product, std::vector<ExprId>& out);
  std::optional<ExprId> pattern_condition(JsonId pattern);
  bool check_format(JsonId format);
  std::optional<ExprId> format_condition(JsonId format);
  ExprId bounded(const NumberBounds& bounds, const Product& product);
  ExprId equal_to(const Decimal& value, const Product& product);

  // --- objects and arrays (expand_shapes.cpp)
  ShapeId record_shape(const Product& product);
  ShapeId list_shape(const Product& product);
  RecordParts record_parts(std::span<const Atom> atoms, bool required_only);
  void member_set(const RecordParts& parts, std::size_t key, AtomSet& out);
  ListParts list_parts(std::span<const Atom> atoms);
  void item_set(const ListParts& parts, std::uint32_t index, AtomSet& out);
  JsonId place_of(const Product& product) const;

  JsonDocument* document_;
  const JsonSchemaOptions* options_;
  ExprArena* arena_;
  Diagnostics* diagnostics_;
  SchemaReader reader_;
  CompiledSchema out_;

  std::vector<Atom> atoms_;                 // of the expressions of all values
  std::vector<std::uint32_t> expressions_;  // by value, where its atoms start; they end where the next ones start
  std::vector<ValueId> value_of_;           // by node, of expressions that are one schema
  ValueId any_value_ = kNoValue;
  std::unordered_map<std::vector<std::uint32_t>, ValueId, AtomsHash> values_;
  std::unordered_map<std::vector<std::uint32_t>, ShapeId, AtomsHash> record_shapes_;
  std::unordered_map<std::vector<std::uint32_t>, ShapeId, AtomsHash> list_shapes_;

  struct Condition {
    std::optional<ExprId> exact;     // none: an annotation, or what every text satisfies
    std::optional<ExprId> superset;  // for proofs
  };
  std::unordered_map<std::string_view, Condition> patterns_;
  std::unordered_map<std::string_view, Condition> formats_;
  std::array<ExprId, 3> words_{};          // null, false, true; kEmptyExpr: not made yet
  std::array<ExprId, 4> plain_numbers_{};  // by integer, lexical integer; kEmptyExpr: not made yet
  Product alone_;                          // while a value is expanded that is one schema
  std::vector<std::string_view> strings_;  // of enum and const, over all products of one value
  std::vector<ExprId> numbers_;            // likewise, and other scalars

  std::size_t listed_bytes_ = 0;  // of all strings of enum and const
  std::size_t copies_ = 0;        // of atoms, while alternatives were multiplied out
  std::size_t proofs_ = 0;
  bool proving_ = false;                          // what cannot be kept exactly is passed over
  std::unordered_set<JsonId> disjoint_anywhere_;  // oneOf keywords whose branches need no context
  std::unordered_map<std::vector<std::uint32_t>, unsigned, AtomsHash> not_proved_;  // depth up to which it failed
};

}  // namespace weir::schema
