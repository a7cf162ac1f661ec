// One schema of MaskBench: compiled, timed, and asked about each of its instances.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "schema_lines.hpp"
#include "timing.hpp"
#include "weir/automata/compiler.hpp"
#include "weir/automata/matcher.hpp"

namespace weir::bench {

struct RunOptions {
  JsonStyle style;
  bool closed_objects = false;
  bool lenient = false;
  bool any_property_order = false;
  bool cold = false;          // forget all but the vocabulary's own tables before each schema
  bool first_visits = false;  // time only masks of states that were not asked before
  unsigned prepare_us = 0;    // time to prepare each mask of an instance; not counted, as while a model computes
  bool verify = false;        // compare the mask of each new state with the plain loop; untimed, slow
};

// An instance whose verdict is not its label.
struct WrongInstance {
  std::size_t test = 0;
  bool valid = false;      // the label
  bool key_order = false;  // a valid one that any order of keys would accept
  std::size_t offset = 0;  // bytes taken
  std::string why;
};

struct SchemaOutcome {
  std::optional<Error> compile_error;
  bool rightly_unsatisfiable = false;  // refused as kUnsatisfiable, and no instance is valid
  std::vector<bool> verdicts;          // accepted?, by test
  std::vector<WrongInstance> wrong;
  std::size_t mask_faults = 0;  // masks that differ from the plain loop, or allow what accept refuses
  std::size_t retokenized = 0;  // instances whose tokens do not spell their text in this vocabulary
  std::size_t tokens = 0;       // masks asked
  std::uint64_t ttfm_ticks = 0;
  std::uint64_t max_mask_ticks = 0;

  bool passes() const { return (!compile_error || rightly_unsatisfiable) && wrong.empty() && mask_faults == 0; }
  bool has_wrong(bool valid) const;
};

struct Timings {
  Histogram ttfm;  // from the schema's text to the first mask
  Histogram mask;
  Histogram commit;   // accepting a token
  Histogram prepare;  // what prepare took
  void merge(const Timings& other) noexcept;
};

// Runs schemas one after another, as a server would: what belongs to the vocabulary is kept between them. One thread.
class SchemaRunner {
 public:
  SchemaRunner(std::shared_ptr<const Vocabulary> vocabulary, const RunOptions& options);
  SchemaOutcome run(const SchemaLine& line);
  const Timings& timings() const noexcept { return timings_; }

 private:
  struct Walk {
    bool accepted = false;
    std::size_t offset = 0;  // bytes taken
    std::string why;
  };

  Result<CompiledGrammar> compile(const SchemaLine& line, bool any_property_order);
  // The tokens to feed: the line's own if they spell the text, else a greedy tokenisation.
  Result<std::vector<TokenId>> tokens_of(const TestInstance& test, SchemaOutcome& outcome) const;
  Walk walk(Matcher& matcher, std::span<const TokenId> tokens, SchemaOutcome& outcome);
  void verify_mask(Matcher& matcher, SchemaOutcome& outcome);
  // States got new ids when memory ran short.
  void forget_old_states(const Matcher& matcher);
  void find_key_order_faults(const SchemaLine& line, SchemaOutcome& outcome);

  std::shared_ptr<const Vocabulary> vocabulary_;
  RunOptions options_;
  Compiler compiler_;
  std::vector<std::uint32_t> mask_;
  std::vector<std::uint32_t> plain_mask_;
  std::uint32_t epoch_ = 0;              // of the ids in visited_
  std::unordered_set<StateId> visited_;  // of this schema; only with first_visits or verify
  Timings timings_;
};

}  // namespace weir::bench
