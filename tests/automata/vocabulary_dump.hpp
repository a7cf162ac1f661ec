// A vocabulary, or the error in its place, as one line of text for tables of expected results.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "weir/automata/vocabulary.hpp"

namespace weir::testing {

inline std::string escaped(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte > 0x20 && byte < 0x7F ? std::string(1, c) : fmt::format("\\{:02X}", byte);
  }
  return out;
}

// By ascending id: T:bytes, S:spelling of a special token, E:spelling of an end-of-sequence token, or - if unused.
// Bytes that are not visible ASCII are shown as \XX.
inline std::string dump(const Vocabulary& vocabulary) {
  std::string out;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (id != 0) out += ' ';
    switch (vocabulary.kind(id)) {
      case TokenKind::kText: out += "T:" + escaped(vocabulary.token(id)); break;
      case TokenKind::kSpecial: out += (vocabulary.is_eos(id) ? "E:" : "S:") + escaped(vocabulary.spelling(id)); break;
      case TokenKind::kUnused: out += '-'; break;
    }
    // Whatever the kind: only text tokens have bytes.
    if (vocabulary.kind(id) != TokenKind::kText && !vocabulary.token(id).empty()) out += "(has bytes)";
  }
  return out;
}

// The dump, or "code: message" with the place in front.
inline std::string dump(const Result<Vocabulary>& result) {
  if (result) return dump(*result);
  return fmt::format("{}: {}", to_string(result.error().code), result.error().to_string());
}

inline ::testing::AssertionResult starts_with(std::string_view text, std::string_view start) {
  if (text.starts_with(start)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << '"' << text << "\" does not start with \"" << start << '"';
}

inline ::testing::AssertionResult contains(std::string_view text, std::string_view part) {
  if (text.find(part) != std::string_view::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << '"' << text << "\" does not contain \"" << part << '"';
}

}  // namespace weir::testing
