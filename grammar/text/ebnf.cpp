// EBNF text to syntax tree. docs/ebnf.md is the notation's reference.
#include <algorithm>

#include "text/syntax_lower.hpp"
#include "text/x3_notation.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir {
namespace {

using namespace notation;  // NOLINT(google-build-using-namespace): the rules below are written in its terms

// --- parsers that X3 does not have

// White space and comments, one run for each call.
struct Blank : x3::parser<Blank> {
  using attribute_type = x3::unused_type;
  [[maybe_unused]] static constexpr bool has_attribute = false;  // NOLINT(readability-identifier-naming): X3's name

  template <class Iterator, class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&, Attribute&) const {
    const std::string_view rest(first, static_cast<std::size_t>(last - first));
    std::size_t length = 0;
    while (length < rest.size() && (rest[length] == ' ' || (rest[length] >= '\t' && rest[length] <= '\r'))) ++length;
    if (length == 0) {
      // `#x41` is a character, not a comment.
      const bool code = rest.size() > 2 && rest[1] == 'x' && hex_digit(rest[2]);
      if (rest.starts_with("//") || (rest.starts_with('#') && !code)) length = std::min(rest.find('\n'), rest.size());
      if (rest.starts_with("/*")) length = closed(first, rest, rest.find("*/", 2));
      if (rest.starts_with("(*")) length = closed(first, rest, end_of_iso_comment(rest));
    }
    first += length;
    return length != 0;
  }

 private:
  static bool hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
  static std::size_t closed(const char* place, std::string_view rest, std::size_t end) {
    if (end == std::string_view::npos) {
      fail_syntax(ErrorCode::kSyntax, place,
                  fmt::format("this comment is not closed; end it with '{}'", rest[0] == '(' ? "*)" : "*/"));
    }
    return end + 2;
  }
  // Comments of ISO 14977 nest. The place of the closing `*)`, or npos.
  static std::size_t end_of_iso_comment(std::string_view rest) {
    std::size_t depth = 1;
    for (std::size_t i = 2; i + 1 < rest.size(); ++i) {
      if (rest[i] == '(' && rest[i + 1] == '*') {
        ++depth;
        ++i;
      } else if (rest[i] == '*' && rest[i + 1] == ')') {
        if (--depth == 0) return i;
        ++i;
      }
    }
    return std::string_view::npos;
  }
};

// Looks ahead: does the `[` here open a character class? Always in a `::=` rule; in a `=` rule, where `[ ]` is an
// option, when what follows cannot begin one, or is a range such as 0-9 or a-z.
struct ClassAhead : x3::parser<ClassAhead> {
  using attribute_type = x3::unused_type;
  [[maybe_unused]] static constexpr bool has_attribute = false;  // NOLINT(readability-identifier-naming): X3's name

  template <class Iterator, class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext&, Attribute&) const {
    x3::skip_over(first, last, context);
    const std::string_view rest(first, static_cast<std::size_t>(last - first));
    if (!rest.starts_with('[')) return false;
    return !reader_of(context).iso || cannot_be_option(rest.substr(1));
  }

 private:
  static bool cannot_be_option(std::string_view rest) {
    const std::size_t blanks = std::min(rest.find_first_not_of(" \t"), rest.size());
    if (blanks > 0) return blanks < rest.size() && (rest[blanks] == ']' || rest[blanks] == '\\');
    if (rest.empty()) return false;
    const auto alphanumeric = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    if (rest.size() > 2 && alphanumeric(rest[0]) && rest[1] == '-' && alphanumeric(rest[2]) && rest[0] <= rest[2]) {
      return true;
    }
    if (rest[0] >= '0' && rest[0] <= '9') {
      const std::size_t end = std::min(rest.find_first_not_of("0123456789 \t"), rest.size());
      return end < rest.size() && rest[end] != '*';
    }
    if (rest[0] == '#') return rest.starts_with("#x");
    return !alphanumeric(rest[0]) && std::string_view("_\"'([{|?/\n\r").find(rest[0]) == std::string_view::npos;
  }
};

