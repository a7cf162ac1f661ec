#include "files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include <fmt/format.h>

namespace weir::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept {
    if (file != stdin) std::fclose(file);
  }
};

Error io_error(const std::string& path, int code) {
  return make_error(ErrorCode::kIo,
                    fmt::format("cannot read {}: {}", display_name(path), std::generic_category().message(code)));
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  errno = 0;
  const std::unique_ptr<std::FILE, CloseFile> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return io_error(path, errno);
  std::string text;
  std::array<char, std::size_t{64} << 10U> buffer{};
  for (;;) {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get());
    text.append(buffer.data(), count);
    if (text.size() > max_bytes) {
      return make_error(ErrorCode::kLimit,
                        fmt::format("{} is larger than {} bytes, the most that is read; give a smaller one",
                                    display_name(path), max_bytes));
    }
    if (count < buffer.size()) break;
  }
  if (std::ferror(file.get()) != 0) return io_error(path, errno);
  return text;
}

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

}  // namespace weir::cli
