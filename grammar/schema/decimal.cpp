#include <algorithm>
#include <charconv>

#include "schema/number.hpp"

namespace weir {
namespace {

constexpr std::int64_t kMaxExponent = 1'000'000'000;
constexpr std::int64_t kMaxPlainLength = 400;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes a run of digits off the front.
std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  const std::string_view run = text.substr(0, count);
  text.remove_prefix(count);
  return run;
}

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view json_number) {
  std::string_view text = json_number;
  Decimal out;
  if (text.starts_with('-')) {
    out.negative = true;
    text.remove_prefix(1);
  }
  const std::string_view whole = take_digits(text);
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return std::nullopt;
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text);
    if (fraction.empty()) return std::nullopt;
  }
  bool negative_exponent = false;
  std::string_view power;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) {
      negative_exponent = text.front() == '-';
      text.remove_prefix(1);
    }
    power = take_digits(text);
    if (power.empty()) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;

  out.digits.reserve(whole.size() + fraction.size());
  out.digits.append(whole).append(fraction);
  const std::size_t first = out.digits.find_first_not_of('0');
  if (first == std::string::npos) return Decimal{};  // also -0 and 0e99: there is one zero
  out.digits.erase(out.digits.find_last_not_of('0') + 1);
  out.digits.erase(0, first);

  power.remove_prefix(std::min(power.find_first_not_of('0'), power.size()));
  std::int64_t value = 0;
  if (power.size() > 10) return std::nullopt;
  std::from_chars(power.data(), power.data() + power.size(), value);
  if (value > kMaxExponent) return std::nullopt;
  out.exponent =
      static_cast<std::int64_t>(whole.size()) - static_cast<std::int64_t>(first) + (negative_exponent ? -value : value);
  return out;
}

Decimal decimal_one() {
  Decimal one;
  one.digits = "1";
  one.exponent = 1;
  return one;
}

int Decimal::compare(const Decimal& other) const {
  const auto sign = [](const Decimal& d) { return d.digits.empty() ? 0 : d.negative ? -1 : 1; };
  const int mine = sign(*this);
  const int theirs = sign(other);
  if (mine != theirs || mine == 0) return mine - theirs;
  if (exponent != other.exponent) return (exponent < other.exponent) == (mine > 0) ? -1 : 1;
  // Neither has trailing zeros, so the order of the digits as text is the order of the numbers.
  const int order = digits.compare(other.digits);
  return order == 0 ? 0 : (order < 0) == (mine > 0) ? -1 : 1;
}

std::string Decimal::to_string() const {
  if (digits.empty()) return "0";
  std::string text = negative ? "-" : "";
  const auto count = static_cast<std::int64_t>(digits.size());
  if (std::max(exponent, count) <= kMaxPlainLength && count - exponent <= kMaxPlainLength - 10) {
    if (exponent <= 0) return text + "0." + std::string(static_cast<std::size_t>(-exponent), '0') + digits;
    if (exponent >= count) return text + digits + std::string(static_cast<std::size_t>(exponent - count), '0');
    return text + digits.substr(0, static_cast<std::size_t>(exponent)) + "." +
           digits.substr(static_cast<std::size_t>(exponent));
  }
  text += digits.front();
  if (count > 1) text += "." + digits.substr(1);
  return text + "e" + std::to_string(exponent - 1);
}

}  // namespace weir
