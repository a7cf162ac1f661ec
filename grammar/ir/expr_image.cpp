#include "ir/expr_image.hpp"

#include <algorithm>

#include "ir/expr_impl.hpp"

namespace weir {
namespace {

bool has_parts(ExprKind kind) { return kind == ExprKind::kAlternate || kind == ExprKind::kIntersect; }

// Calls visit(e) for each operand.
template <class Visit>
void for_each_operand(const ExprArena::Impl& arena, const ExprNode& node, Visit&& visit) {
  switch (node.kind) {
    case ExprKind::kEmpty:
    case ExprKind::kEpsilon:
    case ExprKind::kBytes:
    case ExprKind::kAutomaton: return;
    case ExprKind::kConcat:
      visit(node.a);
      visit(node.b);
      return;
    case ExprKind::kAlternate:
    case ExprKind::kIntersect:
      for (const ExprId part : arena.children_of(node)) visit(part);
      return;
    case ExprKind::kComplement:
    case ExprKind::kRepeat: visit(node.a); return;
  }
}

}  // namespace

ExprImage::ExprImage(ExprArena& from, std::span<const ExprId> roots) {
  for (const ExprId root : roots) from.is_empty(root);
  ExprArena::Impl& arena = *from.impl_;
  const std::lock_guard lock(arena.mutex);
  std::vector<ExprId> used(roots.begin(), roots.end());
  std::vector<bool> seen(arena.nodes.size(), false);
  for (const ExprId e : used) seen[e] = true;
  for (std::size_t i = 0; i < used.size(); ++i) {
    for_each_operand(arena, arena.nodes[used[i]], [&](ExprId part) {
      if (!seen[part]) used.push_back(part);
      seen[part] = true;
    });
  }
  // An operand is always older than what it is an operand of.
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::erase_if(used, [](ExprId e) { return e <= kEpsilonExpr; });
  constexpr std::uint32_t kConstants = kEpsilonExpr + 1;
  const auto index_of = [&](ExprId e) {
    if (e < kConstants) return e;
    return kConstants + static_cast<std::uint32_t>(std::lower_bound(used.begin(), used.end(), e) - used.begin());
  };
  nodes_.reserve(used.size());
  for (const ExprId e : used) {
    const ExprNode& n = arena.nodes[e];
    const ExprFacts& facts = arena.facts[e];
    Node node{n.kind, n.nullable, n.boolean, facts.text, facts.emptiness == Emptiness::kNonEmpty, n.a, n.b, n.c};
    if (n.kind == ExprKind::kBytes) {
      node.a = static_cast<std::uint32_t>(sets_.size());
      sets_.push_back(arena.sets[n.a]);
    } else if (n.kind == ExprKind::kAutomaton) {
      const auto& table = arena.automata[n.a].table;
      const auto known = std::find(automata_.begin(), automata_.end(), table);
      node.a = static_cast<std::uint32_t>(known - automata_.begin());
      if (known == automata_.end()) automata_.push_back(table);
    } else if (has_parts(n.kind)) {
      node.a = static_cast<std::uint32_t>(parts_.size());
      for (const ExprId part : arena.children_of(n)) parts_.push_back(index_of(part));
    } else {
      node.a = index_of(n.a);
      if (n.kind == ExprKind::kConcat) node.b = index_of(n.b);
    }
    nodes_.push_back(node);
  }
  for (const ExprId root : roots) roots_.push_back({index_of(root), arena.lengths(root)});
}

std::vector<ExprId> ExprImage::put(ExprArena& to) const {
  ExprArena::Impl& arena = *to.impl_;
  const std::lock_guard lock(arena.mutex);
  const std::vector<ExprId> nothing(roots_.size(), kEmptyExpr);  // when the arena is full
  std::vector<std::uint32_t> automata;
  for (const auto& table : automata_) {
    const auto place = arena.place_of(table);
    if (!place) return nothing;
    automata.push_back(*place);
  }
  std::vector<ExprId> ids{kEmptyExpr, kEpsilonExpr};
  ids.reserve(nodes_.size() + ids.size());
  ExprParts parts;
  for (const Node& n : nodes_) {
    if (n.kind == ExprKind::kAutomaton) {
      ids.push_back(arena.automaton_state(automata[n.a], n.b));
      if (ids.back() == kEmptyExpr) return nothing;
      continue;
    }
    ExprNode node{n.kind, n.nullable, n.boolean, n.a, n.b, n.c};
    const ByteSet* set = nullptr;
    parts.clear();
    if (n.kind == ExprKind::kBytes) {
      set = &sets_[n.a];
    } else if (has_parts(n.kind)) {
      for (std::uint32_t i = 0; i < n.b; ++i) parts.push_back(ids[parts_[n.a + i]]);
      std::sort(parts.begin(), parts.end());  // the normal form orders by id, and ids differ between arenas
      node.a = 0;
      node.b = 0;
    } else {
      node.a = ids[n.a];
      if (n.kind == ExprKind::kConcat) node.b = ids[n.b];
    }
    const ExprId id = arena.intern(node, parts, set);
    ids.push_back(id);
    if (id == kEmptyExpr) return nothing;
    ExprFacts& facts = arena.facts[id];
    if (n.text) facts.text.store(true, std::memory_order_relaxed);
    if (n.non_empty) facts.emptiness.store(Emptiness::kNonEmpty, std::memory_order_relaxed);
  }
  std::vector<ExprId> out;
  out.reserve(roots_.size());
  for (const Root& root : roots_) {
    out.push_back(ids[root.node]);
    arena.know_lengths(out.back(), root.lengths);
  }
  return out;
}

}  // namespace weir
