#include "frames/masker.hpp"

#include <algorithm>
#include <utility>

namespace weir {
namespace {

bool test(const std::vector<std::uint64_t>& bits, std::uint32_t i) { return ((bits[i >> 6U] >> (i & 63U)) & 1U) != 0; }
void set(std::vector<std::uint64_t>& bits, std::uint32_t i) { bits[i >> 6U] |= std::uint64_t{1} << (i & 63U); }
void clear(std::vector<std::uint64_t>& bits, std::uint32_t i) { bits[i >> 6U] &= ~(std::uint64_t{1} << (i & 63U)); }

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
    walk_all(plain);
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
    for (const char c : tables_.vocabulary->token(token)) {
      next.clear();
      stepper_.step(items, static_cast<std::uint8_t>(c), next);
      remove_duplicates(next);
      items.swap(next);
      if (items.empty()) break;
    }
    if (!items.empty()) ids_.push_back(token);
  }
  doubtful_.clear();
}

// Byte by byte, with nothing shared.
void Masker::walk_all(const Items& items) {
  const Trie& trie = tables_.tokens;
  const auto down = [&](auto&& self, Trie::Node n, const Items& at) -> void {
    walk(trie, n, at, [&](Trie::Node c, const Items& next) {
      add_ids(trie.at(c));
      self(self, c, next);
    });
  };
  down(down, Trie::kRoot, items);
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

void Masker::apply_text(const Item& item, TrieId id, Trie::Node node) {
  const TextPlace& at = place(id, node);
  if (item.head.w1 != stepper_.arena().any_text()) {
    const bool at_root = id == TrieId::kTokens && node == Trie::kRoot;
    if (at_root && excluded_ == nullptr && apply_difference(item, at.ends)) return;
    apply_pattern(item, id, node, at.ends);
    return;
  }
  const TextBody& body = *at.body;
  if (item.head.w2 == 0) {
    add_set(body.all);
    add_ends(at.ends, item.rest, nullptr);
    return;
  }
  const LengthCounter left = stepper_.structures()->counter(item.head.w2);
  if (left.max_left >= body.max_code_points) {
    add_set(body.all);
  } else if (!body.up_to.empty()) {
    add_set(body.up_to[body.up_to_index[left.max_left]]);
  } else {
    for (const TextBody::Token& t : body.tokens) {
      if (t.code_points > left.max_left) break;
      ids_.push_back(t.token);
    }
  }
  if (left.min_left == 0 && left.max_left >= body.max_code_points) {
    add_ends(at.ends, item.rest, nullptr);
    return;
  }
  const std::vector<std::uint32_t>& counts = at.ends.code_points;
  prefixes_.assign((counts.size() + 63) / 64, 0);
  bool some = false;
  for (std::uint32_t p = 0; p < counts.size(); ++p) {
    if (counts[p] < left.min_left || counts[p] > left.max_left) continue;
    set(prefixes_, p);
    some = true;
  }
  if (some) add_ends(at.ends, item.rest, &prefixes_);
}

void Masker::apply_pattern(const Item& item, TrieId id, Trie::Node node, const TextEnds& ends) {
  const bool at_root = id == TrieId::kTokens && node == Trie::kRoot;
  if (at_root && item.head.w2 != 0) {
    // Long texts share what is known of their pattern, whatever is left to come.
    const LengthCounter left = stepper_.structures()->counter(item.head.w2);
    const Frame& f = text_frame(Head::make(HeadKind::kText, 0, item.head.w1, 0), id, node);
    const bool fits = f.counts && left.max_left >= f.least_left && left.min_left <= f.most_min;
    if (fits && (f.base == nullptr || (left.max_left >= f.base->least_left && left.min_left == 0))) {
      if (f.every != nullptr) add_set(*f.every);
      for (const Frame* part = &f; part != nullptr; part = part->base) {
        add_set(part->inside);
        for (const Frame::Part& p : part->parts) {
          add_set(p.set->brief);
          for (const auto& [characters, token] : p.set->longer) {
            if (characters > left.max_left || p.from > left.max_left - characters) break;
            ids_.push_back(token);
          }
        }
        for (const auto& [need, token] : part->longer) {
          if (need > left.max_left) break;
          ids_.push_back(token);
        }
      }
      walk_irregular(item);
      prefixes_ = f.base == nullptr ? f.prefixes : f.base->prefixes;
      const std::vector<std::uint32_t>& counts = ends.code_points;
      for (std::uint32_t p = 0; p < counts.size(); ++p) {
        if (counts[p] < left.min_left || counts[p] > left.max_left) clear(prefixes_, p);
      }
      add_ends(ends, item.rest, &prefixes_);
      return;
    }
  }
  const Frame& f = text_frame(item.head, id, node);
  if (f.every != nullptr) add_set(*f.every);
  for (const Frame* part = &f; part != nullptr; part = part->base) {
    for (const Frame::Part& p : part->parts) add_set(p.set->all);
    add_set(part->inside);
    add_set(part->irregular);
    for (const auto& [need, token] : part->longer) ids_.push_back(token);
  }
  add_ends(ends, item.rest, f.base == nullptr ? &f.prefixes : &f.base->prefixes);
}

void Masker::walk_irregular(const Item& item) {
  const Trie& trie = tables_.groups(style_).irregular();
  const auto down = [&](auto&& self, Trie::Node n, const Items& items) -> void {
    walk(trie, n, items, [&](Trie::Node c, const Items& next) {
      add_node(trie, c, next);
      self(self, c, next);
    });
  };
  const std::size_t depth = depth_;
  Items& items = scratch();
  items.push_back(item);
  down(down, Trie::kRoot, items);
  depth_ = depth;
}

bool Masker::apply_difference(const Item& item, const TextEnds& ends) {
  const Difference& d = difference(item.head, ends);
  if (!d.plain) return false;
  excluded_ = &d.excluded;
  Item base = item;
  base.head.w1 = d.base;
  apply_text(base, TrieId::kTokens, Trie::kRoot);
  excluded_ = nullptr;
  return true;
}

const Masker::Difference& Masker::difference(const Head& head, const TextEnds& ends) {
  const auto [it, fresh] = differences_.try_emplace((std::uint64_t{head.w1} << 32U) | head.w2);
  Difference& d = it->second;
  if (!fresh) return d;
  const auto parts = stepper_.arena().difference(head.w1);
  if (!parts) return d;
  // What begins none of the excluded texts is decided by the base alone. Few tokens and prefixes do.
  constexpr std::size_t kMostSteps = 4096;
  const auto quote = static_cast<std::uint8_t>(stepper_.structures()->notation().quote);
  const Head outside = Head::make(HeadKind::kText, 0, parts->excluded, 0);
  const Head base = Head::make(HeadKind::kText, 0, parts->base, head.w2);
  std::size_t steps = 0;
  bool plain = true;
  const auto tokens = [&](auto&& self, Trie::Node n, const Head& here, const Head& in, const Head& out) -> void {
    const Trie& trie = tables_.tokens;
    const ByteSet alive = stepper_.text_bytes(out);
    for (const Trie::Node c : trie.children(n)) {
      const std::uint8_t byte = trie.byte(c);
      if (!plain || !alive.contains(byte) || (byte == quote && out.aux() == 0)) continue;
      const HeadStep after = stepper_.step_head(out, byte);
      if (!after.alive) continue;
      const HeadStep mine = stepper_.step_head(here, byte);
      const HeadStep its = stepper_.step_head(in, byte);
      plain = ++steps < kMostSteps && mine.alive == its.alive;
      if (mine.alive) self(self, c, mine.next, its.next, after.next);
    }
  };
  tokens(tokens, Trie::kRoot, head, base, outside);
  if (!plain) return d;
  d.excluded.assign((ends.prefixes.size() + 63) / 64, 0);
  const auto prefixes = [&](auto&& self, Trie::Node n, const Head& out) -> void {
    const Trie& trie = ends.prefix_trie;
    if (!trie.at(n).empty() && stepper_.step_head(out, quote).ends) {
      for (const std::uint32_t p : trie.at(n)) set(d.excluded, p);
    }
    const ByteSet alive = stepper_.text_bytes(out);
    for (const Trie::Node c : trie.children(n)) {
      if (!alive.contains(trie.byte(c))) continue;
      const HeadStep after = stepper_.step_head(out, trie.byte(c));
      if (after.alive) self(self, c, after.next);
    }
  };
  prefixes(prefixes, Trie::kRoot, outside);
  d.base = parts->base;
  d.plain = true;
  return d;
}

void Masker::add_ends(const TextEnds& ends, StateId rest, const Bits* prefixes) {
  if (ends.suffix_nodes.empty()) return;
  if (excluded_ != nullptr) {
    // Read before what follows is walked, where texts of its own come.
    const Bits& excluded = *std::exchange(excluded_, nullptr);
    Bits kept = prefixes != nullptr ? *prefixes : Bits(excluded.size(), ~std::uint64_t{0});
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] &= ~excluded[i];
    add_ends(ends, rest, &kept);
    return;
  }
  if (prefixes != nullptr && std::all_of(prefixes->begin(), prefixes->end(), [](auto w) { return w == 0; })) return;
  const Taken& follow = taken(rest);
  const auto& nodes = ends.suffix_nodes;
  const auto add = [&](std::size_t i) {
    const std::uint32_t from = ends.suffix_first[i];
    const std::uint32_t to = ends.suffix_first[i + 1];
    std::vector<TokenId>& out = follow.is_doubtful(nodes[i]) ? doubtful_ : ids_;
    if (prefixes == nullptr) {
      out.insert(out.end(), ends.suffix_tokens.begin() + from, ends.suffix_tokens.begin() + to);
      return;
    }
    for (std::uint32_t s = from; s < to; ++s) {
      if (test(*prefixes, ends.suffix_prefixes[s])) out.push_back(ends.suffix_tokens[s]);
    }
  };
  if (nodes.size() <= follow.nodes.size() * 4) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (test(follow.bits, nodes[i])) add(i);
    }
    return;
  }
  auto it = nodes.begin();
  for (const Trie::Node n : follow.nodes) {
    it = std::lower_bound(it, nodes.end(), n);
    if (it == nodes.end()) return;
    if (*it == n) add(static_cast<std::size_t>(it - nodes.begin()));
  }
}

