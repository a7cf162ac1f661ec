// Objects and arrays of one product: which schemas apply to which member and item.
#include <algorithm>

#include <fmt/format.h>

#include "schema/expander.hpp"

namespace weir::schema {
namespace {

// Cells of the table of conjuncts by keys, or by items, that one object or array may fill.
constexpr std::size_t kMaxCells = std::size_t{1} << 24U;

std::vector<std::uint32_t> codes_of(std::span<const Atom> atoms) {
  std::vector<std::uint32_t> codes;
  codes.reserve(atoms.size());
  for (const Atom atom : atoms) codes.push_back(atom.code());
  return codes;
}

}  // namespace

// The conjuncts of an object, and where each of them names each key.
struct Expander::RecordParts {
  struct Conjunct {
    bool literal = false;
    JsonId named = kNoJson;       // the object whose members are the named keys
    JsonId required = kNoJson;    // an array of keys
    JsonId additional = kNoJson;  // what holds for other keys; of literals: nothing does
  };
  std::vector<Conjunct> conjuncts;
  std::vector<std::string_view> keys;  // in order
  std::vector<bool> required;          // by key
  std::vector<JsonId> cells;           // by conjunct and key
  std::uint32_t min_members = 0;
  std::uint32_t max_members = kUnbounded;

  JsonId cell(std::size_t conjunct, std::size_t key) const { return cells[conjunct * keys.size() + key]; }
};

struct Expander::ListParts {
  struct Conjunct {
    bool literal = false;
    std::vector<JsonId> prefix;
    JsonId rest = kNoJson;
  };
  std::vector<Conjunct> conjuncts;
  std::uint32_t prefix = 0;  // the longest
  std::uint32_t min_items = 0;
  std::uint32_t max_items = kUnbounded;
};

JsonId Expander::place_of(const Product& product) const {
  return product.atoms.empty() ? 0 : product.atoms.front().node();
}

// Numbers the keys of an object in order of appearance.
class Expander::KeyNumbers {
 public:
  explicit KeyNumbers(std::vector<std::string_view>& keys) : keys_(&keys) {}

  std::uint32_t find(std::string_view key) {
    if (keys_->size() <= kFew) {
      const auto at = std::find(keys_->begin(), keys_->end(), key);
      return at == keys_->end() ? kNone : static_cast<std::uint32_t>(at - keys_->begin());
    }
    for (; indexed_ < keys_->size(); ++indexed_) index_.emplace((*keys_)[indexed_], indexed_);
    const auto it = index_.find(key);
    return it == index_.end() ? kNone : it->second;
  }
  std::uint32_t add(std::string_view key) {
    const std::uint32_t known = find(key);
    return known != kNone ? known : add_new(key);
  }
  // Precondition: the key has no number yet.
  std::uint32_t add_new(std::string_view key) {
    keys_->push_back(key);
    return static_cast<std::uint32_t>(keys_->size() - 1);
  }

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

