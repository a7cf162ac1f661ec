// The `format` keyword of JSON Schema as expressions over the decoded text of the string. Private to grammar/.
#pragma once

#include <cstdint>
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
  // When kExact. Texts that have the format: every one of them does. This is what to generate from.
  ExprId expression = kEmptyExpr;
  // Holds every text that has the format: complement this one for `not`, and prove disjointness with it. The same as
  // `expression`, except that `expression` leaves out what no small automaton tells right from wrong:
  //  - hostname, email, idn-email: labels that begin with xn--, whose Punycode would have to be decoded;
  //  - time, date-time: leap seconds whose UTC offset does not end in :00, :30 or :45;
  //  - idn-email: internationalised labels with right-to-left scripts or characters that IDNA allows in context only.
  ExprId superset = kEmptyExpr;
};

// `format` of drafts 4 to 2020-12. Builds anew at each call (hash-consing gives the same ids): keep what it returns.
FormatExpression format_expression(ExprArena& arena, std::string_view format);

}  // namespace weir
