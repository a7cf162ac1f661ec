// Sets of numbers as digit-wise comparisons with their bounds: a chain of states for each bound, which share what the
// bounds share, and never an enumeration. number.hpp says which spellings are offered.
#include "schema/number.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

namespace weir {
namespace {

constexpr std::int64_t kMaxPlainDigits = 10'000;
// Of whole numbers in scientific spelling with a fraction: digits after the point, and the least exponent.
constexpr std::size_t kWholeFraction = 16;

enum class Numbers : std::uint8_t { kAll, kWhole, kLexicallyWhole };

// A bound on magnitudes, hence not negative.
struct Edge {
  Decimal value;
  bool inclusive = true;
  std::string whole;     // "0" or digits without a leading zero
  std::string fraction;  // without trailing zeros

  Edge(Decimal v, bool with) : value(std::move(v)), inclusive(with) {
    value.negative = false;
    const auto count = static_cast<std::int64_t>(value.digits.size());
    if (value.exponent <= 0) {
      whole = "0";
      fraction = std::string(static_cast<std::size_t>(-value.exponent), '0') + value.digits;
    } else if (value.exponent >= count) {
      whole = value.digits + std::string(static_cast<std::size_t>(value.exponent - count), '0');
    } else {
      whole = value.digits.substr(0, static_cast<std::size_t>(value.exponent));
      fraction = value.digits.substr(static_cast<std::size_t>(value.exponent));
    }
  }
};

// How what was read so far compares with the bounds: -1 below, 0 equal, 1 above. A bound that is absent is kept.
struct Relation {
  int low = 0;
  int high = 0;
  std::size_t index() const { return static_cast<std::size_t>(low + 1) * 3 + static_cast<std::size_t>(high + 1); }
  bool decided() const { return low != 0 && high != 0; }
  static Relation of(std::size_t index) { return {static_cast<int>(index / 3) - 1, static_cast<int>(index % 3) - 1}; }
};
constexpr std::size_t kRelations = 9;

int compare(char a, char b) { return a < b ? -1 : a > b ? 1 : 0; }

ByteSet digit_set() { return ByteSet::range('0', '9'); }

// The numbers of one sign between two edges, as their spellings without the sign.
class Interval {
 public:
  Interval(ExprArena& arena, std::optional<Edge> low, std::optional<Edge> high, Numbers numbers)
      : arena_(arena), low_(std::move(low)), high_(std::move(high)), numbers_(numbers) {
    digit_ = arena_.bytes(digit_set());
    start_ = {low_ ? 0 : 1, high_ ? 0 : -1};
  }

  ExprId plain();
  ExprId scientific();

 private:
  using Finish = std::function<ExprId(Relation)>;
  // A chain of states, one for each number of digits read and relation reached.
  struct Chain {
    std::function<Relation(Relation, std::size_t position, char digit)> advance;
    std::function<ExprId(Relation, std::size_t position)> end;      // what may follow if the digits end here
    std::function<ExprId(Relation, std::size_t position)> decided;  // everything from here on, for Relation::decided
    std::function<ExprId(Relation)> last;                           // everything after the last position
  };
  ExprId walk(const Chain& chain, Relation start, std::size_t from, std::size_t to) const;

  static std::string_view digits_of(const std::optional<Edge>& edge) {
    return edge ? std::string_view(edge->value.digits) : std::string_view();
  }
  static Relation advance(Relation r, char digit, char low, char high) {
    return {r.low != 0 ? r.low : compare(digit, low), r.high != 0 ? r.high : compare(digit, high)};
  }
  bool accepts(Relation r) const {
    return (r.low > 0 || (r.low == 0 && low_->inclusive)) && (r.high < 0 || (r.high == 0 && high_->inclusive));
  }
  ExprId digits_after(std::string_view low, std::string_view high, Relation start, std::size_t from, std::size_t least,
                      std::optional<std::size_t> most, const Finish& finish) const;
  ExprId after_whole(Relation r);
  ExprId exponent(Relation r, std::int64_t least) const;
  // Keeps the digits 0-9 apart only where they lead to different states.
  ExprId by_digit(const std::function<ExprId(char)>& target, char first) const;

