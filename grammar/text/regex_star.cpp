// Repetitions whose body holds an assertion. Bounded ones are unrolled, innermost first.
#include "text/regex_compiler.hpp"

namespace weir {
namespace {

constexpr std::size_t kMaxUnknowns = 40;

}  // namespace

RegexCompiler::Continuation RegexCompiler::before_repeat(const RegexNode& node, const Continuation& k) {
  const RegexNodeId body = node.children.front();
  Continuation rest = k;
  if (node.max == kUnbounded) {
    rest = before_star(node, k);
  } else {
    for (std::uint32_t i = node.min; i < node.max && spend(node); ++i) {
      Continuation next = either(k, before(body, rest));
      if (next == rest) break;
      rest = std::move(next);
    }
  }
  for (std::uint32_t i = 0; i < node.min && spend(node); ++i) {
    Continuation next = before(body, rest);
    if (next == rest) break;
    rest = std::move(next);
  }
  return rest;
}

// The least Z with Z = k | body Z.
RegexCompiler::Continuation RegexCompiler::before_star(const RegexNode& node, const Continuation& k) {
  const RegexNodeId body = node.children.front();
  if (error_ || (is_uniform(k) && is_open(k.front()))) return k;
  if (!facts_[body].right) return left_star(body, k);
  if (!facts_[body].deep_ahead) return two_sided_star(node, k);
  if (auto guarded = guarded_star(body, k)) return *guarded;
  fail(ErrorCode::kUnsupported, node,
       "an unbounded repetition of this look-ahead is not supported; bound it, as in {0,20}");
  return k;
}

// The least z with z = matrix z | constants: Gauss's elimination with Arden's rule, X = A X | B is A* B.
std::vector<ExprId> RegexCompiler::solve(Matrix matrix, std::vector<ExprId> z) {
  const std::size_t n = z.size();
  for (std::size_t i = n; i-- > 0;) {
    const ExprId loop = arena_.star(matrix[i][i]);
    for (std::size_t j = 0; j < i; ++j) matrix[i][j] = arena_.concat(loop, matrix[i][j]);
    z[i] = arena_.concat(loop, z[i]);
    for (std::size_t row = 0; row < i; ++row) {
      for (std::size_t j = 0; j < i; ++j) {
        matrix[row][j] = arena_.alternate({matrix[row][j], arena_.concat(matrix[row][i], matrix[i][j])});
      }
      z[row] = arena_.alternate({z[row], arena_.concat(matrix[row][i], z[i])});
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) z[i] = arena_.alternate({z[i], arena_.concat(matrix[i][j], z[j])});
  }
  return z;
}

// Without assertions on what follows, the body is linear in the continuation: a matrix of expressions.
RegexCompiler::Continuation RegexCompiler::left_star(RegexNodeId body, const Continuation& k) {
  const std::size_t n = k.size();
  Matrix matrix(n, std::vector<ExprId>(n, kEmptyExpr));  // [from][to]
  for (std::size_t to = 0; to < n; ++to) {
    Continuation unit = uniform(kEmptyExpr);
    unit[to] = kEpsilonExpr;
    const Continuation column = before(body, unit);
    for (std::size_t from = 0; from < n; ++from) matrix[from][to] = column[from];
  }
  return solve(std::move(matrix), k);
}

// Where single code points decide all assertions, the body is linear once it is known of which class the code point is
// that follows: the unknowns are Z[l][r], the part of Z that stands behind class l and begins with class r.
RegexCompiler::Continuation RegexCompiler::two_sided_star(const RegexNode& node, const Continuation& k) {
  const RegexNodeId body = node.children.front();
  const std::size_t lefts = left_.size();
  const std::size_t rights = right_.size();
  const std::size_t n = lefts * rights;
  if (n > kMaxUnknowns) {
    fail(ErrorCode::kLimit, node, "too many different look-arounds in an unbounded repetition; bound it or simplify");
    return k;
  }
  const std::optional<std::size_t> outer = following_;
  std::vector<ExprId> beginning(rights, kEmptyExpr);
  for (std::size_t r = 1; r < rights; ++r) {
    beginning[r] = arena_.concat(arena_.code_points(right_[r]), arena_.any_bytes());
  }
  const auto part = [&](ExprId e, std::size_t r, std::size_t next) {
    const ExprId longer = r == 0 ? kEmptyExpr : arena_.intersect({e, beginning[r]});
    return r == next && arena_.nullable(e) ? arena_.alternate({kEpsilonExpr, longer}) : longer;
  };
  Matrix matrix(n, std::vector<ExprId>(n, kEmptyExpr));
  for (std::size_t to = 0; to < n && spend(node); ++to) {
    Continuation unit = uniform(kEmptyExpr);
    unit[to / rights] = kEpsilonExpr;
    following_ = to % rights;
    const Continuation column = before(body, unit);
    for (std::size_t from = 0; from < n; ++from) {
      matrix[from][to] = part(column[from / rights], from % rights, to % rights);
    }
  }
  following_ = outer;
  std::vector<ExprId> constants(n, kEmptyExpr);
  for (std::size_t i = 0; i < n; ++i) constants[i] = part(k[i / rights], i % rights, outer.value_or(0));
  if (error_) return k;
  const std::vector<ExprId> z = solve(std::move(matrix), std::move(constants));
  return select(
      k, [&](std::size_t left, ExprId) { return arena_.alternate(std::span(z).subspan(left * rights, rights)); });
}

// ((?!R)c)* before k, for a class c. Let bad be what (?!R) excludes. Where a text has at most one place at which k may
// begin, it matches exactly if no bad text begins before that place. Where bad is k itself, passing over it is never
// needed.
std::optional<RegexCompiler::Continuation> RegexCompiler::guarded_star(RegexNodeId body, const Continuation& k) {
  const RegexNode& node = tree_.nodes[body];
  if (following_ || !is_uniform(k) || node.kind != RegexKind::kConcat || node.children.size() != 2) return std::nullopt;
  const RegexNode guard = tree_.nodes[node.children[0]];
  const RegexNodeId item = node.children[1];
  if (guard.kind != RegexKind::kLookAhead || facts_[guard.children.front()].left ||
      tree_.nodes[item].kind != RegexKind::kClass) {
    return std::nullopt;
  }
  const Continuation ahead = before(guard.children.front(), uniform(arena_.any_bytes()));
  if (error_) return k;
  const ExprId bad = guard.negated ? ahead.front() : arena_.complement(ahead.front());
  const ExprId rest = k.front();
  const ExprId items = arena_.star(expr(item));
  const ExprId later = arena_.concat({expr(item), items, rest});
  const ExprId all = arena_.concat(items, rest);
  if (arena_.is_empty(arena_.intersect({later, rest}))) {
    const ExprId broken = arena_.concat(items, arena_.intersect({bad, later}));
    return uniform(arena_.intersect({all, arena_.complement(broken)}));
  }
  const ExprId bad_text = arena_.intersect({bad, arena_.any_text()});
  if (arena_.is_empty(arena_.intersect({bad_text, arena_.complement(rest)})) &&
      arena_.is_empty(arena_.intersect({rest, arena_.complement(bad)}))) {
    return uniform(all);
  }
  return std::nullopt;
}

}  // namespace weir
