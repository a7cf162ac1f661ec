#include "tokens/trie.hpp"

#include <algorithm>
#include <atomic>

namespace weir {

Trie::Trie(std::vector<std::pair<std::string_view, std::uint32_t>> entries) {
  static std::atomic<std::uint32_t> next_id{1};
  id_ = next_id.fetch_add(1, std::memory_order_relaxed);
  std::sort(entries.begin(), entries.end());
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
      nodes_.push_back(
          {0, static_cast<std::uint32_t>(payloads_.size()), static_cast<std::uint8_t>(text[depth])});
    }
    payloads_.push_back(payload);
    previous = text;
  }
  for (const Node n : path) nodes_[n].end = static_cast<Node>(nodes_.size());
  const auto count = static_cast<Node>(nodes_.size());
  nodes_.push_back({count, static_cast<std::uint32_t>(payloads_.size()), 0});
}

}  // namespace weir
