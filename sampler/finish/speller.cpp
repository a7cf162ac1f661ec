#include "finish/speller.hpp"

#include <algorithm>
#include <limits>

namespace weir {

Speller::Speller(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const std::string_view bytes = vocabulary.token(id);
    if (bytes.size() != 1 || vocabulary.kind(id) != TokenKind::kText) continue;
    auto& token = bytes_[static_cast<unsigned char>(bytes.front())];
    if (!token) token = id;
  }
}

std::optional<std::vector<TokenId>> Speller::by_bytes(std::string_view text) const {
  std::vector<TokenId> tokens;
  for (const char c : text) {
    const auto& token = bytes_[static_cast<unsigned char>(c)];
    if (!token) return std::nullopt;
    tokens.push_back(*token);
  }
  return tokens;
}

void Speller::read_tokens() {
  if (longest_ > 0) return;
  tokens_.reserve(vocabulary_.size());
  for (TokenId id = 0; id < vocabulary_.size(); ++id) {
    const std::string_view bytes = vocabulary_.token(id);
    if (vocabulary_.kind(id) != TokenKind::kText || bytes.empty()) continue;
    tokens_.try_emplace(bytes, id);
    longest_ = std::max(longest_, bytes.size());
  }
}

std::optional<std::vector<TokenId>> Speller::fewest(std::string_view text) {
  read_tokens();
  constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  struct Place {
    std::uint32_t tokens = kNone;  // to the end of the text
    TokenId first = 0;
    std::size_t size = 0;  // of the first token
  };
  std::vector<Place> places(text.size() + 1);
  places.back().tokens = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    for (std::size_t size = std::min(longest_, text.size() - at); size > 0; --size) {
      const std::uint32_t rest = places[at + size].tokens;
      if (rest == kNone || rest + 1 >= places[at].tokens) continue;
      const auto token = tokens_.find(text.substr(at, size));
      if (token != tokens_.end()) places[at] = {rest + 1, token->second, size};
    }
  }
  if (places.front().tokens == kNone) return std::nullopt;
  std::vector<TokenId> result;
  for (std::size_t at = 0; at < text.size(); at += places[at].size) result.push_back(places[at].first);
  return result;
}

}  // namespace weir
