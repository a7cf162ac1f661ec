// EBNF syntax trees to grammars: names get their meaning, exceptions become complements.
#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "text/ebnf_ast.hpp"
#include "weir/grammar/detail/utf8.hpp"
#include "weir/grammar/frontends.hpp"

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

class EbnfLowering {
 public:
  EbnfLowering(std::string_view text, const EbnfTree& tree, const EbnfOptions& options,
               std::shared_ptr<ExprArena> arena)
      : text_(text), tree_(tree), options_(options), builder_(std::move(arena), options.limits) {}

  Result<Grammar> run() {
    if (auto error = declare_rules()) return *std::move(error);
    if (auto error = resolve_names()) return *std::move(error);
    RuleId start = 0;
    if (auto error = choose_start(start)) return *std::move(error);
    mark_exceptions();
    bodies_.resize(tree_.nodes.size());
    for (const RuleId r : dependencies_first()) {
      if (auto error = lower_rule(r)) return *std::move(error);
    }
    warn_of_unused(start);
    return builder_.finish(start);
  }

 private:
  Error error_at(ErrorCode code, std::uint32_t offset, std::string message) const {
    return error_at_offset(code, text_, offset, std::move(message));
  }
  std::string_view name_of(const EbnfNode& node) const { return text_.substr(node.first, node.count); }

  std::optional<Error> declare_rules() {
    for (const EbnfRule& rule : tree_.rules) {
      const auto [found, inserted] = rules_.emplace(rule.name, static_cast<RuleId>(rules_.size()));
      if (!inserted) {
        const Error first = error_at(ErrorCode::kInvalid, tree_.rules[found->second].offset, "");
        return error_at(ErrorCode::kInvalid, rule.offset,
                        fmt::format("rule '{}' is defined twice, first at {}:{}; join the two with '|' or rename one",
                                    rule.name, first.line, first.column));
      }
      builder_.declare_rule(std::string(rule.name));
    }
    return std::nullopt;
  }

  // references_[node] for each name; calls_[rule] the names in it.
  std::optional<Error> resolve_names() {
    references_.resize(tree_.nodes.size());
    for (EbnfNodeId n = 0; n < tree_.nodes.size(); ++n) {
      if (tree_.nodes[n].kind != EbnfKind::kName) continue;
      const std::string_view name = name_of(tree_.nodes[n]);
      const auto found = rules_.find(name);
      if (found == rules_.end()) {
        return error_at(ErrorCode::kInvalid, tree_.nodes[n].offset,
                        fmt::format("rule '{}' is not defined{}", name, suggestion(name)));
      }
      references_[n] = found->second;
    }
    return std::nullopt;
  }

  std::string suggestion(std::string_view name) const {
    constexpr std::size_t kMaxName = 64;
    const std::size_t limit = 1 + name.size() / 4;  // edits past which two names are no typing error
    std::size_t best = limit + 1;
    std::string_view nearest;
    for (const EbnfRule& rule : tree_.rules) {
      if (rule.name.size() > kMaxName || name.size() > kMaxName) continue;
      const std::size_t distance = edit_distance(name, rule.name, best);
      if (distance < best) {
        best = distance;
        nearest = rule.name;
      }
    }
    return nearest.empty() ? "; define it or correct its name" : fmt::format("; did you mean '{}'?", nearest);
  }

  std::optional<Error> choose_start(RuleId& start) const {
    if (!options_.start.empty()) {
      const auto found = rules_.find(options_.start);
      if (found == rules_.end()) {
        return make_error(ErrorCode::kArgument, fmt::format("the start rule '{}' is not defined{}", options_.start,
                                                            suggestion(options_.start)));
      }
      start = found->second;
      return std::nullopt;
    }
    for (const std::string_view name : {"start", "root"}) {
      const auto found = rules_.find(name);
      if (found == rules_.end()) continue;
      start = found->second;
      return std::nullopt;
    }
    return std::nullopt;  // the first rule
  }

