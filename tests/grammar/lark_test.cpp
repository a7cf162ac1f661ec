// The Lark front end: rules, terminals, %ignore and %import, regular expressions, refusals with places, hostile input.
#include <random>
#include <string>
#include <vector>

#include "grammar/notation_cases.hpp"

namespace weir {
namespace {

using cases::repeated;
using reference::AutomatonRecognizer;

Result<Grammar> parse(const std::string& text) { return parse_lark(text); }

TEST(Lark, Rules) {
  cases::check_languages(
      parse, {
                 {"list",
                  "start: \"[\" [item (\",\" item)*] \"]\"\nitem: NUM | start\nNUM: /[0-9]+/",
                  {"[]", "[1]", "[1,[22,3]]"},
                  {"[1,]", "", "[ 1]"}},
                 {"lines that begin with a bar",
                  "start: \"a\"\n     | \"b\"  // two\n  # nothing\n\n  | \"c\"\n",
                  {"a", "b", "c"},
                  {""}},
                 {"nothing behind the colon", "start:\n  | \"a\"\n  | \"b\"", {"", "a", "b"}, {"ab"}},
                 {"brackets take lines", "start: (\n \"a\"\n | \"b\" [\n\"c\"\n]\n)", {"a", "b", "bc"}, {"c"}},
                 {"marks of tree shaping", "?start: _x -> one | y\n!y: \"y\"\n_x: \"x\"", {"x", "y"}, {"xy"}},
                 {"marks together", "!?start: \"a\" -> a\n", {"a"}, {""}},
                 {"suffixes", "start: \"a\"? \"b\"* \"c\"+ (\"d\" \"e\")*", {"c", "abbccdede"}, {"", "ab", "cd"}},
                 {"counts",
                  "start: \"a\" ~ 2 \"b\"~1..2 \"c\"{2} \"d\"{1,} \"e\"{,1} \"f\"{0,2}",
                  {"aabccd", "aabbccdddeff"},
                  {"abccd", "aabbbccd", "aabcd", "aabcc", "aabccdee", "aabccdfff"}},
                 {"counts of groups", "start: (\"a\" | \"b\")~2 [\"c\"]{2,3}", {"ab", "bbccc"}, {"a", "abcccc"}},
                 {"names with hyphens", "start: a-b A-B\na-b: \"x\"\nA-B: \"y\"", {"xy"}, {"x"}},
                 {"recursion of any kind",
                  "start: start \"+\" start | \"(\" start \")\" | /[0-9]/",
                  {"1", "1+(2+3)"},
                  {"1+", "()"}},
                 {"empty string", "start: \"\" \"a\" | \"\"", {"", "a"}, {"aa"}},
                 {"comments", "// one\n# two\nstart: \"#\" \"//\" // three\n#four", {"#//"}, {"#"}},
                 {"carriage returns", "start: a\r\n  | \"b\"\r\na: \"x\"\r\n", {"x", "b"}, {""}},
                 {"llguidance's mark", "%llguidance {}\nstart: \"a\"", {"a"}, {""}},
             });
}

TEST(Lark, StringsAndRanges) {
  cases::check_languages(
      parse,
      {
          {"escapes", R"(start: "\"\\\/\b\f\n\r\t\u00e9\x41\ud83d\ude00")", {"\"\\/\b\f\n\r\téA\U0001F600"}, {"A"}},
          {"flag i",
           R"(start: "SeLect"i "x")",
           {"selectx", "SELECTx", "sElEcTx", "\u017Felectx"},
           {"selectX", "select"}},
          {"flag i, beyond ASCII", R"(start: "Ärger Σ"i)", {"ärger σ", "ÄRGER Σ", "ärger ς"}, {"arger σ"}},
          {"no flag before a name", "start: \"a\"if\nif: \"f\"", {"af"}, {"AF", "aif"}},
          {"range", R"(start: "a".."c" "0" .. "9" "α".."ω")", {"a0α", "c9ω"}, {"d0α", "A0α", "a0Ω"}},
          {"range of escapes", R"(start: "\u0041".."\x43" "\n".."\n")", {"A\n", "C\n"}, {"D\n"}},
          {"a bar in a string", "start: \"|\" \"\\n|\"", {"|\n|"}, {"|"}},
      });
}

