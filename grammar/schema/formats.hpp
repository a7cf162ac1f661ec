// The `format` keyword of JSON Schema as expressions over the decoded text of the string. Private to grammar/.
#pragma once

#include <optional>
#include <string_view>

#include "weir/grammar/expr.hpp"

namespace weir {

enum class FormatSupport : std::uint8_t {
  kUnknown,      // not a format of any draft: an annotation
  kExact,        // asserted, as an expression
  kUnsupported,  // a format of the specification that is not (yet) an expression: the compile must fail
};

struct FormatExpression {
  FormatSupport support = FormatSupport::kUnknown;
  ExprId expression = kEmptyExpr;  // when kExact: well-formed UTF-8 texts that have the format
};

FormatExpression format_expression(ExprArena& arena, std::string_view format);

}  // namespace weir
