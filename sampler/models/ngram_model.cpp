#include "weir/sampler/ngram_model.hpp"

#include <fstream>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "embedded/model_data.hpp"
#include "math/portable_math.hpp"
#include "models/ngram_tables.hpp"

namespace weir {

namespace {
constexpr std::size_t kMaxFile = 64U << 20U;
}  // namespace

NgramModel::NgramModel(std::shared_ptr<const Tables> tables) : tables_(std::move(tables)) {}
NgramModel::~NgramModel() = default;

Result<std::unique_ptr<NgramModel>> NgramModel::embedded() {
  static const Result<std::shared_ptr<const Tables>> tables = Tables::parse(embedded_model_file("model.bin"));
  if (!tables) return tables.error();
  return std::unique_ptr<NgramModel>(new NgramModel(*tables));
}

Result<std::unique_ptr<NgramModel>> NgramModel::from_bytes(std::string_view bytes) {
  auto tables = Tables::parse(bytes);
  if (!tables) return tables.error();
  return std::unique_ptr<NgramModel>(new NgramModel(std::move(*tables)));
}

Result<std::unique_ptr<NgramModel>> NgramModel::from_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return make_error(ErrorCode::kIo, fmt::format("cannot open the model '{}'", path));
  std::string bytes(kMaxFile + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.bad()) return make_error(ErrorCode::kIo, fmt::format("cannot read the model '{}'", path));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  if (bytes.size() > kMaxFile) {
    return make_error(ErrorCode::kLimit,
                      fmt::format("'{}' is larger than the {} MiB of any n-gram model", path, kMaxFile >> 20U));
  }
  return from_bytes(bytes);
}

const std::shared_ptr<const Vocabulary>& NgramModel::vocabulary() const noexcept { return tables_->vocabulary; }

Result<std::vector<TokenId>> NgramModel::encode_prompt(std::string_view text) const {
  auto tokens = tables_->vocabulary->encode_greedy(text);
  if (!tokens) return make_error(ErrorCode::kArgument, "the prompt has a byte that no token of the model spells");
  return std::move(*tokens);
}

Status NgramModel::append(std::span<const TokenId> tokens) {
  for (const TokenId token : tokens) {
    if (token >= tables_->vocabulary->size()) {
      return make_error(ErrorCode::kArgument, fmt::format("token {} is past the vocabulary of {} tokens", token,
                                                          tables_->vocabulary->size()));
    }
  }
  context_.insert(context_.end(), tokens.begin(), tokens.end());
  return ok_status();
}

Result<std::span<const float>> NgramModel::logits() {
  tables_->probabilities(context_, probabilities_);
  logits_.resize(probabilities_.size());
  for (std::size_t i = 0; i < logits_.size(); ++i) {
    logits_[i] = static_cast<float>(sampling::portable_log(probabilities_[i]));
  }
  return std::span<const float>(logits_);
}

Status NgramModel::rewind(std::size_t length) {
  if (length > context_.size()) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("cannot rewind to {}: the context has {} tokens", length, context_.size()));
  }
  context_.resize(length);
  return ok_status();
}

std::size_t NgramModel::length() const noexcept { return context_.size(); }
std::size_t NgramModel::max_length() const noexcept { return std::numeric_limits<std::uint32_t>::max(); }
std::size_t NgramModel::order() const noexcept { return tables_->levels.size(); }

}  // namespace weir