TEST(Lark, Terminals) {
  cases::check_languages(
      parse,
      {
          {"of terminals",
           "start: FLOAT\nFLOAT: INT \".\" INT | \"-\"? INT\nINT: DIGIT+\nDIGIT: \"0\"..\"9\"",
           {"1.25", "-3", "10"},
           {"-1.2", ".", "1."}},
          {"before their definition", "start: A\nA: B~2\nB: C | \"b\"\nC: \"c\"", {"bc", "cc"}, {"b"}},
          {"and", "start: WORD\nWORD: /[a-z]+/ & /.{2,3}/", {"ab", "abc"}, {"a", "abcd", "A1"}},
          {"and binds looser than a sequence",
           "start: A\nA: \"a\" /[a-z]/ & /[a-z]/ \"b\" | \"c\"",
           {"ab", "c"},
           {"aa", "bb"}},
          {"not", "start: NAME\nNAME: /[a-z]+/ & ~(\"if\" | \"else\")", {"i", "iff", "elsewhere"}, {"if", "else", ""}},
          {"not binds tighter than suffixes", "start: A\nA: /[ab]*/ & ~\"a\"+", {"", "b", "ba", "aa"}, {"a", "ac"}},
          {"no two line feeds in a row",
           R"(start: LINES
LINES: /[a-z \n]*/ & ~/(?s:.*)\n\n(?s:.*)/)",
           {"", "a\nb\n", "\n"},
           {"a\n\nb", "\n\n", "A"}},
          {"not alone",
           "start: \"<\" A \">\"\nA: ~/(?s:.*)>(?s:.*)/",
           {"<>", "<abc>", "<\n>", "<é>"},
           {"<a>b>", "<\xC3>"}},
          {"not not", "start: A\nA: ~~\"a\"", {"a"}, {"", "b"}},
          {"operators in rules", "start: (ID & ~\"if\") \";\"\nID: /[a-z]+/", {"x;", "iff;"}, {"if;", ";"}},
          {"a terminal as start of a rule", "start: _NL\n_NL: /\\r?\\n/", {"\n", "\r\n"}, {"\r"}},
      });
}

TEST(Lark, Ignore) {
  cases::check_languages(
      parse,
      {
          {"behind each lexeme",
           "start: \"a\" B~2\nB: \"b\" \"c\"\n%ignore / +/",
           {"abcbc", "a bc  bc ", "abc bc"},
           {" abcbc", "ab cbc"}},
          {"several",
           "start: \"a\"+\n%ignore \" \"\n%ignore /#[^\\n]*\\n/",
           {"aa", "a # c\n a", "a #\n#\n"},
           {"a#a", "# \na"}},
          {"before the definition",
           "%ignore WS\n%import common.WS\nstart: \"a\" \"b\"",
           {"ab", "a \n\t b\n"},
           {" ab", "a\vb"}},
          {"empty lexemes are none", "start: /x*/ \"a\" \"\"\n%ignore \" \"", {"a", "xx a ", "a "}, {" a", "x x a"}},
          {"nothing inside operators",
           "start: (ID & ~\"if\") \";\"\nID: /[a-z]+/\n%ignore \" \"",
           {"x ; ", "iff;"},
           {"if;", "i f;"}},
          {"rules called again",
           "start: pair (\",\" pair)*\npair: \"(\" N \",\" N \")\"\nN: /[0-9]+/\n%ignore /[ ]/",
           {"( 1, 2 ) , (3,4)"},
           {"(1 2)", "(1 0,2),"}},
      });
}

