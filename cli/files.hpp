// Reading what the user names: files, or standard input as `-`.
#pragma once

#include <cstddef>
#include <string>

#include "weir/grammar/result.hpp"

namespace weir::cli {

// All bytes of the file, or of standard input for "-". Never reads much more than max_bytes, whatever is behind the
// name (/dev/zero, a pipe). Errors: kIo with the system's reason (missing, a directory, no permission); kLimit.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes);

// How messages call the path: itself, or "standard input".
std::string display_name(const std::string& path);

}  // namespace weir::cli
