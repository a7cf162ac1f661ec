// Bodies of rules before they become automata: a pool of immutable nodes, children before parents, so that a loop over
// ids visits every part before the whole and nothing here recurses. Regular parts fold into one expression as they
// are made. Private to grammar/ir.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "weir/grammar/expr.hpp"
#include "weir/grammar/grammar.hpp"

namespace weir::detail {

enum class BodyKind : std::uint8_t { kExpression, kReference, kSequence, kChoice, kRepeat };

struct Body {
  BodyKind kind = BodyKind::kExpression;
  std::uint32_t id = 0;  // ExprId or RuleId
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  std::uint32_t first = 0;  // children: parts_[first, first + count)
  std::uint32_t count = 0;
  std::uint32_t depth = 1;   // of nested operators
  std::uint32_t weight = 1;  // leaves after folding, saturating: what inlining this body costs
};

inline constexpr std::uint32_t kMaxWeight = 1U << 30U;

class BodyPool {
 public:
  explicit BodyPool(ExprArena& arena) : arena_(&arena) {}

  BodyId expression(ExprId e, std::uint32_t weight = 1, std::uint32_t depth = 1);
  BodyId reference(RuleId rule);
  BodyId sequence(std::span<const BodyId> parts);
  BodyId choice(std::span<const BodyId> parts);
  BodyId repeat(BodyId body, std::uint32_t min, std::uint32_t max);

  const Body& operator[](BodyId id) const { return bodies_[id]; }
  std::span<const BodyId> parts(BodyId id) const {
    return std::span<const BodyId>(parts_).subspan(bodies_[id].first, bodies_[id].count);
  }
  std::size_t size() const { return bodies_.size(); }
  bool is_expression(BodyId id) const { return bodies_[id].kind == BodyKind::kExpression; }
  bool is_empty(BodyId id) const { return is_expression(id) && bodies_[id].id == kEmptyExpr; }
  std::uint32_t max_depth() const { return max_depth_; }

  // e without the empty text. Repetitions and options made here are remembered, so that [ \t]* becomes [ \t]+ and not
  // an intersection.
  ExprId without_empty(ExprId e);

  // The nodes below `root`, itself included, in ascending order.
  std::vector<BodyId> reachable(BodyId root);

 private:
  BodyId add(const Body& body, std::span<const BodyId> parts);
  BodyId fold_sequence(std::span<const BodyId> parts, const Body& body);
  BodyId fold_choice(std::span<const BodyId> parts, const Body& body);

  ExprArena* arena_;
  std::vector<Body> bodies_;
  std::vector<BodyId> parts_;
  std::unordered_map<ExprId, ExprId> without_empty_;
  std::uint32_t max_depth_ = 0;
  std::vector<std::uint32_t> visited_;  // scratch of reachable(): the visit that last came by
  std::uint32_t visit_ = 0;
};

// One rule while the grammar is being built and normalised.
struct RuleBody {
  std::string name;
  std::optional<BodyId> body;
};

// Per body and per rule: a least fixpoint.
struct BodyFacts {
  std::vector<bool> body;
  std::vector<bool> rule;
  std::vector<RuleId> order;  // the rules that hold, in the order they were found to: dependencies come first
};

// The least solution of: an expression holds if leaf(e); a reference if its rule's body does; a sequence if all parts
// do; a choice if any part does (all_of_choice: all); a repetition if the part does (or if it may be left out, unless
// all_of_choice). Linear.
BodyFacts solve(const BodyPool& pool, std::span<const RuleBody> rules, const std::function<bool(ExprId)>& leaf,
                bool all_of_choice);

// Rules reachable from `start` through bodies, in order of discovery.
std::vector<RuleId> reachable_rules(const BodyPool& pool, std::span<const RuleBody> rules, RuleId start);

// `body` with every leaf (expression or reference) for which replace(leaf) gives a body replaced by that body; parts
// fold again.
using Replacement = std::function<std::optional<BodyId>(const Body& leaf)>;
BodyId substitute(BodyPool& pool, BodyId body, const Replacement& replace);

// Rewrites a rule that calls itself at an end of an alternative,
//   A = A a A | A g | d A | b   into   A = x (a x)*   with   x = d* b g*,
// which matches the same texts (both sides are the least solution of the same equation) without growing a parse stack.
// Nothing if the rule has no such alternative. Precondition: every part of the body matches something.
std::optional<BodyId> rewrite_self_recursion(BodyPool& pool, RuleId rule, BodyId body);

}  // namespace weir::detail
