// The syntax tree of an EBNF text: what is written, before names mean anything. Private to grammar/text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/grammar/code_points.hpp"
#include "weir/grammar/limits.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

enum class EbnfKind : std::uint8_t {
  kLiteral,    // first: index into EbnfTree::literals
  kClass,      // first: index into EbnfTree::sets
  kName,       // [first, first + count) in the text
  kSequence,   // children
  kChoice,     // children
  kRepeat,     // one child, min..max times
  kException,  // two children: what the first matches and the second does not
};

using EbnfNodeId = std::uint32_t;

struct EbnfNode {
  EbnfKind kind = EbnfKind::kSequence;
  std::uint32_t offset = 0;  // in the text
  std::uint32_t first = 0;   // children: EbnfTree::children[first, first + count)
  std::uint32_t count = 0;
  std::uint32_t min = 0;
  std::uint32_t max = 0;  // kUnbounded: no limit
};

struct EbnfRule {
  std::string_view name;
  std::uint32_t offset = 0;
  EbnfNodeId body = 0;
  EbnfNodeId first_node = 0;  // nodes [first_node, body] are those of this rule
};

// Children stand before their parents, so nobody needs to recurse. Views point into the text.
struct EbnfTree {
  std::vector<EbnfRule> rules;
  std::vector<EbnfNode> nodes;
  std::vector<EbnfNodeId> children;
  std::vector<std::string> literals;
  std::vector<CodePointSet> sets;

  std::span<const EbnfNodeId> children_of(const EbnfNode& node) const {
    return std::span<const EbnfNodeId>(children).subspan(node.first, node.count);
  }
};

// Precondition: `text` is well-formed UTF-8 of less than 2^32 bytes. At most limits.max_expressions nodes and
// limits.max_rules rules; groups nest at most limits.max_depth deep.
Result<EbnfTree> parse_ebnf_tree(std::string_view text, const Limits& limits);

}  // namespace weir
