#include "text/regex.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "text/regex_ast.hpp"
#include "text/regex_compiler.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir {

Error error_in_pattern(ErrorCode code, std::string_view pattern, std::size_t offset, std::string message) {
  pattern = pattern.substr(0, offset);
  const auto column = 1 + std::count_if(pattern.begin(), pattern.end(),
                                        [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  return error_at_line(code, 1, static_cast<std::uint32_t>(column), std::move(message));
}

std::string class_key(const CodePointSet& set) {
  std::string key;
  char32_t last = 0;
  const auto append = [&](char32_t place) {
    char32_t distance = place - std::exchange(last, place);
    for (; distance >= 0x80; distance >>= 7U) key += static_cast<char>(0x80U | (distance & 0x7FU));
    key += static_cast<char>(distance);
  };
  for (const CodePointRange& range : set.ranges()) {
    append(range.first);
    append(range.last);
  }
  return key;
}

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
