// What a language model must offer: tokens in, logits out, and the way back.
//
//   weir::Result<std::unique_ptr<weir::LanguageModel>> model = weir::open_model("embedded");
//   if (!model) return model.error();
//   weir::Status appended = (*model)->append(tokens);
//   weir::Result<std::span<const float>> logits = (*model)->logits();   // for the token after them
//   weir::Status back = (*model)->rewind(0);                            // as if nothing had been appended
//
// The context is a sequence of tokens, empty at first. Invariant: logits() depends on the context alone, not on how
// it came about, up to the arithmetic of the model (rewinding and appending again equals never having rewound).
// Thread safety: one thread at a time for each model.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/automata/vocabulary.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

class LanguageModel {
 public:
  virtual ~LanguageModel() = default;
  LanguageModel(const LanguageModel&) = delete;
  LanguageModel& operator=(const LanguageModel&) = delete;

  // Never null, the same object for the model's whole life; logits have vocabulary()->size() values.
  virtual const std::shared_ptr<const Vocabulary>& vocabulary() const noexcept = 0;

  // The tokens that a prompt's text stands for, by the model's own tokenizer and with what the model expects around a
  // prompt (a beginning-of-sequence token, a chat template).
  virtual Result<std::vector<TokenId>> encode_prompt(std::string_view text) const = 0;

  // Lengthens the context. Errors: kArgument for a token that is no id of the vocabulary; kLimit if the context would
  // exceed max_length(). On an error the context is as before. May do nothing but remember: logits() does the work.
  virtual Status append(std::span<const TokenId> tokens) = 0;

  // Logits of the next token; the view holds until the next call of a member that is not const.
  virtual Result<std::span<const float>> logits() = 0;

  // Cuts the context to its first `length` tokens. kArgument if length > this->length().
  virtual Status rewind(std::size_t length) = 0;

  virtual std::size_t length() const noexcept = 0;      // tokens in the context
  virtual std::size_t max_length() const noexcept = 0;  // the most it can hold

 protected:
  LanguageModel() = default;
};

struct ModelOptions {
  std::size_t context = 4096;  // the most tokens the context is to hold; models of unbounded context ignore it
  int threads = 0;             // 0 = half the machine's cores, 1 to 8; models that need none ignore it
  bool chat = true;            // prompts go through the model's chat template, if it has one
};

// "embedded": the model inside the library (ngram_model.hpp); any other name is the path of a GGUF file
// (llama_model.hpp). Errors: those of the two.
Result<std::unique_ptr<LanguageModel>> open_model(const std::string& name, const ModelOptions& options = {});

}  // namespace weir
