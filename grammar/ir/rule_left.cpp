#include "rule_left.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace weir::detail {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// The rules that `rule` calls before it has consumed anything.
std::vector<RuleId> left_calls(const RuleAutomaton& rule) {
  std::vector<RuleId> calls;
  if (rule.states.empty()) return calls;
  for (const RuleEdge& edge : rule.states[0].edges) {
    if (edge.symbol.kind == Symbol::Kind::kRule) calls.push_back(edge.symbol.id);
  }
  std::sort(calls.begin(), calls.end());
  calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
  return calls;
}

// Strongly connected components of the left-call relation (Tarjan, with a stack of its own): callees come out before
// their callers.
class LeftComponents {
 public:
  explicit LeftComponents(const RuleAutomata& rules) : index_(rules.size(), kNone), low_(rules.size()) {
    for (const RuleAutomaton& rule : rules) calls_.push_back(left_calls(rule));
    on_stack_.resize(rules.size());
    for (RuleId r = 0; r < rules.size(); ++r) {
      if (index_[r] == kNone && !rules[r].states.empty()) search(r);
    }
  }
  const std::vector<std::vector<RuleId>>& components() const { return components_; }
  const std::vector<RuleId>& calls(RuleId r) const { return calls_[r]; }

 private:
  struct Visit {
    RuleId rule;
    std::size_t next;
  };

  void enter(RuleId r) {
    index_[r] = low_[r] = count_++;
    stack_.push_back(r);
    on_stack_[r] = true;
    visits_.push_back({r, 0});
  }

  void search(RuleId root) {
    enter(root);
    while (!visits_.empty()) {
      Visit& visit = visits_.back();
      const RuleId r = visit.rule;
      if (visit.next < calls_[r].size()) {
        const RuleId callee = calls_[r][visit.next++];
        if (index_[callee] == kNone) {
          enter(callee);
        } else if (on_stack_[callee]) {
          low_[r] = std::min(low_[r], index_[callee]);
        }
        continue;
      }
      visits_.pop_back();
      if (!visits_.empty()) low_[visits_.back().rule] = std::min(low_[visits_.back().rule], low_[r]);
      if (low_[r] == index_[r]) close(r);
    }
  }

  void close(RuleId root) {
    std::vector<RuleId> members;
    for (RuleId r = kNone; r != root;) {
      r = stack_.back();
      stack_.pop_back();
      on_stack_[r] = false;
      members.push_back(r);
    }
    std::sort(members.begin(), members.end());
    components_.push_back(std::move(members));
  }

  std::vector<std::vector<RuleId>> calls_;
  std::vector<std::uint32_t> index_;
  std::vector<std::uint32_t> low_;
  std::vector<bool> on_stack_;
  std::vector<RuleId> stack_;
  std::vector<Visit> visits_;
  std::vector<std::vector<RuleId>> components_;
  std::uint32_t count_ = 0;
};

// The automaton of members[goal], reading the left spine of a derivation from the bottom up: it begins with what some
// member begins with other than a member, and each time a member is complete (node[k]) it goes on behind every first
// edge that calls that member.
MovingAutomaton spine_automaton(const RuleAutomata& rules, std::span<const RuleId> members, std::size_t goal) {
  MovingAutomaton out;
  const std::uint32_t start = out.add_state();
  std::vector<std::uint32_t> base;
  std::vector<std::uint32_t> node;
  for (const RuleId member : members) {
    node.push_back(out.add_state());
    base.push_back(static_cast<std::uint32_t>(out.states.size()));
    out.states.resize(out.states.size() + rules[member].states.size());
  }
  out.states[node[goal]].accepting = true;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const auto& states = rules[members[k]].states;
    for (std::uint32_t s = 0; s < states.size(); ++s) {
      for (const RuleEdge& edge : states[s].edges) {
        const std::uint32_t target = base[k] + edge.target;
        const auto callee = s == 0 && edge.symbol.kind == Symbol::Kind::kRule
                                ? std::lower_bound(members.begin(), members.end(), edge.symbol.id)
                                : members.end();
        if (callee != members.end() && *callee == edge.symbol.id) {
          out.states[node[static_cast<std::size_t>(callee - members.begin())]].moves.push_back(target);
        } else {
          out.states[s == 0 ? start : base[k] + s].edges.push_back({edge.symbol, target});
        }
      }
      if (states[s].accepting) out.states[base[k] + s].moves.push_back(node[k]);
    }
  }
  return out;
}

// Which rules some edge calls other than a first edge within the same component, or that are the start.
std::vector<bool> called_from_outside(const RuleAutomata& rules, std::span<const std::uint32_t> component_of,
                                      RuleId start) {
  std::vector<bool> called(rules.size());
  called[start] = true;
  for (RuleId r = 0; r < rules.size(); ++r) {
    for (std::size_t s = 0; s < rules[r].states.size(); ++s) {
      for (const RuleEdge& edge : rules[r].states[s].edges) {
        if (edge.symbol.kind != Symbol::Kind::kRule) continue;
        if (s != 0 || component_of[r] != component_of[edge.symbol.id]) called[edge.symbol.id] = true;
      }
    }
  }
  return called;
}

}  // namespace

