// Masks of grammars of rules, in pieces: what a state of a rule takes from some positions on does not depend on what
// follows the rule, so it is found once, over a hole, and serves every stack. Where the rule ends, what is left of the
// texts is a set of positions in turn, and the stack is followed downwards until none are left.
//
// Sources: the idea of results relative to an unknown continuation is that of item sets (Knuth 1965) applied to texts
// left over by a token.
#include <algorithm>

#include "frames/masker.hpp"

namespace weir {

std::size_t Masker::PositionsHash::operator()(const std::vector<Position>& positions) const noexcept {
  std::uint64_t h = positions.size();
  for (const Position& p : positions) {
    for (const std::uint64_t w :
         {reinterpret_cast<std::uint64_t>(p.trie), reinterpret_cast<std::uint64_t>(p.frame), std::uint64_t{p.node}}) {
      h = (h ^ w) * 0x9E3779B97F4A7C15ULL;
      h ^= h >> 29U;
    }
  }
  return h;
}

Masker::PositionsId Masker::intern(std::vector<Position>& positions) {
  if (positions.empty()) return 0;
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  const auto [it, fresh] = position_ids_.try_emplace(positions, static_cast<PositionsId>(positions_.size() + 1));
  const PositionsId id = it->second;
  if (!fresh) return id;
  piece_bytes_ += positions.size() * 2 * (sizeof(Position) + sizeof(PositionsId)) + 64;
  merge_texts(positions);
  positions_.push_back(positions);
  parts_.emplace_back();
  if (positions.size() == 1) return id;
  std::vector<PositionsId> parts;
  std::vector<Position> part;
  for (const Position& p : positions) {
    part.assign(1, p);
    parts.push_back(intern(part));
  }
  parts_[id - 1] = std::move(parts);
  return id;
}

std::size_t Masker::SetsHash::operator()(const std::vector<const TokenSet*>& sets) const noexcept {
  std::uint64_t h = sets.size();
  for (const TokenSet* set : sets) {
    h = (h ^ reinterpret_cast<std::uint64_t>(set)) * 0x9E3779B97F4A7C15ULL;
    h ^= h >> 29U;
  }
  return h;
}

void Masker::unite_sets(std::vector<const TokenSet*>& sets) {
  if (sets.size() < 2) return;
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  if (sets.size() < 2) return;
  auto& united = unions_[sets];
  if (!united) {
    std::vector<std::uint32_t> bits(tables_.vocabulary->mask_words());
    for (const TokenSet* set : sets) set->or_into(bits);
    united = std::make_unique<TokenSet>(TokenSet::dense(std::move(bits)));
    piece_bytes_ += united->memory_bytes() + sets.size() * sizeof(void*) + 64;
  }
  sets.assign(1, united.get());
}

// What is remembered of states points into pieces and unions.
void Masker::forget_pieces() {
  forget_remembered();
  pieces_.clear();
  unions_.clear();
  position_ids_.clear();
  positions_.clear();
  parts_.clear();
  merged_.clear();
  own_frames_.reset();
  known_frames_.assign(kKnownFrames, {});
  exits_of_.clear();
  piece_bytes_ = 0;
}

void Masker::merge_texts(std::vector<Position>& positions) {
  constexpr std::size_t kFew = 4;
  constexpr std::uint32_t kLarge = 512;         // nodes that are walked where they are
  constexpr std::size_t kMaxTexts = 1U << 15U;  // beyond that merging costs too much
  if (positions.size() <= kFew) return;
  const auto stays = [&](const Position& p) { return p.frame != nullptr || p.trie->subtree_size(p.node) > kLarge; };
  std::size_t texts = 0;
  std::size_t moved = 0;
  for (const Position& p : positions) {
    if (stays(p)) continue;
    ++moved;
    texts += p.trie->subtree(p.node).size();
  }
  if (moved <= kFew || texts > kMaxTexts) return;
  std::vector<std::pair<std::string_view, std::uint32_t>> entries;
  entries.reserve(texts);
  for (const Position& p : positions) {
    if (stays(p)) continue;
    p.trie->for_each_below(p.node, [&](std::uint32_t token, std::uint32_t depth) {
      const std::string_view text = tables_.vocabulary->token(token);
      entries.emplace_back(text.substr(text.size() - depth), token);
    });
  }
  std::erase_if(positions, [&](const Position& p) { return !stays(p); });
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  merged_.push_back(std::make_unique<Trie>(std::move(entries)));
  piece_bytes_ += merged_.back()->memory_bytes();
  positions.push_back({merged_.back().get(), nullptr, true, Trie::kRoot});
}

void Masker::resolve(PositionsId from, StateId rest) {
  if (from == 0) return;
  const auto count = static_cast<std::uint32_t>(store_.items(rest).size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const Item item = store_.items(rest)[i];  // by value: walks add states
    switch (item.head.kind()) {
      case HeadKind::kHole: {
        const auto& positions = positions_[from - 1];
        left_.insert(left_.end(), positions.begin(), positions.end());
        break;
      }
      case HeadKind::kRule: {
        const RunAt at = count == 1 ? run_at(rest) : run_at(item);
        const Piece& p = piece(from, at.run);
        sets_.insert(sets_.end(), p.sets.begin(), p.sets.end());
        add_ids(p.ids);
        resolve(p.left, at.below);
        break;
      }
      case HeadKind::kEnd: break;
      default: {
        const std::size_t depth = depth_;
        Items& items = scratch();
        items.push_back(item);
        for (const Position& position : positions_[from - 1]) walk_position(position, items);
        depth_ = depth;
      }
    }
  }
}

void Masker::find_runs() {
  const Grammar& grammar = stepper_.grammar();
  goes_on_.resize(grammar.rule_states().size());
  for (const Rule& rule : grammar.rules()) {
    for (const RuleEdge& edge : grammar.rule_states()[rule.start].edges) {
      if (edge.symbol.kind == Symbol::Kind::kRule) goes_on_[edge.target] = true;
    }
  }
  runs_.push_back({0, 0, store_.intern_one({Head::make(HeadKind::kHole, 0, 0, 0), kDeadState})});
}

Masker::RunId Masker::intern_run(std::uint32_t rule_state, RunId below) {
  const auto [it, fresh] =
      run_ids_.try_emplace((std::uint64_t{below} << 32U) | rule_state, static_cast<RunId>(runs_.size()));
  if (fresh) {
    const StateId rest = runs_[below].over_hole;
    runs_.push_back({rule_state, below, store_.intern_one({Head::make(HeadKind::kRule, 0, rule_state, 0), rest})});
  }
  return it->second;
}

Masker::RunAt Masker::run_at(const Item& item) {
  const auto below = store_.items(item.rest);
  if (below.size() != 1 || below[0].head.kind() != HeadKind::kRule || !goes_on_[below[0].head.w1]) {
    return {intern_run(item.head.w1, 0), item.rest};
  }
  const RunAt& at = run_at(item.rest);
  return {intern_run(item.head.w1, at.run), at.below};
}

// Precondition: the state is one item, a rule.
const Masker::RunAt& Masker::run_at(StateId s) {
  if (s >= run_at_.size()) run_at_.resize(std::max<std::size_t>(store_.size(), s + 1));
  if (run_at_[s].run != 0) return run_at_[s];
  // From below, so far as that is not known.
  constexpr std::size_t kMost = 32;
  StateId open[kMost];
  std::size_t count = 0;
  RunAt at;
  for (StateId next = s;;) {
    open[count++] = next;
    const StateId rest = store_.items(next)[0].rest;
    const auto below = store_.items(rest);
    at = {0, rest};
    if (count == kMost || below.size() != 1 || below[0].head.kind() != HeadKind::kRule || !goes_on_[below[0].head.w1]) {
      break;
    }
    if (rest < run_at_.size() && run_at_[rest].run != 0) {
      at = run_at_[rest];
      break;
    }
    next = rest;
  }
  while (count > 0) {
    const StateId next = open[--count];
    at.run = intern_run(store_.items(next)[0].head.w1, at.run);
    run_at_[next] = at;
  }
  return run_at_[s];
}

const Masker::Piece& Masker::piece(PositionsId from, RunId run) {
  const std::uint64_t key = (std::uint64_t{from} << 32U) | run;
  if (const auto it = pieces_.find(key); it != pieces_.end()) return *it->second;
  auto fresh = std::make_unique<Piece>();
  if (positions_[from - 1].size() == 1) {
    find_piece(from, run, *fresh);
  } else {
    join_pieces(parts_[from - 1], run, *fresh);
  }
  finish_piece(*fresh);
  return *pieces_.emplace(key, std::move(fresh)).first->second;
}

// Like a mask of its own, over a hole.
void Masker::find_piece(PositionsId from, RunId run, Piece& out) {
  std::vector<Position> left;
  out.sets.swap(sets_);
  out.ids.swap(ids_);
  left.swap(left_);
  walk_run(from, run);
  out.left = intern(left_);
  out.sets.swap(sets_);
  out.ids.swap(ids_);
  left_.swap(left);
}

// From one position.
void Masker::walk_run(PositionsId from, RunId run) {
  const Position position = positions_[from - 1].front();
  const std::size_t depth = depth_;
  Items& items = scratch();
  if (position.frame == nullptr && position.trie->subtree_size(position.node) < kCallNodes) {
    stepper_.append_closed(runs_[run].over_hole, items);
    // The hole has all that is left over before it.
    const auto holes = std::erase_if(items, [](const Item& item) { return item.head.kind() == HeadKind::kHole; });
    if (holes > 0) left_.push_back(position);
    walk_position(position, items);
    depth_ = depth;
    return;
  }
  // What a rule takes is found once, whoever calls it.
  for (;; run = runs_[run].below) {
    if (run == 0) {
      left_.push_back(position);
      break;
    }
    const RunId below = runs_[run].below;
    const RuleState& state = stepper_.grammar().rule_states()[runs_[run].rule_state];
    for (const RuleEdge& edge : state.edges) {
      const RuleState& target = stepper_.grammar().rule_states()[edge.target];
      const RunId after = target.accepting && target.edges.empty() ? below : intern_run(edge.target, below);
      if (edge.symbol.kind == Symbol::Kind::kRule) {
        const Piece& called = piece(from, intern_run(stepper_.grammar().rules()[edge.symbol.id].start, 0));
        sets_.insert(sets_.end(), called.sets.begin(), called.sets.end());
        add_ids(called.ids);
        resolve_run(called.left, after);
      } else {
        const HeadKind kind = edge.symbol.kind == Symbol::Kind::kValue ? HeadKind::kValue : HeadKind::kExpr;
        items.push_back({Head::make(kind, 0, edge.symbol.id, 0), runs_[after].over_hole});
      }
    }
    if (!state.accepting) break;
  }
  walk_position(position, items);
  depth_ = depth;
}

void Masker::resolve_run(PositionsId from, RunId run) {
  if (from == 0) return;
  if (run != 0) {
    const Piece& p = piece(from, run);
    sets_.insert(sets_.end(), p.sets.begin(), p.sets.end());
    add_ids(p.ids);
    from = p.left;
    if (from == 0) return;
  }
  const auto& positions = positions_[from - 1];
  left_.insert(left_.end(), positions.begin(), positions.end());
}

void Masker::join_pieces(std::span<const PositionsId> from, RunId run, Piece& out) {
  std::vector<Position> left;
  for (const PositionsId part : from) {
    const Piece& p = piece(part, run);
    out.sets.insert(out.sets.end(), p.sets.begin(), p.sets.end());
    out.ids.insert(out.ids.end(), p.ids.begin(), p.ids.end());
    if (p.left == 0) continue;
    const auto& positions = positions_[p.left - 1];
    left.insert(left.end(), positions.begin(), positions.end());
  }
  out.left = intern(left);
}

void Masker::finish_piece(Piece& piece) {
  constexpr std::size_t kManyIds = 256;
  if (piece.ids.size() > kManyIds) {
    std::sort(piece.ids.begin(), piece.ids.end());
    piece.ids.erase(std::unique(piece.ids.begin(), piece.ids.end()), piece.ids.end());
  }
  if (piece.ids.size() > kManyIds) {
    piece.own.add(piece.ids);
    piece.own.seal(tables_.vocabulary->mask_words(), TokenSet::Form::kDense);
    piece_bytes_ += piece.own.memory_bytes();
    piece.ids = {};
    piece.sets.push_back(&piece.own);
  }
  unite_sets(piece.sets);
  piece_bytes_ += sizeof(Piece) + 64 + piece.sets.size() * sizeof(void*) + piece.ids.size() * sizeof(TokenId);
}

// Items without a hole.
void Masker::walk_position(const Position& from, const Items& items) {
  if (from.frame == nullptr) {
    walk_at(from, items);
  } else if (!items.empty()) {
    walk_frame(from, items);
  }
}

void Masker::walk_frame(const Position& from, const Items& items) {
  const Frame& f = *from.frame;
  for (const Trie::Node n : f.large_ends) walk_at({from.trie, nullptr, from.own, n}, items);
  const ByteSet first = stepper_.first_bytes(items);
  if (style_.spaced) {
    for (const Frame::Exits& exits : f.exits) {
      if (first.contains(exits.byte) || exits.byte == ' ') walk_exits(from, exits, items);
    }
  } else {
    auto at = f.exits.begin();
    (first & f.exit_bytes).for_each([&](std::uint8_t byte) {
      at = std::lower_bound(at, f.exits.end(), byte, [](const auto& exits, std::uint8_t b) { return exits.byte < b; });
      walk_exits(from, *at, items);
    });
  }
  (first & f.tails.bytes).for_each([&](std::uint8_t byte) {
    walk_exits(from, FrameCache::tail_exits(f, *from.trie, byte), items);
  });
}

void Masker::walk_exits(const Position& from, const Frame::Exits& exits, const Items& items) {
  const Trie& trie = *from.trie;
  if (const Trie* suffixes = frames_.suffixes(exits, trie, style_.spaced)) {
    walk_at({suffixes, nullptr, from.own, Trie::kRoot}, items);
    return;
  }
  const std::size_t depth = depth_;
  Items& next = scratch();
  for (const Trie::Node n : exits.nodes) {
    next.clear();
    stepper_.step(items, trie.byte(n), next);
    if (next.empty()) continue;
    remove_duplicates(next);
    add_ids(trie.at(n));
    walk_at({&trie, nullptr, from.own, n}, next);
  }
  depth_ = depth;
}

void Masker::walk_at(const Position& from, const Items& items) {
  const Trie& t = *from.trie;
  if (t.is_leaf(from.node)) return;
  const std::size_t depth = depth_;
  Items& others = scratch();
  for (const Item& item : items) {
    if (item.head.kind() == HeadKind::kHole) {
      left_.push_back(from);
    } else if (item.head.kind() == HeadKind::kExpr && t.subtree_size(from.node) >= kRuleFrameNodes) {
      apply_expr(item, t, from.own, from.node);
    } else {
      others.push_back(item);
    }
  }
  if (!others.empty()) {
    walk(t, from.node, others, [&](Trie::Node c, const Items& next) {
      add_ids(t.at(c));
      Position at = from;
      at.node = c;
      walk_at(at, next);
    });
  }
  depth_ = depth;
}

}  // namespace weir
