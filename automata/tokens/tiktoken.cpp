// tiktoken's rank files: one token a line, its bytes in base64, a space, its rank, which is its id.
#include <charconv>

#include <fmt/format.h>

#include "tokens/pieces.hpp"
#include "tokens/vocabulary_builder.hpp"

namespace weir {

Result<Vocabulary> Vocabulary::from_tiktoken(std::string_view ranks, const VocabularyOptions& options) {
  VocabularyBuilder builder(options);
  std::string bytes;
  std::uint32_t line_number = 0;
  for (std::string_view rest = ranks; !rest.empty();) {
    ++line_number;
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() && rest.empty()) break;

    const std::size_t space = line.find(' ');
    bytes.clear();
    if (space == std::string_view::npos || space == 0 || !append_base64(line.substr(0, space), bytes)) {
      return error_at_line(ErrorCode::kSyntax, line_number, 1,
                           "expected a token in base64, a space, and its rank, as in tiktoken's rank files");
    }
    const std::string_view digits = line.substr(space + 1);
    TokenId id = 0;
    const auto [stop, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
    if (failure != std::errc() || stop != digits.data() + digits.size()) {
      return error_at_line(ErrorCode::kSyntax, line_number, static_cast<std::uint32_t>(space + 2),
                           fmt::format("expected a rank, a whole number below 2^32, not {}", quoted(digits)));
    }
    if (Status status = builder.add(id, TokenKind::kText, bytes); !status) {
      return error_at_line(status.error().code, line_number, 1, status.error().message);
    }
  }
  for (const auto& [text, id] : options.special_tokens) {
    if (Status status = builder.add(id, TokenKind::kSpecial, text); !status) {
      return make_error(ErrorCode::kArgument,
                        fmt::format("the special token {} cannot be added: {}", quoted(text), status.error().message));
    }
  }
  return builder.finish();
}

}  // namespace weir