TEST(Lark, Imports) {
  const std::vector<cases::Language> terminals{
      {"DIGIT", "", {"0", "9"}, {"", "00", "a"}},
      {"HEXDIGIT", "", {"0", "a", "F"}, {"g", ""}},
      {"INT", "", {"0", "007"}, {"", "-1", "1.0"}},
      {"SIGNED_INT", "", {"0", "-1", "+07"}, {"", "-", "--1"}},
      {"DECIMAL", "", {"1.", ".5", "1.5"}, {".", "1", "1.5e1"}},
      {"FLOAT", "", {"1.", ".5", "1e5", "1.5E-10"}, {"1", "e5", "-1.5"}},
      {"SIGNED_FLOAT", "", {"-1.", "+.5e0", "1e5"}, {"-1", "1"}},
      {"NUMBER", "", {"1", "1.", ".5", "1.5e+10", "1e5"}, {"", ".", "-1", "e1"}},
      {"SIGNED_NUMBER", "", {"-1", "+1.5", "1e-5", ".5"}, {"-", "1e"}},
      {"ESCAPED_STRING", "", {R"("")", R"("a \" \\ é")"}, {R"(")", R"("a\")", R"("a"b")", "\"\n\"", "\"\\\n\""}},
      {"LCASE_LETTER", "", {"a"}, {"A", "é"}},
      {"UCASE_LETTER", "", {"A"}, {"a"}},
      {"LETTER", "", {"a", "Z"}, {"1", "ab"}},
      {"WORD", "", {"abC"}, {"", "a1"}},
      {"CNAME", "", {"_a1", "x"}, {"1a", "a-b", ""}},
      {"WS_INLINE", "", {" \t"}, {"", "\n"}},
      {"WS", "", {" \t\f\r\n"}, {"", "\v", "a"}},
      {"CR", "", {"\r"}, {"\n"}},
      {"LF", "", {"\n"}, {"\r"}},
      {"NEWLINE", "", {"\n", "\r\n\n"}, {"\r", ""}},
      {"SH_COMMENT", "", {"#", "# a # b"}, {"a", "#\n"}},
      {"CPP_COMMENT", "", {"//", "// é"}, {"/", "//\n"}},
      {"C_COMMENT", "", {"/**/", "/* a\n * b */", "/***/"}, {"/*/", "/* */ */", "/*"}},
      {"SQL_COMMENT", "", {"--", "-- a"}, {"-", "--\n"}},
  };
  for (cases::Language one : terminals) {
    one.grammar = std::string("start: ") + one.name + "\n%import common." + one.name;
    cases::check_languages(parse, {one});
  }
  cases::check_languages(parse,
                         {
                             {"renamed", "%import common.INT -> NUM\nstart: NUM", {"12"}, {""}},
                             {"several", "%import common (INT, WS)\n%ignore WS\nstart: INT INT", {"1 2 ", "12"}, {"1"}},
                         });
}

