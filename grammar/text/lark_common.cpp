// Definitions after the documentation of Lark's `common` module. Where that leaves the end of a lexeme to a lazy match
// (strings, comments in C), the expression says what may not stand in front of the end.
#include "text/lark_common.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace weir {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 25> kCommon = {{
    {"DIGIT", R"([0-9])"},
    {"HEXDIGIT", R"([0-9A-Fa-f])"},
    {"INT", R"([0-9]+)"},
    {"SIGNED_INT", R"([-+]?[0-9]+)"},
    {"DECIMAL", R"([0-9]+\.[0-9]*|\.[0-9]+)"},
    {"_EXP", R"([Ee][-+]?[0-9]+)"},
    {"FLOAT", R"([0-9]+[Ee][-+]?[0-9]+|([0-9]+\.[0-9]*|\.[0-9]+)([Ee][-+]?[0-9]+)?)"},
    {"SIGNED_FLOAT", R"([-+]?([0-9]+[Ee][-+]?[0-9]+|([0-9]+\.[0-9]*|\.[0-9]+)([Ee][-+]?[0-9]+)?))"},
    {"NUMBER", R"(([0-9]+(\.[0-9]*)?|\.[0-9]+)([Ee][-+]?[0-9]+)?)"},
    {"SIGNED_NUMBER", R"([-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([Ee][-+]?[0-9]+)?)"},
    {"ESCAPED_STRING", R"("([^"\\\n]|\\[^\n])*")"},
    {"LCASE_LETTER", R"([a-z])"},
    {"UCASE_LETTER", R"([A-Z])"},
    {"LETTER", R"([A-Za-z])"},
    {"WORD", R"([A-Za-z]+)"},
    {"CNAME", R"([A-Za-z_][A-Za-z0-9_]*)"},
    {"WS_INLINE", R"([ \t]+)"},
    {"WS", R"([ \t\f\r\n]+)"},
    {"CR", R"(\r)"},
    {"LF", R"(\n)"},
    {"NEWLINE", R"((\r?\n)+)"},
    {"SH_COMMENT", R"(#[^\n]*)"},
    {"CPP_COMMENT", R"(//[^\n]*)"},
    {"C_COMMENT", R"(/\*([^*]|\*+[^*/])*\*+/)"},
    {"SQL_COMMENT", R"(--[^\n]*)"},
}};

}  // namespace

std::optional<std::string_view> common_terminal(std::string_view name) {
  const auto* const found =
      std::find_if(kCommon.begin(), kCommon.end(), [&](const auto& one) { return one.first == name; });
  if (found == kCommon.end()) return std::nullopt;
  return found->second;
}

std::string common_terminal_names() {
  std::string names;
  for (const auto& [name, pattern] : kCommon) {
    if (!names.empty()) names += ", ";
    names += name;
  }
  return names;
}

}  // namespace weir
