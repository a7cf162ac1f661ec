#include "text/regex.hpp"

#include <fmt/format.h>

#include "text/regex_ast.hpp"
#include "text/regex_compiler.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir {

Result<ExprId> parse_pattern(ExprArena& arena, std::string_view pattern, const PatternOptions& options) {
  Result<RegexTree> tree = parse_regex_tree(pattern, options);
  if (!tree) return tree.error();
  Result<ExprId> expression = RegexCompiler(arena, std::move(*tree), pattern).compile(options.search);
  if (expression && arena.exhausted()) {
    return error_in_pattern(ErrorCode::kLimit, pattern, 0,
                            "the pattern needs more expressions than max_expressions allows; simplify it");
  }
  return expression;
}

Result<Grammar> parse_regex(std::string_view pattern, const RegexOptions& options) {
  if (pattern.size() > options.limits.max_text_bytes) {
    return error_in_pattern(ErrorCode::kLimit, pattern, 0,
                            fmt::format("the pattern has {} bytes, more than max_text_bytes ({})", pattern.size(),
                                        options.limits.max_text_bytes));
  }
  const auto arena = options.arena ? options.arena : std::make_shared<ExprArena>(options.limits);
  PatternOptions pattern_options;
  pattern_options.search = options.search;
  pattern_options.max_depth = options.limits.max_depth;
  pattern_options.max_repeat = options.limits.max_repeat;
  const Result<ExprId> expression = parse_pattern(*arena, pattern, pattern_options);
  if (!expression) return expression.error();
  if (arena->is_empty(*expression)) {
    return error_in_pattern(ErrorCode::kUnsatisfiable, pattern, 0, "no text matches this pattern");
  }
  return Grammar::from_expression(arena, *expression);
}

}  // namespace weir
