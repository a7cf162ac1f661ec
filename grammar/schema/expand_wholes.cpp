// A schema as a whole, its in-place subschemas and all, for one type of instance: the same recursion gives expressions
// over texts for scalars, and formulas over members and items for objects and arrays. Negation is pushed inward on the
// way: whole(s, false) is what does not satisfy s.
#include <algorithm>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "schema/expander.hpp"

namespace weir::schema {

// Scalars of one type.
struct Expander::TextAlgebra {
  using Id = ExprId;
  Expander& expander;
  Shape shape;

  Id everything() { return expander.all_texts(shape); }
  Id nothing() { return kEmptyExpr; }
  Id meet(std::vector<Id> parts) {
    parts.push_back(everything());
    return expander.arena_->intersect(parts);
  }
  Id join(std::vector<Id> parts) {
    const Id all = everything();
    if (std::find(parts.begin(), parts.end(), all) != parts.end()) return all;
    return expander.arena_->alternate(parts);
  }
  Id own(const Schema& schema, bool holds) { return expander.own_texts(schema, holds, shape); }
};

// Objects or arrays.
struct Expander::ShapeAlgebra {
  using Id = FormulaId;
  Expander& expander;
  Shape shape;

  Id everything() { return kTrue; }
  Id nothing() { return kFalse; }
  Id meet(std::vector<Id> parts) { return expander.formulas_.all_of(std::move(parts)); }
  Id join(std::vector<Id> parts) { return expander.formulas_.any_of(std::move(parts)); }
  Id own(const Schema& schema, bool holds) { return expander.own_formula(schema, holds, shape); }
};

template <class Algebra>
typename Algebra::Id Expander::whole(JsonId node, bool holds, Algebra& algebra) {
  const Schema& schema = reader_.resolve(node);
  if (diagnostics_->failed()) return algebra.nothing();
  if (schema.never || (schema.types & types_of(algebra.shape)) == 0) {
    return holds ? algebra.nothing() : algebra.everything();
  }
  if (!schema.asserts() && !schema.in_place()) return holds ? algebra.everything() : algebra.nothing();
  auto& known = wholes_[static_cast<std::size_t>(algebra.shape)];
  const std::uint64_t key = (std::uint64_t{schema.node} << 1U) | (holds ? 1U : 0U);
  if (const auto it = known.find(key); it != known.end()) return it->second;
  if (std::find(whole_path_.begin(), whole_path_.end(), schema.node) != whole_path_.end()) {
    // A schema that applies itself to the same instance: its least solution is that this way matches nothing.
    diagnostics_->warn("$ref",
                       "applies a schema to the very instance that it is applied to already; this way matches nothing",
                       schema.node);
    return holds ? algebra.nothing() : algebra.everything();
  }
  if (whole_path_.size() >= options_->limits.max_depth) {
    diagnostics_->fail(ErrorCode::kLimit, schema.node,
                       fmt::format("more than {} schemas apply in place of each other here (Limits::max_depth)",
                                   options_->limits.max_depth));
    return algebra.nothing();
  }
  whole_path_.push_back(schema.node);
  std::vector<typename Algebra::Id> parts;
  const bool unevaluated = (algebra.shape == Shape::kObject && schema.unevaluated_properties != kNoJson) ||
                           (algebra.shape == Shape::kArray && schema.unevaluated_items != kNoJson);
  if constexpr (std::is_same_v<Algebra, ShapeAlgebra>) {
    if (unevaluated) parts.push_back(unevaluated_formula(schema, holds, algebra.shape));
  }
  if (!unevaluated) {
    parts.push_back(algebra.own(schema, holds));
    const auto add_list = [&](JsonId keyword, bool all) {
      std::vector<typename Algebra::Id> branches;
      for (const JsonId child : document_->children(keyword)) branches.push_back(whole(child, holds, algebra));
      parts.push_back(all == holds ? algebra.meet(std::move(branches)) : algebra.join(std::move(branches)));
    };
    if (schema.reference != kNoJson) parts.push_back(whole(schema.reference_target, holds, algebra));
    if (schema.second_reference != kNoJson) parts.push_back(whole(schema.second_target, holds, algebra));
    if (schema.all_of != kNoJson) add_list(schema.all_of, true);
    if (schema.any_of != kNoJson) add_list(schema.any_of, false);
    if (schema.one_of != kNoJson) parts.push_back(whole_one_of(schema, holds, algebra));
    if (schema.negated != kNoJson) parts.push_back(whole(schema.negated, !holds, algebra));
    if (schema.condition != kNoJson) parts.push_back(whole_condition(schema, holds, algebra));
    if constexpr (std::is_same_v<Algebra, ShapeAlgebra>) {
      if (!schema.dependencies.empty() && algebra.shape == Shape::kObject) {
        parts.push_back(own_dependencies(schema, holds, algebra));
      }
    }
  }
  const auto result = holds ? algebra.meet(std::move(parts)) : algebra.join(std::move(parts));
  whole_path_.pop_back();
  known.emplace(key, result);
  return result;
}

// One branch and none of the others; or none at all, or two at once.
template <class Algebra>
typename Algebra::Id Expander::whole_one_of(const Schema& schema, bool holds, Algebra& algebra) {
  using Id = typename Algebra::Id;
  struct Branch {
    JsonId node;
    Id holds;
    Id fails;
  };
  std::vector<Branch> branches;
  for (const JsonId child : document_->children(schema.one_of)) {
    const Id positive = whole(child, true, algebra);
    if (positive != algebra.nothing()) branches.push_back({child, positive, whole(child, false, algebra)});
  }
  // Of texts the algebra itself finds out what two branches share.
  const auto share_nothing = [&](const Branch& a, const Branch& b) {
    return std::is_same_v<Algebra, ShapeAlgebra> && !diagnostics_->failed() && disjoint(schema, a.node, b.node, {});
  };
  std::vector<std::vector<bool>> apart(branches.size(), std::vector<bool>(branches.size()));
  for (std::size_t i = 0; i < branches.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) apart[i][j] = apart[j][i] = share_nothing(branches[i], branches[j]);
  }
  std::vector<Id> ways;
  if (holds) {
    for (std::size_t i = 0; i < branches.size(); ++i) {
      std::vector<Id> parts{branches[i].holds};
      for (std::size_t j = 0; j < branches.size(); ++j) {
        if (j != i && !apart[i][j]) parts.push_back(branches[j].fails);
      }
      ways.push_back(algebra.meet(std::move(parts)));
    }
    return algebra.join(std::move(ways));
  }
  std::vector<Id> none;
  none.reserve(branches.size());
  for (const Branch& branch : branches) none.push_back(branch.fails);
  ways.push_back(algebra.meet(std::move(none)));
  for (std::size_t i = 0; i < branches.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!apart[i][j]) ways.push_back(algebra.meet({branches[i].holds, branches[j].holds}));
    }
  }
  return algebra.join(std::move(ways));
}

