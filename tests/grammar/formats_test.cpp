// The JSON-Schema-Test-Suite's format tests of every draft that weir reads, and what the suite leaves out.
#include "schema/formats.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "text/regex_ast.hpp"
#include "weir/grammar/detail/utf8.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

// Valid by the suite, yet not offered. The superset must hold them.
const std::set<std::string> kNotOffered = {
    // Their Punycode would have to be decoded to tell them from the invalid ones beside them in the suite.
    "xn--9n2bp8q.xn--9t4b11yi5a", "xn--zca29lwxobi7a", "xn--qmbc", "xn--ll-0ea", "xn--wva3je", "xn--4dbc5h",
    "xn--4dbc8h", "xn--k8j5u", "xn--bck0j", "xn--vek778f", "xn--ngba1o", "xn--0-gyc", "xn--11b2ezcw70k",
    "xn--11b2ezcs70k", "xn--ngba5hb2804a", "xn--4gbwdl.xn--wgbh1c", "xn--ihqwcrb4cv8a8dqg056pqjye",
    // Scripts from right to left, and characters that depend on their neighbours.
    "\u05d0\u05f3\u05d1", "\u05d0\u05f4\u05d1", "\u06fd\u06fe", "\u0628\u0660\u0628", "\u06f00",
    "\u0628\u064a\u200c\u0628\u064a", "\u0915\u094d\u200c\u0937", "\u0915\u094d\u200d\u0937", "l\u00b7l",
    "\u03b1\u0375\u03b2", "\u30fb\u3041", "\u30fb\u30a1", "\u30fb\u4e08",
    // Labels of more than 14 characters.
    "\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc"
    "\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3"
    "\u03bc\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc\u03b1\u03c0\u03b1.com",
    "\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc"
    "\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3"
    "\u03bc\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc\u03b1\u03c0\u03b1\u3002com",
    "\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc"
    "\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3"
    "\u03bc\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc\u03b1\u03c0\u03b1\uff0ecom",
    "\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc"
    "\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3"
    "\u03bc\u03b1\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc\u03b1\u03c0\u03b1\uff61com",
    // Names have to be compared.
    "(?<n>a)\\k<n>"};

class FormatsTest : public ::testing::Test {
 protected:
  const FormatExpression& format(const std::string& name) {
    auto [it, fresh] = known_.try_emplace(name);
    if (fresh) it->second = name == "byte" ? openapi_format(arena_, name) : format_expression(arena_, name);
    return it->second;
  }
  bool has(const std::string& name, std::string_view text) { return arena_.matches(format(name).expression, text); }
  bool may_have(const std::string& name, std::string_view text) { return arena_.matches(format(name).superset, text); }

  // A random walk that stops with one chance in eight wherever it may.
  std::string random_text(ExprId e, std::mt19937& random) {
    std::string text;
    while (!arena_.nullable(e) || random() % 8 != 0) {
      std::vector<std::uint8_t> next;
      arena_.first_bytes(e).for_each([&](std::uint8_t b) { next.push_back(b); });
      if (next.empty()) break;
      const std::uint8_t b = next[random() % next.size()];
      text.push_back(static_cast<char>(b));
      e = arena_.step(e, b);
    }
    return text;
  }

  ExprArena arena_;
  std::map<std::string, FormatExpression> known_;
};

TEST_F(FormatsTest, TestSuite) {
  std::size_t cases = 0;
  std::set<std::string> not_offered;
  for (const char* draft : {"draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"}) {
    const fs::path folder =
        fs::path(WEIR_SHARED_DATA) / "JSON-Schema-Test-Suite" / "tests" / draft / "optional" / "format";
    ASSERT_TRUE(fs::is_directory(folder)) << "test data is missing: " << folder;
    for (const auto& file : fs::directory_iterator(folder)) {
      const auto groups = nlohmann::json::parse(std::ifstream(file.path()));
      for (const auto& group : groups) {
        if (!group["schema"].is_object() || !group["schema"].contains("format")) continue;
        const std::string name = group["schema"]["format"];
        const FormatSupport support = format(name).support;
        if (file.path().stem() == "unknown") {
          EXPECT_EQ(support, FormatSupport::kUnknown) << name;
          continue;
        }
        ASSERT_EQ(support, FormatSupport::kExact) << name;
        for (const auto& test : group["tests"]) {
          if (!test["data"].is_string()) continue;
          const std::string text = test["data"];
          const bool valid = test["valid"];
          const std::string where =
              std::string(draft) + " " + name + " \"" + text + "\": " + std::string(test["description"]);
          ++cases;
          if (kNotOffered.contains(text)) {
            not_offered.insert(text);
            EXPECT_TRUE(valid && !has(name, text)) << "no exception any more: " << where;
          } else {
            EXPECT_EQ(has(name, text), valid) << where;
          }
          if (valid) {
            EXPECT_TRUE(may_have(name, text)) << where;
          }
        }
      }
    }
  }
  EXPECT_EQ(not_offered, kNotOffered) << "an exception that the suite does not hold";
  EXPECT_GT(cases, 1000U);
  EXPECT_FALSE(arena_.exhausted());
}

