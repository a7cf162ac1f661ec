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
    for (const std::uint64_t w : {reinterpret_cast<std::uint64_t>(p.trie), reinterpret_cast<std::uint64_t>(p.exits) ^ reinterpret_cast<std::uint64_t>(p.tails),
                                  (std::uint64_t{p.node} << 1U) | (p.before ? 1U : 0U)}) {
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
  if (fresh) {
    merge_texts(positions);
    positions_.push_back(positions);
    piece_bytes_ += it->first.size() * 2 * sizeof(Position) + 64;
  }
  return it->second;
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
  const auto stays = [&](const Position& p) { return p.exits != nullptr || p.tails != nullptr || p.trie->subtree_size(p.node) > kLarge; };
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
  const auto add = [&](std::uint32_t token, std::size_t length) {
    const std::string_view text = tables_.vocabulary->token(token);
    entries.emplace_back(text.substr(text.size() - length), token);
  };
  for (const Position& p : positions) {
    if (stays(p)) continue;
    const std::uint32_t extra = p.before ? 1 : 0;
    if (p.before) {
      for (const std::uint32_t token : p.trie->at(p.node)) add(token, 1);
    }
    p.trie->for_each_below(p.node, [&](std::uint32_t token, std::uint32_t depth) { add(token, depth + extra); });
  }
  std::erase_if(positions, [&](const Position& p) { return !stays(p); });
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  merged_.push_back(std::make_unique<Trie>(std::move(entries)));
  piece_bytes_ += merged_.back()->memory_bytes();
  positions.push_back({merged_.back().get(), nullptr, nullptr, true, false, Trie::kRoot});
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
        const Piece& p = piece(from, item.head.w1);
        sets_.insert(sets_.end(), p.sets.begin(), p.sets.end());
        add_ids(p.ids);
        resolve(p.left, item.rest);
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

const Masker::Piece& Masker::piece(PositionsId from, std::uint32_t rule_state) {
  const std::uint64_t key = (std::uint64_t{from} << 32U) | rule_state;
  if (const auto it = pieces_.find(key); it != pieces_.end()) return *it->second;
  auto fresh = std::make_unique<Piece>();
  // Found like a mask of its own, over a hole.
  std::vector<Position> left;
  fresh->sets.swap(sets_);
  fresh->ids.swap(ids_);
  left.swap(left_);
  const std::size_t depth = depth_;
  Items& items = scratch();
  if (hole_ == kDeadState) hole_ = store_.intern_one({Head::make(HeadKind::kHole, 0, 0, 0), kDeadState});
  stepper_.append_closed(store_.intern_one({Head::make(HeadKind::kRule, 0, rule_state, 0), hole_}), items);
  for (const Position& position : positions_[from - 1]) walk_position(position, items);
  depth_ = depth;
  fresh->left = intern(left_);
  fresh->sets.swap(sets_);
  fresh->ids.swap(ids_);
  left_.swap(left);
  constexpr std::size_t kManyIds = 256;
  if (fresh->ids.size() > kManyIds) {
    std::sort(fresh->ids.begin(), fresh->ids.end());
    fresh->ids.erase(std::unique(fresh->ids.begin(), fresh->ids.end()), fresh->ids.end());
  }
  if (fresh->ids.size() > kManyIds) {
    fresh->own.add(fresh->ids);
    fresh->own.seal(tables_.vocabulary->mask_words(), TokenSet::Form::kDense);
    piece_bytes_ += fresh->own.memory_bytes();
    fresh->ids = {};
    fresh->sets.push_back(&fresh->own);
  }
  unite_sets(fresh->sets);
  piece_bytes_ += sizeof(Piece) + 64 + fresh->sets.size() * sizeof(void*) + fresh->ids.size() * sizeof(TokenId);
  return *pieces_.emplace(key, std::move(fresh)).first->second;
}

// From a position on, with items that may stand over a hole.
void Masker::walk_position(const Position& from, const Items& items) {
  const bool hole =
      std::any_of(items.begin(), items.end(), [](const Item& item) { return item.head.kind() == HeadKind::kHole; });
  if (from.exits != nullptr || from.tails != nullptr) {
    if (hole) left_.push_back(from);
    walk_exits(from, items);
    return;
  }
  if (!from.before) {
    walk_at(from, items);
    return;
  }
  if (hole) left_.push_back(from);
  const std::size_t depth = depth_;
  Items& next = scratch();
  stepper_.step(items, from.trie->byte(from.node), next);
  if (!next.empty()) {
    remove_duplicates(next);
    add_ids(from.trie->at(from.node));
    Position at = from;
    at.before = false;
    walk_at(at, next);
  }
  depth_ = depth;
}

// What goes on by itself: not the hole, which has all of these texts before it already.
void Masker::walk_exits(const Position& from, const Items& items) {
  const ByteSet first = stepper_.first_bytes(items);
  const std::size_t depth = depth_;
  Items& own = scratch();
  std::copy_if(items.begin(), items.end(), std::back_inserter(own),
               [](const Item& item) { return item.head.kind() != HeadKind::kHole; });
  const auto leave = [&](const Frame::Exits& exits) {
    if (const Trie* suffixes = frames_.suffixes(exits, *from.trie, style_.spaced)) {
      walk_at({suffixes, nullptr, nullptr, from.own, false, Trie::kRoot}, own);
    } else {
      for (const Trie::Node n : exits.nodes) walk_position({from.trie, nullptr, nullptr, from.own, true, n}, own);
    }
  };
  if (from.tails != nullptr) {
    (first & from.tails->tails.bytes).for_each([&](std::uint8_t byte) {
      leave(FrameCache::tail_exits(*from.tails, *from.trie, byte));
    });
  } else if (first.contains(from.exits->byte) || (style_.spaced && from.exits->byte == ' ')) {
    leave(*from.exits);
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
    } else if (item.head.kind() == HeadKind::kExpr && t.subtree_size(from.node) >= kFrameNodes) {
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
