#include "weir/grammar/detail/common.hpp"

#include "schema/number.hpp"

namespace weir::detail {

CommonExpressions install_common_expressions(ExprArena& arena) {
  CommonExpressions common;
  common.any_text = arena.any_text();
  common.number = any_number(arena);
  common.scalar =
      arena.alternate({common.number, arena.literal("true"), arena.literal("false"), arena.literal("null")});
  NumberBounds whole;
  whole.integer = true;
  if (const auto integer = number_expression(arena, whole)) common.integer = *integer;
  static_cast<void>(arena.alternate({arena.literal("true"), arena.literal("false")}));
  // Walking every state once interns all derivatives, in an order that depends on nothing else.
  for (ExprId e = 0; e < arena.size(); ++e) {
    for (unsigned b = 0; b < 256; ++b) static_cast<void>(arena.step(e, static_cast<std::uint8_t>(b)));
  }
  common.limit = static_cast<ExprId>(arena.size());
  return common;
}

}  // namespace weir::detail