 private:
  static constexpr std::size_t kFew = 12;
  std::vector<std::string_view>* keys_;
  std::unordered_map<std::string_view, std::uint32_t> index_;
  std::uint32_t indexed_ = 0;
};

// With `required_only` the other keys are left out.
Expander::RecordParts Expander::record_parts(std::span<const Atom> atoms, bool required_only) {
  RecordParts parts;
  parts.conjuncts.reserve(atoms.size());
  for (const Atom atom : atoms) {
    RecordParts::Conjunct conjunct;
    conjunct.literal = atom.is_literal();
    if (conjunct.literal) {
      conjunct.named = atom.node();
    } else {
      const Schema& schema = reader_.read(atom.node());
      conjunct.named = schema.properties;
      conjunct.required = schema.required;
      conjunct.additional = schema.additional;
      parts.min_members = std::max(parts.min_members, schema.min_properties);
      parts.max_members = std::min(parts.max_members, schema.max_properties);
    }
    parts.conjuncts.push_back(conjunct);
  }
  std::vector<std::string_view> needed;  // required_only: every required key
  KeyNumbers needed_numbers(needed);
  if (required_only) {
    for (const RecordParts::Conjunct& conjunct : parts.conjuncts) {
      if (conjunct.literal) {
        for (const JsonId member : document_->children(conjunct.named)) needed_numbers.add(document_->key(member));
      }
      if (conjunct.required == kNoJson) continue;
      for (const JsonId key : document_->children(conjunct.required)) needed_numbers.add(document_->text(key));
    }
  }
  struct Named {
    std::size_t conjunct;
    std::uint32_t key;
    JsonId node;
  };
  std::vector<Named> named;
  KeyNumbers numbers(parts.keys);
  for (std::size_t i = 0; i < parts.conjuncts.size(); ++i) {
    const JsonId object = parts.conjuncts[i].named;
    if (object == kNoJson) continue;
    const bool first = parts.keys.empty();  // one object has no key twice
    if (!required_only) named.reserve(named.size() + (*document_)[object].size);
    for (const JsonId member : document_->children(object)) {
      const std::string_view key = document_->key(member);
      if (required_only && needed_numbers.find(key) == KeyNumbers::kNone) continue;
      named.push_back({i, first ? numbers.add_new(key) : numbers.add(key), member});
    }
  }
  std::vector<std::uint32_t> required;
  for (const RecordParts::Conjunct& conjunct : parts.conjuncts) {
    if (conjunct.required == kNoJson) continue;
    for (const JsonId key : document_->children(conjunct.required))
      required.push_back(numbers.add(document_->text(key)));
  }
  if (parts.keys.size() * parts.conjuncts.size() > kMaxCells) {
    diagnostics_->fail(ErrorCode::kLimit, atoms.front().node(),
                       fmt::format("{} schemas with {} keys apply to one object here, more than weir combines",
                                   parts.conjuncts.size(), parts.keys.size()));
    return {};
  }
  parts.required.assign(parts.keys.size(), false);
  for (const std::uint32_t key : required) parts.required[key] = true;
  parts.cells.assign(parts.keys.size() * parts.conjuncts.size(), kNoJson);
  for (const Named& one : named) {
    parts.cells[one.conjunct * parts.keys.size() + one.key] = one.node;
    if (parts.conjuncts[one.conjunct].literal) parts.required[one.key] = true;
  }
  return parts;
}

// What must hold of the value of a key; key == keys.size() stands for all that are not listed.
void Expander::member_set(const RecordParts& parts, std::size_t key, AtomSet& out) {
  out.clear();
  for (std::size_t i = 0; i < parts.conjuncts.size() && !out.never; ++i) {
    const RecordParts::Conjunct& conjunct = parts.conjuncts[i];
    const JsonId named = key < parts.keys.size() ? parts.cell(i, key) : kNoJson;
    if (conjunct.literal) {
      if (named == kNoJson) {
        out.never = true;
      } else {
        out.insert(Atom::literal(named));
      }
    } else if (named != kNoJson) {
      add_schema(out, named);
    } else if (conjunct.additional != kNoJson) {
      add_schema(out, conjunct.additional);
    }
  }
}

void Expander::add_record(const Product& product, ValueSpec& out) {
  ShapeId shape = 0;
  if (has_formula(product, Shape::kObject)) {
    const FormulaId formula = product_formula(product, Shape::kObject);
    if (formula == kFalse || diagnostics_->failed()) return;
    shape = record_by_formula(product, formula);
  } else {
    shape = record_shape(product);
  }
  if (std::find(out.records.begin(), out.records.end(), shape) == out.records.end()) out.records.push_back(shape);
}

void Expander::add_list(const Product& product, ValueSpec& out) {
  ShapeId shape = 0;
  if (has_formula(product, Shape::kArray)) {
    const FormulaId formula = product_formula(product, Shape::kArray);
    if (formula == kFalse || diagnostics_->failed()) return;
    shape = list_by_formula(formula);
  } else {
    shape = list_shape(product);
  }
  if (std::find(out.lists.begin(), out.lists.end(), shape) == out.lists.end()) out.lists.push_back(shape);
}

ShapeId Expander::record_shape(const Product& product) {
  std::vector<Atom> atoms;
  for (const Atom atom : product.atoms) {
    if (atom.is_literal() || reader_.read(atom.node()).about_objects()) atoms.push_back(atom);
  }
  const auto [known, fresh] = record_shapes_.try_emplace(codes_of(atoms), static_cast<ShapeId>(out_.records.size()));
  const ShapeId id = known->second;
  if (!fresh) return id;
  out_.records.resize_at_least(id + 1);
  const RecordParts parts = record_parts(atoms, false);
  if (diagnostics_->failed()) return id;
  RecordShape shape;
  shape.min_members = parts.min_members;
  shape.max_members = parts.max_members;
  shape.keys.reserve(parts.keys.size());
  AtomSet set;
  for (std::size_t key = 0; key < parts.keys.size() && !diagnostics_->failed(); ++key) {
    member_set(parts, key, set);
    shape.keys.push_back({parts.keys[key], intern(set), parts.required[key]});
  }
  member_set(parts, parts.keys.size(), set);
  shape.others = intern(set);
  out_.records[id] = std::move(shape);
  return id;
}

Expander::ListParts Expander::list_parts(std::span<const Atom> atoms) {
  ListParts parts;
  std::size_t cells = 0;
  for (const Atom atom : atoms) {
    ListParts::Conjunct conjunct;
    conjunct.literal = atom.is_literal();
    JsonId prefix = kNoJson;
    if (conjunct.literal) {
      prefix = atom.node();
      parts.min_items = std::max(parts.min_items, (*document_)[prefix].size);
      parts.max_items = std::min(parts.max_items, (*document_)[prefix].size);
    } else {
      const Schema& schema = reader_.read(atom.node());
      prefix = schema.prefix;
      conjunct.rest = schema.rest;
      parts.min_items = std::max(parts.min_items, schema.min_items);
      parts.max_items = std::min(parts.max_items, schema.max_items);
    }
    if (prefix != kNoJson) {
      for (const JsonId item : document_->children(prefix)) conjunct.prefix.push_back(item);
    }
    parts.prefix = std::max(parts.prefix, static_cast<std::uint32_t>(conjunct.prefix.size()));
    cells += parts.prefix;
    parts.conjuncts.push_back(std::move(conjunct));
  }
  parts.prefix = std::min(parts.prefix, parts.max_items);
  if (cells > kMaxCells) {
    diagnostics_->fail(ErrorCode::kLimit, atoms.front().node(),
                       "too many arrays of schemas apply to one array here, more than weir combines");
  }
  return parts;
}

void Expander::item_set(const ListParts& parts, std::uint32_t index, AtomSet& out) {
  out.clear();
  for (const ListParts::Conjunct& conjunct : parts.conjuncts) {
    const JsonId item = index < conjunct.prefix.size() ? conjunct.prefix[index] : conjunct.rest;
    if (conjunct.literal) {
      if (item == kNoJson) {
        out.never = true;
      } else {
        out.insert(Atom::literal(item));
      }
    } else if (item != kNoJson) {
      add_schema(out, item);
    }
  }
}

ShapeId Expander::list_shape(const Product& product) {
  std::vector<Atom> atoms;
  for (const Atom atom : product.atoms) {
    if (atom.is_literal() || reader_.read(atom.node()).about_arrays()) atoms.push_back(atom);
  }
  const auto [known, fresh] = list_shapes_.try_emplace(codes_of(atoms), static_cast<ShapeId>(out_.lists.size()));
  const ShapeId id = known->second;
  if (!fresh) return id;
  out_.lists.resize_at_least(id + 1);
  const ListParts parts = list_parts(atoms);
  if (diagnostics_->failed()) return id;
  ListShape shape;
  shape.min_items = parts.min_items;
  shape.max_items = parts.max_items;
  AtomSet set;
  for (std::uint32_t i = 0; i < parts.prefix && !diagnostics_->failed(); ++i) {
    item_set(parts, i, set);
    shape.prefix.push_back(intern(set));
  }
  if (parts.max_items > parts.prefix) {
    item_set(parts, parts.prefix, set);
    shape.rest = intern(set);
  }
  out_.lists[id] = std::move(shape);
  return id;
}

// --- emptiness of objects and arrays, as far as the members and items that must be there decide it

bool Expander::proves_record_empty(const Product& product, unsigned depth) {
  std::vector<Atom> atoms;
  for (const Atom atom : product.atoms) {
    if (atom.is_literal() || reader_.read(atom.node()).about_objects()) atoms.push_back(atom);
  }
  const RecordParts parts = record_parts(atoms, true);
  const auto required = std::count(parts.required.begin(), parts.required.end(), true);
  if (parts.min_members > parts.max_members || static_cast<std::uint32_t>(required) > parts.max_members) return true;
  // What differs is mostly found near the surface, so no member is looked into deeply before all are looked at.
  AtomSet set;
  for (unsigned reach = 0; reach <= depth; ++reach) {
    for (std::size_t key = 0; key < parts.keys.size() && !diagnostics_->failed(); ++key) {
      if (!parts.required[key]) continue;
      member_set(parts, key, set);
      if (set.never) return true;
      if (reach > 0 && set.atoms.size() > 1 && proves_empty(set.atoms, reach - 1, kNoJson)) return true;
    }
  }
  return false;
}

bool Expander::proves_list_empty(const Product& product, unsigned depth) {
  constexpr std::uint32_t kItemsLookedAt = 8;
  std::vector<Atom> atoms;
  for (const Atom atom : product.atoms) {
    if (atom.is_literal() || reader_.read(atom.node()).about_arrays()) atoms.push_back(atom);
  }
  const ListParts parts = list_parts(atoms);
  if (parts.min_items > parts.max_items) return true;
  for (std::uint32_t i = 0; i < std::min(parts.min_items, kItemsLookedAt) && !diagnostics_->failed(); ++i) {
    AtomSet set;
    item_set(parts, i, set);
    if (set.never) return true;
    if (depth > 0 && set.atoms.size() > 1 && proves_empty(set.atoms, depth - 1, kNoJson)) return true;
  }
  return false;
}

}  // namespace weir::schema
