#include "text/regex.hpp"

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <re2/re2.h>

#include "reference/backtrack.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir {
namespace {

struct Case {
  const char* pattern;
  std::vector<std::string> accept;
  std::vector<std::string> reject;
};

void check(const std::vector<Case>& cases, bool search) {
  for (const Case& c : cases) {
    ExprArena arena;
    PatternOptions options;
    options.search = search;
    const auto e = parse_pattern(arena, c.pattern, options);
    ASSERT_TRUE(e.ok()) << c.pattern << ": " << e.error().to_string();
    for (const auto& text : c.accept) EXPECT_TRUE(arena.matches(*e, text)) << c.pattern << " on \"" << text << '"';
    for (const auto& text : c.reject) EXPECT_FALSE(arena.matches(*e, text)) << c.pattern << " on \"" << text << '"';
  }
}

TEST(RegexTest, WholeText) {
  check({{"", {""}, {"a"}},
         {"abc", {"abc"}, {"", "ab", "abcd", "ABC"}},
         {"a|b|", {"a", "b", ""}, {"ab"}},
         {"(a)(?:b)(?<name>c)", {"abc"}, {"ab"}},
         {"a*b+c?", {"b", "aabbc", "bc"}, {"", "a", "bcc"}},
         {"a{2}b{1,}c{0,2}", {"aab", "aabbcc"}, {"ab", "aabccc", "aa"}},
         {"a*?b+?c??d{1,2}?", {"bd", "abcdd"}, {"bddd"}},
         {"(?:)a+?b*?(?<tail>c)??", {"a", "ab", "aabbc", "ac"}, {"", "b", "c", "acc"}},
         {"x{0}", {""}, {"x"}},
         // Braces and brackets that are no quantifier and no class.
         {"{", {"{"}, {""}},
         {"a{,3}", {"a{,3}"}, {"aaa", ""}},
         {"{x}|}|]", {"{x}", "}", "]"}, {"x"}},
         {"a{1", {"a{1"}, {"a"}},
         {"a{x}", {"a{x}"}, {"a"}},
         {"\\{\\}\\[\\]\\(\\)\\*\\+\\?\\.\\^\\$\\|\\\\\\/\\-", {"{}[]()*+?.^$|\\/-"}, {}},
         {"\\_\\@\\:\\ \\\"", {"_@: \""}, {}},
         // Anchors are no characters.
         {"^abc$", {"abc"}, {"^abc$", "abc\n"}},
         {"^^a$$", {"a"}, {}},
         {"a^b|c", {"c"}, {"ab", "a^b"}},
         {"(^a|b)*c", {"ac", "abc", "bbc", "c"}, {"bac", "aac"}},
         {"(a$|b)*", {"", "a", "bba"}, {"ab"}}},
        false);
}

TEST(RegexTest, Classes) {
  check({{"[abc]", {"a", "b", "c"}, {"d", "", "ab"}},
         {"[^abc]", {"d", "é", "😀", "\n"}, {"a", ""}},
         {"[]", {}, {"", "a", "]"}},
         {"[^]", {"a", "\n", "😀"}, {"", "ab"}},
         {"[a-c-e]", {"a", "b", "c", "-", "e"}, {"d"}},
         {"[-a]|[a-]", {"-", "a"}, {"b"}},
         {"[\\d-x]", {"0", "-", "x"}, {"a"}},
         {"[\\w.-]+", {"a.b-c_9"}, {"", "a b"}},
         {"[[(*+?.^$|]", {"[", "(", "*", "+", "?", ".", "^", "$", "|"}, {"\\"}},
         {"[a^]", {"a", "^"}, {"b"}},
         {"[\\]\\\\]", {"]", "\\"}, {"["}},
         {"[\\b]", {"\b"}, {"b"}},
         {"\\d\\D", {"1a", "1٣"}, {"11", "٣a"}},
         {"\\w\\W", {"_-", "aé"}, {"ab", "é-"}},
         {"[^\\d]", {"a"}, {"1"}},
         {"[^\\D]", {"1"}, {"a"}},
         {".", {"a", "é", "😀", "\t", "\x0B", "\x7F", "\u0085"}, {"\n", "\r", "\u2028", "\u2029", ""}},
         {"\\s",
          {" ", "\t", "\n", "\v", "\f", "\r", "\u00A0", "\u1680", "\u2000", "\u200A", "\u2028", "\u2029", "\u202F",
           "\u205F", "\u3000", "\uFEFF"},
          {"a", "\u200B", "\u0085", "\u180E", "\x01"}},
         {"\\S", {"a", "\u200B", "\u180E", "\u2013"}, {" ", "\uFEFF", "\u2003"}}},
        false);
}

TEST(RegexTest, EscapesAndUnicode) {
  check({{"\\t\\n\\v\\f\\r", {"\t\n\v\f\r"}, {}},
         {"\\cC\\cc\\cJ", {"\x03\x03\n"}, {"\\cC"}},
         {"\\0", {std::string(1, '\0')}, {"0"}},
         {"\\x41\\u0042\\u{43}\\u{1F600}", {"ABC😀"}, {}},
         {"\\uD83D\\uDE00", {"😀"}, {}},
         {"[\\uD83D\\uDE00-\\uD83D\\uDE02]", {"😀", "😁", "😂"}, {"😃"}},
         {"\\uD83D", {}, {"😀", "\xED\xA0\xBD"}},
         {"[\\uD800-\\uE000]", {"\uE000"}, {"\uE001", "\xED\xA0\x80"}},
         {"😀+é?", {"😀", "😀😀é"}, {"é", "\xF0\x9F\x98"}},
         {"[😀-😂]", {"😁"}, {"😃"}},
         {"\\p{Letter}+", {"abcé漢"}, {"1", ""}},
         {"\\p{L}\\p{Lu}\\p{Lowercase_Letter}", {"aBc"}, {"abc"}},
         {"\\p{digit}", {"4", "৪"}, {"a"}},
         {"\\p{Script=Greek}+", {"αβγ"}, {"abc"}},
         {"\\p{scx=Deva}", {"क", "।"}, {"a"}},
         {"\\p{General_Category=Decimal_Number}", {"٣"}, {"x"}},
         {"\\p{Alphabetic}\\p{White_Space}", {"a "}, {" a"}},
         {"\\P{L}[^\\p{N}]", {"1a"}, {"a1"}},
         {"\\p{Any}\\p{ASCII}\\p{Assigned}", {"éaa"}, {"aéa"}},
         {"[\\p{Lu}\\p{Nd}-]{2}", {"A1", "-Z"}, {"ab"}}},
        false);
}

TEST(RegexTest, Anywhere) {
  check({{"", {"", "x"}, {}},
         {"x", {"x", "axb"}, {"", "ab"}},
         {"^x", {"x", "xa"}, {"ax", ""}},
         {"x$", {"x", "ax"}, {"xa", "x\n"}},
         {"^x$", {"x"}, {"ax", "xa"}},
         {"^a|b$", {"a", "ax", "b", "xb"}, {"", "xa", "bx"}},
         {"^red$|^blue$", {"red", "blue"}, {"redblue", "red|blue"}},
         {"a*", {"", "b"}, {}},
         {"a{3,}", {"aaa", "baaaab"}, {"aa", "aabaa"}},
         {"(^|,)x(,|$)", {"x", "a,x", "x,b", "a,x,b"}, {"ax", "xb"}},
         {"^(\\d+|box:[\\w-]+)$", {"12", "box:a-1"}, {"12x"}},
         {"^([^,]+(,|$)){3,}$", {"a,b,c", "a,b,c,"}, {"a,b", "a,,c"}},
         {"[a-z]cole", {"xxecole"}, {"école"}},
         {"\\p{Letter}cole", {"école"}, {"-cole"}},
         {".*\\{\\{.+}}.*", {"a{{b}}c"}, {"{{}}"}}},
        true);
}

TEST(RegexTest, LookAround) {
  check({{"^(?!pattern$).*$", {"patterns", "", "x"}, {"pattern"}},
         {"^(?=[^=]+$)(?!\\s+$)(.|\\n)+$", {"a", " a "}, {"", "a=b", "  "}},
         {"^(?!^lucene\\.|builtin\\.).*", {"a", "lucene"}, {"lucene.x", "builtin.y"}},
         {"^@([\\da-z](?:(?!.*--)[\\da-z-]*[\\da-z])?)/([\\da-z](?:(?!.*--)[\\da-z-]*[\\da-z])?)$",
          {"@a/b", "@a-b/c-d"},
          {"@a--b/c", "@a/c--d", "@-a/b"}},
         {"\\bfoo\\b", {"foo", "a foo b", "(foo)", "é foo", "éfoo"}, {"afoo", "foob", "foo_", ""}},
         {"\\Bfoo", {"xfoo"}, {"foo", " foo"}},
         {"^\\w+\\b$", {"abc"}, {"abc "}},
         {"^(?:\\b\\w+\\b\\s*){1,3}$", {"a", "one two", "a b c"}, {"a b c d", "a-b", ""}},
         {"^(?:\\b\\w+\\b\\s*)*$", {"", "a", "a b c d e"}, {"a-b", "-"}},
         {"(?<=\\$)\\d", {"$1", "a$2"}, {"1", "$ 1"}},
         {"(?<!\\$)\\d", {"1", "$12"}, {"$1"}},
         {"^[^\"]*(?<!\\\\)\"$", {"a\"", "\""}, {"a\\\"", "a"}},
         {"^(?:[^\"]|(?<=\\\\)\")*$", {"", "a\\\"b", "ab"}, {"\"", "a\"b"}},
         {"(?<=abc)d", {"abcd", "xabcd"}, {"abd", "d"}},
         {"(?<!abc)d", {"abd", "d"}, {"abcd"}},
         {"^(?:a|(?<=ab)c|b){2,4}$", {"ab", "abc", "abca"}, {"ac", "bc", "a"}},
         {"(?<=^a+)b", {"ab", "aab"}, {"b", "ca", "cab"}},
         {"(?<=a+)b", {"ab", "caab"}, {"b", "cb"}},
         {"^(?:(?!ab).)*$", {"", "aa", "ba", "bbb"}, {"ab", "bab"}},
         {"^(?:(?!-->)[^])*-->$", {"-->", "a-->", "--->"}, {"-->-->", "a"}},
         {"^(?:(?!-->)[^])*-->", {"-->", "a-->", "-->-->"}, {"a", "--"}},
         {"^(?:a(?!b)|b)*$", {"", "a", "ba", "aa"}, {"ab"}},
         {"^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z]).{4,8}$", {"aB3x"}, {"abcd", "aB3", "ab3x"}},
         {"(?=a)(?=b)", {}, {"a", "b", "ab"}},
         {"^(?=(?=a).b).*$", {"ab", "abc"}, {"aa", "b"}}},
        true);
}

TEST(RegexTest, Errors) {
  struct Bad {
    std::string pattern;
    ErrorCode code;
    std::uint32_t column;
  };
  const std::vector<Bad> table = {{"(a", ErrorCode::kSyntax, 1},
                                  {"a)", ErrorCode::kSyntax, 2},
                                  {"é(a", ErrorCode::kSyntax, 2},
                                  {"[]]*a[", ErrorCode::kSyntax, 6},
                                  {"x[a", ErrorCode::kSyntax, 2},
                                  {"[z-a]", ErrorCode::kSyntax, 2},
                                  {"*a", ErrorCode::kSyntax, 1},
                                  {"a|+", ErrorCode::kSyntax, 3},
                                  {"a**", ErrorCode::kSyntax, 3},
                                  {"x{1,2}{1,2}", ErrorCode::kSyntax, 7},
                                  {"a???", ErrorCode::kSyntax, 4},
                                  {"{2}", ErrorCode::kSyntax, 1},
                                  {"a{3,2}", ErrorCode::kSyntax, 2},
                                  {"^*", ErrorCode::kSyntax, 1},
                                  {"(?=a)*", ErrorCode::kSyntax, 1},
                                  {"\\", ErrorCode::kSyntax, 1},
                                  {"a\\q", ErrorCode::kSyntax, 2},
                                  {"\\a", ErrorCode::kSyntax, 1},
                                  {"\\Z", ErrorCode::kSyntax, 1},
                                  {"\\x4", ErrorCode::kSyntax, 1},
                                  {"\\u12", ErrorCode::kSyntax, 1},
                                  {"\\u{110000}", ErrorCode::kSyntax, 1},
                                  {"\\u{}", ErrorCode::kSyntax, 1},
                                  {"\\c1", ErrorCode::kSyntax, 1},
                                  {"\\01", ErrorCode::kSyntax, 1},
                                  {"\\p", ErrorCode::kSyntax, 1},
                                  {"\\p{Nonsense}", ErrorCode::kSyntax, 1},
                                  {"\\p{letter}", ErrorCode::kSyntax, 1},
                                  {"\\p{Greek}", ErrorCode::kSyntax, 1},
                                  {"[\\B]", ErrorCode::kSyntax, 2},
                                  {"(?P<n>a)", ErrorCode::kSyntax, 1},
                                  {"(?<1>a)", ErrorCode::kSyntax, 4},
                                  {"(?#x)", ErrorCode::kSyntax, 1},
                                  {"(?i)a", ErrorCode::kSyntax, 1},
                                  {"(?>a)", ErrorCode::kSyntax, 1},
                                  {"\xFF", ErrorCode::kSyntax, 1},
                                  {"(?i:a)", ErrorCode::kUnsupported, 1},
                                  {"(a)\\1", ErrorCode::kUnsupported, 4},
                                  {"(?<n>a)\\k<n>", ErrorCode::kUnsupported, 8},
                                  {"(?:(?=b*c)[ab])*[ab]*c", ErrorCode::kUnsupported, 1},
                                  {"(?=ab)a(?<=cd|ef)b", ErrorCode::kUnsupported, 8},
                                  {"a{1048577}", ErrorCode::kLimit, 2},
                                  {"a{99999999999999999999999}", ErrorCode::kLimit, 2},
                                  {"(?:(?:a\\b|b){1000}){1000}", ErrorCode::kLimit, 4}};
  for (const Bad& bad : table) {
    ExprArena arena;
    const auto e = parse_pattern(arena, bad.pattern, {});
    ASSERT_FALSE(e.ok()) << bad.pattern;
    EXPECT_EQ(e.error().code, bad.code) << bad.pattern << ": " << e.error().to_string();
    EXPECT_EQ(e.error().line, 1U) << bad.pattern;
    EXPECT_EQ(e.error().column, bad.column) << bad.pattern << ": " << e.error().to_string();
  }
}

TEST(RegexTest, HostileSizes) {
  ExprArena arena;
  const auto code_of = [&](const std::string& pattern) {
    const auto e = parse_pattern(arena, pattern, {});
    return e ? std::string("ok") : to_string(e.error().code);
  };
  const std::size_t n = 100'000;
  EXPECT_EQ(code_of(std::string(n, '(') + std::string(n, ')')), "limit");
  EXPECT_EQ(code_of(std::string(n, '(')), "limit");
  EXPECT_EQ(code_of(std::string(n, '[')), "syntax");
  EXPECT_EQ(code_of(std::string(n, '|')), "ok");
  EXPECT_EQ(code_of(std::string(n, 'a')), "ok");
  std::string nested = "a";
  for (int i = 0; i < 50; ++i) nested = "(?:" + nested + "){1000}";
  EXPECT_EQ(code_of(nested), "ok");
  std::string groups;
  for (std::size_t i = 0; i < n; ++i) groups += "(a)";
  EXPECT_EQ(code_of(groups), "ok");
}

TEST(RegexTest, NoAssertionsMeansNoBooleans) {
  // What is compiled is what one would write by hand.
  ExprArena arena;
  PatternOptions search;
  search.search = true;
  const ExprId x = arena.literal("x");
  EXPECT_EQ(*parse_pattern(arena, "x", search), arena.concat({arena.any_text(), x, arena.any_text()}));
  EXPECT_EQ(*parse_pattern(arena, "x+", search), arena.concat({arena.any_text(), x, arena.any_text()}));
  EXPECT_EQ(*parse_pattern(arena, "^x", search), arena.concat(x, arena.any_text()));
  EXPECT_EQ(*parse_pattern(arena, "x$", search), arena.concat(arena.any_text(), x));
  EXPECT_EQ(*parse_pattern(arena, "^x$", search), x);
  EXPECT_EQ(*parse_pattern(arena, "^.*x.*$", search), *parse_pattern(arena, ".*x.*", {}));
  EXPECT_EQ(*parse_pattern(arena, "^(x|y)$|^z$", search), *parse_pattern(arena, "x|y|z", {}));
  EXPECT_EQ(*parse_pattern(arena, "(?:)", search), arena.any_text());
  EXPECT_EQ(*parse_pattern(arena, "cat|car|dog", {}), arena.literals(std::vector<std::string>{"cat", "car", "dog"}));
}

TEST(RegexTest, FrontEnd) {
  const auto grammar = parse_regex("[0-9]{4}-[0-9]{2}");
  ASSERT_TRUE(grammar.ok());
  EXPECT_TRUE(grammar->expressions().matches(grammar->start().id, "2024-02"));
  EXPECT_FALSE(grammar->matches_empty());
  const auto never = parse_regex("a^b");
  ASSERT_FALSE(never.ok());
  EXPECT_EQ(never.error().code, ErrorCode::kUnsatisfiable);
  RegexOptions small;
  small.limits.max_text_bytes = 3;
  EXPECT_EQ(parse_regex("abcd", small).error().code, ErrorCode::kLimit);
}

nlohmann::json shared_json(const std::string& path) {
  std::ifstream file(std::string(WEIR_SHARED_DATA) + "/" + path);
  EXPECT_TRUE(file.good()) << "test data is missing: " << WEIR_SHARED_DATA << '/' << path;
  return file.good() ? nlohmann::json::parse(file) : nlohmann::json::array();
}

TEST(RegexTest, CasesFromTheField) {
  std::ifstream file(std::string(WEIR_SHARED_DATA) + "/cases/regex.jsonl");
  ASSERT_TRUE(file.good()) << "test data is missing: " << WEIR_SHARED_DATA << "/cases/regex.jsonl";
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    const auto item = nlohmann::json::parse(line);
    ASSERT_EQ(item["match"], "full");
    ExprArena arena;
    const auto e = parse_pattern(arena, item["regex"].get<std::string>(), {});
    ASSERT_TRUE(e.ok()) << item["id"] << ": " << e.error().to_string();
    for (const auto& text : item["accept"])
      EXPECT_TRUE(arena.matches(*e, text.get<std::string>())) << item["id"] << text;
    for (const auto& text : item["reject"])
      EXPECT_FALSE(arena.matches(*e, text.get<std::string>())) << item["id"] << text;
    for (const auto& bad : item.value("compile_error_regexes", nlohmann::json::array())) {
      EXPECT_FALSE(parse_pattern(arena, bad.get<std::string>(), {}).ok()) << bad;
    }
    ++count;
  }
  EXPECT_GT(count, 0U);
}

