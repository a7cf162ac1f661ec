// Tokens by the classes of their bytes: which tokens are made of some classes alone is then a matter of a few unions.
// Private to automata/.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tokens/byte_classes.hpp"
#include "tokens/token_mask.hpp"
#include "tokens/trie.hpp"
#include "weir/automata/vocabulary.hpp"

namespace weir {

class ClassTokens {
 public:
  ClassTokens() = default;
  explicit ClassTokens(const Vocabulary& vocabulary);

  // Of the tokens strictly below the node, those whose next byte is of `first` and all others of `classes` (with
  // kIllFormed: in whatever order; else what follows the byte is well-formed UTF-8 or begins it). Nothing where these
  // tables do not tell: for nodes that are neither the root nor a child of it, and sets that are not whole classes.
  std::optional<TokenSet> inside(const Trie& tokens, Trie::Node node, const ByteSet& first,
                                 std::uint64_t classes) const;
  std::size_t memory_bytes() const noexcept;

 private:
  std::size_t words_ = 0;
  std::vector<TokenSet> first_;  // by class of the first byte
  std::vector<TokenSet> rest_;   // by class of some later byte; the last: not well-formed from the second byte on
};

}  // namespace weir
