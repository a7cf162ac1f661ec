#include "schema/expander.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace weir::schema {

void AtomSet::insert(Atom atom) {
  if (std::find(atoms.begin(), atoms.end(), atom) == atoms.end()) atoms.push_back(atom);
}

std::size_t AtomsHash::operator()(const std::vector<std::uint32_t>& codes) const noexcept {
  std::uint64_t hash = codes.size();
  for (const std::uint32_t code : codes) {
    hash = (hash ^ code) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29U;
  }
  return hash;
}

CompiledSchema Expander::expand() {
  AtomSet root;
  add_schema(root, 0);
  if (diagnostics_->failed()) return {};
  if (root.never) {
    diagnostics_->fail(ErrorCode::kUnsatisfiable, 0, "this schema is false: no JSON text satisfies it");
    return {};
  }
  out_.root = intern(root);
  for (ValueId id = 0; id < out_.values.size() && !diagnostics_->failed(); ++id) expand_value(id);
  if (!diagnostics_->failed() && arena_->exhausted()) {
    diagnostics_->fail(ErrorCode::kLimit, 0,
                       "the patterns, formats and bounds of this schema need more expressions or automaton states than "
                       "Limits allows (max_expressions, max_automaton_states, max_emptiness_states)");
  }
  out_.storage = document_->storage();
  return std::move(out_);
}

void Expander::add_schema(AtomSet& set, JsonId node) {
  const Schema& schema = reader_.resolve(node);
  if (schema.never) {
    set.never = true;
  } else if (schema.asserts() || schema.in_place()) {
    set.insert(Atom::schema(schema.node));
  }
}

ValueId Expander::intern(const AtomSet& set) {
  if (set.never) return kNoValue;
  ValueId* known = nullptr;
  if (set.atoms.empty()) {
    known = &any_value_;
  } else if (set.atoms.size() == 1 && !set.atoms.front().is_literal()) {
    known = &value_of_[set.atoms.front().node()];
  } else {
    std::vector<std::uint32_t> key;
    key.reserve(set.atoms.size());
    for (const Atom atom : set.atoms) key.push_back(atom.code());
    std::sort(key.begin(), key.end());
    known = &values_.try_emplace(std::move(key), kNoValue).first->second;
  }
  if (*known == kNoValue) {
    if (out_.values.size() >= options_->limits.max_values) {
      diagnostics_->fail(ErrorCode::kLimit, set.atoms.empty() ? 0 : set.atoms.front().node(),
                         fmt::format("the schema describes more than {} different values (Limits::max_values)",
                                     options_->limits.max_values));
      return kNoValue;
    }
    *known = static_cast<ValueId>(out_.values.size());
    out_.values.emplace_back();
    expressions_.push_back(set.atoms);
  }
  return *known;
}

void Expander::expand_value(ValueId id) {
  // Expanding interns further values, so nothing may be held by reference.
  const std::vector<Atom> atoms = expressions_[id];
  Walk walk;
  walk.context = atoms;
  walk.budget = options_->limits.max_alternatives;
  const std::vector<Product> products = multiply(atoms, walk);
  ValueSpec spec;
  strings_.clear();
  numbers_.clear();
  for (const Product& product : products) {
    check_supported(product);
    if (diagnostics_->failed()) return;
    expand_product(product, spec);
  }
  if (!strings_.empty()) spec.texts.push_back({arena_->literals(strings_), 0, kUnbounded});
  spec.scalar = arena_->alternate(numbers_);
  out_.values[id] = std::move(spec);
}

void Expander::expand_product(const Product& product, ValueSpec& out) {
  const auto add = [](std::vector<ShapeId>& shapes, ShapeId shape) {
    if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) shapes.push_back(shape);
  };
  expand_scalars(product, out);
  if ((product.types & kObjectType) != 0) add(out.records, record_shape(product));
  if ((product.types & kArrayType) != 0) add(out.lists, list_shape(product));
}

void Expander::check_supported(const Product& product) {
  for (const Atom atom : product.atoms) {
    if (atom.is_literal()) continue;
    for (const Unsupported& unsupported : reader_.read(atom.node()).unsupported) {
      if ((unsupported.types & product.types) == 0) continue;
      diagnostics_->fail(ErrorCode::kUnsupported, unsupported.keyword,
                         fmt::format("weir cannot keep \"{}\" exactly yet, and does not ignore it; remove it, or say "
                                     "the same with other keywords",
                                     document_->key(unsupported.keyword)));
      return;
    }
  }
}

}  // namespace weir::schema
