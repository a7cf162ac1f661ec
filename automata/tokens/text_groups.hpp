// Tokens grouped by the characters they are made of, so that what all tokens of a group do in a pattern is decided at
// once. Private to automata/.
//
// Characters are told apart by class: hexadecimal and other letters of either case, digits, each sign, and the rest of
// Unicode. A group holds the tokens that start with the same byte (beyond ASCII: with the same class) and whose other
// characters come from exactly the same classes.
// Thread safety: all members may be called by any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tokens/text_places.hpp"
#include "tokens/trie.hpp"
#include "weir/automata/vocabulary.hpp"
#include "weir/grammar/code_points.hpp"
#include "weir/grammar/detail/utf8.hpp"
#include "weir/grammar/expr.hpp"

namespace weir {

// Classes of characters that may stand in a quoted text as they are.
class TextClasses {
 public:
  static constexpr unsigned kNone = 0xFF;  // controls, the quote, the backslash
  static const TextClasses& get();

  unsigned count() const noexcept { return static_cast<unsigned>(members_.size()); }
  unsigned ascii_count() const noexcept { return ascii_count_; }
  unsigned of_ascii(std::uint8_t b) const noexcept { return of_ascii_[b]; }
  unsigned of(char32_t c) const;
  // ASCII classes: their bytes. The others: their encodings.
  const ByteSet& bytes(unsigned cls) const noexcept { return members_[cls]; }
  std::span<const Utf8Sequence> sequences(unsigned cls) const noexcept { return sequences_[cls - ascii_count_]; }

 private:
  TextClasses();
  std::array<std::uint8_t, 128> of_ascii_{};
  std::vector<ByteSet> members_;
  unsigned ascii_count_ = 0;
  // Beyond ASCII: white space and ends of lines, which patterns often leave out, and the rest.
  static constexpr std::size_t kWide = 4;
  std::array<CodePointSet, kWide> wide_;  // the first: what is in none of the others
  std::array<std::vector<Utf8Sequence>, kWide> sequences_;
};

class TextGroups {
 public:
  struct Group {
    std::uint64_t others = 0;  // classes of the characters after the first
    std::uint32_t first = 0;   // its tokens, by number of characters: tokens()[first .. last)
    std::uint32_t last = 0;
    std::uint32_t most_others = 0;  // characters after the first, at most
  };
  struct Token {
    TokenId token = 0;
    std::uint32_t others = 0;  // characters after the first
  };

  // Tokens whose first character is of one set of classes, and all others of another.
  // With up to `most` other characters.
  struct ClassSet {
    static constexpr std::uint32_t kShort = 16;
    TokenSet all;
    TokenSet brief;                                         // with up to kShort characters
    std::vector<std::pair<std::uint32_t, TokenId>> longer;  // the others, ascending by characters
    std::size_t memory_bytes() const noexcept {
      return all.memory_bytes() + brief.memory_bytes() + longer.capacity() * sizeof(longer[0]);
    }
  };

  TextGroups() : memory_(std::make_unique<Memory>()) {}
  TextGroups(const Vocabulary& vocabulary, const TextBody& body);

  // Of the tokens that start with this ASCII byte; with a character of this class beyond ASCII.
  std::span<const Group> starting_with(std::uint8_t b) const noexcept { return groups(b); }
  std::span<const Group> starting_with_class(unsigned cls) const noexcept { return groups(cls + 128U); }
  std::span<const Token> tokens(const Group& g) const noexcept {
    return std::span(tokens_).subspan(g.first, g.last - g.first);
  }
  // Remembered, as patterns share their classes; null when very many are. Any number of threads may call it.
  const ClassSet* class_set(std::uint64_t first, std::uint64_t others, std::uint32_t most,
                            std::size_t mask_words) const;
  // Tokens of the text with an escape, or with a part of a character: these are walked.
  const Trie& irregular() const noexcept { return irregular_; }
  // The tokens with more than kLong characters, these and others.
  static constexpr std::uint32_t kLong = 32;
  const Trie& long_tokens() const noexcept { return long_; }
  std::size_t memory_bytes() const;

 private:
  struct Memory {
    std::mutex mutex;
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>, std::unique_ptr<const ClassSet>> sets;
  };
  std::span<const Group> groups(std::size_t i) const noexcept {
    return std::span(groups_).subspan(first_[i], first_[i + 1] - first_[i]);
  }
  std::vector<Group> groups_;
  std::vector<std::uint32_t> first_;  // by ASCII byte, then by class: groups_[first_[i] .. first_[i + 1]]
  std::vector<Token> tokens_;
  Trie irregular_;
  Trie long_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace weir
