// Relations over all rule automata of a grammar: which rules match anything, which call which at their left edge, and
// the removal of left recursion. Private to grammar/ir.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "rule_automaton.hpp"

namespace weir::detail {

// Indexed by RuleId; rules that are not part of the grammar have no states.
using RuleAutomata = std::vector<RuleAutomaton>;

// Drops edges whose symbol matches nothing and states that cannot reach an end; a rule that matches nothing is left
// with a start without edges. is_empty answers for expressions; values are taken to match something.
void prune_unproductive(RuleAutomata& rules, const std::function<bool(ExprId)>& is_empty);

// Replaces every rule that can call itself before consuming anything by an automaton that does not, matching the same
// texts. Rules that only such rules called may become unreachable from `start`.
void remove_left_recursion(RuleAutomata& rules, RuleId start, RuleBudget& budget);

// Reachable rules, callers before callees along left calls. Precondition: no left recursion.
std::vector<RuleId> left_topological_order(const RuleAutomata& rules, RuleId start);

// Rules reachable from `start` through edges, in order of discovery.
std::vector<RuleId> reachable_rules(const RuleAutomata& rules, RuleId start);

}  // namespace weir::detail
