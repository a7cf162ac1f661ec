// The layout is that of docs/gguf.md in the ggml project: magic, version, two counts, then pairs of key and typed
// value. Every length is checked against what is left of the file before anything is allocated for it.
#include "tokens/gguf.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "tokens/piece_types.hpp"
#include "tokens/pieces.hpp"
#include "tokens/vocabulary_builder.hpp"

namespace weir {
namespace {

enum ValueType : std::uint32_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kFloat32,
  kBool,
  kString,
  kArray,
  kUint64,
  kInt64,
  kFloat64,
};

// Bytes of a value; for strings and arrays, the least they can have.
constexpr std::array<std::uint64_t, 13> kValueBytes = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};

constexpr std::uint64_t kMaxKeyBytes = 65'535;                     // the format's own limit
constexpr std::uint64_t kMaxPieceBytes = std::uint64_t{1} << 20U;  // no real token comes near
constexpr int kMaxArrayDepth = 8;
constexpr std::uint64_t kNoToken = 0xFFFF'FFFF;  // -1 in a field of 32 bits: there is no such token

class GgufReader {
 public:
  GgufReader(ByteReader& file, const VocabularyOptions& options) : file_(file), options_(options) {}

  Result<Vocabulary> read() {
    std::uint64_t pairs = 0;
    if (Status status = read_header(pairs); !status) return status.error();
    for (std::uint64_t i = 0; i < pairs; ++i) {
      if (Status status = read_pair(); !status) return status.error();
    }
    return build();
  }

 private:
  struct Piece {
    std::size_t offset;
    std::size_t length;
  };

  Error truncated(std::string_view what) const {
    return make_error(ErrorCode::kSyntax,
                      fmt::format("the GGUF file ends at byte {}, within {}; it is truncated or damaged, get it again",
                                  file_.offset() + file_.remaining(), what));
  }
  Error invalid(std::string message) const {
    return make_error(ErrorCode::kInvalid, fmt::format("{} (GGUF metadata, before byte {})", message, file_.offset()));
  }

  Status read_header(std::uint64_t& pairs) {
    std::string magic;
    std::uint32_t version = 0;
    std::uint64_t tensors = 0;
    if (!file_.append(4, magic)) return truncated("its header");
    if (magic != "GGUF") return make_error(ErrorCode::kSyntax, "this is no GGUF file: it doesn't begin with GGUF");
    if (!file_.read(version)) return truncated("its header");
    if (version != 2 && version != 3) {
      // A version of few bits in the upper half is a small number written by a big-endian machine.
      const bool big_endian = (version & 0xFFFFU) == 0 && version != 0;
      return make_error(ErrorCode::kUnsupported,
                        big_endian ? std::string("big-endian GGUF files are not supported; convert it to little-endian")
                                   : fmt::format("GGUF version {} is not supported; versions 2 and 3 are", version));
    }
    if (!file_.read(tensors) || !file_.read(pairs)) return truncated("its header");
    // A pair has at least a key's length, a type, and one byte.
    if (pairs > file_.remaining() / 13) return truncated("the metadata that its header announces");
    return ok_status();
  }

  Status read_pair() {
    std::string key;
    std::uint64_t length = 0;
    std::uint32_t type = 0;
    if (!file_.read(length)) return truncated("a metadata key");
    if (length > kMaxKeyBytes) return invalid(fmt::format("a metadata key of {} bytes is too long", length));
    if (!file_.append(length, key) || !file_.read(type)) return truncated("a metadata key");
    if (key == "tokenizer.ggml.model") return read_model(type);
    if (key == "tokenizer.ggml.tokens") return read_tokens(type);
    if (key == "tokenizer.ggml.token_type") return read_types(type);
    for (const char* end :
         {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
      if (key == end) return read_eos(key, type);
    }
    return skip_value(type, key, kMaxArrayDepth);
  }

  Status read_model(std::uint32_t type) {
    std::uint64_t length = 0;
    if (type != kString) return invalid("tokenizer.ggml.model is no string");
    if (!file_.read(length)) return truncated("tokenizer.ggml.model");
    if (length > kMaxKeyBytes) return invalid("tokenizer.ggml.model is too long");
    model_.clear();
    return file_.append(length, model_) ? ok_status() : truncated("tokenizer.ggml.model");
  }

  // The head of an array of so many elements of this type; the elements fit into the file.
  Status read_array_head(std::uint32_t type, std::string_view key, std::uint32_t& element, std::uint64_t& count) {
    if (type != kArray) return invalid(fmt::format("{} is no array", quoted(key)));
    if (!file_.read(element) || !file_.read(count)) return truncated(key);
    if (element >= kValueBytes.size()) {
      return invalid(fmt::format("{} has elements of the unknown type {}", quoted(key), element));
    }
    if (count > file_.remaining() / kValueBytes[element]) return truncated(quoted(key));
    return ok_status();
  }

  Status check_count(std::string_view key, std::uint64_t count) const {
    if (count <= options_.limits.max_vocabulary) return ok_status();
    return make_error(ErrorCode::kLimit, fmt::format("{} has {} tokens, more than Limits::max_vocabulary = {}", key,
                                                     count, options_.limits.max_vocabulary));
  }

  Status read_tokens(std::uint32_t type) {
    constexpr std::string_view kKey = "tokenizer.ggml.tokens";
    std::uint32_t element = 0;
    std::uint64_t count = 0;
    if (Status status = read_array_head(type, kKey, element, count); !status) return status;
    if (element != kString) return invalid("tokenizer.ggml.tokens has elements that are no strings");
    if (Status status = check_count(kKey, count); !status) return status;
    if (!pieces_.empty()) return invalid("tokenizer.ggml.tokens stands there twice");
    pieces_.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t length = 0;
      if (!file_.read(length)) return truncated(kKey);
      if (length > kMaxPieceBytes) return invalid(fmt::format("token {} has {} bytes, too many", i, length));
      if (texts_.size() + length > options_.limits.max_file_bytes) {
        return make_error(ErrorCode::kLimit, fmt::format("the tokens have more bytes than Limits::max_file_bytes = {}",
                                                         options_.limits.max_file_bytes));
      }
      pieces_.push_back({texts_.size(), static_cast<std::size_t>(length)});
      if (!file_.append(length, texts_)) return truncated(kKey);
    }
    return ok_status();
  }