  ExprArena& arena_;
  std::optional<Edge> low_;
  std::optional<Edge> high_;
  Numbers numbers_;
  ExprId digit_ = kEmptyExpr;
  Relation start_;
  std::array<std::optional<ExprId>, kRelations> after_whole_;
};

ExprId Interval::by_digit(const std::function<ExprId(char)>& target, char first) const {
  std::vector<std::pair<ExprId, ByteSet>> groups;
  for (char d = first; d <= '9'; ++d) {
    const ExprId next = target(d);
    if (next == kEmptyExpr) continue;
    auto it = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == next; });
    if (it == groups.end()) it = groups.insert(groups.end(), {next, {}});
    it->second.insert(static_cast<std::uint8_t>(d));
  }
  std::vector<ExprId> parts;
  parts.reserve(groups.size());
  for (const auto& [next, set] : groups) parts.push_back(arena_.concat(arena_.bytes(set), next));
  return arena_.alternate(parts);
}

// Positions from..to, built from the last one back; forward first, to build no state that is not reached.
ExprId Interval::walk(const Chain& chain, Relation start, std::size_t from, std::size_t to) const {
  if (start.decided()) return chain.decided(start, from);
  using Mask = std::array<bool, kRelations>;
  std::vector<Mask> reached(to - from + 1, Mask{});
  reached.front()[start.index()] = true;
  for (std::size_t position = from; position < to; ++position) {
    for (std::size_t r = 0; r < kRelations; ++r) {
      if (!reached[position - from][r]) continue;
      for (char d = '0'; d <= '9'; ++d) {
        const Relation next = chain.advance(Relation::of(r), position, d);
        if (!next.decided()) reached[position + 1 - from][next.index()] = true;
      }
    }
  }
  std::array<ExprId, kRelations> after{};
  for (std::size_t position = to + 1; position-- > from;) {
    std::array<ExprId, kRelations> here{};
    std::array<std::optional<ExprId>, kRelations> decided;
    for (std::size_t i = 0; i < kRelations; ++i) {
      if (!reached[position - from][i]) continue;
      const Relation r = Relation::of(i);
      if (position == to) {
        here[i] = chain.last(r);
        continue;
      }
      const ExprId more = by_digit(
          [&](char d) {
            const Relation next = chain.advance(r, position, d);
            if (!next.decided()) return after[next.index()];
            auto& known = decided[next.index()];
            if (!known) known = chain.decided(next, position + 1);
            return *known;
          },
          '0');
      here[i] = arena_.alternate({chain.end(r, position), more});
    }
    after = here;
  }
  return after[start.index()];
}

// Digits that continue a comparison with `low` and `high`, of which `from` were read; zeros follow the last digit of
// each. In all at least `least` and at most `most` digits.
ExprId Interval::digits_after(std::string_view low, std::string_view high, Relation start, std::size_t from,
                              std::size_t least, std::optional<std::size_t> most, const Finish& finish) const {
  const auto need = [&](std::size_t position) {
    return static_cast<std::uint32_t>(least > position ? least - position : 0);
  };
  const auto room = [&](std::size_t position) {
    return most ? static_cast<std::uint32_t>(*most - position) : kUnbounded;
  };
  Chain chain;
  chain.advance = [&](Relation r, std::size_t position, char d) {
    return advance(r, d, position < low.size() ? low[position] : '0', position < high.size() ? high[position] : '0');
  };
  chain.end = [&](Relation r, std::size_t position) {
    if (position < least) return kEmptyExpr;
    // The digits left of a bound are not all zero, so the shorter text is below it.
    if (r.low == 0 && position < low.size()) r.low = -1;
    if (r.high == 0 && position < high.size()) r.high = -1;
    return finish(r);
  };
  chain.decided = [&](Relation r, std::size_t position) {
    return arena_.concat(arena_.repeat(digit_, need(position), room(position)), finish(r));
  };
  const std::size_t to = most ? *most : std::max({from, low.size(), high.size()});
  chain.last = [&](Relation r) {
    if (most) return chain.end(r, to);
    // Equal so far, and only zeros are left of the bounds: the first other digit lifts the text above them.
    const Relation above{r.low == 0 ? 1 : r.low, r.high == 0 ? 1 : r.high};
    const ExprId zero = arena_.byte('0');
    const ExprId lifted =
        arena_.concat({arena_.star(zero), arena_.bytes(ByteSet::range('1', '9')), arena_.star(digit_), finish(above)});
    return arena_.alternate({arena_.concat(arena_.repeat(zero, need(to), kUnbounded), finish(r)), lifted});
  };
  return walk(chain, start, from, to);
}

