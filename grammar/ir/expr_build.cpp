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
  table_.resize(1024);
  const ExprNode empty{ExprKind::kEmpty};
  const ExprNode epsilon{ExprKind::kEpsilon, true};
  for (const auto& node : {empty, epsilon}) {
    const std::size_t id = nodes.push_back(node);
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
  constexpr std::size_t kLarge = std::size_t{1} << 16U;
  std::vector<Slot> larger(table_.size() * (table_.size() < kLarge ? 4 : 2));
  const std::size_t mask = larger.size() - 1;
  for (const Slot& entry : table_) {
    if (entry.id == 0) continue;
    std::size_t at = entry.hash & mask;
    while (larger[at].id != 0) at = (at + 1) & mask;
    larger[at] = entry;
  }
  table_ = std::move(larger);
}

ExprId ExprArena::Impl::intern(const ExprNode& node, std::span<const ExprId> kids, const ByteSet* set) {
  std::uint64_t mixed = mix(0, static_cast<std::uint64_t>(node.kind));
  if (set != nullptr) {
    for (const std::uint64_t word : set->words()) mixed = mix(mixed, word);
  } else if (!kids.empty()) {
    for (const ExprId kid : kids) mixed = mix(mixed, kid);
  } else {
    mixed = mix(mix(mixed, (std::uint64_t{node.a} << 32U) | node.b), node.c);
  }
  const auto hash = static_cast<std::uint32_t>(mixed ^ (mixed >> 32U));
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash & mask;
  for (; table_[at].id != 0; at = (at + 1) & mask) {
    if (table_[at].hash == hash && same(table_[at].id, node, kids, set)) return table_[at].id;
  }
  if (nodes.size() >= limits.max_expressions) {
    full.store(true, std::memory_order_relaxed);
    return kEmptyExpr;
  }
  if (nodes.size() > limits.max_expressions / 2) half_full.store(true, std::memory_order_relaxed);
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
  nodes.push_back(stored);
  table_[at] = {hash, id};
  if (nodes.size() * 2 > table_.size()) grow_table();
  return id;
}

ExprId ExprArena::Impl::byte(std::uint8_t b) {
  if (byte_ids_[b] == 0) {
    const ByteSet set = ByteSet::single(b);
    byte_ids_[b] = intern({ExprKind::kBytes}, {}, &set);
    if (b < 0x80) facts[byte_ids_[b]].text.store(true, std::memory_order_relaxed);
  }
  return byte_ids_[b];
}

ExprId ExprArena::Impl::bytes(const ByteSet& set) {
  if (set.empty()) return kEmptyExpr;
  const ExprId id = intern({ExprKind::kBytes}, {}, &set);
  if ((set & ByteSet::range(0x80, 0xFF)).empty()) facts[id].text.store(true, std::memory_order_relaxed);
  return id;
}

ExprId ExprArena::Impl::literal(std::string_view text) {
  ExprId e = kEpsilonExpr;
  for (std::size_t i = text.size(); i-- > 0;) e = concat(byte(static_cast<std::uint8_t>(text[i])), e);
  if (!find_invalid_utf8(text)) facts[e].text.store(true, std::memory_order_relaxed);
  return e;
}

