#include "schema/residuals.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace weir::schema {
namespace {

constexpr unsigned kEnumerated = 1;  // Expander::rank of atoms that hold for finitely many values

}  // namespace

std::size_t Residuals::KeyHash::operator()(const Key& key) const noexcept {
  std::uint64_t hash = (std::uint64_t{key.formula} << 32U) | key.at;
  hash = (hash ^ key.kind) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 29U);
}

FormulaId Residuals::step(const Key& key) {
  switch (key.kind) {
    case kKey: return step_key(key.formula, key.at);
    case kCell: return step_cell(key.formula, key.at);
    default: return step_item(key.formula, key.at);
  }
}

std::span<const Alternative> Residuals::after(const Key& key) {
  if (const auto it = known_.find(key); it != known_.end()) return it->second;
  std::vector<Alternative> found = split(step(key));
  return known_.emplace(key, std::move(found)).first->second;
}

bool Residuals::any_after(const Key& key, const Passes& passes) {
  if (const auto it = known_.find(key); it != known_.end()) {
    return std::any_of(it->second.begin(), it->second.end(), passes);
  }
  bool found = false;
  Chosen chosen;
  split(step(key), chosen, [&](Choice choice) {
    std::vector<Choice> choices{std::move(choice)};
    keep_distinct(choices);
    found = std::any_of(choices.begin(), choices.end(), [&](const Choice& one) {
      const Alternative way = alternative(one);
      return way.value != kNoValue && passes(way);
    });
    return !found;
  });
  return found;
}

ValueId Residuals::intern(const std::vector<Atom>& atoms) {
  AtomSet set;
  set.atoms = atoms;
  return expander_->intern(set);
}

Alternative Residuals::alternative(const Choice& choice) {
  Alternative way{intern(choice.atoms), choice.rest, choice.captured, kNoValue, choice.left_out};
  if (choice.captured && way.value != kNoValue) way.any_value = intern(choice.any_atoms);
  return way;
}

// A member more, in the set that the leaf speaks of or not.
FormulaId Residuals::after_member(FormulaId leaf_id, const Formula& leaf, bool in_set) {
  switch (leaf.condition) {
    case Condition::kEvery: return in_set ? formulas_->all_of({formulas_->is(leaf.atom), leaf_id}) : leaf_id;
    case Condition::kSome: return in_set ? formulas_->any_of({formulas_->is(leaf.atom), leaf_id}) : leaf_id;
    case Condition::kAtLeast: return formulas_->at_least(leaf.a - 1);
    case Condition::kAtMost: return leaf.a == 0 ? kFalse : formulas_->at_most(leaf.a - 1);
    default: return leaf_id;
  }
}

FormulaId Residuals::step_key(FormulaId f, std::uint32_t key) {
  return formulas_->map(f, [&](FormulaId id, const Formula& leaf) {
    if (leaf.condition == Condition::kMember) return leaf.a == key ? formulas_->is(leaf.atom) : id;
    if (leaf.condition == Condition::kRequired) return leaf.a == key ? kTrue : id;
    const bool about_set = leaf.condition == Condition::kEvery || leaf.condition == Condition::kSome;
    return after_member(id, leaf, about_set && expander_->is_key_in(key, leaf.a));
  });
}

FormulaId Residuals::step_cell(FormulaId f, ExprId cell) {
  return formulas_->map(f, [&](FormulaId id, const Formula& leaf) {
    const bool about_set = leaf.condition == Condition::kEvery || leaf.condition == Condition::kSome;
    return after_member(id, leaf, about_set && expander_->is_cell_in(cell, leaf.a));
  });
}

FormulaId Residuals::step_item(FormulaId f, std::uint32_t index) {
  return formulas_->map(f, [&](FormulaId id, const Formula& leaf) {
    switch (leaf.condition) {
      case Condition::kItem: return leaf.a == index ? formulas_->is(leaf.atom) : id;
      case Condition::kRest: return index >= leaf.a ? formulas_->all_of({leaf.b, id}) : id;
      case Condition::kContains: {
        if (index < leaf.from) return id;
        const FormulaId fewer =
            formulas_->contains(leaf.from, leaf.a == 0 ? 0 : leaf.a - 1, leaf.b == kUnbounded ? kUnbounded : leaf.b - 1,
                                leaf.what, leaf.otherwise);
        const FormulaId same = leaf.b == kUnbounded ? id : formulas_->all_of({leaf.otherwise, id});
        return formulas_->any_of({formulas_->all_of({leaf.what, fewer}), same});
      }
      default: return after_member(id, leaf, false);
    }
  });
}

FormulaId Residuals::without(FormulaId f, std::uint32_t key) {
  const std::uint64_t name = (std::uint64_t{f} << 32U) | key;
  if (const auto it = without_.find(name); it != without_.end()) return it->second;
  const FormulaId result = formulas_->map(f, [&](FormulaId id, const Formula& leaf) {
    if (leaf.condition == Condition::kMember && leaf.a == key) return kTrue;
    return leaf.condition == Condition::kRequired && leaf.a == key ? kFalse : id;
  });
  without_.emplace(name, result);
  return result;
}

