#include "tokens/text_groups.hpp"

#include <algorithm>
#include <tuple>

namespace weir {

const TextClasses& TextClasses::get() {
  static const TextClasses classes;
  return classes;
}

TextClasses::TextClasses() {
  of_ascii_.fill(static_cast<std::uint8_t>(kNone));
  const auto add = [&](char first, char last) {
    const auto from = static_cast<std::uint8_t>(first);
    const auto to = static_cast<std::uint8_t>(last);
    for (unsigned b = from; b <= to; ++b) of_ascii_[b] = static_cast<std::uint8_t>(members_.size());
    members_.push_back(ByteSet::range(from, to));
  };
  add('0', '9');
  add('a', 'f');
  add('g', 'z');
  add('A', 'F');
  add('G', 'Z');
  for (char c = 0x20; c < 0x7F; ++c) {
    if (of_ascii_[static_cast<std::uint8_t>(c)] == kNone && c != '"' && c != '\\') add(c, c);
  }
  add(0x7F, 0x7F);
  ascii_count_ = static_cast<unsigned>(members_.size());
  // ECMA-262, WhiteSpace: what \s matches beyond ASCII. LineTerminator, which a dot leaves out. And U+0085, which is
  // white space in other dialects.
  const CodePointRange spaces[] = {{0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A}, {0x202F, 0x202F},
                                   {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
  wide_[1] = CodePointSet::of(spaces);
  wide_[2] = CodePointSet::range(0x2028, 0x2029);
  wide_[3] = CodePointSet::single(0x85);
  wide_[0] = CodePointSet::range(0x80, kMaxCodePoint);
  for (std::size_t i = 1; i < wide_.size(); ++i) wide_[0] = wide_[0].minus(wide_[i]);
  for (std::size_t i = 0; i < wide_.size(); ++i) {
    for (const CodePointRange& r : wide_[i].ranges()) append_utf8_sequences(r.first, r.last, sequences_[i]);
  }
  for (const auto& sequences : sequences_) {
    ByteSet set;
    for (const Utf8Sequence& s : sequences) {
      for (std::size_t i = 0; i < s.length; ++i) set |= ByteSet::range(s.bytes[i].first, s.bytes[i].last);
    }
    members_.push_back(set);
  }
}

unsigned TextClasses::of(char32_t c) const {
  if (c < 0x80) return of_ascii_[c];
  for (unsigned i = 1; i < wide_.size(); ++i) {
    if (wide_[i].contains(c)) return ascii_count_ + i;
  }
  return ascii_count_;
}

TextGroups::TextGroups(const Vocabulary& vocabulary, const TextBody& body) : memory_(std::make_unique<Memory>()) {
  const TextClasses& classes = TextClasses::get();
  struct Entry {
    std::uint32_t start;  // byte, or 128 and the class
    std::uint64_t others;
    Token token;
  };
  std::vector<Entry> entries;
  entries.reserve(body.tokens.size());
  std::vector<std::pair<std::string_view, std::uint32_t>> irregular;
  std::vector<std::pair<std::string_view, std::uint32_t>> long_tokens;
  for (const TextBody::Token& t : body.tokens) {
    const std::string_view text = vocabulary.token(t.token);
    if (t.code_points > kLong) long_tokens.emplace_back(text, t.token);
    if (text.find('\\') != std::string_view::npos || find_invalid_utf8(text)) {
      irregular.emplace_back(text, t.token);
      continue;
    }
    std::size_t at = 0;
    const char32_t c = next_code_point(text, at);
    Entry entry{c < 0x80 ? static_cast<std::uint32_t>(c) : 128U + classes.of(c), 0, {t.token, 0}};
    while (at < text.size()) {
      entry.others |= std::uint64_t{1} << classes.of(next_code_point(text, at));
      ++entry.token.others;
    }
    entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.start, a.others, a.token.others, a.token.token) <
           std::tie(b.start, b.others, b.token.others, b.token.token);
  });
  first_.assign(128U + classes.count() + 1, 0);
  for (std::size_t i = 0; i < entries.size();) {
    Group group;
    group.others = entries[i].others;
    group.first = static_cast<std::uint32_t>(i);
    const std::uint32_t start = entries[i].start;
    for (; i < entries.size() && entries[i].start == start && entries[i].others == group.others; ++i) {
      tokens_.push_back(entries[i].token);
      group.most_others = entries[i].token.others;
    }
    group.last = static_cast<std::uint32_t>(i);
    groups_.push_back(group);
    ++first_[start + 1];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  irregular_ = Trie(std::move(irregular));
  long_ = Trie(std::move(long_tokens));
}

std::size_t TextGroups::memory_bytes() const {
  std::size_t bytes = groups_.capacity() * sizeof(Group) + first_.capacity() * sizeof(std::uint32_t) +
                      tokens_.capacity() * sizeof(Token) + irregular_.memory_bytes() + long_.memory_bytes();
  const std::lock_guard lock(memory_->mutex);
  for (const auto& [key, set] : memory_->sets) bytes += sizeof(key) + sizeof(ClassSet) + set->memory_bytes();
  return bytes;
}

const TextGroups::ClassSet* TextGroups::class_set(std::uint64_t first, std::uint64_t others, std::uint32_t most,
                                                  std::size_t mask_words) const {
  constexpr std::size_t kMaxSets = 512;
  const std::lock_guard lock(memory_->mutex);
  const auto key = std::make_tuple(first, others, most);
  if (const auto it = memory_->sets.find(key); it != memory_->sets.end()) return it->second.get();
  if (memory_->sets.size() >= kMaxSets) return nullptr;
  auto set = std::make_unique<ClassSet>();
  const TextClasses& classes = TextClasses::get();
  TokenCollector brief(mask_words);
  TokenCollector all(mask_words);
  const auto add = [&](std::span<const Group> of_start) {
    for (const Group& group : of_start) {
      if ((group.others & ~others) != 0) continue;
      for (const Token& t : tokens(group)) {
        if (t.others > most) break;
        all.add(t.token);
        if (t.others < ClassSet::kShort) {
          brief.add(t.token);
        } else {
          set->longer.emplace_back(t.others + 1, t.token);
        }
      }
    }
  };
  for (unsigned c = 0; c < classes.count(); ++c) {
    if (((first >> c) & 1U) == 0) continue;
    if (c < classes.ascii_count()) {
      classes.bytes(c).for_each([&](std::uint8_t b) { add(starting_with(b)); });
    } else {
      add(starting_with_class(c));
    }
  }
  set->brief = brief.take();
  set->all = all.take();
  std::sort(set->longer.begin(), set->longer.end());
  return memory_->sets.emplace(key, std::move(set)).first->second.get();
}

}  // namespace weir
