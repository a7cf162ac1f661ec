// The hash of a sequence of whole numbers, for the tables by which schemas, formulas and states are interned. Private
// to grammar/schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::schema {

struct WordsHash {
  template <class Word>
  std::size_t operator()(const std::vector<Word>& words) const noexcept {
    std::uint64_t hash = words.size();
    for (const Word word : words) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 29U;
    }
    return hash;
  }
};

}  // namespace weir::schema
