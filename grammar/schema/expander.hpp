// Expands value expressions. An expression is a set of atoms, all of which must hold: schemas, JSON values that the
// instance must be equal to, and negations of these. Expanding one multiplies its alternatives (anyOf, oneOf whose
// branches exclude each other) out into products, in which nothing but the keywords of single schemas is left, and
// takes each product apart by type. What no such product says (not, if, dependencies, overlapping oneOf, unevaluated)
// stays whole: expressions over texts for scalars, formulas for objects and arrays. The members and items that come up
// are value expressions again; there are finitely many, so recursion ends by itself. Private to grammar/schema.
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

#include "schema/atoms.hpp"
#include "schema/compiled.hpp"
#include "schema/diagnostics.hpp"
#include "schema/formula.hpp"
#include "schema/json_document.hpp"
#include "schema/model.hpp"
#include "schema/number.hpp"
#include "schema/words_hash.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir::schema {

// A conjunction: of schemas, whose in-place subschemas are not meant, and literals; and of others, which are.
struct Product {
  std::vector<Atom> atoms;
  std::vector<Atom> wholes;
  TypeSet types = kAllTypes;
};

// Types as they are expanded: integers and fractions together.
enum class Shape : std::uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };
inline constexpr std::size_t kShapes = 6;
TypeSet types_of(Shape shape);

class Expander {
 public:
  Expander(JsonDocument& document, const JsonSchemaOptions& options, ExprArena& arena, Diagnostics& diagnostics)
      : document_(&document),
        options_(&options),
        arena_(&arena),
        diagnostics_(&diagnostics),
        reader_(document, options, diagnostics),
        value_of_(document.size(), kNoValue) {}

  // Expands all that the root reaches in closed form; errors go to the diagnostics.
  void expand();

  // Reads whatever the root reaches, also where expansion has not come yet, so that mistakes in it are errors now.
  void check_reachable();

  CompiledSchema& compiled() { return out_; }
  const JsonSchemaOptions& options() const { return *options_; }
  Diagnostics& diagnostics() { return *diagnostics_; }
  Formulas& formulas() { return formulas_; }
  ExprArena& arena() { return *arena_; }

  // What a value is. Precondition: no error so far, or what it says does not matter.
  const ValueSpec& value(ValueId id);
  // The value all of whose atoms hold; kNoValue: there is none, or an error.
  ValueId intern(const AtomSet& set);
  // Proves that nothing satisfies all of the atoms; false: no proof found.
  bool excludes(std::span<const Atom> atoms);
  // The scalars that the atoms leave, if these are so many at most; none of arrays and objects.
  std::optional<std::vector<JsonId>> finite_values(std::span<const Atom> atoms, std::size_t most);
  bool is_key_in(std::uint32_t key, ExprId keys);
  bool is_cell_in(ExprId cell, ExprId keys);  // a cell lies in a set, or outside of it
  // The number of the value, the same for equal ones; and a node with the value of that number.
  std::uint32_t value_number(JsonId value);
  JsonId numbered_value(std::uint32_t number) const { return numbered_values_[number]; }
  // The number of the value that a JSON text holds; none: an error.
  std::optional<std::uint32_t> number_of_text(std::string_view text);
  // More values than that are not told apart where items must be distinct.
  static constexpr std::size_t kMostDistinct = 4096;
  // The order in which atoms are best decided.
  unsigned rank(Atom atom);
  void fail_unsupported(JsonId keyword);

 private:
  // One expansion into products.
  struct Walk {
    std::span<const Atom> context;  // what is being expanded
    std::vector<JsonId> path;       // schemas whose in-place subschemas are being walked
    std::size_t budget = 0;         // products
    bool proof = false;             // a superset will do: oneOf as anyOf
    JsonId assumed = kNoJson;       // proof: the oneOf that is given up
    bool folded = false;            // anyOf and oneOf stay whole
    bool exceeded = false;          // the budget ran out
  };
  struct RecordParts;
  class KeyNumbers;
  struct ListParts;

  // --- values
  void add_schema(AtomSet& set, JsonId node);
  Atom atom_of(JsonId node);  // what the schema amounts to
  const Schema* lone_schema(std::span<const Atom> atoms);
  std::span<const Atom> expression_of(ValueId id) const {
    const std::size_t end = id + 1 < expressions_.size() ? expressions_[id + 1] : atoms_.size();
    return std::span(atoms_).subspan(expressions_[id], end - expressions_[id]);
  }
  void expand_value(ValueId id);
  void build_early();
  void check_keywords(const Schema& schema);
  void expand_product(const Product& product, ValueSpec& out);

