#include "weir/grammar/grammar.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rule_automaton.hpp"
#include "rule_bodies.hpp"
#include "rule_left.hpp"
#include "rule_normal.hpp"

namespace weir {

Grammar::Grammar() = default;
Grammar::Grammar(Grammar&&) noexcept = default;
Grammar& Grammar::operator=(Grammar&&) noexcept = default;
Grammar::~Grammar() = default;

Grammar Grammar::from_expression(std::shared_ptr<ExprArena> arena, ExprId e) {
  Grammar grammar;
  grammar.matches_empty_ = arena->nullable(e);
  grammar.start_ = {Symbol::Kind::kExpression, e};
  grammar.arena_ = std::move(arena);
  return grammar;
}

Grammar Grammar::from_value(std::shared_ptr<ExprArena> arena, std::shared_ptr<StructureSource> source, ValueId value,
                            std::vector<Warning> warnings) {
  Grammar grammar;
  grammar.arena_ = std::move(arena);
  grammar.structures_ = std::move(source);
  grammar.start_ = {Symbol::Kind::kValue, value};
  grammar.warnings_ = std::move(warnings);
  return grammar;
}

struct GrammarBuilder::Impl {
  Impl(std::shared_ptr<ExprArena> a, const Limits& l) : arena(std::move(a)), limits(l), pool(*arena) {}

  std::shared_ptr<ExprArena> arena;
  Limits limits;
  detail::BodyPool pool;
  std::vector<detail::RuleBody> rules;
  std::vector<Warning> warnings;

  Error limit_error(const char* field, std::size_t limit, const char* remedy) const {
    return make_error(ErrorCode::kLimit,
                      fmt::format("the grammar needs more than Limits::{} = {}; {}", field, limit, remedy));
  }

  std::optional<Error> check(RuleId start) const {
    if (start >= rules.size()) return make_error(ErrorCode::kArgument, "the start rule was never declared");
    if (rules.size() > limits.max_rules) {
      return limit_error("max_rules", limits.max_rules, "split the grammar or raise the limit");
    }
    // A level of nesting in a notation is up to four operators here: repetition, choice, sequence, reference.
    if (pool.max_depth() / 4 > limits.max_depth) {
      return limit_error("max_depth", limits.max_depth, "move inner groups to rules of their own");
    }
    for (const RuleId r : detail::reachable_rules(pool, rules, start)) {
      if (rules[r].body) continue;
      return make_error(ErrorCode::kInvalid,
                        fmt::format("rule '{}' is used but not defined; define it or correct its name", rules[r].name));
    }
    return check_arena();
  }

  std::optional<Error> check_arena() const {
    if (!arena->exhausted()) return std::nullopt;
    return limit_error("max_expressions", limits.max_expressions,
                       "simplify large repetitions or raise this limit and max_automaton_states");
  }
};

GrammarBuilder::GrammarBuilder(std::shared_ptr<ExprArena> arena, const Limits& limits)
    : impl_(std::make_unique<Impl>(std::move(arena), limits)) {}
GrammarBuilder::~GrammarBuilder() = default;
GrammarBuilder::GrammarBuilder(GrammarBuilder&&) noexcept = default;

ExprArena& GrammarBuilder::expressions() const noexcept { return *impl_->arena; }

BodyId GrammarBuilder::expression(ExprId e) { return impl_->pool.expression(e); }
BodyId GrammarBuilder::reference(RuleId rule) { return impl_->pool.reference(rule); }
BodyId GrammarBuilder::sequence(std::span<const BodyId> parts) { return impl_->pool.sequence(parts); }
BodyId GrammarBuilder::sequence(std::initializer_list<BodyId> parts) {
  return impl_->pool.sequence(std::span<const BodyId>(parts.begin(), parts.size()));
}
BodyId GrammarBuilder::choice(std::span<const BodyId> parts) { return impl_->pool.choice(parts); }
BodyId GrammarBuilder::choice(std::initializer_list<BodyId> parts) {
  return impl_->pool.choice(std::span<const BodyId>(parts.begin(), parts.size()));
}
BodyId GrammarBuilder::repeat(BodyId body, std::uint32_t min, std::uint32_t max) {
  return impl_->pool.repeat(body, min, max);
}

bool GrammarBuilder::as_expression(BodyId body, ExprId& out) const {
  const bool regular = impl_->pool.is_expression(body);
  out = regular ? impl_->pool[body].id : kEmptyExpr;
  return regular;
}

RuleId GrammarBuilder::declare_rule(std::string name) {
  impl_->rules.push_back({std::move(name), std::nullopt});
  return static_cast<RuleId>(impl_->rules.size() - 1);
}

void GrammarBuilder::define_rule(RuleId rule, BodyId body) { impl_->rules[rule].body = body; }
bool GrammarBuilder::is_defined(RuleId rule) const { return impl_->rules[rule].body.has_value(); }
void GrammarBuilder::add_warning(Warning warning) { impl_->warnings.push_back(std::move(warning)); }

Result<Grammar> GrammarBuilder::finish(RuleId start) {
  Impl& impl = *impl_;
  if (auto error = impl.check(start)) return *std::move(error);
  detail::Normaliser normaliser(impl.pool, *impl.arena, impl.rules, start);
  if (!normaliser.simplify_bodies()) {
    return make_error(ErrorCode::kUnsatisfiable,
                      fmt::format("no text matches rule '{}': every alternative needs something that matches nothing "
                                  "or never ends; give the recursion an alternative that ends",
                                  impl.rules[start].name));
  }
  Grammar grammar;
  const auto regular = normaliser.start_expression();
  detail::RuleAutomata automata;
  if (!regular) {
    detail::RuleBudget budget{impl.limits.max_rule_states, std::size_t{8} * impl.limits.max_rule_states,
                              std::size_t{16} * impl.limits.max_rule_states, false};
    automata = normaliser.build_automata(budget);
    if (budget.exceeded) {
      return impl.limit_error("max_rule_states", impl.limits.max_rule_states,
                              "lower the counted repetitions of recursive rules or raise the limit");
    }
  }
  if (auto error = impl.check_arena()) return *std::move(error);
  if (regular || automata[normaliser.start()].states[0].edges.empty()) {
    grammar = Grammar::from_expression(impl.arena, regular.value_or(kEpsilonExpr));
    grammar.warnings_ = std::move(impl.warnings);
    return grammar;
  }

  grammar.arena_ = impl.arena;
  grammar.matches_empty_ = normaliser.matches_empty();
  grammar.warnings_ = std::move(impl.warnings);
  // Rules are numbered in left order: callers before callees.
  const std::vector<RuleId> order = detail::left_topological_order(automata, normaliser.start());
  std::vector<RuleId> number(automata.size());
  std::vector<RuleStateId> base(automata.size());
  RuleStateId next_state = 0;
  for (RuleId i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
    base[order[i]] = next_state;
    next_state += static_cast<RuleStateId>(automata[order[i]].states.size());
    grammar.rules_.push_back({std::move(impl.rules[order[i]].name), base[order[i]], i});
  }
  grammar.states_.reserve(next_state);
  for (const RuleId r : order) {
    for (RuleState& state : automata[r].states) {
      for (RuleEdge& edge : state.edges) {
        if (edge.symbol.kind == Symbol::Kind::kRule) edge.symbol.id = number[edge.symbol.id];
        edge.target += base[r];
      }
      grammar.states_.push_back(std::move(state));
    }
  }
  grammar.start_ = {Symbol::Kind::kRule, number[normaliser.start()]};
  return grammar;
}

}  // namespace weir
