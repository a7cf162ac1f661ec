// The vocabulary in the metadata of a GGUF model file, versions 2 and 3, little-endian.
#pragma once

#include "tokens/byte_reader.hpp"
#include "weir/automata/vocabulary.hpp"

namespace weir {

// Reads no further than the metadata goes. Errors as for Vocabulary::from_gguf.
Result<Vocabulary> read_gguf(ByteReader& file, const VocabularyOptions& options);

}  // namespace weir
