// EBNF text to syntax tree, by Boost.Spirit X3. docs/ebnf.md is the notation's reference.
//
// The X3 rules below hold the notation; what they find goes into a EbnfReader, which the parse context carries. Parsing
// never backtracks over anything that made a node: at each place the next token decides, and where a token is the only
// one possible, must() reports what was expected instead of trying something else.
#include <algorithm>
#include <limits>
#include <utility>

#include <boost/spirit/home/x3.hpp>
#include <fmt/format.h>

#include "text/ebnf_reader.hpp"
#include "weir/grammar/detail/utf8.hpp"
#include "weir/grammar/expr.hpp"

namespace weir {
namespace {

namespace x3 = boost::spirit::x3;

struct ReaderTag;

template <class Context>
EbnfReader& reader_of(const Context& context) {
  return x3::get<ReaderTag>(context);
}

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
      fail_ebnf(ErrorCode::kSyntax, place,
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

// `subject`, or an error: "expected WHAT, found ..." where the next token begins; with at_token, WHAT where the literal
// or class being read began.
template <class Subject>
struct Must : x3::unary_parser<Subject, Must<Subject>> {
  using Base = x3::unary_parser<Subject, Must<Subject>>;
  static bool const is_pass_through_unary = true;
  static bool const handles_container = Subject::handles_container;

  Must(const Subject& inner, const char* what, bool at_token) : Base(inner), what_(what), at_token_(at_token) {}

  template <class Iterator, class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext& rcontext,
             Attribute& attribute) const {
    if (this->subject.parse(first, last, context, rcontext, attribute)) return true;
    if (at_token_) fail_ebnf(ErrorCode::kSyntax, reader_of(context).token, what_);
    x3::skip_over(first, last, context);
    std::string found = "the end of the text";
    if (first != last) {
      const std::string_view rest(first, static_cast<std::size_t>(last - first));
      std::size_t length = 0;
      next_code_point(rest, length);
      found = rest[0] == '\n' || rest[0] == '\r' ? "the end of the line" : fmt::format("'{}'", rest.substr(0, length));
    }
    fail_ebnf(ErrorCode::kSyntax, first, fmt::format("expected {}, found {}", what_, found));
  }

 private:
  const char* what_;
  bool at_token_;
};

template <class Parser>
auto must(const Parser& parser, const char* what) {
  using Subject = typename x3::extension::as_parser<Parser>::value_type;
  return Must<Subject>(x3::as_parser(parser), what, false);
}
template <class Parser>
auto must_close(const Parser& parser, const char* what) {
  using Subject = typename x3::extension::as_parser<Parser>::value_type;
  return Must<Subject>(x3::as_parser(parser), what, true);
}

// `subject` one level of brackets further down.
template <class Subject>
struct Nested : x3::unary_parser<Subject, Nested<Subject>> {
  using Base = x3::unary_parser<Subject, Nested<Subject>>;
  static bool const is_pass_through_unary = true;
  static bool const handles_container = Subject::handles_container;

  explicit Nested(const Subject& inner) : Base(inner) {}

  template <class Iterator, class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext& rcontext,
             Attribute& attribute) const {
    EbnfReader& reader = reader_of(context);
    if (++reader.depth > reader.limits.max_depth) {
      fail_ebnf(ErrorCode::kLimit, first,
                fmt::format("groups nest deeper than Limits::max_depth = {}; move inner groups to rules of their own",
                            reader.limits.max_depth));
    }
    const bool parsed = this->subject.parse(first, last, context, rcontext, attribute);
    --reader.depth;
    return parsed;
  }
};

// One code point that stands for itself: no backslash, no line break.
struct Plain : x3::parser<Plain> {
  using attribute_type = std::uint32_t;
  static bool const has_attribute = true;

