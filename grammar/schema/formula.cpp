#include "schema/formula.hpp"

#include <algorithm>

namespace weir::schema {
namespace {

// More parts than that are not compared with each other.
constexpr std::size_t kCompared = 64;

}  // namespace

Formulas::Formulas() {
  formulas_.resize(2);
  formulas_[kTrue].condition = Condition::kAlways;
}

FormulaId Formulas::member(std::uint32_t key, Atom atom) {
  return atom.is_always() ? kTrue : leaf(Condition::kMember, key, atom);
}

FormulaId Formulas::every(ExprId keys, Atom atom) {
  return atom.is_always() || keys == kEmptyExpr ? kTrue : leaf(Condition::kEvery, keys, atom);
}

FormulaId Formulas::some(ExprId keys, Atom atom) {
  return atom.is_never() || keys == kEmptyExpr ? kFalse : leaf(Condition::kSome, keys, atom);
}

FormulaId Formulas::item(std::uint32_t index, Atom atom) {
  return atom.is_always() ? kTrue : leaf(Condition::kItem, index, atom);
}

FormulaId Formulas::rest(std::uint32_t index, FormulaId what) {
  if (what == kTrue) return kTrue;
  Formula formula;
  formula.condition = Condition::kRest;
  formula.a = index;
  formula.b = what;
  return intern(formula, {});
}

FormulaId Formulas::contains(std::uint32_t from, std::uint32_t least, std::uint32_t most, FormulaId what,
                             FormulaId otherwise) {
  if (least > most) return kFalse;
  if (what == kFalse) return least == 0 ? kTrue : kFalse;
  if (what == kTrue) {
    return all_of({least == 0 ? kTrue : at_least(from + least), most == kUnbounded ? kTrue : at_most(from + most)});
  }
  if (least == 0 && most == kUnbounded) return kTrue;
  if (most == 0) return rest(from, otherwise);
  Formula formula;
  formula.condition = Condition::kContains;
  formula.a = least;
  formula.b = most;
  formula.from = from;
  formula.what = what;
  formula.otherwise = otherwise;
  return intern(formula, {});
}

FormulaId Formulas::distinct(std::uint32_t seen, JsonId keyword) {
  Formula formula;
  formula.condition = Condition::kDistinct;
  formula.a = seen;
  formula.b = keyword;
  return intern(formula, {});
}

std::vector<FormulaId> Formulas::conjuncts(FormulaId id) const {
  if (id == kTrue) return {};
  if (formulas_[id].condition != Condition::kAnd) return {id};
  const auto all = children(id);
  return {all.begin(), all.end()};
}

FormulaId Formulas::at_least(std::uint32_t count) {
  return count == 0 ? kTrue : leaf(Condition::kAtLeast, count, Atom::always());
}

FormulaId Formulas::at_most(std::uint32_t count) {
  return count == kUnbounded ? kTrue : leaf(Condition::kAtMost, count, Atom::always());
}

FormulaId Formulas::is(Atom atom) {
  if (atom.is_always()) return kTrue;
  return atom.is_never() ? kFalse : leaf(Condition::kIs, 0, atom);
}

FormulaId Formulas::leaf(Condition condition, std::uint32_t a, Atom atom) {
  Formula formula;
  formula.condition = condition;
  formula.a = a;
  formula.atom = atom;
  return intern(formula, {});
}

// One says just what the other denies.
bool Formulas::opposite(FormulaId a, FormulaId b) const {
  const Formula& x = formulas_[a];
  const Formula& y = formulas_[b];
  if (x.condition == Condition::kIs && y.condition == Condition::kIs) return x.atom == y.atom.negation();
  const auto forbids = [](const Formula& f) { return f.condition == Condition::kMember && f.atom.is_never(); };
  if (x.condition == Condition::kRequired && forbids(y)) return x.a == y.a;
  return y.condition == Condition::kRequired && forbids(x) && x.a == y.a;
}

bool Formulas::some_opposite(std::span<const FormulaId> parts) const {
  std::vector<FormulaId> leaves;
  for (const FormulaId part : parts) {
    const Formula& f = formulas_[part];
    const bool may_be_denied = f.condition == Condition::kIs || f.condition == Condition::kRequired ||
                               (f.condition == Condition::kMember && f.atom.is_never());
    if (may_be_denied) leaves.push_back(part);
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (std::size_t j = i + 1; j < leaves.size(); ++j) {
      if (opposite(leaves[i], leaves[j])) return true;
    }
  }
  return false;
}

// a or (a and b) is a: takes out parts of the other kind that have another part among their children.
void Formulas::absorb(Condition condition, std::vector<FormulaId>& sorted) const {
  const Condition other = condition == Condition::kAnd ? Condition::kOr : Condition::kAnd;
  std::vector<FormulaId> kept;
  kept.reserve(sorted.size());
  for (const FormulaId part : sorted) {
    bool absorbed = false;
    if (formulas_[part].condition == other) {
      const auto inner = children(part);
      absorbed = std::any_of(inner.begin(), inner.end(),
                             [&](FormulaId child) { return std::binary_search(sorted.begin(), sorted.end(), child); });
    }
    if (!absorbed) kept.push_back(part);
  }
  sorted = std::move(kept);
}

FormulaId Formulas::combine(Condition condition, std::vector<FormulaId> parts) {
  const FormulaId unit = condition == Condition::kAnd ? kTrue : kFalse;
  const FormulaId zero = condition == Condition::kAnd ? kFalse : kTrue;
  std::vector<FormulaId> flat;
  flat.reserve(parts.size());
  for (const FormulaId part : parts) {
    if (part == zero) return zero;
    if (part == unit) continue;
    if (formulas_[part].condition == condition) {
      const auto inner = children(part);
      flat.insert(flat.end(), inner.begin(), inner.end());
    } else {
      flat.push_back(part);
    }
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (flat.size() > 1 && flat.size() <= kCompared) {
    if (some_opposite(flat)) return zero;
    absorb(condition, flat);
  }
  if (flat.empty()) return unit;
  if (flat.size() == 1) return flat.front();
  Formula formula;
  formula.condition = condition;
  return intern(formula, flat);
}

FormulaId Formulas::intern(const Formula& formula, std::span<const FormulaId> children) {
  std::vector<std::uint32_t> key{static_cast<std::uint32_t>(formula.condition),
                                 formula.a,
                                 formula.b,
                                 formula.from,
                                 formula.what,
                                 formula.otherwise,
                                 formula.atom.code()};
  key.insert(key.end(), children.begin(), children.end());
  const auto [it, fresh] = ids_.try_emplace(std::move(key), static_cast<FormulaId>(formulas_.size()));
  if (fresh) {
    Formula made = formula;
    made.first_child = static_cast<std::uint32_t>(children_.size());
    made.children = static_cast<std::uint32_t>(children.size());
    children_.insert(children_.end(), children.begin(), children.end());
    formulas_.push_back(made);
  }
  return it->second;
}

}  // namespace weir::schema