ExprId ExprArena::Impl::literals(std::vector<std::string_view> sorted) {
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (sorted.empty()) return kEmptyExpr;
  const bool all_text =
      std::none_of(sorted.begin(), sorted.end(), [](std::string_view t) { return find_invalid_utf8(t).has_value(); });

  // The nodes of the trie that branch or end a text, on the way to the current text; a node is finished, hence
  // interned, when the next text leaves it. Between two nodes lies a chain of single bytes.
  struct Open {
    std::size_t depth = 0;
    bool terminal = false;
    std::vector<std::pair<ExprId, ByteSet>> edges;  // child and the bytes that lead to it
  };
  std::vector<Open> path(1);
  const auto finish = [&](const Open& open) {
    ExprParts parts;
    if (open.terminal) parts.push_back(kEpsilonExpr);
    for (const auto& [child, set] : open.edges) parts.push_back(concat(bytes(set), child));
    return parts.size() == 1 ? parts.front() : alternate(parts);
  };
  const auto close_to = [&](std::size_t depth, std::string_view text) {
    while (path.back().depth > depth) {
      ExprId child = finish(path.back());
      std::size_t at = path.back().depth;
      path.pop_back();
      if (path.back().depth < depth) path.push_back({depth, false, {}});
      while (--at > path.back().depth) child = concat(byte(static_cast<std::uint8_t>(text[at])), child);
      const auto b = static_cast<std::uint8_t>(text[at]);
      auto& edges = path.back().edges;
      const auto it = std::find_if(edges.begin(), edges.end(), [&](const auto& edge) { return edge.first == child; });
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
    if (path.back().depth < text.size()) path.push_back({text.size(), false, {}});
    path.back().terminal = true;
    previous = text;
  }
  close_to(0, previous);
  const ExprId e = finish(path.front());
  if (all_text) facts[e].text.store(true, std::memory_order_relaxed);
  return e;
}

ExprId ExprArena::Impl::intern_concat(ExprId left, ExprId right) {
  const ExprNode& a = nodes[left];
  const ExprNode& b = nodes[right];
  const ExprId id =
      intern({ExprKind::kConcat, a.nullable && b.nullable, a.boolean || b.boolean, left, right, 0}, {}, nullptr);
  if (id == kEmptyExpr) return id;
  if (facts[left].text.load(std::memory_order_relaxed) && facts[right].text.load(std::memory_order_relaxed)) {
    facts[id].text.store(true, std::memory_order_relaxed);
  }
  return id;
}

ExprId ExprArena::Impl::concat(ExprId left, ExprId right) {
  if (left == kEmptyExpr || right == kEmptyExpr) return kEmptyExpr;
  if (left == kEpsilonExpr) return right;
  if (right == kEpsilonExpr) return left;
  if (nodes[left].kind != ExprKind::kConcat) return intern_concat(left, right);
  // Right-nested: (a b) c is a (b c).
  ExprParts spine;
  while (nodes[left].kind == ExprKind::kConcat) {
    spine.push_back(nodes[left].a);
    left = nodes[left].b;
  }
  ExprId e = intern_concat(left, right);
  for (std::size_t i = spine.size(); i-- > 0 && e != kEmptyExpr;) e = intern_concat(spine[i], e);
  return e;
}

ExprId ExprArena::Impl::alternate(std::span<const ExprId> parts) {
  ExprParts flat;
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
  flat.shrink_to(std::unique(flat.begin(), flat.end()));
  if (epsilon && !some_nullable) {
    // x+ | "" is x*; otherwise "" stands as a part of its own.
    auto plus = std::find_if(flat.begin(), flat.end(),
                             [&](ExprId e) { return nodes[e].kind == ExprKind::kRepeat && nodes[e].b == 1; });
    if (plus != flat.end()) {
      *plus = repeat(nodes[*plus].a, 0, nodes[*plus].c);
      std::sort(flat.begin(), flat.end());
    } else {
      flat.push_front(kEpsilonExpr);
    }
  }
  // Any text at all absorbs every set of texts; every byte string absorbs everything.
  const ExprId all = every();
  if (std::binary_search(flat.begin(), flat.end(), all)) return all;
  if (any_text_ != 0 && flat.size() > 1 && std::binary_search(flat.begin(), flat.end(), any_text_)) {
    flat.shrink_to(std::remove_if(flat.begin(), flat.end(), [&](ExprId e) {
      return e != any_text_ && facts[e].text.load(std::memory_order_relaxed);
    }));
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
    if (nodes[e].kind == ExprKind::kComplement && std::binary_search(flat.begin(), flat.end(), nodes[e].a)) return all;
  }
  const ExprId id = intern({ExprKind::kAlternate, nullable, boolean, 0, 0, 0}, flat, nullptr);
  if (text) facts[id].text.store(true, std::memory_order_relaxed);
  return id;
}

ExprId ExprArena::Impl::intersect(std::span<const ExprId> parts) {
  const ExprId all = every();
  ExprParts flat;
  ByteSet one_byte = ByteSet::all();
  bool any_set = false;
  for (const ExprId part : parts) {
    const auto add = [&](ExprId e) {
      if (nodes[e].kind == ExprKind::kBytes) {
        one_byte &= sets[nodes[e].a];
        any_set = true;
      } else if (e != all) {
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
  flat.shrink_to(std::unique(flat.begin(), flat.end()));
  if (flat.empty()) return all;
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
  // A set of texts is its own intersection with all of them.
  if (text && any_text_ != 0) flat.shrink_to(std::remove(flat.begin(), flat.end(), any_text_));
  if (flat.size() == 1) return flat.front();
  const ExprId id = intern({ExprKind::kIntersect, nullable, true, 0, 0, 0}, flat, nullptr);
  if (text || std::binary_search(flat.begin(), flat.end(), any_text_)) {
    facts[id].text.store(true, std::memory_order_relaxed);
  }
  return id;
}

std::optional<ExprArena::Difference> ExprArena::Impl::difference(ExprId e) {
  if (nodes[e].kind != ExprKind::kIntersect) return std::nullopt;
  std::vector<ExprId> kept;
  std::vector<ExprId> excluded;
  for (std::uint32_t i = 0; i < nodes[e].b; ++i) {
    const ExprId part = children[nodes[e].a + i];
    if (nodes[part].kind == ExprKind::kComplement) {
      excluded.push_back(nodes[part].a);
    } else {
      kept.push_back(part);
    }
  }
  if (kept.empty() || excluded.empty()) return std::nullopt;
  return Difference{intersect(kept), alternate(excluded)};
}

ExprId ExprArena::Impl::complement(ExprId e) {
  if (nodes[e].kind == ExprKind::kComplement) return nodes[e].a;
  const ExprId id = intern({ExprKind::kComplement, !nodes[e].nullable, e != kEmptyExpr, e, 0, 0}, {}, nullptr);
  return id;
}

ExprId ExprArena::Impl::every() {
  if (every_ == 0) every_ = complement(kEmptyExpr);
  return every_;
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
      if (kids.front() == kEpsilonExpr) {
        const ExprParts rest(kids.subspan(1));  // the array of children may move
        return repeat(alternate(rest), 0, max);
      }
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
    ExprParts parts;
    for (const auto& [rest, bytes_of] : edges) parts.push_back(concat(bytes(bytes_of), rest));
    return alternate(parts);
  };
  const ExprId e = build(build, 0, sequences.size(), 0);
  facts[e].text.store(true, std::memory_order_relaxed);
  return e;
}

std::optional<std::uint32_t> ExprArena::Impl::place_of(std::shared_ptr<const NormalAutomaton> table) {
  const auto [begin, end] = automata_by_hash_.equal_range(table->hash);
  for (auto it = begin; it != end; ++it) {
    const ByteAutomaton& known = automata[it->second].table->table;
    if (known.next == table->table.next && known.accepting == table->table.accepting &&
        known.classes == table->table.classes) {
      return it->second;
    }
  }
  if (nodes.size() + automaton_states_ + table->size() > limits.max_expressions) {
    full.store(true, std::memory_order_relaxed);
    return std::nullopt;
  }
  automaton_states_ += table->size();
  const auto place = static_cast<std::uint32_t>(automata.size());
  automata_by_hash_.emplace(table->hash, place);
  std::vector<ExprId> ids(table->size(), kEmptyExpr);
  automata.push_back({std::move(table), std::move(ids)});
  return place;
}

ExprId ExprArena::Impl::automaton(std::shared_ptr<const NormalAutomaton> table) {
  if (table == nullptr) return kEmptyExpr;
  const auto place = place_of(std::move(table));
  return place ? automaton_state(*place, 0) : kEmptyExpr;
}

ExprId ExprArena::Impl::automaton_state(std::uint32_t automaton, std::uint32_t state) {
  if (state == ByteAutomaton::kNowhere) return kEmptyExpr;
  const NormalAutomaton& table = *automata[automaton].table;
  ExprId& known = automata[automaton].ids[state];
  if (known != kEmptyExpr) return known;
  const bool accepting = table.table.accepting[state];
  bool ends = true;
  for (std::size_t c = 0; c < table.width(); ++c) {
    ends = ends && table.table.next[state * table.width() + c] == ByteAutomaton::kNowhere;
  }
  if (ends) return known = kEpsilonExpr;  // nothing may follow, and a minimal automaton has no dead ends
  known = intern({ExprKind::kAutomaton, accepting, false, automaton, state, 0}, {}, nullptr);
  if (known != kEmptyExpr && (table.alphabet & ByteSet::range(0x80, 0xFF)).empty()) {
    facts[known].text.store(true, std::memory_order_relaxed);
  }
  return known;
}

ExprId ExprArena::Impl::any_code_point() {
  if (any_code_point_ == 0) any_code_point_ = code_points(CodePointSet::all());
  return any_code_point_;
}

ExprId ExprArena::Impl::any_text() {
  if (any_text_ == 0) {
    any_text_ = repeat(any_code_point(), 0, kUnbounded);
    known_any_text_.store(any_text_, std::memory_order_release);
  }
  return any_text_;
}

}  // namespace weir