TEST(Lark, RegularExpressions) {
  cases::check_languages(
      parse,
      {
          {"dot", R"(start: /a.b/)", {"axb", "a\rb", "a\u2028b", "aéb"}, {"a\nb", "ab"}},
          {"flag s", R"(start: /a.b/s)", {"a\nb"}, {"ab"}},
          {"flag i", R"(start: /[a-c]x\.é/i)", {"aX.É", "Bx.é"}, {"dx.é"}},
          {"flag i and negation", R"(start: /[^k]/i)", {"a", "1"}, {"k", "K", "\u212A"}},
          {"flag x", "start: /a  b # one\n  \\  \\# * c {2}/x", {"ab cc", "ab ##cc"}, {"abcc", "ab #c"}},
          {"inline flags", R"(start: /(?i)ab(?-i:c)(?s:.)(?i-s:D)/)", {"ABc\nd", "abcxD"}, {"ABC\nd"}},
          {"inline flags end with their group", R"(start: /((?i)a|b)c/)", {"Ac", "Bc"}, {"aC"}},
          {"flags together", R"(start: /A.b/is)", {"a\nB"}, {"ab"}},
          {"flags without effect", R"(start: /a+/mu)", {"aa"}, {""}},
          {"slashes", R"(start: /\/\*[^\/]*/ "/")", {"/*a/"}, {"/*/a"}},
          {"groups", R"(start: /(?:a|b)(?P<x>c)(?<y>d)/)", {"acd", "bcd"}, {"abcd"}},
          {"classes of Unicode", R"(start: /\d\w\s\D\W\S/)", {"1a x-y", "٣é\u00A0x-y"}, {"aa x-y"}},
          {"properties", R"(start: /\pL\p{Lu}\P{Lu}\p{Greek}\p{Script=Greek}/)", {"éÉ1ωΩ"}, {"1É1ωΩ", "éé1ωΩ"}},
          {"escapes",
           R"(start: /\x41\u0042\U00000043\x{44}\u{45}\a\t\n\r\f\v\-\_\"\//)",
           {"ABCDE\a\t\n\r\f\v-_\"/"},
           {""}},
          {"repetition", R"(start: /a{2}b{1,}c{1,2}d{,1}/)", {"aabc", "aabbccd"}, {"aabcccd", "aabcdd"}},
          {"bracket in front", R"(start: /[]a][^]a]/)", {"]b", "ab"}, {"]]", "a"}},
          {"hyphens", R"(start: /[a-][-a][\w-]/)", {"--x", "aa-"}, {"b-x"}},
          {"POSIX classes", R"(start: /[[:alpha:]_][[:^alpha:]][[:punct:][:digit:]]/)", {"a11", "_-+"}, {"111", "aa1"}},
          {"literal braces", R"(start: /{"a":}/)", {R"({"a":})"}, {""}},
      });
}

TEST(Lark, TerminalsAreExpressions) {
  auto arena = std::make_shared<ExprArena>();
  const auto start_of = [&](const char* text) {
    const Result<Grammar> grammar = parse_lark(text, {.arena = arena});
    EXPECT_TRUE(grammar) << text << ": " << grammar.error().to_string();
    EXPECT_EQ(grammar->start().kind, Symbol::Kind::kExpression) << text;
    return arena->dump(grammar->start().id);
  };
  EXPECT_EQ(start_of("start: A \",\" A\nA: DIGIT+\nDIGIT: \"0\"..\"9\""), start_of("start: /[0-9]+,[0-9]+/"));
  EXPECT_EQ(start_of("start: \"a\" \"b\"\n%ignore \" \""), start_of("start: /a *b */"));
}

