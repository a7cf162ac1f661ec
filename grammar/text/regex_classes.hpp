// Character classes of ECMA-262 in Unicode mode, without the i flag. Private to grammar/text.
#pragma once

#include <optional>
#include <string_view>

#include "weir/grammar/code_points.hpp"

namespace weir {

namespace ecma {

constexpr bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_high_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDBFF; }
constexpr bool is_low_surrogate(char32_t c) { return c >= 0xDC00 && c <= 0xDFFF; }

constexpr int hex_value(char32_t c) {
  if (is_digit(c)) return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A') + 10;
  return -1;
}

}  // namespace ecma

const CodePointSet& regex_digits();            // \d: 0-9
const CodePointSet& regex_word_characters();   // \w: A-Z a-z 0-9 _
const CodePointSet& regex_white_space();       // \s: WhiteSpace and LineTerminator of ECMA-262, section 12
const CodePointSet& regex_line_terminators();  // what `.` does not match: LF, CR, U+2028, U+2029

// The set that \p{expression} names: `Letter`, `Lu`, `Script=Greek`, `scx=Grek`, `Alphabetic`, ... Names are spelt as
// the Unicode Character Database spells them (ECMA-262 table "UnicodePropertyName"). nullopt: no such property.
std::optional<CodePointSet> unicode_property(std::string_view expression);

}  // namespace weir
