// A vocabulary: the bytes of every token, which tokens are special, and which end a sequence.
//
//   weir::Result<weir::Vocabulary> v = weir::Vocabulary::from_file("tokenizer.json");
//   if (!v) return v.error();
//   v->token(v->eos().front());      // special tokens have no text: ""
//
// Token ids run from 0 to size() - 1; ids without a token (holes, and padding up to the model's logits width) have no
// bytes and are never allowed. Special tokens (control tokens, <|...|>) are never matched as text, whatever they spell.
// Several ids may spell the same bytes; each is allowed where those bytes are. Tokens without bytes are never allowed.
//
// Thread safety: immutable after construction.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/grammar/limits.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

using TokenId = std::uint32_t;

enum class TokenKind : std::uint8_t {
  kText,     // matched by its bytes
  kSpecial,  // a control token: no text, never allowed by a grammar
  kUnused,   // a hole or padding
};

struct VocabularyOptions {
  // At least this many ids, for models whose logits are wider than their tokenizer; 0 = no padding.
  std::size_t padded_size = 0;
  // End-of-sequence tokens by their text; empty: those the file names, else the well-known ones (</s>, <|endoftext|>,
  // <|end_of_text|>, <|eot_id|>, <|im_end|>, <end_of_turn>, <eos>, ...) among its special tokens.
  std::vector<std::string> eos_tokens = {};
  // For tiktoken ranks, which carry no special tokens: text and id of each, placed after the ranks.
  std::vector<std::pair<std::string, TokenId>> special_tokens = {};
  Limits limits = {};
};

class Vocabulary {
 public:
  // Tells the kind of file by its content: tokenizer.json, tekken.json, GGUF, SentencePiece model, tiktoken ranks.
  // Errors: kIo, kSyntax (truncated or malformed, with the place), kUnsupported (a tokenizer model that has no fixed
  // bytes per token, such as WordPiece), kLimit. Linear in the file's size.
  static Result<Vocabulary> from_file(const std::string& path, const VocabularyOptions& options = {});

  // The same from memory, for one kind each.
  static Result<Vocabulary> from_tokenizer_json(std::string_view json, const VocabularyOptions& options = {});
  static Result<Vocabulary> from_tiktoken(std::string_view ranks, const VocabularyOptions& options = {});
  static Result<Vocabulary> from_gguf(std::string_view file, const VocabularyOptions& options = {});
  static Result<Vocabulary> from_tekken(std::string_view json, const VocabularyOptions& options = {});
  static Result<Vocabulary> from_sentencepiece(std::string_view model, const VocabularyOptions& options = {});
  // A plain list: token i has the bytes tokens[i]. `special` and `eos` are ids; eos tokens are special.
  static Result<Vocabulary> from_bytes(std::span<const std::string> tokens, std::span<const TokenId> special,
                                       std::span<const TokenId> eos, const VocabularyOptions& options = {});

  std::size_t size() const noexcept { return kinds_.size(); }
  // The number of 32-bit words of a mask: ceil(size / 32).
  std::size_t mask_words() const noexcept { return (size() + 31) / 32; }
  // The bytes that the token adds to the text; empty for special and unused ids. Precondition: id < size().
  std::string_view token(TokenId id) const noexcept {
    return std::string_view(bytes_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  TokenKind kind(TokenId id) const noexcept { return kinds_[id]; }
  bool is_eos(TokenId id) const noexcept;
  std::span<const TokenId> eos() const noexcept { return eos_; }
  // How a special token is written (<|eot_id|>); the token's bytes for the others.
  std::string_view spelling(TokenId id) const noexcept;
  std::optional<TokenId> find_special(std::string_view spelling) const;
  // FNV-1a over everything above: equal vocabularies have equal hashes on every machine.
  std::uint64_t hash() const noexcept { return hash_; }
  // Heap memory of all this, in bytes, as allocated. What encode_greedy makes is not counted.
  std::size_t memory_bytes() const noexcept;
  // One tokenisation of the text: the longest token at each place, greedily. Not the tokenizer's own. nullopt: some
  // byte has no token.
  std::optional<std::vector<TokenId>> encode_greedy(std::string_view text) const;

 private:
  friend class VocabularyBuilder;
  Vocabulary() = default;
  std::string bytes_;
  std::vector<std::uint32_t> offsets_{0};
  std::vector<TokenKind> kinds_;
  std::vector<TokenId> eos_;
  std::vector<std::pair<TokenId, std::string>> special_spellings_;  // ascending ids
  std::uint64_t hash_ = 0;
  struct Order;
  std::shared_ptr<Order> order_;  // the ids by their bytes, made when encode_greedy first needs it
};

}  // namespace weir
