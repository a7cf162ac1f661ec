#include "expected.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "output.hpp"
#include "weir/grammar/detail/utf8.hpp"

namespace weir::cli {
namespace {

constexpr std::string_view kWhiteSpace = " \t\n\r";
// A set that lacks no more of the printable ASCII characters than this is described by what it lacks.
constexpr std::size_t kMaxExceptions = 6;
constexpr std::size_t kMaxListedCodePoints = 12;
constexpr int kMaxWalks = 200;  // steps of the matcher to spell out characters beyond ASCII
constexpr std::size_t kMaxJoined = 24;

std::uint8_t byte_of(char c) { return static_cast<std::uint8_t>(c); }

// Takes the bytes out of the set if it holds all of them.
bool take_all(ByteSet& set, std::string_view bytes) {
  if (!std::all_of(bytes.begin(), bytes.end(), [&](char c) { return set.contains(byte_of(c)); })) return false;
  for (const char c : bytes) set.erase(byte_of(c));
  return true;
}

// "any character" and the like for a set with nearly all of printable ASCII, which is then taken out of it.
bool take_broad(ByteSet& set, bool beyond_ascii, std::vector<Expected>& words) {
  std::string exceptions;
  std::size_t count = 0;
  for (char c = 0x20; c < 0x7F; ++c) {
    if (set.contains(byte_of(c))) continue;
    if (++count > kMaxExceptions) return false;
    exceptions += (count > 1 ? ", " : " except ") + show_character({&c, 1});
  }
  set &= ByteSet::range(0x00, 0x1F);
  const bool controls = set.size() >= 24;  // line ends and a few others may be missing
  if (controls) set = ByteSet();
  words.push_back(
      {fmt::format("any {}{}character{}", controls ? "" : "printable ", beyond_ascii ? "" : "ASCII ", exceptions),
       false});
  return true;
}

// Digits, letters and other ASCII characters: runs of three and more of one kind as ranges, the rest one by one.
void describe_ascii(const ByteSet& set, std::vector<Expected>& literals, std::vector<Expected>& ranges) {
  struct Kind {
    char first, last;
  };
  constexpr Kind kKinds[] = {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}};
  for (int c = 0; c < 0x80; ++c) {
    if (!set.contains(static_cast<std::uint8_t>(c))) continue;
    int last = c;
    for (const Kind& kind : kKinds) {
      if (c < kind.first || c > kind.last) continue;
      while (last < kind.last && set.contains(static_cast<std::uint8_t>(last + 1))) ++last;
    }
    if (c == '0' && last == '9') {
      ranges.push_back({"digit", false});
    } else if (last - c >= 2) {
      ranges.push_back({fmt::format("{}-{}", static_cast<char>(c), static_cast<char>(last)), false});
    } else {
      for (int each = c; each <= last; ++each) literals.push_back({std::string(1, static_cast<char>(each)), true});
    }
    c = last;
  }
}

// Appends the characters that the bytes from `next` on can spell after `prefix`; false when there are too many.
bool spell_out(Matcher& matcher, const ByteSet& next, const std::string& prefix, int& walks,
               std::vector<std::string>& characters) {
  bool complete = true;
  next.for_each([&](std::uint8_t byte) {
    if (!complete || byte < 0x80) return;
    const std::string text = prefix + static_cast<char>(byte);
    const std::size_t width = byte_of(text.front()) < 0xE0 ? 2 : byte_of(text.front()) < 0xF0 ? 3 : 4;
    if (text.size() == width) {
      complete = !find_invalid_utf8(text) && characters.size() < kMaxListedCodePoints;
      if (complete) characters.push_back(text);
      return;
    }
    if (--walks < 0 || !matcher.accept_bytes(std::string_view(text).substr(text.size() - 1))) {
      complete = false;
      return;
    }
    complete = spell_out(matcher, matcher.next_bytes(), text, walks, characters);
    matcher.rollback(1);
  });
  return complete;
}

void describe_beyond_ascii(Matcher& matcher, const ByteSet& set, std::vector<Expected>& literals,
                           std::vector<Expected>& words) {
  bool in_character = false;  // the text so far ends within a character
  for (std::uint8_t byte = 0x80; byte < 0xC0; ++byte) in_character |= set.contains(byte);
  if (in_character) {
    words.push_back({"the rest of a UTF-8 character", false});
    return;
  }
  std::vector<std::string> characters;
  int walks = kMaxWalks;
  if (!spell_out(matcher, set, "", walks, characters)) {
    words.push_back({"characters beyond ASCII", false});
    return;
  }
  for (std::string& character : characters) literals.push_back({std::move(character), true});
}

}  // namespace

std::vector<Expected> describe_next(Matcher& matcher) {
  std::vector<Expected> literals;
  std::vector<Expected> ranges;
  std::vector<Expected> words;
  ByteSet set = matcher.next_bytes();
  const ByteSet beyond = set & ByteSet::range(0x80, 0xFF);
  const bool many_beyond = (beyond & ByteSet::range(0xC3, 0xF3)) == ByteSet::range(0xC3, 0xF3);
  const bool broad = take_broad(set, many_beyond, words);
  if (!broad && take_all(set, kWhiteSpace)) words.push_back({"white space", false});
  describe_ascii(set, literals, ranges);
  if (!beyond.empty() && !(broad && many_beyond)) describe_beyond_ascii(matcher, beyond, literals, words);
  if (matcher.is_accepting()) words.push_back({"end of text", false});
  std::vector<Expected> all = std::move(literals);
  all.insert(all.end(), ranges.begin(), ranges.end());
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

std::string show_character(std::string_view bytes) {
  if (bytes.size() == 1 && byte_of(bytes.front()) >= 0x80) return fmt::format("byte 0x{:02X}", byte_of(bytes.front()));
  if (bytes == " ") return "a space";
  if (bytes == "\"" || bytes == "\\") return fmt::format("`{}`", bytes);
  const std::string escaped = in_quotes(bytes);
  return fmt::format("`{}`", std::string_view(escaped).substr(1, escaped.size() - 2));
}

std::string join_expected(const std::vector<Expected>& expected) {
  if (expected.empty()) return "nothing";
  const auto show = [](const Expected& one) { return one.literal ? show_character(one.text) : one.text; };
  if (expected.size() == 1) return show(expected.front());
  const std::size_t shown = std::min(expected.size(), kMaxJoined);
  std::string out = "one of ";
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == expected.size();
    out += fmt::format("{}{}", i == 0 ? "" : last ? " or " : ", ", show(expected[i]));
  }
  if (shown < expected.size()) out += fmt::format(" or {} others", expected.size() - shown);
  return out;
}

}  // namespace weir::cli
