// Vocabulary::from_file: which format a file has is told by its first bytes, never by its name.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "weir/automata/vocabulary.hpp"

namespace weir {
namespace {

enum class Format { kUnknown, kTokenizerJson, kTekken, kGguf, kSentencePiece, kTiktoken };

Format sniff(std::string_view head) {
  const std::size_t start = head.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && head[start] == '{') return Format::kTokenizerJson;
  return Format::kUnknown;
}

}  // namespace

Result<Vocabulary> Vocabulary::from_file(const std::string& path, const VocabularyOptions& options) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return make_error(ErrorCode::kIo, fmt::format("cannot open the tokenizer file {}", path));
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (sniff(text) == Format::kTokenizerJson) return from_tokenizer_json(text, options);
  return make_error(ErrorCode::kUnsupported, fmt::format("{} is no tokenizer file", path));
}

}  // namespace weir
