// The files in metaschemas/, put into the library when it is built (weir_embed.cmake). Private to grammar/schema.
#pragma once

#include <string_view>

namespace weir {

// By the path of the document's URI and ".json": "draft/2020-12/meta/core.json". Empty: there is no such file.
std::string_view embedded_metaschema(std::string_view file) noexcept;

}  // namespace weir
