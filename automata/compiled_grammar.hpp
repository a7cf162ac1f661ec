// What a CompiledGrammar handle points to. Private to automata/.
#pragma once

#include <memory>

#include "frames/frame_cache.hpp"
#include "tokens/vocabulary_tables.hpp"
#include "weir/automata/compiler.hpp"

namespace weir {

class CompiledGrammarData {
 public:
  Grammar grammar;
  std::shared_ptr<const VocabularyTables> tables;
  std::shared_ptr<FrameCache> common_frames;  // kept alive for `frames`
  std::shared_ptr<FrameCache> frames;
  Limits limits;
};

}  // namespace weir
