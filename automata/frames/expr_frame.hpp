// The frame of an expression below a node of a trie of tokens. Private to automata/.
//
// The trie is walked with the expression's states. Below a node whose bytes all leave the state as it is, as with the
// letters of a name, nothing is walked: all tokens are inside. Where such a state may end, every place below is an end
// as well; those are only told (Frame::LoopEnds), as what follows a name hardly ever begins with a letter. What a loop
// over large classes does below a large node is found once and shared by all expressions that hold it (LoopTable).
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

// A node where a loop may end: before each child whose byte is of the loop or, `all` of them, before each node below
// whose byte is.
struct LoopEnd {
  Trie::Node node = 0;
  bool all = false;
};

// Texts that start with one byte of a set and go on with those of a loop, below one node of a trie.
struct LoopTable {
  ByteSet first;
  ByteSet loop;
  bool wide = false;
  TokenSet inside;
  std::vector<Trie::Node> leaving;  // nodes with the first byte that is not of the loop
  std::vector<LoopEnd> ends;
  std::size_t memory_bytes() const noexcept {
    return sizeof(LoopTable) + inside.memory_bytes() + leaving.capacity() * sizeof(Trie::Node) +
           ends.capacity() * sizeof(LoopEnd);
  }
};

// Thread safety: all members may be called by any number of threads.
class LoopTables {
 public:
  // `wide`: the loop takes every character beyond ASCII as well. The trie must outlive this object.
  const LoopTable& get(const Trie& trie, Trie::Node node, const ByteSet& first, const ByteSet& loop, bool wide,
                       std::size_t mask_words);
  std::size_t memory_bytes() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::vector<std::unique_ptr<const LoopTable>>> tables_;  // by trie and node
};

class ExprFrameBuilder {
 public:
  ExprFrameBuilder(const VocabularyTables& tables, LoopTables& loops, Stepper& stepper);

  void build(ExprId e, const Trie& trie, Trie::Node node, Frame& out);

  // The exits of the frame by a byte of Frame::LoopEnds.
  static std::vector<Trie::Node> loop_exits(const Frame& frame, const Trie& trie, std::uint8_t byte);

 private:
  struct State {
    ExprId expr = kEmptyExpr;
    bool nullable = false;
    ByteSet first;
    ByteSet loop;  // with `wide`: and the bytes that start a character beyond ASCII
    bool wide = false;
    std::uint64_t classes = 0;  // of the loop
    std::uint32_t number = 0;   // of `loop` in Frame::LoopEnds::loops and one; 0: not there
    bool bulk_known = false;
  };

  State& state(ExprId e);
  // Tells which bytes keep the state: all well-formed texts over `classes`.
  void find_loop(State& s);
  bool returns(ExprId e, ExprId home, std::uint8_t place);
  bool is_bulk(Trie::Node n, State& s);
  // The node's byte, from the state of its parent.
  void take(Trie::Node n, State& s);
  void visit(Trie::Node n, State& s);
  void add_end(Trie::Node n, State& s);
  void add_exit(Trie::Node n);
  void add_loop_end(LoopEnd end, State& s);
  void visit_root(Trie::Node node, State& s);
  void add_table(Trie::Node node, const ByteSet& first, State& s);

  const VocabularyTables& tables_;
  LoopTables& loops_;
  ExprArena& arena_;
  const bool spaced_;
  const Trie* trie_ = nullptr;
  Frame* out_ = nullptr;
  std::deque<State> states_;
  std::unordered_map<ExprId, State*> by_expr_;  // once they are many
  std::array<std::int32_t, 256> exits_at_{};    // by byte: index into Frame::exits
  std::vector<std::pair<ExprId, std::uint8_t>> returning_;  // scratch
  TokenCollector collector_;
};

}  // namespace weir
