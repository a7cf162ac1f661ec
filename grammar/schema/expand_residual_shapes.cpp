// Objects and arrays from formulas. A conjunction of conditions on members or items becomes a shape in closed form,
// like those of plain schemas; any other keeps its formula, and Residuals tells step by step what may come.
#include <algorithm>

#include <fmt/format.h>

#include "schema/expander.hpp"

namespace weir::schema {
namespace {

constexpr std::size_t kMaxCells = 512;  // into which the sets of keys of one object divide all texts

}  // namespace

// Whether the shape of an object or array takes a formula, or is what record_shape and list_shape make of it.
bool Expander::has_formula(const Product& product, Shape shape) {
  for (const Atom atom : product.atoms) {
    if (atom.is_literal()) continue;
    const Schema& schema = reader_.read(atom.node());
    if (shape == Shape::kObject && (schema.patterns != kNoJson || schema.names != kNoJson)) return true;
    if (shape == Shape::kArray && (schema.contains != kNoJson || schema.unique != kNoJson)) return true;
  }
  return std::any_of(product.wholes.begin(), product.wholes.end(),
                     [&](Atom atom) { return formula_of(atom, shape) != kTrue; });
}

FormulaId Expander::product_formula(const Product& product, Shape shape) {
  std::vector<FormulaId> parts;
  for (const Atom atom : product.atoms) {
    // The alternatives of enum and const are atoms of their own.
    parts.push_back(atom.is_literal()        ? formula_of(atom, shape)
                    : shape == Shape::kArray ? own_list(reader_.read(atom.node()), true)
                                             : own_record(reader_.read(atom.node()), true));
  }
  for (const Atom atom : product.wholes) parts.push_back(formula_of(atom, shape));
  return formulas_.all_of(std::move(parts));
}

// The keys in the order of the text: those of `properties` through all schemas in place, then the others.
std::vector<std::uint32_t> Expander::key_order(const Product& product, FormulaId formula) {
  std::vector<std::uint32_t> order;
  std::unordered_set<std::uint32_t> listed;
  const auto add = [&](std::string_view name) {
    const std::uint32_t key = key_number(name);
    if (listed.insert(key).second) order.push_back(key);
  };
  const auto add_members = [&](JsonId object) {
    for (const JsonId member : document_->children(object)) add(document_->key(member));
  };
  std::vector<const Schema*> schemas;
  std::unordered_set<JsonId> seen;
  const auto visit = [&](auto&& self, JsonId node, bool alone) -> void {
    const Schema& schema = reader_.resolve(node);
    if (diagnostics_->failed() || !seen.insert(schema.node).second) return;
    schemas.push_back(&schema);
    std::vector<JsonId> parts{schema.properties, schema.enumeration, schema.constant};
    if (!alone) {
      parts.insert(parts.end(), {schema.reference, schema.second_reference, schema.all_of, schema.any_of, schema.one_of,
                                 schema.negated, schema.condition, schema.consequence, schema.alternative});
      for (const JsonId dependency : schema.dependencies) {
        if (document_->kind(dependency) != JsonKind::kArray) parts.push_back(dependency);
      }
    }
    std::sort(parts.begin(), parts.end());
    for (const JsonId part : parts) {
      if (part == kNoJson) break;
      if (part == schema.properties) {
        add_members(part);
      } else if (part == schema.constant) {
        if (document_->kind(part) == JsonKind::kObject) add_members(part);
      } else if (part == schema.enumeration) {
        for (const JsonId value : document_->children(part)) {
          if (document_->kind(value) == JsonKind::kObject) add_members(value);
        }
      } else if (part == schema.all_of || part == schema.any_of || part == schema.one_of) {
        for (const JsonId child : document_->children(part)) self(self, child, false);
      } else if (part == schema.reference) {
        self(self, schema.reference_target, false);
      } else {
        self(self, part == schema.second_reference ? schema.second_target : part, false);
      }
    }
  };
  const auto visit_atom = [&](Atom atom, bool alone) {
    if (!atom.is_literal()) {
      visit(visit, atom.node(), alone);
    } else if (document_->kind(atom.node()) == JsonKind::kObject) {
      add_members(atom.node());
    }
  };
  for (const Atom atom : product.atoms) visit_atom(atom, true);
  for (const Atom atom : product.wholes) visit_atom(atom, false);
  for (const Schema* schema : schemas) {
    if (schema->required == kNoJson) continue;
    for (const JsonId name : document_->children(schema->required)) add(document_->text(name));
  }
  formulas_.for_each_leaf(formula, [&](const Formula& leaf) {
    if (leaf.condition != Condition::kMember && leaf.condition != Condition::kRequired) return;
    if (listed.insert(leaf.a).second) order.push_back(leaf.a);
  });
  return order;
}

ShapeId Expander::record_by_formula(const Product& product, FormulaId formula) {
  RecordShape shape;
  shape.by_formula = true;
  shape.formula = formula;
  shape.names = key_order(product, formula);
  std::vector<std::uint32_t> code{0xFFFFFFFF, formula};  // no atom has such a code
  code.insert(code.end(), shape.names.begin(), shape.names.end());
  const auto [known, fresh] = record_shapes_.try_emplace(std::move(code), static_cast<ShapeId>(out_.records.size()));
  const ShapeId id = known->second;
  if (!fresh) return id;
  out_.records.resize_at_least(id + 1);
  for (const std::uint32_t key : shape.names) shape.keys.push_back({key_names_[key], kNoValue, false});
  divide_keys(product, shape);
  if (!diagnostics_->failed()) close_record(shape);
  out_.records[id] = std::move(shape);
  return id;
}

// Divides the keys that are not listed into cells that no set of the formula tells apart.
void Expander::divide_keys(const Product& product, RecordShape& shape) {
  std::vector<ExprId> sets;
  formulas_.for_each_leaf(shape.formula, [&](const Formula& leaf) {
    if (leaf.condition == Condition::kEvery || leaf.condition == Condition::kSome) sets.push_back(leaf.a);
  });
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  std::vector<std::string_view> names;
  for (const KeySpec& key : shape.keys) names.push_back(key.name);
  const ExprId others = names.empty()
                            ? arena_->any_text()
                            : arena_->intersect({arena_->any_text(), arena_->complement(arena_->literals(names))});
  // With each cell, for each set so far, whether the cell lies in it: known here, and a search where formats are large.
  struct Cell {
    ExprId keys;
    std::vector<bool> inside;
  };
  std::vector<Cell> cells{{others, {}}};
  for (const ExprId set : sets) {
    std::vector<Cell> divided;
    const auto add = [&](const Cell& cell, ExprId keys, bool inside) {
      divided.push_back({keys, cell.inside});
      divided.back().inside.push_back(inside);
    };
    for (const Cell& cell : cells) {
      const ExprId inside = arena_->intersect({cell.keys, set});
      if (inside == cell.keys) {
        add(cell, cell.keys, true);
        continue;
      }
      const ExprId outside = arena_->intersect({cell.keys, arena_->complement(set)});
      if (arena_->is_empty(outside)) {
        add(cell, cell.keys, true);
        continue;
      }
      if (!arena_->is_empty(inside)) add(cell, inside, true);
      add(cell, outside, false);
    }
    cells = std::move(divided);
    if (cells.size() > kMaxCells) {
      diagnostics_->fail(ErrorCode::kLimit, place_of(product),
                         fmt::format("the patterns of keys here overlap in more than {} ways", kMaxCells));
      return;
    }
  }
  shape.all_others = cells.size() == 1;
  for (const Cell& cell : cells) {
    shape.cells.push_back({cell.keys, kNoValue});
    for (std::size_t i = 0; i < sets.size(); ++i) {
      cell_in_.try_emplace((std::uint64_t{sets[i]} << 32U) | cell.keys, cell.inside[i]);
    }
  }
}

bool Expander::is_cell_in(ExprId cell, ExprId set) {
  if (cell == set) return true;
  const auto [it, fresh] = cell_in_.try_emplace((std::uint64_t{set} << 32U) | cell, false);
  if (fresh) it->second = !arena_->is_empty(arena_->intersect({cell, set}));
  return it->second;
}

std::vector<Formula> Expander::conjuncts_of(FormulaId formula) const {
  std::vector<Formula> parts;
  for (const FormulaId part : formulas_.conjuncts(formula)) parts.push_back(formulas_[part]);
  return parts;
}

// Turns the shape into closed form if its formula is a conjunction of what every member must be.
bool Expander::close_record(RecordShape& shape) {
  const std::vector<Formula> leaves = conjuncts_of(shape.formula);
  for (const Formula& leaf : leaves) {
    switch (leaf.condition) {
      case Condition::kMember:
      case Condition::kRequired:
      case Condition::kEvery: break;
      case Condition::kAtLeast: shape.min_members = std::max(shape.min_members, leaf.a); break;
      case Condition::kAtMost: shape.max_members = std::min(shape.max_members, leaf.a); break;
      default: return false;
    }
  }
  shape.by_formula = false;
  AtomSet set;
  for (std::size_t i = 0; i < shape.keys.size(); ++i) {
    set.clear();
    for (const Formula& leaf : leaves) {
      const bool named = leaf.a == shape.names[i];
      if (leaf.condition == Condition::kRequired && named) shape.keys[i].required = true;
      if (leaf.condition == Condition::kMember && named) set.insert(leaf.atom);
      if (leaf.condition == Condition::kEvery && is_key_in(shape.names[i], leaf.a)) set.insert(leaf.atom);
    }
    shape.keys[i].value = intern(set);
  }
  for (KeyCell& cell : shape.cells) {
    set.clear();
    for (const Formula& leaf : leaves) {
      if (leaf.condition == Condition::kEvery && is_cell_in(cell.keys, leaf.a)) set.insert(leaf.atom);
    }
    cell.value = intern(set);
  }
  const ValueId first = shape.cells.front().value;
  if (std::all_of(shape.cells.begin(), shape.cells.end(), [&](const KeyCell& cell) { return cell.value == first; })) {
    shape.others = first;
    shape.cells.clear();
  }
  std::erase_if(shape.cells, [](const KeyCell& cell) { return cell.value == kNoValue; });
  return true;
}

ShapeId Expander::list_by_formula(FormulaId formula) {
  const auto [known, fresh] = list_shapes_.try_emplace({0xFFFFFFFF, formula}, static_cast<ShapeId>(out_.lists.size()));
  const ShapeId id = known->second;
  if (!fresh) return id;
  out_.lists.resize_at_least(id + 1);
  ListShape shape;
  shape.by_formula = true;
  shape.formula = formula;
  close_list(shape);
  out_.lists[id] = std::move(shape);
  return id;
}

bool Expander::close_list(ListShape& shape) {
  constexpr std::uint32_t kLongest = 1U << 16U;
  const std::vector<Formula> leaves = conjuncts_of(shape.formula);
  std::uint32_t prefix = 0;
  for (const Formula& leaf : leaves) {
    switch (leaf.condition) {
      case Condition::kItem: prefix = std::max(prefix, leaf.a + 1); break;
      case Condition::kRest:
        if (formulas_[leaf.b].condition != Condition::kIs && leaf.b != kFalse) return false;
        prefix = std::max(prefix, leaf.a);
        break;
      case Condition::kAtLeast: shape.min_items = std::max(shape.min_items, leaf.a); break;
      case Condition::kAtMost: shape.max_items = std::min(shape.max_items, leaf.a); break;
      default: return false;
    }
  }
  if (prefix > kLongest) return false;
  shape.by_formula = false;
  const auto item = [&](std::uint32_t index) {
    AtomSet set;
    for (const Formula& leaf : leaves) {
      if (leaf.condition == Condition::kItem && leaf.a == index) set.insert(leaf.atom);
      if (leaf.condition == Condition::kRest && index >= leaf.a) {
        set.insert(leaf.b == kFalse ? Atom::never() : formulas_[leaf.b].atom);
      }
    }
    return intern(set);
  };
  for (std::uint32_t i = 0; i < std::min(prefix, shape.max_items); ++i) shape.prefix.push_back(item(i));
  if (shape.max_items > prefix) shape.rest = item(prefix);
  return true;
}

}  // namespace weir::schema
