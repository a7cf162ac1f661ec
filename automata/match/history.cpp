#include "match/history.hpp"

#include <algorithm>

namespace weir {
namespace {

constexpr std::size_t kFirstPlaces = 256;
// Set in the owners of a place on the way up from one that is owned.
constexpr std::uint32_t kUsed = 0x80000000;

}  // namespace

History::Place History::add_to_full(const Node& node) {
  if (free_ == kNone) {
    if (some_unused_) drop_unused();
    // With few of them free the next search would come too soon.
    std::size_t free = 0;
    for (Place p = free_; p != kNone && free * 4 <= nodes_.size(); p = nodes_[p].parent) ++free;
    if (free * 4 <= nodes_.size()) {
      nodes_.reserve(std::max(2 * nodes_.size(), kFirstPlaces));
      nodes_.push_back(node);
      return static_cast<Place>(nodes_.size() - 1);
    }
  }
  const Place p = free_;
  free_ = nodes_[p].parent;
  nodes_[p] = node;
  return p;
}

History::Place History::start(StateId s) {
  const Place p = add({s, 0, 0, 0, 1});
  nodes_[p].parent = nodes_[p].far = p;
  return p;
}

void History::back(Place& p, std::size_t n) noexcept {
  const std::size_t length = nodes_[p].length - n;
  Place to = p;
  while (nodes_[to].length > length) {
    const Place far = nodes_[to].far;
    to = nodes_[far].length >= length ? far : nodes_[to].parent;
  }
  --nodes_[p].owners;
  ++nodes_[to].owners;
  p = to;
  some_unused_ = true;
}

History::Place History::copy(const History& from, Place p) {
  std::vector<StateId> states;
  for (;; p = from.nodes_[p].parent) {
    states.push_back(from.nodes_[p].state);
    if (from.nodes_[p].length == 0) break;
  }
  Place to = start(states.back());
  std::for_each(states.rbegin() + 1, states.rend(), [&](StateId s) { push(to, s); });
  return to;
}

void History::clear() noexcept {
  nodes_.clear();
  free_ = kNone;
  some_unused_ = false;
}

void History::drop_unused() {
  for (Place p = 0; p < nodes_.size(); ++p) {
    if ((nodes_[p].owners & ~kUsed) == 0) continue;
    for (Place up = p; (nodes_[up].owners & kUsed) == 0; up = nodes_[up].parent) nodes_[up].owners |= kUsed;
  }
  free_ = kNone;
  some_unused_ = false;
  for (auto p = static_cast<Place>(nodes_.size()); p-- > 0;) {
    Node& n = nodes_[p];
    if ((n.owners & kUsed) != 0) {
      n.owners &= ~kUsed;
    } else {
      n = {kFree, free_, 0, 0, 0};
      free_ = p;
    }
  }
}

}  // namespace weir
