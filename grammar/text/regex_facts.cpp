// What is known of the parts of a pattern before it is compiled, and its parts without assertions.
#include <algorithm>
#include <string>

#include "text/regex_classes.hpp"
#include "text/regex_compiler.hpp"
#include "weir/grammar/detail/utf8.hpp"

namespace weir {
namespace {

constexpr std::size_t kMaxClasses = 32;

}  // namespace

void RegexCompiler::compute_facts() {
  for (RegexNodeId id = 0; id < tree_.nodes.size(); ++id) facts_.push_back(facts_of(tree_.nodes[id]));
}

RegexCompiler::Facts RegexCompiler::facts_of(const RegexNode& node) const {
  Facts f;
  const bool assertion = node.kind >= RegexKind::kTextStart;
  f.nullable = node.kind == RegexKind::kConcat || node.kind == RegexKind::kRepeat;
  for (const RegexNodeId child : node.children) {
    const Facts& c = facts_[child];
    f.plain = f.plain && c.plain;
    f.right = f.right || c.right;
    f.left = f.left || c.left;
    f.deep_ahead = f.deep_ahead || c.deep_ahead;
    f.deep_behind = f.deep_behind || c.deep_behind;
    f.nullable = node.kind == RegexKind::kAlternate ? f.nullable || c.nullable : f.nullable && c.nullable;
  }
  if (node.kind == RegexKind::kRepeat) f.nullable = f.nullable || node.min == 0;
  if (assertion) {
    f.plain = false;
    f.nullable = false;
    f.right = f.right || node.kind == RegexKind::kTextEnd || node.kind == RegexKind::kWordBoundary ||
              node.kind == RegexKind::kLookAhead;
    f.left = f.left || node.kind == RegexKind::kTextStart || node.kind == RegexKind::kWordBoundary ||
             node.kind == RegexKind::kLookBehind;
    if (node.kind == RegexKind::kLookAhead) f.deep_ahead = !condition(node.children.front(), true);
    if (node.kind == RegexKind::kLookBehind) f.deep_behind = !condition(node.children.front(), false);
  }
  return f;
}

RegexNodeId RegexCompiler::add_node(RegexNode node) {
  facts_.push_back(facts_of(node));
  tree_.nodes.push_back(std::move(node));
  return static_cast<RegexNodeId>(tree_.nodes.size() - 1);
}

RegexNodeId RegexCompiler::any_characters() {
  RegexNode character;
  character.kind = RegexKind::kClass;
  character.set = static_cast<std::uint32_t>(tree_.sets.size());
  tree_.sets.push_back(CodePointSet::all());
  RegexNode star;
  star.kind = RegexKind::kRepeat;
  star.max = kUnbounded;
  star.children.push_back(add_node(std::move(character)));
  return add_node(std::move(star));
}

std::optional<RegexCompiler::Condition> RegexCompiler::condition(RegexNodeId id, bool ahead) const {
  const RegexNode& node = tree_.nodes[id];
  const auto is_slack = [&](RegexNodeId child) { return facts_[child].plain && facts_[child].nullable; };
  if (is_slack(id)) return Condition{CodePointSet::all(), true};
  switch (node.kind) {
    case RegexKind::kClass: return Condition{tree_.sets[node.set], false};
    case RegexKind::kTextStart:
    case RegexKind::kTextEnd:
      if (ahead != (node.kind == RegexKind::kTextEnd)) return std::nullopt;
      return Condition{{}, true};
    case RegexKind::kRepeat:
      if (node.min != 1 || !facts_[id].plain) return std::nullopt;
      return condition(node.children.front(), ahead);
    case RegexKind::kConcat: {
      // All but the part next to the place itself must be slack; and `x*^` is not `^`.
      const RegexNodeId near = ahead ? node.children.front() : node.children.back();
      const auto far_begin = node.children.begin() + (ahead ? 1 : 0);
      if (!std::all_of(far_begin, far_begin + static_cast<std::ptrdiff_t>(node.children.size()) - 1, is_slack) ||
          is_slack(near) || (!facts_[near].plain && node.children.size() > 1)) {
        return std::nullopt;
      }
      return condition(near, ahead);
    }
    case RegexKind::kAlternate: {
      Condition all;
      for (const RegexNodeId child : node.children) {
        const auto one = condition(child, ahead);
        if (!one) return std::nullopt;
        all.set = all.set.united(one->set);
        all.at_edge = all.at_edge || one->at_edge;
      }
      return all;
    }
    default: return std::nullopt;
  }
}

void RegexCompiler::find_classes() {
  std::vector<CodePointSet> left{CodePointSet::all()};
  std::vector<CodePointSet> right{CodePointSet::all()};
  const auto split = [](std::vector<CodePointSet>& parts, const CodePointSet& set) {
    std::vector<CodePointSet> finer;
    for (const CodePointSet& part : parts) {
      for (CodePointSet piece : {part.intersected(set), part.minus(set)}) {
        if (!piece.empty()) finer.push_back(std::move(piece));
      }
    }
    parts = std::move(finer);
  };
  for (const RegexNode& node : tree_.nodes) {
    if (node.kind == RegexKind::kWordBoundary) {
      split(left, regex_word_characters());
      split(right, regex_word_characters());
    } else if (node.kind == RegexKind::kLookAhead || node.kind == RegexKind::kLookBehind) {
      const bool ahead = node.kind == RegexKind::kLookAhead;
      if (const auto asked = condition(node.children.front(), ahead)) split(ahead ? right : left, asked->set);
    }
    if (left.size() > kMaxClasses || right.size() > kMaxClasses) {
      fail(ErrorCode::kLimit, node, "too many different look-arounds; split the pattern into several");
      return;
    }
  }
  left_.emplace_back();
  if (facts_[tree_.root].left) left_.insert(left_.end(), left.begin(), left.end());
  right_.emplace_back();
  right_.insert(right_.end(), right.begin(), right.end());
}

RegexNodeId RegexCompiler::without_leading_slack(RegexNodeId id) {
  RegexNode node = tree_.nodes[id];
  if (facts_[id].plain && facts_[id].nullable) return add_node(RegexNode{});
  switch (node.kind) {
    case RegexKind::kAlternate:
      for (RegexNodeId& child : node.children) child = without_leading_slack(child);
      return add_node(std::move(node));
    case RegexKind::kConcat: {
      auto first = std::find_if(node.children.begin(), node.children.end(),
                                [&](RegexNodeId child) { return !(facts_[child].plain && facts_[child].nullable); });
      node.children.erase(node.children.begin(), first);
      node.children.front() = without_leading_slack(node.children.front());
      return add_node(std::move(node));
    }
    case RegexKind::kRepeat:
      if (!facts_[id].plain) return id;
      if (node.min == 1) return without_leading_slack(node.children.front());
      node.max = node.min;
      return add_node(std::move(node));
    default: return id;
  }
}

ExprId RegexCompiler::without_trailing_slack(RegexNodeId id) {
  const RegexNode& node = tree_.nodes[id];
  if (facts_[id].nullable) return kEpsilonExpr;
  switch (node.kind) {
    case RegexKind::kConcat: {
      std::size_t count = node.children.size();
      while (facts_[node.children[count - 1]].nullable) --count;
      std::vector<ExprId> parts;
      for (std::size_t i = 0; i + 1 < count; ++i) parts.push_back(expr(node.children[i]));
      parts.push_back(without_trailing_slack(node.children[count - 1]));
      return arena_.concat(parts);
    }
    case RegexKind::kAlternate: {
      std::vector<ExprId> parts;
      for (const RegexNodeId child : node.children) parts.push_back(without_trailing_slack(child));
      return arena_.alternate(parts);
    }
    case RegexKind::kRepeat: {
      const RegexNodeId body = node.children.front();
      return arena_.concat(arena_.repeat(expr(body), node.min - 1, node.min - 1), without_trailing_slack(body));
    }
    default: return expr(id);
  }
}

std::optional<std::string> RegexCompiler::literal_of(RegexNodeId id) const {
  const RegexNode& node = tree_.nodes[id];
  std::string text;
  const auto append = [&](const RegexNode& n) {
    if (n.kind != RegexKind::kClass) return false;
    const auto ranges = tree_.sets[n.set].ranges();
    if (ranges.size() != 1 || ranges.front().first != ranges.front().last) return false;
    append_utf8(text, ranges.front().first);
    return true;
  };
  if (node.kind == RegexKind::kConcat) {
    for (const RegexNodeId child : node.children) {
      if (!append(tree_.nodes[child])) return std::nullopt;
    }
    return text;
  }
  if (!append(node)) return std::nullopt;
  return text;
}

// One code point of the set. Sets of many ranges, such as \w of Unicode, take long to build; the arena keeps them.
ExprId RegexCompiler::class_expr(const CodePointSet& set) {
  if (set.ranges().size() < kManyRanges) return arena_.code_points(set);
  const std::string name = "class " + class_key(set);
  if (const auto known = arena_.find_named(name)) return *known;
  const ExprId e = arena_.code_points(set);
  arena_.remember(name, e);
  return e;
}

ExprId RegexCompiler::expr(RegexNodeId id) {
  if (facts_[id].known) return facts_[id].expr;
  const RegexNode& node = tree_.nodes[id];
  ExprId e = kEmptyExpr;
  std::vector<ExprId> parts;
  switch (node.kind) {
    case RegexKind::kClass: e = class_expr(tree_.sets[node.set]); break;
    case RegexKind::kConcat:
      for (const RegexNodeId child : node.children) parts.push_back(expr(child));
      e = arena_.concat(parts);
      break;
    case RegexKind::kAlternate: {
      std::vector<std::string> literals;
      for (const RegexNodeId child : node.children) {
        if (auto literal = literal_of(child)) {
          literals.push_back(std::move(*literal));
        } else {
          parts.push_back(expr(child));
        }
      }
      if (!literals.empty()) parts.push_back(arena_.literals(literals));
      e = arena_.alternate(parts);
      break;
    }
    case RegexKind::kRepeat: e = arena_.repeat(expr(node.children.front()), node.min, node.max); break;
    default: break;  // assertions are not plain
  }
  facts_[id].expr = e;
  facts_[id].known = true;
  return e;
}

ExprId RegexCompiler::ending_in(RegexNodeId id, const CodePointSet& set) {
  const RegexNode& node = tree_.nodes[id];
  const bool any = set == CodePointSet::all();
  if (any && !facts_[id].nullable) return expr(id);
  switch (node.kind) {
    case RegexKind::kClass: return arena_.code_points(tree_.sets[node.set].intersected(set));
    case RegexKind::kConcat: {
      std::vector<ExprId> parts;
      for (std::size_t i = node.children.size(); i-- > 0;) {
        std::vector<ExprId> sequence;
        for (std::size_t j = 0; j < i; ++j) sequence.push_back(expr(node.children[j]));
        sequence.push_back(ending_in(node.children[i], set));
        parts.push_back(arena_.concat(sequence));
        if (!facts_[node.children[i]].nullable) break;
      }
      return arena_.alternate(parts);
    }
    case RegexKind::kAlternate: {
      std::vector<ExprId> parts;
      for (const RegexNodeId child : node.children) parts.push_back(ending_in(child, set));
      return arena_.alternate(parts);
    }
    case RegexKind::kRepeat: {
      if (node.max == 0) return kEmptyExpr;
      const std::uint32_t fewer = node.max == kUnbounded ? kUnbounded : node.max - 1;
      const RegexNodeId body = node.children.front();
      return arena_.concat(arena_.repeat(expr(body), std::max(node.min, 1U) - 1, fewer), ending_in(body, set));
    }
    default: return kEmptyExpr;
  }
}

}  // namespace weir
