// LlamaModel in a build without llama.cpp: no model can be opened, so no other member is ever called.
#include <fmt/format.h>

#include "weir/sampler/llama_model.hpp"

namespace weir {
namespace {

Error absent() {
  return make_error(ErrorCode::kUnsupported,
                    "this build of weir has no llama.cpp; install it with ./dev setup --llm and build again");
}

}  // namespace

struct LlamaModel::Impl {
  std::shared_ptr<const Vocabulary> vocabulary;
};

bool LlamaModel::available() noexcept { return false; }

Result<std::unique_ptr<LlamaModel>> LlamaModel::open(const std::string& path, const ModelOptions&) {
  return make_error(ErrorCode::kUnsupported, fmt::format("cannot open the model '{}': {}", path, absent().message));
}

LlamaModel::LlamaModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LlamaModel::~LlamaModel() = default;
const std::shared_ptr<const Vocabulary>& LlamaModel::vocabulary() const noexcept { return impl_->vocabulary; }
Result<std::vector<TokenId>> LlamaModel::encode_prompt(std::string_view) const { return absent(); }
Status LlamaModel::append(std::span<const TokenId>) { return absent(); }
Result<std::span<const float>> LlamaModel::logits() { return absent(); }
Status LlamaModel::rewind(std::size_t) { return absent(); }
std::size_t LlamaModel::length() const noexcept { return 0; }
std::size_t LlamaModel::max_length() const noexcept { return 0; }

}  // namespace weir