TEST(RegexTest, TestSuite) {
  for (const char* path : {"optional/ecmascript-regex.json", "optional/non-bmp-regex.json", "pattern.json"}) {
    for (const auto& group : shared_json(std::string("JSON-Schema-Test-Suite/tests/draft2020-12/") + path)) {
      if (!group["schema"].contains("pattern")) continue;
      ExprArena arena;
      PatternOptions options;
      options.search = true;
      const std::string pattern = group["schema"]["pattern"];
      const auto e = parse_pattern(arena, pattern, options);
      ASSERT_TRUE(e.ok()) << pattern << ": " << e.error().to_string();
      for (const auto& test : group["tests"]) {
        if (!test["data"].is_string()) continue;
        EXPECT_EQ(arena.matches(*e, test["data"].get<std::string>()), test["valid"].get<bool>())
            << pattern << " on " << test["data"];
      }
    }
  }
}

// Every text over `alphabet` of at most `longest` code points.
std::vector<std::u32string> all_texts(std::u32string_view alphabet, std::size_t longest) {
  std::vector<std::u32string> texts{U""};
  for (std::size_t begin = 0, length = 0; length < longest; ++length) {
    const std::size_t end = texts.size();
    for (; begin < end; ++begin) {
      for (const char32_t c : alphabet) texts.push_back(texts[begin] + c);
    }
  }
  return texts;
}

