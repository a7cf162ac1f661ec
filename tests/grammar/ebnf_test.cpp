// The EBNF front end: both spellings, errors with places, hostile input, and the cases from the field.
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "grammar/notation_cases.hpp"
#include "reference/rule_recognizer.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir {
namespace {

using reference::AutomatonRecognizer;

using cases::Language;
using cases::Refusal;
using cases::repeated;

Result<Grammar> parse(const std::string& grammar) { return parse_ebnf(grammar); }

TEST(Ebnf, Iso) {
  const std::vector<Language> languages{
      {"list", R"(start = "[" digit {"," digit} "]"; digit = [0-9];)", {"[1]", "[1,2,3]"}, {"[]", "[1,]", "[12]", ""}},
      {"commas", "a = 'x', ['y'], {'z'};", {"x", "xy", "xzz", "xyz"}, {"", "y", "xyy"}},
      {"dot ends a rule", "a = b, b. b = 'x' | 'y'.", {"xx", "xy"}, {"x", "xyx"}},
      {"no terminator", "a = b b\nb = 'x'", {"xx"}, {"x"}},
      {"colon equals", "a := ['x'] 'y'", {"y", "xy"}, {"x"}},
      {"count", "a = 3 * 'ab', 2 * ('x' | 'y');", {"abababxy"}, {"ababxy", "abababx"}},
      {"count in an option", "a = [3 * 'x'] {2 * 'y'};", {"", "xxx", "yy", "xxxyyyy"}, {"x", "y", "xxxy"}},
      {"one or more", "a = {'x' b}-; b = 'y';", {"xy", "xyxy"}, {"", "x"}},
      {"exception",
       "a = {letter - vowel}; letter = [a-z]; vowel = 'a' | 'e' | 'i' | 'o' | 'u';",
       {"", "xyz"},
       {"xa", "e"}},
      {"comments", "(* a (* nested *) one *) a (* : *) = (* = *) 'x' (* ; *) ; (**)", {"x"}, {"", "xx"}},
      {"quotes", R"(a = "it's" | 'say "hi"';)", {"it's", "say \"hi\""}, {"its"}},
      {"hyphenated names", "my-rule = sub-rule - 'b'; sub-rule = 'a' | 'b';", {"a"}, {"b"}},
      {"classes in = rules",
       R"(a = [^x] [a-zA-Z_] [+] [\n] [#x41] [0123] [.,;];)",
       {"yb+\nA0.", "0_+\nA3;"},
       {"xb+\nA0.", "yb\nA4."}},
      {"options in = rules",
       "a = [b] [ b ] ['c'] [(b)] [[b]] [{b}] [b|'d']; b = 'b';",
       {"", "bbbbb", "bbcbbbbbd"},
       {"c[", "bcd["}},
      {"suffixes too", "a = 'x'? ('y' | 'z')+ [0-9]{2,3};", {"xy00", "zzy123"}, {"x00", "y0"}},
      {"empty rule", "a = 'x' b 'y'; b = ;", {"xy"}, {"x"}},
      {"recursion", "s = '(' s ')' s | ;", {"", "()", "(())()"}, {"(", ")("}},
  };
  cases::check_languages(parse, languages);
}

TEST(Ebnf, W3c) {
  const std::vector<Language> languages{
      {"classes", "Name ::= [a-z#x41-#x5A_] [^#x20-#x7F]*", {"a", "Zé", "_éé"}, {"", "1", "aa"}},
      {"codes", "a ::= #x48 #x69 | #x1F600", {"Hi", "\U0001F600"}, {"hi", "H"}},
      {"suffixes", "a ::= 'x'? 'y'* 'z'+", {"z", "xyyz", "zz"}, {"", "xy"}},
      {"counts", "a ::= 'x'{2} 'y'{1,} 'z'{,2} 'w'{1,3}", {"xxyw", "xxyyyzzwww"}, {"xyw", "xxyzzzw", "xxywwww"}},
      {"several rules", "a ::= b c\nb ::= 'b'\n  | 'B'\nc ::= 'c'", {"bc", "Bc"}, {"b"}},
      {"comments", "/* one */ a ::= 'x' // two\n# three ::= 'y'\n 'z' /* four */", {"xz"}, {"x", "xyz"}},
      {"exception",
       R"(a ::= '<!--' (([#x1-#x10FFFF]* - ([#x1-#x10FFFF]* '--' [#x1-#x10FFFF]*))) '-->')",
       {"<!---->", "<!--a-b-->"},
       {"<!--a--b-->"}},
      {"exception through rules",
       "PITarget ::= Name - (('X' | 'x') ('M' | 'm') ('L' | 'l'))\nName ::= [A-Za-z]+",
       {"php", "xmlish", "XM"},
       {"xml", "XmL", ""}},
      {"any character", "a ::= 'x' . 'y'", {"xzy", "xéy", "x\ny"}, {"xy", "xzzy", "x\xC3y"}},
      {"escapes",
       R"(a ::= "\n\t\\\"\x41\u00e9\u{1F600}\U0001F600\ud83d\ude00\/")",
       {"\n\t\\\"Aé\U0001F600\U0001F600\U0001F600/"},
       {"n"}},
      {"escapes in classes", R"(a ::= [\]\[\-\^\\x]+ [a-] [-a] [\x41-\x43])", {"]-^\\[x-aB", "xaaA"}, {"]", "b-aB"}},
      {"blank class", "a ::= [ ] [ \\t]*", {" ", "  \t"}, {"", "\t"}},
      {"hash in class", "a ::= [#a] [#x23]", {"##", "a#"}, {"#a", "x#"}},
      {"nothing in front", "ws ::= | ' ' ws", {"", "   "}, {"x"}},
      {"semicolons", "a ::= 'x' b; b ::= 'y';", {"xy"}, {"x"}},
      {"braces repeat", "a ::= 'x' {'y'} {'z'}", {"x", "xyyz"}, {"y"}},
      {"mixed operators", "a ::= [b] c\nc = ['c'] 'd';", {"bd", "bcd"}, {"d", "cd"}},
  };
  cases::check_languages(parse, languages);
}

