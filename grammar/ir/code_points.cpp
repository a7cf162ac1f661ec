#include "weir/grammar/code_points.hpp"

#include <algorithm>

namespace weir {
namespace {

constexpr char32_t kFirstSurrogate = 0xD800;
constexpr char32_t kLastSurrogate = 0xDFFF;

// Appends a range that starts no earlier than the last one, merging and leaving surrogates out.
void append(std::vector<CodePointRange>& out, char32_t first, char32_t last) {
  if (first > last) return;
  if (first <= kLastSurrogate && last >= kFirstSurrogate) {
    if (first < kFirstSurrogate) append(out, first, kFirstSurrogate - 1);
    if (last > kLastSurrogate) append(out, kLastSurrogate + 1, last);
    return;
  }
  if (!out.empty() && first <= out.back().last + 1) {
    out.back().last = std::max(out.back().last, last);
  } else {
    out.push_back({first, last});
  }
}

}  // namespace

CodePointSet CodePointSet::all() { return range(0, kMaxCodePoint); }

CodePointSet CodePointSet::range(char32_t first, char32_t last) {
  CodePointSet set;
  append(set.ranges_, first, std::min(last, kMaxCodePoint));
  return set;
}

CodePointSet CodePointSet::of(std::span<const CodePointRange> ranges) {
  std::vector<CodePointRange> sorted(ranges.begin(), ranges.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  CodePointSet set;
  for (const auto& r : sorted) append(set.ranges_, r.first, std::min(r.last, kMaxCodePoint));
  return set;
}

CodePointSet CodePointSet::united(const CodePointSet& other) const {
  std::vector<CodePointRange> both(ranges_);
  both.insert(both.end(), other.ranges_.begin(), other.ranges_.end());
  return of(both);
}

CodePointSet CodePointSet::intersected(const CodePointSet& other) const {
  CodePointSet out;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < ranges_.size() && j < other.ranges_.size()) {
    const CodePointRange& a = ranges_[i];
    const CodePointRange& b = other.ranges_[j];
    append(out.ranges_, std::max(a.first, b.first), std::min(a.last, b.last));
    (a.last < b.last ? i : j)++;
  }
  return out;
}

CodePointSet CodePointSet::complement() const {
  CodePointSet out;
  char32_t next = 0;
  for (const auto& r : ranges_) {
    if (r.first > next) append(out.ranges_, next, r.first - 1);
    next = r.last + 1;
  }
  append(out.ranges_, next, kMaxCodePoint);
  return out;
}

bool CodePointSet::contains(char32_t c) const {
  auto it = std::upper_bound(ranges_.begin(), ranges_.end(), c, [](char32_t v, const auto& r) { return v < r.first; });
  return it != ranges_.begin() && c <= std::prev(it)->last;
}

}  // namespace weir
