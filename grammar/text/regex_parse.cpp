// Reads ECMA-262 patterns in Unicode mode into a RegexTree.
//
// Beyond the standard, as browsers do outside Unicode mode and where it can mean only one thing: an unescaped `{`, `}`
// or `]` that is part of no quantifier or class is itself, an escaped punctuation character is itself, and `-` beside a
// class escape inside brackets is itself.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "text/regex_ast.hpp"
#include "text/regex_classes.hpp"
#include "weir/grammar/detail/utf8.hpp"
#include "weir/grammar/expr.hpp"

namespace weir {
namespace {

constexpr std::size_t kMaxNodes = std::size_t{1} << 22U;
constexpr char32_t kEnd = 0xFFFFFFFF;

std::string show(char32_t c) {
  if (c == kEnd) return "the end of the pattern";
  if (c < 0x20 || c == 0x7F) return fmt::format("U+{:04X}", static_cast<std::uint32_t>(c));
  std::string text = "'";
  append_utf8(text, c);
  return text + "'";
}

class Parser {
 public:
  Parser(std::string_view pattern, const PatternOptions& options) : text_(pattern), options_(options) {}

  Result<RegexTree> parse() {
    if (const auto bad = find_invalid_utf8(text_)) {
      fail(ErrorCode::kSyntax, *bad, "the pattern is not well-formed UTF-8; re-encode it");
      return *error_;
    }
    const RegexNodeId root = disjunction(0);
    if (!error_ && peek() == ')') fail(ErrorCode::kSyntax, offset_, "')' closes no group; write \\) to match it");
    if (error_) return *error_;
    tree_.root = root;
    return std::move(tree_);
  }

 private:
  // --- the text
  char32_t peek() const {
    if (offset_ >= text_.size()) return kEnd;
    std::size_t at = offset_;
    return next_code_point(text_, at);
  }
  char32_t take() { return next_code_point(text_, offset_); }
  bool eat(std::string_view expected) {
    if (text_.substr(offset_, expected.size()) != expected) return false;
    offset_ += expected.size();
    return true;
  }

  void fail(ErrorCode code, std::size_t offset, std::string message) {
    if (error_) return;
    error_ = error_in_pattern(code, text_, offset, std::move(message));
    offset_ = text_.size();
  }

  // --- nodes
  RegexNodeId add(RegexNode node, std::size_t offset) {
    if (tree_.nodes.size() >= kMaxNodes) {
      fail(ErrorCode::kLimit, offset, fmt::format("the pattern has more than {} parts; split it", kMaxNodes));
      return 0;
    }
    node.offset = static_cast<std::uint32_t>(offset);
    tree_.nodes.push_back(std::move(node));
    return static_cast<RegexNodeId>(tree_.nodes.size() - 1);
  }
  RegexNodeId add_set(CodePointSet set, std::size_t offset) {
    RegexNode node;
    node.kind = RegexKind::kClass;
    node.set = static_cast<std::uint32_t>(tree_.sets.size());
    tree_.sets.push_back(std::move(set));
    return add(std::move(node), offset);
  }
  RegexNodeId add_character(char32_t c, std::size_t offset) {
    const auto [it, fresh] = characters_.try_emplace(c, static_cast<std::uint32_t>(tree_.sets.size()));
    if (fresh) tree_.sets.push_back(CodePointSet::single(c));
    RegexNode node;
    node.kind = RegexKind::kClass;
    node.set = it->second;
    return add(std::move(node), offset);
  }

  // --- grammar, ECMA-262 section 22.2.1
  RegexNodeId disjunction(std::uint32_t depth) {
    const std::size_t start = offset_;
    if (depth > options_.max_depth) {
      fail(ErrorCode::kLimit, offset_,
           fmt::format("groups are nested deeper than {}; flatten the pattern or raise max_depth", options_.max_depth));
      return 0;
    }
    RegexNode node;
    node.kind = RegexKind::kAlternate;
    node.children.push_back(alternative(depth));
    while (!error_ && eat("|")) node.children.push_back(alternative(depth));
    if (error_) return 0;
    if (node.children.size() == 1) return node.children.front();
    return add(std::move(node), start);
  }

  RegexNodeId alternative(std::uint32_t depth) {
    const std::size_t start = offset_;
    RegexNode node;
    while (!error_) {
      const char32_t c = peek();
      if (c == kEnd || c == '|' || c == ')') break;
      node.children.push_back(term(depth));
    }
    if (error_) return 0;
    if (node.children.size() == 1) return node.children.front();
    return add(std::move(node), start);
  }

