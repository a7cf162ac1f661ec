#include "text/case_folding.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include <unicode/uchar.h>

namespace weir {
namespace {

// The code points of each class of two members or more, and where to find them by member.
struct CaseClasses {
  std::vector<std::vector<char32_t>> classes;
  std::unordered_map<char32_t, std::size_t> of;
};

const CaseClasses& case_classes() {
  static const CaseClasses found = [] {
    CaseClasses out;
    for (char32_t c = 0; c <= kMaxCodePoint; ++c) {
      const auto folded = static_cast<char32_t>(u_foldCase(static_cast<UChar32>(c), U_FOLD_CASE_DEFAULT));
      if (folded == c) continue;
      const auto [it, fresh] = out.of.try_emplace(folded, out.classes.size());
      if (fresh) out.classes.push_back({folded});
      out.classes[it->second].push_back(c);
      out.of.emplace(c, it->second);
    }
    return out;
  }();
  return found;
}

}  // namespace

CodePointSet case_variants(const CodePointSet& set) {
  const CaseClasses& all = case_classes();
  std::vector<CodePointRange> ranges(set.ranges().begin(), set.ranges().end());
  const auto add = [&](const std::vector<char32_t>& members) {
    for (const char32_t member : members) ranges.push_back({member, member});
  };
  std::size_t size = 0;
  for (const CodePointRange& range : set.ranges()) size += range.last - range.first + 1;
  if (size < all.classes.size() / 4) {
    for (const CodePointRange& range : set.ranges()) {
      for (char32_t c = range.first; c <= range.last; ++c) {
        if (const auto found = all.of.find(c); found != all.of.end()) add(all.classes[found->second]);
      }
    }
  } else {
    for (const std::vector<char32_t>& members : all.classes) {
      if (std::any_of(members.begin(), members.end(), [&](char32_t c) { return set.contains(c); })) add(members);
    }
  }
  return CodePointSet::of(ranges);
}

}  // namespace weir
