// Proofs that no instance satisfies a set of schemas at once; what oneOf needs. A proof may look at a superset of the
// instances (a condition less), so that oneOf counts as anyOf here and what weir cannot keep exactly is passed over.
// Sound, and not complete: "no proof" is no proof of the contrary.
#include <algorithm>
#include <utility>

#include "schema/expander.hpp"

namespace weir::schema {
namespace {

constexpr unsigned kProofDepth = 4;          // levels of members and items
constexpr std::size_t kProofProducts = 400;  // alternatives of one conjunction

}  // namespace

bool Expander::disjoint(const Schema& schema, JsonId a, JsonId b, std::span<const Atom> context) {
  std::vector<Atom> atoms(context.begin(), context.end());
  if (!context.empty()) atoms.push_back(Atom::schema(schema.node));
  atoms.push_back(Atom::schema(a));
  atoms.push_back(Atom::schema(b));
  const bool outer = std::exchange(proving_, true);
  const bool proved = proves_empty(atoms, kProofDepth, schema.node);
  proving_ = outer;
  return proved;
}

bool Expander::proves_empty(std::span<const Atom> atoms, unsigned depth, JsonId assumed) {
  std::vector<std::uint32_t> key;
  for (const Atom atom : atoms) key.push_back(atom.code());
  std::sort(key.begin(), key.end());
  key.push_back(assumed);
  if (const auto it = not_proved_.find(key); it != not_proved_.end() && it->second >= depth) return false;
  Walk walk;
  walk.proof = true;
  walk.assumed = assumed;
  walk.budget = kProofProducts;
  const std::vector<Product> products = multiply(atoms, walk);
  const bool empty = !walk.exceeded && !diagnostics_->failed() &&
                     std::all_of(products.begin(), products.end(),
                                 [&](const Product& product) { return proves_product_empty(product, depth); });
  if (!empty) not_proved_.insert_or_assign(std::move(key), depth);
  return empty;
}

bool Expander::proves_product_empty(const Product& product, unsigned depth) {
  std::vector<JsonId> choices;
  if (list_choices(product, choices)) {
    if (!choices.empty()) return false;
  } else {
    if ((product.types & (kNullType | kBooleanType)) != 0) return false;
    if ((product.types & kNumberTypes) != 0) {
      NumberBounds bounds;
      if (read_bounds(product, bounds) &&
          (!bounds.minimum || !bounds.maximum || number(product, bounds) != kEmptyExpr)) {
        return false;
      }
    }
    if ((product.types & kStringType) != 0 && text(product)) return false;
  }
  if ((product.types & kObjectType) != 0 && !proves_record_empty(product, depth)) return false;
  return (product.types & kArrayType) == 0 || proves_list_empty(product, depth);
}

bool Expander::excludes(std::span<const Atom> atoms) {
  constexpr unsigned kDepth = 2;
  std::vector<std::uint32_t> key;
  for (const Atom atom : atoms) key.push_back(atom.code());
  std::sort(key.begin(), key.end());
  const auto [it, fresh] = excluded_.try_emplace(std::move(key), false);
  if (!fresh) return it->second;
  bool& excluded = it->second;
  const bool outer = std::exchange(proving_, true);
  excluded = proves_empty(atoms, kDepth, kNoJson);
  proving_ = outer;
  return excluded;
}

std::optional<std::vector<JsonId>> Expander::finite_values(std::span<const Atom> atoms, std::size_t most) {
  Walk walk;
  walk.context = atoms;
  walk.budget = options_->limits.max_alternatives;
  std::vector<JsonId> values;
  for (const Product& product : multiply(atoms, walk)) {
    std::vector<JsonId> choices;
    if ((product.types & (kArrayType | kObjectType)) != 0) return std::nullopt;
    if (!list_choices(product, choices)) {
      if ((product.types & (kNumberTypes | kStringType)) != 0) return std::nullopt;
      for_each_word(product, [&](JsonKind kind) { choices.push_back(document_->word(kind)); });
    }
    values.insert(values.end(), choices.begin(), choices.end());
    if (values.size() > most || walk.exceeded) return std::nullopt;
  }
  return values;
}

std::uint32_t Expander::value_number(JsonId value) {
  std::string key;
  append_value_key(value, key);
  const auto [it, fresh] =
      value_numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(numbered_values_.size()));
  if (fresh) numbered_values_.push_back(value);
  return it->second;
}

std::optional<std::uint32_t> Expander::number_of_text(std::string_view text) {
  const auto value = document_->append(text, options_->limits);
  if (value) {
    const std::uint32_t number = value_number(*value);
    if (numbered_values_[number] != *value) document_->drop_last(*value);  // one like it is there
    return number;
  }
  diagnostics_->fail(value.error().code, 0, value.error().message);
  return std::nullopt;
}

unsigned Expander::rank(Atom atom) {
  if (atom.is_negated()) return 3;
  if (atom.is_literal()) return 0;
  return reader_.resolve(atom.node()).enumerated != 0 ? 1 : 2;
}

}  // namespace weir::schema
