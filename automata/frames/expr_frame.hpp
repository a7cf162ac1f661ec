// The frame of an expression below a node of a trie of tokens. Private to automata/.
//
// The trie is walked with the expression's states. Below a node whose bytes all leave the state as it is, as with the
// letters of a name, nothing is walked: all tokens are inside. A token that is inside need not be an exit as well, for
// it is in the mask already; so exits are of tokens only with which the expression dies on the way, and where a loop
// may end before one of its own bytes there are few of them. What a loop over large classes does below a large node is
// found once and shared by all expressions that hold it (LoopTable).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frames/stepper.hpp"
#include "tokens/token_mask.hpp"
#include "tokens/trie.hpp"
#include "tokens/vocabulary_tables.hpp"

namespace weir {

struct Frame;

// The tokens from a node on, with the `back` bytes before it, the first of which is `byte`.
struct Tail {
  Trie::Node node = 0;
  std::uint32_t back = 0;
  std::uint8_t byte = 0;
};

// Texts that start with one byte of a set and go on with those of a loop, below one node of a trie.
struct LoopTable {
  // A node with the first byte that is not of the loop.
  struct Leaving {
    Trie::Node node = 0;
    bool within = false;  // a character
  };
  ByteSet first;
  ByteSet loop;
  bool wide = false;  // the loop takes every character beyond ASCII as well
  TokenSet inside;
  std::vector<Leaving> leaving;
  std::vector<Tail> tails;  // of leaving nodes, from each place between characters, after the first
  std::size_t memory_bytes() const noexcept {
    return sizeof(LoopTable) + inside.memory_bytes() + leaving.capacity() * sizeof(Leaving) +
           tails.capacity() * sizeof(Tail);
  }
};

// Thread safety: all members may be called by any number of threads.
class LoopTables {
 public:
  // The trie must outlive this object.
  const LoopTable& get(const Trie& trie, Trie::Node node, const ByteSet& first, const ByteSet& loop, bool wide,
                       const VocabularyTables& tables);
  std::size_t memory_bytes() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::vector<std::unique_ptr<const LoopTable>>> tables_;  // by trie and node
};

class ExprFrameBuilder {
 public:
  ExprFrameBuilder(const VocabularyTables& tables, LoopTables& loops, Stepper& stepper);

  void build(ExprId e, const Trie& trie, Trie::Node node, Frame& out);

 private:
  struct State {
    ExprId expr = kEmptyExpr;
    bool nullable = false;
    bool first_known = false;
    bool loop_known = false;
    bool wide = false;  // every character beyond ASCII keeps the state
    ByteSet first;
    ByteSet loop;               // the bytes that do
    std::uint64_t classes = 0;  // of both
  };

  State& state(ExprId e);
  const ByteSet& first_of(State& s);
  void find_loop(State& s);
  bool returns(ExprId e, ExprId home, std::uint8_t place);
  bool is_bulk(Trie::Node n, State& s);
  // The node's byte, from the state of its parent; false if that dies.
  bool take(Trie::Node n, State& s);
  void visit(Trie::Node n, State& s);
  // The children that the state takes, and the exits before those that it does not.
  void take_children(Trie::Node n, State& s);
  bool is_large_end(Trie::Node n, State& s);
  void add_exits(Trie::Node n);
  void add_exit(Trie::Node n);
  void take_groups(Trie::Node node, State& s);
  void take_table(Trie::Node node, const ByteSet& first, State& from, State& s);
  void take_below(Trie::Node node, Trie::Node n, State& from);

  const VocabularyTables& tables_;
  LoopTables& loops_;
  ExprArena& arena_;
  const bool spaced_;
  const Trie* trie_ = nullptr;
  Frame* out_ = nullptr;
  std::deque<State> states_;
  std::unordered_map<ExprId, State*> by_expr_;              // once they are many
  std::array<std::int32_t, 256> exits_at_{};                // by byte: index into Frame::exits
  std::vector<std::uint8_t> path_;                          // bytes from the frame's node
  std::vector<std::uint32_t> ends_;                         // lengths of the path at which the expression may end
  std::vector<std::pair<ExprId, std::uint8_t>> returning_;  // scratch
  TokenCollector collector_;
};

}  // namespace weir
