// The first byte chooses the kind of file, the rest is the file.
#include "fuzz/fuzz.hpp"
#include "weir/automata/vocabulary.hpp"

namespace {

using weir::Vocabulary;
using Loader = weir::Result<Vocabulary> (*)(std::string_view, const weir::VocabularyOptions&);
constexpr Loader kLoaders[] = {Vocabulary::from_tokenizer_json, Vocabulary::from_tiktoken, Vocabulary::from_gguf,
                               Vocabulary::from_tekken, Vocabulary::from_sentencepiece};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Loader load = kLoaders[data[0] % std::size(kLoaders)];
  const auto vocabulary = load(weir::fuzz::as_text(data + 1, size - 1), {.limits = weir::fuzz::small_limits()});
  if (!vocabulary) {
    weir::fuzz::check_error(vocabulary.error());
    return 0;
  }
  weir::fuzz::require(vocabulary->size() <= weir::fuzz::small_limits().max_vocabulary, "more tokens than the limit");
  for (weir::TokenId id = 0; id < vocabulary->size(); ++id) {
    const bool text = vocabulary->kind(id) == weir::TokenKind::kText;
    weir::fuzz::require(text || vocabulary->token(id).empty(), "a token that is no text has bytes");
  }
  for (const weir::TokenId id : vocabulary->eos()) {
    weir::fuzz::require(id < vocabulary->size(), "end of sequence past the vocabulary");
    weir::fuzz::require(vocabulary->is_eos(id), "eos() and is_eos() differ");
  }
  return 0;
}
