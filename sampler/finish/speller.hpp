// Texts in the fewest tokens. Private to sampler/.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weir/automata/vocabulary.hpp"

namespace weir {

class Speller {
 public:
  explicit Speller(const Vocabulary& vocabulary);
  // Dynamic programming over the places of the text: O(size * longest token).
  std::optional<std::vector<TokenId>> fewest(std::string_view text) const;

 private:
  std::unordered_map<std::string_view, TokenId> tokens_;
  std::size_t longest_ = 0;
};

}  // namespace weir
