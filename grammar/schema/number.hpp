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

// 1.
Decimal decimal_one();

struct NumberBounds {
  std::optional<Decimal> minimum;
  std::optional<Decimal> maximum;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  bool integer = false;  // only whole numbers: 3, 3.0, 30e-1 (JSON Schema draft 6 and later); see lexical_integer
  bool lexical_integer = false;  // with `integer`; draft 4: a whole number has neither fraction nor exponent
  friend bool operator==(const NumberBounds&, const NumberBounds&) = default;
};

// The spellings of the numbers within the bounds. A number has endlessly many spellings (1, 1.0, 0.1e1, 10e-1, ...),
// and no finite automaton compares them all with a bound. So sets with a bound, and sets of whole numbers, are exact
// within one family of spellings:
//  - plain: 12, -0, 12.50, with any number of trailing zeros;
//  - scientific with one digit before the point, not 0 unless the number is: 1.25e1, 1E-7, 0.0e3, any exponent. Of
//  whole
//    numbers: one digit alone (2e3), or at most 16 digits after the point and an exponent of at least 16 (1.5e+16), as
//    the shortest spellings of doubles are.
// A spelling outside the family (12e1, 0.5e3, whole 1.5e3) is not offered. So to leave numbers out of a set, intersect
// with the complement of another of these sets only where the first is within the family: number_family() or smaller,
// not any_number().
// Sets that hold no number give kEmptyExpr. Errors: kLimit for bounds that have more than 10,000 digits when written
// without exponent.
Result<ExprId> number_expression(ExprArena& arena, const NumberBounds& bounds);

// The same from the arena's memory, or to be kept there. May be called while others match.
Result<ExprId> known_number(ExprArena& arena, const NumberBounds& bounds);

// The bounds are short, and some number is obviously within: number_expression makes at most 1,024 expressions, which
// are not empty. Precondition: they do not exclude each other.
bool obviously_satisfiable(const NumberBounds& bounds);

// Is the number short enough for number_equal_to? The others have spellings among unwieldy_numbers: all with an
// exponent of four digits, or with more than 5,000 digits.
bool has_plain_spelling(const Decimal& value);
ExprId unwieldy_numbers(ExprArena& arena);

// The spellings in the family of the numbers equal to `value` (1, 1.0, 1e0, ...). Errors: as number_expression.
Result<ExprId> number_equal_to(ExprArena& arena, const Decimal& value);

// --- multipleOf

// Is `value` a whole number of times `divisor`? Exact for any size: exponents are never written out. Zero is a multiple
// of everything. Precondition: divisor is not zero; signs do not matter.
bool is_multiple(const Decimal& value, const Decimal& divisor);

// The least number that is a multiple of both, so that several multipleOf make one automaton instead of a product of
// automata. Signs do not matter. Errors: kArgument for a zero, kLimit for a number of more than 10,000 digits.
Result<Decimal> least_common_multiple(const Decimal& a, const Decimal& b);

// The multiples of a number, whole numbers and fractions alike: 2.5 has 0, -2.5, 5.0, 7.50, 1e1, 2.5e0, ...
// A spelling in multiple_family(divisor) matches exactly if its value is a multiple; no other matches. All plain
// spellings are in that family. So
//  - the multiples within bounds are number_expression(bounds) & number_multiple_of(divisor);
//  - the numbers that are no multiples are multiple_family(divisor) & ~number_multiple_of(divisor), also within bounds
//    (the complement within number_family() would offer multiples outside of the family);
//  - whole numbers, by their values, are the multiples of 1, and fractions the rest of multiple_family(1). The whole
//    numbers of NumberBounds::integer are a smaller family, cheaper to match, which is no set to be complemented.
// Sizes: a state for each remainder that more digits tell apart. m * 10^n takes about m + n states of any n; m is
// cheaper when it holds powers of 2 or 5. Intersected with each other, such automata multiply: take the
// least_common_multiple instead. Errors: kLimit for more than 2,048 such remainders (those by m without its first
// factors 2 and 5, as many as m has digits) or 10,000 digits; kArgument if the divisor is not positive.
Result<ExprId> number_multiple_of(ExprArena& arena, const Decimal& divisor);

// The spellings over which number_multiple_of(divisor) is exact: plain ones, scientific zeros, and scientific ones with
// at most 16 digits after the point; for divisors with significant digits above 256 (such as 2.57, not 2560) with none.
ExprId multiple_family(ExprArena& arena, const Decimal& divisor);

// Between two bounds; so many multiples are listed rather than told by an automaton.
inline constexpr std::uint32_t kMaxListedMultiples = 256;

// The multiples within bounds: what number_multiple_of and number_expression have in common, except that a few
// multiples between two bounds are listed, for which any divisor will do. Of whole numbers (NumberBounds::integer)
// those which are multiples. kEmptyExpr if there are none. Errors: as those of the two.
Result<ExprId> number_multiples_within(ExprArena& arena, const Decimal& divisor, const NumberBounds& bounds);

// The whole family. number_expression without bounds is larger: it is any_number(), unless it is of whole numbers.
ExprId number_family(ExprArena& arena);

// Any JSON number (RFC 8259).
ExprId any_number(ExprArena& arena);

}  // namespace weir
