// What an expression does with whole classes of characters, and which characters keep it alive however many there
// are. Private to automata/.
//
// Built on the derivatives of an arena; each expression's answers are found once and kept.
// Thread safety: all members may be called by any number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "weir/grammar/detail/utf8.hpp"
#include "weir/grammar/expr.hpp"

namespace weir {

// Bits are classes of TextClasses.
struct CharacterSteps {
  struct Target {
    ExprId expr = kEmptyExpr;
    std::uint64_t classes = 0;  // those some character of which leads there
  };
  std::uint64_t some = 0;  // classes of which some character is alive
  std::uint64_t all = 0;   // classes of which every character is
  std::vector<Target> targets;
};

// What holds of the lengths of several expressions at once, if `known`: a least number of characters in least..from,
// all numbers from there to `to`. Made from nothing by including them one by one.
struct LengthBounds {
  bool known = true;
  std::uint32_t least = kUnbounded;
  std::uint32_t from = 0;
  std::uint32_t to = kUnbounded;

  // Of ExprLengths or other bounds.
  template <class Lengths>
  void include(const Lengths& lengths) noexcept {
    known = known && lengths.known;
    least = std::min(least, lengths.least);
    from = std::max(from, lengths.from);
    to = std::min(to, lengths.to);
  }
};

// Any text of up to `most` characters from `classes` keeps the expression alive; `after` is of what then follows.
struct CharacterLoop {
  std::uint64_t classes = 0;
  std::uint32_t most = kUnbounded;
  LengthBounds after;
};

struct CharacterLoops {
  std::array<CharacterLoop, 3> loops;
  unsigned count = 0;
  bool endless = false;        // every text keeps it alive; loops[0] says so
  std::uint64_t alphabet = 0;  // classes that some text of the expression may use
};

// How long texts over some classes keep an expression alive: all up to `sure` characters, none of more than `most`;
// `after` is of what follows those that are sure.
struct CharacterReach {
  std::uint32_t sure = 0;
  std::uint32_t most = kUnbounded;
  LengthBounds after;
};

class CharacterFacts {
 public:
  // References stay valid as long as this object.
  const CharacterSteps& steps(ExprArena& arena, ExprId e);
  const CharacterLoops& loops(ExprArena& arena, ExprId e);
  // Looks no further than is cheap.
  CharacterReach reach(ExprArena& arena, ExprId e, std::uint64_t classes);

 private:
  const CharacterSteps& steps_locked(ExprArena& arena, ExprId e);
  // Adds what e does with characters beyond ASCII: from its structure if that tells, else by bytes.
  void add_wide_steps(ExprArena& arena, ExprId e, CharacterSteps& out);
  void add_wide_steps_by_bytes(ExprArena& arena, ExprId e, CharacterSteps& out);

  std::mutex mutex_;
  std::unordered_map<ExprId, std::unique_ptr<CharacterSteps>> steps_;
  std::unordered_map<ExprId, std::unique_ptr<CharacterLoops>> loops_;
};

}  // namespace weir
