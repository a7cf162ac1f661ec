#include "tokens/piece_types.hpp"

#include <fmt/format.h>

#include "tokens/pieces.hpp"

namespace weir {

std::optional<PieceType> piece_type(std::uint64_t number) {
  if (number < 1 || number > 6) return std::nullopt;
  return static_cast<PieceType>(number);
}

Status add_piece(VocabularyBuilder& builder, TokenId id, std::string_view piece, PieceType type, PieceAlphabet alphabet,
                 bool user_defined_escaped) {
  std::string bytes;
  switch (type) {
    case PieceType::kUnknown:
    case PieceType::kControl: return builder.add(id, TokenKind::kSpecial, piece);
    case PieceType::kUnused: return builder.add(id, TokenKind::kUnused, {});
    case PieceType::kByte:
      if (const std::optional<char> byte = byte_of_piece(piece)) {
        return builder.add(id, TokenKind::kText, std::string_view(&*byte, 1));
      }
      return make_error(
          ErrorCode::kInvalid,
          fmt::format("token {} has the type BYTE but is spelled {}, not <0x00> to <0xFF>", id, quoted(piece)));
    case PieceType::kUserDefined:
      if (!user_defined_escaped) return builder.add(id, TokenKind::kText, piece);
      append_replaced(piece, kMetaspace, " ", bytes);
      break;
    case PieceType::kNormal:
      if (alphabet == PieceAlphabet::kMetaspace) {
        append_replaced(piece, kMetaspace, " ", bytes);
      } else if (!append_byte_level(piece, bytes)) {
        bytes = piece;  // outside of the byte alphabet pieces stand for themselves
      }
      break;
  }
  return builder.add(id, TokenKind::kText, bytes);
}

}  // namespace weir