// What may follow the digits before the point, when they compare so with those of the edges.
ExprId Interval::after_whole(Relation r) {
  auto& memo = after_whole_[r.index()];
  if (memo) return *memo;
  ExprId e = kEmptyExpr;
  if (numbers_ != Numbers::kAll) {
    e = accepts(r) ? kEpsilonExpr : kEmptyExpr;
    if (numbers_ == Numbers::kWhole) {
      e = arena_.concat(e, arena_.optional(arena_.concat(arena_.byte('.'), arena_.plus(arena_.byte('0')))));
    }
  } else {
    const std::string_view low = low_ ? std::string_view(low_->fraction) : "";
    const std::string_view high = high_ ? std::string_view(high_->fraction) : "";
    const auto finish = [&](Relation f) { return accepts(f) ? kEpsilonExpr : kEmptyExpr; };
    const Relation none{r.low == 0 && !low.empty() ? -1 : r.low, r.high == 0 && !high.empty() ? -1 : r.high};
    const ExprId fraction = digits_after(low, high, r, 0, 1, std::nullopt, finish);
    e = arena_.alternate({finish(none), arena_.concat(arena_.byte('.'), fraction)});
  }
  memo = e;
  return e;
}

ExprId Interval::plain() {
  const std::string low = low_ ? low_->whole : "";
  const std::string high = high_ ? high_->whole : "";
  // A whole part with fewer digits than a bound's is smaller, one with more is larger, whatever the digits.
  const auto at_end = [&](Relation r, std::size_t length) {
    if (low_ && length != low.size()) r.low = length < low.size() ? -1 : 1;
    if (high_ && length != high.size()) r.high = length < high.size() ? -1 : 1;
    return r;
  };
  Chain chain;
  chain.advance = [&](Relation r, std::size_t position, char d) {
    const char past = '\0';  // any further digit makes the text the larger one
    return advance(r, d, position < low.size() ? low[position] : past, position < high.size() ? high[position] : past);
  };
  chain.end = [&](Relation r, std::size_t position) { return after_whole(at_end(r, position)); };
  chain.decided = [&](Relation r, std::size_t position) {
    std::size_t least = 0;
    std::size_t most = kUnbounded;
    if (low_) least = r.low > 0 ? low.size() : low.size() + 1;
    if (high_) most = r.high < 0 ? high.size() : high.size() - 1;
    if (most < position || most < least) return kEmptyExpr;
    const std::size_t need = least > position ? least - position : 0;
    return arena_.concat(arena_.repeat(digit_, static_cast<std::uint32_t>(need),
                                       high_ ? static_cast<std::uint32_t>(most - position) : kUnbounded),
                         after_whole({1, -1}));
  };
  const std::size_t to = std::max(low.size(), high.size()) + 1;
  chain.last = [](Relation) { return kEmptyExpr; };  // never reached undecided
  const ExprId zero = after_whole(at_end(chain.advance(start_, 0, '0'), 1));
  const ExprId other = by_digit([&](char d) { return walk(chain, chain.advance(start_, 0, d), 1, to); }, '1');
  return arena_.alternate({arena_.concat(arena_.byte('0'), zero), other});
}

