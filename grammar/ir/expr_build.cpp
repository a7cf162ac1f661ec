// Smart constructors: each returns the id of the normal form, so that similar derivatives meet in one id and every
// automaton stays finite (Owens, Reppy and Turon, section 4.1).
#include <algorithm>

#include "ir/expr_impl.hpp"
#include "weir/grammar/detail/utf8.hpp"

namespace weir {
namespace {

constexpr std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15ULL;
  return h ^ (h >> 29U);
}

}  // namespace

ExprArena::Impl::Impl(const Limits& l) : limits(l) {
  table_.resize(256);
  const ExprNode empty{ExprKind::kEmpty};
  const ExprNode epsilon{ExprKind::kEpsilon, true};
  for (const auto& node : {empty, epsilon}) {
    const std::size_t id = nodes.push_back(node);
    hashes_.push_back(0);
    facts.resize_at_least(id + 1);
    rows.resize_at_least(id + 1);
    facts[id].text.store(true, std::memory_order_relaxed);
  }
  facts[kEmptyExpr].emptiness.store(Emptiness::kEmpty, std::memory_order_relaxed);
}

bool ExprArena::Impl::same(ExprId id, const ExprNode& node, std::span<const ExprId> kids, const ByteSet* set) const {
  const ExprNode& other = nodes[id];
  if (other.kind != node.kind) return false;
  switch (node.kind) {
    case ExprKind::kBytes: return sets[other.a] == *set;
    case ExprKind::kAlternate:
    case ExprKind::kIntersect: {
      const auto theirs = children_of(other);
      return std::equal(theirs.begin(), theirs.end(), kids.begin(), kids.end());
    }
    default: return other.a == node.a && other.b == node.b && other.c == node.c;
  }
}

void ExprArena::Impl::grow_table() {
  table_.assign(table_.size() * 2, 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t id = 2; id < nodes.size(); ++id) {
    std::size_t slot = hashes_[id] & mask;
    while (table_[slot] != 0) slot = (slot + 1) & mask;
    table_[slot] = static_cast<std::uint32_t>(id);
  }
}

ExprId ExprArena::Impl::intern(const ExprNode& node, std::span<const ExprId> kids, const ByteSet* set) {
  std::uint64_t hash = mix(0, static_cast<std::uint64_t>(node.kind));
  if (set != nullptr) {
    for (const std::uint64_t word : set->words()) hash = mix(hash, word);
  } else if (!kids.empty()) {
    for (const ExprId kid : kids) hash = mix(hash, kid);
  } else {
    hash = mix(mix(mix(hash, node.a), node.b), node.c);
  }
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash & mask;
  for (; table_[slot] != 0; slot = (slot + 1) & mask) {
    const ExprId id = table_[slot];
    if (hashes_[id] == hash && same(id, node, kids, set)) return id;
  }
  if (nodes.size() >= limits.max_expressions) {
    full.store(true, std::memory_order_relaxed);
    return kEmptyExpr;
  }
  ExprNode stored = node;
  if (set != nullptr) {
    stored.a = static_cast<std::uint32_t>(sets.size());
    sets.push_back(*set);
  } else if (!kids.empty()) {
    stored.a = static_cast<std::uint32_t>(children.size());
    stored.b = static_cast<std::uint32_t>(kids.size());
    children.insert(children.end(), kids.begin(), kids.end());
  }
  const auto id = static_cast<ExprId>(nodes.size());
  facts.resize_at_least(id + 1);
  rows.resize_at_least(id + 1);
  if (!stored.boolean) facts[id].emptiness.store(Emptiness::kNonEmpty, std::memory_order_relaxed);
  hashes_.push_back(hash);
  nodes.push_back(stored);
  table_[slot] = id;
  if (nodes.size() * 2 > table_.size()) grow_table();
  return id;
}

ExprId ExprArena::Impl::bytes(const ByteSet& set) {
  if (set.empty()) return kEmptyExpr;
  const ExprId id = intern({ExprKind::kBytes}, {}, &set);
  if ((set & ByteSet::range(0x80, 0xFF)).empty()) facts[id].text.store(true, std::memory_order_relaxed);
  return id;
}

