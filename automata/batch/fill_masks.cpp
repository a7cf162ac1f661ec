#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "weir/automata/batch.hpp"

namespace weir {
namespace {

Status check_batch(std::span<Matcher* const> matchers, std::span<const std::uint32_t> rows, std::size_t words_per_row) {
  for (std::size_t i = 0; i < matchers.size(); ++i) {
    if (matchers[i] == nullptr)
      return make_error(ErrorCode::kArgument, fmt::format("matcher {} of the batch is null", i));
    if (const std::size_t needed = matchers[i]->vocabulary().mask_words(); words_per_row < needed) {
      return make_error(ErrorCode::kArgument,
                        fmt::format("rows of {} words are too narrow: the vocabulary of matcher {} "
                                    "needs {}",
                                    words_per_row, i, needed));
    }
  }
  if (words_per_row != 0 && rows.size() / words_per_row < matchers.size()) {
    return make_error(ErrorCode::kArgument, fmt::format("{} words are too few for {} rows of {}", rows.size(),
                                                        matchers.size(), words_per_row));
  }
  return ok_status();
}

// Matchers that have to stay on one thread: indices into the batch, order[begin, end).
struct Group {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const noexcept { return end - begin; }
};

}  // namespace

Status fill_masks(ThreadPool& pool, std::span<Matcher* const> matchers, std::span<std::uint32_t> rows,
                  std::size_t words_per_row) {
  if (Status status = check_batch(matchers, rows, words_per_row); !status) return status;

  std::vector<std::size_t> order(matchers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto sequence = [&](std::size_t i) { return matchers[i]->sequence_id(); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::less<>()(sequence(a), sequence(b)); });
  std::vector<Group> groups;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || sequence(order[i]) != sequence(order[i - 1])) groups.push_back({i, i});
    groups.back().end = i + 1;
  }
  // The long ones first, so that no thread is left alone with one at the end.
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.size() > b.size(); });

  std::atomic<bool> out_of_memory{false};
  pool.for_each(groups.size(), [&](std::size_t g) noexcept {
    for (std::size_t i = groups[g].begin; i < groups[g].end; ++i) {
      const auto row = rows.subspan(order[i] * words_per_row, words_per_row);
      try {
        matchers[order[i]]->fill_mask(row);
      } catch (const std::exception&) {  // bad_alloc, or length_error for a container that cannot grow
        std::fill(row.begin(), row.end(), 0);
        out_of_memory.store(true, std::memory_order_relaxed);
      }
    }
  });
  if (out_of_memory.load(std::memory_order_relaxed)) {
    return make_error(ErrorCode::kLimit,
                      "memory ran out while masks were filled; those that are missing are all zeros");
  }
  return ok_status();
}

}  // namespace weir
