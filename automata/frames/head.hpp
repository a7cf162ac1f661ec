// What a parser is doing right now (a head), and what follows when that is done (a state). Private to automata/.
//
// A head is 12 bytes: its kind and a few bits of progress in w0, two ids in w1 and w2. The meaning by kind:
//
//   kind     aux (24 bits)            w1          w2
//   kCapture 0                        CaptureId   0     no head: what was read since a captured item began
//   kExpr    0                        ExprId      0
//   kText    escape progress          ExprId      CounterId
//   kKey     escape progress          RecordId    place in the key set, or kOffTrie | ExprId of the UTF-8 state
//   kRecord  phase, progress          RecordId    label of the key just read
//   kList    phase, progress          ListId      items so far, saturated
//   kValue   progress                 ValueId     0
//   kSpace   progress                 0           0     white space after the whole text
//   kLevel   0                        level       0     only inside continuations, where lines are indented: below a
//                                                       record or list, the number of those around it
//   kRule    0                        RuleStateId 0     only inside continuations: expanded when it comes to the top
//   kEnd     0                        0           0     the text is complete
//   kHole    0                        0           0     whatever follows; at the bottom of what masks compute for rules
//
// A list of captured items (ListStep::captured) is in phase kAfterItem behind one of them: w1 is ListStep::next, w2 the
// capture where the item began. What the list is then is found when the next separator comes. A state that holds such
// continuations has one kCapture, first in their order.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

namespace weir {

using StateId = std::uint32_t;
inline constexpr StateId kDeadState = 0;

// A text that was read, as the last node of a path: see CaptureTree.
using CaptureId = std::uint32_t;

enum class HeadKind : std::uint8_t {
  kCapture,
  kEnd,
  kSpace,
  kExpr,
  kText,
  kKey,
  kRecord,
  kList,
  kValue,
  kRule,
  kHole,
  kLevel
};

struct Head {
  std::uint32_t w0 = 0;
  std::uint32_t w1 = 0;
  std::uint32_t w2 = 0;

  HeadKind kind() const noexcept { return static_cast<HeadKind>(w0 & 0xFFU); }
  std::uint32_t aux() const noexcept { return w0 >> 8U; }
  static Head make(HeadKind kind, std::uint32_t aux, std::uint32_t w1, std::uint32_t w2) noexcept {
    return {static_cast<std::uint32_t>(kind) | (aux << 8U), w1, w2};
  }
  friend bool operator==(const Head&, const Head&) = default;
  friend auto operator<=>(const Head&, const Head&) = default;
};

// One way to go on: the head on top of its continuation.
struct Item {
  Head head;
  StateId rest = kDeadState;
  friend bool operator==(const Item&, const Item&) = default;
  friend auto operator<=>(const Item&, const Item&) = default;
};
using Items = std::vector<Item>;

inline void remove_duplicates(Items& items) {
  if (items.size() < 2) return;
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

// Phases of a record or list head. The progress is how much of the separator and of a new line has been read, or where
// white space is flexible but bounded, how much of that.
enum class Phase : std::uint8_t { kAfterOpen, kAfterValue, kAfterSeparator, kAfterKey, kBeforeClose, kAfterItem };
inline std::uint32_t phase_aux(Phase phase, std::uint32_t progress = 0) noexcept {
  return static_cast<std::uint32_t>(phase) | (progress << 4U);
}
inline Phase phase_of(const Head& h) noexcept { return static_cast<Phase>(h.aux() & 0xFU); }
inline std::uint32_t progress_of(const Head& h) noexcept { return h.aux() >> 4U; }
inline Head with_progress(const Head& h, std::uint32_t progress) noexcept {
  return Head::make(h.kind(), (h.aux() & 0xFU) | (progress << 4U), h.w1, h.w2);
}

inline constexpr std::uint32_t kOffTrie = 0x80000000U;

}  // namespace weir