ExprId ExprArena::Impl::literal(std::string_view text) {
  ExprId e = kEpsilonExpr;
  for (std::size_t i = text.size(); i-- > 0;) {
    e = concat(bytes(ByteSet::single(static_cast<std::uint8_t>(text[i]))), e);
  }
  if (!find_invalid_utf8(text)) facts[e].text.store(true, std::memory_order_relaxed);
  return e;
}

ExprId ExprArena::Impl::literals(std::span<const std::string> texts) {
  std::vector<std::string_view> sorted(texts.begin(), texts.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (sorted.empty()) return kEmptyExpr;

  // The trie's current path; a node is finished, hence interned, when the next text leaves it.
  struct Open {
    bool terminal = false;
    std::vector<std::pair<ExprId, ByteSet>> edges;  // child and the bytes that lead to it
  };
  std::vector<Open> path(1);
  const auto finish = [&](Open& open) {
    std::vector<ExprId> parts;
    if (open.terminal) parts.push_back(kEpsilonExpr);
    for (const auto& [child, set] : open.edges) parts.push_back(concat(bytes(set), child));
    return alternate(std::move(parts));
  };
  const auto close_to = [&](std::size_t depth, std::string_view text) {
    while (path.size() > depth + 1) {
      const ExprId child = finish(path.back());
      path.pop_back();
      auto& edges = path.back().edges;
      const auto b = static_cast<std::uint8_t>(text[path.size() - 1]);
      auto it = std::find_if(edges.begin(), edges.end(), [&](const auto& edge) { return edge.first == child; });
      if (it == edges.end()) {
        edges.emplace_back(child, ByteSet::single(b));
      } else {
        it->second.insert(b);
      }
    }
  };
  std::string_view previous;
  for (const std::string_view text : sorted) {
    const auto [end, unused] = std::mismatch(previous.begin(), previous.end(), text.begin(), text.end());
    close_to(static_cast<std::size_t>(end - previous.begin()), previous);
    path.resize(text.size() + 1);
    path.back().terminal = true;
    previous = text;
  }
  close_to(0, previous);
  const ExprId e = finish(path.front());
  const bool all_text =
      std::none_of(sorted.begin(), sorted.end(), [](std::string_view t) { return find_invalid_utf8(t).has_value(); });
  if (all_text) facts[e].text.store(true, std::memory_order_relaxed);
  return e;
}

ExprId ExprArena::Impl::concat(ExprId left, ExprId right) {
  if (left == kEmptyExpr || right == kEmptyExpr) return kEmptyExpr;
  if (left == kEpsilonExpr) return right;
  if (right == kEpsilonExpr) return left;
  // Right-nested: (a b) c is a (b c).
  std::vector<ExprId> spine;
  while (nodes[left].kind == ExprKind::kConcat) {
    spine.push_back(nodes[left].a);
    left = nodes[left].b;
  }
  spine.push_back(left);
  ExprId e = right;
  for (std::size_t i = spine.size(); i-- > 0;) {
    const ExprNode& a = nodes[spine[i]];
    const ExprNode& b = nodes[e];
    const ExprId id =
        intern({ExprKind::kConcat, a.nullable && b.nullable, a.boolean || b.boolean, spine[i], e, 0}, {}, nullptr);
    if (id == kEmptyExpr) return id;
    if (facts[spine[i]].text.load(std::memory_order_relaxed) && facts[e].text.load(std::memory_order_relaxed)) {
      facts[id].text.store(true, std::memory_order_relaxed);
    }
    e = id;
  }
  return e;
}

ExprId ExprArena::Impl::alternate(std::vector<ExprId> parts) {
  std::vector<ExprId> flat;
  ByteSet one_byte;
  bool any_set = false;
  bool epsilon = false;
  bool some_nullable = false;
  for (const ExprId part : parts) {
    const ExprNode& n = nodes[part];
    const auto add = [&](ExprId e) {
      const ExprNode& m = nodes[e];
      if (m.kind == ExprKind::kBytes) {
        one_byte |= sets[m.a];
        any_set = true;
      } else if (m.kind == ExprKind::kEpsilon) {
        epsilon = true;
      } else {
        some_nullable = some_nullable || m.nullable;
        flat.push_back(e);
      }
    };
    if (n.kind == ExprKind::kEmpty) continue;
    if (n.kind == ExprKind::kAlternate) {
      for (const ExprId kid : children_of(n)) add(kid);
    } else {
      add(part);
    }
  }
  if (any_set) flat.push_back(bytes(one_byte));
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (epsilon && !some_nullable) {
    // x+ | "" is x*; otherwise "" stands as a part of its own.
    auto plus = std::find_if(flat.begin(), flat.end(),
                             [&](ExprId e) { return nodes[e].kind == ExprKind::kRepeat && nodes[e].b == 1; });
    if (plus != flat.end()) {
      *plus = repeat(nodes[*plus].a, 0, nodes[*plus].c);
      std::sort(flat.begin(), flat.end());
    } else {
      flat.insert(flat.begin(), kEpsilonExpr);
    }
  }
  // Any text at all absorbs every set of texts; every byte string absorbs everything.
  const ExprId every = complement(kEmptyExpr);
  if (std::binary_search(flat.begin(), flat.end(), every)) return every;
  if (any_text_ != 0 && flat.size() > 1 && std::binary_search(flat.begin(), flat.end(), any_text_)) {
    std::erase_if(flat, [&](ExprId e) { return e != any_text_ && facts[e].text.load(std::memory_order_relaxed); });
  }
  if (flat.empty()) return kEmptyExpr;
  if (flat.size() == 1) return flat.front();
  bool boolean = false;
  bool nullable = false;
  bool text = true;
  for (const ExprId e : flat) {
    boolean = boolean || nodes[e].boolean;
    nullable = nullable || nodes[e].nullable;
    text = text && facts[e].text.load(std::memory_order_relaxed);
    // e | ~e is everything.
    if (nodes[e].kind == ExprKind::kComplement && std::binary_search(flat.begin(), flat.end(), nodes[e].a))
      return every;
  }
  const ExprId id = intern({ExprKind::kAlternate, nullable, boolean, 0, 0, 0}, flat, nullptr);
  if (text) facts[id].text.store(true, std::memory_order_relaxed);
  return id;
}

ExprId ExprArena::Impl::intersect(std::vector<ExprId> parts) {
  const ExprId every = complement(kEmptyExpr);
  std::vector<ExprId> flat;
  ByteSet one_byte = ByteSet::all();
  bool any_set = false;
  for (const ExprId part : parts) {
    const auto add = [&](ExprId e) {
      if (nodes[e].kind == ExprKind::kBytes) {
        one_byte &= sets[nodes[e].a];
        any_set = true;
      } else if (e != every) {
        flat.push_back(e);
      }
    };
    if (part == kEmptyExpr) return kEmptyExpr;
    if (nodes[part].kind == ExprKind::kIntersect) {
      for (const ExprId kid : children_of(nodes[part])) add(kid);
    } else {
      add(part);
    }
  }
  if (any_set) {
    if (one_byte.empty()) return kEmptyExpr;
    flat.push_back(bytes(one_byte));
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (flat.empty()) return every;
  bool nullable = true;
  bool text = false;
  for (const ExprId e : flat) {
    nullable = nullable && nodes[e].nullable;
    if (e != any_text_) text = text || facts[e].text.load(std::memory_order_relaxed);
    if (nodes[e].kind == ExprKind::kComplement && std::binary_search(flat.begin(), flat.end(), nodes[e].a)) {
      return kEmptyExpr;
    }
  }
  if (flat.front() == kEpsilonExpr) return nullable ? kEpsilonExpr : kEmptyExpr;
  if (text && any_text_ != 0) std::erase(flat, any_text_);  // a set of texts is its own intersection with all of them
  if (flat.size() == 1) return flat.front();
  const ExprId id = intern({ExprKind::kIntersect, nullable, true, 0, 0, 0}, flat, nullptr);
  if (text || std::binary_search(flat.begin(), flat.end(), any_text_)) {
    facts[id].text.store(true, std::memory_order_relaxed);
  }
  return id;
}

ExprId ExprArena::Impl::complement(ExprId e) {
  if (nodes[e].kind == ExprKind::kComplement) return nodes[e].a;
  const ExprId id = intern({ExprKind::kComplement, !nodes[e].nullable, e != kEmptyExpr, e, 0, 0}, {}, nullptr);
  return id;
}

ExprId ExprArena::Impl::repeat(ExprId e, std::uint32_t min, std::uint32_t max) {
  if (min > max || max == 0 || e == kEpsilonExpr) return min > max ? kEmptyExpr : kEpsilonExpr;
  if (e == kEmptyExpr) return min == 0 ? kEpsilonExpr : kEmptyExpr;
  if (min == 1 && max == 1) return e;
  if (nodes[e].nullable) {
    min = 0;
    // ("" | x){0,n} is x{0,n}.
    if (nodes[e].kind == ExprKind::kAlternate) {
      const auto kids = children_of(nodes[e]);
      if (kids.front() == kEpsilonExpr) return repeat(alternate({kids.begin() + 1, kids.end()}), 0, max);
    }
  }
  if (nodes[e].kind == ExprKind::kRepeat && nodes[e].c == kUnbounded && nodes[e].b <= 1) {
    return repeat(nodes[e].a, nodes[e].b == 0 ? 0 : min, kUnbounded);  // (x*){m,n} = x*, (x+){m,n} = x{m,}
  }
  if (min == 0 && max == 1) return alternate({kEpsilonExpr, e});
  const ExprNode& n = nodes[e];
  const ExprId id = intern({ExprKind::kRepeat, min == 0 || n.nullable, n.boolean, e, min, max}, {}, nullptr);
  // x* is never empty, whatever x is.
  if (min == 0) facts[id].emptiness.store(Emptiness::kNonEmpty, std::memory_order_relaxed);
  if (facts[e].text.load(std::memory_order_relaxed)) facts[id].text.store(true, std::memory_order_relaxed);
  return id;
}

ExprId ExprArena::Impl::code_points(const CodePointSet& set) {
  std::vector<Utf8Sequence> sequences;
  for (const auto& range : set.ranges()) append_utf8_sequences(range.first, range.last, sequences);
  // A trie by position: neighbouring sequences that share their leading byte ranges share them in the expression.
  const auto build = [&](auto&& self, std::size_t begin, std::size_t end, std::uint8_t at) -> ExprId {
    std::vector<std::pair<ExprId, ByteSet>> edges;
    for (std::size_t i = begin; i < end;) {
      const ByteRange range = sequences[i].bytes[at];
      std::size_t j = i + 1;
      while (j < end && sequences[j].bytes[at] == range && sequences[j].length == sequences[i].length) ++j;
      const ExprId rest =
          sequences[i].length == at + 1U ? kEpsilonExpr : self(self, i, j, static_cast<std::uint8_t>(at + 1));
      const ByteSet set_of = ByteSet::range(range.first, range.last);
      auto it = std::find_if(edges.begin(), edges.end(), [&](const auto& edge) { return edge.first == rest; });
      if (it == edges.end()) {
        edges.emplace_back(rest, set_of);
      } else {
        it->second |= set_of;
      }
      i = j;
    }
    std::vector<ExprId> parts;
    parts.reserve(edges.size());
    for (const auto& [rest, bytes_of] : edges) parts.push_back(concat(bytes(bytes_of), rest));
    return alternate(std::move(parts));
  };
  const ExprId e = build(build, 0, sequences.size(), 0);
  facts[e].text.store(true, std::memory_order_relaxed);
  return e;
}

ExprId ExprArena::Impl::any_code_point() {
  if (any_code_point_ == 0) any_code_point_ = code_points(CodePointSet::all());
  return any_code_point_;
}

ExprId ExprArena::Impl::any_text() {
  if (any_text_ == 0) any_text_ = repeat(any_code_point(), 0, kUnbounded);
  return any_text_;
}

}  // namespace weir
