// What the parser of EBNF texts collects while it reads. Private to grammar/text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "text/ebnf_ast.hpp"
#include "weir/grammar/code_points.hpp"
#include "weir/grammar/limits.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

// Leaves the parse; parse_ebnf_tree makes an Error of it.
struct EbnfFailure {
  ErrorCode code;
  const char* where;
  std::string message;
};

[[noreturn]] inline void fail_ebnf(ErrorCode code, const char* where, std::string message) {
  throw EbnfFailure{code, where, std::move(message)};
}

// The tree under construction, and what the token being read has given so far.
struct EbnfReader {
  std::string_view text;
  const Limits& limits;
  EbnfTree tree;
  bool iso = false;  // in a rule written with `=`
  std::uint32_t depth = 0;
  const char* token = nullptr;  // where the literal or class being read begins
  std::string literal;
  std::vector<CodePointRange> ranges;
  bool negated = false;
  std::uint32_t min = 0;
  std::uint32_t max = 0;

  std::uint32_t offset_of(const char* place) const { return static_cast<std::uint32_t>(place - text.data()); }

  EbnfNodeId add(const EbnfNode& node) {
    if (tree.nodes.size() >= limits.max_expressions) {
      fail_ebnf(ErrorCode::kLimit, text.data() + node.offset,
                fmt::format("the grammar has more than Limits::max_expressions = {} items; raise the limit",
                            limits.max_expressions));
    }
    tree.nodes.push_back(node);
    return static_cast<EbnfNodeId>(tree.nodes.size() - 1);
  }
  EbnfNodeId add_parent(EbnfKind kind, std::span<const EbnfNodeId> children) {
    if (children.size() == 1 && kind != EbnfKind::kRepeat) return children[0];
    EbnfNode node;
    node.kind = kind;
    node.offset = children.empty() ? 0 : tree.nodes[children[0]].offset;
    node.first = static_cast<std::uint32_t>(tree.children.size());
    node.count = static_cast<std::uint32_t>(children.size());
    node.min = min;
    node.max = max;
    tree.children.insert(tree.children.end(), children.begin(), children.end());
    return add(node);
  }
  EbnfNodeId add_repeat(EbnfNodeId child, std::uint32_t least, std::uint32_t most) {
    min = least;
    max = most;
    return add_parent(EbnfKind::kRepeat, {&child, 1});
  }
  EbnfNodeId add_literal() {
    tree.literals.push_back(std::move(literal));
    literal.clear();
    return add({EbnfKind::kLiteral, offset_of(token), static_cast<std::uint32_t>(tree.literals.size() - 1), 1, 0, 0});
  }
  EbnfNodeId add_class() {
    CodePointSet set = CodePointSet::of(ranges);
    tree.sets.push_back(negated ? set.complement() : std::move(set));
    return add({EbnfKind::kClass, offset_of(token), static_cast<std::uint32_t>(tree.sets.size() - 1), 1, 0, 0});
  }
  void open_class(const char* place) {
    token = place;
    ranges.clear();
    negated = false;
  }
};

}  // namespace weir
