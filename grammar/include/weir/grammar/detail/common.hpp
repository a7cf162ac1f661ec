// Expressions that every grammar of JSON uses. Installed first in an arena they get the same ids, and their automata
// the same states, in every arena: tables made for one serve all. Internal to the library.
#pragma once

#include "weir/grammar/expr.hpp"

namespace weir::detail {

struct CommonExpressions {
  ExprId any_text = kEmptyExpr;
  ExprId number = kEmptyExpr;
  ExprId scalar = kEmptyExpr;  // number, true, false or null
  ExprId limit = 0;            // ids below are common
};

// Precondition: nothing else was built in the arena before.
CommonExpressions install_common_expressions(ExprArena& arena);

}  // namespace weir::detail
