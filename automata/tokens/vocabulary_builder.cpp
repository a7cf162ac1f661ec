#include "tokens/vocabulary_builder.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "tokens/pieces.hpp"
#include "tokens/vocabulary_order.hpp"

namespace weir {
namespace {

// How models in wide use spell the end of a text, of a turn or of a message. <|endoftext|> and <|im_end|>, say, are
// both ends for Qwen: whichever the model was tuned to write, generation stops there.
constexpr std::array<std::string_view, 21> kWellKnownEos = {
    "</s>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|im_end|>",
    "<end_of_turn>",
    "<eos>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|eos|>",
    "<EOS>",
    "<|EOT|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|endofturn|>",
    "<turn|>",
    "<EOT>",
    "<|end_of_turn|>",
    "<|end_of_role|>",
    "<\xEF\xBD\x9C"
    "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>",  // DeepSeek, with U+FF5C and U+2581
};

class Fnv1a {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) add_byte(static_cast<unsigned char>(c));
  }
  // Little-endian whatever the machine.
  void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) add_byte(static_cast<unsigned char>(number >> shift));
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001B3U; }
  std::uint64_t value_ = 0xCBF29CE484222325U;
};

Error too_many(std::size_t count, std::size_t limit) {
  return make_error(ErrorCode::kLimit,
                    fmt::format("a vocabulary of {} tokens is larger than Limits::max_vocabulary = {}; raise it if the "
                                "file is right",
                                count, limit));
}

}  // namespace

Status VocabularyBuilder::add(TokenId id, TokenKind kind, std::string_view text) {
  if (id < slots_.size() && slots_[id].taken) {
    return make_error(ErrorCode::kInvalid, fmt::format("two tokens have the id {}: {} and {}", id,
                                                       quoted(this->text(slots_[id])), quoted(text)));
  }
  return put(id, kind, text);
}

Status VocabularyBuilder::replace(TokenId id, TokenKind kind, std::string_view text) { return put(id, kind, text); }

Status VocabularyBuilder::put(TokenId id, TokenKind kind, std::string_view text) {
  if (id >= options_.limits.max_vocabulary) return too_many(std::size_t{id} + 1, options_.limits.max_vocabulary);
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
    return make_error(ErrorCode::kLimit, fmt::format("token {} has {} bytes, over 4 GiB", id, text.size()));
  }
  if (id >= slots_.size()) slots_.resize(std::size_t{id} + 1);
  slots_[id] = {texts_.size(), static_cast<std::uint32_t>(text.size()), kind, true};
  texts_.append(text);
  return ok_status();
}

Status VocabularyBuilder::name_eos(TokenId id) {
  if (id >= slots_.size() || !slots_[id].taken) {
    return make_error(ErrorCode::kInvalid,
                      fmt::format("the end-of-sequence token has the id {}, and no token has that id", id));
  }
  named_eos_.push_back(id);
  return ok_status();
}

void VocabularyBuilder::make_eos(TokenId id) {
  slots_[id].kind = TokenKind::kSpecial;
  eos_.push_back(id);
}

Status VocabularyBuilder::resolve_eos() {
  for (const std::string& wanted : options_.eos_tokens) {
    // A special token that is spelled so is meant; only without one, the text tokens that are.
    bool found = false;
    for (const TokenKind kind : {TokenKind::kSpecial, TokenKind::kText}) {
      for (TokenId id = 0; id < slots_.size() && !wanted.empty(); ++id) {
        if (slots_[id].kind != kind || text(slots_[id]) != wanted) continue;
        make_eos(id);
        found = true;
      }
      if (found) break;
    }
    if (!found) {
      return make_error(
          ErrorCode::kArgument,
          fmt::format("the end-of-sequence token {} is not in the vocabulary; name one that is", quoted(wanted)));
    }
  }
  if (options_.eos_tokens.empty()) {
    for (const TokenId id : named_eos_) make_eos(id);
    if (named_eos_.empty() && !named_eos_only_) {
      for (TokenId id = 0; id < slots_.size(); ++id) {
        if (slots_[id].kind != TokenKind::kSpecial) continue;
        if (std::find(kWellKnownEos.begin(), kWellKnownEos.end(), text(slots_[id])) != kWellKnownEos.end())
          make_eos(id);
      }
    }
  }
  std::sort(eos_.begin(), eos_.end());
  eos_.erase(std::unique(eos_.begin(), eos_.end()), eos_.end());
  return ok_status();
}

Result<Vocabulary> VocabularyBuilder::finish() {
  if (slots_.empty()) {
    return make_error(ErrorCode::kInvalid, "the vocabulary has no tokens; a tokenizer needs at least one");
  }
  if (Status status = resolve_eos(); !status) return status.error();
  const std::size_t size = std::max(slots_.size(), options_.padded_size);
  if (size > options_.limits.max_vocabulary) return too_many(size, options_.limits.max_vocabulary);
  slots_.resize(size);

  Vocabulary v;
  v.kinds_.reserve(size);
  v.offsets_.reserve(size + 1);
  v.bytes_.reserve(texts_.size());
  for (TokenId id = 0; id < size; ++id) {
    const Slot& slot = slots_[id];
    v.kinds_.push_back(slot.kind);
    if (slot.kind == TokenKind::kText) v.bytes_.append(text(slot));
    if (slot.kind == TokenKind::kSpecial) v.special_spellings_.emplace_back(id, text(slot));
    if (v.bytes_.size() > std::numeric_limits<std::uint32_t>::max()) {
      return make_error(ErrorCode::kLimit, "the tokens have over 4 GiB in all; no real vocabulary has");
    }
    v.offsets_.push_back(static_cast<std::uint32_t>(v.bytes_.size()));
  }
  v.eos_ = std::move(eos_);
  v.order_ = std::make_shared<Vocabulary::Order>();

  Fnv1a hash;
  hash.add(size);
  for (TokenId id = 0; id < size; ++id) {
    hash.add((std::uint64_t{v.token(id).size()} << 8) | static_cast<std::uint64_t>(v.kind(id)));
  }
  hash.add(v.bytes_);
  for (const auto& [id, spelling] : v.special_spellings_) {
    hash.add(id);
    hash.add(spelling.size());
    hash.add(spelling);
  }
  hash.add(v.eos_.size());
  for (const TokenId id : v.eos_) hash.add(id);
  v.hash_ = hash.value();
  return v;
}

}  // namespace weir
