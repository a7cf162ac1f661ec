// The tables of an n-gram model, read from its file (layout: embedded/make_model.py) and checked.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "weir/sampler/ngram_model.hpp"

namespace weir {

struct NgramModel::Tables {
  // The n-grams of one order. Children of node i are nodes [begin[i], begin[i + 1]) of the next level, with ascending
  // tokens. Level 0 has a node for each token of the vocabulary.
  struct Level {
    std::vector<std::uint16_t> token;
    std::vector<std::uint32_t> count;
    std::vector<std::uint32_t> begin;  // empty on the last level
  };

  static Result<std::shared_ptr<const Tables>> parse(std::string_view file);

  // Writes p(w | context) for every token w. Depends on the last order() - 1 tokens; a context shorter than that is
  // taken to start a text. out.size() == vocabulary->size().
  void probabilities(std::span<const TokenId> context, std::vector<double>& out) const;

  std::shared_ptr<const Vocabulary> vocabulary;
  std::vector<Level> levels;
  std::vector<double> unigram;  // p(w | nothing), all positive
  double discount = 0;

 private:
  // Blends the followers of the context, if it was seen, into the probabilities for its shorter form.
  bool interpolate(std::span<const TokenId> context, std::vector<double>& out) const;
};

}  // namespace weir