void prune_unproductive(RuleAutomata& rules, const std::function<bool(ExprId)>& is_empty) {
  // An edge waits for its target to reach an end and for its symbol to match something; both are told once.
  struct Edge {
    RuleId rule;
    std::uint32_t source;
    std::uint32_t waits;
  };
  std::vector<Edge> edges;
  std::vector<std::vector<std::vector<std::uint32_t>>> into(rules.size());  // rule, state: edges
  std::vector<std::vector<std::uint32_t>> calling(rules.size());
  std::vector<std::vector<bool>> ends(rules.size());
  std::vector<std::pair<RuleId, std::uint32_t>> work;
  const auto reach = [&](RuleId r, std::uint32_t s) {
    if (ends[r][s]) return;
    ends[r][s] = true;
    work.emplace_back(r, s);
  };
  for (RuleId r = 0; r < rules.size(); ++r) {
    into[r].resize(rules[r].states.size());
    ends[r].resize(rules[r].states.size());
    for (std::uint32_t s = 0; s < rules[r].states.size(); ++s) {
      for (const RuleEdge& edge : rules[r].states[s].edges) {
        const bool is_rule = edge.symbol.kind == Symbol::Kind::kRule;
        if (edge.symbol.kind == Symbol::Kind::kExpression && is_empty(edge.symbol.id)) continue;
        const auto id = static_cast<std::uint32_t>(edges.size());
        edges.push_back({r, s, is_rule ? 2U : 1U});
        into[r][edge.target].push_back(id);
        if (is_rule) calling[edge.symbol.id].push_back(id);
      }
    }
  }
  const auto tell = [&](std::span<const std::uint32_t> waiting) {
    for (const std::uint32_t id : waiting) {
      if (--edges[id].waits == 0) reach(edges[id].rule, edges[id].source);
    }
  };
  for (RuleId r = 0; r < rules.size(); ++r) {
    for (std::uint32_t s = 0; s < rules[r].states.size(); ++s) {
      if (rules[r].states[s].accepting) reach(r, s);
    }
  }
  while (!work.empty()) {
    const auto [r, s] = work.back();
    work.pop_back();
    tell(into[r][s]);
    if (s == 0) tell(calling[r]);
  }
  const auto matches = [&](const Symbol& symbol) {
    if (symbol.kind == Symbol::Kind::kExpression) return !is_empty(symbol.id);
    if (symbol.kind == Symbol::Kind::kRule) return !ends[symbol.id].empty() && ends[symbol.id][0];
    return true;
  };
  for (RuleAutomaton& rule : rules) {
    if (!rule.states.empty()) prune(rule, [&](const RuleEdge& edge) { return matches(edge.symbol); });
  }
}

void remove_left_recursion(RuleAutomata& rules, RuleId start, RuleBudget& budget) {
  const LeftComponents left(rules);
  std::vector<std::uint32_t> component_of(rules.size(), kNone);
  for (std::uint32_t c = 0; c < left.components().size(); ++c) {
    for (const RuleId r : left.components()[c]) component_of[r] = c;
  }
  const std::vector<bool> called = called_from_outside(rules, component_of, start);
  for (const auto& members : left.components()) {
    const auto& calls = left.calls(members[0]);
    if (members.size() == 1 && !std::binary_search(calls.begin(), calls.end(), members[0])) continue;
    std::vector<std::pair<RuleId, RuleAutomaton>> made;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (!called[members[i]]) continue;
      made.emplace_back(members[i], determinise(spine_automaton(rules, members, i), budget));
      if (budget.exceeded) return;
    }
    for (const RuleId member : members) rules[member] = {};
    for (auto& [rule, automaton] : made) rules[rule] = std::move(automaton);
  }
}

std::vector<RuleId> reachable_rules(const RuleAutomata& rules, RuleId start) {
  std::vector<RuleId> found{start};
  std::vector<bool> seen(rules.size());
  seen[start] = true;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const RuleState& state : rules[found[i]].states) {
      for (const RuleEdge& edge : state.edges) {
        if (edge.symbol.kind != Symbol::Kind::kRule || seen[edge.symbol.id]) continue;
        seen[edge.symbol.id] = true;
        found.push_back(edge.symbol.id);
      }
    }
  }
  return found;
}

std::vector<RuleId> left_topological_order(const RuleAutomata& rules, RuleId start) {
  const LeftComponents left(rules);
  std::vector<bool> wanted(rules.size());
  for (const RuleId r : reachable_rules(rules, start)) wanted[r] = true;
  std::vector<RuleId> order;
  for (auto component = left.components().rbegin(); component != left.components().rend(); ++component) {
    if (wanted[component->front()]) order.push_back(component->front());
  }
  return order;
}

}  // namespace weir::detail
