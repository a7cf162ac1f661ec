// Mistral's tekken.json: special tokens take the first ids, the tokens of "vocab" follow by rank, as many as the
// configured size has room for. The meaning of each field is that of mistral-common's Tekkenizer.
#include <array>

#include <fmt/format.h>

#include "tokens/json_selection.hpp"
#include "tokens/pieces.hpp"
#include "tokens/vocabulary_builder.hpp"

namespace weir {
namespace {

using nlohmann::json;

// The special tokens of files that don't list them (versions up to v7), by id.
constexpr std::array<std::string_view, 20> kEarlySpecialTokens = {
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
};

// "vocab": [{"rank": 0, "token_bytes": "AA==", "token_str": "\u0000"}, ...], the ranks counting up from 0.
class RankList : public JsonSelection::Stream {
 public:
  explicit RankList(const Limits& limits) : limits_(limits) {}

  Status open(bool object) override {
    if (object != (depth_ == 1) || depth_ > 1) return unexpected();
    if (object) {
      rank_.reset();
      has_bytes_ = false;
      if (ends_.size() >= limits_.max_vocabulary) {
        return error_at_pointer(
            ErrorCode::kLimit, "/vocab",
            fmt::format("there are more tokens than Limits::max_vocabulary = {}", limits_.max_vocabulary));
      }
    }
    ++depth_;
    return ok_status();
  }
  Status close() override {
    if (--depth_ == 0) return ok_status();
    if (!has_bytes_ || rank_ != ends_.size()) return unexpected();
    ends_.push_back(bytes_.size());
    return ok_status();
  }
  Status key(std::string& text) override {
    key_ = std::move(text);
    return ok_status();
  }
  Status string(std::string& text) override {
    if (depth_ != 2) return unexpected();
    if (key_ != "token_bytes") return ok_status();
    if (has_bytes_ || !append_base64(text, bytes_)) return unexpected();
    has_bytes_ = true;
    return ok_status();
  }
  Status number(std::optional<std::uint64_t> value) override {
    if (depth_ != 2) return unexpected();
    if (key_ == "rank") rank_ = value;
    return ok_status();
  }
  Status other() override { return depth_ == 2 ? ok_status() : unexpected(); }

  std::size_t size() const { return ends_.size(); }
  std::string_view token(std::size_t rank) const {
    const std::size_t start = rank == 0 ? 0 : ends_[rank - 1];
    return std::string_view(bytes_).substr(start, ends_[rank] - start);
  }

 private:
  Error unexpected() const {
    return error_at_pointer(ErrorCode::kInvalid, pointer_to("/vocab", ends_.size()),
                            "expected an object with the token's rank, which is its place in the list, and its "
                            "token_bytes in base64");
  }

  const Limits& limits_;
  std::size_t depth_ = 0;
  std::string key_;
  std::optional<std::uint64_t> rank_;
  bool has_bytes_ = false;
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

Status add_special_tokens(const json& section, std::size_t count, VocabularyBuilder& builder) {
  std::vector<bool> taken(count, false);
  const auto add = [&](std::size_t id, std::string_view text, const std::string& pointer) {
    if (id >= count) {
      return Status(error_at_pointer(
          ErrorCode::kInvalid, pointer,
          fmt::format("the special token {} has the rank {}, but there are only {}", quoted(text), id, count)));
    }
    taken[id] = true;
    return builder.add(static_cast<TokenId>(id), TokenKind::kSpecial, text);
  };
  if (section.is_array()) {
    for (std::size_t i = 0; i < section.size(); ++i) {
      const std::string pointer = pointer_to("/special_tokens", i);
      const std::optional<std::uint32_t> rank = id_of(member(section[i], "rank"));
      const json& text = member(section[i], "token_str");
      if (!rank || !text.is_string()) {
        return error_at_pointer(ErrorCode::kInvalid, pointer, "a special token needs a rank and a token_str");
      }
      if (Status status = add(*rank, text_of(text), pointer); !status) return status;
    }
  } else if (section.is_null()) {
    for (std::size_t id = 0; id < kEarlySpecialTokens.size(); ++id) {
      if (Status status = add(id, kEarlySpecialTokens[id], "/config/default_num_special_tokens"); !status)
        return status;
    }
  } else {
    return error_at_pointer(ErrorCode::kInvalid, "/special_tokens", "expected a list of special tokens");
  }
  for (std::size_t id = 0; id < count; ++id) {
    if (taken[id]) continue;
    const std::string filler = fmt::format("<SPECIAL_{}>", id);
    if (Status status = builder.add(static_cast<TokenId>(id), TokenKind::kSpecial, filler); !status) return status;
  }
  return ok_status();
}

}  // namespace

Result<Vocabulary> Vocabulary::from_tekken(std::string_view text, const VocabularyOptions& options) {
  RankList ranks(options.limits);
  JsonSelection selection(options.limits);
  selection.stream("/vocab", ranks);
  Result<json> root = selection.read(text);
  if (!root) return root.error();

  const json& config = member(*root, "config");
  const std::optional<std::uint32_t> size = id_of(member(config, "default_vocab_size"));
  const std::optional<std::uint32_t> special = id_of(member(config, "default_num_special_tokens"));
  if (!size || !special || *special > *size) {
    return error_at_pointer(ErrorCode::kInvalid, "/config",
                            "a tekken.json needs default_vocab_size and, not above it, default_num_special_tokens");
  }
  if (*size > options.limits.max_vocabulary) {
    return error_at_pointer(
        ErrorCode::kLimit, "/config/default_vocab_size",
        fmt::format("{} tokens are more than Limits::max_vocabulary = {}", *size, options.limits.max_vocabulary));
  }
  const std::size_t ordinary = *size - *special;
  if (ordinary > ranks.size()) {
    return error_at_pointer(ErrorCode::kInvalid, "/vocab",
                            fmt::format("there are {} tokens, but the config wants {}", ranks.size(), ordinary));
  }
  VocabularyBuilder builder(options);
  Status status = add_special_tokens(member(*root, "special_tokens"), *special, builder);
  if (!status) return status.error();
  for (std::size_t rank = 0; rank < ordinary; ++rank) {
    status = builder.add(static_cast<TokenId>(*special + rank), TokenKind::kText, ranks.token(rank));
    if (!status) return status.error();
  }
  return builder.finish();
}

}  // namespace weir