  Status read_types(std::uint32_t type) {
    constexpr std::string_view kKey = "tokenizer.ggml.token_type";
    std::uint32_t element = 0;
    std::uint64_t count = 0;
    if (Status status = read_array_head(type, kKey, element, count); !status) return status;
    if (element != kInt32 && element != kUint32) return invalid("tokenizer.ggml.token_type has no 32-bit integers");
    if (Status status = check_count(kKey, count); !status) return status;
    if (!types_.empty()) return invalid("tokenizer.ggml.token_type stands there twice");
    types_.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint32_t number = 0;
      if (!file_.read(number)) return truncated(kKey);
      const std::optional<PieceType> known = piece_type(number);
      if (!known) return invalid(fmt::format("token {} has the unknown type {}", i, number));
      types_.push_back(*known);
    }
    return ok_status();
  }

  Status read_eos(const std::string& key, std::uint32_t type) {
    std::uint64_t id = 0;
    bool read = false;
    if (type == kUint32 || type == kInt32) {
      std::uint32_t narrow = 0;
      read = file_.read(narrow);
      id = narrow;
    } else if (type == kUint64 || type == kInt64) {
      read = file_.read(id);
    } else {
      return invalid(fmt::format("{} is no integer of 32 or 64 bits", key));
    }
    if (!read) return truncated(key);
    if (id != kNoToken && id != ~std::uint64_t{0}) eos_.emplace_back(key, id);
    return ok_status();
  }

  Status skip_value(std::uint32_t type, const std::string& key, int depth_left) {
    if (type >= kValueBytes.size()) return invalid(fmt::format("{} has the unknown type {}", quoted(key), type));
    if (type == kString) {
      std::uint64_t length = 0;
      return file_.read(length) && file_.skip(length) ? ok_status() : truncated(quoted(key));
    }
    if (type != kArray) return file_.skip(kValueBytes[type]) ? ok_status() : truncated(quoted(key));
    if (depth_left == 0)
      return invalid(fmt::format("{} has arrays nested deeper than {}", quoted(key), kMaxArrayDepth));
    std::uint32_t element = 0;
    std::uint64_t count = 0;
    if (Status status = read_array_head(type, key, element, count); !status) return status;
    if (element != kString && element != kArray) {
      return file_.skip(count * kValueBytes[element]) ? ok_status() : truncated(quoted(key));
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      if (Status status = skip_value(element, key, depth_left - 1); !status) return status;
    }
    return ok_status();
  }

  Result<Vocabulary> build() const {
    if (pieces_.empty()) {
      return make_error(ErrorCode::kInvalid,
                        "this GGUF file has no tokenizer.ggml.tokens; use the file of a language model's weights");
    }
    if (!types_.empty() && types_.size() != pieces_.size()) {
      return make_error(ErrorCode::kInvalid,
                        fmt::format("the GGUF file has {} tokens but the types of {}", pieces_.size(), types_.size()));
    }
    const bool byte_level = model_ == "gpt2";
    // "gemma4" has SentencePiece's spelling under merge rules.
    if (!byte_level && model_ != "llama" && model_ != "t5" && model_ != "gemma4") {
      return make_error(ErrorCode::kUnsupported,
                        fmt::format("tokenizer.ggml.model is {}, whose tokens have no fixed bytes known to weir; gpt2, "
                                    "llama, t5 and gemma4 are supported",
                                    quoted(model_)));
    }
    VocabularyBuilder builder(options_);
    for (std::size_t id = 0; id < pieces_.size(); ++id) {
      const std::string_view piece = std::string_view(texts_).substr(pieces_[id].offset, pieces_[id].length);
      PieceType type = types_.empty() ? PieceType::kNormal : types_[id];
      // Merge rules know no byte type, so some writers leave such pieces as NORMAL there.
      if (model_ == "gemma4" && type == PieceType::kNormal && byte_of_piece(piece)) type = PieceType::kByte;
      Status status = add_piece(builder, static_cast<TokenId>(id), piece, type,
                                byte_level ? PieceAlphabet::kByteLevel : PieceAlphabet::kMetaspace, false);
      if (!status) return status.error();
    }
    for (const auto& [key, id] : eos_) {
      if (id >= pieces_.size()) {
        return make_error(ErrorCode::kInvalid,
                          fmt::format("{} is {}, but there are only {} tokens", key, id, pieces_.size()));
      }
      if (Status status = builder.name_eos(static_cast<TokenId>(id)); !status) return status.error();
    }
    return builder.finish();
  }

  ByteReader& file_;
  const VocabularyOptions& options_;
  std::string model_;
  std::string texts_;
  std::vector<Piece> pieces_;
  std::vector<PieceType> types_;
  std::vector<std::pair<std::string, std::uint64_t>> eos_;
};

}  // namespace

Result<Vocabulary> read_gguf(ByteReader& file, const VocabularyOptions& options) {
  return GgufReader(file, options).read();
}

Result<Vocabulary> Vocabulary::from_gguf(std::string_view file, const VocabularyOptions& options) {
  ByteReader reader(file);
  return read_gguf(reader, options);
}

}  // namespace weir
