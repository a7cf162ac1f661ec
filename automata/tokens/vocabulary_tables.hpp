// What masks need of a vocabulary, made once from it alone. Private to automata/.
//
// Beside the trie of all tokens: a trie of the tokens without their leading white space (wherever white space changes
// nothing, a token is as good as its rest), the tokens that are white space only, and the tokens that close a quoted
// text midway, split at the quote into a prefix and the text left over (there are few distinct ones of either).
// Thread safety: immutable after construction.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tokens/token_mask.hpp"
#include "tokens/trie.hpp"
#include "weir/automata/vocabulary.hpp"
#include "weir/grammar/expr.hpp"

namespace weir {

// JSON white space, RFC 8259 section 2.
ByteSet json_space();

// What tokens do inside a quoted text of which nothing more is known.
struct TextTables {
  // Tokens with an unescaped quote: prefix before the first one, suffix after it.
  struct QuoteSplit {
    TokenId token = 0;
    std::uint32_t prefix = 0;  // index into quote_prefixes
  };
  std::vector<std::string> quote_prefixes;
  std::vector<QuoteSplit> quote_splits;
  Trie quote_suffixes;  // payload: index into quote_splits; those with an empty suffix are at the root

  // Tokens that may stand inside any quoted text, with the code points they take up: one that stops within a
  // character or an escape counts that one too. Ascending by count.
  struct BodyToken {
    TokenId token = 0;
    std::uint32_t code_points = 0;
  };
  std::vector<BodyToken> body;
  TokenSet body_set;
  std::uint32_t max_code_points = 0;  // the most that one token can take up

  std::size_t memory_bytes() const noexcept;
};

struct VocabularyTables {
  explicit VocabularyTables(std::shared_ptr<const Vocabulary> vocabulary);

  std::shared_ptr<const Vocabulary> vocabulary;
  Trie tokens;    // payload: token id
  Trie stripped;  // tokens that are not only white space, by their text after it; payload: token id
  TokenSet space_only;

  TextTables any_escape;
  TextTables needed_escape;
  const TextTables& text(bool any) const noexcept { return any ? any_escape : needed_escape; }

  std::size_t memory_bytes() const noexcept;
};

}  // namespace weir
