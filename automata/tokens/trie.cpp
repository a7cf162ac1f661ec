#include "tokens/trie.hpp"

#include <algorithm>
#include <atomic>

#include "tokens/byte_classes.hpp"

namespace weir {

Trie::Trie(std::vector<std::pair<std::string_view, std::uint32_t>> entries) {
  static std::atomic<std::uint32_t> next_id{1};
  id_ = next_id.fetch_add(1, std::memory_order_relaxed);
  if (!std::is_sorted(entries.begin(), entries.end())) std::sort(entries.begin(), entries.end());
  payloads_.reserve(entries.size());
  nodes_.push_back({});
  std::vector<Node> path{kRoot};  // path[d] is the open node at depth d
  std::string_view previous;
  for (const auto& [text, payload] : entries) {
    const auto [stop, unused] = std::mismatch(previous.begin(), previous.end(), text.begin(), text.end());
    const auto common = static_cast<std::size_t>(stop - previous.begin());
    for (; path.size() > common + 1; path.pop_back()) nodes_[path.back()].end = static_cast<Node>(nodes_.size());
    for (std::size_t depth = common; depth < text.size(); ++depth) {
      path.push_back(static_cast<Node>(nodes_.size()));
      nodes_.push_back({0, static_cast<std::uint32_t>(payloads_.size()), 0, static_cast<std::uint8_t>(text[depth])});
    }
    payloads_.push_back(payload);
    previous = text;
  }
  for (const Node n : path) nodes_[n].end = static_cast<Node>(nodes_.size());
  const auto count = static_cast<Node>(nodes_.size());
  nodes_.push_back({count, static_cast<std::uint32_t>(payloads_.size()), 0, 0});
  index_children();
  index_bytes_below();
  if (size() >= kClassNodes) index_classes_below();
}

void Trie::index_children() {
  children_.reserve(size());
  child_bytes_.reserve(size());
  bulk_index_.resize(size());
  for (Node n = 0; n < size(); ++n) {
    nodes_[n].children = static_cast<std::uint32_t>(children_.size());
    for (Node c = n + 1; c < end(n); c = end(c)) {
      children_.push_back(c);
      child_bytes_.push_back(byte(c));
    }
    if (subtree_size(n) < kBulkNodes) continue;
    bulk_index_[n] = static_cast<std::uint32_t>(bytes_below_.size());
    bytes_below_.emplace_back();
  }
  nodes_[size()].children = static_cast<std::uint32_t>(children_.size());
}

void Trie::index_bytes_below() {
  // Children have higher indices than their parents, so from the back every child is done before its parent.
  for (Node n = size(); n-- > 0;) {
    if (subtree_size(n) < kBulkNodes) continue;
    ByteSet below;
    for (Node c : children(n)) {
      below.insert(byte(c));
      if (const ByteSet* set = bytes_below(c)) {
        below |= *set;
      } else {
        for (Node d = c + 1; d < end(c); ++d) below.insert(byte(d));
      }
    }
    bytes_below_[bulk_index_[n]] = below;
  }
}

void Trie::index_classes_below() {
  const ByteClasses& classes = ByteClasses::get();
  classes_below_.resize(size());
  // By node, a bit for each place in a character: everything below goes on well from there.
  std::vector<std::uint8_t> goes_on(size(), 0xFF);
  for (Node n = size(); n-- > 0;) {
    std::uint64_t below = 0;
    for (const Node c : children(n)) {
      const std::uint8_t b = byte(c);
      below |= classes.bit_of(b) | (classes_below_[c] & ~ByteClasses::kIllFormed);
      for (unsigned s = 0; s < Utf8State::kCount; ++s) {
        const auto next = Utf8State::step(static_cast<Utf8State::State>(s), b);
        const bool good = next != Utf8State::kBad && ((goes_on[c] >> next) & 1U) != 0;
        if (!good) goes_on[n] &= static_cast<std::uint8_t>(~(1U << s));
        if (b < 0x80 && s == Utf8State::kBetween) {
          goes_on[n] &= good ? 1U : 0U;
          break;
        }
      }
    }
    const bool well_formed = ((goes_on[n] >> Utf8State::kBetween) & 1U) != 0;
    classes_below_[n] = below | (well_formed ? 0 : ByteClasses::kIllFormed);
  }
}

Trie::Node Trie::child(Node n, std::uint8_t byte) const noexcept {
  if (is_leaf(n)) return kRoot;
  if (this->byte(n + 1) == byte) return n + 1;  // most nodes have one child, which lies beside them
  const auto bytes = child_bytes(n);
  if (bytes.size() == 256) return children(n)[byte];
  const auto it = std::lower_bound(bytes.begin(), bytes.end(), byte);
  return it != bytes.end() && *it == byte ? children(n)[static_cast<std::size_t>(it - bytes.begin())] : kRoot;
}

}  // namespace weir