template <class Algebra>
typename Algebra::Id Expander::whole_condition(const Schema& schema, bool holds, Algebra& algebra) {
  const auto branch = [&](JsonId node) {
    if (node != kNoJson) return whole(node, holds, algebra);
    return holds ? algebra.everything() : algebra.nothing();
  };
  return algebra.join({algebra.meet({whole(schema.condition, true, algebra), branch(schema.consequence)}),
                       algebra.meet({whole(schema.condition, false, algebra), branch(schema.alternative)})});
}

void Expander::fail_unsupported(JsonId keyword) {
  diagnostics_->fail(ErrorCode::kUnsupported, keyword,
                     fmt::format("weir cannot keep \"{}\" exactly here, and does not ignore it; remove it, or say "
                                 "the same with other keywords",
                                 document_->key(keyword)));
}

// --- scalars

ExprId Expander::all_texts(Shape shape) {
  switch (shape) {
    case Shape::kNull: return word(JsonKind::kNull);
    case Shape::kBoolean: {
      if (booleans_ == kEmptyExpr) booleans_ = arena_->alternate({word(JsonKind::kFalse), word(JsonKind::kTrue)});
      return booleans_;
    }
    case Shape::kNumber: return number_family(*arena_);
    default: return arena_->any_text();
  }
}