int days_in(int year, int month) {
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const int days[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month >= 1 && month <= 12 ? days[month - 1] : 0;
}

std::string two(int n) { return std::string(n < 10 ? "0" : "") + std::to_string(n); }

TEST_F(FormatsTest, EveryDate) {
  for (int year = 0; year <= 9999; year += year % 4 == 0 ? 1 : 3) {
    std::string digits = std::to_string(year);
    digits.insert(0, 4 - digits.size(), '0');
    for (int month = 0; month <= 13; ++month) {
      for (const int day : {0, 1, 28, 29, 30, 31, 32}) {
        const std::string text = digits + "-" + two(month) + "-" + two(day);
        ASSERT_EQ(has("date", text), day >= 1 && day <= days_in(year, month)) << text;
      }
    }
  }
}

TEST_F(FormatsTest, EveryMinuteOfLeapSeconds) {
  for (int local = 0; local < 24 * 60; ++local) {
    const std::string time = two(local / 60) + ":" + two(local % 60) + ":60";
    ASSERT_EQ(has("time", time + "Z"), local == 23 * 60 + 59);
    for (int offset = 0; offset < 24 * 60; offset += 5) {
      for (const int sign : {1, -1}) {
        const std::string text = time + (sign > 0 ? "+" : "-") + two(offset / 60) + ":" + two(offset % 60);
        const int utc = ((local - sign * offset) % (24 * 60) + 24 * 60) % (24 * 60);
        const int minute = offset % 60;
        const bool offered = minute == 0 || minute == 30 || minute == 45;
        ASSERT_EQ(has("time", text), utc == 23 * 60 + 59 && offered) << text;
        ASSERT_TRUE(may_have("time", text)) << text;
      }
    }
  }
}

TEST_F(FormatsTest, SupersetsHoldTheirExpressionsAndOnlyText) {
  // Two counters beside each other, or groups in groups, make too many states to visit them all; samples have to do.
  const std::set<std::string> many_states = {"email", "idn-email", "hostname", "idn-hostname", "regex"};
  std::mt19937 random(1);
  for (const char* name : {"date",
                           "time",
                           "date-time",
                           "duration",
                           "email",
                           "idn-email",
                           "hostname",
                           "ipv4",
                           "ipv6",
                           "uuid",
                           "uri",
                           "uri-reference",
                           "iri",
                           "iri-reference",
                           "uri-template",
                           "json-pointer",
                           "relative-json-pointer",
                           "idn-hostname",
                           "regex",
                           "byte"}) {
    const FormatExpression& f = format(name);
    ASSERT_EQ(f.support, FormatSupport::kExact) << name;
    EXPECT_FALSE(arena_.is_empty(f.expression)) << name;
    EXPECT_FALSE(arena_.exhausted()) << name;

    if (many_states.contains(name)) {
      for (int i = 0; i < 500; ++i) {
        const std::string text = random_text(f.expression, random);
        ASSERT_TRUE(may_have(name, text)) << name << ": " << text;
        ASSERT_FALSE(find_invalid_utf8(text)) << name;
      }
      continue;
    }
    EXPECT_TRUE(arena_.is_empty(arena_.intersect({f.expression, arena_.complement(f.superset)}))) << name;
    EXPECT_TRUE(arena_.is_empty(arena_.intersect({f.superset, arena_.complement(arena_.any_text())}))) << name;
    EXPECT_FALSE(arena_.exhausted()) << name;
  }
}

TEST_F(FormatsTest, LengthLimits) {
  const std::string label(63, 'a');
  EXPECT_TRUE(has("hostname", label + "." + label + "." + label + "." + std::string(61, 'b')));   // 253
  EXPECT_FALSE(has("hostname", label + "." + label + "." + label + "." + std::string(62, 'b')));  // 254
  for (const std::string& start :
       {std::string("x"), std::string("xn"), std::string("xn-"), std::string("X-"), std::string("1")}) {
    EXPECT_TRUE(has("hostname", start + std::string(63 - start.size(), 'n'))) << start;
    EXPECT_FALSE(has("hostname", start + std::string(64 - start.size(), 'n'))) << start;
  }
  EXPECT_TRUE(has("email", std::string(64, 'a') + "@b"));
  EXPECT_FALSE(has("email", std::string(65, 'a') + "@b"));
}

// What the expression allows is read by the parser of `pattern`; what that parser reads is in the superset.
TEST_F(FormatsTest, RegexIsWhatThePatternParserReads) {
  std::mt19937 random(9);
  const std::string syntax = "\\\\()[]{}|?*+.^$-:=!<>,012abdknuxpP";
  std::size_t read = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = random_text(format("regex").expression, random);
    if (text.size() > 300) continue;
    const auto parsed = parse_regex_tree(text, {});
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().to_string();
    for (int change = 0; change < 3; ++change) {
      text.insert(random() % (text.size() + 1), 1, syntax[random() % syntax.size()]);
      if (find_invalid_utf8(text) || !parse_regex_tree(text, {}).ok()) continue;
      ++read;
      ASSERT_TRUE(may_have("regex", text)) << text;
    }
  }
  EXPECT_GT(read, 300U);
  for (const char* good :
       {"", "^[a-z]{2,5}$", "(?:a|b)*?", "[\\w.-]+@[\\w-]+", "(?<year>\\d{4})-\\d\\d", "a{0,1000}", "((a))|[^]",
        "(?=.*\\d)(?!x)[ -~]{8,}", "[\\u4e00-\\u9fa5]", "\\x41\\cZ\\/", "x{10,}", "(?<!-)\\b\\[x\\]"}) {
    EXPECT_TRUE(has("regex", good)) << good;
  }
  for (const char* bad :
       {"(",  ")",   "a)",      "[",       "[z-a]", "a**", "*a", "a{3,2}",   "\\", "(?<n>a)(?<n>b)", "(?:", "^*",
        "[a", "x{1", "(?<=a)+", "(?<1>a)", "\\u12", "]",   "}",  "(?P<n>a)", "\\a"}) {
    EXPECT_FALSE(has("regex", bad)) << bad;
  }
  for (const char* bad : {"(", ")", "a)", "[", "[a", "*a", "\\", "a)(b", "(a)b)c(", "(\\", "[\\]", "(a", "a(b)+("}) {
    EXPECT_FALSE(may_have("regex", bad)) << bad;
  }
  for (const char* good : {"\\1(a)", "]", "a{", "x{1", "(?<n>a)\\k<n>", "\\c", "[\\c]", "(?i:a)", "[[a-z]--[aeiou]]"}) {
    EXPECT_TRUE(may_have("regex", good)) << good;
  }
}

