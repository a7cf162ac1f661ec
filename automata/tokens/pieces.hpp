// How tokenizer files write the bytes of a token: the conventions that several of the formats share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

// SentencePiece and its heirs write a space as U+2581, LOWER ONE EIGHTH BLOCK.
inline constexpr std::string_view kMetaspace = "\xE2\x96\x81";

// Appends the bytes of a byte-level piece: GPT-2's bijection between the 256 bytes and printable code points, with
// "Ġ" (U+0120) for a space. Returns false, appending nothing, if the piece is not UTF-8 or has another code point.
bool append_byte_level(std::string_view piece, std::string& out);

// Appends the text with every `from` replaced by `to`, left to right. Precondition: !from.empty().
void append_replaced(std::string_view text, std::string_view from, std::string_view to, std::string& out);

// The byte that "<0xE6>" names; nullopt if the piece isn't spelled exactly so. Upper- and lower-case digits both count.
std::optional<char> byte_of_piece(std::string_view piece);

// Appends what standard base64 (RFC 4648, section 4, padding required) encodes; false if the text is not that.
bool append_base64(std::string_view text, std::string& out);

// The text in quotes for a message: printable ASCII as it is, the rest escaped, a long one cut with "...".
std::string quoted(std::string_view text);

}  // namespace weir
