// What the parser of Lark texts needs beyond SyntaxReader: parsers for its tokens, and refusals of what weir does not
// do. Private to grammar/text.
#pragma once

#include <string>
#include <string_view>

#include "text/lark_common.hpp"
#include "text/x3_notation.hpp"

namespace weir::notation {

struct LarkReader : SyntaxReader {
  using SyntaxReader::SyntaxReader;

  bool caseless = false;    // the string being read has the flag i
  std::string range_start;  // of the range being read, and where it begins
  const char* range_place = nullptr;
  std::string_view path;  // of the %import being read

  [[noreturn]] void fail(ErrorCode code, std::string_view place, std::string message) const {
    fail_syntax(code, place.data(), std::move(message));
  }
  void check_name(std::string_view name) const {
    constexpr auto kUpper = [](char c) { return c >= 'A' && c <= 'Z'; };
    constexpr auto kLower = [](char c) { return c >= 'a' && c <= 'z'; };
    const bool upper = std::any_of(name.begin(), name.end(), kUpper);
    const bool lower = std::any_of(name.begin(), name.end(), kLower);
    if (upper != lower) return;
    fail(ErrorCode::kSyntax, name,
         fmt::format(
             fmt::runtime(upper
                              ? "the name '{}' mixes cases; a rule's name is lower case, a terminal's is upper case"
                              : "the name '{}' has no letter; a rule's name is lower case, a terminal's is upper case"),
             name));
  }
  void begin_definition(std::string_view name) {
    check_name(name);
    begin(name, offset_of(name.data()), is_terminal_name(name));
  }
  void begin_ignore(std::string_view keyword) { begin({}, offset_of(keyword.data()), true); }
  void end_definition(SyntaxNodeId body) { tree.rules.back().body = body; }

  void set_path(std::string_view given) {
    path = given;
    if (given == "common" || given.starts_with("common.")) return;
    fail(ErrorCode::kUnsupported, given,
         fmt::format("only the terminals of 'common' can be imported; copy the definition of '{}' into this grammar",
                     given));
  }
  // %import common.NAME, under the name `local`.
  void import(std::string_view member, std::string_view local) {
    const auto pattern = common_terminal(member);
    if (!pattern) {
      fail(ErrorCode::kInvalid, member,
           fmt::format("'common' has no terminal '{}'; it has {}", member, common_terminal_names()));
    }
    check_name(local);
    if (!is_terminal_name(local)) {
      fail(ErrorCode::kInvalid, local,
           fmt::format("'{}' would be a rule, and a terminal is imported; write its name in upper case", local));
    }
    begin(local, offset_of(local.data()), true);
    end_definition(add_pattern(*pattern, offset_of(local.data()), {}, true));
  }
  std::string_view path_member() const {
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) {
      fail(ErrorCode::kSyntax, path, "expected what to import, as in  %import common.WS  or  %import common (WS, INT)");
    }
    return path.substr(dot + 1);
  }

  SyntaxNodeId add_pattern(std::string_view pattern, std::uint32_t offset, PatternFlags flags, bool imported) {
    tree.patterns.push_back({pattern, flags, imported});
    return add({SyntaxKind::kPattern, offset, static_cast<std::uint32_t>(tree.patterns.size() - 1), 1, 0, 0});
  }
  SyntaxNodeId add_string() { return add_literal(caseless ? SyntaxKind::kCaselessLiteral : SyntaxKind::kLiteral); }
  SyntaxNodeId add_range(const char* end) {
    token = range_place;
    const auto character = [&](const std::string& side) {
      std::size_t length = 0;
      const char32_t c = side.empty() ? 0 : next_code_point(side, length);
      if (side.empty() || length != side.size() || caseless) {
        fail(ErrorCode::kInvalid, {token, 1},
             "a range goes from one character to another, as in \"a\"..\"z\", without flags");
      }
      return c;
    };
    const CodePointRange range{character(range_start), character(literal)};
    if (range.first > range.last) {
      fail_syntax(ErrorCode::kInvalid, end, "the range before this place ends below its start; swap its ends");
    }
    ranges = {range};
    negated = false;
    literal.clear();
    return add_class();
  }

 private:
  void begin(std::string_view name, std::uint32_t offset, bool terminal) {
    begin_rule(name, offset);
    tree.rules.back().terminal = terminal;
  }
};

// Looks at what follows, and fails with `message` of it unless that is null. Matches nothing.
struct Refuse : x3::parser<Refuse> {
  using attribute_type = x3::unused_type;
  [[maybe_unused]] static constexpr bool has_attribute = false;  // NOLINT(readability-identifier-naming): X3's name
  using Message = const char* (*)(std::string_view rest);

  explicit Refuse(Message m) : message(m) {}

  template <class Iterator, class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext&, Attribute&) const {
    Iterator place = first;
    x3::skip_over(place, last, context);
    const char* const found = message({place, static_cast<std::size_t>(last - place)});
    if (found != nullptr) fail_syntax(ErrorCode::kUnsupported, place, found);
    return true;
  }

  Message message;
};

