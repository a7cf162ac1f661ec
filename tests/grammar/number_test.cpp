// Sets of numbers against a reference that writes every number out in fixed point and compares digit by digit.
#include "schema/number.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "reference/written_number.hpp"

namespace weir {
namespace {

enum class Kind { kNumber, kInteger, kLexicalInteger };

// Fixed point with 1,200 digits on either side of the point; far more than any number below needs.
struct Reference : reference::WrittenNumber {
  static constexpr int kHalf = 1200;
  std::string fixed = std::string(2 * kHalf, '0');

  explicit Reference(const std::string& text) : WrittenNumber(text) {
    if (!json) return;
    const int shift = power();
    const std::string digits = whole + fraction;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const int place = kHalf - static_cast<int>(whole.size()) + static_cast<int>(i) - shift;
      if (digits[i] != '0') fixed.at(static_cast<std::size_t>(place)) = digits[i];
    }
    if (is_zero()) negative = false;
  }
  bool is_zero() const { return fixed.find_first_not_of('0') == std::string::npos; }
  bool is_whole() const { return fixed.find_first_not_of('0', kHalf) == std::string::npos; }
  friend int compare(const Reference& a, const Reference& b) {
    if (a.negative != b.negative) return a.negative ? -1 : 1;
    const int order = a.fixed.compare(b.fixed);
    return a.negative ? -order : order;
  }
  // The family of spellings that number.hpp promises.
  bool in_family(Kind kind) const {
    const bool plain = exponent.empty();
    if (kind == Kind::kLexicalInteger) return plain && fraction.empty();
    if (plain || is_zero()) return plain || whole == "0";
    if (whole.size() != 1 || whole == "0") return false;
    if (kind == Kind::kNumber || fraction.empty()) return true;
    return fraction.size() <= 16 && std::stoi(exponent) >= 16;
  }
};

struct Bound {
  std::string text;
  bool exclusive = false;
  Reference value = Reference(text);
};

struct Range {
  std::optional<Bound> low, high;
  Kind kind = Kind::kNumber;

  bool holds(const Reference& r) const {
    if (!r.json || !r.in_family(kind) || (kind != Kind::kNumber && !r.is_whole())) return false;
    if (low) {
      const int order = compare(r, low->value);
      if (order < 0 || (order == 0 && low->exclusive)) return false;
    }
    if (high) {
      const int order = compare(r, high->value);
      if (order > 0 || (order == 0 && high->exclusive)) return false;
    }
    return true;
  }
  NumberBounds bounds() const {
    NumberBounds b;
    if (low) {
      b.minimum = Decimal::parse(low->text);
      b.exclusive_minimum = low->exclusive;
    }
    if (high) {
      b.maximum = Decimal::parse(high->text);
      b.exclusive_maximum = high->exclusive;
    }
    b.integer = kind != Kind::kNumber;
    b.lexical_integer = kind == Kind::kLexicalInteger;
    return b;
  }
  std::string show() const {
    const auto bound = [](const std::optional<Bound>& b) { return b ? b->text + (b->exclusive ? " excl" : "") : "-"; };
    return bound(low) + " .. " + bound(high) + " kind " + std::to_string(static_cast<int>(kind));
  }
};

// Every string over the alphabet up to a length, JSON number or not, and spellings of values around the bounds.
const std::vector<std::string>& candidates() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> texts{""};
    const std::string alphabet = "-019.e+";
    for (std::size_t begin = 0, length = 1; length <= 4; ++length) {
      const std::size_t end = texts.size();
      for (; begin < end; ++begin) {
        for (const char c : alphabet) texts.push_back(texts[begin] + c);
      }
    }
    for (const char* number : {"0",
                               "0.5",
                               "0.05",
                               "0.49",
                               "0.51",
                               "1",
                               "1.5",
                               "2",
                               "9",
                               "9.9",
                               "9.98",
                               "9.99",
                               "9.990",
                               "9.991",
                               "10",
                               "10.00",
                               "10.01",
                               "11",
                               "12",
                               "19",
                               "20",
                               "50",
                               "99",
                               "99.9",
                               "99.50",
                               "99.51",
                               "100",
                               "100.0",
                               "100.001",
                               "101",
                               "119",
                               "120",
                               "120.000",
                               "121",
                               "999",
                               "1000",
                               "5e-1",
                               "4.99e-1",
                               "5.01E-01",
                               "5.00e-1",
                               "1e0",
                               "1e+00",
                               "1e-0",
                               "1.0e0",
                               "9.99e0",
                               "9.989e0",
                               "9.9901e0",
                               "9.99e-0",
                               "1e1",
                               "1.0e1",
                               "1e+1",
                               "9.99e1",
                               "9.95e1",
                               "1e2",
                               "1.00e2",
                               "1.2e2",
                               "1.20e2",
                               "1.21e2",
                               "1.19e2",
                               "1.199999e002",
                               "1e3",
                               "1e17",
                               "1.5e16",
                               "1.5e15",
                               "0e0",
                               "0.0e-7",
                               "0E+5",
                               "10e1",
                               "0.5e1",
                               "01",
                               "1.",
                               ".5",
                               "1e",
                               "1e-300",
                               "9.9e+300",
                               "1.1234567890123456e16",
                               "1.12345678901234567e17",
                               "1.1234567890123456e200"}) {
      texts.emplace_back(number);
      texts.push_back(std::string("-") + number);
    }
    return texts;
  }();
  return all;
}

