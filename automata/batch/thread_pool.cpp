#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "weir/automata/batch.hpp"

namespace weir {

struct ThreadPool::Impl {
  struct Job {
    // Each takes what nobody has taken yet.
    void work() noexcept {
      for (std::size_t i = next.fetch_add(1, std::memory_order_relaxed); i < count;
           i = next.fetch_add(1, std::memory_order_relaxed)) {
        call(context, i);
      }
    }
    std::size_t count;
    Call call;
    void* context;
    alignas(64) std::atomic<std::size_t> next{0};  // a cache line of its own: the other members are only read
  };

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    wake.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  void serve() noexcept {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return stopping || (job != nullptr && number != seen); });
      if (stopping) return;
      seen = number;
      Job* const taken = job;
      ++inside;
      lock.unlock();
      taken->work();
      lock.lock();
      if (--inside == 0) done.notify_one();
    }
  }

  void run(Job& offered) noexcept {
    const std::lock_guard turn(turns);
    {
      const std::lock_guard lock(mutex);
      job = &offered;
      ++number;
    }
    // As many as there is work for, beside this thread.
    if (offered.count > workers.size()) {
      wake.notify_all();
    } else {
      for (std::size_t i = 1; i < offered.count; ++i) wake.notify_one();
    }
    offered.work();
    // Nothing is left to take. Who comes only now finds no job; who is inside may still be at its last piece.
    std::unique_lock lock(mutex);
    job = nullptr;
    done.wait(lock, [&] { return inside == 0; });
  }

  std::mutex turns;  // held for a whole job
  std::mutex mutex;  // guards what follows
  std::condition_variable wake;
  std::condition_variable done;
  Job* job = nullptr;
  std::uint64_t number = 0;  // of the job; a worker enters each once
  std::size_t inside = 0;    // workers that have entered it
  bool stopping = false;
  std::vector<std::thread> workers;
};

ThreadPool::ThreadPool(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ThreadPool::~ThreadPool() = default;
ThreadPool::ThreadPool(ThreadPool&&) noexcept = default;
ThreadPool& ThreadPool::operator=(ThreadPool&&) noexcept = default;

Result<ThreadPool> ThreadPool::create(std::size_t threads) {
  if (threads == 0 || threads > kMaxThreads) {
    return make_error(
        ErrorCode::kArgument,
        fmt::format("a pool of {} threads: ask for 1 to {}, the calling one included", threads, kMaxThreads));
  }
  auto impl = std::make_unique<Impl>();
  impl->workers.reserve(threads - 1);
  try {
    while (impl->workers.size() + 1 < threads) impl->workers.emplace_back([p = impl.get()] { p->serve(); });
  } catch (const std::system_error& refused) {
    return make_error(ErrorCode::kLimit,
                      fmt::format("the system grants no more than {} of {} threads ({}): ask for fewer",
                                  impl->workers.size() + 1, threads, refused.what()));
  }
  return ThreadPool(std::move(impl));
}

std::size_t ThreadPool::threads() const noexcept { return impl_->workers.size() + 1; }

void ThreadPool::run(std::size_t count, Call call, void* context) noexcept {
  if (count < 2 || impl_->workers.empty()) {
    for (std::size_t i = 0; i < count; ++i) call(context, i);
    return;
  }
  Impl::Job job{count, call, context};
  impl_->run(job);
}

}  // namespace weir