TEST(Ebnf, SpellingsMeanTheSame) {
  auto arena = std::make_shared<ExprArena>();
  EbnfOptions options;
  options.arena = arena;
  const auto id_of = [&](const char* text) {
    const Result<Grammar> grammar = parse_ebnf(text, options);
    EXPECT_TRUE(grammar) << text << ": " << grammar.error().to_string();
    EXPECT_EQ(grammar->start().kind, Symbol::Kind::kExpression) << text;
    return grammar->start().id;
  };
  const ExprId iso = id_of("list = '[', digit, {',', digit}, ']'; digit = '0' | '1' | '2' | '3' | '4' | '5';");
  EXPECT_EQ(iso, id_of("list ::= '[' digit (',' digit)* ']'\ndigit ::= [0-5]"));
  EXPECT_EQ(iso, id_of("# GBNF\nroot ::= \"[\" [0-5] (\",\" [0-5])* \"]\"\n"));
  EXPECT_EQ(iso, id_of("a := \"[\" [0-5] {(* x *) \",\", [#x30-#x35]} \"]\"."));
  EXPECT_EQ(arena->dump(iso), "([5b] [30-35] ([2c] [30-35]){0,} [5d])");
}

TEST(Ebnf, StartRule) {
  const char* const text = "a = 'a'; root = 'r'; start = 's';";
  const auto accepts = [](const char* grammar_text, const char* start, const char* word) {
    EbnfOptions options;
    options.start = start;
    const Result<Grammar> grammar = parse_ebnf(grammar_text, options);
    return grammar && AutomatonRecognizer(*grammar).matches(word);
  };
  EXPECT_TRUE(accepts(text, "", "s"));
  EXPECT_TRUE(accepts(text, "a", "a"));
  EXPECT_TRUE(accepts("a = 'a'; root = 'r';", "", "r"));
  EXPECT_TRUE(accepts("b = 'b'; a = 'a';", "", "b"));
  EbnfOptions options;
  options.start = "rot";
  const Result<Grammar> missing = parse_ebnf(text, options);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kArgument);
  EXPECT_EQ(missing.error().message, "the start rule 'rot' is not defined; did you mean 'root'?");
}

TEST(Ebnf, UnusedRulesAreWarnings) {
  const Result<Grammar> grammar = parse_ebnf("a = 'x';\n  b = 'y' c;\nc = 'z';");
  ASSERT_TRUE(grammar);
  ASSERT_EQ(grammar->warnings().size(), 2U);
  EXPECT_EQ(grammar->warnings()[0].message, "rule 'b' is never used");
  EXPECT_EQ(grammar->warnings()[0].pointer, "2:3");
}

