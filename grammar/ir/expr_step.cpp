// Derivatives, and the lazily built automaton over them.
#include <algorithm>

#include "ir/expr_impl.hpp"

namespace weir {

ByteSet ExprArena::Impl::byte_class(ExprId e, std::uint8_t b) const {
  ByteSet cls = ByteSet::all();
  for (;;) {
    const ExprNode& n = nodes[e];
    switch (n.kind) {
      case ExprKind::kEmpty:
      case ExprKind::kEpsilon: return cls;
      case ExprKind::kBytes: {
        const ByteSet& set = sets[n.a];
        return cls & (set.contains(b) ? set : set.complement());
      }
      case ExprKind::kConcat:
        if (!nodes[n.a].nullable) {
          e = n.a;
          continue;
        }
        cls &= byte_class(n.a, b);
        e = n.b;
        continue;
      case ExprKind::kAlternate:
      case ExprKind::kIntersect:
        for (const ExprId kid : children_of(n)) cls &= byte_class(kid, b);
        return cls;
      case ExprKind::kComplement:
      case ExprKind::kRepeat: e = n.a; continue;
      case ExprKind::kAutomaton: return cls & automata[n.a].table->class_at(n.b, b);
    }
  }
}

ExprId ExprArena::Impl::derivative(ExprId e, std::uint8_t b) {
  const ExprNode n = nodes[e];
  switch (n.kind) {
    case ExprKind::kEmpty:
    case ExprKind::kEpsilon: return kEmptyExpr;
    case ExprKind::kBytes: return sets[n.a].contains(b) ? kEpsilonExpr : kEmptyExpr;
    case ExprKind::kConcat: {
      // Along the spine, as long as what stands in front may be empty.
      ExprParts parts;
      ExprId rest = e;
      for (;;) {
        const ExprNode m = nodes[rest];
        if (m.kind != ExprKind::kConcat) {
          parts.push_back(derivative(rest, b));
          break;
        }
        if (const ExprId d = derivative(m.a, b); d != kEmptyExpr) parts.push_back(concat(d, m.b));
        if (!nodes[m.a].nullable) break;
        rest = m.b;
      }
      return parts.size() == 1 ? parts.front() : alternate(parts);
    }
    case ExprKind::kAlternate:
    case ExprKind::kIntersect: {
      ExprParts parts;
      for (std::uint32_t i = 0; i < n.b; ++i) {  // by index: derivatives may grow the array of children
        const ExprId child = children[n.a + i];
        // The states of an intersection are pairs, so that its parts come up again and again.
        const bool remember = n.kind == ExprKind::kIntersect && nodes[child].kind != ExprKind::kAutomaton;
        const ExprId d = remember ? raw_step(child, b) : derivative(child, b);
        if (n.kind == ExprKind::kIntersect && d == kEmptyExpr) return kEmptyExpr;
        if (d != kEmptyExpr) parts.push_back(d);
      }
      return n.kind == ExprKind::kAlternate ? alternate(parts) : intersect(parts);
    }
    case ExprKind::kComplement: return complement(derivative(n.a, b));
    case ExprKind::kRepeat: {
      const ExprId d = derivative(n.a, b);
      if (d == kEmptyExpr) return d;
      return concat(d, repeat(n.a, n.b == 0 ? 0 : n.b - 1, n.c == kUnbounded ? n.c : n.c - 1));
    }
    case ExprKind::kAutomaton: return automaton_state(n.a, automata[n.a].table->next(n.b, b));
  }
  return kEmptyExpr;
}

ExprRow& ExprArena::Impl::row(ExprId e) {
  if (ExprRow* known = rows[e].load(std::memory_order_relaxed)) return *known;
  row_storage.push_back(std::make_unique<ExprRow>());
  rows[e].store(row_storage.back().get(), std::memory_order_release);
  return *row_storage.back();
}

ExprId ExprArena::Impl::step(ExprId e, std::uint8_t b) {
  if (e <= kEpsilonExpr) return kEmptyExpr;
  if (rows[e].load(std::memory_order_relaxed) == nullptr && row_storage.size() >= limits.max_automaton_states) {
    full.store(true, std::memory_order_relaxed);
    return kEmptyExpr;
  }
  if (row_storage.size() > limits.max_automaton_states / 2) half_full.store(true, std::memory_order_relaxed);
  ExprRow& r = row(e);
  if (const ExprId known = r.next[b].load(std::memory_order_relaxed); known != kUnknownStep) return known;
  const ByteSet cls = byte_class(e, b);
  ExprId d = nodes[e].boolean ? raw_step(e, cls.first()) : derivative(e, b);
  if (nodes[d].boolean) {
    // Whoever went on without knowing might run into a dead end.
    const auto empty = search_empty(d, limits.max_emptiness_states);
    if (!empty) full.store(true, std::memory_order_relaxed);
    if (empty.value_or(true)) d = kEmptyExpr;
  }
  cls.for_each([&](std::uint8_t c) { r.next[c].store(d, std::memory_order_release); });
  return d;
}

ByteSet ExprArena::Impl::first_bytes(ExprId e) {
  if (e <= kEpsilonExpr) return {};
  ExprRow& r = row(e);
  if (r.first_known.load(std::memory_order_relaxed)) return r.first;
  ByteSet first;
  ByteSet loop;
  std::vector<ByteSet> classes;
  byte_classes(e, classes);
  for (const ByteSet& cls : classes) {
    const ExprId next = step(e, cls.first());
    if (next != kEmptyExpr) first |= cls;
    if (next == e) loop |= cls;
  }
  r.first = first;
  r.loop = loop;
  r.first_known.store(true, std::memory_order_release);
  return first;
}

std::optional<std::string> ExprArena::Impl::shortest_text(ExprId e) {
  if (is_empty(e)) return std::nullopt;
  if (const auto it = shortest.find(e); it != shortest.end()) return it->second;
  struct Visit {
    ExprId expr;
    std::size_t parent;
    char byte;
  };
  std::vector<Visit> queue{{e, 0, 0}};
  std::unordered_map<ExprId, bool> seen{{e, true}};
  for (std::size_t at = 0; at < queue.size(); ++at) {
    if (nodes[queue[at].expr].nullable) {
      std::string text;
      for (std::size_t i = at; i != 0; i = queue[i].parent) text.push_back(queue[i].byte);
      std::reverse(text.begin(), text.end());
      shortest.emplace(e, text);
      return text;
    }
    for (unsigned b = 0; b < 256; ++b) {
      const ExprId d = step(queue[at].expr, static_cast<std::uint8_t>(b));
      if (d != kEmptyExpr && seen.emplace(d, true).second) queue.push_back({d, at, static_cast<char>(b)});
    }
    if (queue.size() > limits.max_emptiness_states) {
      undecided.store(true, std::memory_order_relaxed);
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace weir
