// How many code points the texts of an expression have, which bytes they use, and how long they can stay in one loop:
// bounds from the structure alone, each found once for each expression.
#include <algorithm>

#include "ir/expr_impl.hpp"

namespace weir {
namespace {

constexpr std::uint32_t kNoLimit = kUnbounded;

std::uint32_t plus(std::uint32_t a, std::uint32_t b) {
  return a == kNoLimit || b == kNoLimit || a > kNoLimit - 1 - b ? kNoLimit : a + b;
}

std::uint32_t times(std::uint32_t a, std::uint32_t n) {
  if (a == 0 || n == 0) return 0;
  const std::uint64_t product = std::uint64_t{a} * n;
  return a == kNoLimit || n == kNoLimit || product >= kNoLimit ? kNoLimit : static_cast<std::uint32_t>(product);
}

struct Segment {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

// The longest run of lengths among those that are all there, with neighbours merged.
Segment longest(std::vector<Segment> segments) {
  std::sort(segments.begin(), segments.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  Segment best = segments.front();
  Segment run = segments.front();
  for (const Segment& s : segments) {
    if (s.from <= plus(run.to, 1)) {
      run.to = std::max(run.to, s.to);
    } else {
      run = s;
    }
    if (run.to - run.from > best.to - best.from || (run.from == best.from && run.to > best.to)) best = run;
  }
  return best;
}

ExprLengths with_segments(std::uint32_t least, std::uint32_t most, std::vector<Segment> segments) {
  const Segment run = longest(std::move(segments));
  return {true, least, run.from, run.to, most};
}

ExprLengths concatenated(const ExprLengths& a, const ExprLengths& b) {
  if (!a.known || !b.known) return {};
  return with_segments(plus(a.least, b.least), plus(a.most, b.most),
                       {{plus(a.from, b.from), plus(a.to, b.to)},
                        {plus(a.from, b.least), plus(a.to, b.least)},
                        {plus(a.least, b.from), plus(a.least, b.to)},
                        {plus(a.from, b.most), plus(a.to, b.most)},
                        {plus(a.most, b.from), plus(a.most, b.to)}});
}

ExprLengths repeated(const ExprLengths& r, std::uint32_t min, std::uint32_t max) {
  if (!r.known) return {};
  if (r.most == 0) return {true, 0, 0, 0, 0};
  std::vector<Segment> segments;
  if (min == 0) segments.push_back({0, 0});
  // k copies give k*from .. k*to; from some k on these runs meet.
  const std::uint32_t width = r.to == kNoLimit ? kNoLimit : r.to - r.from;
  std::uint32_t k = std::max(min, 1U);
  if (r.from > 1) {
    if (width == 0) {
      segments.push_back({times(r.from, k), times(r.to, k)});
      return with_segments(times(r.least, min), times(r.most, max), std::move(segments));
    }
    if (width != kNoLimit) k = std::max(k, (r.from - 2) / width + 1);
  }
  if (k > max) k = max;
  segments.push_back({times(r.from, k), times(r.to, max)});
  // Fewer copies of the shortest, one of the run.
  if (min <= 1) segments.push_back({r.from, r.to});
  return with_segments(times(r.least, min), times(r.most, max), std::move(segments));
}

}  // namespace

// Visits the parts of root, and root, each after its own parts, except those that are known. By a stack: expressions
// are as deep as patterns are long. `through` says whether to look into intersections.
template <class Known, class Visit>
void ExprArena::Impl::visit_parts_first(ExprId root, bool through, Known&& known, Visit&& visit) {
  std::vector<ExprId> open{root};
  std::vector<ExprId> parts;
  while (!open.empty()) {
    const ExprId e = open.back();
    if (known(e)) {
      open.pop_back();
      continue;
    }
    const ExprNode n = nodes[e];
    parts.clear();
    switch (n.kind) {
      case ExprKind::kConcat: parts = {n.a, n.b}; break;
      case ExprKind::kIntersect:
        if (!through) break;
        [[fallthrough]];
      case ExprKind::kAlternate: parts.assign(children_of(n).begin(), children_of(n).end()); break;
      case ExprKind::kRepeat: parts = {n.a}; break;
      default: break;
    }
    const std::size_t before = open.size();
    for (const ExprId part : parts) {
      if (!known(part)) open.push_back(part);
    }
    if (open.size() > before) continue;
    open.pop_back();
    visit(e, n, parts);
  }
}

const ExprLengths& ExprArena::Impl::lengths(ExprId root) {
  if (const ExprLengths* known = known_lengths(root)) return *known;
  const auto known = [this](ExprId e) { return known_lengths(e) != nullptr; };
  visit_parts_first(root, false, known, [this](ExprId e, const ExprNode& n, const std::vector<ExprId>& parts) {
    ExprLengths result;
    switch (n.kind) {
      case ExprKind::kEpsilon: result = {true, 0, 0, 0, 0}; break;
      case ExprKind::kBytes: {
        const bool some_continue = !(sets[n.a] & ByteSet::range(0x80, 0xBF)).empty();
        const bool some_start = !(sets[n.a] & ByteSet::range(0x80, 0xBF).complement()).empty();
        const std::uint32_t length = some_start ? 1 : 0;
        if (!some_continue || !some_start) result = {true, length, length, length, length};
        break;
      }
      case ExprKind::kConcat: result = concatenated(*known_lengths(n.a), *known_lengths(n.b)); break;
      case ExprKind::kAlternate: {
        std::vector<Segment> segments;
        std::uint32_t least = kNoLimit;
        std::uint32_t most = 0;
        bool all_known = true;
        for (const ExprId part : parts) {
          const ExprLengths& l = *known_lengths(part);
          all_known = all_known && l.known;
          least = std::min(least, l.least);
          most = std::max(most, l.most);
          segments.insert(segments.end(), {{l.least, l.least}, {l.from, l.to}, {l.most, l.most}});
        }
        if (all_known) result = with_segments(least, most, std::move(segments));
        break;
      }
      case ExprKind::kRepeat: result = repeated(*known_lengths(n.a), n.b, n.c); break;
      default: break;  // intersections, complements, automata: unknown
    }
    know_lengths(e, result);
  });
  return *known_lengths(root);
}

void ExprArena::Impl::know_lengths(ExprId e, const ExprLengths& lengths) {
  if (known_lengths(e) == nullptr) {
    facts[e].lengths.store(&lengths_.emplace_back(lengths), std::memory_order_release);
  }
}

const ByteSet& ExprArena::Impl::alphabet(ExprId root) {
  const auto known = [this](ExprId e) { return alphabets_.contains(e); };
  visit_parts_first(root, true, known, [this](ExprId e, const ExprNode& n, const std::vector<ExprId>& parts) {
    ByteSet set;
    if (n.kind == ExprKind::kBytes) set = sets[n.a];
    if (n.kind == ExprKind::kAutomaton) set = automata[n.a].table->alphabet;
    if (n.kind == ExprKind::kComplement || n.kind == ExprKind::kIntersect) set = ByteSet::all();
    for (const ExprId part : parts) {
      if (n.kind == ExprKind::kIntersect) {
        set &= alphabets_.at(part);
      } else {
        set |= alphabets_.at(part);
      }
    }
    alphabets_.emplace(e, set);
  });
  return alphabets_.at(root);
}

// The loops that e may start with: of each alternative, its first factor.
void ExprArena::Impl::append_loops(ExprId e, std::vector<ExprLoop>& out) const {
  const auto add = [&](ExprId part) {
    const ExprNode* n = &nodes[part];
    if (n->kind == ExprKind::kConcat) n = &nodes[n->a];
    if (n->kind == ExprKind::kRepeat) out.push_back({n->a, n->c, part});
  };
  const ExprNode& n = nodes[e];
  if (n.kind == ExprKind::kAlternate) {
    for (const ExprId part : children_of(n)) add(part);
  } else {
    add(e);
  }
}

ExprId ExprArena::Impl::saturated(ExprId root, std::uint32_t count) {
  const auto key = [count](ExprId e) { return (std::uint64_t{count} << 32U) | e; };
  const auto known = [&](ExprId e) { return saturated_.contains(key(e)); };
  visit_parts_first(root, false, known, [&](ExprId e, const ExprNode& n, std::vector<ExprId> parts) {
    for (ExprId& part : parts) part = saturated_.at(key(part));
    ExprId result = e;
    switch (n.kind) {
      case ExprKind::kConcat: result = concat(parts[0], parts[1]); break;
      case ExprKind::kAlternate: result = alternate(parts); break;
      case ExprKind::kRepeat: {
        const ExprLengths& body = lengths(n.a);
        const std::uint32_t length = body.known ? std::max(body.least, 1U) : 1;
        result = repeat(parts[0], n.b, times(n.c, length) > count ? kUnbounded : n.c);
        break;
      }
      default: break;
    }
    saturated_.emplace(key(e), result);
  });
  return saturated_.at(key(root));
}

// Along the first factors; false at an intersection or complement, or at a part of a character.
bool ExprArena::Impl::append_first_characters(ExprId e, std::vector<ExprId>& out) {
  for (;;) {
    if (e <= kEpsilonExpr) return true;
    const ExprLengths& l = lengths(e);
    if (!l.known) return false;
    const ExprNode& n = nodes[e];
    if (l.least == 1 && l.most == 1) {
      if (!facts[e].text.load(std::memory_order_relaxed)) return false;  // a byte of a longer character
      if (n.kind != ExprKind::kBytes) out.push_back(e);
      return true;
    }
    switch (n.kind) {
      case ExprKind::kConcat:
        if (!append_first_characters(n.a, out)) return false;
        if (!nodes[n.a].nullable) return lengths(n.a).least > 0;
        e = n.b;
        continue;
      case ExprKind::kAlternate:
        for (const ExprId kid : children_of(n)) {
          if (!append_first_characters(kid, out)) return false;
        }
        return true;
      case ExprKind::kRepeat: e = n.a; continue;
      default: return false;
    }
  }
}

// By a character beyond ASCII.
ExprId ExprArena::Impl::character_step(ExprId e, std::span<const ExprArena::CharacterPart> parts) {
  if (e <= kEpsilonExpr) return kEmptyExpr;
  const ExprNode n = nodes[e];
  const ExprLengths& l = lengths(e);
  if (l.least == 1 && l.most == 1) {
    if (n.kind == ExprKind::kBytes) return kEmptyExpr;
    const auto it = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.part == e; });
    return it != parts.end() && it->matches ? kEpsilonExpr : kEmptyExpr;
  }
  switch (n.kind) {
    case ExprKind::kConcat: {
      const ExprId left = concat(character_step(n.a, parts), n.b);
      return nodes[n.a].nullable ? alternate({left, character_step(n.b, parts)}) : left;
    }
    case ExprKind::kAlternate: {
      std::vector<ExprId> kids;
      for (std::uint32_t i = 0; i < n.b; ++i) kids.push_back(character_step(children[n.a + i], parts));
      return alternate(std::move(kids));
    }
    case ExprKind::kRepeat: {
      const ExprId d = character_step(n.a, parts);
      if (d == kEmptyExpr) return d;
      return concat(d, repeat(n.a, n.b == 0 ? 0 : n.b - 1, n.c == kUnbounded ? n.c : n.c - 1));
    }
    default: return kEmptyExpr;
  }
}

}  // namespace weir
