// What a head accepts by itself, below one node of a trie, whatever follows it: computed once and shared. Private to
// automata/.
//
// The frame of (head, node) is the set of tokens that stay inside the head or stop exactly where it may end, and the
// places where it may end midway: nodes whose texts are then left over for what follows. The frames of expressions
// that every arena starts with (any text, numbers) belong to the vocabulary; the others to a compiler.
// Thread safety: all members may be called by any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "frames/head.hpp"
#include "frames/stepper.hpp"
#include "tokens/token_mask.hpp"
#include "tokens/vocabulary_tables.hpp"

namespace weir {

enum class TrieId : std::uint8_t { kTokens, kStripped };

struct Frame {
  struct Exit {
    std::uint8_t byte = 0;  // the first byte left over
    Trie::Node node = 0;    // the node of that byte
  };
  TokenSet inside;
  // Where it may end midway. Few tokens: a trie of their left-over texts, each text once, whatever stood in front of
  // it; payload: token id. Many: the nodes where a text is left over.
  std::unique_ptr<Trie> suffixes;
  std::vector<Exit> exits;  // ascending by byte
  ByteSet exit_bytes;
  // For any text below an inner node: the tokens that end it, by their whole text below the node.
  std::unique_ptr<Trie> ending;
  // For quoted text at a root: which quote prefixes it may end after. The left-over texts are in quote_suffixes.
  bool by_prefix = false;
  std::vector<std::uint64_t> prefixes;
};

struct FrameKey {
  Head head;
  std::uint32_t place = 0;  // trie and node
  friend bool operator==(const FrameKey&, const FrameKey&) = default;
};

struct FrameKeyHash {
  std::size_t operator()(const FrameKey& key) const noexcept {
    std::uint64_t h = key.place;
    for (const std::uint32_t w : {key.head.w0, key.head.w1, key.head.w2}) {
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

  // The frame of a kExpr or kText head (between characters) below the node. `stepper` does the steps when it is new.
  const Frame& get(const Head& head, TrieId trie, Trie::Node node, Stepper& stepper);

  const VocabularyTables& tables() const noexcept { return *tables_; }
  std::size_t memory_bytes() const;

 private:
  const TextTables& text_of(Stepper& stepper) const;
  void build(const Head& head, TrieId trie, Trie::Node node, Stepper& stepper, Frame& out) const;
  void build_any_text(const Head& head, Stepper& stepper, Frame& out) const;
  void collect_exits(const Trie& trie, const std::vector<Trie::Node>& ends, Frame& out) const;
  void collect_ending(const Trie& trie, Trie::Node node, const std::vector<Trie::Node>& ends, Frame& out) const;
  void add_quote_prefixes(const Head& head, Stepper& stepper, Frame& out) const;

  std::shared_ptr<const VocabularyTables> tables_;
  FrameCache* common_;
  ExprId common_limit_;
  mutable std::mutex mutex_;
  std::unordered_map<FrameKey, std::unique_ptr<Frame>, FrameKeyHash> frames_;
};

}  // namespace weir
