// Tables of what grammars in a notation accept, reject, and say about what is wrong with them.
#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reference/rule_recognizer.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir::cases {

struct Language {
  const char* name;
  std::string grammar;
  std::vector<std::string> accepted;
  std::vector<std::string> rejected;
};

struct Refusal {
  std::string grammar;
  ErrorCode code;
  std::uint32_t line;
  std::uint32_t column;
  const char* message;  // part of it
};

template <class Parse>
void check_languages(Parse parse, const std::vector<Language>& languages) {
  for (const Language& language : languages) {
    SCOPED_TRACE(std::string(language.name) + ":\n" + language.grammar);
    const Result<Grammar> grammar = parse(language.grammar);
    if (!grammar) {
      ADD_FAILURE() << grammar.error().to_string();
      continue;
    }
    reference::AutomatonRecognizer recognizer(*grammar);
    for (const std::string& text : language.accepted) EXPECT_TRUE(recognizer.matches(text)) << "rejects " << text;
    for (const std::string& text : language.rejected) EXPECT_FALSE(recognizer.matches(text)) << "accepts " << text;
  }
}

template <class Parse>
void check_refusals(Parse parse, const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.grammar);
    const Result<Grammar> grammar = parse(refusal.grammar);
    if (grammar) {
      ADD_FAILURE() << "was accepted";
      continue;
    }
    EXPECT_EQ(grammar.error().code, refusal.code) << grammar.error().to_string();
    EXPECT_EQ(grammar.error().line, refusal.line) << grammar.error().to_string();
    EXPECT_EQ(grammar.error().column, refusal.column) << grammar.error().to_string();
    EXPECT_NE(grammar.error().message.find(refusal.message), std::string::npos) << grammar.error().to_string();
  }
}

inline std::string repeated(std::string_view part, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += part;
  return out;
}

// The first line of a file of shared/grammars; a failed test and null when it is missing.
inline nlohmann::json shared_grammar(const std::string& name) {
  const std::string path = std::string(WEIR_SHARED_DATA) + "/grammars/" + name;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) {
    ADD_FAILURE() << "this test needs " << path;
    return nullptr;
  }
  return nlohmann::json::parse(line);
}

}  // namespace weir::cases