ExprId Expander::texts_of(Atom atom, Shape shape) {
  if (atom.is_literal()) {
    const bool same = (type_of(document_->kind(atom.node())) & types_of(shape)) != 0;
    const ExprId text = same ? literal_text(atom.node()) : kEmptyExpr;
    return atom.is_negated() ? arena_->intersect({all_texts(shape), arena_->complement(text)}) : text;
  }
  // An invalid pattern is an error here, though a proof could do without.
  const bool proving = std::exchange(proving_, false);
  TextAlgebra algebra{*this, shape};
  const ExprId texts = whole(atom.node(), !atom.is_negated(), algebra);
  proving_ = proving;
  return texts == kEmptyExpr || arena_->is_empty(texts) ? kEmptyExpr : texts;
}

ExprId Expander::literal_text(JsonId value) {
  switch (document_->kind(value)) {
    case JsonKind::kNumber: return is_unwieldy(value) ? unwieldy() : equal_to(decimal(value), value);
    case JsonKind::kString: return arena_->literal(document_->text(value));
    case JsonKind::kArray:
    case JsonKind::kObject: return kEmptyExpr;
    default: return word(document_->kind(value));
  }
}

// What the schema's own keywords say; of texts that weir cannot tell right from wrong, neither it nor its negation
// holds any.
ExprId Expander::own_texts(const Schema& schema, bool holds, Shape shape) {
  ExprId texts = all_texts(shape);
  if (shape == Shape::kString) texts = own_strings(schema, !holds);
  if (shape == Shape::kNumber) texts = own_numbers(schema, holds);
  if (schema.enumerated != 0) {
    std::vector<ExprId> parts{texts};
    const auto list = [&](JsonId first, JsonId end) {
      std::vector<ExprId> values;
      std::vector<std::string_view> strings;
      for (JsonId value = first; value < end; value = (*document_)[value].end) {
        if ((type_of(document_->kind(value)) & types_of(shape)) == 0) continue;
        if (shape == Shape::kString) {
          strings.push_back(document_->text(value));
        } else {
          values.push_back(literal_text(value));
        }
      }
      parts.push_back(shape == Shape::kString ? arena_->literals(strings) : arena_->alternate(values));
    };
    if (schema.enumeration != kNoJson) list(schema.enumeration + 1, (*document_)[schema.enumeration].end);
    if (schema.constant != kNoJson) list(schema.constant, (*document_)[schema.constant].end);
    texts = arena_->intersect(parts);
  }
  if (holds) return texts;
  return texts == all_texts(shape) ? kEmptyExpr : arena_->intersect({all_texts(shape), arena_->complement(texts)});
}

ExprId Expander::own_strings(const Schema& schema, bool superset) {
  std::vector<ExprId> parts{arena_->any_text()};
  if (schema.pattern != kNoJson) {
    if (const auto condition = pattern_condition(document_->text(schema.pattern), schema.pattern)) {
      parts.push_back(*condition);
    }
  }
  if (schema.format != kNoJson) {
    if (const auto condition = format_condition(schema.format, superset)) parts.push_back(*condition);
  }
  if (schema.min_length > 0 || schema.max_length != kUnbounded) {
    parts.push_back(arena_->repeat(arena_->any_code_point(), schema.min_length, schema.max_length));
  }
  return arena_->intersect(parts);
}

