// What is asked of a document after it is read, and how others join it.
#include <algorithm>
#include <iterator>
#include <utility>

#include "schema/json_document.hpp"
#include "weir/grammar/detail/json_pointer.hpp"

namespace weir::schema {

JsonId JsonDocument::append_document(JsonDocument other, std::string uri) {
  const JsonId first = append_values(std::move(other));
  if (first == kNoJson) return kNoJson;
  parts_.push_back({first, first, static_cast<std::uint32_t>(uris_.size())});
  uris_.push_back(std::move(uri));
  return first;
}

JsonId JsonDocument::append_values(JsonDocument other) {
  const JsonId count = other.nodes_[0].end;  // its words for null, false and true are not needed twice
  const JsonId first = append_nodes(other.nodes_.data(), 0, count);
  if (first != kNoJson) appended_.push_back(std::move(other.storage_));
  return first;
}

JsonId JsonDocument::append_copy(JsonId id) {
  const std::size_t count = nodes_[id].end - id;
  if (nodes_.size() + count > kMaxNodes) return kNoJson;
  // The nodes to copy must not move while they are copied.
  if (nodes_.size() + count > nodes_.capacity()) nodes_.reserve(std::max(nodes_.size() + count, 2 * nodes_.size()));
  const Part* const part = part_of(id);
  const std::uint32_t document = part == nullptr ? kFirstDocument : part->document;
  const JsonId from = origin(id);
  const JsonId first = append_nodes(nodes_.data() + id, id, count);
  parts_.push_back({first, from, document});
  return first;
}

// `first`: the id that the first of these nodes has where it comes from.
JsonId JsonDocument::append_nodes(const JsonNode* from, JsonId first, std::size_t count) {
  if (nodes_.size() + count > kMaxNodes) return kNoJson;
  const auto start = static_cast<JsonId>(nodes_.size());
  for (std::size_t i = 0; i < count; ++i) {
    JsonNode node = from[i];
    node.parent = i == 0 ? kNoJson : node.parent - first + start;
    node.end = node.end - first + start;
    nodes_.push_back(node);
  }
  return start;
}

const JsonDocument::Part* JsonDocument::part_of(JsonId id) const {
  if (id >= first_instance_) return nullptr;
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), id,
                                      [](JsonId node, const Part& part) { return node < part.first; });
  return after == parts_.begin() ? nullptr : &*std::prev(after);
}

JsonId JsonDocument::origin(JsonId id) const {
  const Part* const part = part_of(id);
  return part == nullptr ? id : id - part->first + part->origin;
}

const std::string& JsonDocument::uri(JsonId id) const {
  static const std::string kNone;
  const Part* const part = part_of(id);
  return part == nullptr || part->document == kFirstDocument ? kNone : uris_[part->document];
}

JsonId JsonDocument::find(JsonId object, std::string_view key) {
  if (nodes_[object].kind != JsonKind::kObject) return kNoJson;
  if (nodes_[object].size < kIndexedFrom) {
    for (const JsonId member : children(object)) {
      if (this->key(member) == key) return member;
    }
    return kNoJson;
  }
  auto& index = indices_[object];
  if (index.empty()) {
    index.reserve(nodes_[object].size);
    for (const JsonId member : children(object)) index.emplace(this->key(member), member);
  }
  const auto it = index.find(key);
  return it == index.end() ? kNoJson : it->second;
}

JsonId JsonDocument::item(JsonId array, std::uint32_t index) const {
  if (nodes_[array].kind != JsonKind::kArray || index >= nodes_[array].size) return kNoJson;
  JsonId at = array + 1;
  while (index-- > 0) at = nodes_[at].end;
  return at;
}

std::string JsonDocument::pointer(JsonId id) const {
  std::vector<JsonId> path;
  for (JsonId at = origin(id); nodes_[at].parent != kNoJson; at = nodes_[at].parent) path.push_back(at);
  std::string out;
  for (std::size_t i = path.size(); i-- > 0;) {
    const JsonId at = path[i];
    const JsonId parent = nodes_[at].parent;
    if (nodes_[parent].kind == JsonKind::kObject) {
      detail::append_pointer_token(out, key(at));
    } else {
      std::uint32_t index = 0;
      for (const JsonId item : children(parent)) {
        if (item == at) break;
        ++index;
      }
      out += '/' + std::to_string(index);
    }
  }
  return out;
}

}  // namespace weir::schema
