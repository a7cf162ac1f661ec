#include "text/regex_classes.hpp"
#include "text/regex_compiler.hpp"

namespace weir {
namespace {

constexpr std::size_t kMaxSteps = 200'000;  // of unrolled repetitions and multiplied alternatives

}  // namespace

Result<ExprId> RegexCompiler::compile(bool search) {
  compute_facts();
  find_classes();
  if (error_) return *error_;
  std::vector<RegexNodeId> items{tree_.root};
  if (search) items = {any_characters(), without_leading_slack(tree_.root)};
  const Continuation end = uniform(search ? arena_.any_text() : kEpsilonExpr);
  ExprId e = kEmptyExpr;
  if (facts_[tree_.root].deep_behind) {
    e = prefixed(kEpsilonExpr, {}, {items.rbegin(), items.rend()}, end);
  } else {
    Continuation k = end;
    for (std::size_t i = items.size(); i-- > 0;) k = before(items[i], k);
    e = k.front();
  }
  if (error_) return *error_;
  return e;
}

void RegexCompiler::fail(ErrorCode code, const RegexNode& node, std::string message) {
  if (!error_) error_ = error_in_pattern(code, pattern_, node.offset, std::move(message));
}

bool RegexCompiler::spend(const RegexNode& node) {
  if (!error_ && (++steps_ > kMaxSteps || arena_.exhausted())) {
    fail(ErrorCode::kLimit, node, "repeating this part with its assertions takes too many steps; simplify it");
  }
  return !error_;
}

RegexCompiler::Continuation RegexCompiler::before(RegexNodeId id, const Continuation& k) {
  if (error_) return k;
  if (facts_[id].plain) return before_plain(id, k);
  const RegexNode node = tree_.nodes[id];
  switch (node.kind) {
    case RegexKind::kConcat: {
      Continuation rest = k;
      for (std::size_t i = node.children.size(); i-- > 0;) rest = before(node.children[i], rest);
      return rest;
    }
    case RegexKind::kAlternate: {
      Continuation all = uniform(kEmptyExpr);
      for (const RegexNodeId child : node.children) all = either(all, before(child, k));
      return all;
    }
    case RegexKind::kRepeat: return before_repeat(node, k);
    case RegexKind::kTextStart: return select(k, [](std::size_t left, ExprId e) { return left == 0 ? e : kEmptyExpr; });
    case RegexKind::kTextEnd:
      if (following_.value_or(0) != 0) return uniform(kEmptyExpr);
      return select(k, [&](std::size_t, ExprId e) { return arena_.nullable(e) ? kEpsilonExpr : kEmptyExpr; });
    case RegexKind::kWordBoundary: return before_word_boundary(node, k);
    case RegexKind::kLookAhead: return before_look_ahead(node, k);
    case RegexKind::kLookBehind: return before_look_behind(node, k);
    case RegexKind::kClass: break;
  }
  return k;
}

RegexCompiler::Continuation RegexCompiler::either(const Continuation& a, const Continuation& b) {
  return select(a, [&](std::size_t left, ExprId e) { return arena_.alternate({e, b[left]}); });
}

RegexCompiler::Continuation RegexCompiler::before_plain(RegexNodeId id, const Continuation& k) {
  if (is_uniform(k)) {
    return uniform(arena_.concat(is_open(k.front()) ? without_trailing_slack(id) : expr(id), k.front()));
  }
  // A match that is not empty decides by its last code point what stands before the rest.
  std::vector<ExprId> parts;
  std::vector<bool> done(k.size(), false);
  for (std::size_t i = 1; i < k.size(); ++i) {
    if (done[i] || k[i] == kEmptyExpr) continue;
    CodePointSet set;
    for (std::size_t j = i; j < k.size(); ++j) {
      if (k[j] != k[i]) continue;
      set = set.united(left_[j]);
      done[j] = true;
    }
    parts.push_back(arena_.concat(ending_in(id, set), k[i]));
  }
  const ExprId longer = arena_.alternate(parts);
  if (!facts_[id].nullable) return uniform(longer);
  return select(k, [&](std::size_t, ExprId e) { return arena_.alternate({e, longer}); });
}

RegexCompiler::Continuation RegexCompiler::before_word_boundary(const RegexNode& node, const Continuation& k) {
  const CodePointSet& word = regex_word_characters();
  const Condition word_follows{word, false};
  const ExprId before_word = satisfying(word_follows);
  const ExprId before_other = arena_.complement(before_word);
  return select(k, [&](std::size_t left, ExprId e) {
    const bool after_word = left != 0 && word.contains(left_[left].ranges().front().first);
    return arena_.intersect({after_word != node.negated ? before_other : before_word, e});
  });
}

// Every byte string at whose beginning the look-ahead holds.
ExprId RegexCompiler::satisfying(const Condition& ahead) {
  const ExprId longer = arena_.concat(arena_.code_points(ahead.set), arena_.any_bytes());
  const std::size_t next = following_.value_or(0);
  const bool at_end = next == 0 ? ahead.at_edge : ahead.set.contains(right_[next].ranges().front().first);
  return at_end ? arena_.alternate({kEpsilonExpr, longer}) : longer;
}

RegexCompiler::Continuation RegexCompiler::before_look_ahead(const RegexNode& node, const Continuation& k) {
  const RegexNodeId body = node.children.front();
  Continuation ahead;
  if (following_) {
    // two_sided_star lets no other look-ahead in.
    ahead = uniform(satisfying(*condition(body, true)));
  } else {
    ahead = before(body, uniform(arena_.any_bytes()));
  }
  return select(k, [&](std::size_t left, ExprId e) {
    return arena_.intersect({node.negated ? arena_.complement(ahead[left]) : ahead[left], e});
  });
}

RegexCompiler::Continuation RegexCompiler::before_look_behind(const RegexNode& node, const Continuation& k) {
  const auto asked = condition(node.children.front(), false);
  if (!asked) {
    fail(ErrorCode::kUnsupported, node,
         "a look-behind of more than one character is not supported inside a repetition or an assertion");
    return k;
  }
  return select(k, [&](std::size_t left, ExprId e) {
    const bool holds = left == 0 ? asked->at_edge : asked->set.contains(left_[left].ranges().front().first);
    return holds != node.negated ? e : kEmptyExpr;
  });
}

}  // namespace weir
