// Hugging Face's tokenizer.json. What a token adds to the text is what the file's decoder makes of its piece; the
// decoders of all models with fixed bytes per token are compositions of few steps, which PieceDecoder below collects.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "tokens/json_selection.hpp"
#include "tokens/pieces.hpp"
#include "tokens/vocabulary_builder.hpp"

namespace weir {
namespace {

using nlohmann::json;

// How the pieces of this file become bytes.
class PieceDecoder {
 public:
  static Result<PieceDecoder> make(const json& root, const Limits& limits) {
    PieceDecoder decoder;
    const json& section = member(root, "decoder");
    if (!section.is_null()) {
      if (Status status = decoder.add_step(section, "/decoder", limits.max_depth); !status) return status.error();
      return decoder;
    }
    // GPT-2's early files have no decoder, but a byte-level pre-tokenizer has only one inverse.
    if (has_byte_level(member(root, "pre_tokenizer"), limits.max_depth)) {
      decoder.byte_level_ = true;
      return decoder;
    }
    return error_at_pointer(ErrorCode::kUnsupported, "/decoder",
                            "without a decoder, and without a byte-level pre-tokenizer, tokens have no fixed bytes; "
                            "use the tokenizer.json of a byte-level or byte-fallback model");
  }

  // A piece of the model's own vocabulary.
  void append(std::string_view piece, std::string& out) const {
    if (byte_level_) {
      // Pieces outside of the byte alphabet stand for themselves, as Hugging Face has it.
      if (!append_byte_level(piece, out)) out.append(piece);
      return;
    }
    std::string text = replaced(piece);
    if (byte_fallback_) {
      if (const std::optional<char> byte = byte_of_piece(text)) {
        out.push_back(*byte);
        return;
      }
    }
    out.append(stripped(text));
  }

  // An added token that the model's vocabulary lacks: it is written in plain text, except that text decoders still
  // turn U+2581 into a space.
  void append_added(std::string_view content, std::string& out) const {
    out.append(byte_level_ ? std::string(content) : replaced(content));
  }

 private:
  struct Replacement {
    std::string from;
    std::string to;
  };
  // Strips up to `start` copies of the content from the front of each piece and up to `stop` from its end.
  struct Strip {
    std::string content;
    std::uint32_t start = 0;
    std::uint32_t stop = 0;
  };

  Status add_step(const json& step, const std::string& pointer, std::uint32_t depth_left) {
    const std::string_view type = text_of(member(step, "type"));
    if (type == "Sequence") {
      if (depth_left == 0) return error_at_pointer(ErrorCode::kLimit, pointer, "decoders are nested too deep");
      const std::string steps_pointer = pointer_to(pointer, "decoders");
      const json& steps = member(step, "decoders");
      if (!steps.is_array()) return error_at_pointer(ErrorCode::kInvalid, steps_pointer, "expected a list of decoders");
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (Status status = add_step(steps[i], pointer_to(steps_pointer, i), depth_left - 1); !status) return status;
      }
      return ok_status();
    }
    // A step that works on the bytes of a whole text, or on pieces that no longer are UTF-8, has no successor here but
    // those that change nothing.
    if (type == "Fuse") {
      fused_ = true;
    } else if (type == "ByteLevel") {
      if (!replacements_.empty() || byte_fallback_ || !strips_.empty()) return unsupported(type, pointer);
      byte_level_ = true;
    } else if (byte_level_) {
      return unsupported(type, pointer);
    } else if (type == "ByteFallback") {
      if (fused_ || !strips_.empty()) return unsupported(type, pointer);
      byte_fallback_ = true;
    } else if (type == "Metaspace") {
      const std::string_view replacement = text_of(member(step, "replacement"));
      replacements_.push_back({std::string(replacement.empty() ? kMetaspace : replacement), " "});
    } else if (type == "Replace") {
      return add_replace(step, pointer);
    } else if (type == "Strip") {
      return add_strip(step, pointer);
    } else {
      return unsupported(type, pointer);
    }
    return ok_status();
  }

  Status add_replace(const json& step, const std::string& pointer) {
    const json& pattern = member(member(step, "pattern"), "String");
    const json& content = member(step, "content");
    if (text_of(pattern).empty() || !content.is_string()) {
      return error_at_pointer(ErrorCode::kUnsupported, pointer,
                              "this Replace decoder has no literal, non-empty pattern; only those are supported");
    }
    // On a fused text, matches may span tokens unless they are single code points.
    if (fused_ && code_points(text_of(pattern)) != 1) return unsupported("Replace after Fuse", pointer);
    if (byte_fallback_ && fused_) return unsupported("Replace after ByteFallback and Fuse", pointer);
    replacements_.push_back({std::string(text_of(pattern)), std::string(text_of(content))});
    return ok_status();
  }

  Status add_strip(const json& step, const std::string& pointer) {
    const std::optional<std::uint32_t> start = id_of(member(step, "start"));
    const std::optional<std::uint32_t> stop = id_of(member(step, "stop"));
    const std::string_view content = text_of(member(step, "content"));
    if (!start || !stop || content.empty()) {
      return error_at_pointer(ErrorCode::kInvalid, pointer, "a Strip decoder needs content, start and stop");
    }
    // After Fuse it takes blanks off the whole text's ends: where the text starts is for the caller to know, what a
    // token adds behind other text stays the same.
    if (!fused_) strips_.push_back({std::string(content), *start, *stop});
    return ok_status();
  }