  RegexNodeId term(std::uint32_t depth) {
    const std::size_t start = offset_;
    bool assertion = false;
    const RegexNodeId atom = term_without_quantifier(depth, assertion);
    std::uint32_t min = 0;
    std::uint32_t max = 0;
    if (error_ || !quantifier(min, max)) return atom;
    if (assertion) {
      fail(ErrorCode::kSyntax, start, "an assertion cannot be repeated; remove the quantifier or wrap it in (?:...)");
      return 0;
    }
    const std::size_t second = offset_;
    std::uint32_t unused = 0;
    if (quantifier(unused, unused)) {
      fail(ErrorCode::kSyntax, second, "a quantifier follows a quantifier; wrap the first in (?:...)");
      return 0;
    }
    RegexNode node;
    node.kind = RegexKind::kRepeat;
    node.min = min;
    node.max = max;
    node.children.push_back(atom);
    return add(std::move(node), start);
  }

  RegexNodeId assertion_node(RegexKind kind, bool negated, std::size_t offset) {
    RegexNode node;
    node.kind = kind;
    node.negated = negated;
    return add(std::move(node), offset);
  }

  RegexNodeId term_without_quantifier(std::uint32_t depth, bool& assertion) {
    const std::size_t start = offset_;
    const char32_t c = take();
    switch (c) {
      case '^': assertion = true; return assertion_node(RegexKind::kTextStart, false, start);
      case '$': assertion = true; return assertion_node(RegexKind::kTextEnd, false, start);
      case '.': return add_set(regex_line_terminators().complement(), start);
      case '(': return group(depth, start, assertion);
      case '[': return add_set(bracket_class(start), start);
      case '\\': return escape(start, assertion);
      case '*':
      case '+':
      case '?':
        fail(ErrorCode::kSyntax, start,
             fmt::format("{} repeats nothing; write \\{} to match it", show(c), static_cast<char>(c)));
        return 0;
      case '{': {
        std::uint32_t unused = 0;
        offset_ = start;
        if (quantifier(unused, unused)) {
          fail(ErrorCode::kSyntax, start, "a quantifier repeats nothing; write \\{ to match '{'");
          return 0;
        }
        offset_ = start + 1;
        return add_character(c, start);
      }
      default: return add_character(c, start);
    }
  }

  // Reads a quantifier, if one stands here. `{` that starts none is left alone: it is a character.
  bool quantifier(std::uint32_t& min, std::uint32_t& max) {
    const std::size_t start = offset_;
    if (eat("*")) {
      min = 0;
      max = kUnbounded;
    } else if (eat("+")) {
      min = 1;
      max = kUnbounded;
    } else if (eat("?")) {
      min = 0;
      max = 1;
    } else if (!eat("{")) {
      return false;
    } else if (!braces(start, min, max)) {
      offset_ = error_ ? text_.size() : start;
      return false;
    }
    eat("?");  // lazy: another preference, the same language
    return true;
  }

  bool braces(std::size_t start, std::uint32_t& min, std::uint32_t& max) {
    std::optional<std::uint64_t> low = count();
    if (!low) return false;
    std::optional<std::uint64_t> high = low;
    bool open = false;
    if (eat(",")) {
      high = count();
      open = !high;
    }
    if (!eat("}")) return false;
    const std::uint64_t most = open ? *low : std::max(*low, *high);
    if (most > options_.max_repeat) {
      fail(ErrorCode::kLimit, start,
           fmt::format("a repetition count is above {}; lower it or raise max_repeat", options_.max_repeat));
      return false;
    }
    if (!open && *low > *high) {
      fail(ErrorCode::kSyntax, start, "the numbers of the quantifier are out of order; write {smaller,larger}");
      return false;
    }
    min = static_cast<std::uint32_t>(*low);
    max = open ? kUnbounded : static_cast<std::uint32_t>(*high);
    return true;
  }

  std::optional<std::uint64_t> count() {
    if (!ecma::is_digit(peek())) return std::nullopt;
    std::uint64_t value = 0;
    while (ecma::is_digit(peek()))
      value = std::min<std::uint64_t>(value * 10 + (take() - '0'), std::uint64_t{1} << 40U);
    return value;
  }

  RegexNodeId group(std::uint32_t depth, std::size_t start, bool& assertion) {
    RegexKind kind = RegexKind::kConcat;
    bool negated = false;
    if (eat("?")) {
      if (eat("<=") || eat("<!")) {
        kind = RegexKind::kLookBehind;
        negated = text_[offset_ - 1] == '!';
      } else if (eat("=") || eat("!")) {
        kind = RegexKind::kLookAhead;
        negated = text_[offset_ - 1] == '!';
      } else if (eat("<")) {
        if (!group_name()) return 0;
      } else if (!eat(":")) {
        return bad_group(start);
      }
    }
    const RegexNodeId body = disjunction(depth + 1);
    if (error_) return 0;
    if (!eat(")")) {
      fail(ErrorCode::kSyntax, start, "this group is not closed; add ')' or write \\( to match '('");
      return 0;
    }
    if (kind == RegexKind::kConcat) return body;
    assertion = true;
    RegexNode node;
    node.kind = kind;
    node.negated = negated;
    node.children.push_back(body);
    return add(std::move(node), start);
  }