// --- actions

template <class Context>
void refuse_special(Context& context) {
  fail_syntax(ErrorCode::kUnsupported, x3::_where(context).begin(),
              "a special sequence '? ... ?' has no meaning here; write a character class or a rule instead");
}

// --- the notation

// NOLINTBEGIN(readability-identifier-naming): X3 finds the definition of a rule r by the name r_def.
using x3::char_;
using x3::eoi;
using x3::eps;
using x3::lexeme;
using x3::lit;
using x3::raw;

const x3::rule<class CodeId, Code> code = "character code";
const x3::rule<class ClassCharId, Code> class_char = "character";
const x3::rule<class DoubleQuotedId, Code> double_quoted = "character";
const x3::rule<class SingleQuotedId, Code> single_quoted = "character";
const x3::rule<class LiteralId, SyntaxNodeId> literal = "literal";
const x3::rule<class ClassId, SyntaxNodeId> char_class = "character class";
const x3::rule<class ReferenceId, SyntaxNodeId> reference = "name";
const x3::rule<class PrimaryId, SyntaxNodeId> primary = "item";
const x3::rule<class PostfixId, SyntaxNodeId> postfix = "item";
const x3::rule<class FactorId, SyntaxNodeId> factor = "item";
const x3::rule<class TermId, SyntaxNodeId> term = "item";
const x3::rule<class NextTermId, SyntaxNodeId> next_term = "item";
const x3::rule<class TermsId, std::vector<SyntaxNodeId>> terms = "items";
const x3::rule<class SequenceId, SyntaxNodeId> sequence = "alternative";
const x3::rule<class EmptyId, SyntaxNodeId> empty = "nothing";
const x3::rule<class SubtrahendId, SyntaxNodeId> subtrahend = "item";
const x3::rule<class ChoiceId, SyntaxNodeId> choice = "alternatives";
const x3::rule<class DefinitionId> definition = "rule";

const auto iso = eps[([](auto& context) { x3::_pass(context) = reader_of(context).iso; })];
const Plain plain;

// Characters.
const auto code_def = (lit("#x") >> Hex<1, 8>())[kCheckCode];
const auto class_char_def = escape | code | (plain - lit(']'));

// Tokens.
const auto double_quoted_def = escape | (plain - lit('"'));
const auto single_quoted_def = escape | (plain - lit('\''));
const char* const kOpenLiteral =
    "this literal is not closed on its line; end it with the quote it began with, write \\n for a line break and "
    "\\\\ for a backslash";
const auto literal_def =
    lexeme[x3::omit[(raw[lit('"')][kSetToken] >> *double_quoted[kAppend] >> must_close(lit('"'), kOpenLiteral)) |
                    (raw[lit('\'')][kSetToken] >> *single_quoted[kAppend] >> must_close(lit('\''), kOpenLiteral))]]
          [([](auto& context) { x3::_val(context) = reader_of(context).add_literal(); })];
const auto class_range = class_char[kBeginRange] >>
                         -(lit('-') >> !lit(']') >>
                           x3::omit[must(class_char, "the end of the range, or ']'")[([](auto& c) { end_range(c); })]]);
const auto char_class_def =
    lexeme[raw[lit('[')][kOpenClass] >> -lit('^')[([](auto& context) { reader_of(context).negated = true; })] >>
           must(+class_range, "a character of the class; write \\] for a bracket") >>
           must_close(lit(']'), "this character class is not closed on its line; end it with ']'")]
          [([](auto& context) { x3::_val(context) = reader_of(context).add_class(); })];
const auto single_code = raw[&lit("#x")][kOpenClass] >> code[kBeginRange];
const auto any_character = raw[lit('.')][([](auto& context) {
  SyntaxReader& reader = reader_of(context);
  reader.open_class(x3::_attr(context).begin());
  reader.negated = true;
  x3::_val(context) = reader.add_class();
})];
const auto word = char_("a-zA-Z0-9_");
const auto name = raw[lexeme[char_("a-zA-Z_") >> *(word | (lit('-') >> &word))]];
const auto defines = lit("::=")[([](auto& context) { reader_of(context).iso = false; })] |
                     (lit(":=") | lit('='))[([](auto& context) { reader_of(context).iso = true; })];

