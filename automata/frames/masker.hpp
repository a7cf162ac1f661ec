// The mask of a state: every token whose bytes the state can take. Private to automata/.
//
// mask(state) is the union over its items; no set of items is made deterministic. For each item: the frame of its head
// (shared, computed once), and behind the places where the head may end, a walk of what follows over the texts left
// over. Structural heads are walked directly: few bytes are alive there.
//
// A mask is found as a few shared sets and a list of token ids; that is remembered for each state of the sequence, so
// that a state asked again costs a copy and a scatter.
// Thread safety: none; each matcher owns one.
#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "frames/frame_cache.hpp"
#include "frames/state_map.hpp"
#include "frames/state_store.hpp"
#include "frames/stepper.hpp"

namespace weir {

class Masker {
 public:
  Masker(FrameCache& frames, Stepper& stepper, StateStore& store);

  void fill(StateId s, std::span<std::uint32_t> words);
  // At most about so many bytes for what is remembered from now on.
  void set_max_bytes(std::size_t bytes);
  // The states were numbered anew, or lacked room: forgets what depends on them.
  void forget_states();
  // Finds masks that states after s may need, until the deadline; a mask begun is finished.
  void prepare(StateId s, std::chrono::steady_clock::time_point deadline);
  std::size_t memory_bytes() const noexcept;

 private:
  // Below so many nodes a walk is cheaper than a look-up.
  static constexpr std::uint32_t kFrameNodes = 64;
  static constexpr std::uint32_t kRuleFrameNodes = 16;  // in grammars of rules
  static constexpr std::uint32_t kPlaceNodes = 4;
  // From so many nodes on what a called rule takes is found by itself.
  static constexpr std::uint32_t kCallNodes = 256;
  static constexpr std::size_t kKnownFrames = 256;  // a power of two

  using Bits = std::vector<std::uint64_t>;
  // What fill found, to be written again.
  struct Remembered {
    std::uint32_t first_set = 0;
    std::uint32_t sets = 0;
    std::uint32_t first_id = 0;
    std::uint32_t ids = 0;
    std::uint8_t asked = 0;  // again
    bool complete = false;
  };
  struct Condensed {
    Remembered from;  // as it was
    std::unique_ptr<TokenSet> set;
  };
  // The nodes of a trie of texts that a state takes, ascending; of those, the ones where that is doubtful.
  struct TakenNodes {
    std::vector<Trie::Node> nodes;
    std::vector<Trie::Node> doubtful;
    bool is_doubtful(Trie::Node node) const {
      return !doubtful.empty() && std::binary_search(doubtful.begin(), doubtful.end(), node);
    }
  };
  // Of the suffix trie, and the same as a bitset.
  struct Taken : TakenNodes {
    std::vector<std::uint64_t> bits;
  };
  // Texts left over: those below a node of a trie, or all that a frame leaves over.
  struct Position {
    const Trie* trie = nullptr;
    const Frame* frame = nullptr;  // if not null: its exits, in the trie
    bool own = false;              // the trie and its frames are this masker's
    Trie::Node node = 0;
    friend auto operator<=>(const Position&, const Position&) = default;
  };
  // Consecutive states of rules on a stack, from the top: those in which a rule goes on after a call that began where
  // it began itself. The levels of operators of an expression are one such run, and few different ones occur.
  using RunId = std::uint32_t;  // 0: none
  struct Run {
    std::uint32_t rule_state = 0;
    RunId below = 0;
    StateId over_hole = kDeadState;
  };
  struct RunAt {
    RunId run = 0;
    StateId below = kDeadState;
  };
  // What runs take, whatever follows them: tokens, and the positions at which what follows goes on.
  using PositionsId = std::uint32_t;  // 0: none
  struct Piece {
    std::vector<const TokenSet*> sets;
    std::vector<TokenId> ids;
    TokenSet own;  // of them, when they are many; then among `sets`
    PositionsId left = 0;
  };
  struct SetsHash {
    std::size_t operator()(const std::vector<const TokenSet*>& sets) const noexcept;
  };
  struct PositionsHash {
    std::size_t operator()(const std::vector<Position>& positions) const noexcept;
  };
  void compute(StateId s);
  void make_known(StateId s);
  void append_next(StateId s, std::vector<StateId>& out);
  void remember(StateId s);
  void condense(Remembered& r);
  void forget_remembered();
  void forget_taken();
  void write(std::span<const TokenSet* const> sets, std::span<const TokenId> ids, std::span<std::uint32_t> words) const;

