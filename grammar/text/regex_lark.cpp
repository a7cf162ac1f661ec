// What only the Lark dialect of patterns has: flags, Unicode classes, the escapes of Rust's regex crate and Python's
// re. What these two read differently is refused.
#include <array>

#include <fmt/format.h>

#include "text/case_folding.hpp"
#include "text/regex_classes.hpp"
#include "text/regex_parser.hpp"

namespace weir {
namespace {

CodePointSet properties(std::initializer_list<std::string_view> names) {
  CodePointSet all;
  for (const std::string_view name : names) all = all.united(unicode_property(name).value_or(CodePointSet()));
  return all;
}

// Of Unicode Technical Standard 18, annex C.
const CodePointSet& unicode_digits() {
  static const CodePointSet set = properties({"Nd"});
  return set;
}
const CodePointSet& unicode_word() {
  static const CodePointSet set = properties({"Alphabetic", "M", "Nd", "Pc", "Join_Control"});
  return set;
}
const CodePointSet& unicode_space() {
  static const CodePointSet set = properties({"White_Space"});
  return set;
}

struct PosixClass {
  std::string_view name;
  std::array<CodePointRange, 4> ranges;  // unused ones repeat the first
};

constexpr std::array<PosixClass, 14> kPosixClasses = {{
    {"alnum", {{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}, {'0', '9'}}}},
    {"alpha", {{{'A', 'Z'}, {'a', 'z'}, {'A', 'Z'}, {'A', 'Z'}}}},
    {"ascii", {{{0, 0x7F}, {0, 0x7F}, {0, 0x7F}, {0, 0x7F}}}},
    {"blank", {{{'\t', '\t'}, {' ', ' '}, {' ', ' '}, {' ', ' '}}}},
    {"cntrl", {{{0, 0x1F}, {0x7F, 0x7F}, {0, 0x1F}, {0, 0x1F}}}},
    {"digit", {{{'0', '9'}, {'0', '9'}, {'0', '9'}, {'0', '9'}}}},
    {"graph", {{{'!', '~'}, {'!', '~'}, {'!', '~'}, {'!', '~'}}}},
    {"lower", {{{'a', 'z'}, {'a', 'z'}, {'a', 'z'}, {'a', 'z'}}}},
    {"print", {{{' ', '~'}, {' ', '~'}, {' ', '~'}, {' ', '~'}}}},
    {"punct", {{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}}},
    {"space", {{{'\t', '\r'}, {' ', ' '}, {' ', ' '}, {' ', ' '}}}},
    {"upper", {{{'A', 'Z'}, {'A', 'Z'}, {'A', 'Z'}, {'A', 'Z'}}}},
    {"word", {{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}, {'_', '_'}}}},
    {"xdigit", {{{'0', '9'}, {'A', 'F'}, {'a', 'f'}, {'0', '9'}}}},
}};

}  // namespace

// With the flag x: white space, and comments up to the end of the line.
void RegexParser::skip_extended() {
  if (!flags_.extended || error_) return;
  while (offset_ < text_.size()) {
    std::size_t next = offset_;
    const char32_t c = next_code_point(text_, next);
    if (c == '#') {
      offset_ = std::min(text_.find('\n', offset_), text_.size());
    } else if (unicode_space().contains(c)) {
      offset_ = next;
    } else {
      return;
    }
  }
}

void RegexParser::refuse_assertion(std::size_t start) {
  fail(ErrorCode::kUnsupported, start,
       "anchors, word boundaries and look-arounds are not supported here: a pattern stands for one lexeme as a whole; "
       "leave ^ and $ out, and write what else is asked with & and ~ between terminals");
}

