// The intermediate form that every notation compiles into: expressions, structures and rules.
//
//   auto arena = std::make_shared<weir::ExprArena>();
//   weir::GrammarBuilder builder(arena);
//   weir::RuleId list = builder.declare_rule("list");
//   weir::BodyId digit = builder.expression(arena->bytes(weir::ByteSet::range('0', '9')));
//   weir::BodyId open = builder.expression(arena->literal("["));
//   weir::BodyId close = builder.expression(arena->literal("]"));
//   weir::BodyId item = builder.choice({digit, builder.reference(list)});
//   builder.define_rule(list, builder.sequence({open, builder.repeat(item, 0, weir::kUnbounded), close}));
//   weir::Result<weir::Grammar> grammar = builder.finish(list);   // nested lists such as [1[2]3]
//
// A Grammar knows nothing of tokens. It is immutable to its users; what it computes lazily (derivatives, expansion of
// schemas) is memoised behind locks, so one Grammar may serve any number of threads.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weir/grammar/expr.hpp"
#include "weir/grammar/limits.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

class StructureSource;  // structure.hpp: records, lists and quoted text, expanded on demand

using RuleId = std::uint32_t;
using RuleStateId = std::uint32_t;
using ValueId = std::uint32_t;

// What an edge of a rule's automaton consumes.
struct Symbol {
  enum class Kind : std::uint8_t { kExpression, kRule, kValue };
  Kind kind = Kind::kExpression;
  std::uint32_t id = 0;  // ExprId, RuleId or ValueId
  friend bool operator==(const Symbol&, const Symbol&) = default;
  friend auto operator<=>(const Symbol&, const Symbol&) = default;
};

struct RuleEdge {
  Symbol symbol;
  RuleStateId target = 0;
};

// One state of a rule's automaton. After GrammarBuilder::finish: no edge consumes the empty text, no rule is left
// recursive, every edge lies on a path to the rule's end.
struct RuleState {
  std::vector<RuleEdge> edges;
  bool accepting = false;
};

struct Rule {
  std::string name;
  RuleStateId start = 0;
  // Callers come before callees: in one closure all left calls of a rule are known before the rule is expanded.
  std::uint32_t left_order = 0;
};

struct Warning {
  std::string message;  // as Error::message
  std::string pointer;  // JSON Pointer, after "URI#" in another document; or "line:column", or empty
};

class Grammar {
 public:
  Grammar(Grammar&&) noexcept;
  Grammar& operator=(Grammar&&) noexcept;
  ~Grammar();

  ExprArena& expressions() const noexcept { return *arena_; }
  const std::shared_ptr<ExprArena>& arena() const noexcept { return arena_; }
  // What a complete text consists of. An expression, a value, or a rule.
  Symbol start() const noexcept { return start_; }
  bool matches_empty() const noexcept { return matches_empty_; }
  std::span<const Rule> rules() const noexcept { return rules_; }
  std::span<const RuleState> rule_states() const noexcept { return states_; }
  StructureSource* structures() const noexcept { return structures_.get(); }  // null without structures
  std::span<const Warning> warnings() const noexcept { return warnings_; }

  // A grammar that is a single expression, or a single value of a structure source.
  static Grammar from_expression(std::shared_ptr<ExprArena> arena, ExprId e);
  static Grammar from_value(std::shared_ptr<ExprArena> arena, std::shared_ptr<StructureSource> source, ValueId value,
                            std::vector<Warning> warnings);

 private:
  friend class GrammarBuilder;
  Grammar();
  std::shared_ptr<ExprArena> arena_;
  std::shared_ptr<StructureSource> structures_;
  Symbol start_;
  bool matches_empty_ = false;
  std::vector<Rule> rules_;
  std::vector<RuleState> states_;
  std::vector<Warning> warnings_;
};

using BodyId = std::uint32_t;

// Builds a grammar of rules. Bodies are trees; regular parts fold into one expression by themselves, and rules that
// are regular (they call no recursive rule) are inlined as expressions.
class GrammarBuilder {
 public:
  explicit GrammarBuilder(std::shared_ptr<ExprArena> arena, const Limits& limits = {});
  ~GrammarBuilder();
  GrammarBuilder(GrammarBuilder&&) noexcept;

  ExprArena& expressions() const noexcept;

  BodyId expression(ExprId e);
  BodyId reference(RuleId rule);
  BodyId sequence(std::span<const BodyId> parts);  // no parts: the empty text
  BodyId sequence(std::initializer_list<BodyId> parts);
  BodyId choice(std::span<const BodyId> parts);  // no parts: matches nothing
  BodyId choice(std::initializer_list<BodyId> parts);
  BodyId repeat(BodyId body, std::uint32_t min, std::uint32_t max);
  // The expression that `body` is, if it is regular without looking into rules; kEmptyExpr and false otherwise.
  bool as_expression(BodyId body, ExprId& out) const;

  RuleId declare_rule(std::string name);
  void define_rule(RuleId rule, BodyId body);  // once per rule
  bool is_defined(RuleId rule) const;
  void add_warning(Warning warning);

  // Checks and normalises: regular rules inlined, empty alternatives made explicit, left recursion removed, rules that
  // match nothing pruned. Errors: kUnsatisfiable when the start rule matches no text, kLimit. The builder is spent.
  Result<Grammar> finish(RuleId start);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
