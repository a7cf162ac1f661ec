// What the names in a syntax tree stand for. Private to grammar/text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/syntax_tree.hpp"
#include "weir/grammar/grammar.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

// Rule r of the grammar is tree.rules[r]. Views point into the text and the tree, which must outlive this.
class SyntaxNames {
 public:
  SyntaxNames(std::string_view text, const SyntaxTree& tree) : text_(text), tree_(tree) {}

  // Errors: kInvalid when a name is defined twice or not at all.
  std::optional<Error> resolve();
  // Errors: kArgument when `named` is no rule, kInvalid when there is no rule to start with.
  Result<RuleId> start(std::string_view named, std::span<const std::string_view> defaults, bool else_first) const;
  // What a node of kind kName stands for. Precondition: resolve() gave no error.
  RuleId target(SyntaxNodeId name) const { return references_[name]; }
  // One warning for each rule that `start` does not need, up to a number.
  std::vector<Warning> unused(RuleId start) const;

 private:
  Error error_at(ErrorCode code, std::uint32_t offset, std::string message) const {
    return error_at_offset(code, text_, offset, std::move(message));
  }
  std::string suggestion(std::string_view name) const;

  std::string_view text_;
  const SyntaxTree& tree_;
  std::unordered_map<std::string_view, RuleId> rules_;
  std::vector<RuleId> references_;  // of name nodes
};

}  // namespace weir
