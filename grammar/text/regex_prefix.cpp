// Look-behinds of any length: what has been read so far is kept as an expression of its own, and restricted.
#include <algorithm>

#include <fmt/format.h>

#include "text/regex_compiler.hpp"

namespace weir {

// The texts of `prefix` (from the start of the text), then `run` (read since, in order), then `todo` (last one first),
// then `end`. Alternatives above a look-behind are multiplied out.
ExprId RegexCompiler::prefixed(ExprId prefix, std::vector<RegexNodeId> run, std::vector<RegexNodeId> todo,
                               const Continuation& end) {
  while (!error_ && !todo.empty()) {
    const RegexNodeId id = todo.back();
    const RegexNode node = tree_.nodes[id];
    todo.pop_back();
    if (!facts_[id].deep_behind) {
      run.push_back(id);
      continue;
    }
    switch (node.kind) {
      case RegexKind::kConcat: todo.insert(todo.end(), node.children.rbegin(), node.children.rend()); break;
      case RegexKind::kLookBehind: {
        const RegexNodeId body = node.children.front();
        const bool overlap = std::any_of(run.begin(), run.end(), [&](RegexNodeId r) { return facts_[r].right; });
        if (overlap || facts_[body].right || facts_[body].deep_behind) {
          fail(ErrorCode::kUnsupported, node,
               "a look-behind of more than one character is not supported after or around a look-ahead, $ or \\b");
          return kEmptyExpr;
        }
        prefix = after(prefix, run, uniform(kEpsilonExpr));
        run.clear();
        const ExprId behind = before(any_characters(), before(body, uniform(kEpsilonExpr))).front();
        prefix = arena_.intersect({prefix, node.negated ? arena_.complement(behind) : behind});
        break;
      }
      case RegexKind::kAlternate:
      case RegexKind::kRepeat: {
        const auto choices = node.kind == RegexKind::kAlternate ? node.children : unrolled(node);
        std::vector<ExprId> parts;
        for (const RegexNodeId choice : choices) {
          if (!spend(node)) return kEmptyExpr;
          std::vector<RegexNodeId> rest = todo;
          rest.push_back(choice);
          parts.push_back(prefixed(prefix, run, std::move(rest), end));
        }
        return arena_.alternate(parts);
      }
      default:
        fail(ErrorCode::kUnsupported, node,
             "a look-behind of more than one character is not supported in a look-ahead");
        return kEmptyExpr;
    }
  }
  return after(prefix, run, end);
}

// A repetition as alternatives of so many copies.
std::vector<RegexNodeId> RegexCompiler::unrolled(const RegexNode& node) {
  constexpr std::uint32_t kMaxCopies = 16;
  if (node.max > kMaxCopies) {
    fail(ErrorCode::kUnsupported, node,
         fmt::format("a look-behind of more than one character may be repeated at most {} times", kMaxCopies));
    return {};
  }
  std::vector<RegexNodeId> choices;
  for (std::uint32_t copies = node.min; copies <= node.max; ++copies) {
    RegexNode sequence;
    sequence.children.assign(copies, node.children.front());
    choices.push_back(add_node(std::move(sequence)));
  }
  return choices;
}

// The texts of `prefix`, then `run`, then `k`.
ExprId RegexCompiler::after(ExprId prefix, const std::vector<RegexNodeId>& run, Continuation k) {
  for (std::size_t i = run.size(); i-- > 0;) k = before(run[i], k);
  if (is_uniform(k)) return arena_.concat(prefix, k.front());
  std::vector<ExprId> parts;
  if (arena_.nullable(prefix)) parts.push_back(k.front());
  for (std::size_t i = 1; i < k.size(); ++i) {
    const ExprId ending = arena_.concat(arena_.any_text(), arena_.code_points(left_[i]));
    parts.push_back(arena_.concat(arena_.intersect({prefix, ending}), k[i]));
  }
  return arena_.alternate(parts);
}

}  // namespace weir
