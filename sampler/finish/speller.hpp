// Texts in the fewest tokens. Private to sampler/.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weir/automata/vocabulary.hpp"

namespace weir {

class Speller {
 public:
  explicit Speller(const Vocabulary& vocabulary);
  // A token for each byte; nothing if a byte has none.
  std::optional<std::vector<TokenId>> by_bytes(std::string_view text) const;
  // Dynamic programming over the places of the text: O(size * longest token).
  std::optional<std::vector<TokenId>> fewest(std::string_view text);

 private:
  void read_tokens();

  const Vocabulary& vocabulary_;
  std::array<std::optional<TokenId>, 256> bytes_;
  std::unordered_map<std::string_view, TokenId> tokens_;  // filled when first needed
  std::size_t longest_ = 0;
};

}  // namespace weir
