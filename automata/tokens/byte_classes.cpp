#include "tokens/byte_classes.hpp"

namespace weir {

const ByteClasses& ByteClasses::get() {
  static const ByteClasses classes;
  return classes;
}

ByteClasses::ByteClasses() {
  const auto add = [&](unsigned first, unsigned last) {
    for (unsigned b = first; b <= last; ++b) {
      if (bit_of_[b] != 0) continue;
      bit_of_[b] = std::uint64_t{1} << count_;
      members_[count_].insert(static_cast<std::uint8_t>(b));
    }
    return bit_of_[last] == std::uint64_t{1} << count_ ? std::uint64_t{1} << count_++ : 0;
  };
  add('0', '9');
  add('a', 'f');
  add('g', 'z');
  add('A', 'F');
  add('G', 'Z');
  for (unsigned b = ' '; b < 0x7F; ++b) add(b, b);  // the other signs
  add('\t', '\t');
  add('\n', '\n');
  add('\r', '\r');
  add(0x00, 0x1F);
  add(0x7F, 0x7F);
  wide_ |= add(0x80, 0xBF);
  add(0xC0, 0xC1);  // never in UTF-8
  wide_ |= add(0xC2, 0xDF);
  wide_ |= add(0xE0, 0xEF);
  wide_ |= add(0xF0, 0xF4);
  add(0xF5, 0xFF);
}

std::uint64_t ByteClasses::within(const ByteSet& set) const noexcept {
  std::uint64_t within = 0;
  for (unsigned c = 0; c < count_; ++c) {
    if ((members_[c] & set) == members_[c]) within |= std::uint64_t{1} << c;
  }
  return within;
}

Utf8State::State Utf8State::step(State s, std::uint8_t b) noexcept {
  const auto then = [&](unsigned first, unsigned last, State next) { return b >= first && b <= last ? next : kBad; };
  switch (s) {
    case kBetween:
      if (b < 0x80) return kBetween;
      if (b < 0xC2 || b > 0xF4) return kBad;
      if (b < 0xE0) return kOneMore;
      if (b < 0xF0) return b == 0xE0 ? kAfterE0 : b == 0xED ? kAfterED : kTwoMore;
      return b == 0xF0 ? kAfterF0 : b == 0xF4 ? kAfterF4 : kThreeMore;
    case kOneMore: return then(0x80, 0xBF, kBetween);
    case kTwoMore: return then(0x80, 0xBF, kOneMore);
    case kThreeMore: return then(0x80, 0xBF, kTwoMore);
    case kAfterE0: return then(0xA0, 0xBF, kOneMore);
    case kAfterED: return then(0x80, 0x9F, kOneMore);
    case kAfterF0: return then(0x90, 0xBF, kTwoMore);
    case kAfterF4: return then(0x80, 0x8F, kTwoMore);
    case kBad: return kBad;
  }
  return kBad;
}

}  // namespace weir
