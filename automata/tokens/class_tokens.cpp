#include "tokens/class_tokens.hpp"

#include <bit>

namespace weir {
namespace {

constexpr std::size_t kBits = 64;

std::size_t index_of(std::uint64_t bit) { return static_cast<std::size_t>(std::countr_zero(bit)); }

template <class Visit>
void for_each_bit(std::uint64_t bits, Visit&& visit) {
  for (; bits != 0; bits &= bits - 1) visit(index_of(bits));
}

}  // namespace

ClassTokens::ClassTokens(const Vocabulary& vocabulary) : words_(vocabulary.mask_words()), first_(kBits), rest_(kBits) {
  const ByteClasses& classes = ByteClasses::get();
  for (TokenId t = 0; t < vocabulary.size(); ++t) {
    const std::string_view text = vocabulary.token(t);
    if (vocabulary.kind(t) != TokenKind::kText || text.empty()) continue;
    first_[index_of(classes.bit_of(static_cast<std::uint8_t>(text[0])))].add(t);
    std::uint64_t rest = 0;
    auto place = Utf8State::kBetween;
    for (const char c : text.substr(1)) {
      rest |= classes.bit_of(static_cast<std::uint8_t>(c));
      place = Utf8State::step(place, static_cast<std::uint8_t>(c));
    }
    if (place == Utf8State::kBad) rest |= ByteClasses::kIllFormed;
    for_each_bit(rest, [&](std::size_t c) { rest_[c].add(t); });
  }
  for (TokenSet& set : first_) set.seal(words_);
  for (TokenSet& set : rest_) set.seal(words_);
}

std::optional<TokenSet> ClassTokens::inside(const Trie& tokens, Trie::Node node, const ByteSet& first,
                                            std::uint64_t classes) const {
  const ByteClasses& by_byte = ByteClasses::get();
  std::vector<std::uint32_t> bits(words_);
  if (node == Trie::kRoot) {
    std::uint64_t starts = 0;
    first.for_each([&](std::uint8_t b) { starts |= by_byte.bit_of(b); });
    if (starts != by_byte.within(first)) return std::nullopt;
    for_each_bit(starts, [&](std::size_t c) { first_[c].or_into(bits); });
  } else {
    const std::uint8_t byte = tokens.byte(node);
    const std::uint64_t start = by_byte.bit_of(byte);
    if (by_byte.within(ByteSet::single(byte)) != start || tokens.child(Trie::kRoot, byte) != node) return std::nullopt;
    first_[index_of(start)].or_into(bits);
    for (const TokenId t : tokens.at(node)) clear_bit(bits, t);
    for (const Trie::Node c : tokens.children(node)) {
      const std::uint8_t next = tokens.byte(c);
      const bool taken = first.contains(next);
      const bool alone = (by_byte.bit_of(next) & classes) != 0;
      if (taken && !alone) return std::nullopt;
      if (taken || !alone) continue;
      for (const TokenId t : tokens.subtree(c)) clear_bit(bits, t);
    }
  }
  std::vector<std::uint32_t> others(words_);
  for_each_bit(~classes, [&](std::size_t c) { rest_[c].or_into(others); });
  for (std::size_t i = 0; i < words_; ++i) bits[i] &= ~others[i];
  return TokenSet::dense(std::move(bits));
}

std::size_t ClassTokens::memory_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const TokenSet& set : first_) bytes += set.memory_bytes();
  for (const TokenSet& set : rest_) bytes += set.memory_bytes();
  return bytes;
}

}  // namespace weir
