// Divisibility of decimals of any size, by long division.
#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "schema/number.hpp"

namespace weir {
namespace {

using BigInt = boost::multiprecision::cpp_int;

constexpr std::int64_t kMaxDigits = 10'000;

// A decimal is m * 10^power.
BigInt digits_of(const Decimal& value) { return value.digits.empty() ? BigInt(0) : BigInt(value.digits); }
std::int64_t power_of(const Decimal& value) { return value.exponent - static_cast<std::int64_t>(value.digits.size()); }

// So many factors 10 hold all factors 2 and 5 of m: each of its digits stands for less than four.
std::int64_t enough_zeros(const Decimal& value) { return 4 * static_cast<std::int64_t>(value.digits.size()); }

BigInt power_of_ten(std::int64_t n) { return boost::multiprecision::pow(BigInt(10), static_cast<unsigned>(n)); }

// Precondition: m > 0.
Decimal decimal_of(const BigInt& m, std::int64_t power) {
  Decimal out;
  out.digits = m.str();
  out.exponent = static_cast<std::int64_t>(out.digits.size()) + power;
  out.digits.erase(out.digits.find_last_not_of('0') + 1);
  return out;
}

bool too_long(const Decimal& value) {
  return std::max({value.exponent, -value.exponent, -power_of(value)}) > kMaxDigits ||
         static_cast<std::int64_t>(value.digits.size()) > kMaxDigits;
}

// The numbers q with minimum <= q * divisor <= maximum. Precondition: none is too_long.
struct Quotients {
  BigInt first;
  BigInt last;

  Quotients(const Decimal& divisor, const NumberBounds& bounds) {
    const std::int64_t power = std::min({power_of(divisor), power_of(*bounds.minimum), power_of(*bounds.maximum)});
    const auto scaled = [&](const Decimal& value) {
      BigInt m = digits_of(value) * power_of_ten(value.digits.empty() ? 0 : power_of(value) - power);
      return value.negative ? BigInt(-m) : m;
    };
    const BigInt d = scaled(divisor);
    // cpp_int rounds towards zero.
    const auto floor = [&d](const BigInt& n) { return n < 0 ? BigInt((n - d + 1) / d) : BigInt(n / d); };
    const BigInt low = scaled(*bounds.minimum) + (bounds.exclusive_minimum ? 1 : 0);
    const BigInt high = scaled(*bounds.maximum) - (bounds.exclusive_maximum ? 1 : 0);
    first = floor(low + d - 1);
    last = floor(high);
  }
};

}  // namespace

bool is_multiple(const Decimal& value, const Decimal& divisor) {
  if (value.digits.empty()) return true;
  // Its last digit is not 0, so that nothing smaller than that digit's place divides into what is larger.
  const std::int64_t zeros = power_of(value) - power_of(divisor);
  if (zeros < 0) return false;
  const BigInt m = digits_of(divisor);
  BigInt remainder = 0;
  constexpr std::size_t kAtOnce = 18;
  for (std::size_t at = 0; at < value.digits.size(); at += kAtOnce) {
    const std::string_view part = std::string_view(value.digits).substr(at, kAtOnce);
    std::uint64_t number = 0;
    std::from_chars(part.data(), part.data() + part.size(), number);
    remainder = (remainder * power_of_ten(static_cast<std::int64_t>(part.size())) + number) % m;
  }
  for (std::int64_t left = std::min(zeros, enough_zeros(divisor)); left > 0 && remainder != 0; left -= kAtOnce) {
    remainder = remainder * power_of_ten(std::min<std::int64_t>(left, kAtOnce)) % m;
  }
  return remainder == 0;
}

Result<Decimal> least_common_multiple(const Decimal& a, const Decimal& b) {
  if (a.digits.empty() || b.digits.empty()) return make_error(ErrorCode::kArgument, "zero has no multiples but itself");
  if (std::max(a.digits.size(), b.digits.size()) > static_cast<std::size_t>(kMaxDigits)) {
    return make_error(ErrorCode::kLimit, "a multipleOf has more than 10000 digits; use a rounder one");
  }
  if (power_of(a) < power_of(b)) return least_common_multiple(b, a);
  const std::int64_t apart = power_of(a) - power_of(b);
  const std::int64_t factors = std::min(apart, enough_zeros(b));
  const BigInt multiple = boost::multiprecision::lcm(BigInt(digits_of(a) * power_of_ten(factors)), digits_of(b));
  return decimal_of(multiple, power_of(b) + apart - factors);
}

Result<ExprId> number_multiples_within(ExprArena& arena, const Decimal& divisor, const NumberBounds& bounds) {
  if (divisor.negative || divisor.digits.empty()) return number_multiple_of(arena, divisor);  // says what is wrong
  Decimal step = divisor;
  if (bounds.integer) {
    auto whole = least_common_multiple(divisor, *Decimal::parse("1"));
    if (!whole) return whole.error();
    step = std::move(*whole);
  }
  if (bounds.minimum && bounds.maximum && !too_long(step) && !too_long(*bounds.minimum) && !too_long(*bounds.maximum)) {
    const Quotients quotients(step, bounds);
    if (quotients.last - quotients.first < kMaxListedMultiples) {
      std::vector<ExprId> parts;
      for (BigInt q = quotients.first; q <= quotients.last; ++q) {
        Decimal value;
        if (q != 0) value = decimal_of(abs(q) * digits_of(step), power_of(step));
        value.negative = q < 0;
        NumberBounds equal = bounds;
        equal.exclusive_minimum = equal.exclusive_maximum = false;
        equal.minimum = equal.maximum = value;
        const auto e = number_expression(arena, equal);
        if (!e) return e;
        parts.push_back(*e);
      }
      return arena.alternate(parts);
    }
  }
  const auto all = number_multiple_of(arena, step);
  if (!all) return all;
  if (!bounds.minimum && !bounds.maximum && !bounds.integer) return all;
  const auto within = known_number(arena, bounds);
  if (!within) return within;
  return arena.intersect({*all, *within});
}

}  // namespace weir
