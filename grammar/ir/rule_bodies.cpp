#include "rule_bodies.hpp"

#include <algorithm>
#include <utility>

namespace weir::detail {
namespace {

// An expression nested deeper than this is not folded any further: the arena's own algorithms may recurse.
constexpr std::uint32_t kMaxFoldDepth = 1024;

std::uint32_t saturating_add(std::uint32_t a, std::uint32_t b) { return std::min(kMaxWeight, a + b); }

}  // namespace

BodyId BodyPool::add(const Body& body, std::span<const BodyId> parts) {
  Body copy = body;
  copy.first = static_cast<std::uint32_t>(parts_.size());
  copy.count = static_cast<std::uint32_t>(parts.size());
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  max_depth_ = std::max(max_depth_, copy.depth);
  bodies_.push_back(copy);
  return static_cast<BodyId>(bodies_.size() - 1);
}

BodyId BodyPool::expression(ExprId e, std::uint32_t weight, std::uint32_t depth) {
  Body body;
  body.id = e;
  body.weight = weight;
  body.depth = depth;
  return add(body, {});
}

BodyId BodyPool::reference(RuleId rule) {
  Body body;
  body.kind = BodyKind::kReference;
  body.id = rule;
  return add(body, {});
}

BodyId BodyPool::sequence(std::span<const BodyId> given) {
  std::vector<BodyId> parts;
  Body body;
  body.kind = BodyKind::kSequence;
  body.weight = 0;
  bool regular = true;
  for (const BodyId part : given) {
    if (is_empty(part)) return expression(kEmptyExpr);
    if (is_expression(part) && bodies_[part].id == kEpsilonExpr) continue;
    parts.push_back(part);
    regular = regular && is_expression(part);
    body.depth = std::max(body.depth, bodies_[part].depth + 1);
    body.weight = saturating_add(body.weight, bodies_[part].weight);
  }
  if (parts.empty()) return expression(kEpsilonExpr);
  if (parts.size() == 1) return parts[0];
  return regular && body.depth <= kMaxFoldDepth ? fold_sequence(parts, body) : add(body, parts);
}

BodyId BodyPool::fold_sequence(std::span<const BodyId> parts, const Body& body) {
  std::vector<ExprId> expressions;
  for (const BodyId part : parts) expressions.push_back(bodies_[part].id);
  return expression(arena_->concat(expressions), body.weight, body.depth);
}

BodyId BodyPool::choice(std::span<const BodyId> given) {
  std::vector<BodyId> regular;
  std::vector<BodyId> parts;
  Body body;
  body.kind = BodyKind::kChoice;
  for (const BodyId part : given) {
    if (is_empty(part)) continue;
    (is_expression(part) && bodies_[part].depth < kMaxFoldDepth ? regular : parts).push_back(part);
  }
  if (!regular.empty()) {
    Body folded;
    folded.weight = 0;
    for (const BodyId part : regular) {
      folded.depth = std::max(folded.depth, bodies_[part].depth + 1);
      folded.weight = saturating_add(folded.weight, bodies_[part].weight);
    }
    const BodyId merged = regular.size() == 1 ? regular[0] : fold_choice(regular, folded);
    if (parts.empty()) return merged;
    parts.push_back(merged);
  }
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (parts.empty()) return expression(kEmptyExpr);
  if (parts.size() == 1) return parts[0];
  body.weight = 0;
  for (const BodyId part : parts) {
    body.depth = std::max(body.depth, bodies_[part].depth + 1);
    body.weight = saturating_add(body.weight, bodies_[part].weight);
  }
  return add(body, parts);
}

BodyId BodyPool::fold_choice(std::span<const BodyId> parts, const Body& body) {
  std::vector<ExprId> expressions;
  std::vector<ExprId> nonempty;
  for (const BodyId part : parts) {
    expressions.push_back(bodies_[part].id);
    if (bodies_[part].id != kEpsilonExpr) nonempty.push_back(without_empty(bodies_[part].id));
  }
  const ExprId e = arena_->alternate(expressions);
  if (arena_->nullable(e)) without_empty_.emplace(e, arena_->alternate(nonempty));
  return expression(e, body.weight, body.depth);
}

BodyId BodyPool::repeat(BodyId part, std::uint32_t min, std::uint32_t max) {
  if (min > max) return expression(kEmptyExpr);
  if (max == 0) return expression(kEpsilonExpr);
  if (min == 1 && max == 1) return part;
  if (is_empty(part)) return min == 0 ? expression(kEpsilonExpr) : part;
  Body body;
  body.kind = BodyKind::kRepeat;
  body.min = min;
  body.max = max;
  body.weight = bodies_[part].weight;
  body.depth = bodies_[part].depth + 1;
  if (!is_expression(part) || body.depth > kMaxFoldDepth) return add(body, {&part, 1});
  const ExprId once = bodies_[part].id;
  if (once == kEpsilonExpr) return part;
  const ExprId e = arena_->repeat(once, min, max);
  if (arena_->nullable(e)) without_empty_.emplace(e, arena_->repeat(without_empty(once), 1, max));
  return expression(e, body.weight, body.depth);
}

ExprId BodyPool::without_empty(ExprId e) {
  if (!arena_->nullable(e)) return e;
  if (e == kEpsilonExpr) return kEmptyExpr;
  const auto found = without_empty_.find(e);
  if (found != without_empty_.end()) return found->second;
  const ExprId result = arena_->intersect({e, arena_->plus(arena_->bytes(ByteSet::all()))});
  without_empty_.emplace(e, result);
  return result;
}

std::vector<BodyId> BodyPool::reachable(BodyId root) {
  std::vector<BodyId> found{root};
  visited_.resize(bodies_.size());
  ++visit_;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const BodyId part : parts(found[i])) {
      if (std::exchange(visited_[part], visit_) != visit_) found.push_back(part);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

BodyFacts solve(const BodyPool& pool, std::span<const RuleBody> rules, const std::function<bool(ExprId)>& leaf,
                bool all_of_choice) {
  const std::size_t size = pool.size();
  BodyFacts facts{std::vector<bool>(size), std::vector<bool>(rules.size()), {}};
  // Parents of each body, and the rules whose body it is, as one list of waiting nodes.
  std::vector<std::uint32_t> parent_begin(size + 1);
  std::vector<std::uint32_t> missing(size);  // parts still to hold before the body does
  for (BodyId b = 0; b < size; ++b) {
    for (const BodyId part : pool.parts(b)) ++parent_begin[part + 1];
    const bool any = pool[b].kind == BodyKind::kChoice && !all_of_choice;
    missing[b] = any ? 1 : pool[b].count;
  }
  for (std::size_t i = 0; i < size; ++i) parent_begin[i + 1] += parent_begin[i];
  std::vector<BodyId> parents(parent_begin[size]);
  std::vector<std::uint32_t> cursor(parent_begin.begin(), parent_begin.end() - 1);
  std::vector<std::vector<BodyId>> references(rules.size());
  std::unordered_map<BodyId, std::vector<RuleId>> owners;
  std::vector<BodyId> ready;
  const auto hold = [&](BodyId b) {
    if (facts.body[b]) return;
    facts.body[b] = true;
    ready.push_back(b);
  };
  for (BodyId b = 0; b < size; ++b) {
    for (const BodyId part : pool.parts(b)) parents[cursor[part]++] = b;
    const Body& body = pool[b];
    if (body.kind == BodyKind::kReference) references[body.id].push_back(b);
    if (body.kind == BodyKind::kExpression && leaf(body.id)) hold(b);
    if (body.kind == BodyKind::kRepeat && body.min == 0 && !all_of_choice) hold(b);
  }
  for (RuleId r = 0; r < rules.size(); ++r) {
    if (rules[r].body) owners[*rules[r].body].push_back(r);
  }
  while (!ready.empty()) {
    const BodyId b = ready.back();
    ready.pop_back();
    for (std::uint32_t i = parent_begin[b]; i < parent_begin[b + 1]; ++i) {
      const BodyId parent = parents[i];
      if (!facts.body[parent] && --missing[parent] == 0) hold(parent);
    }
    const auto owner = owners.find(b);
    if (owner == owners.end()) continue;
    for (const RuleId r : owner->second) {
      facts.rule[r] = true;
      facts.order.push_back(r);
      for (const BodyId reference : references[r]) hold(reference);
    }
  }
  return facts;
}

std::vector<RuleId> reachable_rules(const BodyPool& pool, std::span<const RuleBody> rules, RuleId start) {
  std::vector<RuleId> found{start};
  std::vector<bool> seen_rule(rules.size());
  std::vector<bool> seen_body(pool.size());
  seen_rule[start] = true;
  std::vector<BodyId> work;
  const auto visit = [&](BodyId b) {
    if (seen_body[b]) return;
    seen_body[b] = true;
    work.push_back(b);
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (rules[found[i]].body) visit(*rules[found[i]].body);
    while (!work.empty()) {
      const BodyId b = work.back();
      work.pop_back();
      if (pool[b].kind == BodyKind::kReference && !seen_rule[pool[b].id]) {
        seen_rule[pool[b].id] = true;
        found.push_back(pool[b].id);
      }
      for (const BodyId part : pool.parts(b)) visit(part);
    }
  }
  return found;
}

BodyId substitute(BodyPool& pool, BodyId root, const Replacement& replace) {
  std::unordered_map<BodyId, BodyId> changed;
  std::vector<BodyId> parts;
  for (const BodyId b : pool.reachable(root)) {
    const Body body = pool[b];
    if (body.kind == BodyKind::kReference || body.kind == BodyKind::kExpression) {
      if (const auto replacement = replace(body)) changed.emplace(b, *replacement);
      continue;
    }
    bool differs = false;
    parts.clear();
    for (const BodyId part : pool.parts(b)) {
      const auto found = changed.find(part);
      differs = differs || found != changed.end();
      parts.push_back(found == changed.end() ? part : found->second);
    }
    if (!differs) continue;
    BodyId made = b;
    if (body.kind == BodyKind::kSequence) made = pool.sequence(parts);
    if (body.kind == BodyKind::kChoice) made = pool.choice(parts);
    if (body.kind == BodyKind::kRepeat) made = pool.repeat(parts[0], body.min, body.max);
    changed.emplace(b, made);
  }
  const auto found = changed.find(root);
  return found == changed.end() ? root : found->second;
}

}  // namespace weir::detail