  // --- products (expand_products.cpp)
  std::vector<Product> multiply(std::span<const Atom> atoms, Walk& walk);
  void conjoin(Atom atom, std::vector<Product>& products, Walk& walk);
  void conjoin_whole(Atom atom, std::vector<Product>& products);
  TypeSet excluded_types(Atom atom);
  void conjoin_literal(JsonId value, std::vector<Product>& products);
  void conjoin_parts(const Schema& schema, std::vector<Product>& products, Walk& walk);
  void conjoin_values(JsonId first, JsonId end, std::vector<Product>& products, Walk& walk);
  void conjoin_any(std::span<const JsonId> branches, JsonId keyword, std::vector<Product>& products, Walk& walk);
  void conjoin_one(const Schema& schema, std::vector<Product>& products, Walk& walk);
  std::vector<JsonId> one_of_branches(const Schema& schema);  // but those that are false
  bool branches_exclude_each_other(const Schema& schema, std::span<const Atom> context);
  bool within_budget(const std::vector<Product>& products, JsonId keyword, Walk& walk);

  // --- proofs that nothing satisfies a conjunction (disjoint.cpp)
  bool disjoint(const Schema& schema, JsonId a, JsonId b, std::span<const Atom> context);
  bool proves_empty(std::span<const Atom> atoms, unsigned depth, JsonId assumed);
  bool proves_product_empty(const Product& product, unsigned depth);
  bool proves_record_empty(const Product& product, unsigned depth);
  bool proves_list_empty(const Product& product, unsigned depth);

  // --- strings, constants (expand_scalars.cpp)
  void expand_scalars(const Product& product, ValueSpec& out);
  // Calls visit(kind) for null, true and false where the product, which lists no values, allows them.
  template <class Visit>
  void for_each_word(const Product& product, Visit&& visit) {
    for (const JsonKind kind : {JsonKind::kNull, JsonKind::kTrue, JsonKind::kFalse}) {
      if ((product.types & type_of(kind)) != 0 && satisfies(document_->word(kind), product.wholes)) visit(kind);
    }
  }
  // The scalars that enum, const and literals leave; false if there is none of these. They pass all other conditions.
  bool list_choices(const Product& product, std::vector<JsonId>& out);
  void keep_common(std::vector<JsonId>& choices, std::span<const JsonId> others);
  void keep_valid(const Product& product, std::vector<JsonId>& choices);
  bool equal_scalars(JsonId a, JsonId b);
  std::string scalar_key(JsonId value);
  void append_value_key(JsonId value, std::string& key);  // the same for equal values
  void expand_choices(const Product& product, std::span<const JsonId> choices);
  // --- numbers (expand_numbers.cpp)
  bool is_lexical_integer(const Product& product);
  NumberBounds of_type(const Product& product, NumberBounds bounds);  // integers alone if the product says so
  bool read_bounds(const Product& product, NumberBounds& out);        // false: they exclude each other
  ExprId word(JsonKind kind);                                         // null, false or true
  bool postpone_number(const Product& product, const NumberBounds& bounds, ValueSpec& out);
  ExprId number(const Product& product, const NumberBounds& bounds);
  ExprId number_result(Result<ExprId> result, JsonId place);
  ExprId whole_numbers();
  Decimal decimal(JsonId number);
  bool is_unwieldy(JsonId number);
  ExprId unwieldy();  // the spellings of all such numbers
  std::optional<TextSpec> text(const Product& product);
  std::string_view lone_format(const Product& product);
  void count_repetition(TextSpec& spec);
  void text_lengths(const Product& product, TextSpec& out);
  void list_text_conditions(const Product& product, std::vector<ExprId>& out);
  std::optional<ExprId> pattern_condition(std::string_view pattern, JsonId place);  // none: any text
  bool check_format(JsonId format);
  std::optional<ExprId> format_condition(JsonId format, bool superset);
  ExprId bounded(const NumberBounds& bounds, const Product& product);
  ExprId equal_to(const Decimal& value, JsonId place);
  ExprId fractions();
  ExprId multiples_of(const Decimal& divisor, JsonId place);
  bool divides(const Schema& schema, TypeSet types);
  std::optional<Decimal> common_divisor(const Product& product, TypeSet types);
  bool satisfies(JsonId scalar, std::span<const Atom> wholes);