TEST(Ebnf, ErrorsNamePlaceAndRemedy) {
  const std::vector<Refusal> refusals{
      {"", ErrorCode::kSyntax, 1, 1, "expected a rule, such as  name ::= \"text\" | [a-z]+, found the end of the text"},
      {"  # only a comment\n", ErrorCode::kSyntax, 2, 1, "expected a rule"},
      {"a", ErrorCode::kSyntax, 1, 2, "expected '::=' or '=' after the name of the rule, found the end of the text"},
      {"a = 'x'; b 'y';", ErrorCode::kSyntax, 1, 12, "expected '::=' or '=' after the name of the rule, found '''"},
      {"a = ('x' | 'y';", ErrorCode::kSyntax, 1, 15, "expected an item, '|', or ')', found ';'"},
      {"a ::= 'x' )", ErrorCode::kSyntax, 1, 11, "expected an item, '|', or the next rule, found ')'"},
      {"a = 'x', ;", ErrorCode::kSyntax, 1, 10, "expected an item after ',', found ';'"},
      {"a = 3 'x';", ErrorCode::kSyntax, 1, 7, "expected '*' after the count, found '''"},
      {"a ::=\n  \"é\" \"abc\nb ::= 'x'", ErrorCode::kSyntax, 2, 7, "not closed on its line"},
      {"a ::= 'abc", ErrorCode::kSyntax, 1, 7, "not closed on its line"},
      {"a ::= [abc\n", ErrorCode::kSyntax, 1, 7, "this character class is not closed"},
      {"a ::= []", ErrorCode::kSyntax, 1, 8, "expected a character of the class"},
      {"a ::= 'x' /* no end", ErrorCode::kSyntax, 1, 11, "this comment is not closed; end it with '*/'"},
      {"a = 'x' (* (* *) ;", ErrorCode::kSyntax, 1, 9, "this comment is not closed; end it with '*)'"},
      {R"(a ::= "\q")", ErrorCode::kSyntax, 1, 9, "expected an escape: \\n"},
      {R"(a ::= "\x4")", ErrorCode::kSyntax, 1, 10, "expected two hexadecimal digits after \\x, found '4'"},
      {R"(a ::= "\u00")", ErrorCode::kSyntax, 1, 10, "expected four hexadecimal digits"},
      {R"(a ::= "\ud800")", ErrorCode::kInvalid, 1, 14, "is no character"},
      {"a ::= #x110000", ErrorCode::kInvalid, 1, 15, "#x110000"},
      {"a ::= [z-a]", ErrorCode::kInvalid, 1, 11, "ends below its start"},
      {"a ::= 'x'{3,2}", ErrorCode::kInvalid, 1, 15, "{3,2}"},
      {"a ::= 'x'{99999999999999999999}", ErrorCode::kLimit, 1, 11, "max_repeat"},
      {"a = ? anything ?;", ErrorCode::kUnsupported, 1, 5, "special sequence"},
      {"a ::= 'x' digt\ndigit ::= [0-9]", ErrorCode::kInvalid, 1, 11,
       "rule 'digt' is not defined; did you mean 'digit'?"},
      {"a ::= nothing_like_it", ErrorCode::kInvalid, 1, 7, "is not defined; define it or correct its name"},
      {"a = 'x';\nb = 'y'; a = 'z';", ErrorCode::kInvalid, 2, 10, "rule 'a' is defined twice, first at 1:1"},
      {"a ::= b - 'x'\nb ::= '(' b ')' | 'x'", ErrorCode::kUnsupported, 1, 7, "two sides without recursive rules"},
      {"a ::= 'x' a", ErrorCode::kUnsatisfiable, 0, 0, "no text matches rule 'a'"},
      {"a ::= 'x' - 'x'", ErrorCode::kUnsatisfiable, 0, 0, "no text matches rule 'a'"},
      {"a ::= 'x\xFFy'", ErrorCode::kSyntax, 1, 9, "byte 0xff is not UTF-8"},
      {"a ::= 'é\xED\xA0\x80'", ErrorCode::kSyntax, 1, 9, "is not UTF-8"},
      {"\xEF\xBB\xBF"
       "a ::= 'x' )",
       ErrorCode::kSyntax, 1, 12, "found ')'"},
  };
  cases::check_refusals(parse, refusals);
}

