// The multiples of a decimal m * 10^p as automata over spellings that carry remainders by m.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "schema/number.hpp"

namespace weir {
namespace {

constexpr std::size_t kMaxStates = 32'768;
// Searches for a number that is also within bounds meet one in so many; they must not run out of
// Limits::max_emptiness_states.
constexpr std::uint64_t kMaxRemainders = 2048;
constexpr std::int64_t kMaxPlainDigits = 10'000;
constexpr std::size_t kMaxDigits = 17;             // of m, so that 19 times it fits into 64 bits
constexpr std::uint64_t kMaxScientific = 256;      // the largest m with scientific spellings that have a fraction
constexpr std::uint32_t kScientificFraction = 16;  // its digits, as many as the shortest spellings of doubles have
constexpr std::uint64_t kNever = ~std::uint64_t{0};

// What a number is spelled with: the ten digits, then these.
constexpr std::size_t kMinus = 10;
constexpr std::size_t kPlus = 11;
constexpr std::size_t kPoint = 12;
constexpr std::size_t kLetter = 13;
constexpr std::size_t kSymbols = 14;

// The automaton while it grows.
class Table {
 public:
  std::uint32_t add(bool accepting) {
    const auto state = static_cast<std::uint32_t>(automaton_.accepting.size());
    automaton_.accepting.push_back(accepting);
    automaton_.next.resize(automaton_.next.size() + kSymbols, ByteAutomaton::kNowhere);
    return state;
  }
  void lead(std::uint32_t from, std::size_t symbol, std::uint32_t to) {
    automaton_.next[from * kSymbols + symbol] = to;
  }
  void lead_digits(std::uint32_t from, std::size_t first, std::size_t last, std::uint32_t to) {
    for (std::size_t d = first; d <= last; ++d) lead(from, d, to);
  }
  bool full() const { return automaton_.accepting.size() > kMaxStates; }
  ExprId put(ExprArena& arena, std::uint32_t start) {
    for (std::uint8_t d = '0'; d <= '9'; ++d) automaton_.classes.push_back(ByteSet::single(d));
    for (const char c : {'-', '+', '.', 'e'}) {
      automaton_.classes.push_back(ByteSet::single(static_cast<std::uint8_t>(c)));
    }
    automaton_.classes.back().insert('E');
    return arena.automaton(automaton_, start);
  }

 private:
  ByteAutomaton automaton_;
};

// m * 10^power, m without zeros at its end.
struct Divisor {
  std::uint64_t m = 1;
  std::int64_t power = 0;

  // nullopt: m has more than kMaxDigits.
  static std::optional<Divisor> of(const Decimal& decimal) {
    if (decimal.digits.size() > kMaxDigits) return std::nullopt;
    Divisor out;
    std::from_chars(decimal.digits.data(), decimal.digits.data() + decimal.digits.size(), out.m);
    out.power = decimal.exponent - static_cast<std::int64_t>(decimal.digits.size());
    return out;
  }
  // How many zeros make a multiple of m of a number with this remainder; kNever: none do.
  std::uint64_t zeros_needed(std::uint64_t remainder) const {
    // Each zero takes a factor 2 and a factor 5 off, of which m has less than 60.
    for (std::uint64_t zeros = 0; zeros < 60; ++zeros) {
      if (remainder == 0) return zeros;
      remainder = remainder * 10 % m;
    }
    return kNever;
  }
  std::uint32_t fraction_digits() const { return m <= kMaxScientific ? kScientificFraction : 0; }
};

// Plain spellings, without the sign: n digits after the point count, with n = -power or 0.
//
// Before the point, numbers W are told apart by what makes multiples of them: that x, of k + n digits, for which
// W * 10^(k+n) + x is a multiple of m. As long as 10^(k+n) < m there is at most one; all others depend on one
// remainder. For m that is prime to 10, these states are the remainders; of a power of 2 or 5 they are fewer.
class Plain {
 public:
  explicit Plain(const Divisor& divisor)
      : m_(divisor.m),
        divisor_(divisor),
        digits_(static_cast<std::size_t>(std::max<std::int64_t>(-divisor.power, 0))),
        zeros_(static_cast<std::uint64_t>(std::max<std::int64_t>(divisor.power, 0))) {
    powers_.push_back(1 % m_);
    while (powers_.size() <= digits_) powers_.push_back(powers_.back() * 10 % m_);
  }