  // Calls emit(child, items) for the children of `node` that the items take.
  template <class Emit>
  void walk(const Trie& trie, Trie::Node node, const Items& items, Emit&& emit);
  // Adds the tokens strictly below `node` that the items take.
  void walk_tokens(TrieId id, Trie::Node node, const Items& items);
  bool apply_shared(const Item& item, TrieId id, Trie::Node node);
  void apply_expr(const Item& item, const Trie& trie, bool own, Trie::Node node);
  void apply_text(const Item& item, TrieId id, Trie::Node node);
  void apply_pattern(const Item& item, TrieId id, Trie::Node node, const TextEnds& ends);
  bool apply_difference(const Item& item);
  void apply_key(const Item& item, TrieId id, Trie::Node node);
  // Tokens that stay inside a key of which only listed ones are allowed. `pending`: bytes of a character to come.
  void add_listed_key(const Item& item, const RecordInfo& record, TrieId id, Trie::Node node, std::uint32_t place,
                      unsigned pending);
  // Tokens that close a quoted text at this place and go on with `rest`: those whose prefix is in the set (null: all).
  void add_ends(const TextEnds& ends, StateId rest, const Bits* prefixes);
  void add_ends_of_prefix(const TextEnds& ends, StateId rest, std::uint32_t prefix);
  // Adds what the state takes from the positions on; of rules in pieces that do not depend on the stack below.
  void resolve(PositionsId from, StateId rest);
  const Piece& piece(PositionsId from, RunId run);
  void find_piece(PositionsId from, RunId run, Piece& out);
  void walk_run(PositionsId from, RunId run);
  void resolve_run(PositionsId from, RunId run);
  void join_pieces(std::span<const PositionsId> from, RunId run, Piece& out);
  void finish_piece(Piece& piece);
  void find_runs();
  RunAt run_at(const Item& item);
  const RunAt& run_at(StateId s);
  RunId intern_run(std::uint32_t rule_state, RunId below);
  PositionsId intern(std::vector<Position>& positions);
  // One trie in place of many positions with short texts below them: most of these texts are the same.
  void merge_texts(std::vector<Position>& positions);
  // One set in place of several; the same ones meet again and again.
  void unite_sets(std::vector<const TokenSet*>& sets);
  void forget_pieces();
  void walk_position(const Position& from, const Items& items);
  void walk_frame(const Position& from, const Items& items);
  void walk_exits(const Position& from, const Frame::Exits& exits, const Items& items);
  void walk_at(const Position& from, const Items& items);
  const Taken& taken(StateId rest);
  void walk_taken(const Trie& texts, StateId rest, TakenNodes& out);
  const TakenNodes& taken_below(const Trie& suffixes, StateId rest);
  // Where a captured item goes on: what walks of what follows leave in doubt is walked anew, the text before known.
  void add_node(const Trie& trie, Trie::Node node, const Items& items);
  void settle_doubts(StateId s);
  void walk_plain(const Trie& trie, Trie::Node node, const Items& items);

  const Frame& text_frame(const Head& head, TrieId id, Trie::Node node);
  const Frame& expr_frame(const Head& head, const Trie& trie, bool own, Trie::Node node);
  const TextPlace& place(TrieId id, Trie::Node node) {
    return id == TrieId::kTokens && node == Trie::kRoot ? root_place_ : tables_.place(style_, id, node);
  }
  bool takes_space(const Head& head) const;
  bool is_between_characters(const Head& head) const { return json_quote_ && head.aux() == 0; }
  Items& scratch();
  void add_set(const TokenSet& set);
  void add_ids(std::span<const TokenId> ids) { ids_.insert(ids_.end(), ids.begin(), ids.end()); }