  static Error unsupported(std::string_view type, const std::string& pointer) {
    return error_at_pointer(ErrorCode::kUnsupported, pointer,
                            fmt::format("the decoder {} gives tokens no fixed bytes in this place; weir needs a "
                                        "byte-level or byte-fallback tokenizer",
                                        quoted(type)));
  }

  static bool has_byte_level(const json& step, std::uint32_t depth_left) {
    if (text_of(member(step, "type")) == "ByteLevel") return true;
    const json& steps = member(step, "pretokenizers");
    if (!steps.is_array() || depth_left == 0) return false;
    return std::any_of(steps.begin(), steps.end(),
                       [&](const json& inner) { return has_byte_level(inner, depth_left - 1); });
  }

  static std::size_t code_points(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  }

  std::string replaced(std::string_view piece) const {
    std::string text(piece);
    for (const Replacement& r : replacements_) {
      std::string next;
      append_replaced(text, r.from, r.to, next);
      text = std::move(next);
    }
    return text;
  }

  std::string_view stripped(std::string_view text) const {
    for (const Strip& s : strips_) {
      for (std::uint32_t i = 0; i < s.start && text.starts_with(s.content); ++i) text.remove_prefix(s.content.size());
      for (std::uint32_t i = 0; i < s.stop && text.ends_with(s.content); ++i) text.remove_suffix(s.content.size());
    }
    return text;
  }

  bool byte_level_ = false;
  bool byte_fallback_ = false;
  bool fused_ = false;  // a Fuse step has been seen: later steps work on the whole text
  std::vector<Replacement> replacements_;
  std::vector<Strip> strips_;
};

// model.vocab: {"piece": id, ...} of BPE, or [["piece", score], ...] of Unigram. Pieces are kept undecoded, since the
// decoder may stand further down in the file.
class PieceList : public JsonSelection::Stream {
 public:
  struct Entry {
    std::size_t offset;
    std::size_t length;
    TokenId id;
  };

  explicit PieceList(const Limits& limits) : limits_(limits) {}

  Status open(bool object) override {
    if (depth_ == 0) is_object_ = object;
    // The list itself, and in a list of pairs each pair.
    if (depth_ > 1 || (depth_ == 1 && (is_object_ || object))) return unexpected();
    ++depth_;
    return ok_status();
  }
  Status close() override {
    if (--depth_ == 1 && entries_.size() != ++pairs_) return unexpected();
    if (depth_ == 0) complete_ = true;
    return ok_status();
  }
  Status key(std::string& text) override {
    key_ = std::move(text);
    return ok_status();
  }
  Status string(std::string& text) override {
    if (is_object_ || depth_ != 2 || entries_.size() != pairs_) return unexpected();
    return add(text, static_cast<TokenId>(pairs_));
  }
  Status number(std::optional<std::uint64_t> value) override {
    if (!is_object_) return depth_ == 2 ? ok_status() : unexpected();
    if (!value) return unexpected();
    if (*value >= limits_.max_vocabulary) {
      return error_at_pointer(
          ErrorCode::kLimit, pointer_to("/model/vocab", key_),
          fmt::format("the id {} is not below Limits::max_vocabulary = {}", *value, limits_.max_vocabulary));
    }
    return add(key_, static_cast<TokenId>(*value));
  }
  Status other() override { return unexpected(); }

  bool complete() const { return complete_; }
  bool is_object() const { return is_object_; }
  const std::vector<Entry>& entries() const { return entries_; }
  std::string_view piece(const Entry& entry) const {
    return std::string_view(pieces_).substr(entry.offset, entry.length);
  }

 private:
  Status add(std::string_view piece, TokenId id) {
    if (entries_.size() >= limits_.max_vocabulary) {
      return error_at_pointer(
          ErrorCode::kLimit, "/model/vocab",
          fmt::format("there are more tokens than Limits::max_vocabulary = {}", limits_.max_vocabulary));
    }
    entries_.push_back({pieces_.size(), piece.size(), id});
    pieces_.append(piece);
    return ok_status();
  }
  Error unexpected() const {
    if (is_object_) {
      return error_at_pointer(ErrorCode::kInvalid, pointer_to("/model/vocab", key_),
                              "a token's id must be a whole number, not negative");
    }
    return error_at_pointer(ErrorCode::kInvalid, pointer_to("/model/vocab", pairs_),
                            "expected an object of ids by piece, or a list of pairs of piece and score");
  }

