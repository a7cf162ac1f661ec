// Automata as expressions against the tables they are made of.
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ir/expr_image.hpp"
#include "weir/grammar/expr.hpp"

namespace weir {
namespace {

constexpr std::string_view kLetters = "abc";
constexpr std::uint32_t kNowhere = ByteAutomaton::kNowhere;

ByteAutomaton random_automaton(std::mt19937& random, std::uint32_t states) {
  ByteAutomaton out;
  for (const char c : kLetters) out.classes.push_back(ByteSet::single(static_cast<std::uint8_t>(c)));
  for (std::uint32_t s = 0; s < states; ++s) {
    out.accepting.push_back(random() % 4 == 0);
    for (std::size_t c = 0; c < kLetters.size(); ++c)
      out.next.push_back(random() % 3 == 0 ? kNowhere : random() % states);
  }
  return out;
}

bool accepts(const ByteAutomaton& automaton, std::uint32_t state, std::string_view text) {
  for (const char c : text) {
    const std::size_t letter = kLetters.find(c);
    if (letter == std::string_view::npos) return false;
    state = automaton.next[state * kLetters.size() + letter];
    if (state == kNowhere) return false;
  }
  return automaton.accepting[state];
}

const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out{""};
    for (std::size_t begin = 0, length = 1; length <= 5; ++length) {
      for (const std::size_t end = out.size(); begin < end; ++begin) {
        for (const char c : std::string_view("abcd")) out.push_back(out[begin] + c);
      }
    }
    return out;
  }();
  return all;
}

TEST(ExprAutomatonTest, MatchesWhatTheTableAccepts) {
  std::mt19937 random(1);
  ExprArena arena;
  for (int round = 0; round < 300; ++round) {
    const auto table = random_automaton(random, 1 + random() % 6);
    const auto start = static_cast<std::uint32_t>(random() % table.accepting.size());
    const ExprId e = arena.automaton(table, start);
    bool any = false;
    for (const auto& text : texts()) {
      const bool expected = accepts(table, start, text);
      any = any || expected;
      ASSERT_EQ(arena.matches(e, text), expected) << '"' << text << '"';
      // Every state on the way is one from which an end is reached.
      ExprId at = e;
      for (const char c : text) at = arena.step(at, static_cast<std::uint8_t>(c));
      ASSERT_EQ(at == kEmptyExpr, arena.is_empty(at));
    }
    EXPECT_EQ(e != kEmptyExpr, any);  // six states: what is accepted at all is so within five letters
    arena.first_bytes(e).for_each([&](std::uint8_t b) { EXPECT_TRUE(arena.alphabet(e).contains(b)); });
  }
}

// The same states in another order, some of them twice, classes split, beside others that nothing leads to.
TEST(ExprAutomatonTest, EqualSetsHaveEqualIds) {
  std::mt19937 random(2);
  ExprArena arena;
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t states = 1 + random() % 8;
    const auto table = random_automaton(random, states);
    ByteAutomaton other;
    for (const char c : std::string_view("xcab"))
      other.classes.push_back(ByteSet::single(static_cast<std::uint8_t>(c)));
    const auto copy_of = [&](std::uint32_t s) { return s == kNowhere ? s : 2 * (states - 1 - s) + random() % 2; };
    for (std::uint32_t i = 0; i < 2 * states; ++i) {
      const std::uint32_t s = states - 1 - i / 2;
      other.accepting.push_back(table.accepting[s]);
      other.next.push_back(kNowhere);
      for (const std::size_t letter : {2, 0, 1}) other.next.push_back(copy_of(table.next[s * 3 + letter]));
    }
    EXPECT_EQ(arena.automaton(table, 0), arena.automaton(other, copy_of(0)));
  }
}