void Masker::add_ends_of_prefix(const TextEnds& ends, StateId rest, std::uint32_t prefix) {
  const Taken& follow = taken(rest);
  const auto add = [&](const TextEnds::Split& split) {
    (follow.is_doubtful(split.suffix) ? doubtful_ : ids_).push_back(split.token);
  };
  const auto splits =
      std::span(ends.by_prefix)
          .subspan(ends.prefix_first[prefix], ends.prefix_first[prefix + 1] - ends.prefix_first[prefix]);
  constexpr std::size_t kSearch = 8;  // a look-up costs as much as so many tests
  if (splits.size() <= follow.nodes.size() * kSearch) {
    for (const TextEnds::Split& split : splits) {
      if (test(follow.bits, split.suffix)) add(split);
    }
    return;
  }
  auto it = splits.begin();
  for (const Trie::Node n : follow.nodes) {
    it = std::lower_bound(it, splits.end(), n, [](const auto& split, Trie::Node node) { return split.suffix < node; });
    for (; it != splits.end() && it->suffix == n; ++it) add(*it);
  }
}

// Inside a key between two characters. A token with a quote ends a key that depends on its prefix.
void Masker::apply_key(const Item& item, TrieId id, Trie::Node node) {
  const RecordInfo& record = stepper_.structures()->record(item.head.w1);
  const TextPlace& at = place(id, node);
  const TextEnds& ends = at.ends;
  const std::uint32_t here = item.head.w2;
  const bool listed = (here & kOffTrie) == 0;
  if (record.others) {
    add_set(at.body->all);
    prefixes_.assign((ends.prefixes.size() + 63) / 64, ~std::uint64_t{0});
  } else {
    add_listed_key(item, record, id, node, here, 0);
  }
  // Only a prefix that stays on the trie of listed keys can end one; off it every key is another.
  key_ends_.clear();
  const auto consider = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t p = from; p < to; ++p) {
      const std::uint32_t place = stepper_.step_key_text(record, here, ends.prefixes[p]);
      const std::uint32_t label = place == Stepper::kDeadKey ? Stepper::kNotAKey : stepper_.key_label(record, place);
      if (label == kOtherKey) continue;
      if (record.others) clear(prefixes_, p);
      if (label != Stepper::kNotAKey) key_ends_.emplace_back(label, p);
    }
  };
  if (listed) {
    consider(0, ends.by_first[0]);  // the empty prefix
    for (const KeySet::Edge& edge : record.keys->edges(here)) {
      consider(ends.by_first[edge.byte], ends.by_first[edge.byte + 1U]);
    }
  }
  const auto after = [&](std::uint32_t label) {
    return store_.intern_one(
        {Head::make(HeadKind::kRecord, phase_aux(Phase::kAfterKey), item.head.w1, label), item.rest});
  };
  if (record.others) add_ends(ends, after(kOtherKey), &prefixes_);
  for (const auto& [label, prefix] : key_ends_) add_ends_of_prefix(ends, after(label), prefix);
}

