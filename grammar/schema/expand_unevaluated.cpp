// unevaluatedProperties and unevaluatedItems: which members or items the schemas in place have evaluated depends on
// which of them hold. So a schema is taken apart into cases, each a formula and what is evaluated where it holds; the
// cases need not exclude each other, for where more schemas hold, more is evaluated, and the schema asks for less.
#include <algorithm>

#include <fmt/format.h>

#include "schema/expander.hpp"

namespace weir::schema {

struct Expander::Case {
  FormulaId holds = kTrue;
  FormulaId fails = kFalse;      // its negation
  ExprId keys = kEmptyExpr;      // evaluated
  bool all_items = false;        // evaluated
  std::uint32_t items = 0;       // evaluated, from the first on
  std::vector<Atom> containing;  // items that satisfy one of these are evaluated, sorted

  bool evaluates_same(const Case& other) const {
    return keys == other.keys && all_items == other.all_items && items == other.items && containing == other.containing;
  }
};

std::vector<Expander::Case> Expander::both(std::span<const Case> a, std::span<const Case> b, JsonId place) {
  std::vector<Case> all;
  if (a.size() * b.size() > options_->limits.max_alternatives) {
    diagnostics_->fail(ErrorCode::kLimit, place,
                       fmt::format("what is evaluated here depends on the schemas in place in more than {} ways "
                                   "(Limits::max_alternatives)",
                                   options_->limits.max_alternatives));
    return all;
  }
  for (const Case& x : a) {
    for (const Case& y : b) {
      Case both;
      both.holds = formulas_.all_of({x.holds, y.holds});
      if (both.holds == kFalse) continue;
      both.fails = formulas_.any_of({x.fails, y.fails});
      both.keys = arena_->alternate({x.keys, y.keys});
      both.all_items = x.all_items || y.all_items;
      both.items = std::max(x.items, y.items);
      both.containing = x.containing;
      both.containing.insert(both.containing.end(), y.containing.begin(), y.containing.end());
      std::sort(both.containing.begin(), both.containing.end());
      both.containing.erase(std::unique(both.containing.begin(), both.containing.end()), both.containing.end());
      const auto same = std::find_if(all.begin(), all.end(), [&](const Case& c) { return c.evaluates_same(both); });
      if (same == all.end()) {
        all.push_back(std::move(both));
      } else {
        same->holds = formulas_.any_of({same->holds, both.holds});
        same->fails = formulas_.all_of({same->fails, both.fails});
      }
    }
  }
  return all;
}

std::vector<Expander::Case> Expander::cases_of(JsonId node, Shape shape) {
  const Schema& schema = reader_.resolve(node);
  if (diagnostics_->failed() || schema.never || (schema.types & types_of(shape)) == 0) return {};
  if (!schema.asserts() && !schema.in_place() && !schema.annotates()) return {Case{}};
  if (std::count(whole_path_.begin(), whole_path_.end(), schema.node) > 1 ||
      whole_path_.size() >= options_->limits.max_depth) {
    return {};
  }
  whole_path_.push_back(schema.node);
  std::vector<Case> cases;
  const bool inner =
      shape == Shape::kObject ? schema.unevaluated_properties != kNoJson : schema.unevaluated_items != kNoJson;
  if (inner) {
    // Such a schema inside of another leaves nothing unevaluated.
    Case all;
    all.holds = unevaluated_formula(schema, true, shape);
    all.fails = unevaluated_formula(schema, false, shape);
    all.keys = arena_->any_text();
    all.all_items = true;
    cases.push_back(all);
  } else {
    cases = cases_of_parts(schema, shape);
  }
  whole_path_.pop_back();
  return cases;
}

std::vector<Expander::Case> Expander::cases_of_parts(const Schema& schema, Shape shape) {
  Case own;
  own.holds = own_formula(schema, true, shape);
  own.fails = own_formula(schema, false, shape);
  if (shape == Shape::kObject) {
    std::vector<ExprId> keys;
    if (schema.properties != kNoJson) {
      std::vector<std::string_view> names;
      for (const JsonId member : document_->children(schema.properties)) names.push_back(document_->key(member));
      keys.push_back(arena_->literals(names));
    }
    if (schema.patterns != kNoJson) {
      for (const JsonId member : document_->children(schema.patterns)) keys.push_back(keys_of_pattern(member));
    }
    own.keys = schema.evaluates_properties ? arena_->any_text() : arena_->alternate(keys);
  } else {
    if (schema.prefix != kNoJson) own.items = (*document_)[schema.prefix].size;
    own.all_items = schema.evaluates_items;
    if (schema.evaluating_contains != kNoJson) {
      const Atom atom = atom_of(schema.evaluating_contains);
      if (atom.is_always()) own.all_items = true;
      if (!atom.is_always() && !atom.is_never()) own.containing.push_back(atom);
    }
  }
  std::vector<Case> cases{std::move(own)};
  const auto meet = [&](const std::vector<Case>& with) { cases = both(cases, with, schema.node); };
  const auto only = [&](JsonId node, bool holds) {
    Case one;
    one.holds = whole_shape(node, holds, shape);
    one.fails = whole_shape(node, !holds, shape);
    return one;
  };
  const auto append = [](std::vector<Case>& to, std::vector<Case> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  if (schema.reference != kNoJson) meet(cases_of(schema.reference_target, shape));
  if (schema.second_reference != kNoJson) meet(cases_of(schema.second_target, shape));
  if (schema.all_of != kNoJson) {
    for (const JsonId child : document_->children(schema.all_of)) meet(cases_of(child, shape));
  }
  if (schema.any_of != kNoJson) {
    // Every set of branches that is not empty.
    std::vector<Case> some;
    std::vector<Case> none{Case{}};
    for (const JsonId child : document_->children(schema.any_of)) {
      const std::vector<Case> branch = cases_of(child, shape);
      std::vector<Case> grown = both(some, branch, schema.any_of);
      append(grown, some);
      append(grown, branch);
      some = both(grown, none, schema.any_of);  // merges what evaluates the same
    }
    meet(some);
  }
  if (schema.one_of != kNoJson) {
    std::vector<Case> some;
    for (const JsonId child : document_->children(schema.one_of)) {
      std::vector<Case> way = cases_of(child, shape);
      for (const JsonId other : document_->children(schema.one_of)) {
        if (other != child) way = both(way, std::vector{only(other, false)}, schema.one_of);
      }
      append(some, std::move(way));
    }
    meet(some);
  }
  if (schema.negated != kNoJson) meet({only(schema.negated, false)});
  if (schema.tested != kNoJson) {
    std::vector<Case> then = cases_of(schema.tested, shape);
    if (schema.consequence != kNoJson) then = both(then, cases_of(schema.consequence, shape), schema.tested);
    std::vector<Case> otherwise{only(schema.tested, false)};
    if (schema.alternative != kNoJson) otherwise = both(otherwise, cases_of(schema.alternative, shape), schema.tested);
    append(then, std::move(otherwise));
    meet(then);
  }
  for (const JsonId dependency : schema.dependencies) {
    if (shape != Shape::kObject) break;
    const std::uint32_t key = key_number(document_->key(dependency));
    Case comes;
    comes.holds = formulas_.required(key);
    comes.fails = formulas_.member(key, Atom::never());
    Case stays_away;
    stays_away.holds = comes.fails;
    stays_away.fails = comes.holds;
    std::vector<Case> ways;
    if (document_->kind(dependency) == JsonKind::kArray) {
      for (const JsonId name : document_->children(dependency)) {
        const std::uint32_t other = key_number(document_->text(name));
        comes.holds = formulas_.all_of({comes.holds, formulas_.required(other)});
        comes.fails = formulas_.any_of({comes.fails, formulas_.member(other, Atom::never())});
      }
      ways = {comes};
    } else {
      ways = both(std::vector{comes}, cases_of(dependency, shape), dependency);
    }
    ways.push_back(stays_away);
    meet(ways);
  }
  return cases;
}

FormulaId Expander::unevaluated_formula(const Schema& schema, bool holds, Shape shape) {
  const Atom atom = atom_of(shape == Shape::kObject ? schema.unevaluated_properties : schema.unevaluated_items);
  std::vector<FormulaId> ways;
  for (const Case& one : cases_of_parts(schema, shape)) {
    FormulaId rest = kTrue;
    if (shape == Shape::kObject) {
      const ExprId open = arena_->intersect({arena_->any_text(), arena_->complement(one.keys)});
      rest = holds ? formulas_.every(open, atom) : formulas_.some(open, atom.negation());
    } else if (one.all_items) {
      rest = holds ? kTrue : kFalse;
    } else {
      std::vector<FormulaId> what{formulas_.is(atom)};
      std::vector<FormulaId> otherwise{formulas_.is(atom.negation())};
      for (const Atom containing : one.containing) {
        what.push_back(formulas_.is(containing));
        otherwise.push_back(formulas_.is(containing.negation()));
      }
      const FormulaId evaluated = formulas_.any_of(std::move(what));
      const FormulaId not_evaluated = formulas_.all_of(std::move(otherwise));
      rest = holds ? formulas_.rest(one.items, evaluated)
                   : formulas_.contains(one.items, 1, kUnbounded, not_evaluated, evaluated);
    }
    ways.push_back(holds ? formulas_.all_of({one.holds, rest}) : formulas_.any_of({one.fails, rest}));
  }
  return holds ? formulas_.any_of(std::move(ways)) : formulas_.all_of(std::move(ways));
}

}  // namespace weir::schema
