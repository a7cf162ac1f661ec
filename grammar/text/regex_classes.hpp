// Character classes of ECMA-262 in Unicode mode, without the i flag. Private to grammar/text.
#pragma once

#include <optional>
#include <string_view>

#include "weir/grammar/code_points.hpp"

namespace weir {

const CodePointSet& regex_digits();            // \d: 0-9
const CodePointSet& regex_word_characters();   // \w: A-Z a-z 0-9 _
const CodePointSet& regex_white_space();       // \s: WhiteSpace and LineTerminator of ECMA-262, section 12
const CodePointSet& regex_line_terminators();  // what `.` does not match: LF, CR, U+2028, U+2029

// The set that \p{expression} names: `Letter`, `Lu`, `Script=Greek`, `scx=Grek`, `Alphabetic`, ... Names are spelt as
// the Unicode Character Database spells them (ECMA-262 table "UnicodePropertyName"). nullopt: no such property.
std::optional<CodePointSet> unicode_property(std::string_view expression);

}  // namespace weir
