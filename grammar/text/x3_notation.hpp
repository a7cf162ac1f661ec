// What the notations share: Boost.Spirit X3 parsers that X3 does not have, and the actions that build the syntax tree.
// Private to grammar/text.
//
// The X3 rules of a notation are in its own file; what they find goes into a SyntaxReader, which the parse context
// carries. Parsing never backtracks over anything that made a node: at each place the next token decides, and where a
// token is the only one possible, must() reports what was expected instead of trying something else.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include <boost/spirit/home/x3.hpp>
#include <fmt/format.h>

#include "text/syntax_reader.hpp"
#include "weir/grammar/detail/utf8.hpp"
#include "weir/grammar/expr.hpp"

namespace weir::notation {

namespace x3 = boost::spirit::x3;

struct ReaderTag;

template <class Context>
auto& reader_of(const Context& context) {
  return x3::get<ReaderTag>(context);
}

// --- parsers that X3 does not have

// White space and comments where line breaks end something: skips them only inside brackets.
struct LineBlank : x3::parser<LineBlank> {
  using attribute_type = x3::unused_type;
  [[maybe_unused]] static constexpr bool has_attribute = false;  // NOLINT(readability-identifier-naming): X3's name

  LineBlank(const SyntaxReader& r, bool slashes) : reader(&r), slash_comments(slashes) {}

  template <class Iterator, class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&, Attribute&) const {
    const std::string_view rest(first, static_cast<std::size_t>(last - first));
    const std::size_t length = blank_length(rest, reader->depth > 0);
    first += length;
    return length != 0;
  }
  std::size_t blank_length(std::string_view rest, bool line_breaks) const {
    std::size_t length = 0;
    for (;;) {
      length = std::min(rest.find_first_not_of(line_breaks ? " \t\r\n" : " \t", length), rest.size());
      const std::string_view next = rest.substr(length);
      if (!next.starts_with('#') && !(slash_comments && next.starts_with("//"))) return length;
      length = std::min(rest.find_first_of("\r\n", length), rest.size());
    }
  }

  const SyntaxReader* reader;
  bool slash_comments;  // from // to the end of the line, as from #
};

// White space, comments and line breaks, as many as there are; with `before`, only if that character follows.
struct LineBreaks : x3::parser<LineBreaks> {
  using attribute_type = x3::unused_type;
  [[maybe_unused]] static constexpr bool has_attribute = false;  // NOLINT(readability-identifier-naming): X3's name

  explicit LineBreaks(char next = 0) : before(next) {}

  template <class Iterator, class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext&, Attribute&) const {
    const std::string_view rest(first, static_cast<std::size_t>(last - first));
    const std::size_t length = x3::get<x3::skipper_tag>(context).blank_length(rest, true);
    if (before != 0 && (length == rest.size() || rest[length] != before)) return false;
    first += length;
    return true;
  }

  char before;
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
    if (at_token_) fail_syntax(ErrorCode::kSyntax, reader_of(context).token, what_);
    x3::skip_over(first, last, context);
    std::string found = "the end of the text";
    if (first != last) {
      const std::string_view rest(first, static_cast<std::size_t>(last - first));
      std::size_t length = 0;
      next_code_point(rest, length);
      found = rest[0] == '\n' || rest[0] == '\r' ? "the end of the line" : fmt::format("'{}'", rest.substr(0, length));
    }
    fail_syntax(ErrorCode::kSyntax, first, fmt::format("expected {}, found {}", what_, found));
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
    SyntaxReader& reader = reader_of(context);
    if (++reader.depth > reader.limits.max_depth) {
      fail_syntax(ErrorCode::kLimit, first,
                  fmt::format("groups nest deeper than Limits::max_depth = {}; move inner groups to rules of their own",
                              reader.limits.max_depth));
    }
    const bool parsed = this->subject.parse(first, last, context, rcontext, attribute);
    --reader.depth;
    return parsed;
  }
};

// One code point that stands for itself: no backslash, and no line break unless `line_breaks`.
struct Plain : x3::parser<Plain> {
  using attribute_type = std::uint32_t;
  static bool const has_attribute = true;

  explicit Plain(bool with_line_breaks = false) : line_breaks(with_line_breaks) {}

  template <class Iterator, class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&, Attribute& attribute) const {
    if (first == last || *first == '\\' || (!line_breaks && (*first == '\n' || *first == '\r'))) return false;
    std::size_t length = 0;
    const char32_t c = next_code_point({first, static_cast<std::size_t>(last - first)}, length);
    x3::traits::move_to(static_cast<std::uint32_t>(c), attribute);
    first += length;
    return true;
  }

  bool line_breaks;
};

