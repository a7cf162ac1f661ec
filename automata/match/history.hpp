// The accepted tokens of a sequence and its forks: a tree of states, and each matcher owns one place in it. Private to
// automata/.
//
// So a fork is one more owner of a place, whatever the length of the history, and a rollback goes up. Each place knows
// its parent and one place far above: n steps up take O(log n) of these (Myers 1983, An applicative random-access
// stack). A place that nobody owns and nobody came from is found when room is needed, and serves again.
// Thread safety: none; a sequence owns one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frames/head.hpp"

namespace weir {

class History {
 public:
  using Place = std::uint32_t;

  // A place without anything before it, owned once.
  Place start(StateId s);
  // The next place needs more memory, or the search for an unused one.
  bool is_full() const noexcept { return nodes_.size() == nodes_.capacity(); }
  void retain(Place p) noexcept { ++nodes_[p].owners; }
  void release(Place p) noexcept {
    --nodes_[p].owners;
    some_unused_ = true;
  }
  // The owner of `p` goes on to a new place with this state, or n places back. Precondition: n <= length(p).
  void push(Place& p, StateId s) {
    const Node up = nodes_[p];
    const Node& far = nodes_[up.far];
    // The far ones of a path divide it like the digits of a skew binary number.
    const bool equal = up.length - far.length == far.length - nodes_[far.far].length;
    const Place from = p;  // owned until the new place is there
    p = add({s, from, equal ? far.far : from, up.length + 1, 1});
    --nodes_[from].owners;
  }
  void back(Place& p, std::size_t n) noexcept;

  StateId state(Place p) const noexcept { return nodes_[p].state; }
  // Places before this one.
  std::size_t length(Place p) const noexcept { return nodes_[p].length; }
  // What leads to `p` of another history, as a place of this one, owned once.
  Place copy(const History& from, Place p);

  void clear() noexcept;
  // Calls visit(state) for the state of every place that an owner can go back to, by reference.
  template <class Visit>
  void for_each_state(Visit visit) {
    drop_unused();
    for (Node& n : nodes_) {
      if (n.state != kFree) visit(n.state);
    }
  }
  std::size_t memory_bytes() const noexcept { return nodes_.capacity() * sizeof(Node); }

 private:
  static constexpr StateId kFree = 0xFFFFFFFF;
  static constexpr Place kNone = 0xFFFFFFFF;
  struct Node {
    StateId state = kFree;
    Place parent = 0;  // of a free one: the next free one
    Place far = 0;
    std::uint32_t length = 0;
    std::uint32_t owners = 0;
  };
  Place add(const Node& node) {
    if (is_full()) [[unlikely]]
      return add_to_full(node);
    nodes_.push_back(node);
    return static_cast<Place>(nodes_.size() - 1);
  }
  Place add_to_full(const Node& node);
  void drop_unused();

  std::vector<Node> nodes_;
  Place free_ = kNone;
  bool some_unused_ = false;  // maybe
};

}  // namespace weir
