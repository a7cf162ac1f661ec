// Reads patterns into a RegexTree: what the dialects share, and where they part. regex_atoms.cpp reads escapes and
// classes, regex_lark.cpp what only the Lark dialect has.
//
// ECMA-262 in Unicode mode. Beyond the standard, as browsers do outside Unicode mode and where it can mean only one
// thing: an unescaped `{`, `}` or `]` that is part of no quantifier or class is itself, an escaped punctuation
// character is itself, and `-` beside a class escape inside brackets is itself.
#include <fmt/format.h>

#include "text/case_folding.hpp"
#include "text/regex_classes.hpp"
#include "text/regex_parser.hpp"

namespace weir {
namespace {

constexpr std::size_t kMaxNodes = std::size_t{1} << 22U;

std::string show(char32_t c) {
  if (c == RegexParser::kEnd) return "the end of the pattern";
  if (c < 0x20 || c == 0x7F) return fmt::format("U+{:04X}", static_cast<std::uint32_t>(c));
  std::string text = "'";
  append_utf8(text, c);
  return text + "'";
}

}  // namespace

Result<RegexTree> RegexParser::parse() {
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

void RegexParser::fail(ErrorCode code, std::size_t offset, std::string message) {
  if (error_) return;
  error_ = error_in_pattern(code, text_, offset, std::move(message));
  offset_ = text_.size();
}

RegexNodeId RegexParser::add(RegexNode node, std::size_t offset) {
  if (tree_.nodes.size() >= kMaxNodes) {
    fail(ErrorCode::kLimit, offset, fmt::format("the pattern has more than {} parts; split it", kMaxNodes));
    return 0;
  }
  node.offset = static_cast<std::uint32_t>(offset);
  tree_.nodes.push_back(std::move(node));
  return static_cast<RegexNodeId>(tree_.nodes.size() - 1);
}

RegexNodeId RegexParser::add_set(CodePointSet set, std::size_t offset) {
  RegexNode node;
  node.kind = RegexKind::kClass;
  node.set = static_cast<std::uint32_t>(tree_.sets.size());
  if (set.ranges().size() >= kManyRanges) node.set = large_sets_.try_emplace(class_key(set), node.set).first->second;
  if (node.set == tree_.sets.size()) tree_.sets.push_back(std::move(set));
  return add(std::move(node), offset);
}

RegexNodeId RegexParser::add_character(char32_t c, std::size_t offset) {
  if (flags_.ignore_case) {
    CodePointSet variants = case_variants(CodePointSet::single(c));
    if (variants != CodePointSet::single(c)) return add_set(std::move(variants), offset);
  }
  const auto [it, fresh] = characters_.try_emplace(c, static_cast<std::uint32_t>(tree_.sets.size()));
  if (fresh) tree_.sets.push_back(CodePointSet::single(c));
  RegexNode node;
  node.kind = RegexKind::kClass;
  node.set = it->second;
  return add(std::move(node), offset);
}

RegexNodeId RegexParser::disjunction(std::uint32_t depth) {
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

RegexNodeId RegexParser::alternative(std::uint32_t depth) {
  const std::size_t start = offset_;
  RegexNode node;
  while (!error_) {
    skip_extended();
    const char32_t c = peek();
    if (c == kEnd || c == '|' || c == ')') break;
    if (lark() && text_.substr(offset_, 2) == "(?" && group_flags(offset_)) continue;
    node.children.push_back(term(depth));
  }
  if (error_) return 0;
  if (node.children.size() == 1) return node.children.front();
  return add(std::move(node), start);
}

RegexNodeId RegexParser::term(std::uint32_t depth) {
  const std::size_t start = offset_;
  bool assertion = false;
  const RegexNodeId atom = term_without_quantifier(depth, assertion);
  skip_extended();
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

RegexNodeId RegexParser::assertion_node(RegexKind kind, bool negated, std::size_t offset) {
  RegexNode node;
  node.kind = kind;
  node.negated = negated;
  return add(std::move(node), offset);
}

RegexNodeId RegexParser::term_without_quantifier(std::uint32_t depth, bool& assertion) {
  const std::size_t start = offset_;
  const char32_t c = take();
  switch (c) {
    case '^':
      if (lark()) refuse_assertion(start);
      assertion = true;
      return assertion_node(RegexKind::kTextStart, false, start);
    case '$':
      if (lark()) refuse_assertion(start);
      assertion = true;
      return assertion_node(RegexKind::kTextEnd, false, start);
    case '.':
      if (!lark()) return add_set(regex_line_terminators().complement(), start);
      return add_set(flags_.dot_all ? CodePointSet::all() : CodePointSet::single('\n').complement(), start);
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
bool RegexParser::quantifier(std::uint32_t& min, std::uint32_t& max) {
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
  const bool lazy = eat("?");  // another preference; of a whole text the same language
  if (lazy && lark()) {
    fail(ErrorCode::kUnsupported, offset_ - 1,
         "lazy repetitions are not supported; write what the repetition may not contain, as in /[^\"]*/");
  }
  return true;
}

bool RegexParser::braces(std::size_t start, std::uint32_t& min, std::uint32_t& max) {
  std::optional<std::uint64_t> low = count();
  if (!low && lark() && peek() == ',' && text_.substr(offset_, 2) != ",}") low = 0;
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

std::optional<std::uint64_t> RegexParser::count() {
  if (!ecma::is_digit(peek())) return std::nullopt;
  std::uint64_t value = 0;
  while (ecma::is_digit(peek())) value = std::min<std::uint64_t>(value * 10 + (take() - '0'), std::uint64_t{1} << 40U);
  return value;
}

RegexNodeId RegexParser::group(std::uint32_t depth, std::size_t start, bool& assertion) {
  RegexKind kind = RegexKind::kConcat;
  bool negated = false;
  const PatternFlags outer = flags_;
  if (eat("?")) {
    if (eat("<=") || eat("<!")) {
      kind = RegexKind::kLookBehind;
      negated = text_[offset_ - 1] == '!';
    } else if (eat("=") || eat("!")) {
      kind = RegexKind::kLookAhead;
      negated = text_[offset_ - 1] == '!';
    } else if (eat("<") || (lark() && eat("P<"))) {
      if (!group_name()) return 0;
    } else if (lark() && peek() != ':') {
      group_flags(start);  // reads the ':' too, or else has failed
      if (error_) return 0;
    } else if (!eat(":")) {
      return bad_group(start);
    }
  }
  if (lark() && kind != RegexKind::kConcat) {
    refuse_assertion(start);
    return 0;
  }
  const RegexNodeId body = disjunction(depth + 1);
  flags_ = outer;
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

RegexNodeId RegexParser::bad_group(std::size_t start) {
  const std::size_t flags = text_.find_first_not_of("ims-", offset_);
  if (flags != std::string_view::npos && flags > offset_ && text_[flags] == ':') {
    fail(ErrorCode::kUnsupported, start, "flags inside a pattern, (?i:...), are not supported; spell both cases out");
  } else {
    fail(ErrorCode::kSyntax, start,
         "'(?' starts none of (?:...), (?<name>...), (?=...), (?!...), (?<=...), (?<!...); ECMA-262 has no other");
  }
  return 0;
}

bool RegexParser::group_name() {
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

Result<RegexTree> parse_regex_tree(std::string_view pattern, const PatternOptions& options) {
  return RegexParser(pattern, options).parse();
}

}  // namespace weir