// --- actions

template <class Context>
void check_code(Context& context) {
  const std::uint32_t code = x3::_attr(context);
  if (code > kMaxCodePoint || (code >= 0xD800 && code <= 0xDFFF)) {
    fail_syntax(
        ErrorCode::kInvalid, x3::_where(context).begin(),
        fmt::format("#x{:X}, written before this place, is no character; characters are 0 to 10FFFF without the "
                    "surrogates D800 to DFFF",
                    code));
  }
  x3::_val(context) = code;
}

template <class Context>
void end_range(Context& context) {
  SyntaxReader& reader = reader_of(context);
  CodePointRange& range = reader.ranges.back();
  range.last = static_cast<char32_t>(x3::_attr(context));
  if (range.first > range.last) {
    fail_syntax(ErrorCode::kInvalid, x3::_where(context).begin(),
                "the range before this place ends below its start; swap its ends, or write \\- for a hyphen");
  }
}

template <class Context>
void read_number(Context& context) {
  const SyntaxReader& reader = reader_of(context);
  const auto digits = x3::_attr(context);
  std::uint64_t value = 0;
  for (const char digit : digits) {
    value = value * 10 + static_cast<std::uint64_t>(digit - '0');
    if (value > reader.limits.max_repeat) {
      fail_syntax(ErrorCode::kLimit, digits.begin(),
                  fmt::format("this count exceeds Limits::max_repeat = {}; lower it", reader.limits.max_repeat));
    }
  }
  x3::_val(context) = static_cast<std::uint32_t>(value);
}

template <class Context>
void check_bounds(Context& context) {
  const SyntaxReader& reader = reader_of(context);
  if (reader.min > reader.max) {
    fail_syntax(
        ErrorCode::kInvalid, x3::_where(context).begin(),
        fmt::format("the repetition {{{},{}}} before this place has its bounds swapped", reader.min, reader.max));
  }
}

template <class Context>
void begin_rule(Context& context) {
  SyntaxReader& reader = reader_of(context);
  const auto name = x3::_attr(context);
  reader.begin_rule(std::string_view(name.begin(), name.size()), reader.offset_of(name.begin()));
}

template <class Context>
void end_rule(Context& context) {
  SyntaxReader& reader = reader_of(context);
  SyntaxNodeId body = x3::_attr(context);
  // The body is the rule's last node, also when it is a name alone (it always is: children come first).
  reader.tree.rules.back().body = body;
}

template <class Context>
void add_name(Context& context) {
  SyntaxReader& reader = reader_of(context);
  const auto name = x3::_attr(context);
  SyntaxNode node;
  node.kind = SyntaxKind::kName;
  node.offset = reader.offset_of(name.begin());
  node.first = node.offset;
  node.count = static_cast<std::uint32_t>(name.size());
  x3::_val(context) = reader.add(node);
}

template <class Context>
void add_exception(Context& context) {
  SyntaxReader& reader = reader_of(context);
  const SyntaxNodeId parts[] = {x3::_val(context), x3::_attr(context)};
  x3::_val(context) = reader.add_parent(SyntaxKind::kException, parts);
}

template <SyntaxKind kKind>
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

inline constexpr auto kTake = [](auto& context) { x3::_val(context) = x3::_attr(context); };
inline constexpr auto kTakeOptional = [](auto& context) {
  x3::_val(context) = reader_of(context).add_repeat(x3::_attr(context), 0, 1);
};
inline constexpr auto kTakeRepetition = [](auto& context) {
  x3::_val(context) = reader_of(context).add_repeat(x3::_attr(context), 0, kUnbounded);
};
inline constexpr auto kSetMin = [](auto& context) {
  reader_of(context).min = reader_of(context).max = x3::_attr(context);
};
inline constexpr auto kSetMax = [](auto& context) { reader_of(context).max = x3::_attr(context); };
inline constexpr auto kNoMin = [](auto& context) { reader_of(context).min = 0; };
inline constexpr auto kNoMax = [](auto& context) { reader_of(context).max = kUnbounded; };
inline constexpr auto kRepeatBounds = [](auto& context) {
  SyntaxReader& reader = reader_of(context);
  x3::_val(context) = reader.add_repeat(x3::_val(context), reader.min, reader.max);
};
inline constexpr auto kAppend = [](auto& context) {
  append_utf8(reader_of(context).literal, static_cast<char32_t>(x3::_attr(context)));
};
inline constexpr auto kSetToken = [](auto& context) { reader_of(context).token = x3::_attr(context).begin(); };
inline constexpr auto kOpenClass = [](auto& context) { reader_of(context).open_class(x3::_attr(context).begin()); };
inline constexpr auto kBeginRange = [](auto& context) {
  const auto c = static_cast<char32_t>(x3::_attr(context));
  reader_of(context).ranges.push_back({c, c});
};

