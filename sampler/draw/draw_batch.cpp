#include "weir/sampler/draw_batch.hpp"

#include <algorithm>
#include <new>

#include <fmt/format.h>

namespace weir {

Result<std::vector<Result<Draw>>> draw_batch(ThreadPool& pool, std::span<Sampler* const> samplers,
                                             std::span<const float> logits, std::size_t width,
                                             std::span<const std::uint32_t> rows, std::size_t words) {
  const std::size_t count = samplers.size();
  if (width > 0 && logits.size() / width < count) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("{} logits are too few for {} rows of {}", logits.size(), count, width));
  }
  if (!rows.empty() && (words == 0 || rows.size() / words < count)) {
    return make_error(ErrorCode::kArgument,
                      fmt::format("{} words of masks are too few for {} rows of {}", rows.size(), count, words));
  }
  std::vector<Sampler*> sorted(samplers.begin(), samplers.end());
  std::sort(sorted.begin(), sorted.end());
  if (!sorted.empty() && sorted.front() == nullptr) return make_error(ErrorCode::kArgument, "a sampler is null");
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    return make_error(ErrorCode::kArgument, "a sampler is there twice: make one for each sequence");
  }
  std::vector<Result<Draw>> draws(count, make_error(ErrorCode::kLimit, "memory ran out"));
  pool.for_each(count, [&](std::size_t i) noexcept {
    try {
      const auto mask = rows.empty() ? rows : rows.subspan(i * words, words);
      draws[i] = samplers[i]->draw(logits.subspan(i * width, width), mask);
    } catch (const std::bad_alloc&) {
      // The draw stays the error that it was.
    }
  });
  return draws;
}

}  // namespace weir
