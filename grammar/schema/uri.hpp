// URI references (RFC 3986), as far as $id and $ref need them. Private to grammar/schema.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::schema {

// `reference` against `base` (section 5.2), without its fragment. An empty base stands for an unknown one.
std::string resolve_uri(std::string_view base, std::string_view reference);

// Consists of characters that URI references have (section 2), or others than ASCII, as in IRIs.
bool is_uri_reference(std::string_view text);

// The text before the first '#', and the one after it; no '#': no fragment.
std::string_view without_fragment(std::string_view uri);
std::optional<std::string_view> fragment_of(std::string_view uri);

// %XX decoded. nullopt: a '%' without two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace weir::schema