  // Both sides of an exception must be expressions, so names below one are replaced by what they stand for, and so are
  // the names in the rules named there.
  void mark_exceptions() {
    expand_.resize(tree_.nodes.size());
    std::vector<bool> expanded(tree_.rules.size());
    std::vector<RuleId> work;
    const auto mark = [&](EbnfNodeId first, EbnfNodeId last, bool all) {
      // Parents stand behind their children.
      for (EbnfNodeId n = last + 1; n-- > first;) {
        const EbnfNode& node = tree_.nodes[n];
        if (all) expand_[n] = true;
        if (node.kind == EbnfKind::kName) {
          if (expand_[n] && !expanded[references_[n]]) {
            expanded[references_[n]] = true;
            work.push_back(references_[n]);
          }
          continue;
        }
        if (!has_children(node) || (!expand_[n] && node.kind != EbnfKind::kException)) continue;
        for (const EbnfNodeId child : tree_.children_of(node)) expand_[child] = true;
      }
    };
    for (const EbnfRule& rule : tree_.rules) mark(rule.first_node, rule.body, false);
    while (!work.empty()) {
      const EbnfRule& rule = tree_.rules[work.back()];
      work.pop_back();
      mark(rule.first_node, rule.body, true);
    }
  }

  static bool has_children(const EbnfNode& node) {
    return node.kind == EbnfKind::kSequence || node.kind == EbnfKind::kChoice || node.kind == EbnfKind::kRepeat ||
           node.kind == EbnfKind::kException;
  }

  // Rules in an order in which those that are replaced by their expressions come first, cycles apart.
  std::vector<RuleId> dependencies_first() const {
    std::vector<RuleId> order;
    std::vector<bool> seen(tree_.rules.size());
    struct Visit {
      RuleId rule;
      EbnfNodeId next;
    };
    std::vector<Visit> visits;
    for (RuleId root = 0; root < tree_.rules.size(); ++root) {
      if (seen[root]) continue;
      seen[root] = true;
      visits.push_back({root, tree_.rules[root].first_node});
      while (!visits.empty()) {
        Visit& visit = visits.back();
        if (visit.next > tree_.rules[visit.rule].body) {
          order.push_back(visit.rule);
          visits.pop_back();
          continue;
        }
        const EbnfNodeId n = visit.next++;
        if (!expand_[n] || tree_.nodes[n].kind != EbnfKind::kName) continue;
        const RuleId callee = references_[n];
        if (seen[callee]) continue;
        seen[callee] = true;
        visits.push_back({callee, tree_.rules[callee].first_node});
      }
    }
    return order;
  }

  std::optional<Error> lower_rule(RuleId r) {
    const EbnfRule& rule = tree_.rules[r];
    for (EbnfNodeId n = rule.first_node; n <= rule.body; ++n) {
      if (auto error = lower_node(n)) return error;
    }
    builder_.define_rule(r, bodies_[rule.body]);
    return std::nullopt;
  }

  std::optional<Error> lower_node(EbnfNodeId n) {
    const EbnfNode& node = tree_.nodes[n];
    ExprArena& arena = builder_.expressions();
    parts_.clear();
    if (has_children(node)) {
      for (const EbnfNodeId child : tree_.children_of(node)) parts_.push_back(bodies_[child]);
    }
    switch (node.kind) {
      case EbnfKind::kLiteral: bodies_[n] = builder_.expression(arena.literal(tree_.literals[node.first])); break;
      case EbnfKind::kClass: bodies_[n] = builder_.expression(arena.code_points(tree_.sets[node.first])); break;
      case EbnfKind::kName: {
        const EbnfNodeId target = tree_.rules[references_[n]].body;
        ExprId unused = kEmptyExpr;
        const bool inlined =
            expand_[n] && builder_.is_defined(references_[n]) && builder_.as_expression(bodies_[target], unused);
        bodies_[n] = inlined ? bodies_[target] : builder_.reference(references_[n]);
        break;
      }
      case EbnfKind::kSequence: bodies_[n] = builder_.sequence(parts_); break;
      case EbnfKind::kChoice: bodies_[n] = builder_.choice(parts_); break;
      case EbnfKind::kRepeat: bodies_[n] = builder_.repeat(parts_[0], node.min, node.max); break;
      case EbnfKind::kException: return lower_exception(n);
    }
    return std::nullopt;
  }

