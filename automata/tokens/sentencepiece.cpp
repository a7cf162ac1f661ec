// SentencePiece's .model: one protocol buffer message, sentencepiece_model.proto. Only the wire format's few rules and
// the fields that make a vocabulary are read here.
#include <fmt/format.h>

#include "tokens/piece_types.hpp"
#include "tokens/vocabulary_builder.hpp"

namespace weir {
namespace {

// Field numbers in sentencepiece_model.proto.
constexpr std::uint32_t kModelPieces = 1;
constexpr std::uint32_t kModelTrainerSpec = 2;
constexpr std::uint32_t kPieceText = 1;
constexpr std::uint32_t kPieceType = 3;
constexpr std::uint32_t kTrainerEosPiece = 47;

enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

struct Field {
  std::uint32_t number = 0;
  std::uint32_t wire_type = 0;
  std::uint64_t varint = 0;  // of kVarint
  std::string_view bytes;    // of kLengthDelimited
};

// The fields of one message, one after the other.
class MessageReader {
 public:
  // `start` is where the message lies in the file, for errors.
  MessageReader(std::string_view bytes, std::size_t start) : bytes_(bytes), start_(start) {}

  bool done() const { return at_ == bytes_.size(); }
  std::size_t offset() const { return start_ + at_; }
  // Where the last length-delimited field's bytes lie in the file.
  std::size_t content_offset() const { return content_; }

  Status next(Field& field) {
    std::uint64_t tag = 0;
    if (!varint(tag)) return malformed();
    if (tag > 0xFFFF'FFFF || tag >> 3 == 0) return malformed();
    field.number = static_cast<std::uint32_t>(tag >> 3);
    field.wire_type = static_cast<std::uint32_t>(tag & 7);
    switch (field.wire_type) {
      case kVarint: return varint(field.varint) ? ok_status() : malformed();
      case kFixed64: return take(8, field.bytes);
      case kFixed32: return take(4, field.bytes);
      case kLengthDelimited: {
        std::uint64_t length = 0;
        if (!varint(length)) return malformed();
        return take(length, field.bytes);
      }
      default: return malformed();  // groups, which no version of the format has, and undefined types
    }
  }

  Error malformed() const {
    return make_error(ErrorCode::kSyntax,
                      fmt::format("this is no well-formed SentencePiece model: byte {} doesn't continue the message; "
                                  "the file is truncated or damaged, get it again",
                                  offset()));
  }

 private:
  bool varint(std::uint64_t& out) {
    out = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (done()) return false;
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      out |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return shift < 63 || byte <= 1;
    }
    return false;
  }
  Status take(std::uint64_t length, std::string_view& out) {
    if (length > bytes_.size() - at_) return malformed();
    content_ = offset();
    out = bytes_.substr(at_, static_cast<std::size_t>(length));
    at_ += static_cast<std::size_t>(length);
    return ok_status();
  }

  std::string_view bytes_;
  std::size_t start_;
  std::size_t at_ = 0;
  std::size_t content_ = 0;
};

struct Piece {
  std::string_view text;
  PieceType type = PieceType::kNormal;
};

Status read_piece(MessageReader message, Piece& piece) {
  Field field;
  while (!message.done()) {
    if (Status status = message.next(field); !status) return status;
    if (field.number == kPieceText) {
      if (field.wire_type != kLengthDelimited) return message.malformed();
      piece.text = field.bytes;
    } else if (field.number == kPieceType) {
      const std::optional<PieceType> type = piece_type(field.varint);
      if (field.wire_type != kVarint) return message.malformed();
      if (!type) {
        return make_error(ErrorCode::kInvalid, fmt::format("the piece before byte {} has the unknown type {}",
                                                           message.offset(), field.varint));
      }
      piece.type = *type;
    }
  }
  if (piece.text.empty()) {
    return make_error(ErrorCode::kInvalid, fmt::format("the piece before byte {} has no text", message.offset()));
  }
  return ok_status();
}

Status read_trainer(MessageReader message, std::string_view& eos_piece) {
  Field field;
  while (!message.done()) {
    if (Status status = message.next(field); !status) return status;
    if (field.number != kTrainerEosPiece) continue;
    if (field.wire_type != kLengthDelimited) return message.malformed();
    eos_piece = field.bytes;
  }
  return ok_status();
}

}  // namespace

Result<Vocabulary> Vocabulary::from_sentencepiece(std::string_view model, const VocabularyOptions& options) {
  VocabularyBuilder builder(options);
  MessageReader message(model, 0);
  Field field;
  TokenId next_id = 0;
  bool trainer_seen = false;
  std::string_view eos_piece = "</s>";  // the field's default
  std::vector<std::pair<TokenId, std::string_view>> control;
  while (!message.done()) {
    if (Status status = message.next(field); !status) return status.error();
    if (field.number != kModelPieces && field.number != kModelTrainerSpec) continue;
    if (field.wire_type != kLengthDelimited) return message.malformed();
    const MessageReader inner(field.bytes, message.content_offset());
    if (field.number == kModelTrainerSpec) {
      if (Status status = read_trainer(inner, eos_piece); !status) return status.error();
      trainer_seen = true;
      continue;
    }
    Piece piece;
    if (Status status = read_piece(inner, piece); !status) return status.error();
    if (piece.type == PieceType::kControl) control.emplace_back(next_id, piece.text);
    Status status = add_piece(builder, next_id, piece.text, piece.type, PieceAlphabet::kMetaspace, true);
    if (!status) return status.error();
    ++next_id;
  }
  // Every trained model has it, behind the pieces: without it, a file cut between two pieces would pass for whole.
  if (!trainer_seen) {
    return make_error(ErrorCode::kSyntax, fmt::format("the SentencePiece model ends at byte {} without a trainer_spec; "
                                                      "it is truncated, get it again",
                                                      model.size()));
  }
  for (const auto& [id, text] : control) {
    if (text != eos_piece) continue;
    if (Status status = builder.name_eos(id); !status) return status.error();
  }
  return builder.finish();
}

}  // namespace weir
