// A regular expression in ECMA-262 syntax or Lark's, as an expression of the arena. Private to grammar/.
#pragma once

#include <string_view>

#include "weir/grammar/expr.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

enum class PatternDialect : std::uint8_t {
  kEcma,  // docs/regex.md
  kLark,  // docs/lark.md: what Rust's regex crate and Python's re read alike, without assertions
};

// Of the Lark dialect; inside a pattern they may be written (?is-x:...).
struct PatternFlags {
  bool ignore_case = false;  // i: by Unicode's simple case folding
  bool dot_all = false;      // s: `.` matches line feeds too
  bool extended = false;     // x: white space and # comments mean nothing
};

struct PatternOptions {
  bool search = false;  // true: the pattern may match anywhere in the text, as in JSON Schema
  std::uint32_t max_depth = 512;
  std::uint32_t max_repeat = 1U << 20U;
  PatternDialect dialect = PatternDialect::kEcma;
  PatternFlags flags = {};
};

// The texts (well-formed UTF-8) that `pattern` matches. Errors carry line 1 and the column in the pattern.
Result<ExprId> parse_pattern(ExprArena& arena, std::string_view pattern, const PatternOptions& options);

}  // namespace weir
