// What is still asked of an object or an array: a monotone formula over conditions on its members or items. Negations
// are pushed inward until they are conditions again, so that none is left here. Private to grammar/schema.
//
// Sources: for the residual of a formula after a member, J. A. Brzozowski, "Derivatives of Regular Expressions", JACM
// 1964, taken to sets of members.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "schema/atoms.hpp"
#include "schema/words_hash.hpp"
#include "weir/grammar/expr.hpp"

namespace weir::schema {

using FormulaId = std::uint32_t;
inline constexpr FormulaId kFalse = 0;
inline constexpr FormulaId kTrue = 1;

enum class Condition : std::uint8_t {
  kNever,
  kAlways,
  kAnd,  // of the children, which are sorted and of other kinds
  kOr,
  // Objects. Keys are numbers of key names; sets of keys are expressions over their texts.
  kMember,    // key a, if it comes, has a value that satisfies the atom
  kRequired,  // key a comes
  kEvery,     // all keys of set a have values that satisfy the atom
  kSome,      // a key of set a comes with a value that satisfies the atom
  // Arrays.
  kItem,      // item a, if there is one, satisfies the atom
  kRest,      // all items from a on satisfy formula b, which is of conditions kIs
  kContains,  // of the items from `from` on, a..b satisfy formula `what`; `otherwise` is its negation
  kDistinct,  // no two items are equal, nor is one of the set numbered a; b is the keyword that asks for it
  // Both.
  kAtLeast,  // members or items still to come
  kAtMost,
  // Of the value of the member or item at hand.
  kIs,
};

struct Formula {
  Condition condition = Condition::kNever;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t from = 0;
  FormulaId what = kFalse;
  FormulaId otherwise = kFalse;
  Atom atom = Atom::always();
  std::uint32_t first_child = 0;
  std::uint32_t children = 0;
};

// Hash-consed: equal formulas, after the usual laws, have equal ids.
class Formulas {
 public:
  Formulas();

  FormulaId member(std::uint32_t key, Atom atom);
  FormulaId required(std::uint32_t key) { return leaf(Condition::kRequired, key, Atom::always()); }
  FormulaId every(ExprId keys, Atom atom);
  FormulaId some(ExprId keys, Atom atom);
  FormulaId item(std::uint32_t index, Atom atom);
  FormulaId rest(std::uint32_t index, FormulaId what);
  FormulaId contains(std::uint32_t from, std::uint32_t least, std::uint32_t most, FormulaId what, FormulaId otherwise);
  FormulaId distinct(std::uint32_t seen, JsonId keyword);
  FormulaId at_least(std::uint32_t count);
  FormulaId at_most(std::uint32_t count);
  FormulaId is(Atom atom);
  FormulaId all_of(std::vector<FormulaId> parts) { return combine(Condition::kAnd, std::move(parts)); }
  FormulaId any_of(std::vector<FormulaId> parts) { return combine(Condition::kOr, std::move(parts)); }

  const Formula& operator[](FormulaId id) const { return formulas_[id]; }
  std::span<const FormulaId> children(FormulaId id) const {
    return std::span(children_).subspan(formulas_[id].first_child, formulas_[id].children);
  }
  // The formulas that the formula is the conjunction of.
  std::vector<FormulaId> conjuncts(FormulaId id) const;
  std::size_t size() const { return formulas_.size(); }

  // The formula with each leaf replaced. `replace` maps a leaf that is neither true nor false to a formula.
  template <class Replace>
  FormulaId map(FormulaId id, Replace&& replace) {
    std::unordered_map<FormulaId, FormulaId> known;
    return map(id, replace, known);
  }
  // Calls visit(formula) for each leaf, once.
  template <class Visit>
  void for_each_leaf(FormulaId id, Visit&& visit) const {
    std::unordered_map<FormulaId, bool> seen;
    visit_leaves(id, visit, seen);
  }

 private:
  FormulaId leaf(Condition condition, std::uint32_t a, Atom atom);
  FormulaId combine(Condition condition, std::vector<FormulaId> parts);
  bool opposite(FormulaId a, FormulaId b) const;
  bool some_opposite(std::span<const FormulaId> parts) const;
  void absorb(Condition condition, std::vector<FormulaId>& sorted) const;
  FormulaId intern(const Formula& formula, std::span<const FormulaId> children);

  template <class Replace>
  FormulaId map(FormulaId id, Replace& replace, std::unordered_map<FormulaId, FormulaId>& known) {
    const Condition condition = formulas_[id].condition;
    if (condition == Condition::kNever || condition == Condition::kAlways) return id;
    if (const auto it = known.find(id); it != known.end()) return it->second;
    FormulaId result = kFalse;
    if (condition == Condition::kAnd || condition == Condition::kOr) {
      const FormulaId zero = condition == Condition::kAnd ? kFalse : kTrue;
      const std::uint32_t count = formulas_[id].children;
      std::vector<FormulaId> parts;
      parts.reserve(count);
      result = zero;
      bool decided = false;
      for (std::uint32_t i = 0; i < count && !decided; ++i) {
        parts.push_back(map(children_[formulas_[id].first_child + i], replace, known));
        decided = parts.back() == zero;
      }
      if (!decided) result = combine(condition, std::move(parts));
    } else {
      const Formula leaf = formulas_[id];  // by value: replace may make formulas
      result = replace(id, leaf);
    }
    known.emplace(id, result);
    return result;
  }
  template <class Visit>
  void visit_leaves(FormulaId id, Visit& visit, std::unordered_map<FormulaId, bool>& seen) const {
    const Formula& formula = formulas_[id];
    if (formula.condition == Condition::kNever || formula.condition == Condition::kAlways) return;
    if (!seen.emplace(id, true).second) return;
    if (formula.condition != Condition::kAnd && formula.condition != Condition::kOr) {
      visit(formula);
      return;
    }
    for (const FormulaId child : children(id)) visit_leaves(child, visit, seen);
  }

  std::vector<Formula> formulas_;
  std::vector<FormulaId> children_;
  std::unordered_map<std::vector<std::uint32_t>, FormulaId, WordsHash> ids_;
};

}  // namespace weir::schema
