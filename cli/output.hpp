// What the command line prints: errors, JSON lines, and text that may hold any byte.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "weir/grammar/grammar.hpp"
#include "weir/grammar/result.hpp"

namespace weir::cli {

using Json = nlohmann::ordered_json;

// "error: SOURCE: place: message" on standard error; with `json` also {"error":{...}} on standard output. The source
// is what the user named (a file); empty when the message says enough. Returns kError.
int report_error(const Error& error, std::string_view source, bool json);

// {"code":..., "message":..., and "pointer" or "line" and "column" where known}.
Json error_json(const Error& error);

// "SOURCE: pointer: message" or "SOURCE:line:column: message".
std::string error_line(const Error& error, std::string_view source);
std::string warning_line(const Warning& warning, std::string_view source);

// One line on standard output. Strings that are not well-formed UTF-8 are written with U+FFFD.
void print_json(const Json& json);

// Sets object[key] to the text; where it is not well-formed UTF-8, also object[bytes_key] to its bytes in hexadecimal.
void put_text(Json& object, const char* key, const char* bytes_key, std::string_view text);

// The text in double quotes on one line, printable on any terminal: JSON's escapes, and \xNN for bytes that are not
// well-formed UTF-8. At most about max_bytes of it, then "...".
std::string in_quotes(std::string_view text, std::size_t max_bytes = 200);

}  // namespace weir::cli