  const Limits& limits_;
  std::size_t depth_ = 0;
  bool is_object_ = false;
  bool complete_ = false;
  std::size_t pairs_ = 0;
  std::string key_;
  std::string pieces_;
  std::vector<Entry> entries_;
};

// The model's type; files written before the type was are told by their members.
Status check_model(const json& model, const PieceList& vocabulary) {
  if (!model.is_object() || !vocabulary.complete()) {
    return error_at_pointer(ErrorCode::kInvalid, "/model", "a tokenizer.json needs a model with a vocab");
  }
  const std::string_view type = text_of(member(model, "type"));
  const bool object_expected = type != "Unigram";
  const bool old_bpe = type.empty() && member(model, "merges").is_array();
  if (type != "BPE" && type != "Unigram" && !old_bpe) {
    return error_at_pointer(ErrorCode::kUnsupported, "/model/type",
                            fmt::format("tokenizer models of the type {} are not supported, their tokens have no fixed "
                                        "bytes; BPE and Unigram are",
                                        quoted(type)));
  }
  if (object_expected != vocabulary.is_object()) {
    return error_at_pointer(ErrorCode::kInvalid, "/model/vocab",
                            object_expected ? "a BPE vocabulary is an object of ids by piece"
                                            : "a Unigram vocabulary is a list of pairs of piece and score");
  }
  for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (text_of(member(model, affix)).empty()) continue;
    return error_at_pointer(ErrorCode::kUnsupported, pointer_to("/model", affix),
                            "with affixes that mark words, tokens have no fixed bytes; weir needs a byte-level or "
                            "byte-fallback tokenizer");
  }
  return ok_status();
}

struct AddedToken {
  TokenId id;
  bool special;
  std::string_view content;
};

Result<std::vector<AddedToken>> read_added_tokens(const json& section) {
  std::vector<AddedToken> tokens;
  if (section.is_null()) return tokens;
  if (!section.is_array()) return error_at_pointer(ErrorCode::kInvalid, "/added_tokens", "expected a list of tokens");
  for (std::size_t i = 0; i < section.size(); ++i) {
    const json& content = member(section[i], "content");
    const std::optional<std::uint32_t> id = id_of(member(section[i], "id"));
    const json& special = member(section[i], "special");
    if (!content.is_string() || !id || !(special.is_boolean() || special.is_null())) {
      return error_at_pointer(ErrorCode::kInvalid, pointer_to("/added_tokens", i),
                              "an added token needs an id, a text as content, and true or false as special");
    }
    tokens.push_back({*id, special.is_boolean() && special.get<bool>(), text_of(content)});
  }
  return tokens;
}

// The token that stands for what the vocabulary lacks has no text of its own.
bool is_unknown_token(const json& model, std::string_view piece, TokenId id) {
  const json& unk_token = member(model, "unk_token");
  return (unk_token.is_string() && text_of(unk_token) == piece) || id_of(member(model, "unk_id")) == id;
}

Error at_pointer(std::string pointer, Error error) {
  error.pointer = std::move(pointer);
  return error;
}

}  // namespace

Result<Vocabulary> Vocabulary::from_tokenizer_json(std::string_view text, const VocabularyOptions& options) {
  PieceList vocabulary(options.limits);
  JsonSelection selection(options.limits);
  selection.stream("/model/vocab", vocabulary);
  // These say how text is cut into tokens, not what tokens there are.
  for (const char* part : {"/model/merges", "/post_processor", "/normalizer", "/truncation", "/padding"}) {
    selection.skip(part);
  }
  Result<json> root = selection.read(text);
  if (!root) return root.error();

  const json& model = member(*root, "model");
  if (Status status = check_model(model, vocabulary); !status) return status.error();
  Result<PieceDecoder> decoder = PieceDecoder::make(*root, options.limits);
  if (!decoder) return decoder.error();
  Result<std::vector<AddedToken>> added = read_added_tokens(member(*root, "added_tokens"));
  if (!added) return added.error();

  VocabularyBuilder builder(options);
  Status status = ok_status();
  std::unordered_map<TokenId, const AddedToken*> added_by_id;
  for (const AddedToken& token : *added) added_by_id[token.id] = &token;
  std::string bytes;
  for (const PieceList::Entry& entry : vocabulary.entries()) {
    const std::string_view piece = vocabulary.piece(entry);
    // Most files list their added tokens in the vocabulary too. A text token among them is spelled as the decoder has
    // it; what an added token says otherwise comes below and overrides.
    if (const auto at = added_by_id.find(entry.id); at != added_by_id.end()) {
      if (at->second->special || at->second->content != piece) continue;
      added_by_id.erase(at);
    }
    bytes.clear();
    const bool unknown = is_unknown_token(model, piece, entry.id);
    if (!unknown) decoder->append(piece, bytes);
    status = builder.add(entry.id, unknown ? TokenKind::kSpecial : TokenKind::kText,
                         unknown ? piece : std::string_view(bytes));
    if (!status) return at_pointer(pointer_to("/model/vocab", piece), status.error());
  }
  for (const AddedToken& token : *added) {
    if (const auto at = added_by_id.find(token.id); at == added_by_id.end() || at->second != &token) continue;
    bytes.clear();
    if (!token.special) decoder->append_added(token.content, bytes);
    status = builder.add(token.id, token.special ? TokenKind::kSpecial : TokenKind::kText,
                         token.special ? token.content : std::string_view(bytes));
    if (!status) return at_pointer("/added_tokens", status.error());
  }
  return builder.finish();
}

}  // namespace weir
