#include "frames/masker.hpp"

#include <algorithm>

namespace weir {
namespace {

void set(std::vector<std::uint64_t>& bits, std::uint32_t i) { bits[i >> 6U] |= std::uint64_t{1} << (i & 63U); }

}  // namespace

Masker::Masker(FrameCache& frames, Stepper& stepper, StateStore& store)
    : frames_(frames),
      tables_(frames.tables()),
      stepper_(stepper),
      store_(store),
      style_(stepper.text_style()),
      rules_(stepper.has_rules()),
      root_place_(tables_.root_place(style_)),
      known_frames_(kKnownFrames) {
  if (const StructureSource* structures = stepper.structures()) json_quote_ = structures->notation().quote == '"';
}

Items& Masker::scratch() {
  if (depth_ == scratch_.size()) scratch_.emplace_back();
  Items& items = scratch_[depth_++];
  items.clear();
  return items;
}

void Masker::add_set(const TokenSet& set) {
  if (set.is_dense()) {
    sets_.push_back(&set);
  } else {
    add_ids(set.ids());
  }
}

bool Masker::takes_space(const Head& head) const {
  switch (head.kind()) {
    case HeadKind::kValue:
    case HeadKind::kSpace:
    case HeadKind::kRecord:
    case HeadKind::kList: return style_.spaced;
    default: return false;
  }
}

void Masker::compute(StateId s) {
  depth_ = 0;
  sets_.clear();
  ids_.clear();
  complete_ = false;
  if (rules_ && runs_.empty()) find_runs();
  Items& plain = scratch();
  Items& spacious = scratch();
  const auto count = static_cast<std::uint32_t>(store_.items(s).size());
  capturing_ = count != 0 && store_.items(s).front().head.kind() == HeadKind::kCapture;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Item item = store_.items(s)[i];  // by value: walks add states
    if (item.head.kind() == HeadKind::kCapture) {
      plain.push_back(item);
      spacious.push_back(item);
    } else if (item.head.kind() == HeadKind::kEnd) {
      complete_ = true;
    } else if (takes_space(item.head)) {
      spacious.push_back(item);
    } else if ((capturing_ && rules_) || !apply_shared(item, TrieId::kTokens, Trie::kRoot)) {
      plain.push_back(item);
    }
  }
  const std::size_t none = capturing_ ? 1 : 0;
  if (capturing_ && rules_) {
    plain.insert(plain.end(), spacious.begin() + 1, spacious.end());
    walk_plain(tables_.tokens, Trie::kRoot, plain);
    return;
  }
  if (plain.size() > none) walk_tokens(TrieId::kTokens, Trie::kRoot, plain);
  if (spacious.size() > none) {
    add_set(tables_.space_only);
    walk_tokens(TrieId::kStructural, Trie::kRoot, spacious);
  }
  if (!doubtful_.empty()) settle_doubts(s);
  if (rules_) unite_sets(sets_);
}

void Masker::add_node(const Trie& trie, Trie::Node node, const Items& items) {
  if (capturing_ && stepper_.is_doubtful(items)) {
    const auto tokens = trie.at(node);
    doubtful_.insert(doubtful_.end(), tokens.begin(), tokens.end());
  } else {
    add_ids(trie.at(node));
  }
}

void Masker::settle_doubts(StateId s) {
  std::sort(doubtful_.begin(), doubtful_.end());
  doubtful_.erase(std::unique(doubtful_.begin(), doubtful_.end()), doubtful_.end());
  Items items;
  Items next;
  for (const TokenId token : doubtful_) {
    const auto start = store_.items(s);
    items.assign(start.begin(), start.end());
    const std::string_view text = tables_.vocabulary->token(token);
    if (stepper_.walk(text, items, next) == text.size()) ids_.push_back(token);
  }
  doubtful_.clear();
}

// Byte by byte, with nothing shared.
void Masker::walk_plain(const Trie& trie, Trie::Node node, const Items& items) {
  walk(trie, node, items, [&](Trie::Node c, const Items& next) {
    add_node(trie, c, next);
    walk_plain(trie, c, next);
  });
}

// Adds what the item takes below the node from tables that are shared, if there are some for it.
bool Masker::apply_shared(const Item& item, TrieId id, Trie::Node node) {
  const Head& head = item.head;
  const std::uint32_t size = tables_.trie(id).subtree_size(node);
  switch (head.kind()) {
    case HeadKind::kExpr:
      if (size < kFrameNodes) return false;
      apply_expr(item, tables_.trie(id), false, node);
      return true;
    case HeadKind::kText:
      if (!is_between_characters(head)) return false;
      if (size < (head.w1 == stepper_.arena().any_text() ? kPlaceNodes : kFrameNodes)) return false;
      apply_text(item, id, node);
      return true;
    case HeadKind::kKey:
      if (!is_between_characters(head) || size < kPlaceNodes) return false;
      apply_key(item, id, node);
      return true;
    default: return false;
  }
}

void Masker::walk_tokens(TrieId id, Trie::Node node, const Items& items) {
  if (rules_) {
    walk_at({&tables_.trie(id), nullptr, false, node}, items);
    return;
  }
  const Trie& t = tables_.trie(id);
  const std::size_t depth = depth_;
  const Items* walked = &items;
  if (t.subtree_size(node) >= kPlaceNodes) {
    Items& others = scratch();
    for (const Item& item : items) {
      if (!apply_shared(item, id, node)) others.push_back(item);
    }
    walked = &others;
  }
  const bool some = !walked->empty() && (walked->size() > 1 || walked->front().head.kind() != HeadKind::kCapture);
  if (some) {
    walk(t, node, *walked, [&](Trie::Node c, const Items& next) {
      add_node(t, c, next);
      walk_tokens(id, c, next);
    });
  }
  depth_ = depth;
}

