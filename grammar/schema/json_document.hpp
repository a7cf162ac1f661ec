// A JSON text as a flat array of nodes in document order: numbers as they were written, strings decoded, keys in their
// order. Made for schemas, whose reader needs places for its errors and exact numbers. Private to grammar/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weir/grammar/limits.hpp"
#include "weir/grammar/result.hpp"

namespace weir::schema {

using JsonId = std::uint32_t;
inline constexpr JsonId kNoJson = 0xFFFFFFFF;

enum class JsonKind : std::uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };

struct JsonNode {
  const char* text = nullptr;  // string: decoded; number: as written
  const char* key = nullptr;   // of a member, decoded
  std::uint32_t size = 0;      // string, number: bytes; array, object: children
  std::uint32_t key_size = 0;
  JsonId parent = kNoJson;
  JsonId end = 0;  // the id after this node's last descendant; its next sibling, if it has one
  JsonKind kind = JsonKind::kNull;
  std::uint32_t key_hash = 0;  // equal keys have equal ones
};

class JsonDocument {
 public:
  // Errors: kSyntax with line and column (RFC 8259, well-formed UTF-8, no escape of a lone surrogate), kInvalid for a
  // key that one object has twice, kLimit. Iterative: depth costs no stack.
  static Result<JsonDocument> parse(std::string_view text, const Limits& limits);

  // An instance's value behind all nodes there are: its own root, with no parent. Ids stay valid, references to nodes
  // do not. Where an object has a key twice, the last counts. Errors: as for parse, but for that.
  Result<JsonId> append(std::string_view text, const Limits& limits);
  // Forgets the instance that was appended last, by its id.
  void drop_last(JsonId instance);
  // The same as append for another schema, before any instance. `uri`: what errors call it. kNoJson: more than
  // kMaxNodes in all.
  JsonId append_document(JsonDocument other, std::string uri);
  // The same for a copy of a value and of what it holds.
  JsonId append_copy(JsonId id);
  // The node that this one is a copy of, or itself. Logarithmic in the number of documents and copies.
  JsonId origin(JsonId id) const;
  // The name of the document that holds the node, or its origin; empty for the first one and for instances.
  const std::string& uri(JsonId id) const;
  // Whether append has read it.
  bool is_appended(JsonId id) const { return id >= first_instance_; }

  // The root is node 0. Children follow their parent at once: the first is id + 1.
  const JsonNode& operator[](JsonId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }
  JsonId parent(JsonId id) const { return nodes_[id].parent; }
  JsonKind kind(JsonId id) const { return nodes_[id].kind; }
  std::string_view text(JsonId id) const { return {nodes_[id].text, nodes_[id].size}; }
  std::string_view key(JsonId id) const { return {nodes_[id].key, nodes_[id].key_size}; }
  bool is_scalar(JsonId id) const { return nodes_[id].kind < JsonKind::kArray; }
  // Nodes outside of the text: null, false and true, for whoever needs one as a value.
  JsonId word(JsonKind kind) const { return nodes_[0].end + static_cast<JsonId>(kind); }

  // for (JsonId child : document.children(id)) ...
  class Children {
   public:
    class Iterator {
     public:
      Iterator(const JsonNode* nodes, JsonId at) : nodes_(nodes), at_(at) {}
      JsonId operator*() const { return at_; }
      Iterator& operator++() {
        at_ = nodes_[at_].end;
        return *this;
      }
      friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

     private:
      const JsonNode* nodes_;
      JsonId at_;
    };
    Children(const JsonNode* nodes, JsonId first, JsonId end) : nodes_(nodes), first_(first), end_(end) {}
    Iterator begin() const { return {nodes_, first_}; }
    Iterator end() const { return {nodes_, end_}; }

   private:
    const JsonNode* nodes_;
    JsonId first_;
    JsonId end_;
  };
  Children children(JsonId id) const { return {nodes_.data(), id + 1, nodes_[id].end}; }

  // The member's value, or kNoJson. Constant time on average in large objects; not thread-safe for that reason.
  JsonId find(JsonId object, std::string_view key);
  // The item's id, or kNoJson. Linear.
  JsonId item(JsonId array, std::uint32_t index) const;
  // RFC 6901, within its document; of a copy, that of its origin.
  std::string pointer(JsonId id) const;

  static constexpr std::size_t kMaxNodes = std::size_t{1} << 22U;

 private:
  friend class JsonReader;
  static constexpr std::uint32_t kIndexedFrom = 24;  // members from which an object is worth an index
  static constexpr std::uint32_t kFirstDocument = 0xFFFFFFFF;
  struct Storage {
    std::unique_ptr<char[]> source;
    std::unique_ptr<char[]> decoded;  // strings that hold escapes
  };
  // Nodes of a schema that were appended together, up to the next part.
  struct Part {
    JsonId first;
    JsonId origin;           // of the first node; others follow in the same order
    std::uint32_t document;  // index into uris_
  };
  JsonId append_values(JsonDocument other);
  JsonId append_nodes(const JsonNode* from, JsonId first, std::size_t count);
  const Part* part_of(JsonId id) const;  // nullptr: of the first document, or of an instance

  std::shared_ptr<Storage> storage_;
  std::vector<std::shared_ptr<Storage>> appended_;
  std::vector<JsonNode> nodes_;
  std::vector<Part> parts_;
  std::vector<std::string> uris_;
  JsonId first_instance_ = kNoJson;
  std::unordered_map<JsonId, std::unordered_map<std::string_view, JsonId>> indices_;  // of large objects
};

}  // namespace weir::schema
