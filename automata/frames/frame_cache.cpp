#include "frames/frame_cache.hpp"

#include <algorithm>

namespace weir {
namespace {

// The head as a key: for quoted text with which escapes it takes, and with bounds in place of their id. Bounds that no
// single token can tell from larger ones become one, so that counting text shares its frames.
Head canonical(const Head& head, Stepper& stepper, std::uint32_t most) {
  if (head.kind() != HeadKind::kText) return head;
  const std::uint32_t escapes = stepper.structures()->notation().any_escape ? 0 : 1;
  if (head.w2 == 0) return Head::make(HeadKind::kText, escapes, head.w1, kUnbounded);
  constexpr std::uint32_t kAll = 0xFFFF;
  const LengthCounter left = stepper.structures()->counter(head.w2);
  const std::uint32_t cap = std::min(most, kAll - 2);
  const std::uint32_t max = left.max_left > cap ? kAll : left.max_left;
  const std::uint32_t min = std::min(left.min_left, cap + 1);
  const std::uint32_t both = min == 0 && max == kAll ? kUnbounded : (min << 16U) | max;
  return Head::make(HeadKind::kText, escapes, head.w1, both);
}

}  // namespace

FrameCache::FrameCache(std::shared_ptr<const VocabularyTables> tables, FrameCache* common, ExprId common_limit)
    : tables_(std::move(tables)), common_(common), common_limit_(common_limit) {}

const TextTables& FrameCache::text_of(Stepper& stepper) const {
  const StructureSource* structures = stepper.structures();
  return tables_->text(structures == nullptr || structures->notation().any_escape);
}

const Frame& FrameCache::get(const Head& head, TrieId trie, Trie::Node node, Stepper& stepper) {
  if (common_ != nullptr && head.w1 < common_limit_) return common_->get(head, trie, node, stepper);
  const FrameKey key{canonical(head, stepper, text_of(stepper).max_code_points),
                     (node << 1U) | static_cast<std::uint32_t>(trie)};
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = frames_.find(key); it != frames_.end()) return *it->second;
  }
  // Built outside the lock: two threads may do the same work once, none waits for another's.
  auto frame = std::make_unique<Frame>();
  build(head, trie, node, stepper, *frame);
  const std::lock_guard lock(mutex_);
  return *frames_.emplace(key, std::move(frame)).first->second;
}

void FrameCache::build(const Head& head, TrieId trie_id, Trie::Node node, Stepper& stepper, Frame& out) const {
  const Trie& trie = trie_id == TrieId::kTokens ? tables_->tokens : tables_->stripped;
  const bool text = head.kind() == HeadKind::kText;
  const bool at_root = trie_id == TrieId::kTokens && node == Trie::kRoot;
  if (text && at_root && stepper.structures()->notation().quote == '"') {
    out.by_prefix = true;
    add_quote_prefixes(head, stepper, out);
    if (head.w1 == stepper.arena().any_text()) {
      build_any_text(head, stepper, out);
      out.inside.seal(tables_->vocabulary->mask_words());
      return;
    }
  }
  // Depth first, in the order of the array; the heads of the current path lie on a stack.
  struct Level {
    Trie::Node end;
    Head head;
  };
  std::vector<Level> path{{trie.end(node), head}};
  std::vector<Trie::Node> all_ends;  // where the head may end
  std::vector<Trie::Node> ends;      // those of them with something below
  for (Trie::Node n = node + 1; n < trie.end(node);) {
    while (n >= path.back().end) path.pop_back();
    const HeadStep step = stepper.step_head(path.back().head, trie.byte(n));
    const bool counts_here = step.alive || (step.ends && !out.by_prefix);
    if (counts_here) out.inside.add(trie.at(n));
    if (step.ends && !out.by_prefix) {
      all_ends.push_back(n);
      if (!trie.is_leaf(n)) ends.push_back(n);
    }
    if (step.alive && !trie.is_leaf(n)) {
      // A large subtree of bytes that change nothing is inside as a whole.
      if (const ByteSet* below = trie.bytes_below(n)) {
        const ByteSet loop = stepper.loop_bytes(step.next);
        if ((*below & loop) == *below) {
          out.inside.add(trie.subtree(n).subspan(trie.at(n).size()));
          n = trie.end(n);
          continue;
        }
      }
      path.push_back({trie.end(n), step.next});
      ++n;
    } else {
      n = trie.end(n);
    }
  }
  collect_exits(trie, ends, out);
  if (text && head.w1 == stepper.arena().any_text()) collect_ending(trie, node, all_ends, out);
  out.inside.seal(tables_->vocabulary->mask_words());
}