// Of `holds`, the numbers within what the schema says. Otherwise a set to be taken out of all numbers: with them all
// spellings for which no automaton tells whether they are.
ExprId Expander::own_numbers(const Schema& schema, bool holds) {
  const TypeSet types = schema.types & kNumberTypes;
  Product product;
  product.atoms.push_back(Atom::schema(schema.node));
  product.types = types;
  NumberBounds bounds;
  if (!read_bounds(product, bounds)) return kEmptyExpr;
  std::vector<ExprId> parts{number_family(*arena_)};
  std::vector<ExprId> untold;
  const auto multiple_of = [&](const Decimal& divisor, JsonId place) {
    untold.push_back(arena_->complement(multiple_family(*arena_, divisor)));
    return multiples_of(divisor, place);
  };
  if (bounds.minimum || bounds.maximum) parts.push_back(bounded(bounds, product));
  if (types == kIntegerType && schema.lexical_integer) {
    NumberBounds lexical;
    lexical.integer = lexical.lexical_integer = true;
    parts.push_back(bounded(lexical, product));
  } else if (types == kIntegerType) {
    parts.push_back(holds ? whole_numbers() : multiple_of(decimal_one(), schema.node));
  } else if (types == kFractionType) {
    parts.push_back(holds ? fractions() : arena_->complement(multiple_of(decimal_one(), schema.node)));
  }
  if (divides(schema, types)) parts.push_back(multiple_of(decimal(schema.multiple), schema.multiple));
  const ExprId numbers = arena_->intersect(parts);
  if (holds || untold.empty()) return numbers;
  untold.push_back(numbers);
  return arena_->intersect({number_family(*arena_), arena_->alternate(untold)});
}

// --- objects and arrays

FormulaId Expander::formula_of(Atom atom, Shape shape) {
  if (atom.is_always()) return kTrue;
  if (atom.is_never()) return kFalse;
  if (atom.is_literal()) {
    const bool same = (type_of(document_->kind(atom.node())) & types_of(shape)) != 0;
    if (!same) return atom.is_negated() ? kTrue : kFalse;
    return literal_formula(atom.node(), !atom.is_negated());
  }
  return whole_shape(atom.node(), !atom.is_negated(), shape);
}

FormulaId Expander::whole_shape(JsonId node, bool holds, Shape shape) {
  ShapeAlgebra algebra{*this, shape};
  return whole(node, holds, algebra);
}

std::uint32_t Expander::key_number(std::string_view name) {
  const auto [it, fresh] = key_numbers_.try_emplace(name, static_cast<std::uint32_t>(key_names_.size()));
  if (fresh) key_names_.push_back(name);
  return it->second;
}

bool Expander::is_key_in(std::uint32_t key, ExprId keys) {
  const auto [it, fresh] = key_in_.try_emplace((std::uint64_t{keys} << 32U) | key, false);
  if (fresh) it->second = arena_->matches(keys, key_names_[key]);
  return it->second;
}

ExprId Expander::keys_of_pattern(JsonId pattern) {
  return pattern_condition(document_->key(pattern), pattern).value_or(arena_->any_text());
}

// The keys that neither properties nor patternProperties beside them name.
ExprId Expander::additional_keys(const Schema& schema) {
  const auto [it, fresh] = additional_keys_.try_emplace(schema.node, kEmptyExpr);
  if (!fresh) return it->second;
  std::vector<ExprId> parts{arena_->any_text()};
  if (schema.properties != kNoJson) {
    std::vector<std::string_view> names;
    for (const JsonId member : document_->children(schema.properties)) names.push_back(document_->key(member));
    parts.push_back(arena_->complement(arena_->literals(names)));
  }
  if (schema.patterns != kNoJson) {
    for (const JsonId member : document_->children(schema.patterns)) {
      parts.push_back(arena_->complement(keys_of_pattern(member)));
    }
  }
  return it->second = arena_->intersect(parts);
}

