// A trie over byte strings in one flat array, in depth-first order: a node's subtree is the index range that follows
// it, and the payloads of a subtree are one contiguous range. Private to automata/.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/grammar/expr.hpp"

namespace weir {

class Trie {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;

  Trie() = default;
  // Entries in any order; several may have the same text. The empty text belongs to the root.
  explicit Trie(std::vector<std::pair<std::string_view, std::uint32_t>> entries);

  // Tells tries of this process apart.
  std::uint32_t id() const noexcept { return id_; }
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(nodes_.size()) - 1; }
  std::uint8_t byte(Node n) const noexcept { return nodes_[n].byte; }
  // One past the last node of n's subtree.
  Node end(Node n) const noexcept { return nodes_[n].end; }
  bool is_leaf(Node n) const noexcept { return nodes_[n].end == n + 1; }
  std::uint32_t subtree_size(Node n) const noexcept { return nodes_[n].end - n; }
  // The bytes of n's children, ascending, and the children in the same order.
  std::span<const std::uint8_t> child_bytes(Node n) const noexcept {
    return std::span(child_bytes_).subspan(nodes_[n].children, nodes_[n + 1].children - nodes_[n].children);
  }
  std::span<const Node> children(Node n) const noexcept {
    return std::span(children_).subspan(nodes_[n].children, nodes_[n + 1].children - nodes_[n].children);
  }
  // The child by this byte, or kRoot: none.
  Node child(Node n, std::uint8_t byte) const noexcept;
  // The bytes that occur below n, for subtrees of at least kBulkNodes nodes; null for smaller ones.
  static constexpr std::uint32_t kBulkNodes = 16;
  const ByteSet* bytes_below(Node n) const noexcept {
    return subtree_size(n) < kBulkNodes ? nullptr : &bytes_below_[bulk_index_[n]];
  }
  // The classes (ByteClasses) of the bytes below n, and kIllFormed unless every text below n, from there on, is
  // well-formed UTF-8 or begins one. All bits in small tries, where walking is cheaper than finding out.
  static constexpr std::uint32_t kClassNodes = 2048;
  std::uint64_t classes_below(Node n) const noexcept {
    return classes_below_.empty() ? ~std::uint64_t{0} : classes_below_[n];
  }
  // Payloads of the texts that end at n or below.
  std::span<const std::uint32_t> subtree(Node n) const noexcept {
    return std::span(payloads_).subspan(nodes_[n].first, nodes_[end(n)].first - nodes_[n].first);
  }
  // Payloads of the texts that end at n.
  std::span<const std::uint32_t> at(Node n) const noexcept {
    return std::span(payloads_).subspan(nodes_[n].first, nodes_[n + 1].first - nodes_[n].first);
  }
  // Payloads of the texts that end below n.
  std::span<const std::uint32_t> below(Node n) const noexcept {
    return std::span(payloads_).subspan(nodes_[n + 1].first, nodes_[end(n)].first - nodes_[n + 1].first);
  }
  // Calls visit(payload, depth below n) for every text strictly below n.
  template <class Visit>
  void for_each_below(Node n, Visit visit) const {
    std::vector<Node> path;  // ends of the open nodes below n
    for (Node c = n + 1; c < end(n); ++c) {
      while (!path.empty() && c >= path.back()) path.pop_back();
      path.push_back(end(c));
      for (const std::uint32_t payload : at(c)) visit(payload, static_cast<std::uint32_t>(path.size()));
    }
  }
  std::size_t memory_bytes() const noexcept {
    return nodes_.capacity() * sizeof(Entry) + child_bytes_.capacity() + bytes_below_.capacity() * sizeof(ByteSet) +
           classes_below_.capacity() * sizeof(std::uint64_t) +
           (payloads_.capacity() + children_.capacity() + bulk_index_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  struct Entry {
    Node end = 0;
    std::uint32_t first = 0;     // payloads of this node and its subtree start here
    std::uint32_t children = 0;  // its children start here
    std::uint8_t byte = 0;
  };
  void index_children();
  void index_bytes_below();
  void index_classes_below();

  std::uint32_t id_ = 0;
  std::vector<Entry> nodes_;  // and one sentinel
  std::vector<std::uint32_t> payloads_;
  std::vector<std::uint8_t> child_bytes_;
  std::vector<Node> children_;
  std::vector<std::uint32_t> bulk_index_;  // by node, where the subtree is large
  std::vector<ByteSet> bytes_below_;
  std::vector<std::uint64_t> classes_below_;
};

}  // namespace weir