  FrameCache& frames_;
  const VocabularyTables& tables_;
  Stepper& stepper_;
  StateStore& store_;
  TextStyle style_;
  bool rules_ = false;
  bool json_quote_ = false;
  const TextPlace& root_place_;

  // The mask being found.
  std::vector<const TokenSet*> sets_;
  std::vector<TokenId> ids_;
  bool complete_ = false;
  bool capturing_ = false;                                         // a captured item goes on
  std::vector<TokenId> doubtful_;                                  // of the mask being found
  const Bits* excluded_ = nullptr;                                 // prefixes, of the text at hand
  Bits prefixes_;                                                  // scratch
  std::vector<std::pair<std::uint32_t, std::uint32_t>> key_ends_;  // scratch: label and prefix

  std::vector<Position> left_;  // of the piece being found
  std::vector<bool> goes_on_;   // by state of a rule: after a call that began where the rule began
  std::vector<Run> runs_;       // by id
  std::unordered_map<std::uint64_t, RunId> run_ids_;  // by state of a rule and run below
  std::vector<RunAt> run_at_;                         // by state

  // Memories, each dropped as a whole when it is full.
  StateMap<Remembered> remembered_;
  StateMap<bool> prepared_;
  std::vector<const TokenSet*> remembered_sets_;
  std::vector<TokenId> remembered_ids_;
  std::unordered_map<std::uint64_t, Condensed> condensed_;  // by a hash of what it was
  std::deque<Taken> taken_;                                 // by number
  StateMap<std::uint32_t> taken_index_;                     // number in taken_
  std::unordered_map<std::uint64_t, TakenNodes> taken_below_;
  std::size_t taken_nodes_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Piece>> pieces_;  // by positions and run
  std::unordered_map<std::vector<Position>, PositionsId, PositionsHash> position_ids_;
  std::deque<std::vector<Position>> positions_;  // by id, texts merged
  std::deque<std::vector<PositionsId>> parts_;   // by id: of its positions one by one
  std::vector<std::unique_ptr<Trie>> merged_;
  std::unique_ptr<FrameCache> own_frames_;  // of merged tries
  std::unordered_map<const Frame*, PositionsId> exits_of_;
  std::unordered_map<std::vector<const TokenSet*>, std::unique_ptr<TokenSet>, SetsHash> unions_;
  std::size_t piece_bytes_ = 0;
  // Of each of these.
  std::size_t most_remembered_bytes_ = 0;
  std::size_t most_taken_bytes_ = 0;
  std::size_t most_piece_bytes_ = 0;
  struct KnownFrame {
    Head head;
    std::uint32_t trie = 0;
    Trie::Node node = 0;
    const Frame* frame = nullptr;
  };
  std::vector<KnownFrame> known_frames_;  // direct-mapped

  std::deque<Items> scratch_;  // one for each level of recursion; a deque keeps references valid
  std::size_t depth_ = 0;
};

template <class Emit>
void Masker::walk(const Trie& trie, Trie::Node node, const Items& items, Emit&& emit) {
  if (trie.is_leaf(node)) return;
  const std::size_t depth = depth_;
  Items& next = scratch();
  const auto take = [&](Trie::Node c, std::uint8_t byte) {
    next.clear();
    stepper_.step(items, byte, next);
    if (next.empty()) return;
    remove_duplicates(next);
    emit(c, next);
  };
  const auto bytes = trie.child_bytes(node);
  const auto children = trie.children(node);
  constexpr std::size_t kFew = 3;
  if (bytes.size() <= kFew) {
    for (std::size_t i = 0; i < bytes.size(); ++i) take(children[i], bytes[i]);
    depth_ = depth;
    return;
  }
  const ByteSet first = stepper_.first_bytes(items);
  constexpr std::size_t kSome = 24;
  if (bytes.size() <= kSome || bytes.size() <= static_cast<std::size_t>(first.size())) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (first.contains(bytes[i])) take(children[i], bytes[i]);
    }
  } else {
    first.for_each([&](std::uint8_t byte) {
      if (const Trie::Node c = trie.child(node, byte); c != Trie::kRoot) take(c, byte);
    });
  }
  depth_ = depth;
}

}  // namespace weir