bool RegexParser::group_flags(std::size_t start) {
  const std::size_t first = start + 2;
  const std::size_t end = text_.find_first_not_of("imsuxUR-", first);
  const bool scoped = end != std::string_view::npos && text_[end] == ':';
  const bool whole = end != std::string_view::npos && text_[end] == ')';
  if (end == first || (!scoped && !whole)) {
    if (offset_ != start) {
      fail(
          ErrorCode::kSyntax, start,
          "'(?' starts none of (?:...), (?<name>...), (?P<name>...), (?flags:...) and (?flags), flags being i, m, s, u "
          "and x");
    }
    return false;
  }
  if (scoped && offset_ == start) return false;  // group() reads it
  PatternFlags flags = flags_;
  bool on = true;
  for (std::size_t at = first; at < end; ++at) {
    switch (text_[at]) {
      case '-': on = false; break;
      case 'i': flags.ignore_case = on; break;
      case 's': flags.dot_all = on; break;
      case 'x': flags.extended = on; break;
      case 'm': break;  // of ^ and $, which are refused
      case 'u':
        if (on) break;
        [[fallthrough]];
      default:
        fail(ErrorCode::kUnsupported, at, "only the flags i, m, s, u and x are supported, and u is always on");
        return true;
    }
  }
  flags_ = flags;
  offset_ = end + 1;
  return true;
}

bool RegexParser::lark_class_escape(CodePointSet& out) {
  const char32_t c = peek();
  switch (c) {
    case 'd':
    case 'D': out = unicode_digits(); break;
    case 's':
    case 'S': out = unicode_space(); break;
    case 'w':
    case 'W': out = unicode_word(); break;
    default: return false;
  }
  take();
  if (c < 'a') out = out.complement();
  return true;
}

std::optional<char32_t> RegexParser::lark_character_escape(std::size_t start) {
  if (eat("a")) return U'\a';
  if (eat("U")) {
    const bool braces = eat("{");
    const auto value = braces ? braced_code_point() : hex(8);
    if (value && *value <= kMaxCodePoint) return value;
    fail(ErrorCode::kSyntax, start, "\\U is followed by eight hexadecimal digits, or by {digits}, up to 10FFFF");
  } else if (eat("x{")) {
    if (const auto value = braced_code_point()) return value;
    fail(ErrorCode::kSyntax, start, "\\x{...} holds a hexadecimal code point up to 10FFFF");
  } else if (peek() == 'c') {
    fail(ErrorCode::kSyntax, start, "unknown escape \\c; write \\xHH");
  }
  return std::nullopt;
}

bool RegexParser::posix_class(std::vector<CodePointRange>& ranges) {
  const std::string_view rest = text_.substr(offset_);
  if (rest.starts_with("&&") || rest.starts_with("--") || rest.starts_with("~~")) {
    fail(ErrorCode::kUnsupported, offset_,
         fmt::format(
             "'{}' inside a class is read differently by Rust and Python; escape it, or combine terminals with & "
             "and ~",
             rest.substr(0, 2)));
    return false;
  }
  const char32_t c = peek();
  if (flags_.extended && c != kEnd && (c == '#' || unicode_space().contains(c))) {
    fail(ErrorCode::kUnsupported, offset_,
         "under the flag x, white space and '#' inside a class are read differently by Rust and Python; write \\x20, "
         "\\t, "
         "\\n or \\#");
    return false;
  }
  if (!rest.starts_with('[')) return false;
  const std::size_t close = rest.find(":]");
  if (!rest.starts_with("[:") || close == std::string_view::npos) {
    fail(ErrorCode::kUnsupported, offset_, "'[' inside a class is read differently by Rust and Python; write \\[");
    return false;
  }
  const bool negated = rest[2] == '^';
  const std::string_view name = rest.substr(negated ? 3 : 2, close - (negated ? 3 : 2));
  const auto* const found =
      std::find_if(kPosixClasses.begin(), kPosixClasses.end(), [&](const PosixClass& one) { return one.name == name; });
  if (found == kPosixClasses.end()) {
    fail(ErrorCode::kSyntax, offset_,
         fmt::format("there is no class [:{}:]; write [:alnum:], [:alpha:], [:digit:], [:space:], ... or \\[",
                     name.substr(0, 80)));
    return false;
  }
  CodePointSet set = CodePointSet::of(found->ranges);
  if (flags_.ignore_case) set = case_variants(set);
  if (negated) set = set.complement();
  ranges.insert(ranges.end(), set.ranges().begin(), set.ranges().end());
  offset_ += close + 2;
  return true;
}

}  // namespace weir
