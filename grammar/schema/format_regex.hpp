// The format "regex" of JSON Schema: texts that are regular expressions of ECMA-262. Private to grammar/schema.
#pragma once

#include "weir/grammar/expr.hpp"

namespace weir {

// Patterns that are well-formed with and without the flag u. Groups nest eight deep at most, and one of them may have a
// name; left out is what only counting tells right from wrong: back-references, ranges of characters beyond ASCII
// unless written \uXXXX with another first byte, the lower of two numbers of a quantifier above 99.
ExprId regex_expression(ExprArena& arena);

// Holds every pattern that is well-formed with some flags: all in which escapes and classes end, nothing is repeated
// before something stands there, and the first parenthesis opens and the last one closes.
ExprId regex_superset(ExprArena& arena);

}  // namespace weir
