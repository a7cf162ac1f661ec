#include "timing.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace weir::bench {
namespace {

// Samples below 2^kBits ticks have a bucket each; above, each power of two is cut into 2^(kBits-1).
constexpr int kBits = 9;
constexpr std::size_t kHalf = std::size_t{1} << (kBits - 1);

std::size_t bucket_of(std::uint64_t ticks) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(ticks)) - kBits);
  return static_cast<std::size_t>(shift) * kHalf + static_cast<std::size_t>(ticks >> shift);
}

double middle_of(std::size_t bucket) {
  if (bucket < 2 * kHalf) return static_cast<double>(bucket);
  const std::size_t shift = bucket / kHalf - 1;
  return (static_cast<double>(bucket - shift * kHalf) + 0.5) * std::exp2(static_cast<double>(shift)) - 0.5;
}

std::uint64_t steady_nanoseconds() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

bool has_constant_counter() noexcept {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;  // NOLINT(readability-isolate-declaration)
  return __get_cpuid(0x80000007U, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1U << 8U)) != 0;
#else
  return false;
#endif
}

const bool kConstantCounter = has_constant_counter();

struct Start {
  std::uint64_t ticks = ticks_now();
  std::uint64_t nanoseconds = steady_nanoseconds();
};
const Start kStart;

}  // namespace

std::uint64_t ticks_now() noexcept {
#if defined(__x86_64__)
  if (kConstantCounter) {
    unsigned processor = 0;
    return __rdtscp(&processor);  // waits until everything before it is done
  }
#endif
  return steady_nanoseconds();
}

double nanoseconds_per_tick() noexcept {
  if (!kConstantCounter) return 1;
  // A rate over less than this would carry the error of the two reads.
  constexpr std::uint64_t kShortest = 20'000'000;
  if (const std::uint64_t passed = steady_nanoseconds() - kStart.nanoseconds; passed < kShortest) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(kShortest - passed));
  }
  const std::uint64_t ticks = ticks_now() - kStart.ticks;
  return static_cast<double>(steady_nanoseconds() - kStart.nanoseconds) /
         static_cast<double>(std::max<std::uint64_t>(ticks, 1));
}

double clock_overhead_ns() {
  std::vector<std::uint64_t> samples(1001);
  for (std::uint64_t& sample : samples) {
    const std::uint64_t start = ticks_now();
    sample = ticks_now() - start;
  }
  std::nth_element(samples.begin(), samples.begin() + 500, samples.end());
  return static_cast<double>(samples[500]) * nanoseconds_per_tick();
}

Histogram::Histogram() : buckets_(bucket_of(~std::uint64_t{0}) + 1) {}

void Histogram::add(std::uint64_t ticks) noexcept {
  ++buckets_[bucket_of(ticks)];
  ++count_;
  sum_ += ticks;
  max_ = std::max(max_, ticks);
}

void Histogram::merge(const Histogram& other) noexcept {
  for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

double Histogram::quantile(double q) const noexcept {
  const auto rank = static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= rank && seen > 0) return std::min(middle_of(i), static_cast<double>(max_));
  }
  return 0;
}

}  // namespace weir::bench
