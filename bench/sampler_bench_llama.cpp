// llama.cpp's half of the sampler benchmark: its own sampler chains over the same logits, used as its programs do: an
// array of candidates is filled from the logits, then the chain runs. A grammar's mask is -inf on what is not allowed.
#include <cmath>
#include <memory>

#include <llama.h>

#include "sampler_bench.hpp"

namespace weir::bench {
namespace {

struct FreeSampler {
  void operator()(llama_sampler* sampler) const noexcept { llama_sampler_free(sampler); }
};
using Chain = std::unique_ptr<llama_sampler, FreeSampler>;

Chain chain(std::initializer_list<llama_sampler*> samplers) {
  Chain result(llama_sampler_chain_init(llama_sampler_chain_default_params()));
  for (llama_sampler* sampler : samplers) llama_sampler_chain_add(result.get(), sampler);
  return result;
}

}  // namespace

Medians llama_medians(const Inputs& inputs, const Parameters& p) {
  const auto temperature = [&] { return llama_sampler_init_temp(static_cast<float>(p.temperature)); };
  const auto draw = [] { return llama_sampler_init_dist(1); };
  const auto top_p = [&] { return llama_sampler_init_top_p(p.top_p, 1); };
  const auto min_p = [&] { return llama_sampler_init_min_p(p.min_p, 1); };
  // The temperature comes first, as in weir, so that both choose from the same probabilities.
  std::map<std::string, Chain> chains;
  chains["greedy"] = chain({llama_sampler_init_greedy()});
  chains["temperature_draw"] = chain({temperature(), draw()});
  chains["topk_topp_minp_draw"] = chain({temperature(), llama_sampler_init_top_k(p.top_k), top_p(), min_p(), draw()});
  chains["topp_draw"] = chain({temperature(), top_p(), draw()});
  chains["minp_draw"] = chain({temperature(), min_p(), draw()});
  chains["masked64_topp_draw"] = chain({temperature(), top_p(), draw()});

  Medians medians;
  std::vector<llama_token_data> candidates(kVocabulary);
  for (const auto& chain : chains) {
    const auto& name = chain.first;
    llama_sampler* const sampler = chain.second.get();
    const bool masked = name.starts_with("masked");
    medians[name] = median_microseconds(inputs.repetitions, [&](std::size_t i) {
      const auto& logits = inputs.logits[i % inputs.logits.size()];
      const auto& mask = inputs.masks[i % inputs.masks.size()];
      for (std::size_t t = 0; t < kVocabulary; ++t) {
        const bool allowed = !masked || (mask[t / 32] >> (t % 32) & 1U) != 0;
        candidates[t] = {static_cast<llama_token>(t), allowed ? logits[t] : -INFINITY, 0.0F};
      }
      llama_token_data_array array{candidates.data(), candidates.size(), -1, false};
      llama_sampler_apply(sampler, &array);
    });
  }
  return medians;
}

}  // namespace weir::bench
