#include "frames/capture_tree.hpp"

#include <algorithm>

namespace weir {

CaptureId CaptureTree::extend(CaptureId capture, std::uint8_t byte) {
  const Node node{capture, byte};
  const auto [it, fresh] = ids_.try_emplace(key(node), static_cast<CaptureId>(nodes_.size()));
  if (fresh) nodes_.push_back(node);
  return it->second;
}

bool CaptureTree::read(CaptureId begin, CaptureId end, std::string& out) const {
  out.clear();
  for (; end != begin; end = nodes_[end].parent) {
    if (end <= kUnknown) return false;
    out += static_cast<char>(nodes_[end].byte);
  }
  std::reverse(out.begin(), out.end());
  return true;
}

void CaptureTree::keep(CaptureId capture) {
  renamed_.resize(nodes_.size());
  renamed_[capture] = 1;
}

void CaptureTree::drop_others() {
  renamed_.resize(nodes_.size());
  for (std::size_t id = nodes_.size(); id-- > kUnknown + 1;) {
    if (renamed_[id] != 0) renamed_[nodes_[id].parent] = 1;
  }
  ids_.clear();
  CaptureId next = 0;
  for (CaptureId id = 0; id < nodes_.size(); ++id) {
    if (id > kUnknown) {
      if (renamed_[id] == 0) continue;
      nodes_[next] = {renamed_[nodes_[id].parent], nodes_[id].byte};
      ids_.emplace(key(nodes_[next]), next);
    }
    renamed_[id] = next++;
  }
  nodes_.resize(next);
}

}  // namespace weir
