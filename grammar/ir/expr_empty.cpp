// The search that decides whether an expression is empty, over derivatives that may be empty in meaning.
#include <algorithm>

#include "ir/expr_impl.hpp"

namespace weir {

// Refines the partition of all bytes by every set that the derivatives of e by one byte look at.
void ExprArena::Impl::byte_classes(ExprId root, std::vector<ByteSet>& out) const {
  out.assign(1, ByteSet::all());
  const auto refine = [&out](const ByteSet& set) {
    for (std::size_t i = 0, size = out.size(); i < size; ++i) {
      const ByteSet inside = out[i] & set;
      if (inside.empty() || inside == out[i]) continue;
      out[i] &= set.complement();
      out.push_back(inside);
    }
  };
  std::vector<ExprId> open{root};
  std::vector<std::uint32_t> used;  // sets
  while (!open.empty()) {
    const ExprNode& n = nodes[open.back()];
    open.pop_back();
    switch (n.kind) {
      case ExprKind::kEmpty:
      case ExprKind::kEpsilon: break;
      case ExprKind::kBytes:
        if (std::find(used.begin(), used.end(), n.a) != used.end()) break;
        used.push_back(n.a);
        refine(sets[n.a]);
        break;
      case ExprKind::kAutomaton: automata[n.a].table->for_each_class(n.b, refine); break;
      case ExprKind::kConcat:
        if (nodes[n.a].nullable) open.push_back(n.b);
        open.push_back(n.a);
        break;
      case ExprKind::kAlternate:
      case ExprKind::kIntersect:
        for (const ExprId kid : children_of(n)) open.push_back(kid);
        break;
      case ExprKind::kComplement:
      case ExprKind::kRepeat: open.push_back(n.a); break;
    }
  }
  std::sort(out.begin(), out.end(), [](const ByteSet& a, const ByteSet& b) { return a.first() < b.first(); });
}

// `b`: the first byte of its class, unless e is a part of a larger expression.
ExprId ExprArena::Impl::raw_step(ExprId e, std::uint8_t b) {
  const std::uint64_t key = (std::uint64_t{e} << 8U) | b;
  if (const ExprId* known = raw_steps_.find(key)) return *known;
  const ExprId d = derivative(e, b);
  raw_steps_.insert(key, d);
  return d;
}

// Of the states that were reached the oldest and the newest are taken in turns: breadth first a match that is near is
// found however deep the rest is, depth first one that is far away however broad. A path to a match makes every
// expression on it non-empty; a search that ends without one makes every expression it saw empty.
std::optional<bool> ExprArena::Impl::search_empty(ExprId e, std::uint32_t max_states) {
  const auto emptiness = [&](ExprId x) { return facts[x].emptiness.load(std::memory_order_relaxed); };
  if (emptiness(e) != Emptiness::kUnknown) return emptiness(e) == Emptiness::kEmpty;
  struct Visit {
    ExprId expr;
    std::uint32_t parent;  // its place among the visits
    bool done;
  };
  std::vector<Visit> visits{{e, 0, false}};
  std::vector<std::uint32_t> newest{0};
  std::size_t oldest = 0;
  ExprSet seen;
  seen.insert(e);
  std::vector<ByteSet> classes;
  const auto succeed = [&](std::uint32_t at) {
    for (;; at = visits[at].parent) {
      facts[visits[at].expr].emptiness.store(Emptiness::kNonEmpty, std::memory_order_relaxed);
      if (at == 0) return false;
    }
  };
  if (nodes[e].nullable) return succeed(0);
  for (bool deep = false;; deep = !deep) {
    while (oldest < visits.size() && visits[oldest].done) ++oldest;
    if (oldest == visits.size()) break;
    if (visits.size() > max_states) return std::nullopt;
    auto at = static_cast<std::uint32_t>(oldest);
    if (deep) {
      while (visits[newest.back()].done) newest.pop_back();
      at = newest.back();
    }
    visits[at].done = true;
    const ExprId here = visits[at].expr;
    byte_classes(here, classes);
    for (const ByteSet& cls : classes) {
      const ExprId d = raw_step(here, cls.first());
      const Emptiness known = emptiness(d);
      if (known == Emptiness::kEmpty) continue;
      if (known == Emptiness::kNonEmpty || nodes[d].nullable) {
        facts[d].emptiness.store(Emptiness::kNonEmpty, std::memory_order_relaxed);
        return succeed(at);
      }
      if (!seen.insert(d)) continue;
      newest.push_back(static_cast<std::uint32_t>(visits.size()));
      visits.push_back({d, at, false});
    }
  }
  for (const Visit& visit : visits) facts[visit.expr].emptiness.store(Emptiness::kEmpty, std::memory_order_relaxed);
  return true;
}

bool ExprArena::Impl::is_empty(ExprId e) {
  const auto empty = search_empty(e, limits.max_emptiness_states);
  if (!empty) undecided.store(true, std::memory_order_relaxed);
  return empty.value_or(false);
}

}  // namespace weir
