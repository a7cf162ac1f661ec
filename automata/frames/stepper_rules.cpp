// Rules that come to the top of a state: expanded until only heads are left that consume bytes.
#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frames/stepper.hpp"

namespace weir {

void Stepper::append_closed(StateId s, Items& out) {
  const StateId closed = close(s);
  const auto items = store_.items(closed);
  out.insert(out.end(), items.begin(), items.end());
}

StateId Stepper::rule_target(RuleStateId target, StateId rest) {
  const RuleState& state = grammar_.rule_states()[target];
  if (state.accepting && state.edges.empty()) return rest;  // a tail call returns to the caller's caller
  return store_.intern_one({Head::make(HeadKind::kRule, 0, target, 0), rest});
}

// Expands rules on top until only heads that consume bytes are left. Calls of one rule from many places share one
// expansion over the union of the places: rules are expanded callers first, so all of them are known by then.
StateId Stepper::close(StateId s) {
  if (s == kDeadState) return s;
  if (store_.closed(s) != 0) return store_.closed(s);
  const auto given = store_.items(s);
  const bool has_rule =
      std::any_of(given.begin(), given.end(), [](const Item& item) { return item.head.kind() == HeadKind::kRule; });
  if (!has_rule) return store_.closed(s) = s;

  Items closed;
  Items open(given.begin(), given.end());
  std::unordered_set<std::uint64_t> seen;                                  // rule state and what follows it
  std::map<std::pair<std::uint32_t, RuleId>, std::vector<StateId>> calls;  // by left order
  for (;;) {
    while (!open.empty()) {
      const Item item = open.back();
      open.pop_back();
      if (item.head.kind() != HeadKind::kRule) {
        closed.push_back(item);
        continue;
      }
      if (!seen.insert((std::uint64_t{item.head.w1} << 32U) | item.rest).second) continue;
      const RuleState& state = grammar_.rule_states()[item.head.w1];
      if (state.accepting) {
        const auto rest = store_.items(item.rest);
        open.insert(open.end(), rest.begin(), rest.end());
      }
      for (const RuleEdge& edge : state.edges) {
        const StateId after = rule_target(edge.target, item.rest);
        switch (edge.symbol.kind) {
          case Symbol::Kind::kExpression:
            closed.push_back({Head::make(HeadKind::kExpr, 0, edge.symbol.id, 0), after});
            break;
          case Symbol::Kind::kValue:
            closed.push_back({Head::make(HeadKind::kValue, 0, edge.symbol.id, 0), after});
            break;
          case Symbol::Kind::kRule: {
            calls[{grammar_.rules()[edge.symbol.id].left_order, edge.symbol.id}].push_back(after);
            break;
          }
        }
      }
    }
    if (calls.empty()) break;
    auto call = calls.extract(calls.begin());
    const RuleStateId start = grammar_.rules()[call.key().second].start;
    open.push_back({Head::make(HeadKind::kRule, 0, start, 0), store_.unite(call.mapped())});
  }
  const StateId result = store_.intern(closed);
  store_.closed(s) = result;
  store_.closed(result) = result;
  return result;
}

}  // namespace weir
