// From a set of atoms to products: allOf and $ref flatten into a conjunction, anyOf and oneOf multiply.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "schema/expander.hpp"

namespace weir::schema {
namespace {

// Deeper nests of in-place schemas, through references, are refused: this is recursion.
constexpr std::size_t kMaxInPlaceDepth = 600;

// What one compile may spend on copies of atoms while it multiplies, and on proofs for oneOf: ten seconds or so.
constexpr std::size_t kMaxCopies = 400'000'000;
constexpr std::size_t kMaxProofs = 400'000;
constexpr std::size_t kMaxConjuncts = 4096;

bool contains(const Product& product, Atom atom) {
  return std::find(product.atoms.begin(), product.atoms.end(), atom) != product.atoms.end();
}

void narrow(std::vector<Product>& products, TypeSet types) {
  for (Product& product : products) product.types &= types;
  std::erase_if(products, [](const Product& product) { return product.types == 0; });
}

void append(std::vector<Product>& to, std::vector<Product>&& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

std::vector<Product> Expander::multiply(std::span<const Atom> atoms, Walk& walk) {
  std::vector<Product> products(1);
  for (const Atom atom : atoms) conjoin(atom, products, walk);
  return products;
}

bool Expander::within_budget(const std::vector<Product>& products, JsonId keyword, Walk& walk) {
  if (!products.empty()) copies_ += products.size() * (products.back().atoms.size() + 1);
  if (copies_ > kMaxCopies) {
    return diagnostics_->fail(ErrorCode::kLimit, keyword,
                              "multiplying the alternatives of this schema out takes too long");
  }
  walk.exceeded = walk.exceeded || products.size() > walk.budget;
  return !walk.exceeded;
}

void Expander::conjoin(Atom atom, std::vector<Product>& products, Walk& walk) {
  if (products.empty() || walk.exceeded || diagnostics_->failed()) return;
  if (atom.is_negated()) {
    conjoin_whole(atom, products);
    return;
  }
  if (atom.is_literal()) {
    conjoin_literal(atom.node(), products);
    return;
  }
  const Schema& schema = reader_.resolve(atom.node());
  if (schema.never || diagnostics_->failed()) {
    products.clear();
    return;
  }
  if (!schema.asserts() && !schema.in_place()) return;
  const Atom resolved = Atom::schema(schema.node);
  if (std::find(walk.path.begin(), walk.path.end(), schema.node) != walk.path.end()) {
    // A schema that applies itself to the same instance: its least solution is that this way leads to nothing.
    if (!walk.proof) {
      diagnostics_->warn(
          "$ref", "applies a schema to the very instance that it is applied to already; this way matches nothing",
          schema.node);
    }
    products.clear();
    return;
  }
  if (walk.path.size() >= kMaxInPlaceDepth) {
    diagnostics_->fail(ErrorCode::kLimit, schema.node,
                       fmt::format("more than {} schemas apply in place of each other here, through $ref, allOf, anyOf "
                                   "and oneOf",
                                   kMaxInPlaceDepth));
    return;
  }
  // A proof makes do with what can be multiplied out.
  const bool folded = walk.folded && (schema.any_of != kNoJson || schema.one_of != kNoJson);
  if (!walk.proof && (folded || schema.by_formula() || !branches_exclude_each_other(schema, walk.context))) {
    narrow(products, schema.types);
    conjoin_whole(resolved, products);
    return;
  }
  // Where the schema holds already nothing is to be done: the alternatives chosen for it then are as good as any.
  std::vector<Product> settled;
  const auto open = std::stable_partition(products.begin(), products.end(),
                                          [&](const Product& product) { return !contains(product, resolved); });
  settled.assign(std::make_move_iterator(open), std::make_move_iterator(products.end()));
  products.erase(open, products.end());

  narrow(products, schema.types);
  walk.path.push_back(schema.node);
  if (schema.negated != kNoJson) {
    const Atom negated = atom_of(schema.negated).negation();
    if (negated.is_never()) {
      products.clear();
    } else if (!negated.is_always()) {
      conjoin_whole(negated, products);
    }
  }
  conjoin_parts(schema, products, walk);
  walk.path.pop_back();
  append(products, std::move(settled));
}

// What an atom, of which the negation is asked, allows to no instance of these types to be.
TypeSet Expander::excluded_types(Atom atom) {
  if (!atom.is_negated()) return 0;
  if (atom.is_literal()) return document_->kind(atom.node()) == JsonKind::kNull ? kNullType : TypeSet{0};
  const Schema& schema = reader_.resolve(atom.node());
  if (schema.never || schema.in_place() || schema.enumerated != 0) return 0;
  TypeSet open = 0;  // types about which the schema says more
  if (schema.about_strings()) open |= kStringType;
  if (schema.about_numbers() || schema.lexical_integer) open |= kNumberTypes;
  if (schema.about_arrays()) open |= kArrayType;
  if (schema.about_objects()) open |= kObjectType;
  return static_cast<TypeSet>(schema.types & ~open);
}

// What is not multiplied out.
void Expander::conjoin_whole(Atom atom, std::vector<Product>& products) {
  narrow(products, static_cast<TypeSet>(kAllTypes & ~excluded_types(atom)));
  for (Product& product : products) {
    if (std::find(product.wholes.begin(), product.wholes.end(), atom) == product.wholes.end()) {
      product.wholes.push_back(atom);
    }
  }
}

void Expander::conjoin_literal(JsonId value, std::vector<Product>& products) {
  narrow(products, type_of(document_->kind(value)));
  const Atom atom = Atom::literal(value);
  for (Product& product : products) {
    if (!contains(product, atom)) product.atoms.push_back(atom);
  }
}

// In textual order, for it gives the order of keys; ids of the document ascend with it.
void Expander::conjoin_parts(const Schema& schema, std::vector<Product>& products, Walk& walk) {
  const JsonId own = schema.properties == kNoJson ? schema.node : schema.properties;
  std::array parts = {own, schema.reference, schema.second_reference, schema.all_of, schema.any_of, schema.one_of};
  std::sort(parts.begin(), parts.end());
  for (const JsonId part : parts) {
    if (part == kNoJson || products.empty()) break;
    if (part == own) {
      for (Product& product : products) product.atoms.push_back(Atom::schema(schema.node));
      if (products.front().atoms.size() > kMaxConjuncts) {
        diagnostics_->fail(ErrorCode::kLimit, schema.node,
                           fmt::format("more than {} schemas apply to one instance here", kMaxConjuncts));
      }
    } else if (part == schema.reference) {
      conjoin(Atom::schema(schema.reference_target), products, walk);
    } else if (part == schema.second_reference) {
      conjoin(Atom::schema(schema.second_target), products, walk);
    } else if (part == schema.all_of) {
      for (const JsonId child : document_->children(part)) conjoin(Atom::schema(child), products, walk);
    } else if (part == schema.any_of) {
      std::vector<JsonId> branches;
      for (const JsonId child : document_->children(part)) branches.push_back(child);
      conjoin_any(branches, part, products, walk);
    } else {
      conjoin_one(schema, products, walk);
    }
  }
  // Arrays and objects among the values of enum and const are alternatives of their own.
  if ((schema.enumerated & (kArrayType | kObjectType)) == 0) return;
  if (schema.enumeration != kNoJson) {
    conjoin_values(schema.enumeration + 1, (*document_)[schema.enumeration].end, products, walk);
  }
  if (schema.constant != kNoJson) {
    conjoin_values(schema.constant, (*document_)[schema.constant].end, products, walk);
  }
}

void Expander::conjoin_values(JsonId first, JsonId end, std::vector<Product>& products, Walk& walk) {
  std::vector<Product> all;
  for (JsonId value = first; value < end; value = (*document_)[value].end) {
    if (document_->is_scalar(value)) continue;
    std::vector<Product> some = products;
    conjoin_literal(value, some);
    append(all, std::move(some));
    if (!within_budget(all, value, walk)) break;
  }
  narrow(products, kNullType | kBooleanType | kNumberTypes | kStringType);
  append(products, std::move(all));
}

void Expander::conjoin_any(std::span<const JsonId> branches, JsonId keyword, std::vector<Product>& products,
                           Walk& walk) {
  for (const JsonId branch : branches) {
    const Schema& schema = reader_.resolve(branch);
    if (!schema.asserts() && !schema.in_place()) return;  // true: nothing is asked
  }
  std::vector<Product> all;
  for (const JsonId branch : branches) {
    std::vector<Product> some = products;
    conjoin(Atom::schema(branch), some, walk);
    append(all, std::move(some));
    if (diagnostics_->failed() || !within_budget(all, keyword, walk)) break;
  }
  products = std::move(all);
}

std::vector<JsonId> Expander::one_of_branches(const Schema& schema) {
  std::vector<JsonId> branches;
  for (const JsonId branch : document_->children(schema.one_of)) {
    if (!reader_.resolve(branch).never) branches.push_back(branch);
  }
  return branches;
}

// Precondition, unless it is a proof: branches_exclude_each_other.
void Expander::conjoin_one(const Schema& schema, std::vector<Product>& products, Walk& walk) {
  if (schema.node == walk.assumed) return;
  const std::vector<JsonId> branches = one_of_branches(schema);
  if (diagnostics_->failed()) return;
  if (branches.empty()) {
    products.clear();
  } else if (branches.size() == 1) {
    conjoin(Atom::schema(branches.front()), products, walk);
  } else {
    conjoin_any(branches, schema.one_of, products, walk);
  }
}

// Whether oneOf is anyOf, here at least.
bool Expander::branches_exclude_each_other(const Schema& schema, std::span<const Atom> context) {
  if (schema.one_of == kNoJson || disjoint_anywhere_.contains(schema.node)) return true;
  const std::vector<JsonId> branches = one_of_branches(schema);
  proofs_ += branches.size() * branches.size() / 2;
  if (proofs_ > kMaxProofs) {
    return diagnostics_->fail(
        ErrorCode::kLimit, schema.one_of,
        fmt::format("showing that {} branches exclude each other takes too long", branches.size()));
  }
  bool anywhere = true;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    for (std::size_t j = i + 1; j < branches.size(); ++j) {
      if (disjoint(schema, branches[i], branches[j], {})) continue;
      anywhere = false;
      if (!disjoint(schema, branches[i], branches[j], context)) return false;
    }
  }
  if (anywhere) disjoint_anywhere_.insert(schema.node);
  return true;
}

}  // namespace weir::schema
