#include "match/sequence.hpp"

#include <algorithm>

#include "compiled_grammar.hpp"

namespace weir {
namespace {

// What a pool keeps of one sequence. One that grew larger is let go: most of its states belong to one text.
constexpr std::size_t kMostBytes = std::size_t{24} << 20U;

}  // namespace

Sequence::Sequence(CompiledGrammarData& d)
    : data(d),
      arena(d.grammar.expressions()),
      structures(d.grammar.structures()),
      store(0),
      stepper(d.grammar, store),
      masker(*d.frames, stepper, store) {
  share_out(0);
}

void Sequence::share_out(std::size_t states) {
  const std::size_t budget = data.limits.max_sequence_bytes;
  const std::size_t rest = budget - std::min(budget, history.memory_bytes());
  const std::size_t share = std::clamp(states, rest / 4, rest - rest / 8);
  store.set_max_bytes(share);
  masker.set_max_bytes(rest - share);
}

void Sequence::collect() {
  ++collections;
  history.for_each_state([&](StateId s) { store.keep(s); });
  store.drop_others();
  history.for_each_state([&](StateId& s) { s = store.renamed(s); });
  store.end_collection();
  // With less than half of it free the next collection would come too soon.
  share_out(std::max(2 * store.used_bytes(), store.memory_bytes()));
  masker.forget_states();
}

void Sequence::push_to_full(History::Place& place, StateId s) {
  const std::size_t before = history.memory_bytes();
  history.push(place, s);
  if (history.memory_bytes() != before) make_way();
}

void Sequence::make_way() {
  share_out(2 * store.used_bytes());
  if (store.memory_bytes() <= store.max_bytes()) return;
  collect();
  store.shrink();
  share_out(2 * store.used_bytes());
}

History::Place Sequence::begin_as(const Sequence& other, History::Place place) {
  store = other.store;
  error = other.error;
  const History::Place own = history.copy(other.history, place);
  make_way();
  return own;
}

void Sequence::rest() {
  history.clear();
  check();
}

void Sequence::check() {
  if (error) return;
  if (store.exhausted()) {
    error = make_error(ErrorCode::kLimit,
                       "the states that this sequence needs outgrew max_sequence_bytes; raise the limit or shorten "
                       "the sequence");
  } else if (arena.full()) {
    error = make_error(ErrorCode::kLimit,
                       "the grammar's expressions outgrew max_expressions, max_automaton_states or "
                       "max_emptiness_states; simplify its patterns or raise the limit");
  } else if (structures != nullptr && structures->error() != nullptr) {
    error = *structures->error();
  }
}

std::shared_ptr<Sequence> SequencePool::lend(std::unique_ptr<Sequence> sequence,
                                             const std::shared_ptr<CompiledGrammarData>& data) {
  // The deleter holds the grammar, so a lent sequence keeps it alive and a free one does not.
  return {sequence.release(), [data](Sequence* s) { data->sequences.give_back(std::unique_ptr<Sequence>(s)); }};
}

std::shared_ptr<Sequence> SequencePool::make(const std::shared_ptr<CompiledGrammarData>& data) {
  return lend(std::make_unique<Sequence>(*data), data);
}

std::shared_ptr<Sequence> SequencePool::take(const std::shared_ptr<CompiledGrammarData>& data) {
  std::unique_ptr<Sequence> sequence;
  {
    SequencePool& pool = data->sequences;
    const std::lock_guard lock(pool.mutex_);
    if (!pool.free_.empty()) {
      sequence = std::move(pool.free_.back());
      pool.free_.pop_back();
      pool.free_bytes_ -= sequence->memory_bytes();
    }
  }
  return sequence ? lend(std::move(sequence), data) : make(data);
}

void SequencePool::give_back(std::unique_ptr<Sequence> sequence) {
  sequence->rest();
  const std::size_t bytes = sequence->memory_bytes();
  if (sequence->error || bytes > kMostBytes) return;
  const std::lock_guard lock(mutex_);
  if (free_bytes_ + bytes > sequence->data.limits.max_sequence_bytes) return;
  free_bytes_ += bytes;
  free_.push_back(std::move(sequence));
}

}  // namespace weir
