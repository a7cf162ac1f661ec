// The three invariants of the matcher, on grammars built by hand and at random: masks equal the plain loop over the
// vocabulary bit by bit, accepted texts are members of the language, and no state is a dead end.
#include "weir/automata/matcher.hpp"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "reference/json_vocabulary.hpp"
#include "reference/table_source.hpp"
#include "weir/automata/mask.hpp"

namespace weir {
namespace {

using testing::json_notation;
using testing::json_vocabulary;
using testing::TableSource;
using testing::vocabulary_of;

std::string show(const Vocabulary& v, TokenId t) { return ::testing::PrintToString(std::string(v.token(t))); }

// Invariants 2 and 3 along random walks; every state seen is compared bit by bit.
void check_walks(const CompiledGrammar& grammar, std::uint32_t seed, int walks, int steps) {
  const Vocabulary& vocabulary = grammar.vocabulary();
  std::mt19937 random(seed);
  std::vector<std::uint32_t> fast(vocabulary.mask_words());
  std::vector<std::uint32_t> plain(vocabulary.mask_words());
  Matcher matcher(grammar);
  std::set<StateId> compared;
  for (int walk = 0; walk < walks; ++walk) {
    matcher.reset();
    std::string text;
    for (int step = 0; step < steps; ++step) {
      matcher.fill_mask(fast);
      if (compared.insert(matcher.state()).second) {
        matcher.fill_mask_plain(plain);
        for (TokenId t = 0; t < vocabulary.size(); ++t) {
          const bool in_fast = ((fast[t >> 5U] >> (t & 31U)) & 1U) != 0;
          const bool in_plain = ((plain[t >> 5U] >> (t & 31U)) & 1U) != 0;
          ASSERT_EQ(in_fast, in_plain) << "token " << t << " " << show(vocabulary, t) << " after "
                                       << ::testing::PrintToString(text);
        }
      }
      std::vector<TokenId> allowed;
      for (TokenId t = 0; t < vocabulary.size(); ++t) {
        if (((fast[t >> 5U] >> (t & 31U)) & 1U) != 0) allowed.push_back(t);
      }
      ASSERT_FALSE(allowed.empty()) << "dead end after " << ::testing::PrintToString(text);
      const TokenId chosen = allowed[random() % allowed.size()];
      ASSERT_TRUE(matcher.accept(chosen)) << show(vocabulary, chosen);
      text += vocabulary.token(chosen);
      if (matcher.is_terminated()) break;
    }
  }
  ASSERT_FALSE(matcher.error()) << matcher.error()->to_string();
}

CompiledGrammar compile(Compiler& compiler, Grammar grammar) { return compiler.compile(std::move(grammar)).value(); }

TEST(Matcher, WalksALiteral) {
  Compiler compiler(vocabulary_of({"t", "e", "s", "t", "te", "st", "esst", "tes", "test\n", "test"}));
  const auto grammar = compile(compiler, Grammar::from_expression(compiler.arena(), compiler.arena()->literal("test")));
  Matcher matcher(grammar);
  const auto allowed = [&] {
    std::vector<std::uint32_t> mask(grammar.vocabulary().mask_words());
    matcher.fill_mask(mask);
    std::vector<TokenId> out;
    for (TokenId t = 0; t < grammar.vocabulary().size(); ++t) {
      if (((mask[t >> 5U] >> (t & 31U)) & 1U) != 0) out.push_back(t);
    }
    return out;
  };
  EXPECT_EQ(allowed(), (std::vector<TokenId>{0, 3, 4, 7, 9}));
  ASSERT_TRUE(matcher.accept(4));
  EXPECT_EQ(allowed(), (std::vector<TokenId>{2, 5}));
  EXPECT_FALSE(matcher.accept(0));
  ASSERT_TRUE(matcher.accept(2));
  EXPECT_EQ(matcher.forced_bytes(), "t");
  Matcher fork = matcher.fork();
  ASSERT_TRUE(fork.accept(3));
  EXPECT_TRUE(fork.is_accepting());
  EXPECT_FALSE(matcher.is_accepting());
  EXPECT_EQ(fork.validate(std::vector<TokenId>{10, 10}), 1U);
  ASSERT_TRUE(fork.accept(10));
  EXPECT_TRUE(fork.is_terminated());
  EXPECT_FALSE(fork.accept(10));
  fork.rollback(1);
  EXPECT_FALSE(fork.is_terminated());
  EXPECT_TRUE(fork.is_accepting());
  matcher.rollback(2);
  EXPECT_EQ(allowed(), (std::vector<TokenId>{0, 3, 4, 7, 9}));
}

// Random expressions over {a, b}, all tokens up to length 3, every state to depth 5, against a direct membership test.
TEST(Matcher, RandomExpressionsExhaustively) {
  std::mt19937 random(7);
  std::vector<std::string> words{""};
  for (std::size_t i = 0; words[i].size() < 7; ++i) {
    for (const char c : {'a', 'b'}) words.push_back(words[i] + c);
  }
  for (int round = 0; round < 150; ++round) {
    std::vector<std::string> tokens{"a", "b"};
    for (const std::string& w : words) {
      if (w.size() >= 2 && w.size() <= 3 && random() % 2 == 0) tokens.push_back(w);
    }
    Compiler compiler(vocabulary_of(tokens));
    ExprArena& arena = *compiler.arena();
    std::vector<ExprId> pool{arena.literal("a"), arena.literal("b"), arena.literal("ab"), arena.epsilon()};
    for (int i = 0; i < 8; ++i) {
      const ExprId x = pool[random() % pool.size()];
      const ExprId y = pool[random() % pool.size()];
      switch (random() % 6) {
        case 0: pool.push_back(arena.concat(x, y)); break;
        case 1: pool.push_back(arena.alternate({x, y})); break;
        case 2: pool.push_back(arena.repeat(x, random() % 3, 2 + random() % 2)); break;
        case 3: pool.push_back(arena.star(x)); break;
        case 4: pool.push_back(arena.intersect({x, arena.star(arena.alternate({arena.literal("a"), y}))})); break;
        default:
          pool.push_back(arena.intersect({arena.complement(x), arena.star(arena.bytes(ByteSet::range('a', 'b')))}));
      }
    }
    const ExprId e = pool.back();
    if (arena.is_empty(e)) continue;
    const auto grammar = compile(compiler, Grammar::from_expression(compiler.arena(), e));
    // Alive prefixes by brute force: those of the words in the language. A word of length 7 may stand for longer ones,
    // so only prefixes shorter than what the words can show are judged.
    check_walks(grammar, static_cast<std::uint32_t>(round), 10, 6);
    for (const std::string& w : words) {
      Matcher matcher(grammar);
      const bool viable = matcher.accept_bytes(w);
      EXPECT_EQ(viable && matcher.is_accepting(), arena.matches(e, w)) << arena.dump(e) << " on " << w;
    }
  }
}

ValueId any_json(TableSource& source, ExprArena& arena) {
  const ValueId any = source.value_of({});
  ValueInfo info;
  const ExprId digits = arena.plus(arena.bytes(ByteSet::range('0', '9')));
  info.scalar = arena.alternate({arena.literal("true"), arena.literal("false"), arena.literal("null"),
                                 arena.concat({arena.optional(arena.literal("-")), digits,
                                               arena.optional(arena.concat(arena.literal("."), digits))})});
  info.texts.push_back({arena.any_text(), 0});
  info.records.push_back(source.record_of({{}, {}, any}));
  ListInfo list;
  list.rest = any;
  info.lists.push_back(source.list_of(list));
  source.set_value(any, info);
  return any;
}

class Structures : public ::testing::TestWithParam<bool> {};

TEST_P(Structures, AnyJsonBitByBit) {
  Compiler compiler(json_vocabulary(1));
  auto source = std::make_shared<TableSource>(*compiler.arena(), json_notation(GetParam()));
  const ValueId any = any_json(*source, *compiler.arena());
  const auto grammar = compile(compiler, Grammar::from_value(compiler.arena(), source, any, {}));
  check_walks(grammar, 3, 40, 12);
  const auto accepts = [&](std::string_view text) {
    Matcher matcher(grammar);
    return matcher.accept_bytes(text) && matcher.is_accepting();
  };
  EXPECT_TRUE(accepts(R"({"a": [1, 2.5, "x\u00e9\ud83d\ude00"], "b": {}})"));
  EXPECT_EQ(accepts("{\"a\":[1,2]}\n"), GetParam());
  EXPECT_FALSE(accepts(R"({"a": [1, 2})"));
  EXPECT_FALSE(accepts(R"("\ud83d")"));
  EXPECT_FALSE(accepts("\"\xC3\""));
  EXPECT_FALSE(accepts("\"\n\""));
}

TEST_P(Structures, ListedKeysCountsAndPatternsBitByBit) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    Compiler compiler(json_vocabulary(seed));
    ExprArena& arena = *compiler.arena();
    auto source = std::make_shared<TableSource>(arena, json_notation(GetParam()));
    const ValueId any = any_json(*source, arena);
    ValueInfo text;
    text.texts.push_back({arena.any_text(), source->counter_of(seed % 3, 2 + seed % 4)});
    const ValueId counted = source->value_of(text);
    ValueInfo pattern;
    const ExprId e_acute =
        arena.code_points(CodePointSet::of(std::vector<CodePointRange>{{0xE9, 0xE9}, {0x1F600, 0x1F603}, {'a', 'c'}}));
    pattern.texts.push_back({arena.repeat(e_acute, 1, 3), 0});
    const ValueId matched = source->value_of(pattern);
    ListInfo list;
    list.prefix = {counted, matched};
    list.rest = seed % 2 == 0 ? any : kNoValue;
    list.min_items = seed % 3;
    list.max_items = list.rest == kNoValue ? 2 : 2 + seed % 3;
    ValueInfo lists;
    lists.lists.push_back(source->list_of(list));
    const ValueId listed = source->value_of(lists);
    ValueInfo records;
    records.records.push_back(source->record_of({{"name", "na", "key", "ab", "é", "a\"b"},
                                                 {counted, matched, listed, any, matched, any},
                                                 seed % 2 == 0 ? any : kNoValue}));
    records.records.push_back(source->record_of({{"abc"}, {listed}, kNoValue}));
    const ValueId root = source->value_of(records);
    const auto grammar = compile(compiler, Grammar::from_value(compiler.arena(), source, root, {}));
    check_walks(grammar, seed, 60, 14);
  }
}

