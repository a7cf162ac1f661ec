// An append-only array whose elements never move: readers hold references while a writer appends.
//
// Segment k holds 2^(k + kFirstBits) elements, so an index finds its segment with one count of leading zeros and an
// empty array owns no memory. One writer at a time (the owner's lock); a reader may touch an element as soon as it
// learnt its index from something the writer published with release order.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace weir::detail {

template <class T, unsigned kFirstBits = 8>
class SegmentedVector {
 public:
  SegmentedVector() = default;
  SegmentedVector(const SegmentedVector&) = delete;
  SegmentedVector& operator=(const SegmentedVector&) = delete;
  ~SegmentedVector() {
    for (auto& segment : segments_) delete[] segment.load(std::memory_order_relaxed);
  }

  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }

  T& operator[](std::size_t i) noexcept { return *locate(i); }
  const T& operator[](std::size_t i) const noexcept { return *locate(i); }

  // Appends and returns the index.
  std::size_t push_back(T value) {
    const std::size_t i = size_.load(std::memory_order_relaxed);
    grow_to(i + 1);
    *locate(i) = std::move(value);
    size_.store(i + 1, std::memory_order_release);
    return i;
  }
  // Makes indices below n valid, value-initialised.
  void resize_at_least(std::size_t n) {
    if (n <= size_.load(std::memory_order_relaxed)) return;
    grow_to(n);
    size_.store(n, std::memory_order_release);
  }
  std::size_t memory_bytes() const noexcept { return capacity_ * sizeof(T); }

 private:
  static unsigned segment_of(std::size_t i) noexcept {
    return static_cast<unsigned>(std::bit_width((i >> kFirstBits) + 1) - 1);
  }
  T* locate(std::size_t i) const noexcept {
    const unsigned k = segment_of(i);
    const std::size_t base = ((std::size_t{1} << k) - 1) << kFirstBits;
    return segments_[k].load(std::memory_order_acquire) + (i - base);
  }
  void grow_to(std::size_t n) {
    while (capacity_ < n) {
      const unsigned k = segment_of(capacity_);
      const std::size_t count = std::size_t{1} << (k + kFirstBits);
      segments_[k].store(new T[count](), std::memory_order_release);
      capacity_ += count;
    }
  }

  std::array<std::atomic<T*>, 32> segments_{};
  std::atomic<std::size_t> size_{0};
  std::size_t capacity_ = 0;
};

}  // namespace weir::detail
