// The sorted order that Vocabulary::encode_greedy looks tokens up in; copies of a vocabulary share it.
#pragma once

#include <mutex>
#include <vector>

#include "weir/automata/vocabulary.hpp"

namespace weir {

struct Vocabulary::Order {
  std::once_flag once;
  std::vector<TokenId> ids;  // those with bytes, ascending by bytes and then by id
};

}  // namespace weir
