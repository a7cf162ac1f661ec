// Syntax trees to grammars: names get their meaning, exceptions become complements, terminals become expressions.
#include "text/syntax_lower.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "text/case_folding.hpp"
#include "text/syntax_names.hpp"
#include "weir/grammar/detail/utf8.hpp"

namespace weir {
namespace {

class SyntaxLowering {
 public:
  SyntaxLowering(std::string_view text, const SyntaxTree& tree, const NotationOptions& options,
                 std::shared_ptr<ExprArena> arena)
      : text_(text), tree_(tree), options_(options), builder_(std::move(arena), options.limits), names_(text, tree) {}

  Result<Grammar> run() {
    if (auto error = names_.resolve()) return *std::move(error);
    const Result<RuleId> start = names_.start(options_.start, options_.default_starts, options_.else_first);
    if (!start) return start.error();
    for (const SyntaxRule& rule : tree_.rules) builder_.declare_rule(std::string(rule.name));
    if (auto error = mark_regular_parts()) return *std::move(error);
    bodies_.resize(tree_.nodes.size());
    for (const RuleId r : dependencies_first()) {
      if (auto error = lower_rule(r)) return *std::move(error);
    }
    for (Warning& warning : names_.unused(*start)) builder_.add_warning(std::move(warning));
    return builder_.finish(*start);
  }

 private:
  Error error_at(ErrorCode code, std::uint32_t offset, std::string message) const {
    return error_at_offset(code, text_, offset, std::move(message));
  }

  // Both sides of an exception must be expressions, so names below one are replaced by what they stand for, and so are
  // the names in the rules named there. The same goes for all that terminals, `&` and `~` are made of.
  std::optional<Error> mark_regular_parts() {
    expand_.resize(tree_.nodes.size());
    std::vector<bool> expanded(tree_.rules.size());
    std::vector<RuleId> work;
    std::optional<SyntaxNodeId> misplaced;
    const auto mark = [&](const SyntaxRule& rule, bool all) {
      // Parents stand behind their children.
      for (SyntaxNodeId n = rule.body + 1; n-- > rule.first_node;) {
        const SyntaxNode& node = tree_.nodes[n];
        if (all) expand_[n] = true;
        if (node.kind == SyntaxKind::kName) {
          const RuleId target = names_.target(n);
          if (expand_[n] && tree_.has_terminals && !tree_.rules[target].terminal) misplaced = n;
          if (expand_[n] && !expanded[target]) {
            expanded[target] = true;
            work.push_back(target);
          }
          continue;
        }
        if (!has_children(node) || (!expand_[n] && !needs_expressions(node))) continue;
        for (const SyntaxNodeId child : tree_.children_of(node)) expand_[child] = true;
      }
    };
    for (const SyntaxRule& rule : tree_.rules) {
      mark(rule, rule.terminal);
      if (!misplaced) continue;
      const std::string_view name = tree_.rules[names_.target(*misplaced)].name;
      return error_at(
          ErrorCode::kInvalid, tree_.nodes[*misplaced].offset,
          fmt::format("the rule '{}' cannot stand here: terminals, and what '&' and '~' combine, are made of "
                      "terminals, strings and regular expressions; give '{}' an upper-case name if it is "
                      "regular",
                      name, name));
    }
    while (!work.empty()) {
      const SyntaxRule& rule = tree_.rules[work.back()];
      work.pop_back();
      mark(rule, true);
    }
    return std::nullopt;
  }

  static bool needs_expressions(const SyntaxNode& node) {
    return node.kind == SyntaxKind::kException || node.kind == SyntaxKind::kIntersection ||
           node.kind == SyntaxKind::kComplement;
  }
  static bool has_children(const SyntaxNode& node) {
    return node.kind == SyntaxKind::kSequence || node.kind == SyntaxKind::kChoice || node.kind == SyntaxKind::kRepeat ||
           needs_expressions(node);
  }
  bool is_replaced(SyntaxNodeId name) const { return expand_[name] || tree_.rules[names_.target(name)].terminal; }