// One grammar that outgrows a budget is refused; the compiler goes on, and so do the matchers of other grammars.
TEST(Matcher, OneGreedyGrammarDoesNotHarmOthers) {
  Limits limits;
  limits.max_expressions = 4'000;
  Compiler compiler(json_vocabulary(3), limits);
  const auto good = compiler.compile_json_schema(R"({"type": "integer"})");
  ASSERT_TRUE(good);
  Matcher before(*good);
  RegexOptions options;
  options.limits = limits;
  const auto greedy =
      compiler.compile_regex("([a-z]{3}|[0-9x]{2}y{40}){30}(a|b|cd){500}(e{100}f{100}g{100}){9}[a-f]{900}", options);
  EXPECT_TRUE(greedy || greedy.error().code == ErrorCode::kLimit);
  const auto after = compiler.compile_json_schema(R"({"type": "string", "maxLength": 3})");
  ASSERT_TRUE(after) << after.error().to_string();
  Matcher matcher(*after);
  EXPECT_TRUE(matcher.accept_bytes("\"abc\""));
  EXPECT_TRUE(matcher.is_accepting());
  EXPECT_FALSE(matcher.error());
}

// A state that outgrows max_sequence_bytes is an error of that sequence alone.
TEST(Matcher, SequenceBudget) {
  Limits limits;
  limits.max_sequence_bytes = 20'000;
  Compiler compiler(json_vocabulary(3), limits);
  const auto grammar = compiler.compile_json_schema("true");
  ASSERT_TRUE(grammar);
  Matcher matcher(*grammar);
  int depth = 0;
  while (depth < 100'000 && matcher.accept_bytes("[")) ++depth;
  EXPECT_LT(depth, 100'000);
  ASSERT_TRUE(matcher.error());
  EXPECT_EQ(matcher.error()->code, ErrorCode::kLimit);
  Matcher other(*grammar);
  EXPECT_TRUE(other.accept_bytes("[1]"));
}

// Whether some number is left takes a longer search than the limit allows: an error, not a guess. Others go on.
TEST(Matcher, EmptinessBudget) {
  Limits limits;
  limits.max_emptiness_states = 2'000;
  Compiler compiler(json_vocabulary(3), limits);
  const auto grammar = compiler.compile_json_schema(
      R"({"type": "integer", "multipleOf": 13, "exclusiveMinimum": 100, "exclusiveMaximum": 1000, "not": {"anyOf":
          [{"const": 169}, {"multipleOf": 2}, {"multipleOf": 3}, {"multipleOf": 5}, {"multipleOf": 7}, {"multipleOf": 11}]}})");
  ASSERT_TRUE(grammar) << grammar.error().to_string();
  Matcher hard(*grammar);
  std::vector<std::uint32_t> mask(compiler.vocabulary()->mask_words());
  hard.fill_mask(mask);
  ASSERT_TRUE(hard.error());
  EXPECT_EQ(hard.error()->code, ErrorCode::kLimit);
  EXPECT_NE(hard.error()->message.find("max_emptiness_states"), std::string::npos);
  EXPECT_EQ(count_bits(mask), 0U);
  const auto other = compiler.compile_json_schema(R"({"type": "integer", "multipleOf": 13})");
  ASSERT_TRUE(other) << other.error().to_string();
  Matcher matcher(*other);
  EXPECT_TRUE(matcher.accept_bytes("26"));
}

INSTANTIATE_TEST_SUITE_P(Whitespace, Structures, ::testing::Bool());

}  // namespace
}  // namespace weir
