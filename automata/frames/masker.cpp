#include "frames/masker.hpp"

#include <algorithm>
#include <map>

namespace weir {
namespace {

// Below this many nodes a walk is cheaper than a look-up of frames.
constexpr std::uint32_t kFrameNodes = 64;

void remove_duplicates(Items& items) {
  if (items.size() < 2) return;
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace

Masker::Masker(FrameCache& frames, Stepper& stepper, StateStore& store)
    : frames_(frames),
      tables_(frames.tables()),
      text_(tables_.text(stepper.structures() == nullptr || stepper.structures()->notation().any_escape)),
      stepper_(stepper),
      store_(store) {
  if (StructureSource* structures = stepper.structures()) {
    json_space_ = structures->notation().flexible_space && structures->notation().space == json_space();
  }
}

Items& Masker::scratch() {
  if (depth_ == scratch_.size()) scratch_.emplace_back();
  Items& items = scratch_[depth_++];
  items.clear();
  return items;
}

void Masker::begin_writing() {
  if (!written_) std::fill(words_.begin(), words_.end(), 0);
  written_ = true;
}

void Masker::add_set(const TokenSet& set) {
  if (!written_ && set.is_dense()) {
    set.copy_into(words_);
    written_ = true;
    return;
  }
  begin_writing();
  set.or_into(words_);
}

bool Masker::takes_space(const Head& head) const {
  switch (head.kind()) {
    case HeadKind::kValue:
    case HeadKind::kSpace: return json_space_;
    case HeadKind::kRecord:
    case HeadKind::kList: return json_space_ && offset_of(head) == 0;
    default: return false;
  }
}

bool Masker::has_frame(const Head& head) const {
  return head.kind() == HeadKind::kExpr || (head.kind() == HeadKind::kText && head.aux() == 0);
}

void Masker::fill(StateId s, std::span<std::uint32_t> words) {
  words_ = words;
  depth_ = 0;
  written_ = false;
  bool complete = false;
  Items plain;
  Items spacious;
  const Items items(store_.items(s).begin(), store_.items(s).end());
  for (const Item& item : items) {
    const Head& head = item.head;
    if (head.kind() == HeadKind::kEnd) {
      complete = true;
    } else if (has_frame(head)) {
      apply_frame(item, TrieId::kTokens, Trie::kRoot);
    } else if (is_open_key(head)) {
      apply_key(item);
    } else if (takes_space(head)) {
      spacious.push_back(item);
    } else {
      plain.push_back(item);
    }
  }
  begin_writing();
  if (!plain.empty()) walk_tokens(TrieId::kTokens, Trie::kRoot, plain);
  if (!spacious.empty()) {
    add_set(tables_.space_only);
    walk_tokens(TrieId::kStripped, Trie::kRoot, spacious);
  }
  if (complete) {
    for (const TokenId t : tables_.vocabulary->eos()) set_bit(words_, t);
  }
}

template <class Emit>
void Masker::walk(const Trie& trie, Trie::Node node, const Items& items, Emit&& emit) {
  if (trie.is_leaf(node)) return;
  const ByteSet first = stepper_.first_bytes(items);
  const std::size_t depth = depth_;
  Items& next = scratch();
  const auto take = [&](Trie::Node c, std::uint8_t byte) {
    next.clear();
    stepper_.step(items, byte, next);
    if (next.empty()) return;
    remove_duplicates(next);
    emit(c, next);
  };
  const auto bytes = trie.child_bytes(node);
  const auto children = trie.children(node);
  constexpr std::size_t kFew = 16;
  if (bytes.size() <= kFew) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (first.contains(bytes[i])) take(children[i], bytes[i]);
    }
  } else {
    first.for_each([&](std::uint8_t byte) {
      if (const Trie::Node c = trie.child(node, byte); c != Trie::kRoot) take(c, byte);
    });
  }
  depth_ = depth;
}

void Masker::walk_tokens(TrieId id, Trie::Node node, const Items& items) {
  const Trie& t = trie(id);
  const std::size_t depth = depth_;
  const Items* walked = &items;
  if (t.subtree_size(node) >= kFrameNodes) {
    Items& others = scratch();
    for (const Item& item : items) {
      if (has_frame(item.head)) {
        apply_frame(item, id, node);
      } else if (is_open_key(item.head)) {
        apply_key_below(item, id, node);
      } else {
        others.push_back(item);
      }
    }
    walked = &others;
  }
  if (!walked->empty()) {
    walk(t, node, *walked, [&](Trie::Node c, const Items& next) {
      for (const TokenId token : t.at(c)) set_bit(words_, token);
      walk_tokens(id, c, next);
    });
  }
  depth_ = depth;
}

void Masker::apply_frame(const Item& item, TrieId id, Trie::Node node) {
  const Frame& frame = frames_.get(item.head, id, node, stepper_);
  add_set(frame.inside);
  if (frame.by_prefix) {
    walk_suffixes(item.rest, frame.prefixes);
    return;
  }
  if (frame.suffixes) {
    walk_suffix_trie(*frame.suffixes, item.rest, [&](std::uint32_t token) { set_bit(words_, token); });
    return;
  }
  if (frame.exits.empty()) return;
  const Trie& t = trie(id);
  const std::size_t depth = depth_;
  Items& rest = scratch();
  stepper_.append_closed(item.rest, rest);
  Items& next = scratch();
  const ByteSet first = stepper_.first_bytes(rest) & frame.exit_bytes;
  auto exit = frame.exits.begin();
  first.for_each([&](std::uint8_t byte) {
    next.clear();
    stepper_.step(rest, byte, next);
    if (next.empty()) return;
    remove_duplicates(next);
    exit = std::lower_bound(exit, frame.exits.end(), byte, [](const auto& e, std::uint8_t b) { return e.byte < b; });
    for (; exit != frame.exits.end() && exit->byte == byte; ++exit) {
      for (const TokenId token : t.at(exit->node)) set_bit(words_, token);
      walk_tokens(id, exit->node, next);
    }
  });
  depth_ = depth;
}

// Walks what follows over texts left over; emits the payloads of those it takes.
template <class Emit>
void Masker::walk_suffix_trie(const Trie& suffixes, StateId rest, Emit&& emit) {
  constexpr std::size_t kMaxRemembered = 1U << 20U;  // nodes, 4 MB
  const std::uint64_t key = (std::uint64_t{suffixes.id()} << 32U) | rest;
  auto it = taken_.find(key);
  if (it == taken_.end()) {
    if (taken_nodes_ > kMaxRemembered) {
      taken_.clear();
      taken_nodes_ = 0;
    }
    std::vector<Trie::Node> nodes;
    const auto down = [&](auto&& self, Trie::Node n, const Items& items) -> void {
      if (!suffixes.at(n).empty()) nodes.push_back(n);
      walk(suffixes, n, items, [&](Trie::Node c, const Items& next) { self(self, c, next); });
    };
    const std::size_t depth = depth_;
    Items& items = scratch();
    stepper_.append_closed(rest, items);
    down(down, Trie::kRoot, items);
    depth_ = depth;
    taken_nodes_ += nodes.size() + 8;  // and what an entry costs by itself
    it = taken_.emplace(key, std::move(nodes)).first;
  }
  for (const Trie::Node n : it->second) {
    for (const std::uint32_t payload : suffixes.at(n)) emit(payload);
  }
}

// Tokens that close a quoted text midway: those whose prefix is allowed.
void Masker::walk_suffixes(StateId rest, const std::vector<std::uint64_t>& prefixes) {
  if (std::all_of(prefixes.begin(), prefixes.end(), [](std::uint64_t w) { return w == 0; })) return;
  walk_suffix_trie(text_.quote_suffixes, rest, [&](std::uint32_t payload) {
    const auto& split = text_.quote_splits[payload];
    if (((prefixes[split.prefix >> 6U] >> (split.prefix & 63U)) & 1U) != 0) set_bit(words_, split.token);
  });
}

bool Masker::is_open_key(const Head& head) const {
  return head.kind() == HeadKind::kKey && head.aux() == 0 && stepper_.structures()->record(head.w1).others &&
         stepper_.structures()->notation().quote == '"';
}

// The same below an inner node: what stays inside any text stays inside such a key, and the few tokens that end one
// are walked.
void Masker::apply_key_below(const Item& item, TrieId id, Trie::Node node) {
  const Head any = Head::make(HeadKind::kText, 0, stepper_.arena().any_text(), 0);
  const Frame& frame = frames_.get(any, id, node, stepper_);
  add_set(frame.inside);
  if (!frame.ending) return;
  const auto down = [&](auto&& self, Trie::Node n, const Items& items) -> void {
    for (const std::uint32_t token : frame.ending->at(n)) set_bit(words_, token);
    walk(*frame.ending, n, items, [&](Trie::Node c, const Items& next) { self(self, c, next); });
  };
  const std::size_t depth = depth_;
  Items& items = scratch();
  items.push_back(item);
  down(down, Trie::kRoot, items);
  depth_ = depth;
}

// Inside a key that may be any other than the listed ones: every token of text stays inside; a token with a quote ends
// a key that depends on its prefix.
void Masker::apply_key(const Item& item) {
  const RecordInfo& record = stepper_.structures()->record(item.head.w1);
  add_set(text_.body_set);
  const auto& prefixes_of = text_.quote_prefixes;
  const std::size_t words = (prefixes_of.size() + 63) / 64;
  std::map<std::uint32_t, std::vector<std::uint64_t>> by_label;
  auto& others = by_label[kOtherKey];
  others.assign(words, ~std::uint64_t{0});
  // Only a prefix that stays on the trie of listed keys can end one; off it every key is another.
  for (std::size_t p = 0; p < prefixes_of.size() && (item.head.w2 & kOffTrie) == 0; ++p) {
    const std::string& prefix = prefixes_of[p];
    if (!prefix.empty() && prefix.find('\\') == std::string::npos &&
        record.keys->child(item.head.w2, static_cast<std::uint8_t>(prefix.front())) == KeySet::kNone) {
      continue;
    }
    const std::uint32_t place = stepper_.step_key_text(record, item.head.w2, prefix);
    const std::uint32_t label = place == Stepper::kDeadKey ? Stepper::kNotAKey : stepper_.key_label(record, place);
    if (label == kOtherKey) continue;
    others[p >> 6U] &= ~(std::uint64_t{1} << (p & 63U));
    if (label == Stepper::kNotAKey) continue;
    auto& bits = by_label[label];
    bits.resize(words);
    bits[p >> 6U] |= std::uint64_t{1} << (p & 63U);
  }
  for (const auto& [label, prefixes] : by_label) {
    const StateId after =
        store_.intern_one({Head::make(HeadKind::kRecord, phase_aux(Phase::kAfterKey), item.head.w1, label), item.rest});
    walk_suffixes(after, prefixes);
  }
}

}  // namespace weir