  std::optional<Error> lower_exception(EbnfNodeId n) {
    const EbnfNode& node = tree_.nodes[n];
    const EbnfNode& left = tree_.nodes[tree_.children_of(node)[0]];
    const EbnfNode& right = tree_.nodes[tree_.children_of(node)[1]];
    if (right.kind == EbnfKind::kSequence && right.count == 0 && left.kind == EbnfKind::kRepeat && left.min == 0) {
      bodies_[n] = builder_.repeat(bodies_[tree_.children_of(left)[0]], 1, left.max);  // ISO's way to write { x }-
      return std::nullopt;
    }
    ExprId from = kEmptyExpr;
    ExprId without = kEmptyExpr;
    if (!builder_.as_expression(parts_[0], from) || !builder_.as_expression(parts_[1], without)) {
      return error_at(ErrorCode::kUnsupported, node.offset,
                      "the exception 'A - B' needs two sides without recursive rules; write out what is allowed");
    }
    ExprArena& arena = builder_.expressions();
    bodies_[n] = builder_.expression(arena.intersect({from, arena.complement(without)}));
    return std::nullopt;
  }

  void warn_of_unused(RuleId start) {
    std::vector<bool> used(tree_.rules.size());
    std::vector<RuleId> work{start};
    used[start] = true;
    while (!work.empty()) {
      const EbnfRule& rule = tree_.rules[work.back()];
      work.pop_back();
      for (EbnfNodeId n = rule.first_node; n <= rule.body; ++n) {
        if (tree_.nodes[n].kind != EbnfKind::kName || used[references_[n]]) continue;
        used[references_[n]] = true;
        work.push_back(references_[n]);
      }
    }
    constexpr int kMaxNamed = 20;  // finding a place is linear in the text
    const auto unused = std::count(used.begin(), used.end(), false);
    int named = 0;
    for (RuleId r = 0; r < tree_.rules.size() && named < kMaxNamed; ++r) {
      if (used[r]) continue;
      ++named;
      const Error place = error_at(ErrorCode::kInvalid, tree_.rules[r].offset, "");
      builder_.add_warning({fmt::format("rule '{}' is never used", tree_.rules[r].name),
                            fmt::format("{}:{}", place.line, place.column)});
    }
    if (unused > named) builder_.add_warning({fmt::format("{} more rules are never used", unused - named), ""});
  }

  std::string_view text_;
  const EbnfTree& tree_;
  const EbnfOptions& options_;
  GrammarBuilder builder_;
  std::unordered_map<std::string_view, RuleId> rules_;
  std::vector<RuleId> references_;  // of name nodes
  std::vector<bool> expand_;        // name nodes to replace by what they stand for
  std::vector<BodyId> bodies_;
  std::vector<BodyId> parts_;
};

}  // namespace

Result<Grammar> parse_ebnf(std::string_view text, const EbnfOptions& options) {
  constexpr std::size_t kAddressable = std::numeric_limits<std::uint32_t>::max();
  if (text.size() > options.limits.max_text_bytes || text.size() >= kAddressable) {
    return make_error(ErrorCode::kLimit,
                      fmt::format("the grammar has {} bytes, more than Limits::max_text_bytes = {}; raise the limit",
                                  text.size(), std::min(options.limits.max_text_bytes, kAddressable)));
  }
  if (const auto invalid = find_invalid_utf8(text)) {
    return error_at_offset(ErrorCode::kSyntax, text, *invalid,
                           fmt::format("byte {:#04x} is not UTF-8 here; save the grammar as UTF-8",
                                       static_cast<unsigned char>(text[*invalid])));
  }
  const Result<EbnfTree> tree = parse_ebnf_tree(text, options.limits);
  if (!tree) return tree.error();
  auto arena = options.arena ? options.arena : std::make_shared<ExprArena>(options.limits);
  return EbnfLowering(text, *tree, options, std::move(arena)).run();
}

}  // namespace weir
