// What the parsers of EBNF, GBNF and Lark collect while they read. Private to grammar/text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "text/syntax_tree.hpp"
#include "weir/grammar/code_points.hpp"
#include "weir/grammar/limits.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

// Leaves the parse; read_syntax_tree makes an Error of it.
struct SyntaxFailure {
  ErrorCode code;
  const char* where;
  std::string message;
};

[[noreturn]] inline void fail_syntax(ErrorCode code, const char* where, std::string message) {
  throw SyntaxFailure{code, where, std::move(message)};
}

// The tree under construction, and what the token being read has given so far.
struct SyntaxReader {
  // Each level of brackets takes about 2 KB of stack, ten times that under a sanitizer.
  static constexpr std::uint32_t kDeepest = 1000;

  SyntaxReader(std::string_view grammar, const Limits& bounds) : text(grammar), limits(bounds), token(grammar.data()) {
    limits.max_depth = std::min(limits.max_depth, kDeepest);
  }

  std::string_view text;
  Limits limits;
  SyntaxTree tree;
  bool iso = false;         // EBNF: in a rule written with `=`
  std::uint32_t depth = 0;  // of brackets
  const char* token;        // where the literal or class being read begins
  std::string literal;
  std::vector<CodePointRange> ranges;
  bool negated = false;
  std::uint32_t min = 0;
  std::uint32_t max = 0;

  std::uint32_t offset_of(const char* place) const { return static_cast<std::uint32_t>(place - text.data()); }

  void begin_rule(std::string_view name, std::uint32_t offset) {
    if (tree.rules.size() >= limits.max_rules) {
      fail_syntax(
          ErrorCode::kLimit, text.data() + offset,
          fmt::format("the grammar has more than Limits::max_rules = {} rules; raise the limit", limits.max_rules));
    }
    tree.rules.push_back({name, offset, 0, static_cast<SyntaxNodeId>(tree.nodes.size())});
  }

  SyntaxNodeId add(const SyntaxNode& node) {
    if (tree.nodes.size() >= limits.max_expressions) {
      fail_syntax(ErrorCode::kLimit, text.data() + node.offset,
                  fmt::format("the grammar has more than Limits::max_expressions = {} items; raise the limit",
                              limits.max_expressions));
    }
    tree.nodes.push_back(node);
    return static_cast<SyntaxNodeId>(tree.nodes.size() - 1);
  }
  SyntaxNodeId add_parent(SyntaxKind kind, std::span<const SyntaxNodeId> children) {
    if (children.size() == 1 && kind != SyntaxKind::kRepeat && kind != SyntaxKind::kComplement) return children[0];
    SyntaxNode node;
    node.kind = kind;
    node.offset = children.empty() ? 0 : tree.nodes[children[0]].offset;
    node.first = static_cast<std::uint32_t>(tree.children.size());
    node.count = static_cast<std::uint32_t>(children.size());
    node.min = min;
    node.max = max;
    tree.children.insert(tree.children.end(), children.begin(), children.end());
    return add(node);
  }
  SyntaxNodeId add_repeat(SyntaxNodeId child, std::uint32_t least, std::uint32_t most) {
    min = least;
    max = most;
    return add_parent(SyntaxKind::kRepeat, {&child, 1});
  }
  SyntaxNodeId add_literal(SyntaxKind kind = SyntaxKind::kLiteral) {
    tree.literals.push_back(std::move(literal));
    literal.clear();
    return add({kind, offset_of(token), static_cast<std::uint32_t>(tree.literals.size() - 1), 1, 0, 0});
  }
  SyntaxNodeId add_class() {
    CodePointSet set = CodePointSet::of(ranges);
    tree.sets.push_back(negated ? set.complement() : std::move(set));
    return add({SyntaxKind::kClass, offset_of(token), static_cast<std::uint32_t>(tree.sets.size() - 1), 1, 0, 0});
  }
  void open_class(const char* place) {
    token = place;
    ranges.clear();
    negated = false;
  }
};

}  // namespace weir