  // --- schemas as a whole, for one type (expand_wholes.cpp)
  struct TextAlgebra;   // of scalars, as expressions
  struct ShapeAlgebra;  // of objects and arrays, as formulas
  template <class Algebra>
  typename Algebra::Id whole(JsonId node, bool holds, Algebra& algebra);
  template <class Algebra>
  typename Algebra::Id whole_one_of(const Schema& schema, bool holds, Algebra& algebra);
  template <class Algebra>
  typename Algebra::Id whole_condition(const Schema& schema, bool holds, Algebra& algebra);
  ExprId texts_of(Atom atom, Shape shape);  // of scalars of that type that satisfy the atom
  ExprId all_texts(Shape shape);
  ExprId own_texts(const Schema& schema, bool holds, Shape shape);
  ExprId own_strings(const Schema& schema, bool superset);
  ExprId own_numbers(const Schema& schema, bool holds);
  ExprId literal_text(JsonId value);
  FormulaId formula_of(Atom atom, Shape shape);
  FormulaId whole_shape(JsonId node, bool holds, Shape shape);
  void add_counts(std::uint32_t min, std::uint32_t max, bool holds, std::vector<FormulaId>& parts);
  FormulaId own_formula(const Schema& schema, bool holds, Shape shape);
  FormulaId own_record(const Schema& schema, bool holds);
  FormulaId own_list(const Schema& schema, bool holds);
  FormulaId own_dependencies(const Schema& schema, bool holds, ShapeAlgebra& algebra);
  FormulaId listed_formula(const Schema& schema, bool holds, Shape shape);
  FormulaId literal_formula(JsonId value, bool holds);
  ExprId keys_of_pattern(JsonId pattern);
  ExprId additional_keys(const Schema& schema);
  std::uint32_t key_number(std::string_view name);

  // --- unevaluatedProperties, unevaluatedItems (expand_unevaluated.cpp)
  struct Case;
  FormulaId unevaluated_formula(const Schema& schema, bool holds, Shape shape);
  std::vector<Case> cases_of(JsonId node, Shape shape);
  std::vector<Case> cases_of_parts(const Schema& schema, Shape shape);
  std::vector<Case> both(std::span<const Case> a, std::span<const Case> b, JsonId place);

  // --- objects and arrays (expand_shapes.cpp)
  void add_record(const Product& product, ValueSpec& out);
  void add_list(const Product& product, ValueSpec& out);
  ShapeId record_shape(const Product& product);
  ShapeId list_shape(const Product& product);
  // --- the same from formulas (expand_residual_shapes.cpp)
  FormulaId product_formula(const Product& product, Shape shape);
  std::vector<std::uint32_t> key_order(const Product& product, FormulaId formula);
  ShapeId record_by_formula(const Product& product, FormulaId formula);
  void divide_keys(const Product& product, RecordShape& shape);
  std::vector<Formula> conjuncts_of(FormulaId formula) const;
  bool close_record(RecordShape& shape);
  ShapeId list_by_formula(FormulaId formula);
  bool close_list(ListShape& shape);
  bool has_formula(const Product& product, Shape shape);
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
  std::unordered_map<std::vector<std::uint32_t>, ValueId, WordsHash> values_;
  std::unordered_map<std::vector<std::uint32_t>, ShapeId, WordsHash> record_shapes_;
  std::unordered_map<std::vector<std::uint32_t>, ShapeId, WordsHash> list_shapes_;

  Formulas formulas_;
  std::vector<std::string_view> key_names_;  // of formulas
  std::unordered_map<std::string_view, std::uint32_t> key_numbers_;
  std::unordered_map<std::uint64_t, bool> key_in_;   // by set and key
  std::unordered_map<std::uint64_t, bool> cell_in_;  // by set and cell
  std::unordered_map<std::string, std::uint32_t> value_numbers_;
  std::vector<JsonId> numbered_values_;                                           // by number
  std::array<std::unordered_map<std::uint64_t, std::uint32_t>, kShapes> wholes_;  // by node and whether it holds
  std::vector<JsonId> whole_path_;
  std::unordered_map<JsonId, ExprId> additional_keys_;

  struct TextCondition {
    std::optional<ExprId> exact;     // none: an annotation, or what every text satisfies
    std::optional<ExprId> superset;  // for proofs
  };
  std::unordered_map<std::string_view, TextCondition> patterns_;
  std::unordered_map<std::string_view, TextCondition> formats_;
  std::array<ExprId, 3> words_{};          // null, false, true; kEmptyExpr: not made yet
  std::array<ExprId, 4> plain_numbers_{};  // by integer, lexical integer; kEmptyExpr: not made yet
  ExprId booleans_ = kEmptyExpr;
  ExprId unwieldy_ = kEmptyExpr;
  Product alone_;                          // while a value is expanded that is one schema
  std::vector<std::string_view> strings_;  // of enum and const, over all products of one value
  std::vector<ExprId> numbers_;            // likewise, and other scalars

  std::size_t listed_bytes_ = 0;  // of all strings of enum and const
  std::size_t copies_ = 0;        // of atoms, while alternatives were multiplied out
  std::size_t proofs_ = 0;
  bool proving_ = false;                          // what cannot be kept exactly is passed over
  std::unordered_set<JsonId> disjoint_anywhere_;  // oneOf keywords whose branches need no context
  std::unordered_map<std::vector<std::uint32_t>, unsigned, WordsHash> not_proved_;  // depth up to which it failed
  std::unordered_map<std::vector<std::uint32_t>, bool, WordsHash> excluded_;
};

}  // namespace weir::schema