// [eE] and an exponent of at least `least`, such that the number is within the edges when its mantissa compares so.
ExprId Interval::exponent(Relation r, std::int64_t least) const {
  constexpr std::int64_t kNone = std::int64_t{1} << 60;
  std::int64_t from = -kNone;
  std::int64_t to = kNone;
  if (low_) from = low_->value.exponent - 1 + (r.low > 0 || (r.low == 0 && low_->inclusive) ? 0 : 1);
  if (high_) to = high_->value.exponent - 1 - (r.high < 0 || (r.high == 0 && high_->inclusive) ? 0 : 1);
  from = std::max(from, least);
  if (from > to) return kEmptyExpr;

  // Leading zeros are allowed here, also before nothing but zeros.
  const auto magnitudes = [&](std::int64_t a, std::int64_t b) {
    if (a == 0 && b == kNone) return arena_.plus(digit_);
    const auto edge = [](std::int64_t n) { return Edge(*Decimal::parse(std::to_string(n)), true); };
    std::optional<Edge> low;
    std::optional<Edge> high;
    if (a > 0) low = edge(a);
    if (b < kNone) high = edge(b);
    const ExprId zeros = arena_.star(arena_.byte('0'));
    return arena_.concat(zeros, Interval(arena_, low, high, Numbers::kLexicallyWhole).plain());
  };
  std::vector<ExprId> parts;
  if (to >= 0)
    parts.push_back(arena_.concat(arena_.optional(arena_.byte('+')), magnitudes(std::max<std::int64_t>(from, 0), to)));
  if (from <= 0) parts.push_back(arena_.concat(arena_.byte('-'), magnitudes(std::max<std::int64_t>(-to, 0), -from)));
  ByteSet letter = ByteSet::single('e');
  letter.insert('E');
  return arena_.concat(arena_.bytes(letter), arena_.alternate(parts));
}

// One digit that is not 0, perhaps a fraction, and an exponent. The edges are not zero.
ExprId Interval::scientific() {
  const std::string_view low = digits_of(low_);
  const std::string_view high = digits_of(high_);
  const bool whole = numbers_ == Numbers::kWhole;
  constexpr auto kLeast = std::int64_t{-1} << 60;
  // The exponent's automaton is the same for all mantissas that compare alike.
  std::array<std::array<std::optional<ExprId>, kRelations>, 2> memo;
  const auto exponent_after = [&](Relation r, bool fraction) {
    auto& known = memo[fraction ? 1 : 0][r.index()];
    if (!known) known = exponent(r, !whole ? kLeast : fraction ? static_cast<std::int64_t>(kWholeFraction) : 0);
    return *known;
  };
  const auto after_first = [&](char d) {
    const Relation r = advance(start_, d, low.empty() ? '0' : low[0], high.empty() ? '0' : high[0]);
    const Relation alone{r.low == 0 && low.size() > 1 ? -1 : r.low, r.high == 0 && high.size() > 1 ? -1 : r.high};
    const std::optional<std::size_t> most = whole ? std::optional(kWholeFraction + 1) : std::nullopt;
    const ExprId fraction = digits_after(low, high, r, 1, 2, most, [&](Relation f) { return exponent_after(f, true); });
    return arena_.alternate({exponent_after(alone, false), arena_.concat(arena_.byte('.'), fraction)});
  };
  return by_digit(after_first, '1');
}

// The whole number next to `value` (not negative), above or below it, or itself.
Decimal whole_part(const Decimal& value) {
  if (value.exponent <= 0) return {};
  Decimal out = value;
  if (static_cast<std::int64_t>(out.digits.size()) > out.exponent) {
    out.digits.resize(static_cast<std::size_t>(out.exponent));
    out.digits.erase(out.digits.find_last_not_of('0') + 1);
  }
  return out;
}

// `value` plus or minus 1, for a whole number that is not negative (and not 0 when 1 is taken off).
Decimal step_whole(const Decimal& value, int direction) {
  std::string digits = Edge(value, true).whole;
  std::size_t i = digits.size();
  const char wraps = direction > 0 ? '9' : '0';
  while (i > 0 && digits[i - 1] == wraps) digits[--i] = direction > 0 ? '0' : '9';
  if (i == 0) {
    digits.insert(digits.begin(), '1');
  } else {
    digits[i - 1] = static_cast<char>(digits[i - 1] + direction);
  }
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  return *Decimal::parse(std::string_view(digits).substr(first));
}

