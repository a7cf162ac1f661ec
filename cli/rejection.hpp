// Where and why a text is not in a grammar's language.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expected.hpp"
#include "output.hpp"
#include "weir/automata/matcher.hpp"

namespace weir::cli {

struct Rejection {
  std::size_t offset = 0;  // bytes that some member of the language starts with
  std::size_t line = 1;    // 1-based; the column counts code points; both of the character that holds the offset
  std::size_t column = 1;
  std::optional<std::string> found;  // that character, or one stray byte; nullopt: the text ends there
  std::vector<Expected> expected;
};

// Feeds the whole text to a fresh matcher. nullopt: every byte was taken, and the text is complete or need not be.
// Otherwise the matcher is left where the rejection is. Check matcher.error() first.
std::optional<Rejection> find_rejection(Matcher& matcher, std::string_view text, bool must_be_complete);

// {"accepted":false,"offset":...,"line":...,"column":...,"found":...,"expected":[...]}
Json rejection_json(const Rejection& rejection);
// "SOURCE:1:13: rejected at byte 12: found `x`, expected ...".
std::string rejection_line(const Rejection& rejection, std::string_view source);

}  // namespace weir::cli