  // nullopt: too many states.
  std::optional<ExprId> build(ExprArena& arena) {
    if (least_states() > kMaxRemainders) return std::nullopt;
    const std::uint32_t start = table_.add(false);
    const std::uint32_t zero = table_.add(true);
    table_.lead(start, 0, zero);
    table_.lead(zero, kPoint, fraction(0, 0));
    for (std::uint64_t d = 1; d <= 9; ++d) table_.lead(start, d, whole(append(0, d), zeros_after(append(0, d))));
    for (std::size_t i = 0; i < wholes_.size() && !table_.full(); ++i) {
      const Whole w = wholes_[i];
      for (std::uint64_t d = 0; d <= 9; ++d) {
        const std::uint64_t u = append(w.remainder, d);
        const std::uint64_t zeros = d != 0 ? zeros_after(u) : w.zeros == 0 || w.zeros == kNever ? w.zeros : w.zeros - 1;
        table_.lead(w.state, d, whole(u, zeros));
      }
      if (zeros_ == 0 || w.zeros == 0) table_.lead(w.state, kPoint, fraction(0, w.remainder));
    }
    for (std::size_t i = 0; i < fractions_.size() && !table_.full(); ++i) {
      const Fraction f = fractions_[i];
      if (f.position >= digits_) {
        table_.lead(f.state, 0, fraction(digits_ + 1, 0));
        continue;
      }
      for (std::uint64_t d = 0; d <= 9; ++d) {
        const std::uint64_t u = (f.remainder + d * powers_[digits_ - f.position - 1]) % m_;
        table_.lead(f.state, d, fraction(f.position + 1, u));
      }
    }
    if (table_.full()) return std::nullopt;
    return table_.put(arena, start);
  }

 private:
  struct Whole {
    std::uint32_t state;
    std::uint64_t remainder;  // of W * 10^n
    std::uint64_t zeros;      // that have to follow, when the divisor ends in zeros
  };
  struct Fraction {
    std::uint32_t state;
    std::size_t position;     // digits read
    std::uint64_t remainder;  // with zeros for the digits that were not read
  };

  std::uint64_t append(std::uint64_t remainder, std::uint64_t digit) const {
    return (remainder * 10 + digit * powers_[digits_]) % m_;
  }
  std::uint64_t zeros_after(std::uint64_t remainder) const {
    if (zeros_ == 0) return 0;
    const std::uint64_t needed = divisor_.zeros_needed(remainder);
    return needed == kNever ? kNever : needed + zeros_;
  }
  // The remainders of W * 10^(all digits for which m makes a difference).
  std::uint64_t least_states() const {
    std::uint64_t left = m_;
    std::size_t digits = 0;
    for (std::uint64_t power = 1; power < m_; power *= 10) ++digits;
    digits = std::max(digits, digits_);
    for (const std::uint64_t prime : {2, 5}) {
      for (std::size_t i = 0; i < digits && left % prime == 0; ++i) left /= prime;
    }
    return left;
  }

  std::uint32_t whole(std::uint64_t remainder, std::uint64_t zeros) {
    std::vector<std::uint64_t> key{zeros};
    std::uint64_t power = 1;
    for (std::size_t i = 0; i < digits_ && power < m_; ++i) power *= 10;
    std::uint64_t u = remainder;
    for (; power < m_; power *= 10) {
      const std::uint64_t missing = (m_ - u) % m_;
      key.push_back(missing < power ? missing : kNever);
      u = u * 10 % m_;
    }
    key.push_back(u);
    const auto [it, fresh] = known_wholes_.try_emplace(std::move(key), 0);
    if (fresh) {
      it->second = table_.add(zeros_ == 0 ? remainder == 0 : zeros == 0);
      wholes_.push_back({it->second, remainder, zeros});
    }
    return it->second;
  }

