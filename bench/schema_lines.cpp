#include "schema_lines.hpp"

#include <cerrno>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace weir::bench {
namespace {

using Json = nlohmann::json;

struct RawMember {
  std::string key;
  std::string_view value;
};

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')) ++at;
  return at;
}

// Just behind the string that starts at `at`.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

// Just behind the value that starts at `at`. Only strings and brackets are looked at; the value's reader does the rest.
std::size_t skip_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at);
    } else if (c == '{' || c == '[') {
      ++depth;
      ++at;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return at;
      --depth;
      ++at;
    } else if (c == ',' && depth == 0) {
      return at;
    } else {
      ++at;
    }
  }
  return at;
}

// The members of an object, their values as they are written. Empty for what is no object.
std::vector<RawMember> raw_members(std::string_view text) {
  std::vector<RawMember> members;
  std::size_t at = skip_space(text, 0);
  if (at >= text.size() || text[at] != '{') return {};
  at = skip_space(text, at + 1);
  while (at < text.size() && text[at] == '"') {
    const std::size_t key_end = skip_string(text, at);
    if (key_end > text.size()) return {};
    Json key = Json::parse(text.substr(at, key_end - at), nullptr, /*allow_exceptions=*/false);
    at = skip_space(text, key_end);
    if (!key.is_string() || at >= text.size() || text[at] != ':') return {};
    at = skip_space(text, at + 1);
    const std::size_t end = std::min(skip_value(text, at), text.size());
    members.push_back({key.get<std::string>(), text.substr(at, end - at)});
    at = end;
    if (at >= text.size() || text[at] != ',') break;
    at = skip_space(text, at + 1);
  }
  return members;
}

Result<TestInstance> read_test(const Json& test) {
  const auto invalid = [](const char* what) { return make_error(ErrorCode::kInvalid, what); };
  if (!test.is_object()) return invalid("a test is no object");
  const auto valid = test.find("valid");
  const auto text = test.find("text");
  if (valid == test.end() || !valid->is_boolean()) return invalid("a test has no boolean \"valid\"");
  if (text == test.end() || !text->is_string()) return invalid("a test has no string \"text\"");
  TestInstance instance{valid->get<bool>(), text->get<std::string>(), {}};
  if (const auto tokens = test.find("tokens"); tokens != test.end()) {
    if (!tokens->is_array()) return invalid("\"tokens\" of a test is no array");
    instance.tokens.reserve(tokens->size());
    for (const Json& token : *tokens) {
      if (!token.is_number_unsigned() || token.get<std::uint64_t>() > 0xFFFFFFFFU) {
        return invalid("\"tokens\" of a test holds what is no token id");
      }
      instance.tokens.push_back(token.get<TokenId>());
    }
  }
  return instance;
}

std::optional<Notation> notation_of(std::string_view key) {
  if (key == "schema") return Notation::kJsonSchema;
  if (key == "lark") return Notation::kLark;
  if (key == "gbnf") return Notation::kGbnf;
  return std::nullopt;
}

Error io_error(const std::string& path) {
  return make_error(ErrorCode::kIo, fmt::format("cannot read {}: {}", path, std::generic_category().message(errno)));
}

}  // namespace

Result<SchemaLine> parse_schema_line(std::string_view text) {
  SchemaLine line;
  std::optional<Notation> found;
  bool has_tests = false;
  for (const RawMember& member : raw_members(text)) {
    if (const auto notation = notation_of(member.key)) {
      if (found && *found < *notation) continue;
      found = notation;
      line.grammar = std::string(member.value);
    } else if (member.key == "id") {
      const Json id = Json::parse(member.value, nullptr, /*allow_exceptions=*/false);
      line.id = id.is_string() ? id.get<std::string>() : std::string(member.value);
    } else if (member.key == "tests") {
      const Json tests = Json::parse(member.value, nullptr, /*allow_exceptions=*/false);
      if (!tests.is_array()) return make_error(ErrorCode::kSyntax, "\"tests\" is no JSON array");
      has_tests = true;
      for (const Json& test : tests) {
        Result<TestInstance> instance = read_test(test);
        if (!instance) return instance.error();
        line.tests.push_back(std::move(*instance));
      }
    }
  }
  if (!has_tests || !found) {
    return make_error(ErrorCode::kInvalid, "no object with \"tests\" and one of \"schema\", \"lark\" and \"gbnf\"");
  }
  line.notation = *found;
  if (line.notation == Notation::kJsonSchema) return line;
  const Json grammar = Json::parse(line.grammar, nullptr, /*allow_exceptions=*/false);
  if (!grammar.is_string()) return make_error(ErrorCode::kInvalid, "\"lark\" or \"gbnf\" is no JSON string");
  line.grammar = grammar.get<std::string>();
  return line;
}

SchemaFiles::SchemaFiles(SchemaFiles&& other) noexcept
    : files_(std::exchange(other.files_, {})), lines_(std::exchange(other.lines_, {})) {}

SchemaFiles::~SchemaFiles() {
  for (const File& file : files_) ::close(file.descriptor);
}

Result<SchemaFiles> SchemaFiles::open(const std::vector<std::string>& paths) {
  SchemaFiles files;
  for (const std::string& path : paths) {
    if (Status status = files.index(path); !status) return status.error();
  }
  return files;
}

Status SchemaFiles::index(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return io_error(path);
  const auto file = static_cast<std::uint32_t>(files_.size());
  files_.push_back({path, descriptor});

  std::vector<char> buffer(std::size_t{1} << 20U);
  Line line{file, 1, 0, 0};
  bool blank = true;
  std::uint64_t offset = 0;
  const auto end_line = [&] {
    line.length = offset - line.offset;
    if (!blank) lines_.push_back(line);
    line = {file, line.number + 1, offset + 1, 0};
    blank = true;
  };
  for (;;) {
    const ssize_t count = ::pread(descriptor, buffer.data(), buffer.size(), static_cast<off_t>(offset));
    if (count < 0) return io_error(path);
    if (count == 0) break;
    for (ssize_t i = 0; i < count; ++i, ++offset) {
      const char c = buffer[static_cast<std::size_t>(i)];
      if (c == '\n')
        end_line();
      else if (c != ' ' && c != '\t' && c != '\r')
        blank = false;
    }
  }
  end_line();
  return ok_status();
}

void SchemaFiles::sample(std::size_t count, std::uint64_t seed) {
  // Selection sampling: D. E. Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S. The modulo's bias of at
  // most lines / 2^64 is nothing; a distribution of the standard library would differ between libraries.
  std::mt19937_64 random(seed);
  std::vector<Line> kept;
  for (std::size_t i = 0; i < lines_.size() && kept.size() < count; ++i) {
    if (random() % (lines_.size() - i) < count - kept.size()) kept.push_back(lines_[i]);
  }
  lines_ = std::move(kept);
}

Result<std::string> SchemaFiles::read(std::size_t index) const {
  const Line& line = lines_[index];
  const File& file = files_[line.file];
  std::string text(line.length, '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count =
        ::pread(file.descriptor, text.data() + done, text.size() - done, static_cast<off_t>(line.offset + done));
    if (count < 0) return io_error(file.path);
    if (count == 0) return make_error(ErrorCode::kIo, fmt::format("{} became shorter while it was read", file.path));
    done += static_cast<std::size_t>(count);
  }
  return text;
}

std::string SchemaFiles::place(std::size_t index) const {
  return fmt::format("{}:{}", files_[lines_[index].file].path, lines_[index].number);
}

}  // namespace weir::bench
