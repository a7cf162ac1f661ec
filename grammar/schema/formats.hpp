// The `format` keyword of JSON Schema as expressions over the decoded text of the string. Private to grammar/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schema/number.hpp"
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
  //  - idn-email, idn-hostname: internationalised labels with right-to-left scripts, characters that IDNA allows in
  //    context only, more than 14 characters, or more than three others beside them;
  //  - regex: see format_regex.hpp;
  //  - byte: base64 whose last digit has bits that no octet takes.
  ExprId superset = kEmptyExpr;
};

// `format` of drafts 4 to 2020-12. Each call looks every part up in the arena: keep what it returns. The first call for
// a format in a process builds it, which takes up to some milliseconds. May be called by any number of threads at once,
// for different arenas.
FormatExpression format_expression(ExprArena& arena, std::string_view format);

// The same from the arena's memory, or to be kept there. May be called while others match.
FormatExpression known_format(ExprArena& arena, std::string_view format);

FormatSupport format_support(std::string_view format);

// The formats of OpenAPI that speak of texts: byte, which is base64. No draft has them, and what is valid in the wild
// does not keep to them ("caBundle": "-----BEGIN CERTIFICATE-----..."), so they are kUnknown above. kUnknown: none.
FormatExpression openapi_format(ExprArena& arena, std::string_view format);

// The numbers of the formats of OpenAPI that speak of numbers: int32, int64, float, double. Texts have each of them, as
// numbers have each of the formats above. For `not`: a number does not have the format if it is beyond the bounds or,
// where `integer` is set, no multiple of 1 (number_multiple_of); NumberBounds::integer itself is not to be
// complemented.
std::optional<NumberBounds> format_bounds(std::string_view format);

// Builds the formats that schemas use most now rather than at the first calls: a millisecond or two, once in a process.
void prepare_formats();

}  // namespace weir