TEST(Lark, ErrorsNamePlaceAndRemedy) {
  cases::check_refusals(
      parse,
      {
          {"", ErrorCode::kInvalid, 1, 1, "the grammar has no rule 'start', with which it starts"},
          {"strat: \"a\"", ErrorCode::kInvalid, 1, 11, "did you mean 'strat'?"},
          {"start \"a\"", ErrorCode::kSyntax, 1, 7, "expected ':' after the name, found '\"'"},
          {"start: \"a\" )", ErrorCode::kSyntax, 1, 12, "expected an item, '|', or the end of the line, found ')'"},
          {"start: (\"a\"\nb: \"c\"", ErrorCode::kSyntax, 2, 2, "expected an item, '|', or ')', found ':'"},
          {"start: [\"a\" | \"b\")", ErrorCode::kSyntax, 1, 18, "expected an item, '|', or ']', found ')'"},
          {"start:\n  \"a\"", ErrorCode::kSyntax, 2, 3, "goes on in the next line only where that begins with '|'"},
          {"start: \"a\" |\n  \"b\"", ErrorCode::kSyntax, 2, 3, "goes on in the next line"},
          {"start: \"a\n", ErrorCode::kSyntax, 1, 8, "this string is not closed on its line"},
          {"start: 'a'", ErrorCode::kSyntax, 1, 8, "found '''"},
          {"start: \"\\q\"", ErrorCode::kSyntax, 1, 10, "expected an escape"},
          {"start: \"a\" +*", ErrorCode::kSyntax, 1, 13, "found '*'"},
          {"start: \"a\"{x}", ErrorCode::kSyntax, 1, 12, "expected a count"},
          {"start: \"a\"~3..2", ErrorCode::kInvalid, 1, 16, "{3,2}"},
          {"start: \"a\"~99999999", ErrorCode::kLimit, 1, 12, "max_repeat"},
          {"start: \"ab\"..\"c\"", ErrorCode::kInvalid, 1, 8, "from one character to another"},
          {"start: \"z\"..\"a\"", ErrorCode::kInvalid, 1, 16, "ends below its start"},
          {"start: \"a\"..b", ErrorCode::kSyntax, 1, 13, "expected the end of the range, in double quotes"},
          {"start: ~", ErrorCode::kSyntax, 1, 9, "what not to match, or a count, after '~'"},
          {"start: fooBar", ErrorCode::kSyntax, 1, 8, "the name 'fooBar' mixes cases"},
          {"start: \"a\" -> ", ErrorCode::kSyntax, 1, 15, "expected a name after '->'"},
          {"start: digt\ndigit: /[0-9]/", ErrorCode::kInvalid, 1, 8,
           "rule 'digt' is not defined; did you mean 'digit'?"},
          {"start: DIGT\nDIGIT: /[0-9]/", ErrorCode::kInvalid, 1, 8,
           "terminal 'DIGT' is not defined; did you mean 'DIGIT'?"},
          {"start: \"a\"\nstart: \"b\"", ErrorCode::kInvalid, 2, 1, "rule 'start' is defined twice, first at 1:1"},
          {"start: A\nA: \"a\"\n%import common.INT -> A", ErrorCode::kInvalid, 3, 23,
           "terminal 'A' is defined twice, first at 2:1"},
          {"start: A\nA: b\nb: \"b\"", ErrorCode::kInvalid, 2, 4, "the rule 'b' cannot stand here"},
          {"start: A & b\nA: \"a\"\nb: \"b\"", ErrorCode::kInvalid, 1, 12, "the rule 'b' cannot stand here"},
          {"start: A\nA: \"(\" B \")\"\nB: A | \"x\"", ErrorCode::kInvalid, 3, 4,
           "terminal 'A' leads back to itself here"},
          {"start: A\nA: A", ErrorCode::kInvalid, 2, 4, "must be a rule, with a lower-case name"},
          {"%ignore\nstart: \"a\"", ErrorCode::kSyntax, 1, 8, "expected what to ignore"},
          {"%ignore b\nstart: \"a\"\nb: \" \"", ErrorCode::kInvalid, 1, 9, "the rule 'b' cannot stand here"},
          {"%import common.WSP\nstart: \"a\"", ErrorCode::kInvalid, 1, 16,
           "'common' has no terminal 'WSP'; it has DIGIT, "},
          {"%import common\nstart: \"a\"", ErrorCode::kSyntax, 1, 9, "expected what to import"},
          {"%import common.WS -> ws\nstart: \"a\"", ErrorCode::kInvalid, 1, 22, "upper case"},
          {"%import common (WS\nstart: \"a\"", ErrorCode::kSyntax, 2, 1, "expected ',' or ')'"},
          {"start: \"a\" root", ErrorCode::kInvalid, 1, 12, "rule 'root' is not defined"},
          {"start: \"a\" start", ErrorCode::kUnsatisfiable, 0, 0, "no text matches rule 'start'"},
          {"start: A\nA: \"a\" & \"b\"", ErrorCode::kUnsatisfiable, 0, 0, "no text matches rule 'start'"},
          {"start: \"\xFF\"", ErrorCode::kSyntax, 1, 9, "byte 0xff is not UTF-8"},
      });
}

