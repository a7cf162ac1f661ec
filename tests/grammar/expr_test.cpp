// Expressions against languages written out as sets of texts, and images of expressions in other arenas.
#include "weir/grammar/expr.hpp"

#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ir/expr_image.hpp"
#include "schema/formats.hpp"
#include "schema/number.hpp"
#include "weir/grammar/detail/common.hpp"

namespace weir {
namespace {

using Language = std::set<std::string>;

struct Sample {
  ExprId expr = kEmptyExpr;
  Language texts;
};

// Random expressions of finite languages, each beside its language.
class Sampler {
 public:
  Sampler(ExprArena& arena, unsigned seed) : arena_(arena), random_(seed) {}

  Sample make(unsigned depth) {
    const unsigned kind = depth == 0 ? random_() % 2 : random_() % 7;
    switch (kind) {
      case 0: return letter();
      case 1: return listed();
      case 2: return combine(make(depth - 1), make(depth - 1), Op::kConcat);
      case 3: return combine(make(depth - 1), make(depth - 1), Op::kUnion);
      case 4: return combine(make(depth - 1), make(depth - 1), Op::kBoth);
      case 5: return combine(make(depth - 1), make(depth - 1), Op::kWithout);
      default: return repeated(make(depth - 1));
    }
  }

 private:
  enum class Op { kConcat, kUnion, kBoth, kWithout };
  static constexpr std::size_t kMost = 400;

  Sample letter() {
    const char c = static_cast<char>('a' + random_() % 3);
    return {arena_.byte(static_cast<std::uint8_t>(c)), {std::string(1, c)}};
  }
  Sample listed() {
    Sample out;
    for (unsigned i = random_() % 5; i > 0; --i) {
      std::string text;
      for (unsigned k = random_() % 4; k > 0; --k) text += static_cast<char>('a' + random_() % 3);
      out.texts.insert(text);
    }
    out.expr = arena_.literals(std::vector<std::string>(out.texts.rbegin(), out.texts.rend()));
    return out;
  }
  Sample combine(const Sample& a, const Sample& b, Op op) {
    Sample out;
    switch (op) {
      case Op::kConcat:
        if (a.texts.size() * b.texts.size() > kMost) return a;
        out.expr = arena_.concat(a.expr, b.expr);
        for (const auto& x : a.texts) {
          for (const auto& y : b.texts) out.texts.insert(x + y);
        }
        break;
      case Op::kUnion:
        out.expr = arena_.alternate({a.expr, b.expr});
        out.texts = a.texts;
        out.texts.insert(b.texts.begin(), b.texts.end());
        break;
      case Op::kBoth:
        out.expr = arena_.intersect({a.expr, b.expr});
        for (const auto& x : a.texts) {
          if (b.texts.contains(x)) out.texts.insert(x);
        }
        break;
      case Op::kWithout:
        out.expr = arena_.intersect({a.expr, arena_.complement(b.expr)});
        for (const auto& x : a.texts) {
          if (!b.texts.contains(x)) out.texts.insert(x);
        }
        break;
    }
    return out;
  }
  Sample repeated(const Sample& a) {
    if (a.texts.size() * a.texts.size() > kMost) return a;
    Sample out{arena_.repeat(a.expr, 0, 2), a.texts};
    for (const auto& x : a.texts) {
      for (const auto& y : a.texts) out.texts.insert(x + y);
    }
    out.texts.insert("");
    return out;
  }

  ExprArena& arena_;
  std::mt19937 random_;
};

TEST(ExprTest, AgreesWithWrittenOutLanguages) {
  Language all{""};
  for (std::size_t length = 0; length < 4; ++length) {
    Language longer = all;
    for (const auto& text : all) {
      for (const char c : {'a', 'b', 'c'}) longer.insert(text + c);
    }
    all = longer;
  }
  std::size_t empty = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    ExprArena arena;
    const Sample sample = Sampler(arena, seed).make(4);
    SCOPED_TRACE(seed);
    ASSERT_EQ(arena.is_empty(sample.expr), sample.texts.empty());
    empty += sample.texts.empty() ? 1 : 0;
    for (const auto& text : all) ASSERT_EQ(arena.matches(sample.expr, text), sample.texts.contains(text)) << text;
    for (const auto& text : sample.texts) ASSERT_TRUE(arena.matches(sample.expr, text)) << text;
    ByteSet first;
    for (const auto& text : sample.texts) {
      if (!text.empty()) first.insert(static_cast<std::uint8_t>(text.front()));
    }
    ASSERT_EQ(arena.first_bytes(sample.expr), first);
    ASSERT_FALSE(arena.exhausted());
  }
  EXPECT_GT(empty, 100U);  // both answers were asked for
}

TEST(ExprTest, LiteralsMatchTheirTextsOnly) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::set<std::string> texts;
    for (unsigned i = 0; i < 1 + random() % 60; ++i) {
      std::string text;
      for (unsigned k = random() % 6; k > 0; --k) text += "abé"[random() % 4];  // a, b, and either byte of é
      texts.insert(text);
    }
    ExprArena arena;
    const std::vector<std::string_view> shuffled(texts.rbegin(), texts.rend());
    const ExprId e = arena.literals(shuffled);
    EXPECT_EQ(e, arena.literals(std::vector<std::string>(texts.begin(), texts.end())));
    for (const auto& text : texts) {
      EXPECT_TRUE(arena.matches(e, text));
      for (const char c : {'a', 'b', '\xC3', '\xA9'}) EXPECT_EQ(arena.matches(e, text + c), texts.contains(text + c));
      if (!text.empty()) {
        const std::string shorter = text.substr(0, text.size() - 1);
        EXPECT_EQ(arena.matches(e, shorter), texts.contains(shorter));
      }
    }
  }
}

