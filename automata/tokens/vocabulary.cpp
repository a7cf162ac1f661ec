#include "weir/automata/vocabulary.hpp"

#include <algorithm>
#include <mutex>

#include "tokens/token_mask.hpp"
#include "tokens/vocabulary_builder.hpp"
#include "tokens/vocabulary_order.hpp"

namespace weir {

bool Vocabulary::is_eos(TokenId id) const noexcept { return std::binary_search(eos_.begin(), eos_.end(), id); }

std::size_t Vocabulary::memory_bytes() const noexcept {
  std::size_t bytes = bytes_.capacity() + offsets_.capacity() * sizeof(std::uint32_t) + kinds_.capacity() +
                      eos_.capacity() * sizeof(TokenId) + special_spellings_.capacity() * sizeof(special_spellings_[0]);
  for (const auto& [id, text] : special_spellings_) bytes += heap_bytes_of(text);
  return bytes;
}

std::string_view Vocabulary::spelling(TokenId id) const noexcept {
  if (kinds_[id] != TokenKind::kSpecial) return token(id);
  const auto at = std::lower_bound(special_spellings_.begin(), special_spellings_.end(), id,
                                   [](const auto& entry, TokenId wanted) { return entry.first < wanted; });
  return at->second;  // every special token has an entry
}

std::optional<TokenId> Vocabulary::find_special(std::string_view spelling) const {
  for (const auto& [id, text] : special_spellings_) {
    if (text == spelling) return id;
  }
  return std::nullopt;
}

std::optional<std::vector<TokenId>> Vocabulary::encode_greedy(std::string_view text) const {
  std::call_once(order_->once, [this] {
    std::vector<TokenId>& ids = order_->ids;
    for (TokenId id = 0; id < size(); ++id) {
      if (!token(id).empty()) ids.push_back(id);
    }
    std::sort(ids.begin(), ids.end(), [this](TokenId a, TokenId b) {
      const int order = token(a).compare(token(b));
      return order != 0 ? order < 0 : a < b;
    });
  });

  std::vector<TokenId> encoded;
  while (!text.empty()) {
    // [first, last) holds the tokens that start with the first `depth` bytes of the text; the shortest come first.
    auto first = order_->ids.begin();
    auto last = order_->ids.end();
    std::optional<TokenId> longest;
    for (std::size_t depth = 0; depth < text.size(); ++depth) {
      const auto byte_at_depth = [&](TokenId id) {
        return token(id).size() > depth ? static_cast<int>(static_cast<unsigned char>(token(id)[depth])) : -1;
      };
      const int wanted = static_cast<unsigned char>(text[depth]);
      first = std::lower_bound(first, last, wanted, [&](TokenId id, int byte) { return byte_at_depth(id) < byte; });
      last = std::upper_bound(first, last, wanted, [&](int byte, TokenId id) { return byte < byte_at_depth(id); });
      if (first == last) break;
      if (token(*first).size() == depth + 1) longest = *first;
    }
    if (!longest) return std::nullopt;
    encoded.push_back(*longest);
    text.remove_prefix(token(*longest).size());
  }
  return encoded;
}

Result<Vocabulary> Vocabulary::from_bytes(std::span<const std::string> tokens, std::span<const TokenId> special,
                                          std::span<const TokenId> eos, const VocabularyOptions& options) {
  VocabularyBuilder builder(options);
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    // The builder refuses the first id that the limits rule out, long before a size_t outgrows a TokenId.
    if (Status status = builder.add(static_cast<TokenId>(id), TokenKind::kText, tokens[id]); !status) {
      return status.error();
    }
  }
  for (const std::span<const TokenId> ids : {special, eos}) {
    for (const TokenId id : ids) {
      const std::string_view spelling = id < tokens.size() ? std::string_view(tokens[id]) : std::string_view();
      if (Status status = builder.replace(id, TokenKind::kSpecial, spelling); !status) return status.error();
    }
  }
  for (const TokenId id : eos) {
    if (Status status = builder.name_eos(id); !status) return status.error();
  }
  builder.use_named_eos_only();
  return builder.finish();
}

}  // namespace weir
