// GrammarBuilder::finish: the automata match what was written, and keep the promises of RuleState.
#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reference/random_grammar.hpp"
#include "reference/rule_recognizer.hpp"
#include "weir/grammar/grammar.hpp"

namespace weir {
namespace {

using reference::AutomatonRecognizer;
using reference::call;
using reference::choice;
using reference::Ends;
using reference::literal;
using reference::Node;
using reference::one_of;
using reference::print;
using reference::repeat;
using reference::sequence;
using reference::to_body;
using reference::WrittenRecognizer;

Result<Grammar> finish(const std::vector<Node>& rules, const Limits& limits = {}) {
  GrammarBuilder builder(std::make_shared<ExprArena>(limits), limits);
  for (std::size_t r = 0; r < rules.size(); ++r) builder.declare_rule("r" + std::to_string(r));
  for (std::size_t r = 0; r < rules.size(); ++r)
    builder.define_rule(static_cast<RuleId>(r), to_body(builder, rules[r]));
  return builder.finish(0);
}

std::vector<std::string> texts_of_length(std::size_t length) {
  std::vector<std::string> texts;
  for (unsigned bits = 0; bits < (1U << length); ++bits) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += ((bits >> i) & 1U) != 0 ? 'b' : 'a';
    texts.push_back(std::move(text));
  }
  return texts;
}

// Everything grammar.hpp promises of a finished grammar.
void check_promises(const Grammar& grammar) {
  if (grammar.start().kind != Symbol::Kind::kRule) return;
  ExprArena& arena = grammar.expressions();
  const auto states = grammar.rule_states();
  ASSERT_LT(grammar.start().id, grammar.rules().size());
  for (const RuleState& state : states) {
    for (const RuleEdge& edge : state.edges) {
      ASSERT_LT(edge.target, states.size());
      if (edge.symbol.kind == Symbol::Kind::kExpression) {
        EXPECT_FALSE(arena.nullable(edge.symbol.id));
        EXPECT_FALSE(arena.is_empty(edge.symbol.id));
      } else {
        ASSERT_LT(edge.symbol.id, grammar.rules().size());
      }
    }
  }
  std::vector<int> owner(states.size(), -1);
  for (std::size_t r = 0; r < grammar.rules().size(); ++r) {
    const Rule& rule = grammar.rules()[r];
    EXPECT_FALSE(states[rule.start].accepting);
    std::vector<RuleStateId> order{rule.start};
    owner[rule.start] = static_cast<int>(r);
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const RuleEdge& edge : states[order[i]].edges) {
        EXPECT_NE(edge.target, rule.start) << "an edge leads back to the start";
        if (owner[edge.target] == static_cast<int>(r)) continue;
        EXPECT_EQ(owner[edge.target], -1) << "two rules share a state";
        owner[edge.target] = static_cast<int>(r);
        order.push_back(edge.target);
      }
    }
    std::vector<bool> ends(states.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (const RuleStateId s : order) {
        const bool now = states[s].accepting || std::any_of(states[s].edges.begin(), states[s].edges.end(),
                                                            [&](const RuleEdge& edge) { return ends[edge.target]; });
        changed = changed || now != ends[s];
        ends[s] = now;
      }
    }
    for (const RuleStateId s : order) EXPECT_TRUE(ends[s]) << "a state leads nowhere";
    for (const RuleEdge& edge : states[rule.start].edges) {
      if (edge.symbol.kind != Symbol::Kind::kRule) continue;
      EXPECT_LT(rule.left_order, grammar.rules()[edge.symbol.id].left_order) << "a left call goes up: left recursion";
    }
  }
  EXPECT_EQ(std::count(owner.begin(), owner.end(), -1), 0) << "a state belongs to no rule";
}