  // Terminals first, and rules in an order in which those that are replaced by their expressions come first, cycles
  // apart.
  std::vector<RuleId> dependencies_first() const {
    std::vector<RuleId> order;
    std::vector<bool> seen(tree_.rules.size());
    struct Visit {
      RuleId rule;
      SyntaxNodeId next;
    };
    std::vector<Visit> visits;
    for (RuleId i = 0; i < 2 * tree_.rules.size(); ++i) {
      const auto root = static_cast<RuleId>(i % tree_.rules.size());
      if (seen[root] || (i < tree_.rules.size() && !tree_.rules[root].terminal)) continue;
      seen[root] = true;
      visits.push_back({root, tree_.rules[root].first_node});
      while (!visits.empty()) {
        Visit& visit = visits.back();
        if (visit.next > tree_.rules[visit.rule].body) {
          order.push_back(visit.rule);
          visits.pop_back();
          continue;
        }
        const SyntaxNodeId n = visit.next++;
        if (tree_.nodes[n].kind != SyntaxKind::kName || !is_replaced(n)) continue;
        const RuleId callee = names_.target(n);
        if (seen[callee]) continue;
        seen[callee] = true;
        visits.push_back({callee, tree_.rules[callee].first_node});
      }
    }
    return order;
  }

  std::optional<Error> lower_rule(RuleId r) {
    const SyntaxRule& rule = tree_.rules[r];
    if (!rule.terminal && !ignored_.empty()) {
      // All terminals are known when the first rule comes.
      ExprArena& arena = builder_.expressions();
      between_ = arena.star(arena.alternate(ignored_));
      ignored_.clear();
    }
    for (SyntaxNodeId n = rule.first_node; n <= rule.body; ++n) {
      if (auto error = lower_node(n)) return error;
    }
    builder_.define_rule(r, bodies_[rule.body]);
    if (!rule.terminal) return std::nullopt;
    ExprId e = kEmptyExpr;
    if (!builder_.as_expression(bodies_[rule.body], e)) {
      return error_at(ErrorCode::kLimit, rule.offset, "this terminal is too deep a nest of terminals; flatten it");
    }
    if (rule.name.empty()) ignored_.push_back(e);
    return std::nullopt;
  }

  std::optional<Error> lower_node(SyntaxNodeId n) {
    const SyntaxNode& node = tree_.nodes[n];
    ExprArena& arena = builder_.expressions();
    parts_.clear();
    if (has_children(node)) {
      for (const SyntaxNodeId child : tree_.children_of(node)) parts_.push_back(bodies_[child]);
    }
    switch (node.kind) {
      case SyntaxKind::kLiteral: set_lexeme(n, arena.literal(tree_.literals[node.first])); break;
      case SyntaxKind::kCaselessLiteral: set_lexeme(n, caseless(tree_.literals[node.first])); break;
      case SyntaxKind::kClass: set_lexeme(n, arena.code_points(tree_.sets[node.first])); break;
      case SyntaxKind::kPattern: return lower_pattern(n);
      case SyntaxKind::kName: return lower_name(n);
      case SyntaxKind::kSequence: bodies_[n] = builder_.sequence(parts_); break;
      case SyntaxKind::kChoice: bodies_[n] = builder_.choice(parts_); break;
      case SyntaxKind::kRepeat: bodies_[n] = builder_.repeat(parts_[0], node.min, node.max); break;
      case SyntaxKind::kException: return lower_exception(n);
      case SyntaxKind::kIntersection:
      case SyntaxKind::kComplement: return lower_operator(n);
    }
    return std::nullopt;
  }

  // In a rule, what %ignore names may follow each lexeme: not an empty one, which is none.
  void set_lexeme(SyntaxNodeId n, ExprId e) {
    ExprArena& arena = builder_.expressions();
    if (!expand_[n] && between_ != kEpsilonExpr) {
      if (!arena.nullable(e)) {
        e = arena.concat(e, between_);
      } else if (e != kEpsilonExpr) {
        e = arena.optional(arena.concat(arena.intersect({e, arena.plus(arena.bytes(ByteSet::all()))}), between_));
      }
    }
    bodies_[n] = builder_.expression(e);
  }

  ExprId caseless(std::string_view literal) {
    ExprArena& arena = builder_.expressions();
    std::vector<ExprId> characters;
    for (std::size_t at = 0; at < literal.size();) {
      characters.push_back(arena.code_points(case_variants(CodePointSet::single(next_code_point(literal, at)))));
    }
    return arena.concat(characters);
  }

