#include "weir/sampler/llama_model.hpp"
#include "weir/sampler/model.hpp"
#include "weir/sampler/ngram_model.hpp"

namespace weir {
namespace {

template <class Model>
Result<std::unique_ptr<LanguageModel>> as_model(Result<std::unique_ptr<Model>> model) {
  if (!model) return model.error();
  return std::unique_ptr<LanguageModel>(std::move(*model));
}

}  // namespace

Result<std::unique_ptr<LanguageModel>> open_model(const std::string& name, const ModelOptions& options) {
  if (name == "embedded") return as_model(NgramModel::embedded());
  return as_model(LlamaModel::open(name, options));
}

}  // namespace weir
