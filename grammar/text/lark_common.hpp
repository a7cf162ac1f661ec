// The terminals that a Lark grammar may import from `common`. Private to grammar/text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir {

// A regular expression in the Lark dialect; lives as long as the program. nullopt: `common` has no such terminal.
std::optional<std::string_view> common_terminal(std::string_view name);

// "DIGIT, HEXDIGIT, ...", for messages.
std::string common_terminal_names();

}  // namespace weir
