// Masks inside quoted text and keys: tokens that stay inside, and those that end a text and go on with what follows.
#include <algorithm>
#include <utility>

#include "frames/masker.hpp"

namespace weir {
namespace {

bool test(const std::vector<std::uint64_t>& bits, std::uint32_t i) { return ((bits[i >> 6U] >> (i & 63U)) & 1U) != 0; }
void set(std::vector<std::uint64_t>& bits, std::uint32_t i) { bits[i >> 6U] |= std::uint64_t{1} << (i & 63U); }
void clear(std::vector<std::uint64_t>& bits, std::uint32_t i) { bits[i >> 6U] &= ~(std::uint64_t{1} << (i & 63U)); }

}  // namespace

void Masker::apply_text(const Item& item, TrieId id, Trie::Node node) {
  const TextPlace& at = place(id, node);
  if (item.head.w1 != stepper_.arena().any_text()) {
    const bool at_root = id == TrieId::kTokens && node == Trie::kRoot;
    if (at_root && excluded_ == nullptr && apply_difference(item)) return;
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
      const std::size_t depth = depth_;
      Items& items = scratch();
      items.push_back(item);
      walk_plain(tables_.groups(style_).irregular(), Trie::kRoot, items);
      depth_ = depth;
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

bool Masker::apply_difference(const Item& item) {
  if (stepper_.arena().kind(item.head.w1) != ExprKind::kIntersect) return false;
  const TextDifference& d = frames_.difference(item.head, stepper_);
  if (!d.plain) return false;
  excluded_ = &d.excluded;
  Item base = item;
  base.head.w1 = d.base;
  apply_text(base, TrieId::kTokens, Trie::kRoot);
  excluded_ = nullptr;
  return true;
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

}  // namespace weir
