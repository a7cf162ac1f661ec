// The masks of many sequences at once, on threads that the caller has asked for.
//
//   auto pool = weir::ThreadPool::create(/*threads=*/4);
//   if (!pool) return pool.error();
//   rows.resize(matchers.size() * words);                    // words = vocabulary.mask_words(), or a wider row
//   weir::Status filled = weir::fill_masks(*pool, matchers, rows, words);
//   if (!filled) return filled.error();
//   apply(rows);
//
// The library starts no thread by itself: only ThreadPool::create does, as many as its argument says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "weir/automata/matcher.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

// Threads that wait for work and share it out among themselves. Thread safety: any; calls of for_each take turns.
class ThreadPool {
 public:
  static constexpr std::size_t kMaxThreads = 1024;

  // `threads` counts the thread that calls for_each, which works too: 1 starts none. Errors: kArgument unless it is in
  // [1, kMaxThreads]; kLimit if the system does not grant that many.
  static Result<ThreadPool> create(std::size_t threads);
  ~ThreadPool();  // waits until its threads have ended
  ThreadPool(ThreadPool&&) noexcept;
  ThreadPool& operator=(ThreadPool&&) noexcept;

  std::size_t threads() const noexcept;

  // Calls task(0) ... task(count - 1), each once, on any of the threads and in any order, each thread taking the next
  // one when it is through with the last; returns when all have returned. What they wrote is then visible to the
  // caller. The task must not throw, and must not use this pool.
  template <class Task>
  void for_each(std::size_t count, Task&& task) noexcept {
    using Plain = std::remove_reference_t<Task>;
    static_assert(std::is_nothrow_invocable_v<Plain&, std::size_t>, "an exception would have nowhere to go");
    run(
        count, [](void* context, std::size_t i) noexcept { (*static_cast<Plain*>(context))(i); },
        const_cast<void*>(static_cast<const void*>(std::addressof(task))));
  }

 private:
  using Call = void (*)(void* context, std::size_t i) noexcept;
  struct Impl;
  explicit ThreadPool(std::unique_ptr<Impl> impl);
  void run(std::size_t count, Call call, void* context) noexcept;
  std::unique_ptr<Impl> impl_;
};

// Matcher::fill_mask for each: matcher i writes the words [i * words_per_row, (i + 1) * words_per_row) of `rows`. The
// masks are those that filling one by one gives, whatever the number of threads.
//
// Cost: waking a thread takes tens of microseconds, in which the calling one may have filled a batch of cheap masks by
// itself; that costs nothing more, but gains nothing. Threads pay where masks are slow or batches large.
//
// Matchers may come from different grammars. Matchers that share memory, that is, a matcher and its forks, are found
// and stay together on one thread, in the order of the span, so a batch of forks of one sequence is filled by one
// thread alone; clone() makes matchers that are independent. As ever, no other thread may use any of them meanwhile.
//
// A matcher whose budget has run out fills zeros and says so in its error(), as for fill_mask.
// Errors: kArgument for a null matcher, for rows narrower than a matcher's mask_words() and for too few of them, before
// anything is written; kLimit if memory ran out, the masks concerned being zeros.
Status fill_masks(ThreadPool& pool, std::span<Matcher* const> matchers, std::span<std::uint32_t> rows,
                  std::size_t words_per_row);

}  // namespace weir