  template <class Iterator, class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&, Attribute& attribute) const {
    if (first == last || *first == '\\' || *first == '\n' || *first == '\r') return false;
    std::size_t length = 0;
    const char32_t c = next_code_point({first, static_cast<std::size_t>(last - first)}, length);
    x3::traits::move_to(static_cast<std::uint32_t>(c), attribute);
    first += length;
    return true;
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
void check_code(Context& context) {
  const std::uint32_t code = x3::_attr(context);
  if (code > kMaxCodePoint || (code >= 0xD800 && code <= 0xDFFF)) {
    fail_ebnf(ErrorCode::kInvalid, x3::_where(context).begin(),
              fmt::format("#x{:X}, written before this place, is no character; characters are 0 to 10FFFF without the "
                          "surrogates D800 to DFFF",
                          code));
  }
  x3::_val(context) = code;
}

template <class Context>
void end_range(Context& context) {
  EbnfReader& reader = reader_of(context);
  CodePointRange& range = reader.ranges.back();
  range.last = static_cast<char32_t>(x3::_attr(context));
  if (range.first > range.last) {
    fail_ebnf(ErrorCode::kInvalid, x3::_where(context).begin(),
              "the range before this place ends below its start; swap its ends, or write \\- for a hyphen");
  }
}

template <class Context>
void read_number(Context& context) {
  const EbnfReader& reader = reader_of(context);
  const auto digits = x3::_attr(context);
  std::uint64_t value = 0;
  for (const char digit : digits) {
    value = value * 10 + static_cast<std::uint64_t>(digit - '0');
    if (value > reader.limits.max_repeat) {
      fail_ebnf(ErrorCode::kLimit, digits.begin(),
                fmt::format("this count exceeds Limits::max_repeat = {}; lower it", reader.limits.max_repeat));
    }
  }
  x3::_val(context) = static_cast<std::uint32_t>(value);
}

template <class Context>
void check_bounds(Context& context) {
  const EbnfReader& reader = reader_of(context);
  if (reader.min > reader.max) {
    fail_ebnf(ErrorCode::kInvalid, x3::_where(context).begin(),
              fmt::format("the repetition {{{},{}}} before this place has its bounds swapped", reader.min, reader.max));
  }
}

template <class Context>
void refuse_special(Context& context) {
  fail_ebnf(ErrorCode::kUnsupported, x3::_where(context).begin(),
            "a special sequence '? ... ?' has no meaning here; write a character class or a rule instead");
}

template <class Context>
void begin_rule(Context& context) {
  EbnfReader& reader = reader_of(context);
  if (reader.tree.rules.size() >= reader.limits.max_rules) {
    fail_ebnf(ErrorCode::kLimit, x3::_attr(context).begin(),
              fmt::format("the grammar has more than Limits::max_rules = {} rules; raise the limit",
                          reader.limits.max_rules));
  }
  const auto name = x3::_attr(context);
  EbnfRule rule;
  rule.name = std::string_view(name.begin(), name.size());
  rule.offset = reader.offset_of(name.begin());
  rule.first_node = static_cast<EbnfNodeId>(reader.tree.nodes.size());
  reader.tree.rules.push_back(rule);
}

template <class Context>
void end_rule(Context& context) {
  EbnfReader& reader = reader_of(context);
  EbnfNodeId body = x3::_attr(context);
  // The body is the rule's last node, also when it is a name alone (it always is: children come first).
  reader.tree.rules.back().body = body;
}

template <class Context>
void add_name(Context& context) {
  EbnfReader& reader = reader_of(context);
  const auto name = x3::_attr(context);
  EbnfNode node;
  node.kind = EbnfKind::kName;
  node.offset = reader.offset_of(name.begin());
  node.first = node.offset;
  node.count = static_cast<std::uint32_t>(name.size());
  x3::_val(context) = reader.add(node);
}

template <class Context>
void add_exception(Context& context) {
  EbnfReader& reader = reader_of(context);
  const EbnfNodeId parts[] = {x3::_val(context), x3::_attr(context)};
  x3::_val(context) = reader.add_parent(EbnfKind::kException, parts);
}

template <EbnfKind kKind>
struct Combine {
  template <class Context>
  void operator()(Context& context) const {
    x3::_val(context) = reader_of(context).add_parent(kKind, x3::_attr(context));
  }
};

template <std::uint32_t kMin, std::uint32_t kMax>
struct Repeat {
  template <class Context>
  void operator()(Context& context) const {
    x3::_val(context) = reader_of(context).add_repeat(x3::_val(context), kMin, kMax);
  }
};

const auto kTake = [](auto& context) { x3::_val(context) = x3::_attr(context); };
const auto kTakeOptional = [](auto& context) {
  x3::_val(context) = reader_of(context).add_repeat(x3::_attr(context), 0, 1);
};
const auto kTakeRepetition = [](auto& context) {
  x3::_val(context) = reader_of(context).add_repeat(x3::_attr(context), 0, kUnbounded);
};
const auto kSetMin = [](auto& context) { reader_of(context).min = reader_of(context).max = x3::_attr(context); };
const auto kSetMax = [](auto& context) { reader_of(context).max = x3::_attr(context); };
const auto kNoMin = [](auto& context) { reader_of(context).min = 0; };
const auto kNoMax = [](auto& context) { reader_of(context).max = kUnbounded; };
const auto kAppend = [](auto& context) {
  append_utf8(reader_of(context).literal, static_cast<char32_t>(x3::_attr(context)));
};
const auto kSetToken = [](auto& context) { reader_of(context).token = x3::_attr(context).begin(); };
const auto kOpenClass = [](auto& context) { reader_of(context).open_class(x3::_attr(context).begin()); };
const auto kBeginRange = [](auto& context) {
  const auto c = static_cast<char32_t>(x3::_attr(context));
  reader_of(context).ranges.push_back({c, c});
};

// --- the notation

// NOLINTBEGIN(readability-identifier-naming): X3 finds the definition of a rule r by the name r_def.
using x3::char_;
using x3::eoi;
using x3::eps;
using x3::lexeme;
using x3::lit;
using x3::raw;

using Code = std::uint32_t;
template <unsigned kLeast, int kMost>
using Hex = x3::uint_parser<std::uint32_t, 16, kLeast, kMost>;

const x3::rule<class EscapeId, Code> escape = "escape";
const x3::rule<class EscapedId, Code> escaped = "escaped character";
const x3::rule<class LongCodeId, Code> after_u = "character code";
const x3::rule<class PairId, Code> surrogate_pair = "surrogate pair";
const x3::rule<class CodeId, Code> code = "character code";
const x3::rule<class ClassCharId, Code> class_char = "character";
const x3::rule<class DoubleQuotedId, Code> double_quoted = "character";
const x3::rule<class SingleQuotedId, Code> single_quoted = "character";
const x3::rule<class LiteralId, EbnfNodeId> literal = "literal";
const x3::rule<class ClassId, EbnfNodeId> char_class = "character class";
const x3::rule<class NumberId, std::uint32_t> number = "number";
const x3::rule<class ReferenceId, EbnfNodeId> reference = "name";
const x3::rule<class PrimaryId, EbnfNodeId> primary = "item";
const x3::rule<class PostfixId, EbnfNodeId> postfix = "item";
const x3::rule<class FactorId, EbnfNodeId> factor = "item";
const x3::rule<class TermId, EbnfNodeId> term = "item";
const x3::rule<class NextTermId, EbnfNodeId> next_term = "item";
const x3::rule<class TermsId, std::vector<EbnfNodeId>> terms = "items";
const x3::rule<class SequenceId, EbnfNodeId> sequence = "alternative";
const x3::rule<class EmptyId, EbnfNodeId> empty = "nothing";
const x3::rule<class SubtrahendId, EbnfNodeId> subtrahend = "item";
const x3::rule<class ChoiceId, EbnfNodeId> choice = "alternatives";
const x3::rule<class DefinitionId> definition = "rule";

const auto iso = eps[([](auto& context) { x3::_pass(context) = reader_of(context).iso; })];
const Plain plain;

// Characters.
const struct SimpleEscapes : x3::symbols<Code> {
  SimpleEscapes() {
    add("n", '\n')("r", '\r')("t", '\t')("f", '\f')("v", '\v')("b", '\b');
    for (const char* self : {"\\", "\"", "'", "/", "-", "[", "]", "^"}) add(self, static_cast<unsigned char>(self[0]));
  }
} simple_escapes;
const auto kHigh = [](auto& context) {
  x3::_pass(context) = (x3::_attr(context) & 0xFFFFFC00U) == 0xD800U;
  x3::_val(context) = x3::_attr(context);
};
const auto kLow = [](auto& context) {
  x3::_pass(context) = (x3::_attr(context) & 0xFFFFFC00U) == 0xDC00U;
  x3::_val(context) = 0x10000U + ((x3::_val(context) & 0x3FFU) << 10U) + (x3::_attr(context) & 0x3FFU);
};
const auto surrogate_pair_def = Hex<4, 4>()[kHigh] >> "\\u" >> Hex<4, 4>()[kLow];
const auto after_u_def = (lit('{') >> Hex<1, 8>() >> lit('}')) | surrogate_pair | Hex<4, 4>();
const auto escaped_def = simple_escapes | (lit('x') >> must(Hex<2, 2>(), "two hexadecimal digits after \\x")) |
                         (lit('u') >> must(after_u, "four hexadecimal digits, or digits in braces, after \\u")) |
                         (lit('U') >> must(Hex<8, 8>(), "eight hexadecimal digits after \\U"));
const auto escape_def =
    (lit('\\') >> must(escaped,
                       "an escape: \\n \\r \\t \\f \\v \\b \\\\ \\\" \\' \\/ \\- \\[ \\] \\^ \\xHH "
                       "\\uHHHH \\u{H...} \\UHHHHHHHH"))[([](auto& context) { check_code(context); })];
const auto code_def = (lit("#x") >> Hex<1, 8>())[([](auto& context) { check_code(context); })];
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
  EbnfReader& reader = reader_of(context);
  reader.open_class(x3::_attr(context).begin());
  reader.negated = true;
  x3::_val(context) = reader.add_class();
})];
const auto number_def = raw[lexeme[+char_('0', '9')]][([](auto& context) { read_number(context); })];
const auto word = char_("a-zA-Z0-9_");
const auto name = raw[lexeme[char_("a-zA-Z_") >> *(word | (lit('-') >> &word))]];
const auto defines = lit("::=")[([](auto& context) { reader_of(context).iso = false; })] |
                     (lit(":=") | lit('='))[([](auto& context) { reader_of(context).iso = true; })];

