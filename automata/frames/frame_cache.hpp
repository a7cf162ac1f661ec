// What a head accepts by itself, below one node of a trie, whatever follows it: computed once and shared. Private to
// automata/.
//
// The frame of (head, node) is the set of tokens that stay inside the head or stop exactly where it may end, and the
// places where it may end midway: texts that are then left over for what follows. The frames of expressions that every
// arena starts with (numbers, literals) belong to the vocabulary; the others to a compiler.
// Thread safety: all members may be called by any number of threads. A frame that is there is found without a lock; one
// that is not is made outside of it, and put there under it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "frames/character_steps.hpp"
#include "frames/expr_frame.hpp"
#include "frames/head.hpp"
#include "frames/stepper.hpp"
#include "tokens/shared_table.hpp"
#include "tokens/token_mask.hpp"
#include "tokens/vocabulary_tables.hpp"

namespace weir {

struct Frame {
  // Texts left over where an expression may end midway, by their first byte (all white space: by the first of it).
  struct Exits {
    std::uint8_t byte = 0;
    std::vector<Trie::Node> nodes;  // where that byte is left over
    std::vector<Tail> tails;        // likewise
    // The texts as a trie, each once, whatever stood in front of it; payload: token id. Made when somebody first goes
    // on with that byte: after a number none goes on with a digit. Null: not made, or `nodes` is as good.
    mutable std::atomic<const Trie*> suffixes{nullptr};
    Exits() = default;
    Exits(Exits&& o) noexcept
        : byte(o.byte), nodes(std::move(o.nodes)), tails(std::move(o.tails)), suffixes(o.suffixes.exchange(nullptr)) {}
    Exits& operator=(Exits&& o) noexcept {
      byte = o.byte;
      nodes = std::move(o.nodes);
      tails = std::move(o.tails);
      delete suffixes.exchange(o.suffixes.exchange(nullptr));
      return *this;
    }
    ~Exits() { delete suffixes.load(std::memory_order_relaxed); }
  };
  TokenSet inside;
  std::vector<Exits> exits;            // ascending by byte
  ByteSet exit_bytes;                  // theirs
  std::vector<Trie::Node> large_ends;  // ends with very much below them, which are not among the exits
  // Ends that lie further back: before bytes that the expression takes, too, of tokens with which it dies later. Listed
  // when somebody goes on with such a byte.
  struct Tails {
    ByteSet bytes;
    std::vector<Tail> ends;
    std::vector<std::pair<const LoopTable*, ByteSet>> tables;  // and the bytes with which the loop's state goes on
    // What was listed, one after the other. Read without a lock; added to under `mutex`.
    struct Listed {
      Exits exits;
      Listed* next = nullptr;
    };
    mutable std::mutex mutex;
    mutable std::atomic<Listed*> listed{nullptr};
    const Exits* find(std::uint8_t byte) const noexcept {
      const Listed* at = listed.load(std::memory_order_acquire);
      while (at != nullptr && at->exits.byte != byte) at = at->next;
      return at == nullptr ? nullptr : &at->exits;
    }
    Tails() = default;
    Tails(const Tails&) = delete;
    Tails& operator=(const Tails&) = delete;
    ~Tails() {
      for (Listed* at = listed.load(std::memory_order_relaxed); at != nullptr;) delete std::exchange(at, at->next);
    }
  };
  Tails tails;
  bool has_exits() const noexcept { return !exits.empty() || !large_ends.empty() || !tails.bytes.empty(); }
  // Quoted text: which prefixes of its place it may end after.
  std::vector<std::uint64_t> prefixes;

  // Quoted text without a counter, at the root; for texts of the same pattern that are counted. If `counts`: with at
  // least `least_left` characters left, and no more than most_min that must still come, the tokens that stay inside are
  // `inside`, of `longer` those that need no more characters than are left, and of the irregular tokens those that a
  // walk takes. Without a counter: `inside`, `longer` and `irregular`, all of them.
  static constexpr std::uint32_t kShort = TextGroups::ClassSet::kShort;
  std::uint32_t least_left = 0;
  bool counts = true;
  std::uint32_t most_min = kUnbounded;
  std::vector<std::pair<std::uint32_t, TokenId>> longer;  // ascending by need
  TokenSet irregular;
  struct Part {
    const TextGroups::ClassSet* set = nullptr;
    std::uint32_t from = 0;  // a token of it needs so many characters more
  };
  std::vector<Part> parts;          // belong to `inside` and `longer`
  const TokenSet* every = nullptr;  // likewise
  const Frame* base = nullptr;      // with the tokens that are not here, and the prefixes