// A match that is far away in a broad automaton, and one that is near beside a deep one: both are found.
TEST(ExprTest, EmptinessSearchIsNeitherDeepNorBroadOnly) {
  ExprArena arena;
  ByteSet ab = ByteSet::single('a');
  ab.insert('b');
  const ExprId letter = arena.bytes(ab);
  // Whether the 17th letter from the end is an a takes 2^17 states to know, and the first match has 17 letters.
  const ExprId broad = arena.concat({arena.star(letter), arena.byte('a'), arena.repeat(letter, 16, 16)});
  const ExprId far = arena.intersect({broad, arena.complement(arena.literal("a" + std::string(16, 'b')))});
  EXPECT_FALSE(arena.is_empty(far));
  EXPECT_FALSE(arena.exhausted());

  const ExprId other = arena.concat({arena.star(letter), arena.byte('b'), arena.repeat(letter, 16, 16)});
  for (const char before : {'A', 'z'}) {  // bytes on either side of those of the match
    const ExprId b = arena.byte(static_cast<std::uint8_t>(before));
    const ExprId near = arena.intersect({arena.alternate({arena.concat(b, broad), arena.literal("klmnop")}),
                                         arena.alternate({arena.concat(b, other), arena.literal("klmnop")})});
    EXPECT_FALSE(arena.is_empty(near));
  }
  EXPECT_FALSE(arena.exhausted());

  Limits limits;
  limits.max_emptiness_states = 1000;
  ExprArena small(limits);
  const ExprId l = small.bytes(ab);
  const auto fixed = [&](char c) {
    return small.concat({small.star(l), small.byte(static_cast<std::uint8_t>(c)), small.repeat(l, 16, 16)});
  };
  const ExprId none = small.intersect({fixed('a'), fixed('b')});
  EXPECT_FALSE(small.proves_empty(none, 1000));  // it is empty, which is too much to show
  EXPECT_FALSE(small.exhausted());
  EXPECT_FALSE(small.is_empty(none));
  EXPECT_TRUE(small.exhausted());
}

const std::vector<std::string> kFormats = {"date", "time",      "date-time",    "email",        "hostname",
                                           "ipv4", "ipv6",      "uuid",         "uri",          "duration",
                                           "iri",  "idn-email", "uri-template", "json-pointer", "uri-reference"};

TEST(ExprImageTest, MeansTheSameInEveryArena) {
  ExprArena one;
  ExprArena other;
  // The other arena has built parts of it before, so that the ids come in another order.
  other.any_text();
  static_cast<void>(number_expression(other, {}));
  for (auto it = kFormats.rbegin(); it != kFormats.rend(); ++it) format_expression(other, *it);
  for (const auto& name : kFormats) {
    SCOPED_TRACE(name);
    const ExprId a = format_expression(one, name).expression;
    const ExprId b = format_expression(other, name).expression;
    EXPECT_EQ(format_expression(one, name).expression, a);
    EXPECT_FALSE(one.is_empty(a));
    EXPECT_EQ(one.lengths(a).known, other.lengths(b).known);
    // The automata side by side, as far as 2000 states of them.
    std::vector<std::pair<ExprId, ExprId>> pairs{{a, b}};
    std::set<std::pair<ExprId, ExprId>> seen{{a, b}};
    for (std::size_t i = 0; i < pairs.size() && i < 2000; ++i) {
      const auto [x, y] = pairs[i];
      ASSERT_EQ(one.nullable(x), other.nullable(y));
      ASSERT_EQ(one.first_bytes(x), other.first_bytes(y));
      one.first_bytes(x).for_each([&](std::uint8_t byte) {
        const std::pair next{one.step(x, byte), other.step(y, byte)};
        if (seen.insert(next).second) pairs.push_back(next);
      });
    }
  }
}

TEST(ExprImageTest, EqualsWhatIsBuiltInPlace) {
  ExprArena from;
  from.any_text();
  const auto build = [](ExprArena& arena) {
    const ExprId word = arena.repeat(arena.bytes(ByteSet::range('a', 'z')), 1, 5);
    const ExprId no = arena.complement(arena.literals(std::vector<std::string>{"if", "else", "elif"}));
    return arena.concat({arena.optional(arena.byte('-')), arena.intersect({word, no}),
                         arena.alternate({arena.literal("!"), arena.concat(arena.byte('?'), arena.any_text())})});
  };
  const std::vector<ExprId> roots{build(from), kEpsilonExpr, kEmptyExpr};
  const ExprImage image(from, roots);
  ExprArena to;
  detail::install_common_expressions(to);
  const std::vector<ExprId> copied = image.put(to);
  const std::size_t size = to.size();
  EXPECT_EQ(copied, (std::vector<ExprId>{build(to), kEpsilonExpr, kEmptyExpr}));
  EXPECT_EQ(to.dump(copied[0]), from.dump(roots[0]));
  EXPECT_LE(to.size() - size, 12U);  // but for what lies between, such as the parts that an alternative merges
}

TEST(ExprImageTest, FullArenaSaysSo) {
  Limits limits;
  limits.max_expressions = 100;
  ExprArena arena(limits);
  EXPECT_EQ(format_expression(arena, "date-time").expression, kEmptyExpr);
  EXPECT_TRUE(arena.full());
}

}  // namespace
}  // namespace weir