// Items, from the inside out.
const auto reference_def = (name >> !(lit("::=") | lit(":=") | lit('=')))[([](auto& context) { add_name(context); })];
const Nested<x3::rule<class ChoiceId, EbnfNodeId>> group{choice};
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
                                             lit('+')[Repeat<1, kUnbounded>()] | bounds[([](auto& context) {
                                               EbnfReader& reader = reader_of(context);
                                               x3::_val(context) =
                                                   reader.add_repeat(x3::_val(context), reader.min, reader.max);
                                             })]);
const auto factor_def = (number[kTake] >> must(lit('*'), "'*' after the count") >>
                         must(postfix, "an item to repeat after '*'")[([](auto& c) {
                           const std::uint32_t count = x3::_val(c);
                           x3::_val(c) = reader_of(c).add_repeat(x3::_attr(c), count, count);
                         })]) |
                        postfix[kTake];
const auto empty_def =
    eps[([](auto& context) { x3::_val(context) = reader_of(context).add_parent(EbnfKind::kSequence, {}); })];
const auto subtrahend_def = factor | empty;
const auto term_def = factor[kTake] >> -(lit('-') >> subtrahend[([](auto& context) { add_exception(context); })]);
const auto next_term_def = (lit(',') >> must(term, "an item after ','")) | term;
const auto terms_def = -(term >> *next_term);
const auto sequence_def = terms[Combine<EbnfKind::kSequence>()];
const auto choice_def = (sequence % '|')[Combine<EbnfKind::kChoice>()];