void check(const Range& range, const std::vector<std::string>& texts, const std::vector<Reference>& references) {
  ExprArena arena;
  const auto e = number_expression(arena, range.bounds());
  ASSERT_TRUE(e.ok()) << range.show();
  bool any = false;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool expected = range.holds(references[i]);
    any = any || expected;
    ASSERT_EQ(arena.matches(*e, texts[i]), expected) << '"' << texts[i] << "\" in " << range.show();
  }
  if (any) {
    EXPECT_FALSE(arena.is_empty(*e));
  }
}

std::vector<Reference> references_of(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

const std::array<const char*, 25> kBounds = {"-120", "-100",  "-99.5", "-20",  "-10", "-9.99", "-9",  "-1.5", "-1",
                                             "-0.5", "-0.05", "0",     "0.05", "0.5", "1",     "1.5", "2",    "9",
                                             "9.99", "10",    "20",    "99.5", "100", "120",   "1e-3"};

TEST(NumberTest, OneBoundExhaustively) {
  const auto references = references_of(candidates());
  for (const char* bound : kBounds) {
    for (const bool exclusive : {false, true}) {
      for (const Kind kind : {Kind::kNumber, Kind::kInteger, Kind::kLexicalInteger}) {
        check({Bound{bound, exclusive}, std::nullopt, kind}, candidates(), references);
        check({std::nullopt, Bound{bound, exclusive}, kind}, candidates(), references);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(NumberTest, EveryPairOfBounds) {
  // The words of the alphabet were checked above; here the numbers suffice.
  std::vector<std::string> texts;
  for (const auto& text : candidates()) {
    if (Reference(text).json) texts.push_back(text);
  }
  const auto references = references_of(texts);
  std::mt19937 random(7);
  for (const char* low : kBounds) {
    for (const char* high : kBounds) {
      const unsigned bits = random();
      const Kind kind = std::array{Kind::kNumber, Kind::kInteger, Kind::kLexicalInteger}[bits / 4 % 3];
      check({Bound{low, (bits & 1U) != 0}, Bound{high, (bits & 2U) != 0}, kind}, texts, references);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(NumberTest, EveryWholeNumberAroundEveryPair) {
  std::vector<std::string> texts;
  for (int n = -125; n <= 125; ++n) {
    texts.push_back(std::to_string(n));
    texts.push_back(std::to_string(n) + ".0");
    texts.push_back(std::to_string(n) + ".5");
  }
  const auto references = references_of(texts);
  std::mt19937 random(11);
  for (int low = -120; low <= 120; low += 3) {
    for (int high = low - 2; high <= 120; high += 7) {
      const Kind kind = random() % 2 == 0 ? Kind::kInteger : Kind::kNumber;
      check({Bound{std::to_string(low), random() % 2 == 0}, Bound{std::to_string(high), random() % 2 == 0}, kind},
            texts, references);
      if (HasFatalFailure()) return;
    }
  }
}

std::string random_number(std::mt19937& random, bool exponent) {
  const auto digits = [&](std::size_t most) {
    std::string out;
    for (std::size_t n = random() % (most + 1); n > 0; --n)
      out += "0123456789"[random() % 3 == 0 ? random() % 10 : 9 * (n % 2)];
    return out;
  };
  std::string text = random() % 3 == 0 ? "-" : "";
  text += random() % 5 == 0 ? "0" : std::string(1, "123456789"[random() % 9]) + (exponent ? "" : digits(30));
  if (random() % 2 == 0) text += "." + digits(20) + "5";
  if (exponent)
    text += (random() % 2 == 0 ? "e" : "E") + std::string(random() % 2 == 0 ? "-" : "") + std::to_string(random() % 40);
  return text;
}

TEST(NumberTest, RandomBigBoundsAndNeighbours) {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    Range range;
    const std::string a = random_number(random, round % 4 == 0);
    const std::string b = random_number(random, round % 3 == 0);
    const bool swapped = compare(Reference(a), Reference(b)) > 0;
    if (round % 5 != 0) range.low = Bound{swapped ? b : a, random() % 2 == 0};
    if (round % 7 != 0) range.high = Bound{swapped ? a : b, random() % 2 == 0};
    if (!range.low && !range.high) continue;
    range.kind = std::array{Kind::kNumber, Kind::kInteger, Kind::kLexicalInteger}[random() % 3];
    std::vector<std::string> texts{a, b};
    for (int i = 0; i < 60; ++i) {
      // Half at random, half one digit away from a bound.
      std::string text = random() % 2 == 0 ? random_number(random, random() % 2 == 0) : (random() % 2 == 0 ? a : b);
      if (random() % 2 == 0) text[random() % text.size()] = "0123456789"[random() % 10];
      if (random() % 4 == 0) text += "0";
      texts.push_back(text);
      const Decimal decimal = Decimal::parse(text).value_or(Decimal{});
      texts.push_back(decimal.to_string());
      if (!decimal.digits.empty()) {
        texts.push_back((decimal.negative ? "-" : "") + decimal.digits.substr(0, 1) +
                        (decimal.digits.size() > 1 ? "." + decimal.digits.substr(1) : "") + "e" +
                        std::to_string(decimal.exponent - 1));
      }
    }
    // The reference has room for 1,200 digits on either side.
    std::erase_if(texts, [](const std::string& t) {
      const std::size_t e = t.find_first_of("eE");
      return t.size() > 120 || (e != std::string::npos && t.size() - e > 4);
    });
    check(range, texts, references_of(texts));
    if (HasFatalFailure()) return;
  }
}

TEST(NumberTest, EqualTo) {
  ExprArena arena;
  const auto one = *number_equal_to(arena, *Decimal::parse("1.0"));
  for (const char* text : {"1", "1.0", "1.000", "1e0", "1.0E+00", "1e-0"})
    EXPECT_TRUE(arena.matches(one, text)) << text;
  for (const char* text : {"-1", "1.01", "10", "1e1", "0.99", "01", "1.", ""})
    EXPECT_FALSE(arena.matches(one, text)) << text;
  const auto zero = *number_equal_to(arena, *Decimal::parse("-0"));
  for (const char* text : {"0", "-0", "0.00", "-0.0", "0e17", "0.0E-3", "-0e0"})
    EXPECT_TRUE(arena.matches(zero, text)) << text;
  for (const char* text : {"1", "0.01", "-", "00"}) EXPECT_FALSE(arena.matches(zero, text)) << text;
  const auto small = *number_equal_to(arena, *Decimal::parse("-1.5e-7"));
  for (const char* text : {"-1.5e-7", "-0.00000015", "-1.50e-07"}) EXPECT_TRUE(arena.matches(small, text)) << text;
  EXPECT_FALSE(arena.matches(small, "1.5e-7"));
}

TEST(NumberTest, FamilyAllowsSubtraction) {
  ExprArena arena;
  const ExprId one = *number_equal_to(arena, *Decimal::parse("1"));
  const ExprId rest = arena.intersect({number_family(arena), arena.complement(one)});
  for (const auto& text : candidates()) {
    const Reference r(text);
    const bool expected = r.json && r.in_family(Kind::kNumber) && compare(r, Reference("1")) != 0;
    ASSERT_EQ(arena.matches(rest, text), expected) << text;
  }
}

TEST(NumberTest, AnyNumberIsRfc8259) {
  ExprArena arena;
  const ExprId any = *number_expression(arena, {});
  EXPECT_EQ(any, any_number(arena));
  for (const auto& text : candidates()) ASSERT_EQ(arena.matches(any, text), Reference(text).json) << text;
}

TEST(NumberTest, UnsatisfiableSetsAreEmpty) {
  ExprArena arena;
  const auto expression = [&](const char* low, bool low_open, const char* high, bool high_open, Kind kind) {
    return *number_expression(arena, Range{Bound{low, low_open}, Bound{high, high_open}, kind}.bounds());
  };
  EXPECT_EQ(expression("5", false, "4", false, Kind::kNumber), kEmptyExpr);
  EXPECT_EQ(expression("5", true, "5", false, Kind::kNumber), kEmptyExpr);
  EXPECT_EQ(expression("0.1", false, "0.9", false, Kind::kInteger), kEmptyExpr);
  EXPECT_EQ(expression("0", true, "1", true, Kind::kInteger), kEmptyExpr);
  EXPECT_EQ(expression("-3.5", false, "-3.1", false, Kind::kLexicalInteger), kEmptyExpr);
  EXPECT_EQ(expression("0", true, "0", true, Kind::kNumber), kEmptyExpr);
  EXPECT_EQ(expression("1", false, "-1", false, Kind::kInteger), kEmptyExpr);
  for (const auto e :
       {expression("0", true, "1", true, Kind::kNumber), expression("0", false, "0", false, Kind::kInteger)}) {
    EXPECT_FALSE(arena.is_empty(e));
  }
}

// Bounds of n digits give automata of O(n) states, not of the numbers between them.
TEST(NumberTest, AutomataStaySmall) {
  ExprArena arena;
  NumberBounds doubles;
  doubles.minimum = Decimal::parse("-1.7976931348623157e308");
  doubles.maximum = Decimal::parse("1.7976931348623157e308");
  ASSERT_TRUE(number_expression(arena, doubles).ok());
  EXPECT_LT(arena.size(), 8000U);
  const std::size_t before = arena.size();
  NumberBounds money;
  money.minimum = Decimal::parse("0");
  money.maximum = Decimal::parse("99999.99");
  money.integer = true;
  ASSERT_TRUE(number_expression(arena, money).ok());
  EXPECT_LT(arena.size() - before, 200U);

  NumberBounds huge;
  huge.maximum = Decimal::parse("1e10001");
  const auto refused = number_expression(arena, huge);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
  huge.maximum = Decimal::parse("1e9000");
  EXPECT_TRUE(number_expression(arena, huge).ok());
}

TEST(DecimalTest, ParsesExactly) {
  EXPECT_EQ(Decimal::parse("-12.50e3")->to_string(), "-12500");
  EXPECT_EQ(Decimal::parse("0.00"), Decimal{});
  EXPECT_EQ(Decimal::parse("-0e99999999999"), Decimal{});
  EXPECT_EQ(Decimal::parse("1e-3")->to_string(), "0.001");
  EXPECT_EQ(Decimal::parse("1e1000000000")->to_string(), "1e1000000000");
  EXPECT_EQ(Decimal::parse("123456789012345678901234567890.5")->to_string(), "123456789012345678901234567890.5");
  for (const char* bad :
       {"", "-", "01", "1.", ".1", "1e", "1e+", "+1", "1e1000000001", "1 ", "0x1", "1e99999999999999999999"}) {
    EXPECT_FALSE(Decimal::parse(bad)) << bad;
  }
  EXPECT_TRUE(Decimal::parse("1e2")->is_integer());
  EXPECT_TRUE(Decimal::parse("1.0")->is_integer());
  EXPECT_FALSE(Decimal::parse("10e-2")->is_integer());
}

TEST(DecimalTest, OrdersAsTheReference) {
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    const std::string a = random_number(random, i % 2 == 0);
    const std::string b =
        i % 10 == 0 ? a + (a.find_first_of(".eE") == std::string::npos ? ".0" : "") : random_number(random, i % 3 == 0);
    const int order = Decimal::parse(a)->compare(*Decimal::parse(b));
    const int expected = compare(Reference(a), Reference(b));
    EXPECT_EQ(order < 0, expected < 0) << a << ' ' << b;
    EXPECT_EQ(order == 0, expected == 0) << a << ' ' << b;
    const std::string written = Decimal::parse(a)->to_string();
    EXPECT_EQ(compare(Reference(written), Reference(a)), 0) << a << " is written " << written;
  }
}

}  // namespace
}  // namespace weir
