// The parser of patterns, both dialects. Private to grammar/text.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/regex_ast.hpp"
#include "weir/grammar/detail/utf8.hpp"
#include "weir/grammar/expr.hpp"

namespace weir {

class RegexParser {
 public:
  static constexpr char32_t kEnd = 0xFFFFFFFF;

  RegexParser(std::string_view pattern, const PatternOptions& options)
      : text_(pattern), options_(options), flags_(options.flags) {}

  Result<RegexTree> parse();

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
  bool lark() const { return options_.dialect == PatternDialect::kLark; }
  // Keeps the first error, and moves to the end of the text.
  void fail(ErrorCode code, std::size_t offset, std::string message);

  // --- nodes
  RegexNodeId add(RegexNode node, std::size_t offset);
  RegexNodeId add_set(CodePointSet set, std::size_t offset);
  RegexNodeId add_character(char32_t c, std::size_t offset);
  RegexNodeId assertion_node(RegexKind kind, bool negated, std::size_t offset);

  // --- structure, named after ECMA-262 section 22.2.1 (regex_parse.cpp)
  RegexNodeId disjunction(std::uint32_t depth);
  RegexNodeId alternative(std::uint32_t depth);
  RegexNodeId term(std::uint32_t depth);
  RegexNodeId term_without_quantifier(std::uint32_t depth, bool& assertion);
  // Reads a quantifier, if one stands here. `{` that starts none is left alone: it is a character.
  bool quantifier(std::uint32_t& min, std::uint32_t& max);
  bool braces(std::size_t start, std::uint32_t& min, std::uint32_t& max);
  std::optional<std::uint64_t> count();
  RegexNodeId group(std::uint32_t depth, std::size_t start, bool& assertion);
  RegexNodeId bad_group(std::size_t start);
  bool group_name();

  // --- escapes and classes (regex_atoms.cpp)
  RegexNodeId escape(std::size_t start, bool& assertion);
  // \d \D \s \S \w \W \p{..} \P{..}
  bool class_escape(std::size_t start, CodePointSet& out);
  bool property_escape(std::size_t start, CodePointSet& out);
  std::optional<char32_t> hex(int digits);
  // After \u: four digits, {digits}, or a surrogate pair of two escapes.
  char32_t unicode_escape(std::size_t start);
  std::optional<char32_t> braced_code_point();
  char32_t character_escape(std::size_t start, bool in_class);
  // [...]; the opening bracket is read.
  CodePointSet bracket_class(std::size_t start);
  // One member of a class: a set (true) or a character.
  bool class_atom(std::size_t start, CodePointSet& set, char32_t& character);

  // --- what only the Lark dialect has (regex_lark.cpp)
  void skip_extended();
  void refuse_assertion(std::size_t start);
  // Behind `(?`: flags up to `:`, or up to `)` for the rest of the group they stand in (true).
  bool group_flags(std::size_t start);
  bool lark_class_escape(CodePointSet& out);
  std::optional<char32_t> lark_character_escape(std::size_t start);
  // [:alpha:] inside a class. Fails for what Rust and Python read differently.
  bool posix_class(std::vector<CodePointRange>& ranges);

  std::string_view text_;
  PatternOptions options_;
  PatternFlags flags_;  // at this place
  std::size_t offset_ = 0;
  RegexTree tree_;
  std::unordered_map<char32_t, std::uint32_t> characters_;     // to sets
  std::unordered_map<std::string, std::uint32_t> large_sets_;  // by class_key
  std::optional<Error> error_;
};

}  // namespace weir
