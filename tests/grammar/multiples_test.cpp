// Multiples against a reference that writes numbers out as whole numbers of 10^-80 and divides.
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "reference/written_number.hpp"
#include "schema/number.hpp"

namespace weir {
namespace {

using BigInt = boost::multiprecision::cpp_int;

constexpr int kScale = 80;

BigInt ten_to(int n) { return boost::multiprecision::pow(BigInt(10), static_cast<unsigned>(n)); }

struct Reference : reference::WrittenNumber {
  std::string text;
  BigInt scaled;

  explicit Reference(std::string written) : WrittenNumber(written), text(std::move(written)) {
    if (!json) return;
    for (const char c : whole + fraction) scaled = scaled * 10 + (c - '0');
    const int shift = kScale + power() - static_cast<int>(fraction.size());
    if (scaled != 0) scaled *= ten_to(shift);
    if (negative) scaled = -scaled;
  }
  bool in_family(std::size_t fraction_digits) const {
    if (!json) return false;
    if (exponent.empty()) return true;
    if (scaled == 0) return whole == "0";
    return whole.size() == 1 && whole != "0" && fraction.size() <= fraction_digits;
  }
  bool is_multiple_of(const Reference& divisor) const { return scaled % divisor.scaled == 0; }
};

const std::array<const char*, 22> kDivisors = {"1",    "2",    "3",      "4",    "5",     "7",     "8",    "10",
                                               "0.1",  "0.01", "0.25",   "2.5",  "12.5",  "1000",  "1e-8", "0.3",
                                               "75e4", "1e20", "0.0625", "1.28", "17.31", "0.0003"};

std::size_t fraction_digits_of(std::string_view divisor) { return divisor == "17.31" || divisor == "0.0625" ? 0 : 16; }

const std::vector<Reference>& candidates() {
  static const std::vector<Reference> all = [] {
    std::vector<Reference> out;
    const auto add_all = [&](std::string_view alphabet, std::size_t longest) {
      std::vector<std::string> texts{""};
      for (std::size_t begin = 0, length = 1; length <= longest; ++length) {
        for (const std::size_t end = texts.size(); begin < end; ++begin) {
          for (const char c : alphabet) texts.push_back(texts[begin] + c);
        }
      }
      for (auto& text : texts) out.emplace_back(std::move(text));
    };
    add_all("-0123456789.", 4);
    add_all("-0125.", 6);
    add_all("-+075.eE", 5);
    return out;
  }();
  return all;
}

void check(ExprArena& arena, const char* divisor, const std::vector<Reference>& texts) {
  const Reference reference(divisor);
  const Decimal decimal = *Decimal::parse(divisor);
  const auto multiples = number_multiple_of(arena, decimal);
  ASSERT_TRUE(multiples.ok()) << divisor;
  const ExprId family = multiple_family(arena, decimal);
  const ExprId others = arena.intersect({family, arena.complement(*multiples)});
  for (const Reference& text : texts) {
    const bool in_family = text.in_family(fraction_digits_of(divisor));
    const bool multiple = text.json && text.is_multiple_of(reference);
    ASSERT_EQ(arena.matches(family, text.text), in_family) << text.text << " for " << divisor;
    ASSERT_EQ(arena.matches(*multiples, text.text), in_family && multiple) << text.text << " of " << divisor;
    ASSERT_EQ(arena.matches(others, text.text), in_family && !multiple) << text.text << " but not of " << divisor;
    if (text.json) {
      ASSERT_EQ(is_multiple(*Decimal::parse(text.text), decimal), multiple) << text.text << " of " << divisor;
    }
  }
}

TEST(MultiplesTest, EveryShortSpelling) {
  ExprArena arena;
  for (const char* divisor : kDivisors) {
    check(arena, divisor, candidates());
    if (HasFatalFailure()) return;
  }
  EXPECT_FALSE(arena.exhausted());
}

std::string random_digits(std::mt19937& random, std::size_t most) {
  std::string out;
  for (std::size_t n = random() % (most + 1); n > 0; --n) out += "0123456789"[random() % 3 == 0 ? 0 : random() % 10];
  return out;
}

// Spellings of n * 10^power that the family has, and some that it has not.
std::vector<std::string> spellings(const BigInt& n, int power, std::mt19937& random) {
  std::string digits = n.str();
  std::vector<std::string> out;
  const std::string zeros(random() % 4, '0');
  if (power >= 0) {
    out.push_back(digits + (n == 0 ? "" : std::string(static_cast<std::size_t>(power), '0')));
    out.push_back(out.back() + ".0" + zeros);
  } else {
    const auto places = static_cast<std::size_t>(-power);
    std::string padded = digits;
    if (padded.size() <= places) padded.insert(0, places + 1 - padded.size(), '0');
    out.push_back(padded.substr(0, padded.size() - places) + "." + padded.substr(padded.size() - places) + zeros);
  }
  const int exponent = power + static_cast<int>(digits.size()) - 1;
  const auto with = [&](const std::string& mantissa) {
    const std::string magnitude = std::string(random() % 3, '0') + std::to_string(std::abs(exponent));
    out.push_back(mantissa + (exponent < 0 ? "e-" : random() % 2 == 0 ? "E" : "e+") + magnitude);
  };
  with(digits.substr(0, 1) + (digits.size() > 1 ? "." + digits.substr(1) : ""));
  digits.erase(std::max<std::size_t>(digits.find_last_not_of('0') + 1, 1));
  with(digits.substr(0, 1) + (digits.size() > 1 || !zeros.empty() ? "." + digits.substr(1) + zeros + "0" : ""));
  return out;
}

TEST(MultiplesTest, SpellingsOfMultiplesAndTheirNeighbours) {
  std::mt19937 random(1);
  ExprArena arena;
  for (const char* divisor : kDivisors) {
    const Decimal decimal = *Decimal::parse(divisor);
    const int power = static_cast<int>(decimal.exponent) - static_cast<int>(decimal.digits.size());
    std::vector<Reference> texts;
    for (int i = 0; i < 300; ++i) {
      const BigInt times(random() % 2 == 0 ? std::to_string(random() % 1000) : "1" + random_digits(random, 18));
      const BigInt n =
          times * BigInt(decimal.digits) + (random() % 2 == 0 ? 0 : 1) * ten_to(static_cast<int>(random() % 3));
      for (auto& text : spellings(n, power - static_cast<int>(random() % 8 == 0), random)) {
        texts.emplace_back(text);
        texts.emplace_back("-" + text);
      }
    }
    check(arena, divisor, texts);
    if (HasFatalFailure()) return;
  }
}

// A random walk that stops with one chance in eight wherever it may.
std::string random_text(ExprArena& arena, ExprId e, std::mt19937& random) {
  std::string text;
  while (text.size() < 30 && (!arena.nullable(e) || random() % 8 != 0)) {
    std::vector<std::uint8_t> next;
    arena.first_bytes(e).for_each([&](std::uint8_t b) { next.push_back(b); });
    if (next.empty()) break;
    text.push_back(static_cast<char>(next[random() % next.size()]));
    e = arena.step(e, static_cast<std::uint8_t>(text.back()));
  }
  return arena.nullable(e) ? text : "";
}

TEST(MultiplesTest, WalksEndAtMultiples) {
  std::mt19937 random(2);
  ExprArena arena;
  for (const char* divisor : kDivisors) {
    const ExprId multiples = *number_multiple_of(arena, *Decimal::parse(divisor));
    for (int i = 0; i < 300; ++i) {
      const std::string text = random_text(arena, multiples, random);
      const std::size_t e = text.find_first_of("eE");
      if (text.empty() || (e != std::string::npos && std::abs(std::stol(text.substr(e + 1, 9))) > 60)) continue;
      const Reference reference(text);
      EXPECT_TRUE(reference.json && reference.is_multiple_of(Reference(divisor))) << text << " of " << divisor;
    }
  }
}

TEST(MultiplesTest, OfTwoNumbersAreThoseOfTheirLeastCommonMultiple) {
  std::mt19937 random(3);
  ExprArena arena;
  for (std::size_t i = 0; i < kDivisors.size(); ++i) {
    for (std::size_t j = 0; j < kDivisors.size(); ++j) {
      const char* a = kDivisors[i];
      const char* b = kDivisors[j];
      const Decimal first = *Decimal::parse(a);
      const Decimal second = *Decimal::parse(b);
      const auto both = least_common_multiple(first, second);
      ASSERT_TRUE(both.ok());
      const Reference ra(a);
      const Reference rb(b);
      const Reference rc(both->to_string());
      EXPECT_EQ(rc.scaled, boost::multiprecision::lcm(ra.scaled, rb.scaled)) << a << ' ' << b;
      // The product of two automata is large; a few of them do.
      if (i + j > 12) continue;
      const auto joined = number_multiple_of(arena, *both);
      ASSERT_TRUE(joined.ok()) << a << ' ' << b;
      const ExprId product = arena.intersect({*number_multiple_of(arena, first), *number_multiple_of(arena, second)});
      for (int k = 0; k < 10; ++k) {
        for (const auto& text :
             spellings(BigInt(rc.scaled * (random() % 50) / (random() % 2 + 1) / ten_to(kScale - 12)), -12, random)) {
          const bool expected = Reference(text).is_multiple_of(rc) && text.find_first_of("eE") == std::string::npos;
          if (expected) {
            ASSERT_TRUE(arena.matches(*joined, text)) << text << " of " << a << " and " << b;
            ASSERT_TRUE(arena.matches(product, text)) << text << " of " << a << " and " << b;
          }
          if (!Reference(text).is_multiple_of(rc)) {
            ASSERT_FALSE(arena.matches(*joined, text) || arena.matches(product, text))
                << text << " of " << a << " and " << b;
          }
        }
      }
    }
  }
}

TEST(MultiplesTest, WithinBounds) {
  std::mt19937 random(4);
  const std::array<const char*, 16> edges = {"-1000", "-100.5", "-12.5", "-3",   "-1",  "-0.25", "0",    "0.01",
                                             "0.3",   "1",      "2.4",   "12.5", "100", "999",   "1000", "123456"};
  std::vector<const Reference*> texts;
  for (const Reference& text : candidates()) {
    if (text.json && random() % 16 == 0) texts.push_back(&text);
  }
  for (const char* divisor : kDivisors) {
    const Reference step(divisor);
    for (int round = 0; round < 24; ++round) {
      ExprArena arena;
      const std::size_t low = random() % edges.size();
      const std::size_t high = low + random() % (edges.size() - low);
      const Reference rlow(edges[low]);
      const Reference rhigh(edges[high]);
      NumberBounds bounds;
      if (round % 5 != 0) bounds.minimum = Decimal::parse(edges[low]);
      if (round % 7 != 0) bounds.maximum = Decimal::parse(edges[high]);
      bounds.exclusive_minimum = random() % 2 == 0;
      bounds.exclusive_maximum = random() % 2 == 0;
      bounds.integer = random() % 4 == 0;
      bounds.lexical_integer = bounds.integer && random() % 2 == 0;
      const auto e = number_multiples_within(arena, *Decimal::parse(divisor), bounds);
      ASSERT_TRUE(e.ok()) << divisor;
      const std::string where = std::string(divisor) + " in " + edges[low] + " .. " + edges[high];
      for (const Reference* text : texts) {
        const bool above =
            !bounds.minimum || text->scaled > rlow.scaled || (text->scaled == rlow.scaled && !bounds.exclusive_minimum);
        const bool below = !bounds.maximum || text->scaled < rhigh.scaled ||
                           (text->scaled == rhigh.scaled && !bounds.exclusive_maximum);
        const bool whole = text->scaled % ten_to(kScale) == 0;
        const bool offered = !bounds.integer || (whole && (!bounds.lexical_integer || text->fraction.empty()));
        const bool expected = above && below && offered && text->is_multiple_of(step);
        if (text->exponent.empty()) {
          ASSERT_EQ(arena.matches(*e, text->text), expected) << text->text << " of " << where;
        } else if (!expected) {
          ASSERT_FALSE(arena.matches(*e, text->text)) << text->text << " of " << where;
        }
      }
      // Whether there is any: the multiples of the step (and of 1) from the lower bound on.
      BigInt unit = step.scaled;
      if (bounds.integer) unit = boost::multiprecision::lcm(unit, ten_to(kScale));
      bool any = !bounds.minimum || !bounds.maximum;
      for (BigInt n = rlow.scaled / unit * unit - unit; !any && n <= rhigh.scaled; n += unit) {
        any = (n > rlow.scaled || (n == rlow.scaled && !bounds.exclusive_minimum)) &&
              (n < rhigh.scaled || (n == rhigh.scaled && !bounds.exclusive_maximum));
      }
      ASSERT_EQ(*e != kEmptyExpr, any) << where;
      ASSERT_EQ(!arena.is_empty(*e), any) << where;
      ASSERT_FALSE(arena.exhausted()) << where;
    }
  }
}

TEST(MultiplesTest, IntersectionsWithBoundsFindOutThatTheyAreEmpty) {
  ExprArena arena;
  const ExprId seven = *number_multiple_of(arena, *Decimal::parse("7"));
  NumberBounds bounds;
  bounds.minimum = Decimal::parse("15");
  bounds.maximum = Decimal::parse("20.9");
  EXPECT_TRUE(arena.is_empty(arena.intersect({seven, *number_expression(arena, bounds)})));
  bounds.maximum = Decimal::parse("21");
  const ExprId one = arena.intersect({seven, *number_expression(arena, bounds)});
  EXPECT_EQ(arena.shortest_text(one), "21");
  // What is no multiple of 1 and no fraction either.
  const ExprId whole = *number_multiple_of(arena, *Decimal::parse("1"));
  const ExprId family = multiple_family(arena, *Decimal::parse("1"));
  EXPECT_TRUE(arena.is_empty(arena.intersect({family, arena.complement(whole), whole})));
  EXPECT_TRUE(arena.is_empty(arena.intersect({seven, arena.complement(whole)})));
  EXPECT_FALSE(arena.is_empty(arena.intersect({whole, arena.complement(seven)})));
  EXPECT_FALSE(arena.exhausted());
}

TEST(MultiplesTest, LargeDivisors) {
  for (const char* divisor :
       {"9973", "1048576", "1234567", "123456789", "0.123456789", "1e10001", "1e-10001", "12345678901234567890"}) {
    ExprArena arena;
    const auto refused = number_multiple_of(arena, *Decimal::parse(divisor));
    ASSERT_FALSE(refused.ok()) << divisor;
    EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
  }
  ExprArena arena;
  EXPECT_EQ(number_multiple_of(arena, Decimal{}).error().code, ErrorCode::kArgument);
  EXPECT_EQ(number_multiple_of(arena, *Decimal::parse("-2")).error().code, ErrorCode::kArgument);
  // A few of them between two bounds do not need their automaton.
  NumberBounds bounds;
  bounds.minimum = Decimal::parse("0");
  bounds.maximum = Decimal::parse("1e9");
  bounds.exclusive_minimum = true;
  const auto few = number_multiples_within(arena, *Decimal::parse("123456789"), bounds);
  ASSERT_TRUE(few.ok());
  for (int i = 0; i <= 9; ++i) {
    EXPECT_EQ(arena.matches(*few, std::to_string(i * 123456789)), i > 0 && i <= 8) << i;
    EXPECT_FALSE(arena.matches(*few, std::to_string(i * 123456789 + 1)));
  }
  EXPECT_TRUE(arena.matches(*few, "1.23456789e8"));
}

// Powers of ten cost their length, powers of two a part of what their remainders would.
TEST(MultiplesTest, AutomataStaySmall) {
  const auto states = [](const char* divisor) {
    ExprArena arena;
    const auto e = number_multiple_of(arena, *Decimal::parse(divisor));
    EXPECT_TRUE(e.ok()) << divisor;
    std::vector<ExprId> open{*e};
    std::vector<bool> seen;
    for (std::size_t i = 0; i < open.size(); ++i) {
      arena.first_bytes(open[i]).for_each([&](std::uint8_t b) {
        const ExprId next = arena.step(open[i], b);
        if (seen.size() <= next) seen.resize(next + 1);
        if (!seen[next]) open.push_back(next);
        seen[next] = true;
      });
    }
    EXPECT_FALSE(arena.exhausted());
    return open.size();
  };
  EXPECT_LT(states("0.01"), 700U);
  EXPECT_LT(states("1e-8"), 700U);
  EXPECT_LT(states("1000000"), 700U);
  EXPECT_LT(states("1e300"), 2000U);
  EXPECT_LT(states("65536"), 4000U);
  EXPECT_LT(states("7"), 1000U);
  EXPECT_LT(states("1999"), 2500U);
}

TEST(MultiplesTest, IsMultipleOfHugeNumbers) {
  const auto is = [](const char* value, const char* divisor) {
    return is_multiple(*Decimal::parse(value), *Decimal::parse(divisor));
  };
  EXPECT_TRUE(is("1e1000000000", "0.5"));
  EXPECT_TRUE(is("1e1000000000", "1e-1000000000"));
  EXPECT_FALSE(is("1e1000000000", "3"));
  EXPECT_TRUE(is("3e1000000000", "3e-7"));
  EXPECT_FALSE(is("1e-1000000000", "1"));
  EXPECT_TRUE(is("0", "1e1000000000"));
  EXPECT_FALSE(is("5", "1e1000000000"));
  EXPECT_TRUE(is("-9007199254740993", "3"));
  EXPECT_FALSE(is("9007199254740993", "2"));
  EXPECT_TRUE(is("0.3", "0.1"));
  EXPECT_TRUE(is("1e308", "0.123456789") == false);
  const std::string nines(100'000, '9');
  EXPECT_TRUE(is_multiple(*Decimal::parse(nines), *Decimal::parse("33")));
  EXPECT_FALSE(is_multiple(*Decimal::parse(nines), *Decimal::parse("37")));  // 999 does not divide it: 3 * 33333 + 1
  EXPECT_TRUE(is_multiple(*Decimal::parse("1e400"), *Decimal::parse("1" + std::string(399, '0'))));
}

}  // namespace
}  // namespace weir
