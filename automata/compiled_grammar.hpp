// What a CompiledGrammar handle points to. Private to automata/.
#pragma once

#include <memory>

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

  Grammar grammar;
  std::shared_ptr<const VocabularyTables> tables;
  std::shared_ptr<FrameCache> common_frames;  // kept alive for `frames`
  std::shared_ptr<FrameCache> frames;
  Limits limits;
  SequencePool sequences;
};

}  // namespace weir
