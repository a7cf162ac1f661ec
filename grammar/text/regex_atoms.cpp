// Escapes and [classes] of patterns.
#include <fmt/format.h>

#include "text/case_folding.hpp"
#include "text/regex_classes.hpp"
#include "text/regex_parser.hpp"

namespace weir {

RegexNodeId RegexParser::escape(std::size_t start, bool& assertion) {
  const char32_t c = peek();
  if (lark() && c < 0x80 && std::string_view("bBAzZG").find(static_cast<char>(c)) != std::string_view::npos) {
    refuse_assertion(start);
    return 0;
  }
  if (c == 'b' || c == 'B') {
    take();
    assertion = true;
    return assertion_node(RegexKind::kWordBoundary, c == 'B', start);
  }
  if (c == 'k' || (c >= '1' && c <= '9')) {
    fail(ErrorCode::kUnsupported, start,
         "back-references are not supported: no finite automaton matches them; spell the alternatives out");
    return 0;
  }
  CodePointSet set;
  if (class_escape(start, set)) return add_set(std::move(set), start);
  const char32_t character = character_escape(start, false);
  return error_ ? 0 : add_character(character, start);
}

// \d \D \s \S \w \W \p{..} \P{..}
bool RegexParser::class_escape(std::size_t start, CodePointSet& out) {
  if (lark() && lark_class_escape(out)) return true;
  switch (peek()) {
    case 'd': out = regex_digits(); break;
    case 'D': out = regex_digits().complement(); break;
    case 's': out = regex_white_space(); break;
    case 'S': out = regex_white_space().complement(); break;
    case 'w': out = regex_word_characters(); break;
    case 'W': out = regex_word_characters().complement(); break;
    case 'p':
    case 'P': return property_escape(start, out);
    default: return false;
  }
  take();
  return true;
}

// Always true: what follows \\p is a property, or an error.
bool RegexParser::property_escape(std::size_t start, CodePointSet& out) {
  const bool negated = take() == 'P';
  std::string_view name;
  if (lark() && ecma::is_ascii_letter(peek())) {
    name = text_.substr(offset_++, 1);
  } else {
    const std::size_t close = text_.find('}', offset_);
    if (!eat("{") || close == std::string_view::npos) {
      fail(ErrorCode::kSyntax, start, "\\p is followed by {property}, such as \\p{Letter} or \\p{Script=Greek}");
      return true;
    }
    name = text_.substr(offset_, close - offset_);
    offset_ = close + 1;
  }
  auto set = unicode_property(name);
  if (!set && lark()) set = unicode_property(fmt::format("Script={}", name));
  if (!set) {
    fail(ErrorCode::kSyntax, start,
         fmt::format("no Unicode property is called '{}'; write \\p{{Letter}}, \\p{{Lu}}, \\p{{Script=Greek}}, "
                     "\\p{{Alphabetic}}, ...",
                     name.substr(0, 80)));
    return true;
  }
  if (flags_.ignore_case) set = case_variants(*set);
  out = negated ? set->complement() : *set;
  return true;
}

std::optional<char32_t> RegexParser::hex(int digits) {
  char32_t value = 0;
  std::size_t at = offset_;
  for (int i = 0; i < digits; ++i, ++at) {
    const int v = at < text_.size() ? ecma::hex_value(static_cast<unsigned char>(text_[at])) : -1;
    if (v < 0) return std::nullopt;
    value = value * 16 + static_cast<char32_t>(v);
  }
  offset_ = at;
  return value;
}

// After \u: four digits, {digits}, or a surrogate pair of two escapes.
char32_t RegexParser::unicode_escape(std::size_t start) {
  if (eat("{")) {
    if (const auto value = braced_code_point()) return *value;
    fail(ErrorCode::kSyntax, start, "\\u{...} holds a hexadecimal code point up to 10FFFF");
    return 0;
  }
  const auto first = hex(4);
  if (!first) {
    fail(ErrorCode::kSyntax, start, "\\u is followed by four hexadecimal digits or by {code point}");
    return 0;
  }
  if (!ecma::is_high_surrogate(*first)) return *first;
  const std::size_t after = offset_;
  if (eat("\\u")) {
    const auto second = hex(4);
    if (second && ecma::is_low_surrogate(*second)) return 0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00);
  }
  offset_ = after;
  return *first;  // a lone surrogate: no well-formed text holds one
}

