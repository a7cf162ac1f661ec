// Automata of single rules over symbols: built from bodies with empty moves, then made deterministic (no two equal
// symbols leave one state), trimmed and minimised. Private to grammar/ir.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "rule_bodies.hpp"
#include "weir/grammar/grammar.hpp"

namespace weir::detail {

// What normalising one grammar may still use. Once `exceeded` is set, every step returns early with a partial result
// that nobody looks at.
struct RuleBudget {
  std::size_t states = 0;
  std::size_t edges = 0;
  std::size_t work = 0;  // elementary steps of closures and subset constructions
  bool exceeded = false;

  bool take(std::size_t RuleBudget::*field, std::size_t amount) {
    if (this->*field < amount) exceeded = true;
    if (exceeded) return false;
    this->*field -= amount;
    return true;
  }
};

// With empty moves. State 0 is the start.
struct MovingAutomaton {
  struct State {
    std::vector<RuleEdge> edges;
    std::vector<std::uint32_t> moves;
    bool accepting = false;
  };
  std::vector<State> states;

  std::uint32_t add_state() {
    states.emplace_back();
    return static_cast<std::uint32_t>(states.size() - 1);
  }
};

// Without empty moves: targets are indices into `states`, state 0 is the start, nothing leads back to it and it does
// not accept.
struct RuleAutomaton {
  std::vector<RuleState> states;
};

// The automaton of `body` without the empty text. A reference to a rule R for which nullable.rule holds stands for
// "R without the empty text, or nothing".
MovingAutomaton build_automaton(BodyPool& pool, ExprArena& expressions, const BodyFacts& nullable, BodyId body,
                                RuleBudget& budget);

// Removes empty moves, makes the automaton deterministic over equal symbols unless that would multiply its size, drops
// states that lead nowhere, and merges equivalent ones. The empty text is dropped from what it accepts.
RuleAutomaton determinise(const MovingAutomaton& automaton, RuleBudget& budget);

// Drops every edge for which keep(edge) is false, then what leads nowhere or is reached no more.
void prune(RuleAutomaton& automaton, const std::function<bool(const RuleEdge&)>& keep);

// Edges with the same ends whose symbols are expressions become one edge.
void merge_parallel_expressions(RuleAutomaton& automaton, ExprArena& expressions);

}  // namespace weir::detail