TEST(RegexTest, AgreesWithBacktracking) {
  constexpr std::u32string_view kAlphabet = U"ab é";
  const auto texts = all_texts(kAlphabet, 4);
  std::vector<std::string> encoded;
  encoded.reserve(texts.size());
  for (const auto& text : texts) encoded.push_back(reference::encode(text));
  std::mt19937 random(42);
  std::size_t compared = 0;
  std::size_t refused = 0;
  for (int round = 0; round < 4000; ++round) {
    const unsigned assertions = round % 4 == 0 ? 0 : 25;
    const auto pattern = reference::random_pattern(random, kAlphabet, 3, assertions);
    const std::string text = pattern.text();
    PatternOptions options;
    options.search = round % 2 == 0;
    ExprArena arena;
    const auto e = parse_pattern(arena, text, options);
    if (!e) {
      ASSERT_EQ(e.error().code, ErrorCode::kUnsupported) << text << ": " << e.error().to_string();
      ++refused;
      continue;
    }
    for (std::size_t i = 0; i < texts.size(); i += 1 + random() % 3) {
      const bool expected = options.search ? pattern.found_in(texts[i]) : pattern.matches(texts[i]);
      ASSERT_EQ(arena.matches(*e, encoded[i]), expected)
          << text << (options.search ? " anywhere in \"" : " on \"") << encoded[i] << '"';
      ++compared;
    }
    ASSERT_FALSE(arena.exhausted()) << text;
  }
  EXPECT_GT(compared, 400'000U);
  EXPECT_LT(refused, 800U) << "too much is refused for the comparison to mean anything";
  RecordProperty("compared", static_cast<int>(compared));
  RecordProperty("refused", static_cast<int>(refused));
}

// Patterns that RE2 and ECMA-262 read alike.
std::string random_re2_pattern(std::mt19937& random, int depth) {
  const auto nested = [&] { return random_re2_pattern(random, depth - 1); };
  static const std::vector<std::string> atoms = {
      "a",    "b",     "c",     "é",         "漢",    "0",      "_",     ".",   "\\d",  "\\D",    "\\w", "\\W",
      "[ab]", "[^ab]", "[a-c]", "[^a-c0-9]", "[é漢]", "[\\w-]", "\\x61", "\\.", "\\pL", "[a\\d]", "\\+", " "};
  static const std::vector<std::string> quantifiers = {"*",   "+",    "?",     "*?",    "+?",    "??",
                                                       "{2}", "{1,}", "{0,2}", "{1,3}", "{2,4}?"};
  switch (depth > 0 ? random() % 10 : 0) {
    case 0:
    case 1:
    case 2: {
      const std::string& atom = atoms[random() % atoms.size()];
      return atom == "\\pL" ? "\\p{L}" : atom;
    }
    case 3:
    case 4: return nested() + nested();
    case 5: return nested() + nested() + nested();
    case 6: return "(?:" + nested() + "|" + nested() + ")";
    case 7: return "(" + nested() + ")" + quantifiers[random() % quantifiers.size()];
    case 8:
      return atoms[random() % 20] == "\\pL"
                 ? "c"
                 : "(?:" + atoms[random() % 20] + ")" + quantifiers[random() % quantifiers.size()];
    default: {
      static const std::vector<std::string> assertions = {"^", "$", "\\b", "\\B"};
      return nested() + assertions[random() % 4] + nested();
    }
  }
}

TEST(RegexTest, AgreesWithRe2) {
  const std::vector<std::string> letters = {"a", "b", "c", "é", "漢", "0", "9", "_", " ", ".", "+", "-", "😀"};
  std::mt19937 random(2024);
  std::size_t compared = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::string text = random_re2_pattern(random, 4);
    const RE2 re2(text, RE2::Quiet);
    if (!re2.ok()) continue;  // RE2 bounds the product of counts at 1000
    ExprArena whole_arena;
    ExprArena search_arena;
    PatternOptions search;
    search.search = true;
    const auto whole = parse_pattern(whole_arena, text, {});
    const auto anywhere = parse_pattern(search_arena, text, search);
    ASSERT_TRUE(whole.ok()) << text << ": " << whole.error().to_string();
    ASSERT_TRUE(anywhere.ok()) << text << ": " << anywhere.error().to_string();
    for (int i = 0; i < 40; ++i) {
      std::string subject;
      if (i % 4 == 3) {
        // A text that matches, or is one letter off.
        subject = whole_arena.shortest_text(*whole).value_or("");
        if (i % 8 == 7) subject += letters[random() % letters.size()];
      } else {
        for (unsigned n = random() % 7; n > 0; --n) subject += letters[random() % letters.size()];
      }
      ASSERT_EQ(whole_arena.matches(*whole, subject), RE2::FullMatch(subject, re2))
          << text << " on \"" << subject << '"';
      ASSERT_EQ(search_arena.matches(*anywhere, subject), RE2::PartialMatch(subject, re2))
          << text << " anywhere in \"" << subject << '"';
      ++compared;
    }
  }
  EXPECT_GT(compared, 50'000U);
}

TEST(RegexTest, AnyBytesAsPattern) {
  // Nothing but a value or an error comes of it, and what comes holds only well-formed texts.
  const std::string pieces = "()[]{}*+?|^$\\.-,:=!<>dDwWsSbBpPuxcnk019azLé\xC3\xFF\n";
  std::mt19937 random(9);
  std::size_t good = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string pattern;
    for (unsigned n = random() % 14; n > 0; --n) pattern += pieces[random() % pieces.size()];
    Limits limits;
    limits.max_expressions = 20'000;
    ExprArena arena(limits);
    PatternOptions options;
    options.search = random() % 2 == 0;
    const auto e = parse_pattern(arena, pattern, options);
    if (!e) continue;
    ++good;
    EXPECT_FALSE(arena.matches(*e, "\xC3")) << pattern;
    EXPECT_FALSE(arena.matches(*e, "a\xFF")) << pattern;
    EXPECT_FALSE(arena.matches(*e, "\xED\xA0\x80")) << pattern;
  }
  EXPECT_GT(good, 1000U);
}

}  // namespace
}  // namespace weir