// Items, from the inside out.
const auto reference_def = (name >> !(lit("::=") | lit(":=") | lit('=')))[([](auto& context) { add_name(context); })];
const Nested<x3::rule<class ChoiceId, SyntaxNodeId>> group{choice};
const auto primary_def =
    literal[kTake] | (ClassAhead() >> char_class)[kTake] |
    lexeme[single_code][([](auto& context) { x3::_val(context) = reader_of(context).add_class(); })] |
    (lit('(') >> group >> must(lit(')'), "an item, '|', or ')'"))[kTake] |
    (iso >> lit('[') >> group >>
     must(lit(']'), "an item, '|', or ']' (in a rule written with '=', [ ] is an option)"))[kTakeOptional] |
    (lit('{') >> group >> must(lit('}'), "an item, '|', or '}'"))[kTakeRepetition] | (!iso >> any_character) |
    (iso >> &lit('?') >> eps[([](auto& context) { refuse_special(context); })]) | reference[kTake];
const auto bounds = lit('{') >> ((number[kSetMin] >> -(lit(',')[kNoMax] >> -number[kSetMax])) |
                                 (lit(',')[kNoMin] >> number[kSetMax])) >>
                    lit('}')[([](auto& context) { check_bounds(context); })];
const auto postfix_def = primary[kTake] >> *(lit('?')[Repeat<0, 1>()] | lit('*')[Repeat<0, kUnbounded>()] |
                                             lit('+')[Repeat<1, kUnbounded>()] | bounds[kRepeatBounds]);
const auto factor_def = (number[kTake] >> must(lit('*'), "'*' after the count") >>
                         must(postfix, "an item to repeat after '*'")[([](auto& c) {
                           const std::uint32_t count = x3::_val(c);
                           x3::_val(c) = reader_of(c).add_repeat(x3::_attr(c), count, count);
                         })]) |
                        postfix[kTake];
const auto empty_def =
    eps[([](auto& context) { x3::_val(context) = reader_of(context).add_parent(SyntaxKind::kSequence, {}); })];
const auto subtrahend_def = factor | empty;
const auto term_def = factor[kTake] >> -(lit('-') >> subtrahend[([](auto& context) { add_exception(context); })]);
const auto next_term_def = (lit(',') >> must(term, "an item after ','")) | term;
const auto terms_def = -(term >> *next_term);
const auto sequence_def = terms[Combine<SyntaxKind::kSequence>()];
const auto choice_def = (sequence % '|')[Combine<SyntaxKind::kChoice>()];

// Rules.
const auto definition_def =
    name[([](auto& context) { begin_rule(context); })] >>
    must(defines, "'::=' or '=' after the name of the rule") >> choice[([](auto& context) { end_rule(context); })] >>
    -(lit(';') | (iso >> lit('.')));
const auto text_of_grammar = must(+definition, "a rule, such as  name ::= \"text\" | [a-z]+") >>
                             must(eoi, "an item, '|', or the next rule");

BOOST_SPIRIT_DEFINE(code, class_char, literal, char_class, reference, primary, postfix, factor, term, next_term, terms,
                    sequence, choice, definition, empty, subtrahend, double_quoted, single_quoted)
// NOLINTEND(readability-identifier-naming)

Result<SyntaxTree> parse_ebnf_tree(std::string_view text, const Limits& limits) {
  SyntaxReader reader(text, limits);
  return read_syntax_tree(reader, text_of_grammar, Blank());
}

}  // namespace

Result<Grammar> parse_ebnf(std::string_view text, const EbnfOptions& options) {
  const std::string_view starts[] = {"start", "root"};
  return parse_notation(text, parse_ebnf_tree, {options.start, starts, true, options.limits, options.arena});
}

}  // namespace weir
