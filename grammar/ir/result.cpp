#include "weir/grammar/result.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace weir {

const char* to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kSyntax: return "syntax";
    case ErrorCode::kInvalid: return "invalid";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kUnsatisfiable: return "unsatisfiable";
    case ErrorCode::kLimit: return "limit";
    case ErrorCode::kIo: return "io";
    case ErrorCode::kArgument: return "argument";
  }
  return "unknown";
}

std::string Error::to_string() const {
  if (pointer && !document.empty()) return fmt::format("{}#{}: {}", document, *pointer, message);
  if (pointer) return fmt::format("{}: {}", pointer->empty() ? "(root)" : *pointer, message);
  if (line > 0) return fmt::format("{}:{}: {}", line, column, message);
  return message;
}

Error error_at_pointer(ErrorCode code, std::string pointer, std::string message) {
  return Error{code, std::move(message), std::move(pointer), 0, 0};
}

Error error_at_line(ErrorCode code, std::uint32_t line, std::uint32_t column, std::string message) {
  return Error{code, std::move(message), std::nullopt, line, column};
}

Error error_at_offset(ErrorCode code, std::string_view text, std::size_t offset, std::string message) {
  offset = std::min(offset, text.size());
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  for (std::size_t i = 0; i < offset; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') {
      ++line;
      column = 1;
    } else if ((byte & 0xC0U) != 0x80U) {
      ++column;
    }
  }
  return error_at_line(code, line, column, std::move(message));
}

}  // namespace weir
