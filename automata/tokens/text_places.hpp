// What tokens do inside a quoted text of which nothing more is known, from one place of a trie on. Private to
// automata/.
//
// A place is a node at which quoted text begins (or goes on, between two characters). The texts below it either stay
// inside the text or close it once: then they are split at the quote into a prefix, which belongs to the text, and a
// suffix, which belongs to what follows. There are few distinct prefixes and few distinct suffixes: so what follows is
// walked once over the suffixes, whatever the text, and the text decides only which prefixes may end it.
// Thread safety: immutable after construction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokens/token_mask.hpp"
#include "tokens/trie.hpp"
#include "weir/automata/vocabulary.hpp"
#include "weir/grammar/expr.hpp"

namespace weir {

// JSON white space, RFC 8259 section 2.
ByteSet json_space();

// `text`, which starts where JSON expects a sign or a value, without the white space that changes nothing there: in
// front, and after each of the signs { } [ ] : and comma that it starts with. The rest is left as it is.
std::string structural_form(std::string_view text);

// The tokens that stay inside, by the code points they take up: one that stops within a character or an escape counts
// that one too.
struct TextBody {
  struct Token {
    TokenId token = 0;
    std::uint32_t code_points = 0;
  };
  std::vector<Token> tokens;  // ascending by code points
  TokenSet all;
  std::uint32_t max_code_points = 0;  // the most that one text below the place takes up, up to its quote
  // For large places: the sets of tokens that take up at most so many; empty for small ones.
  std::vector<TokenSet> up_to;
  std::vector<std::uint32_t> up_to_index;  // by number of code points: index into up_to
};

// The tokens that close the text midway.
struct TextEnds {
  std::vector<std::string> prefixes;  // as they are written, escapes and all; by the first byte they stand for
  std::vector<std::uint32_t> code_points;
  std::uint32_t most_code_points = 0;
  std::array<std::uint32_t, 257>
      by_first{};    // prefixes of texts that start with byte b: by_first[b] .. by_first[b + 1]
  Trie prefix_trie;  // payload: index into prefixes

  // By suffix, a node of the suffix trie: the tokens with suffix_nodes[i] are suffix_tokens[suffix_first[i] ..
  // suffix_first[i + 1]], their prefixes lie at the same places.
  std::vector<Trie::Node> suffix_nodes;
  std::vector<std::uint32_t> suffix_first;
  std::vector<TokenId> suffix_tokens;
  std::vector<std::uint32_t> suffix_prefixes;
  // By prefix: those of prefix p are by_prefix[prefix_first[p] .. prefix_first[p + 1]], ascending by suffix.
  struct Split {
    Trie::Node suffix = 0;
    TokenId token = 0;
  };
  std::vector<std::uint32_t> prefix_first;
  std::vector<Split> by_prefix;
};

struct TextPlace {
  std::shared_ptr<const TextBody> body;
  TextEnds ends;
};

// `with_body`: the body counts too; where two places share it, with one of them.
std::size_t memory_of(const TextPlace& place, bool with_body) noexcept;

// All texts that may be left over after a closing quote. `spaced`: by their structural form.
Trie text_suffixes(const Vocabulary& vocabulary, bool spaced);

// `body`: of the same place with other suffixes, to be shared; null: computed.
TextPlace make_text_place(const Vocabulary& vocabulary, const Trie& trie, Trie::Node node, bool any_escape,
                          const Trie& suffixes, bool spaced, std::shared_ptr<const TextBody> body = nullptr);

}  // namespace weir
