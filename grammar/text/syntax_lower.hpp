// From a text in EBNF, GBNF or Lark to a grammar. Private to grammar/text.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "text/syntax_tree.hpp"
#include "weir/grammar/grammar.hpp"
#include "weir/grammar/limits.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

struct NotationOptions {
  std::string_view start;  // empty: the first of default_starts that is defined
  std::span<const std::string_view> default_starts;
  bool else_first = false;  // and if none is, the first rule
  const Limits& limits;
  std::shared_ptr<ExprArena> arena;  // null: a new one
};

// Precondition: `text` is well-formed UTF-8 of less than 2^32 bytes. At most limits.max_expressions nodes and
// limits.max_rules rules; groups nest at most limits.max_depth deep.
using TreeParser = Result<SyntaxTree> (*)(std::string_view text, const Limits& limits);

// Checks the text's size and encoding, parses it, gives names their meaning, and builds the grammar.
Result<Grammar> parse_notation(std::string_view text, TreeParser parse, const NotationOptions& options);

}  // namespace weir