FormulaId Expander::own_formula(const Schema& schema, bool holds, Shape shape) {
  const FormulaId own = shape == Shape::kObject ? own_record(schema, holds) : own_list(schema, holds);
  if (schema.enumerated == 0) return own;
  const FormulaId listed = listed_formula(schema, holds, shape);
  return holds ? formulas_.all_of({own, listed}) : formulas_.any_of({own, listed});
}

FormulaId Expander::own_record(const Schema& schema, bool holds) {
  std::vector<FormulaId> parts;
  if (schema.properties != kNoJson) {
    for (const JsonId member : document_->children(schema.properties)) {
      const std::uint32_t key = key_number(document_->key(member));
      const Atom atom = atom_of(member);
      parts.push_back(holds ? formulas_.member(key, atom)
                            : formulas_.all_of({formulas_.required(key), formulas_.member(key, atom.negation())}));
    }
  }
  const auto every = [&](ExprId keys, Atom atom) {
    parts.push_back(holds ? formulas_.every(keys, atom) : formulas_.some(keys, atom.negation()));
  };
  if (schema.patterns != kNoJson) {
    for (const JsonId member : document_->children(schema.patterns)) every(keys_of_pattern(member), atom_of(member));
  }
  if (schema.additional != kNoJson) every(additional_keys(schema), atom_of(schema.additional));
  if (schema.names != kNoJson) {
    const ExprId names = texts_of(Atom::schema(schema.names), Shape::kString);
    if (holds) {
      parts.push_back(
          formulas_.every(arena_->intersect({arena_->any_text(), arena_->complement(names)}), Atom::never()));
    } else {
      parts.push_back(formulas_.some(texts_of(Atom::schema(schema.names).negation(), Shape::kString), Atom::always()));
    }
  }
  if (schema.required != kNoJson) {
    for (const JsonId name : document_->children(schema.required)) {
      const std::uint32_t key = key_number(document_->text(name));
      parts.push_back(holds ? formulas_.required(key) : formulas_.member(key, Atom::never()));
    }
  }
  add_counts(schema.min_properties, schema.max_properties, holds, parts);
  return holds ? formulas_.all_of(std::move(parts)) : formulas_.any_of(std::move(parts));
}

void Expander::add_counts(std::uint32_t min, std::uint32_t max, bool holds, std::vector<FormulaId>& parts) {
  if (min > 0) parts.push_back(holds ? formulas_.at_least(min) : formulas_.at_most(min - 1));
  if (max != kUnbounded) parts.push_back(holds ? formulas_.at_most(max) : formulas_.at_least(max + 1));
}

FormulaId Expander::own_list(const Schema& schema, bool holds) {
  std::vector<FormulaId> parts;
  std::uint32_t count = 0;
  if (schema.prefix != kNoJson) {
    for (const JsonId item : document_->children(schema.prefix)) {
      const Atom atom = atom_of(item);
      parts.push_back(holds
                          ? formulas_.item(count, atom)
                          : formulas_.all_of({formulas_.at_least(count + 1), formulas_.item(count, atom.negation())}));
      ++count;
    }
  }
  if (schema.rest != kNoJson) {
    const FormulaId what = formulas_.is(atom_of(schema.rest));
    const FormulaId otherwise = formulas_.is(atom_of(schema.rest).negation());
    parts.push_back(holds ? formulas_.rest(count, what) : formulas_.contains(count, 1, kUnbounded, otherwise, what));
  }
  if (schema.contains != kNoJson) {
    const FormulaId what = formulas_.is(atom_of(schema.contains));
    const FormulaId otherwise = formulas_.is(atom_of(schema.contains).negation());
    if (holds) {
      parts.push_back(formulas_.contains(0, schema.min_contains, schema.max_contains, what, otherwise));
    } else {
      if (schema.min_contains > 0) {
        parts.push_back(formulas_.contains(0, 0, schema.min_contains - 1, what, otherwise));
      }
      if (schema.max_contains != kUnbounded) {
        parts.push_back(formulas_.contains(0, schema.max_contains + 1, kUnbounded, what, otherwise));
      }
    }
  }
  if (schema.unique != kNoJson) {
    if (holds) {
      parts.push_back(formulas_.distinct(0, schema.unique));
    } else {
      fail_unsupported(schema.unique);
    }
  }
  add_counts(schema.min_items, schema.max_items, holds, parts);
  return holds ? formulas_.all_of(std::move(parts)) : formulas_.any_of(std::move(parts));
}

