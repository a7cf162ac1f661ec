#include "output.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "command.hpp"
#include "weir/grammar/detail/utf8.hpp"

namespace weir::cli {

Json error_json(const Error& error) {
  Json json = {{"code", to_string(error.code)}, {"message", error.message}};
  if (error.pointer) {
    json["pointer"] = *error.pointer;
  } else if (error.line > 0) {
    json["line"] = error.line;
    json["column"] = error.column;
  }
  return json;
}

std::string error_line(const Error& error, std::string_view source) {
  // Errors about files often name them.
  if (source.empty() || error.message.find(source) != std::string::npos) return error.to_string();
  return fmt::format("{}:{}{}", source, error.line > 0 && !error.pointer ? "" : " ", error.to_string());
}

std::string warning_line(const Warning& warning, std::string_view source) {
  if (warning.pointer.empty()) return fmt::format("{}: {}", source, warning.message);
  return fmt::format("{}:{}{}: {}", source, warning.pointer.front() == '/' ? " " : "", warning.pointer,
                     warning.message);
}

int report_error(const Error& error, std::string_view source, bool json) {
  fmt::print(stderr, "error: {}\n", error_line(error, source));
  if (json) print_json({{"error", error_json(error)}});
  return kError;
}

void print_json(const Json& json) {
  fmt::print(stdout, "{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
  std::fflush(stdout);  // lines of JSON are read while more are written; a failure shows in ferror at the end
}

void put_text(Json& object, const char* key, const char* bytes_key, std::string_view text) {
  object[key] = text;
  if (!find_invalid_utf8(text)) return;
  std::string hex;
  for (const char c : text) fmt::format_to(std::back_inserter(hex), "{:02x}", static_cast<unsigned char>(c));
  object[bytes_key] = hex;
}

std::string in_quotes(std::string_view text, std::size_t max_bytes) {
  std::string out = "\"";
  std::size_t offset = 0;
  while (offset < text.size() && offset < max_bytes) {
    const std::string_view rest = text.substr(offset, 4);
    const auto byte = static_cast<unsigned char>(rest.front());
    // A character is well-formed when the fault, if there is one in the next four bytes, lies behind it.
    const std::size_t width = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    const bool well_formed = rest.size() >= width && !find_invalid_utf8(rest.substr(0, width));
    if (!well_formed) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
      ++offset;
      continue;
    }
    switch (byte) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (byte < 0x20 || byte == 0x7F) {
          fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
        } else {
          out += rest.substr(0, width);
        }
    }
    offset += width;
  }
  out += offset < text.size() ? "\"..." : "\"";
  return out;
}

}  // namespace weir::cli