// Behind the opening brace.
std::optional<char32_t> RegexParser::braced_code_point() {
  char32_t value = 0;
  bool any = false;
  for (int v = 0; (v = ecma::hex_value(peek())) >= 0; any = true) {
    take();
    value = std::min<char32_t>(value * 16 + static_cast<char32_t>(v), kMaxCodePoint + 1);
  }
  if (any && value <= kMaxCodePoint && eat("}")) return value;
  return std::nullopt;
}

char32_t RegexParser::character_escape(std::size_t start, bool in_class) {
  if (peek() == kEnd) {
    fail(ErrorCode::kSyntax, start, "the pattern ends with a lone '\\'; write \\\\ to match it");
    return 0;
  }
  if (lark()) {
    if (const auto special = lark_character_escape(start)) return *special;
    if (error_) return 0;
  }
  const char32_t c = take();
  switch (c) {
    case 't': return '\t';
    case 'n': return '\n';
    case 'v': return '\v';
    case 'f': return '\f';
    case 'r': return '\r';
    case 'b':
      if (in_class) return '\b';
      break;
    case '0':
      if (!ecma::is_digit(peek())) return 0;
      fail(ErrorCode::kSyntax, start, "octal escapes are no part of ECMA-262 in Unicode mode; write \\xHH");
      return 0;
    case 'c':
      if (ecma::is_ascii_letter(peek())) return take() % 32;
      fail(ErrorCode::kSyntax, start, "\\c is followed by a letter");
      return 0;
    case 'x':
      if (const auto value = hex(2)) return *value;
      fail(ErrorCode::kSyntax, start, "\\x is followed by two hexadecimal digits");
      return 0;
    case 'u': return unicode_escape(start);
    default:
      if (!ecma::is_ascii_letter(c) && !ecma::is_digit(c)) return c;
  }
  fail(ErrorCode::kSyntax, start,
       fmt::format("unknown escape \\{}; a letter or digit that means itself takes no '\\'", static_cast<char>(c)));
  return 0;
}

CodePointSet RegexParser::bracket_class(std::size_t start) {
  const bool negated = eat("^");
  std::vector<CodePointRange> ranges;
  const auto append = [&](const CodePointSet& set) {
    ranges.insert(ranges.end(), set.ranges().begin(), set.ranges().end());
  };
  bool closes = !lark();  // there, `]` in front is a member
  while (!error_ && !(closes && eat("]"))) {
    closes = true;
    if (lark() && posix_class(ranges)) continue;
    if (error_) break;
    const std::size_t at = offset_;
    CodePointSet low_set;
    char32_t low = 0;
    const bool low_is_set = class_atom(start, low_set, low);
    if (error_) break;
    if (peek() != '-' || text_.substr(offset_, 2) == "-]") {
      low_is_set ? append(low_set) : ranges.push_back({low, low});
      continue;
    }
    if (lark() && text_.substr(offset_, 2) == "--") {
      posix_class(ranges);
      break;
    }
    take();
    CodePointSet high_set;
    char32_t high = 0;
    const bool high_is_set = class_atom(start, high_set, high);
    if (error_) break;
    if (low_is_set || high_is_set) {
      low_is_set ? append(low_set) : ranges.push_back({low, low});
      high_is_set ? append(high_set) : ranges.push_back({high, high});
      ranges.push_back({'-', '-'});
    } else if (low > high) {
      fail(ErrorCode::kSyntax, at, "the range of this class is out of order; write the smaller end first");
    } else {
      ranges.push_back({low, high});
    }
  }
  CodePointSet set = CodePointSet::of(ranges);
  if (flags_.ignore_case) set = case_variants(set);
  return negated ? set.complement() : set;
}

// One member of a class: a set (true) or a character.
bool RegexParser::class_atom(std::size_t start, CodePointSet& set, char32_t& character) {
  const std::size_t at = offset_;
  if (peek() == kEnd) {
    fail(ErrorCode::kSyntax, start, "this class is not closed; add ']' or write \\[ to match '['");
    return false;
  }
  const char32_t c = take();
  if (c != '\\') {
    character = c;
    return false;
  }
  if (class_escape(at, set)) return true;
  character = character_escape(at, true);
  return false;
}

}  // namespace weir