TEST(Ebnf, DeepNestingIsAnError) {
  for (const char* const bracket : {"(", "{", "["}) {
    const Result<Grammar> grammar = parse_ebnf("a = " + repeated(bracket, 100'000) + "'x'");
    ASSERT_FALSE(grammar);
    EXPECT_EQ(grammar.error().code, ErrorCode::kLimit);
    EXPECT_EQ(grammar.error().line, 1U);
    EXPECT_NE(grammar.error().message.find("max_depth"), std::string::npos);
  }
  const Limits limits;
  const std::string deepest = "a ::= " + repeated("('x' ", limits.max_depth) + repeated(")?", limits.max_depth);
  const Result<Grammar> grammar = parse_ebnf(deepest);
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  EXPECT_TRUE(AutomatonRecognizer(*grammar).matches("xxx"));
}

TEST(Ebnf, LargeInputIsBounded) {
  Limits limits;
  limits.max_text_bytes = 10;
  EbnfOptions options;
  options.limits = limits;
  const Result<Grammar> long_text = parse_ebnf("a ::= 'xxxxxxxxxxxxxx'", options);
  ASSERT_FALSE(long_text);
  EXPECT_EQ(long_text.error().code, ErrorCode::kLimit);
  EXPECT_NE(long_text.error().message.find("max_text_bytes"), std::string::npos);

  options.limits = {};
  options.limits.max_rules = 3;
  const Result<Grammar> rules = parse_ebnf("a ::= 'x'\nb ::= a\nc ::= a\nd ::= a\n", options);
  ASSERT_FALSE(rules);
  EXPECT_EQ(rules.error().code, ErrorCode::kLimit);
  EXPECT_EQ(rules.error().line, 4U);

  options.limits = {};
  options.limits.max_expressions = 1000;
  const Result<Grammar> items = parse_ebnf("a ::= " + repeated("a ", 2000), options);
  ASSERT_FALSE(items);
  EXPECT_EQ(items.error().code, ErrorCode::kLimit);

  // Suffixes on suffixes make a deep tree from flat text.
  const Result<Grammar> suffixes = parse_ebnf("a ::= b" + repeated("{2,3}", 50'000) + "\nb ::= '(' b ')' | 'x'");
  ASSERT_FALSE(suffixes);
  EXPECT_EQ(suffixes.error().code, ErrorCode::kLimit);
}

TEST(Ebnf, TwoThousandRulesCompileAtOnce) {
  std::string text = "root ::= r0\n";
  for (int i = 0; i < 2000; ++i) {
    const std::string n = std::to_string(i);
    text += "r" + n + " ::= \"k" + n + "\" [a-z]+ (\"(\" r" + std::to_string((i + 1) % 2000) + " \")\" | r" +
            std::to_string((i * 7 + 3) % 2000) + " \"!\" | \";\")\n";
  }
  const auto begin = std::chrono::steady_clock::now();
  const Result<Grammar> grammar = parse_ebnf(text);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  EXPECT_EQ(grammar->rules().size(), 2000U);
  EXPECT_LT(elapsed.count(), 30.0);  // 0.1 s in a release build; quadratic work would take minutes
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

TEST(Ebnf, CasesFromTheField) {
  const std::string path = std::string(WEIR_SHARED_DATA) + "/cases/ebnf.jsonl";
  std::ifstream file(path);
  ASSERT_TRUE(file) << "this test needs " << path;
  int cases = 0;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json test = nlohmann::json::parse(line);
    SCOPED_TRACE(test.at("id").get<std::string>());
    ++cases;
    const Result<Grammar> grammar = parse_ebnf(test.at("grammar").get<std::string>());
    if (!grammar) {
      ADD_FAILURE() << grammar.error().to_string();
      continue;
    }
    AutomatonRecognizer recognizer(*grammar);
    for (const auto& text : test.at("accept")) {
      EXPECT_TRUE(recognizer.matches(text.get<std::string>())) << "rejects " << text;
    }
    for (const auto& text : test.at("reject")) {
      EXPECT_FALSE(recognizer.matches(text.get<std::string>())) << "accepts " << text;
    }
    for (const auto& hex : test.value("accept_bytes_hex", nlohmann::json::array())) {
      EXPECT_TRUE(recognizer.matches(from_hex(hex.get<std::string>()))) << "rejects " << hex;
    }
    for (const auto& hex : test.value("reject_bytes_hex", nlohmann::json::array())) {
      EXPECT_FALSE(recognizer.matches(from_hex(hex.get<std::string>()))) << "accepts " << hex;
    }
    for (const auto& bad : test.value("compile_error_grammars", nlohmann::json::array())) {
      EXPECT_FALSE(parse_ebnf(bad.get<std::string>())) << bad;
    }
  }
  EXPECT_GE(cases, 12);
}

// Whole programs: short ones by hand, for the recogniser is slow.
TEST(Ebnf, CLikeGrammar) {
  const std::string path = std::string(WEIR_SHARED_DATA) + "/grammars/c_like.jsonl";
  std::ifstream file(path);
  std::string line;
  ASSERT_TRUE(std::getline(file, line)) << "this test needs " << path;
  const Result<Grammar> grammar = parse_ebnf(nlohmann::json::parse(line).at("gbnf").get<std::string>());
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  AutomatonRecognizer recognizer(*grammar);
  EXPECT_TRUE(recognizer.matches("let x = 1;"));
  EXPECT_TRUE(recognizer.matches("if (a && !b) { f(1, \"s\")[2].m; } else { }"));
  EXPECT_TRUE(recognizer.matches(" while(x<=3*(y+1)) { x = x - - 1; }"));
  EXPECT_TRUE(recognizer.matches(""));
  EXPECT_FALSE(recognizer.matches("letx = 1"));
  EXPECT_FALSE(recognizer.matches("if (a { }"));
  EXPECT_FALSE(recognizer.matches("x = ;"));
}

}  // namespace
}  // namespace weir