const Residuals::Facts& Residuals::facts(FormulaId f) {
  if (f >= facts_.size()) facts_.resize(f + 1);
  if (facts_[f].known) return facts_[f];
  Facts facts;
  facts.known = true;
  formulas_->for_each_leaf(f, [&](const Formula& leaf) {
    facts.counts = facts.counts || leaf.condition == Condition::kAtLeast;
    facts.wants_some = facts.wants_some || leaf.condition == Condition::kSome;
    facts.distinct = facts.distinct || leaf.condition == Condition::kDistinct;
    if (leaf.condition == Condition::kItem) facts.saturation = std::max(facts.saturation, leaf.a + 1);
    if (leaf.condition == Condition::kRest) facts.saturation = std::max(facts.saturation, leaf.a);
    if (leaf.condition == Condition::kContains) facts.saturation = std::max(facts.saturation, leaf.from);
  });
  facts.may_close = formulas_->map(f, [&](FormulaId, const Formula& leaf) {
    switch (leaf.condition) {
      case Condition::kRequired:
      case Condition::kSome:
      case Condition::kAtLeast: return kFalse;
      case Condition::kContains: return leaf.a == 0 ? kTrue : kFalse;
      default: return kTrue;
    }
  }) == kTrue;
  return facts_[f] = facts;
}

bool Residuals::may_close(FormulaId f) { return facts(f).may_close; }

std::uint32_t Residuals::saturated(FormulaId f, std::uint32_t index) { return std::min(index, facts(f).saturation); }

bool Residuals::wants_members(FormulaId f) { return facts(f).counts || facts(f).wants_some; }

bool Residuals::wants_key(FormulaId f, std::uint32_t key) {
  if (facts(f).counts) return true;
  bool wants = false;
  formulas_->for_each_leaf(f, [&](const Formula& leaf) {
    if (leaf.condition == Condition::kRequired && leaf.a == key) wants = true;
    if (leaf.condition == Condition::kSome && expander_->is_key_in(key, leaf.a)) wants = true;
  });
  return wants;
}

// --- alternatives

FormulaId Residuals::assume(FormulaId f, Atom atom, FormulaId verdict) {
  return formulas_->map(f, [&](FormulaId id, const Formula& leaf) {
    return leaf.condition == Condition::kIs && leaf.atom == atom ? verdict : id;
  });
}

// The atom to decide next: one that must hold in any case, or else the one that decides most.
bool Residuals::next_atom(FormulaId f, Atom& out) {
  for (const FormulaId part : formulas_->conjuncts(f)) {
    const Formula& formula = (*formulas_)[part];
    if (formula.condition != Condition::kIs) continue;
    out = formula.atom;
    return true;
  }
  unsigned best = ~0U;
  formulas_->for_each_leaf(f, [&](const Formula& leaf) {
    if (leaf.condition != Condition::kIs) return;
    const unsigned rank = expander_->rank(leaf.atom);
    if (rank < best) {
      best = rank;
      out = leaf.atom;
    }
  });
  return best != ~0U;
}

bool Residuals::split(FormulaId f, Chosen& chosen, const Emit& emit) {
  if (f == kFalse || expander_->diagnostics().failed()) return true;
  Atom atom = Atom::always();
  if (!next_atom(f, atom)) return emit({chosen.atoms.atoms, f});
  const FormulaId with = assume(f, atom, kTrue);
  const FormulaId without = assume(f, atom, kFalse);
  const auto decided = [&](FormulaId rest) { return split(rest, chosen, emit); };
  if (with == without) return decided(with);
  if (contradicts(chosen.assumed, atom)) return decided(without);
  if (without != kFalse && contradicts(chosen.atoms, atom.negation())) return decided(with);
  const Chosen before = chosen;
  const bool implied = without != kFalse && contradicts(chosen.assumed, atom.negation());
  chosen.atoms.insert(atom);
  chosen.assumed.insert(atom);
  bool more = split(with, chosen, emit);
  chosen = before;
  if (implied || !more) return more;
  // What a value is told to be is cheaper than what it is not.
  if (atom.is_literal() && atom.is_negated()) chosen.atoms.insert(atom.negation());
  // A value that satisfies the atom has its alternative already. That others do not is for pruning only: the formula is
  // monotone, so what remains of it holds for both, and a value need not be told what it is not.
  if (expander_->rank(atom) <= kEnumerated) chosen.assumed.insert(atom.negation());
  if (!chosen.assumed.never) more = split(without, chosen, emit);
  chosen = before;
  return more;
}

bool Residuals::contradicts(const AtomSet& chosen, Atom atom) {
  if (chosen.atoms.empty()) return false;
  AtomSet set = chosen;
  set.insert(atom);
  return set.never || (set.atoms.size() > chosen.atoms.size() && expander_->excludes(set.atoms));
}

