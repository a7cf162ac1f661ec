// What a CompiledGrammar handle points to. Private to automata/.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "frames/frame_cache.hpp"
#include "match/sequence.hpp"
#include "tokens/vocabulary_tables.hpp"
#include "weir/automata/compiler.hpp"

namespace weir {

class CompiledGrammarData : public std::enable_shared_from_this<CompiledGrammarData> {
 public:
  CompiledGrammarData(Grammar g, std::shared_ptr<const VocabularyTables> t, std::shared_ptr<FrameCache> common,
                      std::shared_ptr<FrameCache> own, const Limits& l)
      : grammar(std::move(g)),
        tables(std::move(t)),
        common_frames(std::move(common)),
        frames(std::move(own)),
        limits(l) {}

  // What a grammar computes on demand grows with what its texts are like, where items must be distinct without bound.
  // The data that a new sequence should use: these, or once half of a budget is used the same grammar made anew, with
  // an arena of its own, if it is known how. Sequences go on with what they have, which lives as long as they do.
  // Thread safety: may be called by any number of threads.
  std::shared_ptr<CompiledGrammarData> newest();
  // Makes the grammar anew in an arena.
  using Remake = std::function<Result<Grammar>(const std::shared_ptr<ExprArena>&)>;
  Remake remake = nullptr;

  Grammar grammar;
  std::shared_ptr<const VocabularyTables> tables;
  std::shared_ptr<FrameCache> common_frames;  // kept alive for `frames`
  std::shared_ptr<FrameCache> frames;
  Limits limits;
  SequencePool sequences;

 private:
  bool is_worn() const noexcept;
  std::shared_ptr<CompiledGrammarData> made_anew() const;

  std::atomic<bool> replaced_{false};
  std::mutex mutex_;
  std::shared_ptr<CompiledGrammarData> successor_;  // guarded by mutex_
};

}  // namespace weir