  std::size_t memory_bytes() const noexcept;
};

// A text of `base` that is none of few others. At the root of the tokens, where `plain`: tokens that stay inside the
// one stay inside the other, and it may not end after the prefixes of `excluded`.
struct TextDifference {
  bool plain = false;
  ExprId base = kEmptyExpr;
  std::vector<std::uint64_t> excluded;
};

struct FrameKey {
  Head head;
  std::uint32_t trie = 0;  // its id
  Trie::Node node = 0;
  LengthCounter left;   // of quoted text
  bool shared = false;  // only with short tokens
  friend bool operator==(const FrameKey&, const FrameKey&) = default;
};

struct FrameKeyHash {
  std::size_t operator()(const FrameKey& key) const noexcept {
    std::uint64_t h = (std::uint64_t{key.trie} << 32U) | key.node;
    for (const std::uint32_t w : {key.head.w0, key.head.w1, key.head.w2, key.left.min_left, key.left.max_left}) {
      h = (h ^ w) * 0x9E3779B97F4A7C15ULL;
      h ^= h >> 32U;
    }
    return h;
  }
};

class FrameCache {
 public:
  // `common` is the cache of the vocabulary for expressions below `common_limit`; null in that cache itself.
  FrameCache(std::shared_ptr<const VocabularyTables> tables, FrameCache* common, ExprId common_limit);
  // For the tries of one matcher, and its thread alone: takes no locks.
  explicit FrameCache(std::shared_ptr<const VocabularyTables> tables);

  // The frame of a kExpr or kText head (between characters) below the node. `stepper` does the steps when it is new.
  const Frame& get(const Head& head, TrieId trie, Trie::Node node, Stepper& stepper);

  // What a kText head (between characters) at the root is, if it is a difference.
  const TextDifference& difference(const Head& head, Stepper& stepper);

  // The frame of a kExpr head in any trie of tokens by the ends of their texts; the trie must outlive the frame's use.
  const Frame& get_expr(const Head& head, const Trie& trie, Trie::Node node, Stepper& stepper);
  // The trie of the texts left over in `trie`; null where walking the nodes is as good.
  const Trie* suffixes(const Frame::Exits& exits, const Trie& trie, bool spaced) const;
  // The exits of the frame's tails by one of their bytes.
  static const Frame::Exits& tail_exits(const Frame& frame, const Trie& trie, std::uint8_t byte);

  const VocabularyTables& tables() const noexcept { return *tables_; }
  const std::shared_ptr<const VocabularyTables>& shared_tables() const noexcept { return tables_; }
  std::size_t memory_bytes() const;

 private:
  std::unique_lock<std::mutex> lock() const {
    return shared_ ? std::unique_lock(mutex_) : std::unique_lock(mutex_, std::defer_lock);
  }
  static void list_tails(const Frame& frame, const Trie& trie, std::uint8_t byte, Frame::Exits& exits);
  template <class Build>
  const Frame& find_or_build(const FrameKey& key, Build&& build);
  const Frame& text_root(const FrameKey& key, const Head& head, Stepper& stepper);
  void build_text(const Head& head, bool sharing, Stepper& stepper, Frame& out);
  void walk_text(const Head& head, const Trie& trie, Trie::Node node, Stepper& stepper, Frame& out) const;
  TextDifference find_difference(const Head& head, Stepper& stepper) const;
  // The prefixes that a text may end after.
  static std::vector<std::uint64_t> prefixes_of(const Head& head, const TextEnds& ends, Stepper& stepper);

  std::shared_ptr<const VocabularyTables> tables_;
  bool shared_ = true;
  FrameCache* common_;
  ExprId common_limit_;
  CharacterFacts facts_;
  LoopTables loops_;
  mutable std::mutex mutex_;
  // Guarded by mutex_, but for what is there already.
  SharedTable<FrameKey, Frame, FrameKeyHash> frames_;
  SharedTable<FrameKey, TextDifference, FrameKeyHash> differences_;
};

}  // namespace weir