TEST(Lark, WhatIsNotSupportedIsRefused) {
  cases::check_refusals(
      parse,
      {
          {"start.2: \"a\"", ErrorCode::kUnsupported, 1, 6, "priorities"},
          {"start: A\nA.-1: \"a\"", ErrorCode::kUnsupported, 2, 2, "priorities"},
          {"start: sep{a, b}\n", ErrorCode::kUnsupported, 1, 11, "templates"},
          {"sep{a}: a\n", ErrorCode::kUnsupported, 1, 4, "templates"},
          {"start::_: \"a\"", ErrorCode::kUnsupported, 1, 6, "parametric rules"},
          {"start[lazy]: \"a\"", ErrorCode::kUnsupported, 1, 6, "'lazy'"},
          {"start[suffix=\"x\"]: \"a\"", ErrorCode::kUnsupported, 1, 6, "'suffix'"},
          {"start[stop=\"\"]: \"a\"", ErrorCode::kUnsupported, 1, 6, "'stop'"},
          {"start[capture]: \"a\"", ErrorCode::kUnsupported, 1, 6, "'capture'"},
          {"start[ max_tokens=3]: \"a\"", ErrorCode::kUnsupported, 1, 6, "'max_tokens'"},
          {"start[temperature=0.5]: \"a\"", ErrorCode::kUnsupported, 1, 6, "'temperature'"},
          {"start[foo]: \"a\"", ErrorCode::kUnsupported, 1, 6, "attributes"},
          {"start: \"a\" <|eot|>", ErrorCode::kUnsupported, 1, 12, "special tokens"},
          {"start: <[1-3,^7]>", ErrorCode::kUnsupported, 1, 8, "sets of tokens"},
          {"start: @other", ErrorCode::kUnsupported, 1, 8, "other grammars"},
          {"start: %json {\"type\": \"object\"}", ErrorCode::kUnsupported, 1, 8, "%json"},
          {"start: %lark {\n}", ErrorCode::kUnsupported, 1, 8, "%lark"},
          {"start: %regex {}", ErrorCode::kUnsupported, 1, 8, "%regex"},
          {"%declare A\nstart: A", ErrorCode::kUnsupported, 1, 1, "%declare"},
          {"%override start: \"a\"", ErrorCode::kUnsupported, 1, 1, "%override"},
          {"%extend start: \"a\"", ErrorCode::kUnsupported, 1, 1, "%extend"},
          {"%llguidance {\"no_forcing\": true}\nstart: \"a\"", ErrorCode::kUnsupported, 1, 1, "%llguidance"},
          {"start: \"a\"\n  %foo", ErrorCode::kUnsupported, 2, 3, "%ignore and %import are"},
          {"%import python.NAME\nstart: NAME", ErrorCode::kUnsupported, 1, 9, "copy the definition of 'python.NAME'"},
          {"%import .mine.NAME\nstart: NAME", ErrorCode::kUnsupported, 1, 9, "only the terminals of 'common'"},
      });
}

