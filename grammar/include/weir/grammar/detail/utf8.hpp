// UTF-8 (RFC 3629): encoding, strict decoding, and ranges of code points as ranges of bytes. Internal to the library.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/grammar/code_points.hpp"

namespace weir {

struct ByteRange {
  std::uint8_t first = 0;
  std::uint8_t last = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// One to four byte ranges, one for each position: together the encodings of a block of code points.
struct Utf8Sequence {
  std::array<ByteRange, 4> bytes{};
  std::uint8_t length = 0;
};

struct Utf8Sequences {
  static constexpr std::size_t kMost = 16;  // 2n - 1 for the code points of n bytes
  std::array<Utf8Sequence, kMost> all{};
  std::size_t count = 0;
  const Utf8Sequence* begin() const noexcept { return all.data(); }
  const Utf8Sequence* end() const noexcept { return all.data() + count; }
};

// Sequences that match exactly the encodings of first..last, in ascending order. Without allocating.
Utf8Sequences utf8_sequences(char32_t first, char32_t last) noexcept;
// Appends sequences that match exactly the encodings of first..last, in ascending order.
void append_utf8_sequences(char32_t first, char32_t last, std::vector<Utf8Sequence>& out);

// Appends the encoding. Precondition: c is a code point and no surrogate.
void append_utf8(std::string& out, char32_t c);

// The offset of the first byte that is not part of well-formed UTF-8; nullopt when all of it is.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

// Decodes the code point at `offset` and advances it. Precondition: well-formed, offset < size.
char32_t next_code_point(std::string_view text, std::size_t& offset);

// Code points of a well-formed text.
std::size_t count_code_points(std::string_view text);

}  // namespace weir
