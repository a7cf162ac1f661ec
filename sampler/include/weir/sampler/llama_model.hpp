// Language models in GGUF files, run by llama.cpp (an optional part of the library: CMake option WEIR_LLAMA).
//
//   weir::Result<std::unique_ptr<weir::LlamaModel>> model = weir::LlamaModel::open("SmolLM2-135M-Instruct.gguf");
//
// Built without llama.cpp, open() is an error (kUnsupported) that says how to get it; nothing else changes.
// llama.cpp's own log is silenced for the whole process when the first model is opened.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/sampler/model.hpp"

namespace weir {

class LlamaModel final : public LanguageModel {
 public:
  // Is llama.cpp part of this build?
  static bool available() noexcept;
  // Loads the model and its vocabulary. Errors: kUnsupported without llama.cpp, kIo, kSyntax (truncated or malformed),
  // kArgument (options out of range), kInvalid (llama.cpp refuses it).
  static Result<std::unique_ptr<LlamaModel>> open(const std::string& path, const ModelOptions& options = {});
  ~LlamaModel() override;

  const std::shared_ptr<const Vocabulary>& vocabulary() const noexcept override;
  // By the model's own tokenizer. With options.chat the text becomes one user message of the model's chat template.
  // Control tokens written out in the text are not recognised: a prompt cannot forge them.
  Result<std::vector<TokenId>> encode_prompt(std::string_view text) const override;
  Status append(std::span<const TokenId> tokens) override;
  // Evaluates what was appended since the last call. An empty context is an error (kInvalid): llama.cpp needs a token.
  Result<std::span<const float>> logits() override;
  Status rewind(std::size_t length) override;
  std::size_t length() const noexcept override;
  std::size_t max_length() const noexcept override;

 private:
  struct Impl;
  explicit LlamaModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
