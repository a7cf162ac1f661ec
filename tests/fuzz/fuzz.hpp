// What the fuzz targets share: the entry point that libFuzzer and replay.cpp call, budgets small enough that no input
// may take long, and a check that cannot be compiled out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "weir/grammar/limits.hpp"
#include "weir/grammar/result.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace weir::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline Limits small_limits() {
  Limits limits;
  limits.max_text_bytes = 1U << 16U;
  limits.max_depth = 64;
  limits.max_repeat = 1000;
  limits.max_expressions = 20'000;
  limits.max_automaton_states = 2'000;
  limits.max_emptiness_states = 500;
  limits.max_values = 2'000;
  limits.max_alternatives = 100;
  limits.max_rules = 500;
  limits.max_rule_states = 5'000;
  limits.max_vocabulary = 5'000;
  limits.max_sequence_bytes = 8U << 20U;
  return limits;
}

inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

// An error says something, on one line, and has a place of one kind at most.
inline void check_error(const Error& error) {
  require(!error.message.empty(), "error without a message");
  require(error.message.back() != '\n', "error message ends in a newline");
  require(!(error.pointer && error.line > 0), "error with a pointer and a line");
}

}  // namespace weir::fuzz
