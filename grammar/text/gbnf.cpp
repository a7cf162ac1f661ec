// GBNF text to syntax tree, as llama.cpp reads it. docs/gbnf.md is the notation's reference.
//
// Line breaks end rules, and are white space only in parentheses and behind `|` and `::=`.
#include "text/syntax_lower.hpp"
#include "text/x3_notation.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir {
namespace {

using namespace notation;  // NOLINT(google-build-using-namespace): the rules below are written in its terms

// NOLINTBEGIN(readability-identifier-naming): X3 finds the definition of a rule r by the name r_def.
using x3::char_;
using x3::eoi;
using x3::eol;
using x3::eps;
using x3::lexeme;
using x3::lit;
using x3::raw;

// Not the escapes of the other notations, which `notation` calls by the plain names.
const x3::rule<class GbnfEscapeId, Code> gbnf_escape = "escape";
const x3::rule<class GbnfEscapedId, Code> gbnf_escaped = "escaped character";
const x3::rule<class ClassCharId, Code> class_char = "character";
const x3::rule<class QuotedId, Code> quoted = "character";
const x3::rule<class LiteralId, SyntaxNodeId> literal = "literal";
const x3::rule<class ClassId, SyntaxNodeId> char_class = "character class";
const x3::rule<class PrimaryId, SyntaxNodeId> primary = "item";
const x3::rule<class PostfixId, SyntaxNodeId> postfix = "item";
const x3::rule<class ItemsId, std::vector<SyntaxNodeId>> items = "items";
const x3::rule<class SequenceId, SyntaxNodeId> sequence = "alternative";
const x3::rule<class ChoiceId, SyntaxNodeId> choice = "alternatives";
const x3::rule<class DefinitionId> definition = "rule";

// Characters.
const struct GbnfEscapes : x3::symbols<Code> {
  GbnfEscapes() {
    add("n", '\n')("r", '\r')("t", '\t');
    for (const char* self : {"\\", "\"", "[", "]", "-"}) add(self, static_cast<unsigned char>(self[0]));
  }
} simple_gbnf_escapes;
const auto gbnf_escaped_def = simple_gbnf_escapes |
                              (lit('x') >> must(Hex<2, 2>(), "two hexadecimal digits after \\x")) |
                              (lit('u') >> must(Hex<4, 4>(), "four hexadecimal digits after \\u")) |
                              (lit('U') >> must(Hex<8, 8>(), "eight hexadecimal digits after \\U"));
const auto gbnf_escape_def =
    (lit('\\') >>
     must(gbnf_escaped, "an escape: \\n \\r \\t \\\\ \\\" \\[ \\] \\- \\xHH \\uHHHH \\UHHHHHHHH"))[kCheckCode];
const Plain plain(/*with_line_breaks=*/true);
const auto quoted_def = gbnf_escape | (plain - lit('"'));
const auto class_char_def = gbnf_escape | (plain - lit(']'));

// Tokens.
const auto literal_def =
    lexeme[x3::omit[raw[lit('"')][kSetToken] >> *quoted[kAppend] >>
                    must_close(lit('"'), "this literal is not closed; end it with '\"', and write \\\" for a quote")]]
          [([](auto& context) { x3::_val(context) = reader_of(context).add_literal(); })];
const auto class_range = class_char[kBeginRange] >>
                         -(lit('-') >> !lit(']') >>
                           x3::omit[must(class_char, "the end of the range, or ']'")[([](auto& c) { end_range(c); })]]);
const auto char_class_def =
    lexeme[raw[lit('[')][kOpenClass] >> -lit('^')[([](auto& context) { reader_of(context).negated = true; })] >>
           must(+class_range, "a character of the class; write \\] for a bracket") >>
           must_close(lit(']'), "this character class is not closed; end it with ']'")]
          [([](auto& context) { x3::_val(context) = reader_of(context).add_class(); })];
const auto any_character = raw[lit('.')][([](auto& context) {
  SyntaxReader& reader = reader_of(context);
  reader.open_class(x3::_attr(context).begin());
  reader.negated = true;
  x3::_val(context) = reader.add_class();
})];
const auto token = &(lit('<') | "!<") >> eps[([](auto& context) {
  fail_syntax(ErrorCode::kUnsupported, x3::_where(context).begin(),
              "token literals, <name>, <[id]> and !<...>, are not supported; write the token's text as a literal in "
              "quotes");
})];
const auto name = raw[lexeme[+char_("a-zA-Z0-9_-")]];

// Items, from the inside out.
const auto more_items = "an item, '|', or ')'";
const Nested group{choice >> must(lit(')'), more_items)};
const auto bounds = lit('{') >> must(number, "a count, as in {2}, {2,} or {0,2}")[kSetMin] >>
                    -(lit(',')[kNoMax] >> -number[kSetMax]) >>
                    must(lit('}'), "'}' after the count")[([](auto& context) { check_bounds(context); })];
const auto primary_def = literal[kTake] | char_class[kTake] | any_character | (lit('(') >> group)[kTake] | token |
                         name[([](auto& context) { add_name(context); })];
const auto postfix_def = primary[kTake] >> *(lit('?')[Repeat<0, 1>()] | lit('*')[Repeat<0, kUnbounded>()] |
                                             lit('+')[Repeat<1, kUnbounded>()] | bounds[kRepeatBounds]);
const auto items_def = *postfix;
const auto sequence_def = items[Combine<SyntaxKind::kSequence>()];
const auto choice_def = (sequence % (lit('|') >> LineBreaks()))[Combine<SyntaxKind::kChoice>()];

// Rules.
const auto definition_def = name[([](auto& context) { begin_rule(context); })] >>
                            must(lit("::="), "'::=' after the name of the rule") >>
                            LineBreaks() >> choice[([](auto& context) { end_rule(context); })] >>
                            must(eol | eoi, "an item, '|', or the end of the line") >> LineBreaks();
const auto text_of_grammar =
    LineBreaks() >> must(definition, "a rule, such as  root ::= \"text\" | [a-z]+") >>
    *(!eoi >> must(definition, "the next rule (a rule goes on in the next line only behind '|' or in parentheses)"));

BOOST_SPIRIT_DEFINE(gbnf_escape, gbnf_escaped, class_char, quoted, literal, char_class, primary, postfix, items,
                    sequence, choice, definition)
// NOLINTEND(readability-identifier-naming)

Result<SyntaxTree> parse_gbnf_tree(std::string_view text, const Limits& limits) {
  SyntaxReader reader(text, limits);
  return read_syntax_tree(reader, text_of_grammar, LineBlank(reader, /*slashes=*/false));
}

}  // namespace

Result<Grammar> parse_gbnf(std::string_view text, const GbnfOptions& options) {
  const std::string_view starts[] = {"root"};
  return parse_notation(text, parse_gbnf_tree, {options.start, starts, false, options.limits, options.arena});
}

}  // namespace weir