TEST(Lark, ErrorsInRegularExpressions) {
  cases::check_refusals(
      parse, {
                 {"start: /abc", ErrorCode::kSyntax, 1, 8, "this regular expression is not closed on its line"},
                 {"start: /a\nb/", ErrorCode::kSyntax, 1, 8, "not closed on its line"},
                 {"start: \"é\" /é(b/", ErrorCode::kSyntax, 1, 14, "this group is not closed"},
                 {"start: A\nA: /a\n  (/x", ErrorCode::kSyntax, 3, 3, "this group is not closed"},
                 {"start: /a/l", ErrorCode::kUnsupported, 1, 11, "the flag l"},
                 {"start: /^a/", ErrorCode::kUnsupported, 1, 9, "anchors"},
                 {"start: /a$/", ErrorCode::kUnsupported, 1, 10, "anchors"},
                 {"start: /a\\b/", ErrorCode::kUnsupported, 1, 10, "word boundaries"},
                 {"start: /\\Aa\\z/", ErrorCode::kUnsupported, 1, 9, "anchors"},
                 {"start: /(?!a)b/", ErrorCode::kUnsupported, 1, 9, "look-arounds"},
                 {"start: /(?<=a)b/", ErrorCode::kUnsupported, 1, 9, "look-arounds"},
                 {"start: /a*?/", ErrorCode::kUnsupported, 1, 11, "lazy repetitions"},
                 {"start: /a{2}?/", ErrorCode::kUnsupported, 1, 13, "lazy repetitions"},
                 {"start: /a*+/", ErrorCode::kSyntax, 1, 11, "a quantifier follows a quantifier"},
                 {"start: /(a)\\1/", ErrorCode::kUnsupported, 1, 12, "back-references"},
                 {"start: /[a[b]]/", ErrorCode::kUnsupported, 1, 11, "read differently by Rust and Python"},
                 {"start: /[a-z&&b]/", ErrorCode::kUnsupported, 1, 13, "'&&'"},
                 {"start: /[a--b]/", ErrorCode::kUnsupported, 1, 11, "'--'"},
                 {"start: /[[:alhpa:]]/", ErrorCode::kSyntax, 1, 10, "there is no class [:alhpa:]"},
                 {"start: /[ a]/x", ErrorCode::kUnsupported, 1, 10, "write \\x20"},
                 {"start: /(?q)a/", ErrorCode::kSyntax, 1, 9, "'(?' starts none"},
                 {"start: /(?U)a/", ErrorCode::kUnsupported, 1, 11, "only the flags"},
                 {"start: /\\q/", ErrorCode::kSyntax, 1, 9, "unknown escape"},
                 {"start: /\\p{Klingon}/", ErrorCode::kSyntax, 1, 9, "no Unicode property"},
                 {"start: /a{3,2}/", ErrorCode::kSyntax, 1, 10, "out of order"},
                 {"start: /[b-a]/", ErrorCode::kSyntax, 1, 10, "out of order"},
             });
}

TEST(Lark, WarningsAndStart) {
  LarkOptions options;
  const std::string text =
      "start: \"a\"\nother: B\nB: \"b\"\nC: \"c\"\n%import common.WS\n%ignore WS\n%import common.INT";
  const Result<Grammar> grammar = parse_lark(text);
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  std::vector<std::string> warnings;
  for (const Warning& warning : grammar->warnings()) warnings.push_back(warning.pointer + " " + warning.message);
  EXPECT_EQ(warnings,
            (std::vector<std::string>{"2:1 rule 'other' is never used", "3:1 terminal 'B' is never used",
                                      "4:1 terminal 'C' is never used", "7:16 terminal 'INT' is never used"}));
  options.start = "other";
  const Result<Grammar> other = parse_lark(text, options);
  ASSERT_TRUE(other);
  EXPECT_TRUE(AutomatonRecognizer(*other).matches("b "));
  options.start = "C";
  EXPECT_TRUE(parse_lark(text, options));
  options.start = "D";
  EXPECT_EQ(parse_lark(text, options).error().code, ErrorCode::kArgument);
}