// --- pieces of notation

// NOLINTBEGIN(readability-identifier-naming): X3 finds the definition of a rule r by the name r_def.
using Code = std::uint32_t;
template <unsigned kLeast, int kMost>
using Hex = x3::uint_parser<std::uint32_t, 16, kLeast, kMost>;

// An integer of at most Limits::max_repeat.
inline const x3::rule<class NumberId, std::uint32_t> number = "number";
inline const auto number_def = x3::raw[x3::lexeme[+x3::char_('0', '9')]][([](auto& context) { read_number(context); })];
BOOST_SPIRIT_DEFINE(number)

// The escapes of EBNF and Lark; GBNF has its own.
inline const x3::rule<class EscapeId, Code> escape = "escape";
inline const x3::rule<class EscapedId, Code> escaped = "escaped character";
inline const x3::rule<class LongCodeId, Code> after_u = "character code";
inline const x3::rule<class PairId, Code> surrogate_pair = "surrogate pair";
struct SimpleEscapes : x3::symbols<Code> {
  SimpleEscapes() {
    add("n", '\n')("r", '\r')("t", '\t')("f", '\f')("v", '\v')("b", '\b');
    for (const char* self : {"\\", "\"", "'", "/", "-", "[", "]", "^"}) add(self, static_cast<unsigned char>(self[0]));
  }
};
inline const SimpleEscapes simple_escapes;
inline constexpr auto kHigh = [](auto& context) {
  x3::_pass(context) = (x3::_attr(context) & 0xFFFFFC00U) == 0xD800U;
  x3::_val(context) = x3::_attr(context);
};
inline constexpr auto kLow = [](auto& context) {
  x3::_pass(context) = (x3::_attr(context) & 0xFFFFFC00U) == 0xDC00U;
  x3::_val(context) = 0x10000U + ((x3::_val(context) & 0x3FFU) << 10U) + (x3::_attr(context) & 0x3FFU);
};
inline constexpr auto kCheckCode = [](auto& context) { check_code(context); };
inline const auto surrogate_pair_def = Hex<4, 4>()[kHigh] >> "\\u" >> Hex<4, 4>()[kLow];
inline const auto after_u_def = (x3::lit('{') >> Hex<1, 8>() >> x3::lit('}')) | surrogate_pair | Hex<4, 4>();
inline const auto escaped_def =
    simple_escapes | (x3::lit('x') >> must(Hex<2, 2>(), "two hexadecimal digits after \\x")) |
    (x3::lit('u') >> must(after_u, "four hexadecimal digits, or digits in braces, after \\u")) |
    (x3::lit('U') >> must(Hex<8, 8>(), "eight hexadecimal digits after \\U"));
inline const auto escape_def =
    (x3::lit('\\') >> must(escaped,
                           "an escape: \\n \\r \\t \\f \\v \\b \\\\ \\\" \\' \\/ "
                           "\\- \\[ \\] \\^ \\xHH \\uHHHH \\u{H...} \\UHHHHHHHH"))[kCheckCode];
BOOST_SPIRIT_DEFINE(escape, escaped, after_u, surrogate_pair)
// NOLINTEND(readability-identifier-naming)

// --- the parse as a whole

// Parses all of `text` by `grammar` into reader.tree, skipping `blank` between tokens.
template <class Reader, class Grammar, class Blank>
Result<SyntaxTree> read_syntax_tree(Reader& reader, const Grammar& grammar, const Blank& blank) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::string_view text = reader.text;
  const char* first = text.data() + (text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  const char* const last = text.data() + text.size();
  try {
    x3::phrase_parse(first, last, x3::with<ReaderTag>(reader)[grammar], blank);
  } catch (const SyntaxFailure& failure) {
    return error_at_offset(failure.code, text, static_cast<std::size_t>(failure.where - text.data()), failure.message);
  }
  return std::move(reader.tree);
}

}  // namespace weir::notation
