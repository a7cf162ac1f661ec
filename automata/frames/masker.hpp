// The mask of a state: every token whose bytes the state can take. Private to automata/.
//
// mask(state) is the union over its items; no set of items is made deterministic. For each item: the frame of its head
// (shared, computed once), and behind the places where the head may end, a walk of what follows over the texts left
// over. Structural heads are walked directly: few bytes are alive there.
// Thread safety: none; each matcher owns one.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "frames/frame_cache.hpp"
#include "frames/state_store.hpp"
#include "frames/stepper.hpp"

namespace weir {

class Masker {
 public:
  Masker(FrameCache& frames, Stepper& stepper, StateStore& store);

  void fill(StateId s, std::span<std::uint32_t> words);

 private:
  // Emits the tokens strictly below `node` that the items take.
  template <class Emit>
  void walk(const Trie& trie, Trie::Node node, const Items& items, Emit&& emit);
  void walk_tokens(TrieId id, Trie::Node node, const Items& items);
  template <class Emit>
  void walk_suffix_trie(const Trie& suffixes, StateId rest, Emit&& emit);
  void walk_suffixes(StateId rest, const std::vector<std::uint64_t>& prefixes);
  void apply_frame(const Item& item, TrieId id, Trie::Node node);
  void apply_key(const Item& item);
  void apply_key_below(const Item& item, TrieId id, Trie::Node node);
  bool is_open_key(const Head& head) const;
  const Trie& trie(TrieId id) const noexcept { return id == TrieId::kTokens ? tables_.tokens : tables_.stripped; }
  bool takes_space(const Head& head) const;
  bool has_frame(const Head& head) const;
  Items& scratch();
  // The mask is written by its first set; whoever sets single bits before that clears it first.
  void add_set(const TokenSet& set);
  void begin_writing();

  FrameCache& frames_;
  const VocabularyTables& tables_;
  const TextTables& text_;
  Stepper& stepper_;
  StateStore& store_;
  bool json_space_ = false;
  std::span<std::uint32_t> words_;
  bool written_ = false;
  // The nodes of a trie of left-over texts that a state takes: the tokens of one quoted text ask for the same again
  // and again.
  std::unordered_map<std::uint64_t, std::vector<Trie::Node>> taken_;
  std::size_t taken_nodes_ = 0;
  std::deque<Items> scratch_;  // one for each level of recursion; a deque keeps references valid
  std::size_t depth_ = 0;
};

}  // namespace weir