void FrameCache::collect_exits(const Trie& trie, const std::vector<Trie::Node>& ends, Frame& out) const {
  if (ends.empty()) return;
  // A token passes one end for each prefix that may end, so their sum may be far larger than the vocabulary.
  constexpr std::size_t kMaxPairs = 4096;
  std::vector<std::pair<std::string_view, std::uint32_t>> pairs;
  const bool few = std::all_of(ends.begin(), ends.end(), [&](Trie::Node end) {
    trie.for_each_below(end, [&](std::uint32_t token, std::uint32_t depth) {
      const std::string_view text = tables_->vocabulary->token(token);
      if (pairs.size() <= kMaxPairs) pairs.emplace_back(text.substr(text.size() - depth), token);
    });
    return pairs.size() <= kMaxPairs;
  });
  if (few) {
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    out.suffixes = std::make_unique<Trie>(std::move(pairs));
    return;
  }
  for (const Trie::Node end : ends) {
    for (const Trie::Node c : trie.children(end)) out.exits.push_back({trie.byte(c), c});
  }
  std::stable_sort(out.exits.begin(), out.exits.end(), [](const auto& a, const auto& b) { return a.byte < b.byte; });
  for (const Frame::Exit& exit : out.exits) out.exit_bytes.insert(exit.byte);
  out.exits.shrink_to_fit();
}

void FrameCache::collect_ending(const Trie& trie, Trie::Node node, const std::vector<Trie::Node>& ends,
                                Frame& out) const {
  // Depths by a walk down from the node to each end would cost its length; ends of any text do not nest, so each token
  // below one ends exactly once and its text below `node` is all but what leads to `node`.
  std::size_t above = 0;
  for (Trie::Node n = Trie::kRoot; n != node; ++above) {
    const auto children = trie.children(n);
    n = *std::prev(std::upper_bound(children.begin(), children.end(), node));
  }
  const bool stripped = &trie == &tables_->stripped;
  std::vector<std::pair<std::string_view, std::uint32_t>> entries;
  const auto add = [&](std::uint32_t token) {
    std::string_view text = tables_->vocabulary->token(token);
    if (stripped) text.remove_prefix(text.find_first_not_of(" \t\n\r"));
    entries.emplace_back(text.substr(above), token);
  };
  for (const Trie::Node end : ends) {
    for (const std::uint32_t token : trie.at(end)) add(token);
    trie.for_each_below(end, [&](std::uint32_t token, std::uint32_t) { add(token); });
  }
  if (!entries.empty()) out.ending = std::make_unique<Trie>(std::move(entries));
}

// Any text within its bounds: the tokens that stay inside are those that take up no more than is left.
void FrameCache::build_any_text(const Head& head, Stepper& stepper, Frame& out) const {
  const LengthCounter left = head.w2 == 0 ? LengthCounter{} : stepper.structures()->counter(head.w2);
  const TextTables& text = text_of(stepper);
  if (left.max_left >= text.max_code_points) {
    out.inside = text.body_set;
    return;
  }
  for (const auto& body : text.body) {
    if (body.code_points > left.max_left) break;
    out.inside.add(body.token);
  }
}

void FrameCache::add_quote_prefixes(const Head& head, Stepper& stepper, Frame& out) const {
  const auto& prefixes = text_of(stepper).quote_prefixes;
  out.prefixes.assign((prefixes.size() + 63) / 64, 0);
  for (std::size_t p = 0; p < prefixes.size(); ++p) {
    HeadStep step{true, false, head};
    for (std::size_t i = 0; i < prefixes[p].size() && step.alive; ++i) {
      step = stepper.step_head(step.next, static_cast<std::uint8_t>(prefixes[p][i]));
    }
    if (step.alive && stepper.step_head(step.next, '"').ends) out.prefixes[p >> 6U] |= std::uint64_t{1} << (p & 63U);
  }
}

std::size_t FrameCache::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const auto& [key, frame] : frames_) {
    bytes += sizeof(Frame) + frame->inside.memory_bytes() + frame->exits.capacity() * sizeof(Frame::Exit);
  }
  return bytes;
}

}  // namespace weir
