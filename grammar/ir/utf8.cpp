#include "weir/grammar/detail/utf8.hpp"

#include <algorithm>
#include <cstring>

namespace weir {
namespace {

constexpr std::array<char32_t, 4> kLastOfLength = {0x7F, 0x7FF, 0xFFFF, kMaxCodePoint};

Utf8Sequence sequence_of(char32_t first, char32_t last, std::uint8_t length) noexcept {
  Utf8Sequence out;
  out.length = length;
  constexpr std::array<std::uint8_t, 4> kLead = {0x00, 0xC0, 0xE0, 0xF0};
  for (std::uint8_t i = 0; i < length; ++i) {
    const unsigned shift = 6U * (length - 1U - i);
    const std::uint8_t mark = i == 0 ? kLead[length - 1U] : 0x80;
    const char32_t mask = i == 0 ? 0x7F : 0x3F;
    out.bytes[i] = {static_cast<std::uint8_t>(mark | ((first >> shift) & mask)),
                    static_cast<std::uint8_t>(mark | ((last >> shift) & mask))};
  }
  return out;
}

// Splits so that below the first differing position all continuation bytes span their whole range.
void split(char32_t first, char32_t last, std::uint8_t length, Utf8Sequences& out) noexcept {
  for (unsigned i = 1; i < length; ++i) {
    const char32_t low_mask = (char32_t{1} << (6U * i)) - 1;
    if ((first & ~low_mask) == (last & ~low_mask)) break;  // they differ only in what lies below
    if ((first & low_mask) != 0) {
      split(first, first | low_mask, length, out);
      split((first | low_mask) + 1, last, length, out);
      return;
    }
    if ((last & low_mask) != low_mask) {
      split(first, (last & ~low_mask) - 1, length, out);
      split(last & ~low_mask, last, length, out);
      return;
    }
  }
  out.all[out.count++] = sequence_of(first, last, length);
}

}  // namespace

Utf8Sequences utf8_sequences(char32_t first, char32_t last) noexcept {
  Utf8Sequences out;
  char32_t begin = 0;
  for (std::uint8_t length = 1; length <= 4; ++length) {
    const char32_t end = kLastOfLength[length - 1U];
    const char32_t lo = std::max(first, begin);
    const char32_t hi = std::min(last, end);
    if (lo <= hi) split(lo, hi, length, out);
    begin = end + 1;
  }
  return out;
}

void append_utf8_sequences(char32_t first, char32_t last, std::vector<Utf8Sequence>& out) {
  const Utf8Sequences sequences = utf8_sequences(first, last);
  out.insert(out.end(), sequences.begin(), sequences.end());
}

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (c >> 6U)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | (c >> 12U)));
    out.push_back(static_cast<char>(0x80 | ((c >> 6U) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | (c >> 18U)));
    out.push_back(static_cast<char>(0x80 | ((c >> 12U) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | ((c >> 6U) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  }
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::size_t i = 0;
  while (i < text.size()) {
    const unsigned lead = at(i);
    if (lead < 0x80) {
      ++i;
      // Most texts are ASCII: eight bytes at once.
      for (std::uint64_t word = 0; i + 8 <= text.size(); i += 8) {
        std::memcpy(&word, text.data() + i, 8);
        if ((word & 0x8080808080808080U) != 0) break;
      }
      continue;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || i + length > text.size()) return i;
    // The second byte's range depends on the lead: no overlong forms, no surrogates, nothing above U+10FFFF.
    const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (at(i + 1) < low || at(i + 1) > high) return i;
    for (std::size_t k = 2; k < length; ++k) {
      if ((at(i + k) & 0xC0U) != 0x80U) return i;
    }
    i += length;
  }
  return std::nullopt;
}

char32_t next_code_point(std::string_view text, std::size_t& offset) {
  const auto at = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
  const char32_t lead = at(offset);
  if (lead < 0x80) {
    ++offset;
    return lead;
  }
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  char32_t c = lead & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07);
  for (std::size_t k = 1; k < length; ++k) c = (c << 6U) | (at(offset + k) & 0x3F);
  offset += length;
  return c;
}

std::size_t count_code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace weir
