#include "weir/grammar/detail/common.hpp"

#include "schema/formats.hpp"
#include "schema/number.hpp"

namespace weir::detail {

CommonExpressions install_common_expressions(ExprArena& arena) {
  prepare_formats();
  CommonExpressions common;
  common.any_text = arena.any_text();
  common.number = any_number(arena);
  common.scalar =
      arena.alternate({common.number, arena.literal("true"), arena.literal("false"), arena.literal("null")});
  static_cast<void>(arena.alternate({arena.literal("true"), arena.literal("false")}));
  for (const bool lexical : {false, true}) {
    NumberBounds integer;
    integer.integer = true;
    integer.lexical_integer = lexical;
    static_cast<void>(known_number(arena, integer));
  }
  static_cast<void>(known_number(arena, {}));
  // Walking every state once interns all derivatives, in an order that depends on nothing else.
  for (ExprId e = 0; e < arena.size(); ++e) static_cast<void>(arena.first_bytes(e));
  common.limit = static_cast<ExprId>(arena.size());
  return common;
}

}  // namespace weir::detail
