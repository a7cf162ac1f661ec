#include "schema/style.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace weir::schema {
namespace {

constexpr std::string_view kSpace = " \t\n\r";
constexpr std::uint32_t kMaxIndent = 64;
constexpr std::size_t kMaxSeparator = 256;  // bytes

Error bad_style(std::string message) { return make_error(ErrorCode::kArgument, std::move(message)); }

// One sign among white space: else what is written would not be JSON.
bool is_separator(std::string_view text, char sign) {
  const std::size_t at = text.find_first_not_of(kSpace);
  return text.size() <= kMaxSeparator && at != std::string_view::npos && text[at] == sign &&
         text.find_first_not_of(kSpace, at + 1) == std::string_view::npos;
}

std::optional<Error> check_flexible(const JsonStyle& style) {
  if (style.indent || style.item_separator || style.key_separator) {
    return bad_style(
        "style.indent and the separators say exactly which white space is written: set style.flexible_whitespace to "
        "false with them");
  }
  if (style.longest_whitespace != kUnbounded && style.longest_whitespace > Notation::kLongestSpace) {
    return bad_style(fmt::format("style.longest_whitespace may be 0 to {}, or kUnbounded for white space of any length",
                                 Notation::kLongestSpace));
  }
  return std::nullopt;
}

std::optional<Error> check_exact(const JsonStyle& style, const Notation& notation) {
  if (style.longest_whitespace != kUnbounded) {
    return bad_style("style.longest_whitespace is a bound on flexible white space: leave style.flexible_whitespace on");
  }
  if (style.indent && *style.indent > kMaxIndent) {
    return bad_style(fmt::format("style.indent may be 0 to {} blanks", kMaxIndent));
  }
  if (!is_separator(notation.item_separator, ',') || !is_separator(notation.key_separator, ':')) {
    return bad_style(
        fmt::format("style.item_separator must be a comma and style.key_separator a colon, with nothing but JSON white "
                    "space around it, at most {} bytes",
                    kMaxSeparator));
  }
  return std::nullopt;
}

}  // namespace

Result<Notation> notation_of(const JsonStyle& style) {
  Notation notation;
  notation.any_escape = style.any_escape;
  for (const char c : kSpace) notation.space.insert(static_cast<std::uint8_t>(c));
  // No white space at all is also what bare separators say.
  notation.flexible_space = style.flexible_whitespace && style.longest_whitespace > 0;
  if (style.flexible_whitespace) {
    notation.longest_space = style.longest_whitespace;
    if (auto error = check_flexible(style)) return *std::move(error);
    return notation;
  }
  notation.indent = style.indent;
  notation.item_separator = style.item_separator.value_or(style.indent ? "," : ", ");
  notation.key_separator = style.key_separator.value_or(": ");
  if (auto error = check_exact(style, notation)) return *std::move(error);
  return notation;
}

}  // namespace weir::schema
