#include "rejection.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "weir/grammar/detail/utf8.hpp"

namespace weir::cli {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// The well-formed character that covers the byte at `offset`; if there is none, the byte itself.
std::string_view character_at(std::string_view text, std::size_t offset) {
  std::size_t start = offset;
  while (start > 0 && offset - start < 3 && is_continuation(text[start])) --start;
  std::size_t end = start + 1;
  while (end < text.size() && end - start < 4 && is_continuation(text[end])) ++end;
  if (end > offset && !find_invalid_utf8(text.substr(start, end - start))) return text.substr(start, end - start);
  return text.substr(offset, 1);
}

}  // namespace

std::optional<Rejection> find_rejection(Matcher& matcher, std::string_view text, bool must_be_complete) {
  std::size_t viable = 0;
  if (text.empty() || matcher.accept_bytes(text, &viable)) {
    if (!must_be_complete || matcher.error() || matcher.is_accepting()) return std::nullopt;
    viable = text.size();
  } else {
    if (matcher.error()) return std::nullopt;
    viable = std::min(viable, text.size() - 1);
  }

  Rejection rejection;
  rejection.offset = viable;
  std::size_t place = viable;  // the start of the character, so that `expected` speaks of whole characters
  if (viable < text.size()) {
    const std::string_view character = character_at(text, viable);
    rejection.found = std::string(character);
    place = static_cast<std::size_t>(character.data() - text.data());
    if (place > 0) matcher.accept_bytes(text.substr(0, place));
  }
  for (const char c : text.substr(0, place)) {
    if (c == '\n') {
      ++rejection.line;
      rejection.column = 1;
    } else if (!is_continuation(c)) {
      ++rejection.column;
    }
  }
  rejection.expected = describe_next(matcher);
  return rejection;
}

Json rejection_json(const Rejection& rejection) {
  Json json = {{"accepted", false},          {"offset", rejection.offset}, {"line", rejection.line},
               {"column", rejection.column}, {"found", nullptr},           {"expected", Json::array()}};
  if (rejection.found) put_text(json, "found", "found_bytes", *rejection.found);
  for (const Expected& one : rejection.expected) json["expected"].push_back(one.text);
  return json;
}

std::string rejection_line(const Rejection& rejection, std::string_view source) {
  const std::string place = fmt::format("{}:{}:{}", source, rejection.line, rejection.column);
  const std::string expected = join_expected(rejection.expected);
  if (!rejection.found) {
    return fmt::format("{}: the text ends at byte {} but is not complete; expected {}", place, rejection.offset,
                       expected);
  }
  return fmt::format("{}: rejected at byte {}: found {}, expected {}", place, rejection.offset,
                     show_character(*rejection.found), expected);
}

}  // namespace weir::cli