// Same language on every text over {a, b} of at most `length` bytes.
void check_language(const std::vector<Node>& rules, std::size_t length) {
  SCOPED_TRACE(print(rules));
  WrittenRecognizer written(rules);
  const Result<Grammar> grammar = finish(rules);
  if (!grammar) {
    ASSERT_EQ(grammar.error().code, ErrorCode::kUnsatisfiable) << grammar.error().to_string();
    for (const std::string& text : texts_of_length(length)) {
      const std::vector<Ends> ends = written.solve(text)[0];
      ASSERT_EQ(ends, std::vector<Ends>(text.size() + 1)) << "refused, but matches part of " << text;
    }
    return;
  }
  check_promises(*grammar);
  AutomatonRecognizer automata(*grammar);
  // Texts of the greatest length suffice: the recognisers answer for every part of them.
  for (const std::string& text : texts_of_length(length))
    ASSERT_EQ(written.solve(text)[0], automata.solve(text)) << text;
}

TEST(Rules, RandomGrammarsMatchWhatWasWritten) {
  std::mt19937 random(20240611);
  int recursive = 0;
  int regular = 0;
  int unsatisfiable = 0;
  for (int round = 0; round < 800 && !testing::Test::HasFailure(); ++round) {
    const std::vector<Node> rules = reference::random_rules(random);
    check_language(rules, 6);
    const Result<Grammar> grammar = finish(rules);
    if (!grammar) {
      ++unsatisfiable;
    } else {
      ++(grammar->start().kind == Symbol::Kind::kRule ? recursive : regular);
    }
  }
  // The generator must reach every kind.
  EXPECT_GT(recursive, 150);
  EXPECT_GT(regular, 100);
  EXPECT_GT(unsatisfiable, 10);
}

struct NamedGrammar {
  const char* name;
  std::vector<Node> rules;
};

TEST(Rules, RecursionOfEveryShape) {
  const Node a = literal("a");
  const Node b = literal("b");
  const std::vector<NamedGrammar> grammars{
      {"left", {choice({sequence({call(0), a}), b})}},
      {"right", {choice({sequence({a, call(0)}), b})}},
      {"both ends",
       {choice({sequence({call(0), a, call(0)}), sequence({call(0), b, b}), sequence({b, a, call(0)}), b})}},
      {"concatenation", {choice({sequence({call(0), call(0)}), a})}},
      {"nullable concatenation", {choice({literal(""), sequence({a, call(0), b}), sequence({call(0), call(0)})})}},
      {"unit cycle", {choice({call(1), a}), choice({call(0), sequence({b, call(0)})})}},
      {"self", {choice({call(0), b})}},
      {"behind an option", {sequence({a, repeat(call(0), 0, 1)})}},
      {"option in front", {sequence({repeat(call(0), 0, 1), b})}},
      {"indirect", {choice({sequence({call(1), a}), b}), choice({sequence({call(0), b}), a})}},
      {"three rules",
       {choice({sequence({call(1), a}), b}), choice({sequence({call(2), b}), a}),
        choice({sequence({call(0), a}), sequence({call(2), b})})}},
      {"hidden by a nullable rule",
       {choice({sequence({call(1), call(0), a}), b}), repeat(choice({a, call(2)}), 0, 2),
        choice({literal(""), sequence({a, call(0), b})})}},
      {"hidden by itself", {choice({sequence({call(0), call(0), a}), literal(""), b})}},
      {"middle", {choice({sequence({a, call(0), b}), literal("")})}},
      {"only empty", {choice({sequence({call(1), call(1)}), literal("")}), sequence({call(0), call(0)})}},
      {"indirect operator", {choice({call(1), b}), sequence({call(0), a, call(0)})}},
      {"left under a repeat", {choice({sequence({repeat(call(0), 1, kUnbounded), a}), b})}},
      {"useless parts", {choice({a, call(1), sequence({b, call(2)})}), sequence({call(1), a}), one_of("")}},
  };
  for (const NamedGrammar& grammar : grammars) {
    SCOPED_TRACE(grammar.name);
    check_language(grammar.rules, 8);
  }
}

