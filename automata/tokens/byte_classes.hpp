// A partition of the bytes into fewer than 64 classes, so that the bytes of a whole subtree of a trie fit into one
// word. Private to automata/.
//
// Classes follow what expressions tell apart: letters (those of hexadecimal digits by themselves), digits, each sign by
// itself, white space, and what parts of UTF-8 a byte may be.
#pragma once

#include <array>
#include <cstdint>

#include "weir/grammar/expr.hpp"

namespace weir {

class ByteClasses {
 public:
  static const ByteClasses& get();

  std::uint64_t bit_of(std::uint8_t b) const noexcept { return bit_of_[b]; }
  // The classes all of whose bytes are in the set.
  std::uint64_t within(const ByteSet& set) const noexcept;
  // The bytes that well-formed UTF-8 uses beyond ASCII.
  std::uint64_t wide() const noexcept { return wide_; }
  // No class: some text is not well-formed UTF-8, nor the beginning of one that is.
  static constexpr std::uint64_t kIllFormed = std::uint64_t{1} << 63U;

 private:
  ByteClasses();
  std::array<std::uint64_t, 256> bit_of_{};
  std::array<ByteSet, 63> members_;
  unsigned count_ = 0;
  std::uint64_t wide_ = 0;
};

// Where in a character a text in UTF-8 is, as the states of an automaton (RFC 3629, section 4).
class Utf8State {
 public:
  enum State : std::uint8_t { kBetween, kOneMore, kTwoMore, kThreeMore, kAfterE0, kAfterED, kAfterF0, kAfterF4, kBad };
  static constexpr unsigned kCount = kBad;
  static State step(State s, std::uint8_t b) noexcept;
};

}  // namespace weir