  RegexNodeId bad_group(std::size_t start) {
    const std::size_t flags = text_.find_first_not_of("ims-", offset_);
    if (flags != std::string_view::npos && flags > offset_ && text_[flags] == ':') {
      fail(ErrorCode::kUnsupported, start, "flags inside a pattern, (?i:...), are not supported; spell both cases out");
    } else {
      fail(ErrorCode::kSyntax, start,
           "'(?' starts none of (?:...), (?<name>...), (?=...), (?!...), (?<=...), (?<!...); ECMA-262 has no other");
    }
    return 0;
  }

  bool group_name() {
    const std::size_t start = offset_;
    bool first = true;
    for (; !error_; first = false) {
      const char32_t c = peek();
      if (c == '>' && !first) {
        take();
        return true;
      }
      const bool good =
          c != kEnd && (c >= 0x80 || ecma::is_ascii_letter(c) || c == '_' || c == '$' || (ecma::is_digit(c) && !first));
      if (!good) {
        fail(ErrorCode::kSyntax, start, "the name of a group is letters, digits, '_' and '$', closed by '>'");
        return false;
      }
      take();
    }
    return false;
  }

  // --- escapes
  RegexNodeId escape(std::size_t start, bool& assertion) {
    const char32_t c = peek();
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
  bool class_escape(std::size_t start, CodePointSet& out) {
    switch (peek()) {
      case 'd': out = regex_digits(); break;
      case 'D': out = regex_digits().complement(); break;
      case 's': out = regex_white_space(); break;
      case 'S': out = regex_white_space().complement(); break;
      case 'w': out = regex_word_characters(); break;
      case 'W': out = regex_word_characters().complement(); break;
      case 'p':
      case 'P': {
        const bool negated = take() == 'P';
        const std::size_t close = text_.find('}', offset_);
        if (!eat("{") || close == std::string_view::npos) {
          fail(ErrorCode::kSyntax, start, "\\p is followed by {property}, such as \\p{Letter} or \\p{Script=Greek}");
          return true;
        }
        const std::string_view name = text_.substr(offset_, close - offset_);
        const auto set = unicode_property(name);
        if (!set) {
          fail(ErrorCode::kSyntax, start,
               fmt::format("no Unicode property is called '{}'; write \\p{{Letter}}, \\p{{Lu}}, \\p{{Script=Greek}}, "
                           "\\p{{Alphabetic}}, ...",
                           name.substr(0, 80)));
          return true;
        }
        out = negated ? set->complement() : *set;
        offset_ = close + 1;
        return true;
      }
      default: return false;
    }
    take();
    return true;
  }

  std::optional<char32_t> hex(int digits) {
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
  char32_t unicode_escape(std::size_t start) {
    if (eat("{")) {
      char32_t value = 0;
      bool any = false;
      for (int v = 0; (v = ecma::hex_value(peek())) >= 0; any = true) {
        take();
        value = std::min<char32_t>(value * 16 + static_cast<char32_t>(v), kMaxCodePoint + 1);
      }
      if (any && value <= kMaxCodePoint && eat("}")) return value;
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

  char32_t character_escape(std::size_t start, bool in_class) {
    if (peek() == kEnd) {
      fail(ErrorCode::kSyntax, start, "the pattern ends with a lone '\\'; write \\\\ to match it");
      return 0;
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

  // --- [...]; the opening bracket is read.
  CodePointSet bracket_class(std::size_t start) {
    const bool negated = eat("^");
    std::vector<CodePointRange> ranges;
    const auto append = [&](const CodePointSet& set) {
      ranges.insert(ranges.end(), set.ranges().begin(), set.ranges().end());
    };
    while (!error_ && !eat("]")) {
      const std::size_t at = offset_;
      CodePointSet low_set;
      char32_t low = 0;
      const bool low_is_set = class_atom(start, low_set, low);
      if (error_) break;
      if (peek() != '-' || text_.substr(offset_, 2) == "-]") {
        low_is_set ? append(low_set) : ranges.push_back({low, low});
        continue;
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
    return negated ? set.complement() : set;
  }

  // One member of a class: a set (true) or a character.
  bool class_atom(std::size_t start, CodePointSet& set, char32_t& character) {
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

  std::string_view text_;
  PatternOptions options_;
  std::size_t offset_ = 0;
  RegexTree tree_;
  std::unordered_map<char32_t, std::uint32_t> characters_;
  std::optional<Error> error_;
};

}  // namespace

Result<RegexTree> parse_regex_tree(std::string_view pattern, const PatternOptions& options) {
  return Parser(pattern, options).parse();
}

}  // namespace weir