TEST(Rules, LinearRecursionIsRegular) {
  const Node a = literal("a");
  const Node b = literal("b");
  for (const auto& rules : std::vector<std::vector<Node>>{
           {choice({sequence({call(0), a}), b})},
           {choice({sequence({a, call(0)}), literal("")})},
           {choice({sequence({call(0), a, call(0)}), b})},
           {choice({sequence({call(0), call(0)}), a})},
           {repeat(sequence({a, call(0)}), 0, 1)},
           {choice({call(1), b}), sequence({call(0), a, call(0)})},
       }) {
    const Result<Grammar> grammar = finish(rules);
    ASSERT_TRUE(grammar) << print(rules);
    EXPECT_EQ(grammar->start().kind, Symbol::Kind::kExpression) << print(rules);
    EXPECT_EQ(grammar->rules().size(), 0U);
  }
}

TEST(Rules, AmbiguousOperatorsStayOneRule) {
  // e = "a" | "b" e "b" | e "a" e: in the automaton no edge calls e except between the brackets.
  const Result<Grammar> grammar = finish({choice(
      {literal("a"), sequence({literal("b"), call(0), literal("b")}), sequence({call(0), literal("a"), call(0)})})});
  ASSERT_TRUE(grammar);
  ASSERT_EQ(grammar->rules().size(), 1U);
  std::size_t calls = 0;
  for (const RuleState& state : grammar->rule_states()) {
    calls += static_cast<std::size_t>(std::count_if(state.edges.begin(), state.edges.end(), [](const RuleEdge& edge) {
      return edge.symbol.kind == Symbol::Kind::kRule;
    }));
  }
  EXPECT_EQ(calls, 1U);
  EXPECT_LE(grammar->rule_states().size(), 5U);
}

TEST(Rules, EmptyTextIsAFactOfTheGrammar) {
  const Result<Grammar> nested = finish({choice({literal(""), sequence({literal("a"), call(0), literal("b")})})});
  ASSERT_TRUE(nested);
  EXPECT_TRUE(nested->matches_empty());
  EXPECT_EQ(nested->start().kind, Symbol::Kind::kRule);
  const Result<Grammar> nothing = finish({choice({sequence({call(1), call(1)}), literal("")}), call(0)});
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->matches_empty());
  EXPECT_EQ(nothing->start().kind, Symbol::Kind::kExpression);
}

TEST(Rules, AsExpression) {
  GrammarBuilder builder(std::make_shared<ExprArena>());
  ExprArena& arena = builder.expressions();
  const RuleId rule = builder.declare_rule("r");
  const BodyId a = builder.expression(arena.literal("a"));
  ExprId out = 99;
  EXPECT_TRUE(builder.as_expression(builder.sequence({a, builder.repeat(a, 0, kUnbounded)}), out));
  EXPECT_TRUE(arena.matches(out, "aaa"));
  EXPECT_FALSE(arena.matches(out, ""));
  EXPECT_FALSE(builder.as_expression(builder.sequence({a, builder.reference(rule)}), out));
  EXPECT_EQ(out, kEmptyExpr);
  EXPECT_FALSE(builder.is_defined(rule));
  EXPECT_TRUE(builder.as_expression(builder.sequence({}), out));
  EXPECT_EQ(out, kEpsilonExpr);
  EXPECT_TRUE(builder.as_expression(builder.choice({}), out));
  EXPECT_EQ(out, kEmptyExpr);
}

TEST(Rules, FromExpressionAndValue) {
  auto arena = std::make_shared<ExprArena>();
  EXPECT_TRUE(Grammar::from_expression(arena, arena->star(arena->byte('a'))).matches_empty());
  EXPECT_FALSE(Grammar::from_expression(arena, arena->byte('a')).matches_empty());
  const Grammar value = Grammar::from_value(arena, nullptr, 7, {{"careful", "/a"}});
  EXPECT_EQ(value.start(), (Symbol{Symbol::Kind::kValue, 7}));
  EXPECT_FALSE(value.matches_empty());
  ASSERT_EQ(value.warnings().size(), 1U);
  EXPECT_EQ(value.warnings()[0].pointer, "/a");
}

