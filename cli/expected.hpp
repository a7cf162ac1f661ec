// What could stand next, in words.
#pragma once

#include <string>
#include <vector>

#include "weir/automata/matcher.hpp"

namespace weir::cli {

struct Expected {
  std::string text;      // `}` or "white space"
  bool literal = false;  // the text itself, not a description
};

// Literal characters first, then ranges ("a-f"), then words ("digit", "white space", "any character", ...), and
// "end of text" if the text could end here. Precise for what fits into a line, else a superset in words. Leaves the
// matcher as it was.
std::vector<Expected> describe_next(Matcher& matcher);

// "`}`", or "one of `,`, `}` or white space"; "nothing" for an empty list.
std::string join_expected(const std::vector<Expected>& expected);

// How a message shows one character or stray byte: `x`, `\n`, byte 0xFF.
std::string show_character(std::string_view bytes);

}  // namespace weir::cli