TEST(Lark, HostileInputIsBounded) {
  for (const char* const opening : {"(", "[", "~", "~(", "(\n"}) {
    const Result<Grammar> deep = parse_lark("start: " + repeated(opening, 300'000));
    ASSERT_FALSE(deep);
    EXPECT_EQ(deep.error().code, ErrorCode::kLimit) << deep.error().to_string();
  }
  EXPECT_TRUE(parse_lark("start: " + repeated("(\"x\" ", 512) + repeated(")?", 512)));
  const Result<Grammar> groups = parse_lark("start: /" + repeated("(", 1'000'000) + "/");
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error().code, ErrorCode::kLimit);
  // Each terminal is twice the one before.
  std::string doubling = "start: A0\n";
  for (int i = 0; i < 60; ++i) {
    doubling += "A" + std::to_string(i) + ": A" + std::to_string(i + 1) + " A" + std::to_string(i + 1) + "\n";
  }
  const Result<Grammar> twice = parse_lark(doubling + "A60: \"a\" | \"b\" A61\nA61: \"c\"");
  EXPECT_TRUE(twice || twice.error().code == ErrorCode::kLimit);
  std::string chain = "start: A0\n";
  for (int i = 0; i < 5000; ++i) {
    chain += "A" + std::to_string(i) + ": \"x\"? A" + std::to_string(i + 1) + " | \"y\"\n";
  }
  const Result<Grammar> deep = parse_lark(chain + "A5000: \"z\"");
  EXPECT_TRUE(deep || deep.error().code == ErrorCode::kLimit);
  for (const char* const part : {"a", " ", "\n", "|", "start: ", "\"", "/", "#", "\\", "a: b\n", "\"a\" ",
                                 "%ignore \" \"\n", "&", "~", "<", "a->", "\"a\"i ", "A ", "/a/i "}) {
    const std::string text = "start: " + repeated(part, 1'000'000 / std::string_view(part).size());
    const Result<Grammar> grammar = parse_lark(text);
    EXPECT_TRUE(grammar || !grammar.error().message.empty()) << part;
  }
  LarkOptions options;
  options.limits.max_rules = 3;
  const Result<Grammar> rules = parse_lark("start: a\na: b\nb: C\nC: \"c\"", options);
  ASSERT_FALSE(rules);
  EXPECT_EQ(rules.error().code, ErrorCode::kLimit);
  EXPECT_EQ(rules.error().line, 4U);
}

// One language in two spellings: the same verdict on its short texts, on changed ones, and on random ones.
void compare_spellings(const std::string& file, std::vector<std::string> texts, std::string_view alphabet) {
  SCOPED_TRACE(file);
  const nlohmann::json line = cases::shared_grammar(file);
  if (line.is_null()) return;
  const Result<Grammar> lark = parse_lark(line.at("lark").get<std::string>());
  const Result<Grammar> gbnf = parse_gbnf(line.at("gbnf").get<std::string>());
  ASSERT_TRUE(lark) << lark.error().to_string();
  ASSERT_TRUE(gbnf) << gbnf.error().to_string();
  for (const auto& test : line.at("tests")) {
    const std::string text = test.at("text").get<std::string>();
    if (text.size() < 40) texts.push_back(text);
  }
  std::mt19937 random(20240607);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::size_t given = texts.size();
  for (std::size_t i = 0; i < 400; ++i) {
    std::string text = i % 4 == 0 ? "" : texts[below(given)];
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(text.size() + 1);
      const char c = alphabet[below(alphabet.size())];
      if (at == text.size() || below(2) == 0) {
        text.insert(at, 1, c);
      } else {
        text[at] = c;
      }
    }
    texts.push_back(text);
  }
  AutomatonRecognizer one(*lark);
  AutomatonRecognizer other(*gbnf);
  std::size_t accepted = 0;
  for (const std::string& text : texts) {
    const bool verdict = one.matches(text);
    accepted += verdict ? 1 : 0;
    EXPECT_EQ(verdict, other.matches(text)) << text;
  }
  EXPECT_GT(accepted, given / 2);
  EXPECT_LT(accepted, texts.size() - 50);
}

TEST(Lark, SpellingsOfJsonAgree) {
  compare_spellings("json_rules.jsonl",
                    {"{}", " [1, -2.5e+3 ,\"a\\n\\u00e9\"]", "{\"a\": [true, null], \"b\":{\"c\" :0}}", "\"\"", "-0.0",
                     "[[],[[]] ]", "\"\\\\\\/\"", "1e5"},
                    "{}[]\",:0123.-+eEtruefalsn \\u\n");
}

TEST(Lark, SpellingsOfCLikeAgree) {
  compare_spellings("c_like.jsonl",
                    {"", "let x = 1;", "if(a&&!b){f(1,\"s\")[2].m;}else{}", "x=3*(y+1);", "return x;", "while(a<=b){ }",
                     "-x;", "letter=1;"},
                    "let xif()=;{}\"+-*&|!<1.,[]");
}

}  // namespace
}  // namespace weir