FormulaId Expander::own_dependencies(const Schema& schema, bool holds, ShapeAlgebra& algebra) {
  std::vector<FormulaId> parts;
  for (const JsonId dependency : schema.dependencies) {
    const std::uint32_t key = key_number(document_->key(dependency));
    const FormulaId comes = formulas_.required(key);
    const FormulaId stays_away = formulas_.member(key, Atom::never());
    FormulaId then = kTrue;
    if (document_->kind(dependency) == JsonKind::kArray) {
      std::vector<FormulaId> keys;
      for (const JsonId name : document_->children(dependency)) {
        const std::uint32_t other = key_number(document_->text(name));
        keys.push_back(holds ? formulas_.required(other) : formulas_.member(other, Atom::never()));
      }
      then = holds ? formulas_.all_of(std::move(keys)) : formulas_.any_of(std::move(keys));
    } else {
      then = whole(dependency, holds, algebra);
    }
    parts.push_back(holds ? formulas_.any_of({stays_away, then}) : formulas_.all_of({comes, then}));
  }
  return holds ? formulas_.all_of(std::move(parts)) : formulas_.any_of(std::move(parts));
}

// The objects or arrays among the values of enum and const.
FormulaId Expander::listed_formula(const Schema& schema, bool holds, Shape shape) {
  std::vector<FormulaId> parts;
  const auto list = [&](JsonId first, JsonId end) {
    std::vector<FormulaId> values;
    for (JsonId value = first; value < end; value = (*document_)[value].end) {
      if ((type_of(document_->kind(value)) & types_of(shape)) != 0) values.push_back(literal_formula(value, holds));
    }
    parts.push_back(holds ? formulas_.any_of(std::move(values)) : formulas_.all_of(std::move(values)));
  };
  if (schema.enumeration != kNoJson) list(schema.enumeration + 1, (*document_)[schema.enumeration].end);
  if (schema.constant != kNoJson) list(schema.constant, (*document_)[schema.constant].end);
  return holds ? formulas_.all_of(std::move(parts)) : formulas_.any_of(std::move(parts));
}

FormulaId Expander::literal_formula(JsonId value, bool holds) {
  std::vector<FormulaId> parts;
  const auto is = [&](JsonId child) {
    const Atom atom = Atom::literal(child);
    return holds ? atom : atom.negation();
  };
  if (document_->kind(value) == JsonKind::kObject) {
    std::vector<std::string_view> names;
    for (const JsonId member : document_->children(value)) {
      const std::uint32_t key = key_number(document_->key(member));
      names.push_back(document_->key(member));
      parts.push_back(formulas_.member(key, is(member)));
      if (holds) parts.push_back(formulas_.required(key));
    }
    // Without one of the keys it is another object: any_of below then holds `member` already.
    const ExprId others = arena_->intersect({arena_->any_text(), arena_->complement(arena_->literals(names))});
    parts.push_back(holds ? formulas_.every(others, Atom::never()) : formulas_.some(others, Atom::always()));
  } else {
    const std::uint32_t count = (*document_)[value].size;
    std::uint32_t index = 0;
    for (const JsonId item : document_->children(value)) parts.push_back(formulas_.item(index++, is(item)));
    add_counts(count, count, holds, parts);
  }
  return holds ? formulas_.all_of(std::move(parts)) : formulas_.any_of(std::move(parts));
}

}  // namespace weir::schema
