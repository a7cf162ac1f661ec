#include "schema/expander.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/formats.hpp"

namespace weir::schema {

TypeSet types_of(Shape shape) {
  switch (shape) {
    case Shape::kNull: return kNullType;
    case Shape::kBoolean: return kBooleanType;
    case Shape::kNumber: return kNumberTypes;
    case Shape::kString: return kStringType;
    case Shape::kArray: return kArrayType;
    case Shape::kObject: return kObjectType;
  }
  return 0;
}

void Expander::expand() {
  AtomSet root;
  add_schema(root, 0);
  if (diagnostics_->failed()) return;
  if (root.never) {
    diagnostics_->fail(ErrorCode::kUnsatisfiable, 0, "this schema is false: no JSON text satisfies it");
    return;
  }
  out_.root = intern(root);
  for (ValueId id = 0; id < out_.values.size() && !diagnostics_->failed(); ++id) value(id);
  build_early();
  if (!diagnostics_->failed() && arena_->exhausted()) {
    diagnostics_->fail(ErrorCode::kLimit, 0,
                       "the patterns, formats and bounds of this schema need more expressions or automaton states than "
                       "Limits allows (max_expressions, max_automaton_states, max_emptiness_states)");
  }
}

const ValueSpec& Expander::value(ValueId id) {
  if (!out_.values[id].expanded) {
    expand_value(id);
    out_.values[id].expanded = true;
  }
  return out_.values[id];
}

// Listed strings, formats and bounded numbers are built when somebody asks for them, unless it is in doubt that the
// arena has room: that is to be an error of this compile.
void Expander::build_early() {
  constexpr std::size_t kAllFormats = 8192;  // expressions
  constexpr std::size_t kMostOfNumber = 1024;
  const std::size_t pending = 2 * listed_bytes_ + kAllFormats + kMostOfNumber * out_.numbers.size();
  if (diagnostics_->failed() || arena_->size() + pending <= options_->limits.max_expressions / 2) return;
  for (const NumberBounds& bounds : out_.numbers) static_cast<void>(known_number(*arena_, bounds));
  for (ValueId id = 0; id < out_.values.size(); ++id) {
    const ValueSpec& value = out_.values[id];
    arena_->literals(value.strings);
    for (const TextSpec& text : value.texts) {
      if (!text.format.empty()) known_format(*arena_, text.format);
    }
  }
}

Atom Expander::atom_of(JsonId node) {
  const Schema& schema = reader_.resolve(node);
  if (schema.never) return Atom::never();
  return schema.asserts() || schema.in_place() ? Atom::schema(schema.node) : Atom::always();
}

void Expander::add_schema(AtomSet& set, JsonId node) { set.insert(atom_of(node)); }

ValueId Expander::intern(const AtomSet& set) {
  if (set.never) return kNoValue;
  ValueId* known = nullptr;
  if (set.atoms.empty()) {
    known = &any_value_;
  } else if (set.atoms.size() == 1 && !set.atoms.front().is_literal() && !set.atoms.front().is_negated()) {
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
    out_.values.resize_at_least(out_.values.size() + 1);
    expressions_.push_back(static_cast<std::uint32_t>(atoms_.size()));
    atoms_.insert(atoms_.end(), set.atoms.begin(), set.atoms.end());
  }
  return *known;
}

// The schema that is all of a conjunction and has no alternatives; nullptr: it takes multiplying.
const Schema* Expander::lone_schema(std::span<const Atom> atoms) {
  if (atoms.size() != 1 || atoms.front().is_literal() || atoms.front().is_negated()) return nullptr;
  const Schema& schema = reader_.resolve(atoms.front().node());
  const bool plain =
      !schema.never && schema.asserts() && !schema.in_place() && (schema.enumerated & (kArrayType | kObjectType)) == 0;
  return plain && !diagnostics_->failed() ? &schema : nullptr;
}

void Expander::expand_value(ValueId id) {
  ValueSpec spec;
  strings_.clear();
  numbers_.clear();
  const auto expand = [&](const Product& product) {
    if (!diagnostics_->failed()) expand_product(product, spec);
  };
  const Schema* const alone = lone_schema(expression_of(id));
  if (alone != nullptr) {
    alone_.atoms.assign(1, Atom::schema(alone->node));
    alone_.types = alone->types;
    expand(alone_);
  } else {
    // Expanding interns further values, so nothing may be held by reference.
    const std::vector<Atom> atoms(expression_of(id).begin(), expression_of(id).end());
    Walk walk;
    walk.context = atoms;
    walk.budget = options_->limits.max_alternatives;
    std::vector<Product> products = multiply(atoms, walk);
    if (walk.exceeded && !diagnostics_->failed()) {
      walk.exceeded = false;
      walk.folded = true;
      products = multiply(atoms, walk);
    }
    for (const Product& product : products) {
      expand(product);
      if (diagnostics_->failed()) return;
    }
  }
  if (diagnostics_->failed()) return;
  if (!strings_.empty()) {
    for (const std::string_view text : strings_) listed_bytes_ += text.size();
    spec.strings = strings_;
  }
  if (!numbers_.empty()) spec.scalar = numbers_.size() == 1 ? numbers_.front() : arena_->alternate(numbers_);
  out_.values[id] = std::move(spec);
}

void Expander::expand_product(const Product& product, ValueSpec& out) {
  expand_scalars(product, out);
  if ((product.types & kObjectType) != 0) add_record(product, out);
  if ((product.types & kArrayType) != 0) add_list(product, out);
}

}  // namespace weir::schema
