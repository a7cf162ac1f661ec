// What a matcher and its forks share: the states of one sequence and everything that makes them. Private to automata/.
//
// The states and masks that one sequence met serve the next one of the same grammar: a sequence that nobody uses any
// more goes back to its grammar's pool, and a new matcher takes one from there. So the grammar learns from traffic
// without a lock on the path of a mask.
//
// Its memory has one budget, of which the history takes what it needs, and states and what is remembered of masks a
// share each. Memories that are full are dropped. When there is no room for a state, the states that no place of the
// history needs are dropped, the others numbered anew, and whatever ran out of room is done again.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "frames/masker.hpp"
#include "frames/state_store.hpp"
#include "frames/stepper.hpp"
#include "match/history.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

class CompiledGrammarData;

// Thread safety: none; one thread at a time.
struct Sequence {
  explicit Sequence(CompiledGrammarData& d);
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  // Runs task(), which may make states, and again after a collection if there was no room for one. Sets the error when
  // a budget ran out. The task must not depend on states numbered before it, other than those of places.
  template <class Task>
  void run(Task&& task) {
    task();
    if (ran_out()) [[unlikely]] {
      if (store.exhausted()) {
        collect();
        task();
      }
      check();
    }
  }
  // The owner of `place` goes on to a new place with this state.
  void push(History::Place& place, StateId s) {
    if (history.is_full()) [[unlikely]]
      return push_to_full(place, s);
    history.push(place, s);
  }
  // Begins with what another sequence knows, at a place of it.
  History::Place begin_as(const Sequence& other, History::Place place);
  // Every matcher is gone; what was learnt of states stays.
  void rest();
  std::size_t memory_bytes() const noexcept {
    return store.memory_bytes() + masker.memory_bytes() + history.memory_bytes();
  }

  CompiledGrammarData& data;
  const ExprArena& arena;
  const StructureSource* structures;  // null: none
  StateStore store;
  History history;
  Stepper stepper;
  Masker masker;
  std::optional<Error> error;
  std::uint32_t collections = 0;
  Items current;  // scratch
  Items next;     // scratch

 private:
  bool ran_out() const noexcept {
    return store.exhausted() || arena.full() || (structures != nullptr && structures->error() != nullptr);
  }
  void check();
  // Drops every state that no place needs.
  void collect();
  void push_to_full(History::Place& place, StateId s);
  // The history has grown.
  void make_way();
  // Divides the budget anew: the states get so many bytes if they can.
  void share_out(std::size_t states);
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
