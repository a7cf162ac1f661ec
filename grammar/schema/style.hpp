// How JSON is written, as the notation of structures. Private to grammar/schema.
#pragma once

#include "weir/grammar/frontends.hpp"
#include "weir/grammar/result.hpp"
#include "weir/grammar/structure.hpp"

namespace weir::schema {

// kArgument: the style contradicts itself, or what it writes would not be JSON.
Result<Notation> notation_of(const JsonStyle& style);

}  // namespace weir::schema
