// Quoted text, byte by byte: the escapes of a JSON string (RFC 8259, section 7) around any automaton over the decoded
// text. Private to automata/.
//
// Every escape that denotes an allowed code point is taken, and no prefix of one is taken that cannot be completed:
// after `"\u00` a digit is allowed only if some code point of the remaining range is. Lone surrogates denote no code
// point and are never taken.
//
// With `any_escape` false only code points that have to be escaped are (U+0000 to U+001F, the quote, the backslash).
//
// The progress inside a character is 24 bits: a stage (low 4 bits) and a payload.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "weir/grammar/detail/utf8.hpp"
#include "weir/grammar/expr.hpp"

namespace weir {

enum class QuotedStage : std::uint8_t {
  kPlain,  // between characters
  kMid1,   // inside a UTF-8 sequence: this many bytes to come
  kMid2,
  kMid3,
  kEscape,  // after a backslash
  kHex0,    // after \u and this many digits; payload: their value
  kHex1,
  kHex2,
  kHex3,
  kLowBackslash,  // after a high surrogate; payload: its low 10 bits
  kLowU,
  kLow0,  // after its \u and this many digits; payload: high 10 bits | value of the free digit bits << 10
  kLow1,
  kLow2,
  kLow3,
};

inline std::uint32_t quoted_aux(QuotedStage stage, std::uint32_t payload = 0) noexcept {
  return static_cast<std::uint32_t>(stage) | (payload << 4U);
}

enum class QuotedStep : std::uint8_t { kDead, kAlive, kEnd };

// The bytes that may come within a character, at stages other than kPlain: a superset of those that go on.
inline ByteSet quoted_bytes(QuotedStage stage) noexcept {
  const auto set_of = [](std::string_view bytes) {
    ByteSet set;
    for (const char b : bytes) set.insert(static_cast<std::uint8_t>(b));
    return set;
  };
  switch (stage) {
    case QuotedStage::kPlain: return ByteSet::all();
    case QuotedStage::kMid1:
    case QuotedStage::kMid2:
    case QuotedStage::kMid3: return ByteSet::range(0x80, 0xBF);
    case QuotedStage::kEscape: {
      static const ByteSet kEscapes = set_of("\"\\/bfnrtu");
      return kEscapes;
    }
    case QuotedStage::kLowBackslash: return ByteSet::single('\\');
    case QuotedStage::kLowU: return ByteSet::single('u');
    default: {
      static const ByteSet kHex = set_of("0123456789abcdefABCDEF");
      return kHex;
    }
  }
}

namespace detail {

inline int hex_digit(std::uint8_t b) noexcept {
  if (b >= '0' && b <= '9') return b - '0';
  if (b >= 'a' && b <= 'f') return b - 'a' + 10;
  if (b >= 'A' && b <= 'F') return b - 'A' + 10;
  return -1;
}

// The code point of a two-character escape, or 0 where there is none (no such escape denotes U+0000).
inline char32_t simple_escape(std::uint8_t b) noexcept {
  switch (b) {
    case '"': return '"';
    case '\\': return '\\';
    case '/': return '/';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
  }
}

template <class Inner>
bool take_code_point(Inner& inner, char32_t c) {
  std::string bytes;
  append_utf8(bytes, c);
  if (!inner.begin_character()) return false;
  for (const char b : bytes) {
    if (!inner.take_byte(static_cast<std::uint8_t>(b))) return false;
  }
  return true;
}

// Is some scalar value of first..last allowed next?
template <class Inner>
bool may_take(Inner& inner, char32_t first, char32_t last) {
  constexpr char32_t kFirstSurrogate = 0xD800;
  constexpr char32_t kLastSurrogate = 0xDFFF;
  if (last < kFirstSurrogate || first > kLastSurrogate) return inner.may_take(first, last);
  return (first < kFirstSurrogate && inner.may_take(first, kFirstSurrogate - 1)) ||
         (last > kLastSurrogate && inner.may_take(kLastSurrogate + 1, last));
}

// After some digits of \uXXXX the value lies in first..last: directly, or as the high half of a surrogate pair.
template <class Inner>
bool hex_may_lead(Inner& inner, char32_t first, char32_t last) {
  if (may_take(inner, first, last)) return true;
  const char32_t high_first = first > 0xD800 ? first : 0xD800;
  const char32_t high_last = last < 0xDBFF ? last : 0xDBFF;
  return high_first <= high_last &&
         may_take(inner, 0x10000 + ((high_first - 0xD800) << 10U), 0x103FF + ((high_last - 0xD800) << 10U));
}

inline constexpr char32_t kLastControl = 0x1F;

// May some code point stand here as an escape?
template <class Inner>
bool may_escape(Inner& inner, bool any_escape) {
  if (any_escape) return inner.may_go_on();
  return inner.may_take(0, kLastControl) || inner.may_take('"', '"') || inner.may_take('\\', '\\');
}

template <class Inner>
QuotedStep step_hex(Inner& inner, std::uint32_t& aux, std::uint8_t b, bool any_escape) {
  const int digit = hex_digit(b);
  if (digit < 0) return QuotedStep::kDead;
  const unsigned read = (aux & 0xFU) - static_cast<unsigned>(QuotedStage::kHex0) + 1;
  const char32_t value = ((aux >> 4U) << 4U) | static_cast<char32_t>(digit);
  if (read < 4) {
    const unsigned open = 4 * (4 - read);
    const char32_t first = value << open;
    const char32_t last = first | ((char32_t{1} << open) - 1);
    const bool leads = any_escape ? hex_may_lead(inner, first, last)
                                  : first <= kLastControl && inner.may_take(first, std::min(last, kLastControl));
    if (!leads) return QuotedStep::kDead;
    aux = quoted_aux(static_cast<QuotedStage>(static_cast<unsigned>(QuotedStage::kHex0) + read), value);
    return QuotedStep::kAlive;
  }
  if ((value >= 0xDC00 && value <= 0xDFFF) || (!any_escape && value > kLastControl)) return QuotedStep::kDead;
  if (value >= 0xD800 && value <= 0xDBFF) {
    const char32_t high = value - 0xD800;
    if (!may_take(inner, 0x10000 + (high << 10U), 0x103FF + (high << 10U))) return QuotedStep::kDead;
    aux = quoted_aux(QuotedStage::kLowBackslash, high);
    return QuotedStep::kAlive;
  }
  aux = 0;
  return take_code_point(inner, value) ? QuotedStep::kAlive : QuotedStep::kDead;
}

template <class Inner>
QuotedStep step_low(Inner& inner, std::uint32_t& aux, std::uint8_t b) {
  const int digit = hex_digit(b);
  if (digit < 0) return QuotedStep::kDead;
  const unsigned read = (aux & 0xFU) - static_cast<unsigned>(QuotedStage::kLow0);  // digits before this one
  const std::uint32_t high = (aux >> 4U) & 0x3FFU;
  std::uint32_t low = aux >> 14U;
  // Digits of DC00..DFFF: d, then c to f (two free bits), then two free digits.
  if (read == 0 && digit != 0xD) return QuotedStep::kDead;
  if (read == 1 && digit < 0xC) return QuotedStep::kDead;
  if (read == 1) low = static_cast<std::uint32_t>(digit) & 3U;
  if (read >= 2) low = (low << 4U) | static_cast<std::uint32_t>(digit);
  const unsigned open = read == 0 ? 10 : 4 * (3 - read);
  const char32_t first = 0x10000 + (high << 10U) + (low << open);
  if (read == 3) {
    aux = 0;
    return take_code_point(inner, first) ? QuotedStep::kAlive : QuotedStep::kDead;
  }
  if (!may_take(inner, first, first | ((char32_t{1} << open) - 1))) return QuotedStep::kDead;
  aux = quoted_aux(static_cast<QuotedStage>(static_cast<unsigned>(QuotedStage::kLow0) + read + 1), high | (low << 10U));
  return QuotedStep::kAlive;
}

template <class Inner>
QuotedStep step_plain(Inner& inner, std::uint32_t& aux, std::uint8_t b, char quote, bool any_escape) {
  if (b == static_cast<std::uint8_t>(quote)) return inner.may_end() ? QuotedStep::kEnd : QuotedStep::kDead;
  if (b == '\\') {
    if (!may_escape(inner, any_escape)) return QuotedStep::kDead;
    aux = quoted_aux(QuotedStage::kEscape);
    return QuotedStep::kAlive;
  }
  if (b < 0x20 || (b >= 0x80 && b < 0xC2) || b > 0xF4) return QuotedStep::kDead;
  if (!inner.begin_character() || !inner.take_byte(b)) return QuotedStep::kDead;
  const unsigned more = b < 0x80 ? 0 : b < 0xE0 ? 1 : b < 0xF0 ? 2 : 3;
  aux = quoted_aux(static_cast<QuotedStage>(more));
  return QuotedStep::kAlive;
}

}  // namespace detail

// One byte. Inner offers: bool begin_character() (counts one), bool take_byte(b) (false: nothing goes on so), bool
// may_take(first, last) (changes nothing), bool may_go_on() (is any code point allowed?), bool may_end().
template <class Inner>
QuotedStep step_quoted(Inner& inner, std::uint32_t& aux, std::uint8_t b, char quote, bool any_escape) {
  const auto stage = static_cast<QuotedStage>(aux & 0xFU);
  switch (stage) {
    case QuotedStage::kPlain: return detail::step_plain(inner, aux, b, quote, any_escape);
    case QuotedStage::kMid1:
    case QuotedStage::kMid2:
    case QuotedStage::kMid3:
      if (!inner.take_byte(b)) return QuotedStep::kDead;
      --aux;
      return QuotedStep::kAlive;
    case QuotedStage::kEscape: {
      if (b == 'u') {
        if (!any_escape && !inner.may_take(0, detail::kLastControl)) return QuotedStep::kDead;
        aux = quoted_aux(QuotedStage::kHex0);
        return QuotedStep::kAlive;
      }
      aux = 0;
      const char32_t c = detail::simple_escape(b);
      if (c == 0 || (c == '/' && !any_escape)) return QuotedStep::kDead;
      return detail::take_code_point(inner, c) ? QuotedStep::kAlive : QuotedStep::kDead;
    }
    case QuotedStage::kHex0:
    case QuotedStage::kHex1:
    case QuotedStage::kHex2:
    case QuotedStage::kHex3: return detail::step_hex(inner, aux, b, any_escape);
    case QuotedStage::kLowBackslash:
      if (b != '\\') return QuotedStep::kDead;
      aux = quoted_aux(QuotedStage::kLowU, aux >> 4U);
      return QuotedStep::kAlive;
    case QuotedStage::kLowU:
      if (b != 'u') return QuotedStep::kDead;
      aux = quoted_aux(QuotedStage::kLow0, aux >> 4U);
      return QuotedStep::kAlive;
    case QuotedStage::kLow0:
    case QuotedStage::kLow1:
    case QuotedStage::kLow2:
    case QuotedStage::kLow3: return detail::step_low(inner, aux, b);
  }
  return QuotedStep::kDead;
}

}  // namespace weir