  std::uint32_t fraction(std::size_t position, std::uint64_t remainder) {
    // Can the digits that are left make a multiple of it?
    std::uint64_t power = 1;
    for (std::size_t left = digits_ - std::min(position, digits_); left > 0 && power < m_; --left) power *= 10;
    if ((m_ - remainder) % m_ >= power) return ByteAutomaton::kNowhere;
    const auto [it, fresh] = known_fractions_.try_emplace({position, remainder}, 0);
    if (fresh) {
      it->second = table_.add(position > 0 && remainder == 0);
      fractions_.push_back({it->second, position, remainder});
    }
    return it->second;
  }

  std::uint64_t m_;
  Divisor divisor_;
  std::size_t digits_;                 // n
  std::uint64_t zeros_;                // at the end of the divisor
  std::vector<std::uint64_t> powers_;  // of 10, by m
  Table table_;
  std::vector<Whole> wholes_;
  std::vector<Fraction> fractions_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> known_wholes_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::uint32_t> known_fractions_;
};

// Scientific spellings other than of zero, without the sign: the digits decide how large the exponent has to be. Zeros
// at the end of the fraction do not matter to that.
class Scientific {
 public:
  explicit Scientific(const Divisor& divisor) : divisor_(divisor) {}

  ExprId build(ExprArena& arena) {
    const std::uint32_t start = table_.add(false);
    for (std::uint64_t d = 1; d <= 9; ++d)
      table_.lead(start, d, mantissa(0, d % divisor_.m, needed(0, d % divisor_.m)));
    for (std::size_t i = 0; i < mantissas_.size(); ++i) {
      const Mantissa at = mantissas_[i];
      if (at.least != kNever) {
        table_.lead(at.state, kLetter, exponent(divisor_.power + static_cast<std::int64_t>(at.least)));
      }
      if (at.position == divisor_.fraction_digits()) continue;
      std::uint32_t from = at.state;
      if (at.position == 0) {
        from = table_.add(false);
        table_.lead(at.state, kPoint, from);
      }
      for (std::uint64_t d = 0; d <= 9; ++d) {
        const std::uint64_t remainder = (at.remainder * 10 + d) % divisor_.m;
        table_.lead(from, d,
                    mantissa(at.position + 1, remainder, d == 0 ? at.least : needed(at.position + 1, remainder)));
      }
    }
    return table_.put(arena, start);
  }

 private:
  struct Mantissa {
    std::uint32_t state;
    std::uint32_t position;   // digits after the point
    std::uint64_t remainder;  // of the digits as a whole number
    std::uint64_t least;      // exponent that makes a multiple of m; kNever: none does
  };

  std::uint64_t needed(std::uint32_t position, std::uint64_t remainder) const {
    const std::uint64_t zeros = divisor_.zeros_needed(remainder);
    return zeros == kNever ? kNever : zeros + position;
  }
  std::uint32_t mantissa(std::uint32_t position, std::uint64_t remainder, std::uint64_t least) {
    const auto [it, fresh] = known_mantissas_.try_emplace({position, remainder, least}, 0);
    if (fresh) {
      it->second = table_.add(false);
      mantissas_.push_back({it->second, position, remainder, least});
    }
    return it->second;
  }

  // What follows the letter: an exponent of at least `least`.
  std::uint32_t exponent(std::int64_t least) {
    const auto [it, fresh] = known_exponents_.try_emplace(least, 0);
    if (!fresh) return it->second;
    const auto positive = [&] { return digits(std::max<std::int64_t>(least, 0), true); };
    it->second = positive();
    table_.lead(it->second, kPlus, positive());
    if (least <= 0) table_.lead(it->second, kMinus, digits(-least, false));
    return it->second;
  }

