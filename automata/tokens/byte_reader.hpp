// Reads a binary file piece by piece, front to back, from memory or from a stream, so that the metadata of a model file
// can be had without its gigabytes of weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <type_traits>

namespace weir {

class ByteReader {
 public:
  // The bytes must outlive the reader.
  explicit ByteReader(std::string_view bytes) : size_(bytes.size()), window_(bytes) {}
  // The stream stands at the file's first byte; the file has `size` bytes. The stream must outlive the reader.
  ByteReader(std::istream& stream, std::uint64_t size) : stream_(&stream), size_(size) {}

  std::uint64_t offset() const noexcept { return window_offset_ + at_; }
  std::uint64_t remaining() const noexcept { return size_ - offset(); }

  // Each of these returns false if fewer bytes are left (or the stream fails); the position is then undefined. None
  // allocates more than `length` bytes, and that only after checking that so many are left.
  bool skip(std::uint64_t length);
  bool append(std::uint64_t length, std::string& out);
  // A little-endian integer.
  template <class Number>
  bool read(Number& out) {
    static_assert(std::is_unsigned_v<Number>);
    std::uint64_t value = 0;
    for (unsigned i = 0; i < sizeof(Number); ++i) {
      if (at_ == window_.size() && !refill()) return false;
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(window_[at_++])) << (8 * i);
    }
    out = static_cast<Number>(value);
    return true;
  }

 private:
  bool refill();

  std::istream* stream_ = nullptr;
  std::uint64_t size_;
  std::string buffer_;
  std::string_view window_;          // the bytes at hand: all of them, or a part of the stream
  std::uint64_t window_offset_ = 0;  // where the window lies in the file
  std::size_t at_ = 0;               // where the next byte lies in the window
};

}  // namespace weir
