// A small n-gram model: the one embedded in the library, so that a demo needs nothing, or one from a file.
//
//   weir::Result<std::unique_ptr<weir::NgramModel>> model = weir::NgramModel::embedded();
//
// For a context h and its shorter form h' (without its first token), with counts c of the training text:
//   p(w | h) = max(c(h w) - d, 0) / c(h) + d n(h) / c(h) p(w | h'),    n(h) = number of different w seen after h,
// down to p(w | nothing) = (c(w) + u) / (sum + u V): interpolated absolute discounting, with d and u read from the
// file. Source: H. Ney, U. Essen, R. Kneser, "On structuring probabilistic dependences in stochastic language
// modelling", Computer Speech and Language 8 (1994). Logits are log p, computed with the same bits on every machine. An
// empty context stands for the start of a text, that is, for what follows an end-of-sequence token.
//
// The file's layout is described in sampler/embedded/make_model.py, which makes it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/sampler/model.hpp"

namespace weir {

class NgramModel final : public LanguageModel {
 public:
  // The model inside the library: about 1,500 tokens, order 4, knows JSON. The file is checked once in each process.
  static Result<std::unique_ptr<NgramModel>> embedded();
  // A model of the same layout. Errors: kSyntax with the byte offset for anything malformed, kIo, kLimit.
  static Result<std::unique_ptr<NgramModel>> from_file(const std::string& path);
  static Result<std::unique_ptr<NgramModel>> from_bytes(std::string_view bytes);
  ~NgramModel() override;

  const std::shared_ptr<const Vocabulary>& vocabulary() const noexcept override;
  // The longest token at each place. kArgument if a byte has no token.
  Result<std::vector<TokenId>> encode_prompt(std::string_view text) const override;
  Status append(std::span<const TokenId> tokens) override;
  Result<std::span<const float>> logits() override;
  Status rewind(std::size_t length) override;
  std::size_t length() const noexcept override;
  std::size_t max_length() const noexcept override;

  std::size_t order() const noexcept;  // n: a token depends on the n - 1 before it

  struct Tables;  // private: the checked file, shared by models

 private:
  explicit NgramModel(std::shared_ptr<const Tables> tables);
  std::shared_ptr<const Tables> tables_;
  std::vector<TokenId> context_;
  std::vector<double> probabilities_;
  std::vector<float> logits_;
};

}  // namespace weir