std::vector<Alternative> Residuals::split(FormulaId f) {
  std::vector<Choice> choices;
  Chosen chosen;
  split(f, chosen, [&](Choice choice) {
    choices.push_back(std::move(choice));
    if (choices.size() <= expander_->options().limits.max_alternatives) return true;
    const JsonId place = choices.back().atoms.empty() ? 0 : choices.back().atoms.front().node();
    return expander_->diagnostics().fail(
        ErrorCode::kLimit, place, "a value here may decide between more alternatives than Limits::max_alternatives");
  });
  keep_distinct(choices);
  for (Choice& choice : choices) std::sort(choice.atoms.begin(), choice.atoms.end());
  // Where less is asked of the value and nothing else differs, the rest is superfluous.
  std::vector<Alternative> alternatives;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Choice& choice = choices[i];
    bool superfluous = false;
    for (std::size_t j = 0; j < choices.size() && !superfluous; ++j) {
      const Choice& other = choices[j];
      if (j == i || other.rest != choice.rest || other.captured != choice.captured) continue;
      const bool includes =
          std::includes(choice.atoms.begin(), choice.atoms.end(), other.atoms.begin(), other.atoms.end());
      superfluous = includes && (other.atoms.size() < choice.atoms.size() || j < i);
    }
    if (superfluous) continue;
    const Alternative way = alternative(choice);
    if (way.value != kNoValue) alternatives.push_back(way);
  }
  return alternatives;
}

// Where items must be distinct, each value is an alternative of its own if there are few; otherwise an item is told
// what it is not, and its text, when it is known, what the next one is not.
void Residuals::keep_distinct(std::vector<Choice>& choices) {
  std::vector<Choice> all;
  for (Choice& choice : choices) {
    if (!facts(choice.rest).distinct) {
      all.push_back(std::move(choice));
    } else if (const auto values = expander_->finite_values(choice.atoms, Expander::kMostDistinct)) {
      keep_listed_distinct(choice, *values, all);
    } else {
      keep_unlisted_distinct(choice, all);
    }
  }
  choices = std::move(all);
}

void Residuals::keep_listed_distinct(const Choice& choice, std::span<const JsonId> values, std::vector<Choice>& out) {
  for (const JsonId value : values) {
    const FormulaId rest = taken(choice.rest, expander_->value_number(value));
    if (rest != kFalse) out.push_back({{Atom::literal(value)}, rest});
  }
}

void Residuals::keep_unlisted_distinct(const Choice& choice, std::vector<Choice>& out) {
  const FormulaId none = formulas_->map(choice.rest, [&](FormulaId id, const Formula& leaf) {
    return leaf.condition == Condition::kDistinct ? kFalse : id;
  });
  if (none != kFalse) out.push_back({choice.atoms, none});
  std::vector<std::uint32_t> sets;
  formulas_->for_each_leaf(choice.rest, [&](const Formula& leaf) {
    if (leaf.condition == Condition::kDistinct) sets.push_back(leaf.a);
  });
  if (std::adjacent_find(sets.begin(), sets.end(), std::not_equal_to<>()) != sets.end()) {
    expander_->fail_unsupported(distinct_keyword(choice.rest));
    return;
  }
  AtomSet others;
  for (const Atom atom : choice.atoms) others.insert(atom);
  const auto left_out = static_cast<std::uint32_t>(seen_[sets.front()].size());
  for (const std::uint32_t number : seen_[sets.front()]) {
    others.insert(Atom::literal(expander_->numbered_value(number)).negation());
  }
  if (!others.never) out.push_back({std::move(others.atoms), choice.rest, true, choice.atoms, left_out});
}

FormulaId Residuals::taken(FormulaId rest, std::uint32_t value) {
  return formulas_->map(rest, [&](FormulaId id, const Formula& leaf) {
    if (leaf.condition != Condition::kDistinct) return id;
    std::vector<std::uint32_t> seen = seen_[leaf.a];
    const auto at = std::lower_bound(seen.begin(), seen.end(), value);
    if (at != seen.end() && *at == value) return kFalse;
    seen.insert(at, value);
    const auto [it, fresh] = seen_sets_.try_emplace(seen, static_cast<std::uint32_t>(seen_.size()));
    if (fresh) seen_.push_back(std::move(seen));
    return formulas_->distinct(it->second, leaf.b);
  });
}

JsonId Residuals::distinct_keyword(FormulaId f) {
  JsonId keyword = kNoJson;
  formulas_->for_each_leaf(f, [&](const Formula& leaf) {
    if (leaf.condition == Condition::kDistinct) keyword = leaf.b;
  });
  return keyword;
}

std::uint32_t Residuals::wanted_items(FormulaId f) {
  std::uint64_t most = 0;
  std::uint64_t contained = 0;
  formulas_->for_each_leaf(f, [&](const Formula& leaf) {
    if (leaf.condition == Condition::kAtLeast) most = std::max<std::uint64_t>(most, leaf.a);
    if (leaf.condition == Condition::kContains) contained += leaf.a;
  });
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most + contained, kUnbounded));
}

}  // namespace weir::schema