const Frame& Masker::text_frame(const Head& head, TrieId id, Trie::Node node) {
  const std::uint32_t trie = tables_.trie(id).id();
  KnownFrame& known = known_frames_[FrameKeyHash{}({head, trie, node, {}}) & (kKnownFrames - 1)];
  if (known.frame == nullptr || known.trie != trie || known.node != node || known.head != head) {
    known = {head, trie, node, &frames_.get(head, id, node, stepper_)};
  }
  return *known.frame;
}

const Frame& Masker::expr_frame(const Head& head, const Trie& trie, bool own, Trie::Node node) {
  KnownFrame& known = known_frames_[FrameKeyHash{}({head, trie.id(), node, {}}) & (kKnownFrames - 1)];
  if (known.frame == nullptr || known.trie != trie.id() || known.node != node || known.head != head) {
    if (own && !own_frames_) own_frames_ = std::make_unique<FrameCache>(frames_.shared_tables());
    known = {head, trie.id(), node, &(own ? *own_frames_ : frames_).get_expr(head, trie, node, stepper_)};
  }
  return *known.frame;
}

void Masker::apply_expr(const Item& item, const Trie& t, bool own, Trie::Node node) {
  const Frame& f = expr_frame(item.head, t, own, node);
  add_set(f.inside);
  if (!f.has_exits()) return;
  if (rules_) {
    PositionsId& exits = exits_of_[&f];
    if (exits == 0) {
      std::vector<Position> position{{&t, &f, own, 0}};
      exits = intern(position);
    }
    resolve(exits, item.rest);
    return;
  }
  const std::size_t depth = depth_;
  Items& rest = scratch();
  stepper_.append_closed(item.rest, rest);
  for (const Trie::Node n : f.large_ends) {
    walk_tokens(&t == &tables_.tokens ? TrieId::kTokens : TrieId::kStructural, n, rest);
  }
  Items& next = scratch();
  const ByteSet first = stepper_.first_bytes(rest);
  const auto leave = [&](const Frame::Exits& exits) {
    if (const Trie* suffixes = frames_.suffixes(exits, t, style_.spaced)) {
      const TakenNodes& taken = taken_below(*suffixes, item.rest);
      for (const Trie::Node n : taken.nodes) {
        if (taken.is_doubtful(n)) {
          doubtful_.insert(doubtful_.end(), suffixes->at(n).begin(), suffixes->at(n).end());
        } else {
          add_ids(suffixes->at(n));
        }
      }
      return;
    }
    for (const Trie::Node n : exits.nodes) {
      next.clear();
      stepper_.step(rest, t.byte(n), next);
      if (next.empty()) continue;
      remove_duplicates(next);
      add_node(t, n, next);
      walk_tokens(&t == &tables_.tokens ? TrieId::kTokens : TrieId::kStructural, n, next);
    }
  };
  for (const Frame::Exits& exits : f.exits) {
    if (first.contains(exits.byte) || (style_.spaced && exits.byte == ' ')) leave(exits);
  }
  (first & f.tails.bytes).for_each([&](std::uint8_t byte) { leave(FrameCache::tail_exits(f, t, byte)); });
  depth_ = depth;
}

// The nodes where a text ends that the state takes.
void Masker::walk_taken(const Trie& texts, StateId rest, TakenNodes& out) {
  const bool captures = capturing_ && store_.captures(rest);
  const auto down = [&](auto&& self, Trie::Node n, const Items& items) -> void {
    if (!texts.at(n).empty()) {
      out.nodes.push_back(n);
      if (captures && stepper_.is_doubtful(items)) out.doubtful.push_back(n);
    }
    walk(texts, n, items, [&](Trie::Node c, const Items& next) { self(self, c, next); });
  };
  const std::size_t depth = depth_;
  Items& items = scratch();
  stepper_.append_closed(rest, items);
  down(down, Trie::kRoot, items);
  depth_ = depth;
  std::sort(out.nodes.begin(), out.nodes.end());
  std::sort(out.doubtful.begin(), out.doubtful.end());
}

const Masker::Taken& Masker::taken(StateId rest) {
  if (const std::uint32_t* known = taken_index_.find(rest)) return taken_[*known];
  if (taken_nodes_ * sizeof(Trie::Node) > most_taken_bytes_ / 2) forget_taken();
  const Trie& suffixes = tables_.suffixes(style_);
  Taken& result = taken_.emplace_back();
  walk_taken(suffixes, rest, result);
  result.bits.assign((suffixes.size() + 63) / 64, 0);
  for (const Trie::Node n : result.nodes) set(result.bits, n);
  taken_nodes_ += result.nodes.size() + 2 * result.bits.size() + 16;
  taken_index_.put(rest, static_cast<std::uint32_t>(taken_.size() - 1), store_.size());
  return result;
}

// The nodes of a frame's left-over texts that a state takes.
const Masker::TakenNodes& Masker::taken_below(const Trie& suffixes, StateId rest) {
  const std::uint64_t key = (std::uint64_t{suffixes.id()} << 32U) | rest;
  const auto [it, fresh] = taken_below_.try_emplace(key);
  if (!fresh) return it->second;
  TakenNodes nodes;
  walk_taken(suffixes, rest, nodes);
  taken_nodes_ += nodes.nodes.size() + nodes.doubtful.size() + 16;
  it->second = std::move(nodes);
  return it->second;
}

}  // namespace weir
