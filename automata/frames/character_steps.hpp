// What an expression does with whole classes of characters, and which characters keep it alive however many there
// are. Private to automata/.
//
// Built on the derivatives of an arena; each expression's answers are found once and kept.
// Thread safety: all members may be called by any number of threads.
#pragma once

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

// Any text of up to `most` characters from `classes` keeps the expression alive. What then follows has, if
// `lengths_known`, a least number of characters in least..from, all numbers from there to `to`.
struct CharacterLoop {
  std::uint64_t classes = 0;
  std::uint32_t most = kUnbounded;
  bool lengths_known = false;
  std::uint32_t least = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

struct CharacterLoops {
  std::array<CharacterLoop, 3> loops;
  unsigned count = 0;
  bool endless = false;        // every text keeps it alive; loops[0] says so
  std::uint64_t alphabet = 0;  // classes that some text of the expression may use
};

// How long texts over some classes keep an expression alive: all up to `sure` characters, none of more than `most`.
// The lengths are of what follows those that are sure, as in CharacterLoop.
struct CharacterReach {
  std::uint32_t sure = 0;
  std::uint32_t most = kUnbounded;
  bool lengths_known = true;
  std::uint32_t least = kUnbounded;
  std::uint32_t from = 0;
  std::uint32_t to = kUnbounded;
};

class CharacterFacts {
 public:
  // References stay valid as long as this object.
  const CharacterSteps& steps(ExprArena& arena, ExprId e);
  const CharacterLoops& loops(ExprArena& arena, ExprId e);
  // Looks no further than `limit` characters, nor than is cheap.
  CharacterReach reach(ExprArena& arena, ExprId e, std::uint64_t classes, std::uint32_t limit);

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