TEST(Rules, Errors) {
  const Result<Grammar> endless = finish({sequence({literal("a"), call(0)})});
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().code, ErrorCode::kUnsatisfiable);

  GrammarBuilder builder(std::make_shared<ExprArena>());
  const RuleId start = builder.declare_rule("start");
  builder.define_rule(start, builder.reference(builder.declare_rule("missing")));
  const Result<Grammar> undefined = builder.finish(start);
  ASSERT_FALSE(undefined);
  EXPECT_EQ(undefined.error().code, ErrorCode::kInvalid);
  EXPECT_NE(undefined.error().message.find("'missing'"), std::string::npos);

  Limits few;
  few.max_rules = 1;
  const Result<Grammar> many = finish({call(1), literal("a")}, few);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::kLimit);
  EXPECT_NE(many.error().message.find("max_rules"), std::string::npos);
}

TEST(Rules, CountedRepetitionsOfRecursiveRulesHaveABudget) {
  const Node nested = choice({sequence({literal("a"), call(1), literal("b")}), literal("ab")});
  Limits limits;
  limits.max_rule_states = 10'000;
  // 1000 * 1000 * 1000 copies, divided into blocks; whatever is left of them has a budget.
  Node huge = call(1);
  for (int i = 0; i < 3; ++i) huge = repeat(std::move(huge), 1000, 1000);
  // Empty moves that lead through all of the copies: quadratic in their number.
  const Node pair = sequence({repeat(call(1), 0, 1), repeat(sequence({call(1), literal("a")}), 0, 1)});
  for (const Node& start : {huge, repeat(pair, 0, 100'000)}) {
    const Result<Grammar> refused = finish({start, nested}, limits);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
    EXPECT_NE(refused.error().message.find("max_rule_states"), std::string::npos);
  }
  for (const Node& start : {repeat(call(1), 0, 1000), repeat(call(1), 1000, 1'000'000), repeat(pair, 0, 5000)}) {
    const Result<Grammar> accepted = finish({start, nested}, limits);
    ASSERT_TRUE(accepted) << accepted.error().to_string();
    EXPECT_LT(accepted->rule_states().size(), 1000U);
  }
}

TEST(Rules, SubsetConstructionDoesNotExplode) {
  // (x | y)* x (x | y){18} over two recursive rules: 2^18 subsets if made deterministic.
  const Node x = choice({sequence({literal("a"), call(1), literal("a")}), literal("aa")});
  const Node y = choice({sequence({literal("b"), call(2), literal("b")}), literal("bb")});
  const Node either = choice({call(1), call(2)});
  const Result<Grammar> grammar =
      finish({sequence({repeat(either, 0, kUnbounded), call(1), repeat(either, 18, 18)}), x, y});
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  EXPECT_LT(grammar->rule_states().size(), 2000U);
  check_promises(*grammar);
  AutomatonRecognizer recognizer(*grammar);
  std::string text;
  for (int i = 0; i < 19; ++i) text += i % 2 == 0 ? "aa" : "bb";
  EXPECT_TRUE(recognizer.matches(text));
  EXPECT_FALSE(recognizer.matches("bb" + text.substr(2)));
}

TEST(Rules, RegularRulesThatDoubleEachOtherStayRules) {
  std::vector<Node> rules;
  for (std::uint32_t r = 0; r < 40; ++r) rules.push_back(sequence({call(r + 1), call(r + 1)}));
  rules.push_back(one_of("ab"));
  const Result<Grammar> grammar = finish(rules);
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  EXPECT_EQ(grammar->start().kind, Symbol::Kind::kRule);
  EXPECT_LT(grammar->rules().size(), 41U);
  EXPECT_LT(grammar->expressions().size(), 200'000U);
}

TEST(Rules, LongChainsDoNotRecurse) {
  // 20,000 rules each calling the next between brackets, and the last calling the first on its left.
  constexpr std::uint32_t kCount = 20'000;
  std::vector<Node> rules;
  for (std::uint32_t r = 0; r + 1 < kCount; ++r) rules.push_back(sequence({call(r + 1), literal("b")}));
  rules.push_back(choice({literal("a"), sequence({literal("b"), call(0), literal("b")})}));
  const Result<Grammar> grammar = finish(rules);
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  EXPECT_EQ(grammar->rules().size(), kCount);
  check_promises(*grammar);
}

}  // namespace
}  // namespace weir
