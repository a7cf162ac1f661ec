// Vocabulary::from_file: what format a file has is told by its content, never by its name.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "tokens/byte_reader.hpp"
#include "tokens/gguf.hpp"
#include "weir/automata/vocabulary.hpp"

namespace weir {
namespace {

constexpr std::size_t kHeadBytes = 4096;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

enum class Format : std::uint8_t { kUnknown, kJson, kGguf, kSentencePiece, kTiktoken };

bool is_base64_or_space(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/' ||
         c == '=' || c == ' ' || c == '\r';
}

Format sniff(std::string_view head) {
  if (head.starts_with("GGUF")) return Format::kGguf;
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const std::size_t start = head.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && head[start] == '{') return Format::kJson;
  // A SentencePiece model begins with its first piece (field 1, length-delimited), whose first field is its text.
  if (head.size() > 2 && head[0] == '\x0A' && head[2] == '\x0A') return Format::kSentencePiece;
  // Or with the rare order of fields that has the trainer_spec first, which begins with its own fields 1 or 2.
  if (head.size() > 1 && head[0] == '\x12' && !is_base64_or_space(head[1])) return Format::kSentencePiece;
  const std::string_view line = head.substr(0, head.find('\n'));
  const bool base64 = !line.empty() && std::all_of(line.begin(), line.end(), is_base64_or_space);
  if (base64 && line.find(' ') != std::string_view::npos) return Format::kTiktoken;
  return Format::kUnknown;
}

// Of the keys in the outermost object, which comes first: one that only a tekken.json has, or one that only a
// tokenizer.json has? Walks over strings and brackets and judges nothing; the parser behind it does.
bool is_tekken(std::string_view json) {
  constexpr std::array<std::string_view, 3> kTekken = {"config", "vocab", "special_tokens"};
  constexpr std::array<std::string_view, 6> kTokenizerJson = {"model",         "added_tokens", "normalizer",
                                                              "pre_tokenizer", "decoder",      "post_processor"};
  std::size_t depth = 0;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth-- <= 1) return false;
    if (c != '"') continue;
    const std::size_t start = i + 1;
    for (++i; i < json.size() && json[i] != '"'; ++i) {
      if (json[i] == '\\') ++i;
    }
    if (depth != 1 || i >= json.size()) continue;
    const std::size_t next = json.find_first_not_of(" \t\r\n", i + 1);
    if (next == std::string_view::npos || json[next] != ':') continue;
    const std::string_view key = json.substr(start, i - start);
    if (std::find(kTekken.begin(), kTekken.end(), key) != kTekken.end()) return true;
    if (std::find(kTokenizerJson.begin(), kTokenizerJson.end(), key) != kTokenizerJson.end()) return false;
  }
  return false;
}

Error unreadable(std::string_view what) { return make_error(ErrorCode::kIo, std::string(what)); }

// Appends up to `most` bytes; false on a read error.
bool append_from(std::istream& file, std::size_t most, std::string& out) {
  const std::size_t before = out.size();
  out.resize(before + most);
  file.read(out.data() + before, static_cast<std::streamsize>(most));
  out.resize(before + static_cast<std::size_t>(file.gcount()));
  return !file.bad();
}

Result<Vocabulary> read_text(std::string& content, Format format, const VocabularyOptions& options) {
  switch (format) {
    case Format::kJson:
      return is_tekken(content) ? Vocabulary::from_tekken(content, options)
                                : Vocabulary::from_tokenizer_json(content, options);
    case Format::kGguf: return Vocabulary::from_gguf(content, options);
    case Format::kSentencePiece: return Vocabulary::from_sentencepiece(content, options);
    case Format::kTiktoken:
    case Format::kUnknown: break;
  }
  return Vocabulary::from_tiktoken(content, options);
}

Result<Vocabulary> read_file(const std::string& path, const VocabularyOptions& options) {
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) return unreadable("this is a folder; name a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) return unreadable("cannot be opened; check its name and its permissions");

  std::string content;
  if (!append_from(file, kHeadBytes, content)) return unreadable("cannot be read");
  if (content.empty()) return make_error(ErrorCode::kSyntax, "is empty");
  const Format format = sniff(content);
  if (format == Format::kUnknown) {
    return make_error(ErrorCode::kSyntax,
                      "is no tokenizer that weir knows: expected a tokenizer.json, a tekken.json, a GGUF model, a "
                      "SentencePiece model, or tiktoken ranks");
  }
  // Pipes have no size; what comes through them is read to the end.
  const bool regular = std::filesystem::is_regular_file(path, failure);
  const std::uint64_t size = regular ? std::filesystem::file_size(path, failure) : 0;
  if (regular && !failure && format == Format::kGguf) {
    file.clear();
    file.seekg(0);
    ByteReader reader(file, size);
    return read_gguf(reader, options);
  }
  const std::uint64_t limit = options.limits.max_file_bytes;
  std::size_t part = size > content.size() && size <= limit ? static_cast<std::size_t>(size) : kHeadBytes;
  while (file && content.size() <= limit && size <= limit) {
    if (!append_from(file, part, content)) return unreadable("cannot be read to its end");
    part = std::max(kHeadBytes, content.size());
  }
  if (content.size() > limit || size > limit) {
    return make_error(ErrorCode::kLimit, fmt::format("is larger than Limits::max_file_bytes = {}", limit));
  }
  return read_text(content, format, options);
}

}  // namespace

Result<Vocabulary> Vocabulary::from_file(const std::string& path, const VocabularyOptions& options) {
  Result<Vocabulary> result = read_file(path, options);
  if (result) return result;
  Error error = result.error();
  error.message = fmt::format("{}: {}", path, error.message);
  return error;
}

}  // namespace weir
