// One token for each of many sequences, on threads that the caller has asked for.
//
//   weir::Result<weir::ThreadPool> pool = weir::ThreadPool::create(/*threads=*/4);
//   if (!pool) return pool.error();
//   auto draws = weir::draw_batch(*pool, samplers, logits, width, rows, words);   // rows as fill_masks writes them
//   if (!draws) return draws.error();
//   for (std::size_t i = 0; i < draws->size(); ++i) {
//     if (!(*draws)[i]) return (*draws)[i].error();
//     samplers[i]->accept((*draws)[i]->token);
//   }
//
// What is drawn depends on each sampler's own parameters, position and history, not on the batch or the threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/automata/batch.hpp"
#include "weir/sampler/sampler.hpp"

namespace weir {

// Sampler i draws from the logits [i * width, (i + 1) * width) under the mask words [i * words, (i + 1) * words); an
// empty `rows` allows all tokens. Each result is that of Sampler::draw. No other thread may use the samplers meanwhile.
// Errors, before anything is drawn: kArgument for a null sampler, one that is there twice, and rows that are too short.
// Cost: that of the draws, shared out; waking a thread takes tens of microseconds.
Result<std::vector<Result<Draw>>> draw_batch(ThreadPool& pool, std::span<Sampler* const> samplers,
                                             std::span<const float> logits, std::size_t width,
                                             std::span<const std::uint32_t> rows = {}, std::size_t words = 0);

}  // namespace weir
