// Sets of Unicode code points, as sorted, disjoint, non-adjacent ranges. Surrogates (U+D800..U+DFFF) are never
// members: weir's texts are well-formed UTF-8 (RFC 3629).
//
//   CodePointSet letters = CodePointSet::range('a', 'z').united(CodePointSet::range('A', 'Z'));
//   letters.contains('q');        // true
//   letters.complement();         // every other code point
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weir {

inline constexpr char32_t kMaxCodePoint = 0x10FFFF;

struct CodePointRange {
  char32_t first = 0;
  char32_t last = 0;  // inclusive
  friend bool operator==(const CodePointRange&, const CodePointRange&) = default;
};

class CodePointSet {
 public:
  CodePointSet() = default;
  static CodePointSet all();
  static CodePointSet single(char32_t c) { return range(c, c); }
  static CodePointSet range(char32_t first, char32_t last);        // first > last gives the empty set
  static CodePointSet of(std::span<const CodePointRange> ranges);  // any order, may overlap

  // All of these are linear in the number of ranges.
  CodePointSet united(const CodePointSet& other) const;
  CodePointSet intersected(const CodePointSet& other) const;
  CodePointSet complement() const;
  CodePointSet minus(const CodePointSet& other) const { return intersected(other.complement()); }

  bool contains(char32_t c) const;  // logarithmic
  bool empty() const { return ranges_.empty(); }
  std::span<const CodePointRange> ranges() const { return ranges_; }
  friend bool operator==(const CodePointSet&, const CodePointSet&) = default;

 private:
  std::vector<CodePointRange> ranges_;
};

}  // namespace weir