// Rules.
const auto definition_def =
    name[([](auto& context) { begin_rule(context); })] >>
    must(defines, "'::=' or '=' after the name of the rule") >> choice[([](auto& context) { end_rule(context); })] >>
    -(lit(';') | (iso >> lit('.')));
const auto text_of_grammar = must(+definition, "a rule, such as  name ::= \"text\" | [a-z]+") >>
                             must(eoi, "an item, '|', or the next rule");

BOOST_SPIRIT_DEFINE(escape, surrogate_pair, code, class_char, literal, char_class, number, reference, primary, postfix,
                    factor, term, next_term, terms, sequence, choice, definition, empty, subtrahend, escaped, after_u,
                    double_quoted, single_quoted)
// NOLINTEND(readability-identifier-naming)

}  // namespace

Result<EbnfTree> parse_ebnf_tree(std::string_view text, const Limits& limits) {
  // Each level of brackets takes about 2 KB of stack, ten times that under a sanitizer.
  constexpr std::uint32_t kDeepest = 1000;
  Limits bounded = limits;
  bounded.max_depth = std::min(limits.max_depth, kDeepest);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  EbnfReader reader{text, bounded, {}, false, 0, text.data(), {}, {}, false, 0, 0};
  const char* first = text.data() + (text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  const char* const last = text.data() + text.size();
  try {
    x3::phrase_parse(first, last, x3::with<ReaderTag>(reader)[text_of_grammar], Blank());
  } catch (const EbnfFailure& failure) {
    return error_at_offset(failure.code, text, static_cast<std::size_t>(failure.where - text.data()), failure.message);
  }
  return std::move(reader.tree);
}

}  // namespace weir
