// The syntax tree of a grammar in EBNF, GBNF or Lark: what is written, before names mean anything. Private to
// grammar/text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/regex.hpp"
#include "weir/grammar/code_points.hpp"

namespace weir {

enum class SyntaxKind : std::uint8_t {
  kLiteral,          // first: index into SyntaxTree::literals
  kCaselessLiteral,  // the same, in any mix of upper and lower case
  kClass,            // first: index into SyntaxTree::sets
  kPattern,          // first: index into SyntaxTree::patterns
  kName,             // [first, first + count) in the text
  kSequence,         // children
  kChoice,           // children
  kRepeat,           // one child, min..max times
  kException,        // two children: what the first matches and the second does not
  kIntersection,     // children: what all of them match
  kComplement,       // one child: every text that it does not match
};

using SyntaxNodeId = std::uint32_t;

struct SyntaxNode {
  SyntaxKind kind = SyntaxKind::kSequence;
  std::uint32_t offset = 0;  // in the text
  std::uint32_t first = 0;   // children: SyntaxTree::children[first, first + count)
  std::uint32_t count = 0;
  std::uint32_t min = 0;
  std::uint32_t max = 0;  // kUnbounded: no limit
};

struct SyntaxRule {
  std::string_view name;  // empty: a %ignore statement
  std::uint32_t offset = 0;
  SyntaxNodeId body = 0;
  SyntaxNodeId first_node = 0;  // nodes [first_node, body] are those of this rule
  // One lexeme: regular, made of terminals only, and nothing is ignored inside it.
  bool terminal = false;
};

// In Lark the case of a name's first letter tells a terminal from a rule.
constexpr bool is_terminal_name(std::string_view name) {
  const std::size_t letter = name.find_first_not_of('_');
  return letter != std::string_view::npos && name[letter] >= 'A' && name[letter] <= 'Z';
}

// A regular expression.
struct SyntaxPattern {
  std::string_view text;
  PatternFlags flags = {};
  bool imported = false;  // the text is the library's, and not part of the grammar's
};

// Children stand before their parents, so nobody needs to recurse. Views point into the text.
struct SyntaxTree {
  std::vector<SyntaxRule> rules;
  std::vector<SyntaxNode> nodes;
  std::vector<SyntaxNodeId> children;
  std::vector<std::string> literals;
  std::vector<CodePointSet> sets;
  std::vector<SyntaxPattern> patterns;
  bool has_terminals = false;  // the notation tells terminals from rules, by upper-case names

  std::span<const SyntaxNodeId> children_of(const SyntaxNode& node) const {
    return std::span<const SyntaxNodeId>(children).subspan(node.first, node.count);
  }
};

}  // namespace weir
