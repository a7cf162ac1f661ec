// Objects and arrays that only a formula describes, member by member: what the value of the next one must be, and what
// is still asked after it. A member's value decides some of the formula's conditions; each way in which it may do so is
// an alternative. The formula is monotone, so alternatives need not say what a value does not satisfy, and may overlap.
// Private to grammar/schema.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "schema/expander.hpp"

namespace weir::schema {

struct Alternative {
  ValueId value = kNoValue;
  FormulaId rest = kTrue;
  // The items of `rest` must differ from this one too, which only its text can tell: see Residuals::taken.
  bool captured = false;
  // Of captured ones: the value before the items so far were left out of it, and how many these were.
  ValueId any_value = kNoValue;
  std::uint32_t left_out = 0;
};

class Residuals {
 public:
  explicit Residuals(Expander& expander) : expander_(&expander), formulas_(&expander.formulas()) { seen_sets_[{}] = 0; }

  // The ways to go on after a key, a key of a cell, an item. Spans stay valid.
  std::span<const Alternative> after_key(FormulaId f, std::uint32_t key) { return after({f, kKey, key}); }
  std::span<const Alternative> after_cell(FormulaId f, ExprId cell) { return after({f, kCell, cell}); }
  std::span<const Alternative> after_item(FormulaId f, std::uint32_t index) { return after({f, kItem, index}); }
  // Whether some way to go on after a key passes; looks at no more of them than that takes.
  using Passes = std::function<bool(const Alternative&)>;
  bool any_after_key(FormulaId f, std::uint32_t key, const Passes& passes) { return any_after({f, kKey, key}, passes); }
  bool any_after_cell(FormulaId f, ExprId cell, const Passes& passes) { return any_after({f, kCell, cell}, passes); }
  // After an item of a captured alternative: its value, by Expander::value_number, comes no more.
  FormulaId taken(FormulaId rest, std::uint32_t value);
  // The key does not come.
  FormulaId without(FormulaId f, std::uint32_t key);
  // No more distinct items than that are asked for.
  std::uint32_t wanted_items(FormulaId f);
  // The keyword that asks for distinct items.
  JsonId distinct_keyword(FormulaId f);
  // Nothing more comes, and nothing more is asked for.
  bool may_close(FormulaId f);
  // Indices from the result on behave alike; no larger than `index`.
  std::uint32_t saturated(FormulaId f, std::uint32_t index);
  // Would the formula be easier to satisfy with this key than without?
  bool wants_key(FormulaId f, std::uint32_t key);
  bool wants_members(FormulaId f);

 private:
  struct Choice {
    std::vector<Atom> atoms;
    FormulaId rest;
    bool captured = false;
    std::vector<Atom> any_atoms = {};
    std::uint32_t left_out = 0;
  };
  struct Chosen {
    AtomSet atoms;
    AtomSet assumed;  // these, and what more may be assumed while it is decided what else holds
  };
  enum Kind : std::uint32_t { kKey, kCell, kItem };
  struct Key {
    FormulaId formula;
    Kind kind;
    std::uint32_t at;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  struct Facts {  // of a formula
    bool known = false;
    bool may_close = false;
    bool counts = false;      // kAtLeast
    bool wants_some = false;  // kSome
    bool distinct = false;
    std::uint32_t saturation = 0;
  };

  using Emit = std::function<bool(Choice)>;  // false: enough

  FormulaId step_key(FormulaId f, std::uint32_t key);
  FormulaId step_cell(FormulaId f, ExprId cell);
  FormulaId step_item(FormulaId f, std::uint32_t index);
  FormulaId step(const Key& key);
  std::span<const Alternative> after(const Key& key);
  bool any_after(const Key& key, const Passes& passes);
  std::vector<Alternative> split(FormulaId f);
  bool split(FormulaId f, Chosen& chosen, const Emit& emit);  // false: stopped
  ValueId intern(const std::vector<Atom>& atoms);
  Alternative alternative(const Choice& choice);
  bool contradicts(const AtomSet& chosen, Atom atom);
  void keep_distinct(std::vector<Choice>& choices);
  void keep_listed_distinct(const Choice& choice, std::span<const JsonId> values, std::vector<Choice>& out);
  void keep_unlisted_distinct(const Choice& choice, std::vector<Choice>& out);
  bool next_atom(FormulaId f, Atom& out);
  FormulaId assume(FormulaId f, Atom atom, FormulaId verdict);
  FormulaId after_member(FormulaId leaf_id, const Formula& leaf, bool in_set);
  const Facts& facts(FormulaId f);

  Expander* expander_;
  Formulas* formulas_;
  std::unordered_map<Key, std::vector<Alternative>, KeyHash> known_;
  std::unordered_map<std::uint64_t, FormulaId> without_;
  std::deque<Facts> facts_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> seen_sets_;  // of numbers of values
  std::vector<std::vector<std::uint32_t>> seen_{{}};               // by number of the set
};

}  // namespace weir::schema
