// Every budget of the library in one place. A budget that runs out gives Error{kLimit} that names the field;
// nothing is cut off in silence. The defaults suit schemas and grammars of real users with room to spare;
// a server that takes input from strangers may lower them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir {

struct Limits {
  std::size_t max_text_bytes = 64U << 20U;             // a schema, grammar or regular expression, in bytes
  std::size_t max_file_bytes = std::size_t{1} << 32U;  // a tokenizer or model file read from disk, in bytes
  std::uint32_t max_depth = 512;                       // nesting of a schema, of groups in a grammar or a pattern
  std::uint32_t max_repeat = 1U << 20U;                // n in {m,n} of an expression
  std::uint32_t max_expressions = 4U << 20U;           // hash-consed expression nodes in one arena
  std::uint32_t max_automaton_states = 1U << 18U;      // lazily built automaton states in one arena, about 1 KB each
  std::uint32_t max_emptiness_states = 20'000;         // states visited to prove one expression empty
  std::uint32_t max_values = 200'000;                  // expanded value descriptions of one schema
  std::uint32_t max_alternatives = 2'000;     // alternatives of one value after anyOf and oneOf are multiplied out
  std::uint32_t max_documents = 256;          // other documents that one schema refers to; max_text_bytes for all
  std::uint32_t max_dynamic_scopes = 1'000;   // copies of resources of one schema for its $dynamicRef, $recursiveRef
  std::uint32_t max_rules = 100'000;          // rules of one grammar
  std::uint32_t max_rule_states = 1'000'000;  // automaton states over all rules of one grammar
  std::size_t max_vocabulary = 4U << 20U;     // tokens of a vocabulary
  // Memory of one matcher and its forks, in bytes: history, states, and what is remembered of their masks. When it is
  // full, all that the history does not need is dropped, and made again where it is wanted: that costs time, and
  // changes no mask. Only where the history needs more than seven eighths of it is that an error. Tables that matchers
  // share belong to the compiler and its other budgets.
  std::size_t max_sequence_bytes = 64U << 20U;
};

}  // namespace weir
