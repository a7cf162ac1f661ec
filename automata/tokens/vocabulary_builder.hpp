// The one way a Vocabulary is made: every reader of a file format adds its tokens here, in any order of ids.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "weir/automata/vocabulary.hpp"

namespace weir {

class VocabularyBuilder {
 public:
  // The options must outlive the builder.
  explicit VocabularyBuilder(const VocabularyOptions& options) : options_(options) {}

  // Token `id` has these bytes; for a special one, this spelling. Errors: kInvalid if the id is taken, kLimit if it
  // lies beyond max_vocabulary.
  Status add(TokenId id, TokenKind kind, std::string_view text);
  // The same, but what the id was before is forgotten.
  Status replace(TokenId id, TokenKind kind, std::string_view text);
  // The file says that this token ends a sequence; a text token becomes special by that. Error: kInvalid if no such
  // token was added.
  Status name_eos(TokenId id);
  // Call if an absence of named end-of-sequence tokens is meant, and the well-known spellings are not to be tried.
  void use_named_eos_only() { named_eos_only_ = true; }

  // Resolves end-of-sequence tokens, pads, and packs. Errors: kInvalid (no tokens at all), kLimit, and kArgument for an
  // option that names a token which isn't there.
  Result<Vocabulary> finish();

 private:
  struct Slot {
    std::size_t offset = 0;
    std::uint32_t length = 0;
    TokenKind kind = TokenKind::kUnused;
    bool taken = false;
  };

  Status put(TokenId id, TokenKind kind, std::string_view text);
  std::string_view text(const Slot& slot) const { return std::string_view(texts_).substr(slot.offset, slot.length); }
  Status resolve_eos();
  void make_eos(TokenId id);

  const VocabularyOptions& options_;
  std::vector<Slot> slots_;
  std::string texts_;
  std::vector<TokenId> named_eos_;
  std::vector<TokenId> eos_;
  bool named_eos_only_ = false;
};

}  // namespace weir