void Masker::add_listed_key(const Item& item, const RecordInfo& record, TrieId id, Trie::Node node, std::uint32_t place,
                            unsigned pending) {
  const Trie& t = tables_.trie(id);
  if (t.is_leaf(node)) return;
  for (const KeySet::Edge& edge : record.keys->edges(place)) {
    if (edge.byte < 0x20 || edge.byte == '"' || edge.byte == '\\') continue;  // written as escapes
    const KeySet::Node& target = record.keys->node(edge.target);
    if (!record.allows_any(target.first_key, target.last_key)) continue;
    const Trie::Node c = t.child(node, edge.byte);
    if (c == Trie::kRoot) continue;
    add_ids(t.at(c));
    const unsigned more = edge.byte < 0x80   ? 0
                          : edge.byte < 0xC0 ? pending - 1
                          : edge.byte < 0xE0 ? 1
                          : edge.byte < 0xF0 ? 2
                                             : 3;
    add_listed_key(item, record, id, c, edge.target, more);
  }
  if (pending > 0) return;
  // Escapes are few: those tokens are walked, whatever they do after.
  const Trie::Node c = t.child(node, '\\');
  if (c == Trie::kRoot) return;
  const std::size_t depth = depth_;
  Items& items = scratch();
  items.push_back(item);
  items.back().head.w2 = place;
  Items& next = scratch();
  stepper_.step(items, '\\', next);
  if (!next.empty()) {
    add_ids(t.at(c));
    walk_tokens(id, c, next);
  }
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
