// Texts that a sequence has read, as paths in a tree of bytes: equal texts that began together are equal ids. Private
// to automata/. Thread safety: none; each matcher owns one.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "frames/head.hpp"

namespace weir {

class CaptureTree {
 public:
  // Roots: of texts of the sequence; of those that began in the part of a token whose beginning nobody knows; and a
  // beginning of which nothing is known, which no text goes on from.
  static constexpr CaptureId kFirst = 0;
  static constexpr CaptureId kWithinText = 1;
  static constexpr CaptureId kUnknown = 2;

  CaptureId extend(CaptureId capture, std::uint8_t byte);
  // The bytes from one node to another; false: the first is not on the way to the second.
  bool read(CaptureId begin, CaptureId end, std::string& out) const;

  // A collection: keep() each node that is needed, then drop_others(), then renamed() tells the ids of those kept, in
  // their old order, until end_collection().
  void keep(CaptureId capture);
  void drop_others();
  CaptureId renamed(CaptureId capture) const noexcept { return renamed_[capture]; }
  void end_collection() { renamed_ = {}; }

  std::size_t memory_bytes() const noexcept {
    constexpr std::size_t kEntryBytes = 48;  // of the table, about
    return nodes_.capacity() * sizeof(Node) + ids_.size() * kEntryBytes;
  }

 private:
  struct Node {
    CaptureId parent = 0;
    std::uint8_t byte = 0;
  };
  static std::uint64_t key(const Node& node) noexcept { return (std::uint64_t{node.parent} << 8U) | node.byte; }

  std::vector<Node> nodes_{kUnknown + 1};
  std::unordered_map<std::uint64_t, CaptureId> ids_;  // by parent and byte
  std::vector<CaptureId> renamed_;                    // during a collection; before drop_others() not 0: kept
};

}  // namespace weir
