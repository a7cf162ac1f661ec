// What a matcher and its forks share: the states of one sequence and everything that makes them. Private to automata/.
//
// The states and masks that one sequence met serve the next one of the same grammar: a sequence that nobody uses any
// more goes back to its grammar's pool, and a new matcher takes one from there. So the grammar learns from traffic
// without a lock on the path of a mask.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "frames/masker.hpp"
#include "frames/state_store.hpp"
#include "frames/stepper.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

class CompiledGrammarData;

// Thread safety: none; one thread at a time.
struct Sequence {
  explicit Sequence(const CompiledGrammarData& d);
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  // Sets the error when a budget ran out.
  void check();
  std::size_t memory_bytes() const noexcept { return store.memory_bytes() + masker.memory_bytes(); }

  const CompiledGrammarData& data;
  StateStore store;
  Stepper stepper;
  Masker masker;
  std::optional<Error> error;
  Items current;  // scratch
  Items next;     // scratch
};

// Thread safety: all members may be called by any number of threads.
class SequencePool {
 public:
  // One that somebody gave back, or a new one. It goes back when the last copy of the pointer is gone.
  static std::shared_ptr<Sequence> take(const std::shared_ptr<CompiledGrammarData>& data);
  // A new one, of which nobody has seen a state.
  static std::shared_ptr<Sequence> make(const std::shared_ptr<CompiledGrammarData>& data);

 private:
  static std::shared_ptr<Sequence> lend(std::unique_ptr<Sequence> sequence,
                                        const std::shared_ptr<CompiledGrammarData>& data);
  void give_back(std::unique_ptr<Sequence> sequence);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Sequence>> free_;
  std::size_t free_bytes_ = 0;
};

}  // namespace weir