// The numbers of one sign, without the sign: low <= |x| <= high.
ExprId magnitudes(ExprArena& arena, std::optional<Edge> low, std::optional<Edge> high, Numbers numbers) {
  if (numbers != Numbers::kAll) {
    if (low) {
      const bool up = !low->value.is_integer() || !low->inclusive;
      low = Edge(up ? step_whole(whole_part(low->value), 1) : low->value, true);
    }
    if (high) {
      const bool down = high->value.is_integer() && !high->inclusive;
      if (down && high->value.digits.empty()) return kEmptyExpr;
      high = Edge(down ? step_whole(high->value, -1) : whole_part(high->value), true);
    }
  }
  if (low && low->value.digits.empty() && low->inclusive) low.reset();
  const ExprId plain = Interval(arena, low, high, numbers).plain();
  if (numbers == Numbers::kLexicallyWhole) return plain;

  std::vector<ExprId> parts{plain};
  const bool upto_zero = high && high->value.digits.empty();
  if (!low && (!high || !upto_zero || high->inclusive)) {
    // Zero: any exponent.
    ByteSet letter = ByteSet::single('e');
    letter.insert('E');
    ByteSet sign = ByteSet::single('+');
    sign.insert('-');
    parts.push_back(
        arena.concat({arena.byte('0'), arena.optional(arena.concat(arena.byte('.'), arena.plus(arena.byte('0')))),
                      arena.bytes(letter), arena.optional(arena.bytes(sign)), arena.plus(arena.bytes(digit_set()))}));
  }
  if (low && low->value.digits.empty()) low.reset();  // above zero: so is every scientific spelling
  if (!upto_zero) parts.push_back(Interval(arena, low, high, numbers).scientific());
  return arena.alternate(parts);
}

ExprId within(ExprArena& arena, const NumberBounds& bounds) {
  const Numbers numbers = !bounds.integer          ? Numbers::kAll
                          : bounds.lexical_integer ? Numbers::kLexicallyWhole
                                                   : Numbers::kWhole;
  const auto is_negative = [](const Decimal& d) { return d.negative && !d.digits.empty(); };
  // Both signs reach down to 0: 0 and -0 are the same number.
  const auto one_sign = [&](bool negative) {
    const auto& near = negative ? bounds.maximum : bounds.minimum;
    const auto& far = negative ? bounds.minimum : bounds.maximum;
    const bool near_open = negative ? bounds.exclusive_maximum : bounds.exclusive_minimum;
    const bool far_open = negative ? bounds.exclusive_minimum : bounds.exclusive_maximum;
    std::optional<Edge> low;
    std::optional<Edge> high;
    // The bound lies on the other side of 0: no bound when it is the near one, nothing left when it is the far one.
    if (near && (near->digits.empty() || is_negative(*near) == negative)) low.emplace(*near, !near_open);
    if (far) {
      if (!far->digits.empty() && is_negative(*far) != negative) return kEmptyExpr;
      if (far->digits.empty() && far_open) return kEmptyExpr;
      high.emplace(*far, !far_open);
    }
    return magnitudes(arena, std::move(low), std::move(high), numbers);
  };
  const ExprId positive = one_sign(false);
  const ExprId negative = one_sign(true);
  const ExprId minus = arena.byte('-');
  if (positive == negative) return arena.concat(arena.optional(minus), positive);
  return arena.alternate({positive, arena.concat(minus, negative)});
}