  // Digits of at least, or at most, `bound`, with any number of leading zeros.
  std::uint32_t digits(std::int64_t bound, bool at_least) {
    const std::string text = bound == 0 ? "" : std::to_string(bound);
    const std::size_t length = text.size();
    const std::uint32_t start = table_.add(false);
    const std::uint32_t zeros = table_.add(!at_least || bound == 0);
    table_.lead(start, 0, zeros);
    table_.lead(zeros, 0, zeros);
    std::uint32_t longer = ByteAutomaton::kNowhere;
    if (at_least) {
      longer = table_.add(true);
      table_.lead_digits(longer, 0, 9, longer);
    }
    // After so many digits: below, equal to, or above the digits of the bound.
    std::array<std::uint32_t, 3> from{start, zeros, start};
    for (std::size_t at = 0; at <= length; ++at) {
      std::array<std::uint32_t, 3> to{longer, longer, longer};
      for (std::size_t order = 0; order < 3 && at < length; ++order) {
        const bool last = at + 1 == length;
        to[order] = table_.add(at_least ? last && order >= 1 : !last || order <= 1);
      }
      for (std::size_t order = 0; order < 3; ++order) {
        for (std::size_t d = at == 0 ? 1 : 0; d <= 9; ++d) {
          // At first, both states stand for no digit at all.
          std::size_t next = at == 0 ? 1 : order;
          if (next == 1 && at < length) {
            const auto digit = static_cast<std::size_t>(text[at] - '0');
            next = d < digit ? 0 : d == digit ? 1 : 2;
          }
          table_.lead(from[order], d, to[next]);
        }
      }
      from = to;
    }
    return start;
  }

  Divisor divisor_;
  Table table_;
  std::vector<Mantissa> mantissas_;
  std::map<std::array<std::uint64_t, 3>, std::uint32_t> known_mantissas_;
  std::map<std::int64_t, std::uint32_t> known_exponents_;
};

Error too_large(const Decimal& divisor) {
  std::string text = divisor.to_string();
  if (text.size() > 40) text = text.substr(0, 40) + "...";
  return make_error(
      ErrorCode::kLimit,
      fmt::format("the multiples of {} need too large an automaton, for its digits leave more than {} remainders; "
                  "take a divisor with "
                  "fewer significant digits, or bounds between which there are at most {} multiples",
                  text, kMaxRemainders, kMaxListedMultiples));
}

// A digit, at most so many more after a point, and any exponent.
ExprId scientific(ExprArena& arena, const ByteSet& first, const ByteSet& more, std::uint32_t most) {
  const ExprId digit = arena.bytes(ByteSet::range('0', '9'));
  ByteSet letter = ByteSet::single('e');
  letter.insert('E');
  ByteSet sign = ByteSet::single('+');
  sign.insert('-');
  ExprId fraction = kEpsilonExpr;
  if (most > 0) fraction = arena.optional(arena.concat(arena.byte('.'), arena.repeat(arena.bytes(more), 1, most)));
  return arena.concat(
      {arena.bytes(first), fraction, arena.bytes(letter), arena.optional(arena.bytes(sign)), arena.plus(digit)});
}

ExprId scientific_zero(ExprArena& arena) {
  return scientific(arena, ByteSet::single('0'), ByteSet::single('0'), kUnbounded);
}

ExprId with_sign(ExprArena& arena, std::initializer_list<ExprId> parts) {
  return arena.concat(arena.optional(arena.byte('-')), arena.alternate(parts));
}

}  // namespace

Result<ExprId> number_multiple_of(ExprArena& arena, const Decimal& divisor) {
  if (divisor.negative || divisor.digits.empty()) {
    return make_error(ErrorCode::kArgument, "only multiples of positive numbers can be told");
  }
  const std::string name = fmt::format("multiples {}e{}", divisor.digits, divisor.exponent);
  if (const auto known = arena.find_named(name)) return *known;
  const auto parts = Divisor::of(divisor);
  if (!parts || std::abs(parts->power) > kMaxPlainDigits) return too_large(divisor);
  const auto plain = Plain(*parts).build(arena);
  if (!plain) return too_large(divisor);
  const ExprId e = with_sign(arena, {*plain, Scientific(*parts).build(arena), scientific_zero(arena)});
  arena.remember(name, e);
  return e;
}

ExprId multiple_family(ExprArena& arena, const Decimal& divisor) {
  const auto parts = Divisor::of(divisor);
  const ByteSet digits = ByteSet::range('0', '9');
  const ByteSet first = ByteSet::range('1', '9');
  const ExprId digit = arena.bytes(digits);
  const ExprId whole = arena.alternate({arena.byte('0'), arena.concat(arena.bytes(first), arena.star(digit))});
  const ExprId plain = arena.concat(whole, arena.optional(arena.concat(arena.byte('.'), arena.plus(digit))));
  return with_sign(
      arena, {plain, scientific(arena, first, digits, parts ? parts->fraction_digits() : 0), scientific_zero(arena)});
}

}  // namespace weir
