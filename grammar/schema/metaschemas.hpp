// The meta-schemas of the drafts, with those of the vocabularies, so that a reference to them needs no resolver. They
// are part of the library as json-schema.org publishes them. Private to grammar/schema.
#pragma once

#include <optional>
#include <string_view>

namespace weir::schema {

// The document with that URI, http or https, without fragment.
std::optional<std::string_view> metaschema_text(std::string_view uri);

}  // namespace weir::schema
