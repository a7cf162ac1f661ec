// The automaton over the decoded bytes of a quoted text: an expression, and a count of code points beside it. Private
// to automata/.
#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/grammar/detail/utf8.hpp"
#include "weir/grammar/expr.hpp"
#include "weir/grammar/structure.hpp"

namespace weir {

// Quoted text whose decoded bytes match an expression, with a count of code points beside it.
struct TextInner {
  ExprArena& arena;
  StructureSource* source;
  ExprId expr;
  CounterId counter;

  bool begin_character() {
    if (counter == 0) return true;
    const LengthCounter left = source->counter(counter);
    if (left.max_left == 0) return false;
    // Without a maximum there is nothing to count once the minimum is reached.
    counter = left.max_left == kUnbounded && left.min_left <= 1 ? 0 : counter + 1;
    return true;
  }
  bool take_byte(std::uint8_t b) {
    expr = arena.step(expr, b);
    return expr != kEmptyExpr && fits_counter();
  }
  // Is there a text of the expression with as many code points as are left? Where its structure does not tell, the
  // count goes into the expression.
  bool fits_counter() {
    if (counter == 0 || expr == arena.any_text()) return true;
    const LengthCounter left = source->counter(counter);
    switch (arena.lengths(expr).some_in(left.min_left, left.max_left)) {
      case ExprLengths::Answer::kNo: return false;
      case ExprLengths::Answer::kYes: return true;
      case ExprLengths::Answer::kUnknown: break;
    }
    expr = arena.with_length(expr, left.min_left, left.max_left);
    counter = 0;
    return expr != kEmptyExpr;
  }
  bool may_end() const { return arena.nullable(expr) && (counter == 0 || source->counter(counter).min_left == 0); }
  bool may_go_on() {
    if (expr == arena.any_text()) return counter == 0 || source->counter(counter).max_left > 0;
    return counter == 0 ? !arena.first_bytes(expr).empty() : may_take(0, 0x10FFFF);
  }
  bool may_take(char32_t first, char32_t last) {
    TextInner after{arena, source, expr, counter};
    if (!after.begin_character()) return false;
    if (expr == arena.any_text()) return true;
    constexpr char32_t kLastAscii = 0x7F;
    const ByteSet alive = arena.first_bytes(expr);
    if (first <= kLastAscii) {
      const ByteSet bytes = alive & ByteSet::range(static_cast<std::uint8_t>(first),
                                                   static_cast<std::uint8_t>(std::min(last, kLastAscii)));
      if (after.counter == 0 && counter == 0 && !bytes.empty()) return true;
      bool fits = false;
      bytes.for_each([&](std::uint8_t b) {
        fits = fits || TextInner{arena, source, arena.step(expr, b), after.counter}.fits_counter();
      });
      if (fits) return true;
    }
    if (last <= kLastAscii || (alive & ByteSet::range(0x80, 0xFF)).empty()) return false;
    const Utf8Sequences sequences = utf8_sequences(std::max(first, char32_t{0x80}), last);
    return std::any_of(sequences.begin(), sequences.end(), [&](const Utf8Sequence& sequence) {
      const ByteRange lead = sequence.bytes[0];
      return !(alive & ByteSet::range(lead.first, lead.last)).empty() && after.reaches(expr, sequence, 0);
    });
  }
  bool reaches(ExprId e, const Utf8Sequence& sequence, std::uint8_t at) const {
    if (at == sequence.length) return TextInner{arena, source, e, counter}.fits_counter();
    for (unsigned b = sequence.bytes[at].first; b <= sequence.bytes[at].last; ++b) {
      const ExprId next = arena.step(e, static_cast<std::uint8_t>(b));
      if (next != kEmptyExpr && reaches(next, sequence, static_cast<std::uint8_t>(at + 1))) return true;
    }
    return false;
  }
};

}  // namespace weir
