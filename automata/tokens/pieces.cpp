#include "tokens/pieces.hpp"

#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace weir {
namespace {

// GPT-2 shows printable Latin-1 bytes as themselves and the other 68, in ascending order, as U+0100 onwards.
constexpr std::size_t kByteLevelCodePoints = 0x144;
constexpr std::int16_t kNoByte = -1;

constexpr bool shown_as_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

constexpr std::array<std::int16_t, kByteLevelCodePoints> make_byte_level_table() {
  std::array<std::int16_t, kByteLevelCodePoints> table{};
  for (auto& entry : table) entry = kNoByte;
  std::size_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    table[shown_as_itself(byte) ? byte : next++] = static_cast<std::int16_t>(byte);
  }
  return table;
}

constexpr auto kByteLevelTable = make_byte_level_table();
static_assert(kByteLevelTable[0x120] == ' ' && kByteLevelTable[0x143] == 0xAD);

constexpr std::array<std::int16_t, 256> make_base64_table() {
  std::array<std::int16_t, 256> table{};
  for (auto& entry : table) entry = -1;
  std::int16_t value = 0;
  for (char c = 'A'; c <= 'Z'; ++c) table[static_cast<unsigned char>(c)] = value++;
  for (char c = 'a'; c <= 'z'; ++c) table[static_cast<unsigned char>(c)] = value++;
  for (char c = '0'; c <= '9'; ++c) table[static_cast<unsigned char>(c)] = value++;
  table['+'] = value++;
  table['/'] = value++;
  return table;
}

constexpr auto kBase64Table = make_base64_table();

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

bool append_byte_level(std::string_view piece, std::string& out) {
  const std::size_t before = out.size();
  for (std::size_t i = 0; i < piece.size(); ++i) {
    // The alphabet ends at U+0143, so a code point has one byte or two, the lead byte being C2 to C5.
    std::size_t code_point = static_cast<unsigned char>(piece[i]);
    if (code_point >= 0x80) {
      const unsigned next = i + 1 < piece.size() ? static_cast<unsigned char>(piece[i + 1]) : 0;
      if (code_point < 0xC2 || code_point > 0xC5 || (next & 0xC0) != 0x80) {
        out.resize(before);
        return false;
      }
      code_point = ((code_point & 0x1F) << 6) | (next & 0x3F);
      ++i;
    }
    if (code_point >= kByteLevelCodePoints || kByteLevelTable[code_point] == kNoByte) {
      out.resize(before);
      return false;
    }
    out.push_back(static_cast<char>(kByteLevelTable[code_point]));
  }
  return true;
}

void append_replaced(std::string_view text, std::string_view from, std::string_view to, std::string& out) {
  for (;;) {
    const std::size_t at = text.find(from);
    out.append(text.substr(0, at));
    if (at == std::string_view::npos) return;
    out.append(to);
    text.remove_prefix(at + from.size());
  }
}

std::optional<char> byte_of_piece(std::string_view piece) {
  if (piece.size() != 6 || piece.substr(0, 3) != "<0x" || piece[5] != '>') return std::nullopt;
  const int high = hex_digit(piece[3]);
  const int low = hex_digit(piece[4]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

bool append_base64(std::string_view text, std::string& out) {
  if (text.size() % 4 != 0) return false;
  const std::size_t before = out.size();
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  const std::size_t digits = text.size() - padding;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const int value = kBase64Table[static_cast<unsigned char>(text[i])];
    if (value < 0) {
      out.resize(before);
      return false;
    }
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    // Each digit after the first of its group of four completes one more byte.
    const std::size_t in_group = i % 4;
    if (in_group != 0) out.push_back(static_cast<char>(bits >> (6 - 2 * in_group)));
  }
  // Bits left over behind the last byte are zero, so that each byte string has one spelling.
  const std::uint32_t unused = padding == 2 ? 0xF : padding == 1 ? 0x3 : 0;
  if ((bits & unused) != 0) {
    out.resize(before);
    return false;
  }
  return true;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 48;
  std::string out = "\"";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte >= 0x20 && byte < 0x7F) {
      out += c;
    } else {
      out += fmt::format("\\x{:02X}", byte);
    }
  }
  out += text.size() > kShown ? "...\"" : "\"";
  return out;
}

}  // namespace weir
