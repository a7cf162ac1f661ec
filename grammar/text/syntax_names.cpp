#include "text/syntax_names.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace weir {
namespace {

// Edits that turn one name into the other, at most `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return std::min(row[b.size()], limit);
}

const char* kind_of(const SyntaxRule& rule) { return rule.terminal ? "terminal" : "rule"; }

}  // namespace

std::optional<Error> SyntaxNames::resolve() {
  for (RuleId r = 0; r < tree_.rules.size(); ++r) {
    const SyntaxRule& rule = tree_.rules[r];
    if (rule.name.empty()) continue;
    const auto [found, inserted] = rules_.emplace(rule.name, r);
    if (inserted) continue;
    const Error first = error_at(ErrorCode::kInvalid, tree_.rules[found->second].offset, "");
    return error_at(ErrorCode::kInvalid, rule.offset,
                    fmt::format("{} '{}' is defined twice, first at {}:{}; join the two with '|' or rename one",
                                kind_of(rule), rule.name, first.line, first.column));
  }
  references_.resize(tree_.nodes.size());
  for (SyntaxNodeId n = 0; n < tree_.nodes.size(); ++n) {
    const SyntaxNode& node = tree_.nodes[n];
    if (node.kind != SyntaxKind::kName) continue;
    const std::string_view name = text_.substr(node.first, node.count);
    const auto found = rules_.find(name);
    if (found == rules_.end()) {
      const bool terminal = tree_.has_terminals && is_terminal_name(name);
      return error_at(ErrorCode::kInvalid, node.offset,
                      fmt::format("{} '{}' is not defined{}", terminal ? "terminal" : "rule", name, suggestion(name)));
    }
    references_[n] = found->second;
  }
  return std::nullopt;
}

std::string SyntaxNames::suggestion(std::string_view name) const {
  constexpr std::size_t kMaxName = 64;
  const std::size_t limit = 1 + name.size() / 4;  // edits past which two names are no typing error
  std::size_t best = limit + 1;
  std::string_view nearest;
  for (const SyntaxRule& rule : tree_.rules) {
    if (rule.name.empty() || rule.name.size() > kMaxName || name.size() > kMaxName) continue;
    const std::size_t distance = edit_distance(name, rule.name, best);
    if (distance < best) {
      best = distance;
      nearest = rule.name;
    }
  }
  return nearest.empty() ? "; define it or correct its name" : fmt::format("; did you mean '{}'?", nearest);
}

Result<RuleId> SyntaxNames::start(std::string_view named, std::span<const std::string_view> defaults,
                                  bool else_first) const {
  if (!named.empty()) {
    const auto found = rules_.find(named);
    if (found != rules_.end()) return found->second;
    return make_error(ErrorCode::kArgument,
                      fmt::format("the start rule '{}' is not defined{}", named, suggestion(named)));
  }
  for (const std::string_view name : defaults) {
    const auto found = rules_.find(name);
    if (found != rules_.end()) return found->second;
  }
  if (else_first) return RuleId{0};
  return error_at_offset(
      ErrorCode::kInvalid, text_, text_.size(),
      fmt::format("the grammar has no rule '{}', with which it starts{}", defaults[0], suggestion(defaults[0])));
}

std::vector<Warning> SyntaxNames::unused(RuleId start) const {
  std::vector<bool> used(tree_.rules.size());
  std::vector<RuleId> work{start};
  used[start] = true;
  for (RuleId r = 0; r < tree_.rules.size(); ++r) {
    if (!tree_.rules[r].name.empty()) continue;
    used[r] = true;
    work.push_back(r);
  }
  while (!work.empty()) {
    const SyntaxRule& rule = tree_.rules[work.back()];
    work.pop_back();
    for (SyntaxNodeId n = rule.first_node; n <= rule.body; ++n) {
      if (tree_.nodes[n].kind != SyntaxKind::kName || used[references_[n]]) continue;
      used[references_[n]] = true;
      work.push_back(references_[n]);
    }
  }
  constexpr int kMaxNamed = 20;  // finding a place is linear in the text
  const auto count = std::count(used.begin(), used.end(), false);
  std::vector<Warning> warnings;
  for (RuleId r = 0; r < tree_.rules.size() && warnings.size() < kMaxNamed; ++r) {
    if (used[r]) continue;
    const SyntaxRule& rule = tree_.rules[r];
    const Error place = error_at(ErrorCode::kInvalid, rule.offset, "");
    warnings.push_back({fmt::format("{} '{}' is never used", kind_of(rule), rule.name),
                        fmt::format("{}:{}", place.line, place.column)});
  }
  const auto named = static_cast<std::ptrdiff_t>(warnings.size());
  if (count > named) warnings.push_back({fmt::format("{} more rules are never used", count - named), ""});
  return warnings;
}

}  // namespace weir
