// The types of tokens that SentencePiece models carry, and GGUF files after them, and what each means for the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tokens/vocabulary_builder.hpp"

namespace weir {

// As numbered in sentencepiece_model.proto and in GGUF's tokenizer.ggml.token_type.
enum class PieceType : std::uint8_t {
  kNormal = 1,
  kUnknown = 2,  // stands for what the vocabulary lacks
  kControl = 3,
  kUserDefined = 4,  // text that is never cut
  kUnused = 5,
  kByte = 6,  // spelled <0xNN>
};

// nullopt for numbers that no type has.
std::optional<PieceType> piece_type(std::uint64_t number);

// How the pieces of ordinary text are written.
enum class PieceAlphabet : std::uint8_t {
  kByteLevel,  // GPT-2's printable code points
  kMetaspace,  // plain text with U+2581 for a space
};

// Adds the token to the builder as its type has it. `user_defined_escaped` says that user-defined pieces, too, write a
// space as U+2581. Errors: kInvalid for a byte piece that isn't spelled <0xNN>, and the builder's own.
Status add_piece(VocabularyBuilder& builder, TokenId id, std::string_view piece, PieceType type, PieceAlphabet alphabet,
                 bool user_defined_escaped);

}  // namespace weir
