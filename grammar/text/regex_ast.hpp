// The syntax tree of an ECMA-262 pattern. Private to grammar/text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/regex.hpp"
#include "weir/grammar/code_points.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

enum class RegexKind : std::uint8_t {
  kClass,   // one code point of a set; the set may be empty
  kConcat,  // no children: the empty text
  kAlternate,
  kRepeat,  // one child, min..max times; greedy and lazy alike, for they match the same texts
  // Assertions. They match the empty text where their condition holds.
  kTextStart,     // ^
  kTextEnd,       // $
  kWordBoundary,  // \b, \B when negated
  kLookAhead,     // (?=child), (?!child) when negated
  kLookBehind,    // (?<=child), (?<!child) when negated
};

using RegexNodeId = std::uint32_t;

struct RegexNode {
  RegexKind kind = RegexKind::kConcat;
  bool negated = false;      // of an assertion
  std::uint32_t offset = 0;  // of the construct's first byte in the pattern
  std::uint32_t set = 0;     // kClass: index into RegexTree::sets
  std::uint32_t min = 0;
  std::uint32_t max = 0;  // kUnbounded: no limit
  std::vector<RegexNodeId> children;
};

// Children stand before their parents. The depth is bounded by PatternOptions::max_depth, so recursion is safe.
struct RegexTree {
  std::vector<RegexNode> nodes;
  std::vector<CodePointSet> sets;
  RegexNodeId root = 0;
};

// A set of so many ranges is worth looking up by its content.
inline constexpr std::size_t kManyRanges = 16;

// The content of a set, in few bytes: the distances between the ends of its ranges, seven bits a byte.
std::string class_key(const CodePointSet& set);

// An error at byte `offset` of the pattern: line 1, the column in code points.
Error error_in_pattern(ErrorCode code, std::string_view pattern, std::size_t offset, std::string message);

Result<RegexTree> parse_regex_tree(std::string_view pattern, const PatternOptions& options);

}  // namespace weir
