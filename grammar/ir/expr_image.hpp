// Expressions taken out of one arena to be put into others: what was built once needs no building again, only one
// look-up for each of its nodes. Private to grammar/.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weir/grammar/expr.hpp"

namespace weir {

struct NormalAutomaton;

class ExprImage {
 public:
  ExprImage() = default;
  // Copies `roots` and all they consist of, with what is known of their lengths and emptiness: both are found first.
  ExprImage(ExprArena& arena, std::span<const ExprId> roots);

  // The ids of the roots in another arena; as if they were built there, so that an arena which runs out of its budget
  // is full() then. To be called as constructors are.
  std::vector<ExprId> put(ExprArena& arena) const;

 private:
  // References to other nodes of the image by index; kEmptyExpr and kEpsilonExpr are themselves.
  struct Node {
    ExprKind kind = ExprKind::kEmpty;
    bool nullable = false;
    bool boolean = false;
    bool text = false;
    bool non_empty = false;
    std::uint32_t a =
        0;  // as in an arena; of bytes, lists of parts and automata the offset in sets_, parts_, automata_
    std::uint32_t b = 0;
    std::uint32_t c = 0;
  };
  struct Root {
    std::uint32_t node = 0;
    ExprLengths lengths;
  };
  std::vector<Node> nodes_;  // operands first
  std::vector<ByteSet> sets_;
  std::vector<std::uint32_t> parts_;
  std::vector<std::shared_ptr<const NormalAutomaton>> automata_;
  std::vector<Root> roots_;
};

}  // namespace weir
