// Exact decimals, and sets of numbers as expressions over their JSON spellings. Private to grammar/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weir/grammar/expr.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

// sign * 0.d1d2d3... * 10^exponent with d1 != 0; zero has no digits. Any size, never a double.
struct Decimal {
  bool negative = false;
  std::string digits;         // '0'..'9', no leading and no trailing zero
  std::int64_t exponent = 0;  // 1 = "0.1e1": digits "1", exponent 1. Zero: 0

  // A JSON number (RFC 8259), such as -12.50e3. nullopt: not one, or an exponent beyond +-10^9.
  static std::optional<Decimal> parse(std::string_view json_number);
  bool is_integer() const { return static_cast<std::int64_t>(digits.size()) <= exponent || digits.empty(); }
  int compare(const Decimal& other) const;  // <0, 0, >0
  friend bool operator==(const Decimal&, const Decimal&) = default;
  // Plain decimal notation without exponent where that has at most 400 characters, else d.ddde±n.
  std::string to_string() const;
};

struct NumberBounds {
  std::optional<Decimal> minimum;
  std::optional<Decimal> maximum;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  bool integer = false;  // only whole numbers: 3, 3.0, 30e-1 (JSON Schema draft 6 and later); see lexical_integer
  bool lexical_integer = false;  // draft 4: a whole number is one written without fraction and exponent
};

// The JSON spellings (RFC 8259 number) of the numbers within the bounds, exactly. Exponents are read too; where an
// exact treatment of every exponent would need an unbounded automaton, see number.cpp for what is offered.
// kUnsatisfiable sets give kEmptyExpr, not an error. Errors: kLimit for bounds of more than 10,000 digits.
Result<ExprId> number_expression(ExprArena& arena, const NumberBounds& bounds);

// All JSON spellings of the numbers equal to `value` (1, 1.0, 10e-1, ...).
Result<ExprId> number_equal_to(ExprArena& arena, const Decimal& value);

// Any JSON number.
ExprId any_number(ExprArena& arena);

}  // namespace weir
