#include "schema/metaschemas.hpp"

#include <string>

#include "schema/metaschemas_data.hpp"

namespace weir::schema {

std::optional<std::string_view> metaschema_text(std::string_view uri) {
  for (const std::string_view start : {"https://json-schema.org/", "http://json-schema.org/"}) {
    if (!uri.starts_with(start)) continue;
    const std::string_view text = embedded_metaschema(std::string(uri.substr(start.size())) + ".json");
    if (!text.empty()) return text;
  }
  return std::nullopt;
}

}  // namespace weir::schema
