#include "frames/frame_cache.hpp"

#include <algorithm>
#include <deque>

#include "frames/text_frame.hpp"

namespace weir {
namespace {

// The head as a key: with how text is written, and with what is left in place of the counter's id.
FrameKey key_of(const Head& head, const Trie& trie, Trie::Node node, Stepper& stepper) {
  const TextStyle style = stepper.text_style();
  const std::uint32_t aux = (style.spaced ? 1U : 0U) | (style.any_escape ? 2U : 0U);
  const bool counting = head.kind() == HeadKind::kText && head.w2 != 0;
  return {Head::make(head.kind(), aux, head.w1, 0), trie.id(), node,
          counting ? stepper.structures()->counter(head.w2) : LengthCounter{}};
}

}  // namespace

FrameCache::FrameCache(std::shared_ptr<const VocabularyTables> tables, FrameCache* common, ExprId common_limit)
    : tables_(std::move(tables)), common_(common), common_limit_(common_limit) {}

FrameCache::FrameCache(std::shared_ptr<const VocabularyTables> tables)
    : tables_(std::move(tables)), shared_(false), common_(nullptr), common_limit_(0) {}

const Frame& FrameCache::get(const Head& head, TrieId trie_id, Trie::Node node, Stepper& stepper) {
  const Trie& trie = tables_->trie(trie_id);
  if (head.kind() != HeadKind::kText) return get_expr(head, trie, node, stepper);
  if (common_ != nullptr && head.w1 < common_limit_) return common_->get(head, trie_id, node, stepper);
  const FrameKey key = key_of(head, trie, node, stepper);
  if (trie_id == TrieId::kTokens && node == Trie::kRoot) return text_root(key, head, stepper);
  return find_or_build(key, [&](Frame& out) {
    out.prefixes = prefixes_of(head, tables_->place(stepper.text_style(), trie_id, node).ends, stepper);
    walk_text(head, trie, node, stepper, out);
  });
}

const Frame& FrameCache::get_expr(const Head& head, const Trie& trie, Trie::Node node, Stepper& stepper) {
  if (common_ != nullptr && head.w1 < common_limit_) return common_->get_expr(head, trie, node, stepper);
  const FrameKey key = key_of(head, trie, node, stepper);
  if (const Frame* known = frames_.find(key)) return *known;
  // A large number of repetitions is no other to a token than a larger one: all of these states share one frame.
  const ExprId saturated = shared_ ? stepper.arena().saturated(head.w1, tables_->longest_token) : head.w1;
  if (saturated != head.w1) {
    const Head same = Head::make(HeadKind::kExpr, 0, saturated, 0);
    const Frame& frame = get_expr(same, trie, node, stepper);
    const auto held = lock();
    return frames_.insert_alias(key, frame);
  }
  return find_or_build(
      key, [&](Frame& out) { ExprFrameBuilder(*tables_, loops_, stepper).build(head.w1, trie, node, out); });
}

const Frame& FrameCache::text_root(const FrameKey& key, const Head& head, Stepper& stepper) {
  return find_or_build(key, [&](Frame& out) { build_text(head, key.shared, stepper, out); });
}

template <class Build>
const Frame& FrameCache::find_or_build(const FrameKey& key, Build&& build) {
  if (const Frame* known = frames_.find(key)) return *known;
  // Built outside the lock: two threads may do the same work once, none waits for another's.
  auto frame = std::make_unique<Frame>();
  build(*frame);
  const auto held = lock();
  return frames_.insert(key, std::move(frame));
}

void FrameCache::build_text(const Head& head, bool sharing, Stepper& stepper, Frame& out) {
  const TextEnds& ends = tables_->root_place(stepper.text_style()).ends;
  TextFrameBuilder builder(*tables_, facts_, stepper);
  if (head.w2 == 0 && !sharing) {
    const ExprId saturated = stepper.arena().saturated(head.w1, TextGroups::kLong);
    if (saturated != head.w1 && ends.most_code_points <= TextGroups::kLong) {
      const Head same = Head::make(HeadKind::kText, 0, saturated, 0);
      FrameKey key = key_of(same, tables_->tokens, Trie::kRoot, stepper);
      key.shared = true;
      builder.build_on(text_root(key, same, stepper), head, out);
      return;
    }
  }
  out.prefixes = prefixes_of(head, ends, stepper);
  builder.build(head, sharing, out);
}

// The tokens that stay inside a quoted text; one that ends it is a split at the quote and belongs to the place.
void FrameCache::walk_text(const Head& head, const Trie& trie, Trie::Node node, Stepper& stepper, Frame& out) const {
  const auto quote = static_cast<std::uint8_t>(stepper.structures()->notation().quote);
  // Depth first, in the order of the array; the heads of the current path lie on a stack.
  struct Level {
    Trie::Node end;
    Head head;
  };
  std::vector<Level> path{{trie.end(node), head}};
  for (Trie::Node n = node + 1; n < trie.end(node);) {
    while (n >= path.back().end) path.pop_back();
    if (trie.byte(n) == quote && path.back().head.aux() == 0) {
      n = trie.end(n);
      continue;
    }
    const HeadStep step = stepper.step_head(path.back().head, trie.byte(n));
    if (step.alive) out.inside.add(trie.at(n));
    if (!step.alive || trie.is_leaf(n)) {
      n = trie.end(n);
      continue;
    }
    // A large subtree of bytes that change nothing is inside as a whole.
    if (const ByteSet* below = trie.bytes_below(n)) {
      const ByteSet loop = stepper.loop_bytes(step.next);
      if ((*below & loop) == *below) {
        out.inside.add(trie.below(n));
        n = trie.end(n);
        continue;
      }
    }
    path.push_back({trie.end(n), step.next});
    ++n;
  }
  out.inside.seal(tables_->vocabulary->mask_words());
}

const Frame::Exits& FrameCache::tail_exits(const Frame& frame, const Trie& trie, std::uint8_t byte) {
  if (const Frame::Exits* known = frame.tails.find(byte)) return *known;
  const std::lock_guard lock(frame.tails.mutex);
  if (const Frame::Exits* known = frame.tails.find(byte)) return *known;
  auto fresh = std::make_unique<Frame::Tails::Listed>();
  list_tails(frame, trie, byte, fresh->exits);
  fresh->next = frame.tails.listed.load(std::memory_order_relaxed);
  frame.tails.listed.store(fresh.get(), std::memory_order_release);
  return fresh.release()->exits;
}

void FrameCache::list_tails(const Frame& frame, const Trie& trie, std::uint8_t byte, Frame::Exits& exits) {
  exits.byte = byte;
  for (const Tail& tail : frame.tails.ends) {
    if (tail.byte == byte) exits.tails.push_back(tail);
  }
  for (const auto& [table, alive] : frame.tails.tables) {
    for (const Tail& tail : table->tails) {
      if (tail.byte == byte && !alive.contains(trie.byte(tail.node))) exits.tails.push_back(tail);
    }
  }
  constexpr std::size_t kMaxTexts = 1U << 15U;
  constexpr std::size_t kMaxBytes = 1U << 20U;
  std::size_t texts = 0;
  std::size_t bytes = 0;
  for (const Tail& tail : exits.tails) {
    texts += trie.subtree(tail.node).size();
    bytes += trie.subtree(tail.node).size() * tail.back;
  }
  if (texts <= kMaxTexts && bytes <= kMaxBytes) return;
  // Too many: walked from where they begin, with all that is inside.
  std::vector<Trie::Node> path;
  for (const Tail& tail : exits.tails) {
    path.clear();
    for (Trie::Node n = Trie::kRoot; n != tail.node; path.push_back(n)) {
      const auto children = trie.children(n);
      n = *(std::upper_bound(children.begin(), children.end(), tail.node) - 1);
    }
    exits.nodes.push_back(path[path.size() - 1 - tail.back]);
  }
  std::sort(exits.nodes.begin(), exits.nodes.end());
  exits.nodes.erase(std::unique(exits.nodes.begin(), exits.nodes.end()), exits.nodes.end());
  exits.tails.clear();
}

const Trie* FrameCache::suffixes(const Frame::Exits& exits, const Trie& trie, bool spaced) const {
  if (const Trie* known = exits.suffixes.load(std::memory_order_acquire)) return known;
  // Short texts below few nodes are walked as they are; and a token passes one end for each prefix that may end, so
  // that their sum may be far larger than the vocabulary.
  constexpr std::size_t kMinNodes = 8;
  constexpr std::size_t kMaxPairs = 4096;
  std::size_t nodes = 0;
  std::size_t count = 0;
  for (const Trie::Node n : exits.nodes) {
    nodes += trie.subtree_size(n);
    count += trie.subtree(n).size();
  }
  if (exits.tails.empty() && (nodes < kMinNodes || count > kMaxPairs)) return nullptr;
  std::deque<std::string> forms;
  std::vector<std::pair<std::string_view, std::uint32_t>> pairs;
  pairs.reserve(count);
  const auto add = [&](std::uint32_t token, std::size_t length) {
    const std::string_view text = tables_->vocabulary->token(token);
    const std::string_view rest = text.substr(text.size() - length);
    pairs.emplace_back(spaced ? forms.emplace_back(structural_form(rest)) : rest, token);
  };
  for (const Trie::Node n : exits.nodes) {
    for (const std::uint32_t token : trie.at(n)) add(token, 1);
    trie.for_each_below(n, [&](std::uint32_t token, std::uint32_t depth) { add(token, depth + 1); });
  }
  for (const Tail& tail : exits.tails) {
    for (const std::uint32_t token : trie.at(tail.node)) add(token, tail.back + 1);
    trie.for_each_below(tail.node,
                        [&](std::uint32_t token, std::uint32_t depth) { add(token, tail.back + depth + 1); });
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  auto fresh = std::make_unique<Trie>(std::move(pairs));
  const Trie* expected = nullptr;
  if (exits.suffixes.compare_exchange_strong(expected, fresh.get(), std::memory_order_acq_rel)) return fresh.release();
  return expected;
}

const TextDifference& FrameCache::difference(const Head& head, Stepper& stepper) {
  const FrameKey key = key_of(head, tables_->tokens, Trie::kRoot, stepper);
  if (const TextDifference* known = differences_.find(key)) return *known;
  auto found = std::make_unique<TextDifference>(find_difference(head, stepper));
  const auto held = lock();
  return differences_.insert(key, std::move(found));
}

TextDifference FrameCache::find_difference(const Head& head, Stepper& stepper) const {
  const auto parts = stepper.arena().difference(head.w1);
  if (!parts) return {};
  // What begins none of the excluded texts is decided by the base alone. Few tokens do.
  constexpr std::size_t kMostSteps = 4096;
  const auto quote = static_cast<std::uint8_t>(stepper.structures()->notation().quote);
  const Head outside = Head::make(HeadKind::kText, 0, parts->excluded, 0);
  const Head base = Head::make(HeadKind::kText, 0, parts->base, head.w2);
  const Trie& trie = tables_->tokens;
  std::size_t steps = 0;
  bool plain = true;
  const auto down = [&](auto&& self, Trie::Node n, const Head& here, const Head& in, const Head& out) -> void {
    const ByteSet alive = stepper.text_bytes(out);
    for (const Trie::Node c : trie.children(n)) {
      const std::uint8_t byte = trie.byte(c);
      if (!plain || !alive.contains(byte) || (byte == quote && out.aux() == 0)) continue;
      const HeadStep after = stepper.step_head(out, byte);
      if (!after.alive) continue;
      const HeadStep mine = stepper.step_head(here, byte);
      const HeadStep its = stepper.step_head(in, byte);
      plain = ++steps < kMostSteps && mine.alive == its.alive;
      if (mine.alive) self(self, c, mine.next, its.next, after.next);
    }
  };
  down(down, Trie::kRoot, head, base, outside);
  if (!plain) return {};
  return {true, parts->base, prefixes_of(outside, tables_->root_place(stepper.text_style()).ends, stepper)};
}

std::vector<std::uint64_t> FrameCache::prefixes_of(const Head& head, const TextEnds& ends, Stepper& stepper) {
  std::vector<std::uint64_t> prefixes((ends.prefixes.size() + 63) / 64);
  const auto quote = static_cast<std::uint8_t>(stepper.structures()->notation().quote);
  const Trie& trie = ends.prefix_trie;
  const auto down = [&](auto&& self, Trie::Node n, const Head& here) -> void {
    const auto at = trie.at(n);
    if (!at.empty() && stepper.step_head(here, quote).ends) {
      for (const std::uint32_t p : at) prefixes[p >> 6U] |= std::uint64_t{1} << (p & 63U);
    }
    const ByteSet alive = stepper.text_bytes(here);
    for (const Trie::Node c : trie.children(n)) {
      if (!alive.contains(trie.byte(c))) continue;
      const HeadStep step = stepper.step_head(here, trie.byte(c));
      if (step.alive) self(self, c, step.next);
    }
  };
  down(down, Trie::kRoot, head);
  return prefixes;
}

std::size_t Frame::memory_bytes() const noexcept {
  std::size_t bytes = sizeof(Frame) + inside.memory_bytes() + irregular.memory_bytes();
  for (const Exits& e : exits) {
    const Trie* below = e.suffixes.load(std::memory_order_acquire);
    bytes += sizeof(Exits) + e.nodes.capacity() * sizeof(Trie::Node) + (below == nullptr ? 0 : below->memory_bytes());
  }
  return bytes + large_ends.capacity() * sizeof(Trie::Node) + prefixes.capacity() * sizeof(std::uint64_t) +
         longer.capacity() * sizeof(longer[0]) + parts.capacity() * sizeof(Part);
}

std::size_t FrameCache::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = frames_.slots_bytes() + differences_.slots_bytes();
  differences_.for_each([&](const TextDifference& d) {
    bytes += sizeof(TextDifference) + d.excluded.capacity() * sizeof(std::uint64_t);
  });
  frames_.for_each([&](const Frame& frame) { bytes += frame.memory_bytes(); });
  return bytes;
}

}  // namespace weir
