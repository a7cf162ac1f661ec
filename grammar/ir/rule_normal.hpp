// The passes of GrammarBuilder::finish over whole grammars. Private to grammar/ir.
#pragma once

#include <optional>
#include <vector>

#include "rule_automaton.hpp"
#include "rule_bodies.hpp"
#include "rule_left.hpp"

namespace weir::detail {

class Normaliser {
 public:
  // `rules` are rewritten in place. Precondition: every rule reachable from `start` has a body.
  Normaliser(BodyPool& pool, ExprArena& expressions, std::vector<RuleBody>& rules, RuleId start)
      : pool_(pool), expressions_(expressions), rules_(rules), start_(start) {}

  // Drops what matches nothing, resolves rules that only name another, removes recursion at the ends of a rule, turns
  // regular rules into expressions, and divides large repetitions of the others. False: the start rule matches no text.
  bool simplify_bodies();

  // The start rule, after rules that only name another were resolved.
  RuleId start() const { return start_; }
  // The whole grammar as an expression, if it is regular. After simplify_bodies.
  std::optional<ExprId> start_expression() const;

  // Automata of all rules reachable from the start: no empty text, no left recursion, nothing unproductive.
  RuleAutomata build_automata(RuleBudget& budget);
  // Whether the start rule matched the empty text, which its automaton leaves out. After build_automata.
  bool matches_empty() const { return matches_empty_; }

 private:
  bool drop_unproductive();
  void resolve_names();
  void inline_unit_alternatives();
  void rewrite_recursion();
  void inline_regular_rules();
  void divide_repetitions();
  std::vector<RuleId> reachable() const { return reachable_rules(pool_, rules_, start_); }
  bool is_empty(ExprId e);

  BodyPool& pool_;
  ExprArena& expressions_;
  std::vector<RuleBody>& rules_;
  RuleId start_;
  bool matches_empty_ = false;
};

}  // namespace weir::detail
