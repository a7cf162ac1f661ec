// JSON Pointers (RFC 6901), written. Internal to the library.
#pragma once

#include <string>
#include <string_view>

namespace weir::detail {

// Appends "/" and the key, escaped: a/b becomes /a~1b.
inline void append_pointer_token(std::string& pointer, std::string_view key) {
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

}  // namespace weir::detail
