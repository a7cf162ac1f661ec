// Letters that differ only in case. Private to grammar/text.
#pragma once

#include "weir/grammar/code_points.hpp"

namespace weir {

// The set, and every code point that Unicode's simple case folding maps to the same one as a member: what the flag i of
// a regular expression means.
CodePointSet case_variants(const CodePointSet& set);

}  // namespace weir