inline const char* refused_behind_name(std::string_view rest) {
  if (rest.starts_with("::")) {
    return "parametric rules (name::param) are not supported; write one rule for each value of the parameter";
  }
  if (rest.starts_with('.')) {
    return "priorities (NAME.2:) are not supported, and choose between parses of one language; leave the number out";
  }
  if (rest.starts_with('{')) return "templates (name{param}:) are not supported; write the rule out for each argument";
  if (!rest.starts_with('[')) return nullptr;
  constexpr std::pair<std::string_view, const char*> kAttributes[] = {
      {"lazy", "the attribute 'lazy' is not supported; write what the text may not contain, as in /[^<]*/ \"<\""},
      {"suffix", "the attribute 'suffix' is not supported; write what the text may not contain, and then the suffix"},
      {"stop",
       "the attributes 'stop' and 'stop_capture' are not supported; write what the text may not contain, and "
       "then what it stops at"},
      {"capture", "the attribute 'capture' is not supported; leave it out, and parse the text that was generated"},
      {"max_tokens", "the attribute 'max_tokens' is not supported; bound the text, as in /.{0,100}/"},
      {"temperature", "the attribute 'temperature' is not supported; set the temperature of the sampler"},
  };
  const std::string_view key = rest.substr(std::min(rest.find_first_not_of(" \t", 1), rest.size()));
  for (const auto& [name, message] : kAttributes) {
    if (key.starts_with(name)) return message;
  }
  return "rule attributes (name[...]:) are not supported; leave them out";
}

// Of a name in use: `{` begins a count when a number or a comma follows.
inline const char* refused_behind_reference(std::string_view rest) {
  if (!rest.starts_with('{')) return nullptr;
  const std::size_t next = rest.find_first_not_of(" \t", 1);
  const bool count = next != std::string_view::npos && (rest[next] == ',' || (rest[next] >= '0' && rest[next] <= '9'));
  return count ? nullptr : "templates (name{argument}) are not supported; write the rule out for each argument";
}

inline const char* refused_item(std::string_view rest) {
  if (rest.starts_with('<')) {
    return "special tokens and sets of tokens (<name>, <[id]>) are not supported; write the text in quotes if it is "
           "text";
  }
  if (rest.starts_with('@')) {
    return "other grammars (@name) are not supported; copy the rules of that grammar into this one";
  }
  if (rest.starts_with("%json")) {
    return "JSON Schemas inside a grammar (%json) are not supported; compile the schema by itself, or write rules for "
           "it";
  }
  if (rest.starts_with("%regex"))
    return "%regex is not supported; list the alternatives, or write a regular expression";
  if (rest.starts_with("%lark")) return "%lark is not supported; copy the rules of that grammar into this one";
  return nullptr;
}

inline const char* refused_statement(std::string_view rest) {
  if (const char* const item = refused_item(rest)) return item;
  if (rest.starts_with("%declare")) return "%declare is not supported; define the terminal, as in  NAME: /[a-z]+/";
  if (rest.starts_with("%override")) return "%override is not supported; define the rule once";
  if (rest.starts_with("%extend")) return "%extend is not supported; list all alternatives in one place";
  if (rest.starts_with("%llguidance") || rest.starts_with("%grammar_options")) {
    return "options of the grammar (%llguidance {...}) are not supported; leave them out, or leave them empty";
  }
  return rest.starts_with('%') ? "this statement is not supported; %ignore and %import are" : nullptr;
}

// /pattern/flags. The pattern ends at the first `/` without a backslash, also inside brackets.
struct RegexToken : x3::parser<RegexToken> {
  using attribute_type = SyntaxNodeId;
  static bool const has_attribute = true;

  template <class Iterator, class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext&, Attribute& attribute) const {
    x3::skip_over(first, last, context);
    if (first == last || *first != '/') return false;
    LarkReader& reader = reader_of(context);
    const std::string_view rest(first, static_cast<std::size_t>(last - first));
    std::size_t end = 1;
    while (end < rest.size() && rest[end] != '/') end += rest[end] == '\\' ? 2 : 1;
    PatternFlags flags;
    const char* const after = end < rest.size() ? read_flags(rest.data() + end + 1, last, flags) : nullptr;
    if (after == nullptr || (!flags.extended && rest.substr(0, end).find('\n') != std::string_view::npos)) {
      fail_syntax(ErrorCode::kSyntax, first,
                  "this regular expression is not closed on its line; end it with '/', and write \\/ for a slash and "
                  "\\n for a line break (with the flag x it may take several lines)");
    }
    x3::traits::move_to(reader.add_pattern(rest.substr(1, end - 1), reader.offset_of(first), flags, false), attribute);
    first = after;
    return true;
  }

 private:
  static const char* read_flags(const char* place, const char* last, PatternFlags& flags) {
    for (; place != last; ++place) {
      switch (*place) {
        case 'i': flags.ignore_case = true; break;
        case 's': flags.dot_all = true; break;
        case 'x': flags.extended = true; break;
        case 'm':  // of ^ and $, which are refused
        case 'u': break;
        case 'l':
          fail_syntax(ErrorCode::kUnsupported, place, "the flag l (locale) is not supported; texts are Unicode");
        default: return place;
      }
    }
    return place;
  }
};

}  // namespace weir::notation
