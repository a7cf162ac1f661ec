#include "tokens/byte_reader.hpp"

#include <algorithm>

namespace weir {
namespace {
constexpr std::size_t kWindowBytes = std::size_t{64} << 10U;
}

bool ByteReader::refill() {
  window_offset_ += window_.size();
  at_ = 0;
  window_ = {};
  if (stream_ == nullptr || window_offset_ >= size_) return false;
  buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kWindowBytes, size_ - window_offset_)));
  stream_->read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  window_ = std::string_view(buffer_).substr(0, static_cast<std::size_t>(stream_->gcount()));
  return !window_.empty();
}

bool ByteReader::skip(std::uint64_t length) {
  if (length > remaining()) return false;
  const std::size_t at_hand = window_.size() - at_;
  if (length <= at_hand) {
    at_ += static_cast<std::size_t>(length);
    return true;
  }
  // What lies beyond the window is not read at all. Only a stream has anything there.
  window_offset_ = offset() + length;
  window_ = {};
  at_ = 0;
  stream_->seekg(static_cast<std::streamoff>(window_offset_), std::ios::beg);
  return stream_->good();
}

bool ByteReader::append(std::uint64_t length, std::string& out) {
  if (length > remaining()) return false;
  while (length > 0) {
    if (at_ == window_.size() && !refill()) return false;
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(length, window_.size() - at_));
    out.append(window_.substr(at_, part));
    at_ += part;
    length -= part;
  }
  return true;
}

}  // namespace weir
