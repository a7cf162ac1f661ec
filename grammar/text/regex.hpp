// A regular expression in ECMA-262 syntax, as an expression of the arena. Private to grammar/.
#pragma once

#include <string_view>

#include "weir/grammar/expr.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

struct PatternOptions {
  bool search = false;  // true: the pattern may match anywhere in the text, as in JSON Schema
  std::uint32_t max_depth = 512;
  std::uint32_t max_repeat = 1U << 20U;
};

// The texts (well-formed UTF-8) that `pattern` matches. Errors carry line 1 and the column in the pattern.
Result<ExprId> parse_pattern(ExprArena& arena, std::string_view pattern, const PatternOptions& options);

}  // namespace weir
