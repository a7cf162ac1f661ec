#include "match/sequence.hpp"

#include "compiled_grammar.hpp"

namespace weir {
namespace {

// What a pool keeps: as much as one sequence may hold. One that grew large is let go: most of its states belong to one
// text.
constexpr std::size_t kMostBytes = std::size_t{8} << 20U;

}  // namespace

Sequence::Sequence(const CompiledGrammarData& d)
    : data(d), store(d.limits.max_sequence_bytes), stepper(d.grammar, store), masker(*d.frames, stepper, store) {}

void Sequence::check() {
  if (error) return;
  if (store.exhausted()) {
    error = make_error(ErrorCode::kLimit,
                       "this sequence's states outgrew max_sequence_bytes; raise the limit or shorten the sequence");
  } else if (data.grammar.expressions().full()) {
    error = make_error(ErrorCode::kLimit,
                       "the grammar's expressions outgrew max_expressions or max_automaton_states; simplify its "
                       "patterns or raise the limit");
  } else if (const StructureSource* structures = data.grammar.structures();
             structures != nullptr && structures->error() != nullptr) {
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
  sequence->check();
  const std::size_t bytes = sequence->memory_bytes();
  if (sequence->error || bytes > kMostBytes) return;
  const std::lock_guard lock(mutex_);
  if (free_bytes_ + bytes > sequence->data.limits.max_sequence_bytes) return;
  free_bytes_ += bytes;
  free_.push_back(std::move(sequence));
}

}  // namespace weir