  std::optional<Error> lower_pattern(SyntaxNodeId n) {
    const SyntaxPattern& pattern = tree_.patterns[tree_.nodes[n].first];
    PatternOptions options;
    options.max_depth = options_.limits.max_depth;
    options.max_repeat = options_.limits.max_repeat;
    options.dialect = PatternDialect::kLark;
    options.flags = pattern.flags;
    const Result<ExprId> e = parse_pattern(builder_.expressions(), pattern.text, options);
    if (e) {
      set_lexeme(n, *e);
      return std::nullopt;
    }
    if (pattern.imported) return error_at(e.error().code, tree_.nodes[n].offset, e.error().message);
    // The error's column counts code points of the pattern, as if that were one line.
    std::size_t offset = 0;
    for (std::uint32_t column = 1; column < e.error().column && offset < pattern.text.size(); ++column) {
      next_code_point(pattern.text, offset);
    }
    const auto begin = static_cast<std::size_t>(pattern.text.data() - text_.data());
    return error_at(e.error().code, static_cast<std::uint32_t>(begin + offset), e.error().message);
  }

  std::optional<Error> lower_name(SyntaxNodeId n) {
    const RuleId target = names_.target(n);
    const SyntaxRule& rule = tree_.rules[target];
    ExprId e = kEmptyExpr;
    if (rule.terminal) {
      if (!builder_.is_defined(target)) {
        return error_at(ErrorCode::kInvalid, tree_.nodes[n].offset,
                        fmt::format("terminal '{}' leads back to itself here; a recursive part must be a rule, with a "
                                    "lower-case name",
                                    rule.name));
      }
      builder_.as_expression(bodies_[rule.body], e);
      bodies_[n] = bodies_[rule.body];
      if (!expand_[n] && between_ != kEpsilonExpr) set_lexeme(n, e);
      return std::nullopt;
    }
    const bool inlined = expand_[n] && builder_.is_defined(target) && builder_.as_expression(bodies_[rule.body], e);
    bodies_[n] = inlined ? bodies_[rule.body] : builder_.reference(target);
    return std::nullopt;
  }

  std::optional<Error> lower_exception(SyntaxNodeId n) {
    const SyntaxNode& node = tree_.nodes[n];
    const SyntaxNode& left = tree_.nodes[tree_.children_of(node)[0]];
    const SyntaxNode& right = tree_.nodes[tree_.children_of(node)[1]];
    if (right.kind == SyntaxKind::kSequence && right.count == 0 && left.kind == SyntaxKind::kRepeat && left.min == 0) {
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

  // A & B, ~A. One lexeme, also in a rule.
  std::optional<Error> lower_operator(SyntaxNodeId n) {
    const SyntaxNode& node = tree_.nodes[n];
    ExprArena& arena = builder_.expressions();
    std::vector<ExprId> sides;
    bool bounded = false;  // one side at least is no complement, so the others need not be confined to UTF-8
    for (const SyntaxNodeId child : tree_.children_of(node)) {
      const bool complement =
          node.kind == SyntaxKind::kIntersection && tree_.nodes[child].kind == SyntaxKind::kComplement;
      bounded = bounded || !complement;
      ExprId e = kEmptyExpr;
      if (!builder_.as_expression(bodies_[complement ? tree_.children_of(tree_.nodes[child])[0] : child], e)) {
        return error_at(ErrorCode::kLimit, tree_.nodes[child].offset,
                        "this part is too deep a nest of terminals; flatten it");
      }
      sides.push_back(complement ? arena.complement(e) : e);
    }
    if (node.kind == SyntaxKind::kComplement) sides = {arena.complement(sides[0])};
    if (node.kind == SyntaxKind::kComplement || !bounded) sides.push_back(arena.any_text());
    set_lexeme(n, arena.intersect(sides));
    return std::nullopt;
  }

  std::string_view text_;
  const SyntaxTree& tree_;
  const NotationOptions& options_;
  GrammarBuilder builder_;
  SyntaxNames names_;
  std::vector<bool> expand_;  // nodes that must be expressions: names there are replaced by what they stand for
  std::vector<BodyId> bodies_;
  std::vector<BodyId> parts_;
  std::vector<ExprId> ignored_;    // the %ignore statements, until they are in:
  ExprId between_ = kEpsilonExpr;  // what may follow each lexeme of a rule
};

}  // namespace

Result<Grammar> parse_notation(std::string_view text, TreeParser parse, const NotationOptions& options) {
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
  const Result<SyntaxTree> tree = parse(text, options.limits);
  if (!tree) return tree.error();
  auto arena = options.arena ? options.arena : std::make_shared<ExprArena>(options.limits);
  return SyntaxLowering(text, *tree, options, std::move(arena)).run();
}

}  // namespace weir
