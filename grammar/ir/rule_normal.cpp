#include "rule_normal.hpp"

#include <algorithm>
#include <utility>

namespace weir::detail {
namespace {

// A regular rule with more leaves than this stays a rule: inlining rules that double each other would grow without
// bound, and shared lexemes of ordinary grammars are far smaller.
constexpr std::uint32_t kMaxInlineWeight = 1U << 14U;
constexpr std::uint32_t kMaxInlineDepth = 512;

}  // namespace

bool Normaliser::is_empty(ExprId e) { return e == kEmptyExpr || expressions_.is_empty(e); }

bool Normaliser::simplify_bodies() {
  if (!drop_unproductive()) return false;
  resolve_names();
  inline_unit_alternatives();
  rewrite_recursion();
  inline_regular_rules();
  divide_repetitions();
  return true;
}

bool Normaliser::drop_unproductive() {
  const BodyFacts productive = solve(
      pool_, rules_, [&](ExprId e) { return !is_empty(e); }, false);
  if (!productive.rule[start_]) return false;
  const BodyId nothing = pool_.expression(kEmptyExpr);
  for (const RuleId r : reachable()) {
    rules_[r].body = substitute(pool_, *rules_[r].body, [&](const Body& leaf) -> std::optional<BodyId> {
      const bool dead = leaf.kind == BodyKind::kReference ? !productive.rule[leaf.id] : is_empty(leaf.id);
      if (!dead) return std::nullopt;
      return nothing;
    });
  }
  return true;
}

void Normaliser::resolve_names() {
  // Names of names form no cycle here: a rule that only names itself matches nothing and is gone.
  const std::vector<RuleId> rules = reachable();
  std::vector<RuleId> meaning(rules_.size());
  std::vector<bool> known(rules_.size());
  std::vector<RuleId> chain;
  for (const RuleId r : rules) {
    RuleId end = r;
    chain.clear();
    while (!known[end] && pool_[*rules_[end].body].kind == BodyKind::kReference) {
      chain.push_back(end);
      end = pool_[*rules_[end].body].id;
    }
    if (known[end]) end = meaning[end];
    chain.push_back(end);
    for (const RuleId link : chain) {
      meaning[link] = end;
      known[link] = true;
    }
  }
  for (const RuleId r : rules) {
    rules_[r].body = substitute(pool_, *rules_[r].body, [&](const Body& leaf) -> std::optional<BodyId> {
      if (leaf.kind != BodyKind::kReference || meaning[leaf.id] == leaf.id) return std::nullopt;
      return pool_.reference(meaning[leaf.id]);
    });
  }
  start_ = meaning[start_];
}

// A rule used once, as a whole alternative of another, becomes part of it: expr = term | sum; sum = expr "+" expr is
// then direct recursion, which stays flat.
void Normaliser::inline_unit_alternatives() {
  const std::vector<RuleId> rules = reachable();
  std::vector<std::uint32_t> uses(rules_.size());
  ++uses[start_];
  for (const RuleId r : rules) {
    for (const BodyId b : pool_.reachable(*rules_[r].body)) {
      if (pool_[b].kind == BodyKind::kReference) ++uses[pool_[b].id];
    }
  }
  // A rule used once is discovered after its only user, so that going backwards finishes it first.
  for (auto r = rules.rbegin(); r != rules.rend(); ++r) {
    std::vector<BodyId> work{*rules_[*r].body};
    std::vector<BodyId> alternatives;
    bool changed = false;
    while (!work.empty()) {
      const BodyId b = work.back();
      work.pop_back();
      if (pool_[b].kind == BodyKind::kChoice) {
        const auto parts = pool_.parts(b);
        work.insert(work.end(), parts.begin(), parts.end());
      } else if (pool_[b].kind == BodyKind::kReference && uses[pool_[b].id] == 1 && pool_[b].id != *r) {
        alternatives.push_back(*rules_[pool_[b].id].body);
        changed = true;
      } else {
        alternatives.push_back(b);
      }
    }
    if (changed) rules_[*r].body = pool_.choice(alternatives);
  }
}

void Normaliser::rewrite_recursion() {
  for (const RuleId r : reachable()) {
    if (const auto body = rewrite_self_recursion(pool_, r, *rules_[r].body)) rules_[r].body = *body;
  }
}

void Normaliser::inline_regular_rules() {
  const BodyFacts regular = solve(
      pool_, rules_, [](ExprId) { return true; }, true);
  std::vector<bool> inlined(rules_.size());
  const auto replace = [&](const Body& leaf) -> std::optional<BodyId> {
    if (leaf.kind != BodyKind::kReference || !inlined[leaf.id]) return std::nullopt;
    return *rules_[leaf.id].body;
  };
  std::vector<bool> wanted(rules_.size());
  const std::vector<RuleId> rules = reachable();
  for (const RuleId r : rules) wanted[r] = true;
  for (const RuleId r : regular.order) {
    if (!wanted[r]) continue;
    rules_[r].body = substitute(pool_, *rules_[r].body, replace);
    const Body& body = pool_[*rules_[r].body];
    inlined[r] = body.kind == BodyKind::kExpression && body.weight <= kMaxInlineWeight && body.depth <= kMaxInlineDepth;
  }
  for (const RuleId r : rules) {
    if (!regular.rule[r]) rules_[r].body = substitute(pool_, *rules_[r].body, replace);
  }
}

std::optional<ExprId> Normaliser::start_expression() const {
  const Body& body = pool_[*rules_[start_].body];
  if (body.kind != BodyKind::kExpression) return std::nullopt;
  return body.id;
}

RuleAutomata Normaliser::build_automata(RuleBudget& budget) {
  const BodyFacts nullable = solve(
      pool_, rules_, [&](ExprId e) { return expressions_.nullable(e); }, false);
  matches_empty_ = nullable.rule[start_];
  RuleAutomata automata(rules_.size());
  for (const RuleId r : reachable()) {
    automata[r] = determinise(build_automaton(pool_, expressions_, nullable, *rules_[r].body, budget), budget);
    if (budget.exceeded) return automata;
  }
  const auto empty = [&](ExprId e) { return is_empty(e); };
  prune_unproductive(automata, empty);
  remove_left_recursion(automata, start_, budget);
  if (budget.exceeded) return automata;
  for (const RuleId r : reachable_rules(automata, start_)) merge_parallel_expressions(automata[r], expressions_);
  return automata;
}

}  // namespace weir::detail
