// Small vocabularies for tests of masks.
#pragma once

#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "weir/automata/vocabulary.hpp"

namespace weir::testing {

inline std::shared_ptr<const Vocabulary> vocabulary_of(std::vector<std::string> tokens) {
  tokens.emplace_back("<end>");
  const std::vector<TokenId> special{static_cast<TokenId>(tokens.size() - 1)};
  return std::make_shared<const Vocabulary>(Vocabulary::from_bytes(tokens, special, special).value());
}

// Every byte, and pieces of text that cut JSON in awkward places.
inline std::shared_ptr<const Vocabulary> json_vocabulary(std::uint32_t seed) {
  std::vector<std::string> tokens;
  for (unsigned b = 0; b < 256; ++b) tokens.emplace_back(1, static_cast<char>(b));
  const std::vector<std::string> parts = {
      "{",       "}",       "[",    "]",    ":",        ",",        "\"",       " ",   "\n",  "a",  "b",
      "ab",      "abc",     "name", "na",   "me",       "x",        "1",        "23",  "0",   "-",  "1.5",
      "e",       "E+",      "true", "fal",  "se",       "null",     "\\",       "\\n", "\\u", "00", "00e9",
      "\\ud83d", "\\ude00", "\xC3", "\xA9", "\xC3\xA9", "\xF0\x9F", "\x98\x80", "key", "é"};
  std::mt19937 random(seed);
  std::set<std::string> seen(tokens.begin(), tokens.end());
  while (tokens.size() < 900) {
    std::string text;
    const std::size_t pieces = 1 + random() % 4;
    for (std::size_t i = 0; i < pieces; ++i) text += parts[random() % parts.size()];
    if (seen.insert(text).second) tokens.push_back(text);
  }
  tokens.emplace_back("name");  // a duplicate
  tokens.emplace_back("");      // a token without text
  return vocabulary_of(std::move(tokens));
}

}  // namespace weir::testing