TEST_F(FormatsTest, Base64) {
  for (const char* good : {"", "TWFu", "TWE=", "TQ==", "+/+/", "AAAATQ=="}) EXPECT_TRUE(has("byte", good)) << good;
  for (const char* bad : {"T", "TW", "TWE", "TQ=", "T===", "TWFu=", "T-_u", "TWFu TWFu", "TQ==TWFu"}) {
    EXPECT_FALSE(may_have("byte", bad)) << bad;
  }
  for (const char* loose : {"TR==", "TWF="}) {
    EXPECT_FALSE(has("byte", loose)) << loose;
    EXPECT_TRUE(may_have("byte", loose)) << loose;
  }
}

TEST_F(FormatsTest, LabelsInOtherScripts) {
  const auto repeated = [](std::string_view unit, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += unit;
    return out;
  };
  EXPECT_TRUE(has("idn-hostname", repeated("\u4f8b", 14) + ".jp"));
  EXPECT_FALSE(has("idn-hostname", repeated("\u4f8b", 64)));
  EXPECT_FALSE(has("idn-hostname", "\u4f8b" + repeated(".\u4f8b", 100)));  // more than 253 octets in Punycode
  EXPECT_FALSE(has("idn-hostname", "cafe\u0301"));                         // not in NFC
  EXPECT_TRUE(has("idn-hostname", "caf\u00e9.stra\u00dfe"));
  EXPECT_FALSE(has("idn-hostname", "Caf\u00e9"));
  EXPECT_FALSE(has("idn-hostname", "\u1100\u1161"));  // Jamo, which would compose
  EXPECT_FALSE(has("idn-hostname", "ab--c"));
  EXPECT_TRUE(may_have("idn-hostname", "ab--c"));
}

TEST_F(FormatsTest, NumberFormats) {
  const auto holds = [](std::string_view format, const char* number) {
    ExprArena arena;
    return arena.matches(*number_expression(arena, *format_bounds(format)), number);
  };
  EXPECT_TRUE(holds("int32", "2147483647") && holds("int32", "-2147483648") && holds("int32", "1.0"));
  EXPECT_FALSE(holds("int32", "2147483648") || holds("int32", "-2147483649") || holds("int32", "1.5"));
  EXPECT_TRUE(holds("int64", "9223372036854775807") && holds("int64", "-9223372036854775808"));
  EXPECT_FALSE(holds("int64", "9223372036854775808") || holds("int64", "-9223372036854775809"));
  EXPECT_TRUE(holds("float", "3.4028234663852886e38") && holds("float", "-0.1"));
  EXPECT_FALSE(holds("float", "3.4028234663852887e38") || holds("float", "-3.5e38"));
  EXPECT_TRUE(holds("double", "1.7976931348623157e308") && holds("double", "1e-400"));
  EXPECT_FALSE(holds("double", "1.7976931348623159e308") || holds("double", "-1e309"));
  EXPECT_EQ(format_support("byte"), FormatSupport::kUnknown);
  EXPECT_EQ(openapi_format(arena_, "date").support, FormatSupport::kUnknown);
  EXPECT_FALSE(format_bounds("date") || format_bounds("uint8"));
}

TEST_F(FormatsTest, NamesOfNoDraftAreUnknown) {
  for (const char* name :
       {"", "Date", "int32", "int64", "float", "uri-ref", "url", "color", "ip-address", "password"}) {
    EXPECT_EQ(format(name).support, FormatSupport::kUnknown) << name;
  }
}

}  // namespace
}  // namespace weir