TEST(ExprAutomatonTest, ComposesWithOtherExpressions) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    ExprArena arena;
    const auto first = random_automaton(random, 5);
    const auto second = random_automaton(random, 4);
    const ExprId x = arena.automaton(first, 0);
    const ExprId y = arena.automaton(second, 1);
    const ExprId ab = arena.repeat(arena.bytes(ByteSet::range('a', 'b')), 1, 3);
    const ExprId sum = arena.alternate({x, y, ab});
    const ExprId common = arena.intersect({x, arena.complement(y)});
    const ExprId sequence = arena.concat({x, arena.byte('d'), y});
    const ExprId stars = arena.star(arena.concat(x, arena.byte('d')));
    bool any_common = false;
    for (const auto& text : texts()) {
      const bool in_x = accepts(first, 0, text);
      const bool in_y = accepts(second, 1, text);
      const bool in_ab = !text.empty() && text.size() <= 3 && text.find_first_not_of("ab") == std::string::npos;
      ASSERT_EQ(arena.matches(sum, text), in_x || in_y || in_ab) << text;
      ASSERT_EQ(arena.matches(common, text), in_x && !in_y) << text;
      any_common = any_common || (in_x && !in_y);
      const std::size_t d = text.find('d');
      const bool split =
          d != std::string::npos && accepts(first, 0, text.substr(0, d)) && accepts(second, 1, text.substr(d + 1));
      ASSERT_EQ(arena.matches(sequence, text), split) << text;
      bool all = text.empty() || text.back() == 'd';
      for (std::size_t at = 0; all && at < text.size();) {
        const std::size_t end = text.find('d', at);
        all = accepts(first, 0, text.substr(at, end - at));
        at = end + 1;
      }
      ASSERT_EQ(arena.matches(stars, text), all) << text;
    }
    if (any_common) {
      EXPECT_FALSE(arena.is_empty(common));
    }
    EXPECT_TRUE(arena.is_empty(arena.intersect({x, y, arena.complement(sum)})));
    EXPECT_FALSE(arena.exhausted());
  }
}

TEST(ExprAutomatonTest, AllBytesAndWideClasses) {
  ExprArena arena;
  ByteAutomaton parity;  // an even number of bytes, in 256 classes
  for (unsigned b = 0; b < 256; ++b) parity.classes.push_back(ByteSet::single(static_cast<std::uint8_t>(b)));
  parity.accepting = {true, false};
  parity.next.assign(256, 1);
  parity.next.resize(512, 0);
  const ExprId even = arena.automaton(parity, 0);
  EXPECT_EQ(even, arena.automaton({{ByteSet::all()}, {1, 0}, {true, false}}, 0));
  EXPECT_EQ(arena.step(arena.step(even, 0xFF), 'x'), even);
  ByteAutomaton apart = parity;  // each byte leads to a state of its own, from which it alone leads back
  apart.accepting.assign(257, false);
  apart.accepting[0] = true;
  apart.next.assign(std::size_t{257} * 256, kNowhere);
  for (std::uint32_t b = 0; b < 256; ++b) {
    apart.next[b] = b + 1;
    apart.next[(b + 1) * 256 + b] = 0;
  }
  const ExprId pairs = arena.automaton(apart, 0);
  EXPECT_TRUE(arena.matches(pairs, std::string_view("\xff\xff"
                                                    "aa\0\0",
                                                    6)));
  EXPECT_FALSE(arena.matches(pairs, "ab"));
  EXPECT_TRUE(arena.is_empty(arena.intersect({pairs, arena.complement(even)})));
}

TEST(ExprAutomatonTest, ImagesAndLimits) {
  std::mt19937 random(4);
  ExprArena from;
  ExprArena to;
  to.automaton(random_automaton(random, 9), 0);
  std::vector<ExprId> roots;
  std::vector<ByteAutomaton> tables;
  for (int i = 0; i < 5; ++i) {
    tables.push_back(random_automaton(random, 9));
    roots.push_back(from.concat(from.byte('<'), from.complement(from.automaton(tables.back(), 0))));
  }
  const auto copies = ExprImage(from, roots).put(to);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    EXPECT_EQ(copies[i], to.concat(to.byte('<'), to.complement(to.automaton(tables[i], 0))));
    EXPECT_EQ(to.dump(copies[i]), from.dump(roots[i]));
  }
  Limits limits;
  limits.max_expressions = 100;
  ExprArena small(limits);
  ByteAutomaton chain{{ByteSet::single('a')}, {}, {}};
  for (std::uint32_t i = 0; i < 200; ++i) {
    chain.next.push_back(i < 199 ? i + 1 : kNowhere);
    chain.accepting.push_back(i == 199);
  }
  EXPECT_EQ(small.automaton(chain, 0), kEmptyExpr);
  EXPECT_TRUE(small.full());
  EXPECT_EQ(to.shortest_length(to.automaton(chain, 0)), 199U);
}

}  // namespace
}  // namespace weir
