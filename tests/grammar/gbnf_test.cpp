// The GBNF front end: what llama.cpp's reader reads, errors with places, hostile input.
#include <string>
#include <vector>

#include "grammar/notation_cases.hpp"

namespace weir {
namespace {

using cases::repeated;

Result<Grammar> parse(const std::string& text) { return parse_gbnf(text); }

TEST(Gbnf, Languages) {
  cases::check_languages(
      parse,
      {
          {"chess",
           "# the guide's example\n"
           "root ::= (\n"
           "    # a move\n"
           "    \"1. \" move \" \" move \"\\n\"\n"
           "\n"
           "    ([1-9] [0-9]? \". \" move \" \" move \"\\n\")+\n"
           ")\n"
           "move ::= (pawn | castle) [+#]?  # check\n"
           "pawn ::= [a-h] [1-8]\n"
           "castle ::= \"O-O\" \"-O\"?\n",
           {"1. e4 e5\n2. O-O O-O-O+\n", "1. a1# h8\n12. b2 c3\n"},
           {"1. e4 e5\n", "1. e4 e5\n2. O-O O-O-O+", "1. e9 e5\n2. a1 a1\n"}},
          {"bar at the end of a line", "root ::= \"a\" |\n  \"b\" |   # c\n\n \"c\"", {"a", "b", "c"}, {"", "ab"}},
          {"line break behind ::=", "root ::=\n\n  \"a\" b\nb ::= \"b\"", {"ab"}, {"a"}},
          {"carriage returns", "root ::= a\r\na ::= (\r\n\"x\"\r\n| \"y\"\r\n)\r\n\r\n", {"x", "y"}, {"", "xy"}},
          {"old line breaks", "root ::= a\ra ::= \"x\"", {"x"}, {""}},
          {"classes", R"(root ::= [a-c] [^a-c] [-x] [x-] [^\n\r])", {"ad-x ", "c\n--é"}, {"aa-xx", "add-x", "ad-x\n"}},
          {"caret not in front", "root ::= [x^] [#a]", {"^#", "xa"}, {"a#"}},
          {"escapes",
           R"(root ::= "\x41\u00e9\U0001F600\n\t\r\"\\\[\]" [\]\[\-\\\x42])",
           {"Aé\U0001F600\n\t\r\"\\[]-", "Aé\U0001F600\n\t\r\"\\[]B"},
           {"Aé\U0001F600\n\t\r\"\\[]A"}},
          {"unicode ranges", "root ::= [ぁ-ゟ]+ [\\u0400-\\u04FF]", {"ひらがなж"}, {"ж", "ひx"}},
          {"line breaks in tokens", "root ::= \"a\nb\" [x\n]", {"a\nbx", "a\nb\n"}, {"a b\n"}},
          {"any character", "root ::= . \"x\" .", {"axb", "\nx\n", "éxé"}, {"ax", "x"}},
          {"counts",
           "root ::= \"a\"{2} \"b\"{1,} \"c\"{0,2} \"d\"{1,3} (\"e\" { 2 , 3 })?",
           {"aabd", "aabbbccddd", "aabdee", "aabdeee"},
           {"abd", "aad", "aabcccd", "aabdddd", "aabde"}},
          {"suffixes of suffixes", "root ::= \"a\"+? \"b\"{2}{2}", {"bbbb", "aabbbb"}, {"aabb", "bbb"}},
          {"suffix of a literal", "root ::= \"ab\"* \"c\" +", {"c", "ababcc"}, {"abac", "ab"}},
          {"empty alternatives", "root ::= | \"a\" root2\nroot2 ::= (\"b\" | )", {"", "a", "ab"}, {"b"}},
          {"empty rule", "root ::= \"a\" e\ne ::=", {"a"}, {""}},
          {"names", "root ::= 1 -x_Y-\n1 ::= \"1\"\n-x_Y- ::= \"x\"", {"1x"}, {"1"}},
          {"no blanks", "root::=\"a\"b[c]|(\"d\")\nb::=\"b\"", {"abc", "d"}, {"ab"}},
          {"left recursion", "root ::= root \"+\" n | n\nn ::= [0-9]", {"1", "1+2+3"}, {"1+", "+1"}},
          {"nested recursion", "root ::= \"(\" root* \")\"", {"()", "(()())"}, {"(", "())"}},
          {"byte order mark", "\xEF\xBB\xBFroot ::= \"a\"", {"a"}, {""}},
      });
}

TEST(Gbnf, ErrorsNamePlaceAndRemedy) {
  cases::check_refusals(
      parse,
      {
          {"", ErrorCode::kSyntax, 1, 1,
           "expected a rule, such as  root ::= \"text\" | [a-z]+, found the end of the text"},
          {"# nothing\n", ErrorCode::kSyntax, 2, 1, "expected a rule"},
          {"root", ErrorCode::kSyntax, 1, 5, "expected '::=' after the name of the rule, found the end of the text"},
          {"root = \"a\"", ErrorCode::kSyntax, 1, 6, "expected '::=' after the name of the rule, found '='"},
          {"root ::= \"a\"\n  | \"b\"", ErrorCode::kSyntax, 2, 3, "in the next line only behind '|' or in parentheses"},
          {"root ::= \"a\" b ::= \"b\"", ErrorCode::kSyntax, 1, 16,
           "expected an item, '|', or the end of the line, found ':'"},
          {"root ::= (\"a\"\n\nb ::= \"b\"", ErrorCode::kSyntax, 3, 3, "expected an item, '|', or ')', found ':'"},
          {"root ::= \"a\" )", ErrorCode::kSyntax, 1, 14, "expected an item, '|', or the end of the line, found ')'"},
          {"root ::= *", ErrorCode::kSyntax, 1, 10, "found '*'"},
          {"root ::= \"a", ErrorCode::kSyntax, 1, 10, "this literal is not closed"},
          {"root ::= \"é\" [a", ErrorCode::kSyntax, 1, 14, "this character class is not closed"},
          {"root ::= []", ErrorCode::kSyntax, 1, 11, "expected a character of the class"},
          {"root ::= [^]", ErrorCode::kSyntax, 1, 12, "expected a character of the class"},
          {"root ::= [z-a]", ErrorCode::kInvalid, 1, 14, "ends below its start"},
          {R"(root ::= "\q")", ErrorCode::kSyntax, 1, 12, "expected an escape: \\n \\r"},
          {R"(root ::= "\'")", ErrorCode::kSyntax, 1, 12, "expected an escape"},
          {R"(root ::= "\x4")", ErrorCode::kSyntax, 1, 13, "two hexadecimal digits after \\x"},
          {R"(root ::= "\u00e")", ErrorCode::kSyntax, 1, 13, "four hexadecimal digits after \\u"},
          {R"(root ::= "\U0001F60")", ErrorCode::kSyntax, 1, 13, "eight hexadecimal digits after \\U"},
          {R"(root ::= "\ud83d")", ErrorCode::kInvalid, 1, 17, "is no character"},
          {R"(root ::= "\U00110000")", ErrorCode::kInvalid, 1, 21, "is no character"},
          {"root ::= \"a\"{,3}", ErrorCode::kSyntax, 1, 14, "expected a count, as in {2}, {2,} or {0,2}, found ','"},
          {"root ::= \"a\"{2", ErrorCode::kSyntax, 1, 15, "expected '}' after the count"},
          {"root ::= \"a\"{3,2}", ErrorCode::kInvalid, 1, 18, "{3,2}"},
          {"root ::= \"a\"{9999999999}", ErrorCode::kLimit, 1, 14, "max_repeat"},
          {"root ::= <think> \"a\"", ErrorCode::kUnsupported, 1, 10, "token literals"},
          {"root ::= \"a\" <[123]>", ErrorCode::kUnsupported, 1, 14, "token literals"},
          {"root ::= (\n !<think>)*", ErrorCode::kUnsupported, 2, 2, "write the token's text as a literal"},
          {"root ::= digt\ndigit ::= [0-9]", ErrorCode::kInvalid, 1, 10,
           "rule 'digt' is not defined; did you mean 'digit'?"},
          {"root ::= \"a\"\nb ::= \"b\"\nroot ::= b", ErrorCode::kInvalid, 3, 1,
           "rule 'root' is defined twice, first at 1:1"},
          {"rot ::= \"a\"\n", ErrorCode::kInvalid, 2, 1,
           "the grammar has no rule 'root', with which it starts; did you mean 'rot'?"},
          {"root ::= \"a\" root", ErrorCode::kUnsatisfiable, 0, 0, "no text matches rule 'root'"},
          {"root ::= \"\xFF\"", ErrorCode::kSyntax, 1, 11, "byte 0xff is not UTF-8"},
          {std::string("root ::= \"a\" \0", 14), ErrorCode::kSyntax, 1, 14, "expected an item"},
      });
}

TEST(Gbnf, StartRule) {
  GbnfOptions options;
  options.start = "b";
  const Result<Grammar> grammar = parse_gbnf("root ::= \"a\"\nb ::= \"b\"", options);
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  EXPECT_TRUE(reference::AutomatonRecognizer(*grammar).matches("b"));
  ASSERT_EQ(grammar->warnings().size(), 1U);
  EXPECT_EQ(grammar->warnings()[0].message, "rule 'root' is never used");
  EXPECT_EQ(grammar->warnings()[0].pointer, "1:1");
  options.start = "c";
  EXPECT_EQ(parse_gbnf("root ::= \"a\"", options).error().code, ErrorCode::kArgument);
}

TEST(Gbnf, ReadsAsEbnfDoes) {
  auto arena = std::make_shared<ExprArena>();
  const std::string text = "root ::= \"[\" (item (\",\" item)*)? \"]\"\nitem ::= [a-z]+ | \"\\u00e9\" {2,3}\n";
  const Result<Grammar> gbnf = parse_gbnf(text, {.arena = arena});
  const Result<Grammar> ebnf = parse_ebnf(text, {.arena = arena});
  ASSERT_TRUE(gbnf && ebnf);
  ASSERT_EQ(gbnf->start().kind, Symbol::Kind::kExpression);
  EXPECT_EQ(gbnf->start(), ebnf->start());
}

TEST(Gbnf, HostileInputIsBounded) {
  const Result<Grammar> deep = parse_gbnf("root ::= " + repeated("(", 1'000'000));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().code, ErrorCode::kLimit);
  EXPECT_NE(deep.error().message.find("max_depth"), std::string::npos);
  EXPECT_TRUE(parse_gbnf("root ::= " + repeated("(\n\"x\" ", 512) + repeated(")?", 512)));
  // Suffixes on suffixes make a deep tree from flat text.
  const Result<Grammar> suffixes =
      parse_gbnf("root ::= b" + repeated("{2,3}", 50'000) + "\nb ::= \"(\" b \")\" | \"x\"");
  ASSERT_FALSE(suffixes);
  EXPECT_EQ(suffixes.error().code, ErrorCode::kLimit);
  // A million bytes of anything end in a result.
  for (const char* const part :
       {"a", " ", "\n", "|", "root ::= ", "\"", "[", "#", "\\", "a ::= b\n", "\"a\" ", "{1}"}) {
    const std::string text = "root ::= " + repeated(part, 1'000'000 / std::string_view(part).size());
    const Result<Grammar> grammar = parse_gbnf(text);
    EXPECT_TRUE(grammar || !grammar.error().message.empty()) << part;
  }
  GbnfOptions options;
  options.limits.max_text_bytes = 10;
  EXPECT_EQ(parse_gbnf("root ::= \"aaaaaaaa\"", options).error().code, ErrorCode::kLimit);
  options.limits = {};
  options.limits.max_rules = 3;
  const Result<Grammar> rules = parse_gbnf("root ::= a\na ::= b\nb ::= c\nc ::= \"c\"", options);
  ASSERT_FALSE(rules);
  EXPECT_EQ(rules.error().code, ErrorCode::kLimit);
  EXPECT_EQ(rules.error().line, 4U);
}

}  // namespace
}  // namespace weir
