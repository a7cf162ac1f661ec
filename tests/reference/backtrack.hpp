// A slow, obvious back-tracking matcher: the oracle for patterns with look-around. It works on its own tree, which also
// writes itself as a pattern, so it shares no line with the code that it judges.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace weir::reference {

struct Pattern {
  enum class Kind { kCharacters, kSequence, kChoice, kRepeat, kStart, kEnd, kBoundary, kAhead, kBehind };
  Kind kind = Kind::kSequence;
  bool negated = false;       // of characters and assertions
  std::u32string characters;  // kCharacters
  int min = 0;
  int max = 0;  // -1: no limit
  std::vector<Pattern> parts;

  std::string text() const;
  bool found_in(std::u32string_view subject) const;  // anywhere, as in JSON Schema
  bool matches(std::u32string_view subject) const;   // the whole of it
};

inline bool is_word(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

inline std::string encode(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) {
    if (c < 0x80) {
      out += static_cast<char>(c);
    } else if (c < 0x800) {
      out += static_cast<char>(0xC0 | (c >> 6));
      out += static_cast<char>(0x80 | (c & 63));
    } else if (c < 0x10000) {
      out += static_cast<char>(0xE0 | (c >> 12));
      out += static_cast<char>(0x80 | ((c >> 6) & 63));
      out += static_cast<char>(0x80 | (c & 63));
    } else {
      out += static_cast<char>(0xF0 | (c >> 18));
      out += static_cast<char>(0x80 | ((c >> 12) & 63));
      out += static_cast<char>(0x80 | ((c >> 6) & 63));
      out += static_cast<char>(0x80 | (c & 63));
    }
  }
  return out;
}

namespace detail {

using Continue = std::function<bool(std::size_t)>;

// Is there a match of `p` from `at` whose end satisfies `k`?
inline bool match(const Pattern& p, std::u32string_view s, std::size_t at, const Continue& k);

inline bool match_from(const std::vector<Pattern>& parts, std::size_t i, std::u32string_view s, std::size_t at,
                       const Continue& k) {
  if (i == parts.size()) return k(at);
  return match(parts[i], s, at, [&](std::size_t end) { return match_from(parts, i + 1, s, end, k); });
}

inline bool repeat(const Pattern& p, int done, std::u32string_view s, std::size_t at, const Continue& k) {
  if (done >= p.min && k(at)) return true;
  if (p.max >= 0 && done >= p.max) return false;
  return match(p.parts[0], s, at, [&](std::size_t end) {
    if (end == at && done >= p.min) return false;  // an empty turn beyond the minimum leads nowhere new
    return repeat(p, done + 1, s, end, k);
  });
}

inline bool match(const Pattern& p, std::u32string_view s, std::size_t at, const Continue& k) {
  using Kind = Pattern::Kind;
  switch (p.kind) {
    case Kind::kCharacters:
      return at < s.size() && (p.characters.find(s[at]) != std::u32string::npos) != p.negated && k(at + 1);
    case Kind::kSequence: return match_from(p.parts, 0, s, at, k);
    case Kind::kChoice:
      for (const Pattern& part : p.parts) {
        if (match(part, s, at, k)) return true;
      }
      return false;
    case Kind::kRepeat: return repeat(p, 0, s, at, k);
    case Kind::kStart: return at == 0 && k(at);
    case Kind::kEnd: return at == s.size() && k(at);
    case Kind::kBoundary: {
      const bool before = at > 0 && is_word(s[at - 1]);
      const bool after = at < s.size() && is_word(s[at]);
      return (before != after) != p.negated && k(at);
    }
    case Kind::kAhead: return match(p.parts[0], s, at, [](std::size_t) { return true; }) != p.negated && k(at);
    case Kind::kBehind: {
      bool found = false;
      for (std::size_t start = 0; start <= at && !found; ++start) {
        found = match(p.parts[0], s, start, [&](std::size_t end) { return end == at; });
      }
      return found != p.negated && k(at);
    }
  }
  return false;
}

}  // namespace detail

inline bool Pattern::found_in(std::u32string_view subject) const {
  for (std::size_t start = 0; start <= subject.size(); ++start) {
    if (detail::match(*this, subject, start, [](std::size_t) { return true; })) return true;
  }
  return false;
}

inline bool Pattern::matches(std::u32string_view subject) const {
  return detail::match(*this, subject, 0, [&](std::size_t end) { return end == subject.size(); });
}

inline std::string Pattern::text() const {
  std::string inner;
  switch (kind) {
    case Kind::kCharacters: return (negated ? "[^" : "[") + encode(characters) + "]";
    case Kind::kSequence:
      for (const Pattern& part : parts) {
        inner += part.kind == Kind::kChoice ? "(?:" + part.text() + ")" : part.text();
      }
      return inner;
    case Kind::kChoice:
      for (std::size_t i = 0; i < parts.size(); ++i) inner += (i > 0 ? "|" : "") + parts[i].text();
      return inner;
    case Kind::kRepeat:
      return "(?:" + parts[0].text() + "){" + std::to_string(min) + "," + (max < 0 ? "" : std::to_string(max)) + "}";
    case Kind::kStart: return "^";
    case Kind::kEnd: return "$";
    case Kind::kBoundary: return negated ? "\\B" : "\\b";
    case Kind::kAhead: return (negated ? "(?!" : "(?=") + parts[0].text() + ")";
    case Kind::kBehind: return (negated ? "(?<!" : "(?<=") + parts[0].text() + ")";
  }
  return inner;
}

// A random pattern over `alphabet`; `assertions` is the chance in 100 that a part asserts instead of matching.
inline Pattern random_pattern(std::mt19937& random, std::u32string_view alphabet, int depth, unsigned assertions) {
  using Kind = Pattern::Kind;
  Pattern p;
  const auto nested = [&] { return random_pattern(random, alphabet, depth - 1, assertions); };
  if (random() % 100 < assertions) {
    const unsigned which = random() % (depth > 0 ? 6 : 4);
    p.negated = random() % 2 == 0;
    p.kind = which == 0   ? Kind::kStart
             : which == 1 ? Kind::kEnd
             : which < 4  ? Kind::kBoundary
             : which == 4 ? Kind::kAhead
                          : Kind::kBehind;
    if (which >= 4) p.parts.push_back(nested());
    return p;
  }
  const unsigned which = depth > 0 ? random() % 6 : 0;
  if (which <= 1) {
    p.kind = Kind::kCharacters;
    p.negated = random() % 6 == 0;
    for (const char32_t c : alphabet) {
      if (random() % 3 == 0) p.characters += c;
    }
    if (p.characters.empty()) p.characters = alphabet.substr(random() % alphabet.size(), 1);
  } else if (which <= 3) {
    for (unsigned n = 1 + random() % 3; n > 0; --n) p.parts.push_back(nested());
  } else if (which == 4) {
    p.kind = Kind::kChoice;
    for (unsigned n = 2 + random() % 2; n > 0; --n) p.parts.push_back(nested());
  } else {
    p.kind = Kind::kRepeat;
    p.min = static_cast<int>(random() % 3);
    p.max = random() % 3 == 0 ? -1 : p.min + static_cast<int>(random() % 3);
    p.parts.push_back(nested());
  }
  return p;
}

}  // namespace weir::reference
