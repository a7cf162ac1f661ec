// What masks need of a vocabulary, made once from it alone. Private to automata/.
//
// Beside the trie of all tokens: a trie of their structural forms (wherever white space between the signs of JSON
// changes nothing, a token is as good as what is left without it; that is a few dozen nodes in place of thousands), the
// tokens that are white space only, and what tokens do inside quoted text.
// Thread safety: all members may be called by any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "tokens/class_tokens.hpp"
#include "tokens/shared_table.hpp"
#include "tokens/text_groups.hpp"
#include "tokens/text_places.hpp"
#include "tokens/token_mask.hpp"
#include "tokens/trie.hpp"
#include "weir/automata/vocabulary.hpp"

namespace weir {

enum class TrieId : std::uint8_t { kTokens, kStructural };

// How quoted text is written and what stands around it.
struct TextStyle {
  bool any_escape = true;
  bool spaced = true;  // white space between the signs changes nothing, and nothing but JSON is around
};

struct VocabularyTables {
  explicit VocabularyTables(std::shared_ptr<const Vocabulary> vocabulary);

  std::shared_ptr<const Vocabulary> vocabulary;
  Trie tokens;      // payload: token id
  Trie structural;  // tokens that are not only white space, by their structural form; payload: token id
  TokenSet space_only;
  std::uint32_t longest_token = 0;  // bytes
  ClassTokens class_tokens;

  const Trie& trie(TrieId id) const noexcept { return id == TrieId::kTokens ? tokens : structural; }
  const Trie& suffixes(TextStyle style) const noexcept { return style.spaced ? spaced_suffixes_ : raw_suffixes_; }
  const TextPlace& root_place(TextStyle style) const noexcept { return *root_places_[index(style)]; }
  // The tokens of the root place's body.
  const TextGroups& groups(TextStyle style) const noexcept { return groups_[style.any_escape ? 1 : 0]; }
  // The place at a node; most are there from the start.
  const TextPlace& place(TextStyle style, TrieId trie, Trie::Node node) const;

  std::size_t memory_bytes() const;

 private:
  struct KeyHash {
    std::size_t operator()(std::uint64_t key) const noexcept { return (key * 0x9E3779B97F4A7C15ULL) >> 32U; }
  };
  static std::size_t index(TextStyle style) noexcept { return (style.any_escape ? 1U : 0U) | (style.spaced ? 2U : 0U); }
  static std::uint64_t key(TextStyle style, TrieId trie, Trie::Node node) noexcept {
    return (std::uint64_t{node} << 3U) | (index(style) << 1U) | static_cast<std::uint64_t>(trie);
  }
  void prepare_places(Trie::Node node);

  Trie raw_suffixes_;
  Trie spaced_suffixes_;
  std::unique_ptr<const TextPlace> root_places_[4];
  TextGroups groups_[2];
  mutable std::mutex mutex_;
  mutable SharedTable<std::uint64_t, TextPlace, KeyHash> places_;  // guarded by mutex_, but for what is there already
};

}  // namespace weir