// Says all of the bounds: what an arena remembers the expression by.
std::string name_of(const NumberBounds& bounds) {
  std::string name = "number ";
  const auto add = [&](const std::optional<Decimal>& bound, bool exclusive) {
    if (bound) {
      if (exclusive) name += 'x';
      if (bound->negative) name += '-';
      name.append(bound->digits).append("e").append(std::to_string(bound->exponent));
    }
    name += ' ';
  };
  add(bounds.minimum, bounds.exclusive_minimum);
  add(bounds.maximum, bounds.exclusive_maximum);
  if (bounds.integer) name += bounds.lexical_integer ? 'l' : 'i';
  return name;
}

bool too_long(const std::optional<Decimal>& bound) { return bound && !has_plain_spelling(*bound); }

}  // namespace

bool has_plain_spelling(const Decimal& value) {
  return std::max(value.exponent, static_cast<std::int64_t>(value.digits.size()) - value.exponent) <= kMaxPlainDigits;
}

ExprId unwieldy_numbers(ExprArena& arena) {
  const ExprId digit = arena.bytes(digit_set());
  ByteSet outside = ByteSet::all();
  digit_set().for_each([&](std::uint8_t b) { outside.erase(b); });
  const ExprId before = arena.optional(arena.concat(arena.any_bytes(), arena.bytes(outside)));
  const auto digits = [&](std::uint32_t least) { return arena.repeat(digit, least, kUnbounded); };
  ByteSet letter = ByteSet::single('e');
  letter.insert('E');
  ByteSet sign = ByteSet::single('+');
  sign.insert('-');
  return arena.alternate(
      {arena.concat({before, digits(kMaxPlainDigits / 2), arena.optional(arena.bytes(outside)), arena.any_bytes()}),
       arena.concat({arena.any_bytes(), arena.bytes(letter), arena.optional(arena.bytes(sign)), digits(4)})});
}

Result<ExprId> number_expression(ExprArena& arena, const NumberBounds& bounds) {
  if (too_long(bounds.minimum) || too_long(bounds.maximum)) {
    return make_error(ErrorCode::kLimit, "a bound of a number has more than 10000 digits; use a rounder one");
  }
  if (!bounds.minimum && !bounds.maximum && !bounds.integer) return any_number(arena);
  return within(arena, bounds);
}

Result<ExprId> known_number(ExprArena& arena, const NumberBounds& bounds) {
  const std::string name = name_of(bounds);
  if (const auto known = arena.find_named(name)) return *known;
  Result<ExprId> e = number_expression(arena, bounds);
  if (e) arena.remember(name, *e);
  return e;
}

bool obviously_satisfiable(const NumberBounds& bounds) {
  constexpr std::int64_t kShort = 16;  // digits
  const auto is_short = [](const std::optional<Decimal>& bound) {
    return !bound || (std::abs(bound->exponent) <= kShort && bound->digits.size() <= kShort);
  };
  if (!is_short(bounds.minimum) || !is_short(bounds.maximum)) return false;
  if (!bounds.minimum || !bounds.maximum) return true;
  const bool apart = *bounds.minimum != *bounds.maximum;
  return bounds.integer ? bounds.minimum->is_integer() && !bounds.exclusive_minimum : apart;
}

Result<ExprId> number_equal_to(ExprArena& arena, const Decimal& value) {
  NumberBounds bounds;
  bounds.minimum = value;
  bounds.maximum = value;
  return number_expression(arena, bounds);
}

ExprId number_family(ExprArena& arena) { return within(arena, {}); }

ExprId any_number(ExprArena& arena) {
  const ExprId digit = arena.bytes(digit_set());
  ByteSet letter = ByteSet::single('e');
  letter.insert('E');
  ByteSet sign = ByteSet::single('+');
  sign.insert('-');
  const ExprId whole =
      arena.alternate({arena.byte('0'), arena.concat(arena.bytes(ByteSet::range('1', '9')), arena.star(digit))});
  const ExprId fraction = arena.concat(arena.byte('.'), arena.plus(digit));
  const ExprId exponent = arena.concat({arena.bytes(letter), arena.optional(arena.bytes(sign)), arena.plus(digit)});
  return arena.concat({arena.optional(arena.byte('-')), whole, arena.optional(fraction), arena.optional(exponent)});
}

}  // namespace weir
