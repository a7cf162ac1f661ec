// Clock reads of a few nanoseconds, and histograms that hold millions of samples in constant memory.
#pragma once

#include <cstdint>
#include <vector>

namespace weir::bench {

// Reads the processor's time-stamp counter where it runs at a constant rate, else the steady clock.
std::uint64_t ticks_now() noexcept;

// How long a tick is, from the time since the program started: call it at the end of what was measured.
double nanoseconds_per_tick() noexcept;

// What reading the clock twice in a row gives, the median of many: part of every sample.
double clock_overhead_ns();

// Log-linear: a sample is known to 0.2%; the maximum and the mean are exact.
class Histogram {
 public:
  Histogram();
  void add(std::uint64_t ticks) noexcept;
  void merge(const Histogram& other) noexcept;

  std::uint64_t count() const noexcept { return count_; }
  std::uint64_t max() const noexcept { return max_; }
  double mean() const noexcept { return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }
  // The smallest sample that at least the share q of all samples does not exceed, in ticks; 0 without samples.
  double quantile(double q) const noexcept;

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace weir::bench
