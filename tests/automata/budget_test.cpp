// A long generation within a small budget: what the history does not need is dropped again and again, and no mask and
// no verdict is another for it. The judge is the same matcher with all the memory it wants.
#include <random>

#include <gtest/gtest.h>

#include "match/history.hpp"
#include "reference/json_vocabulary.hpp"
#include "weir/automata/matcher.hpp"

namespace weir {
namespace {

constexpr std::size_t kTokens = 100'000;

// Deep, wide, and with counters: hardly a state comes twice.
constexpr const char* kSchema = R"({
  "$ref": "#/$defs/node",
  "$defs": {"node": {
    "type": "object",
    "properties": {
      "name": {"type": "string", "maxLength": 100000},
      "key": {"type": "string", "pattern": "^[a-z]*$", "minLength": 5, "maxLength": 5000},
      "a": {"type": "array", "items": {"$ref": "#/$defs/node"}, "maxItems": 3000},
      "ab": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}, "minItems": 2}},
      "abc": {"$ref": "#/$defs/node"},
      "x": {"anyOf": [{"type": "number", "minimum": 10}, {"$ref": "#/$defs/node"}, {"enum": ["na", "name", "é"]}]}},
    "additionalProperties": false}}
})";

constexpr const char* kRules = R"(
  root ::= statement*
  statement ::= "{" statement* "}" | name "=" sum "," | "[" sum "]" statement ":" statement
  sum ::= product | sum "-" product
  product ::= factor | product "E+" factor
  factor ::= name | [0-9]+ | "[" sum "]" | name "[" (sum ("," sum)*)? "]"
  name ::= [a-z]+
)";

std::vector<TokenId> ids(std::span<const std::uint32_t> mask) {
  std::vector<TokenId> out;
  for (TokenId t = 0; t < mask.size() * 32; ++t) {
    if (((mask[t >> 5U] >> (t & 31U)) & 1U) != 0) out.push_back(t);
  }
  return out;
}

class LongWalk {
 public:
  LongWalk(const CompiledGrammar& bounded, const CompiledGrammar& free, std::size_t budget, std::uint32_t seed)
      : vocabulary_(bounded.vocabulary()),
        bounded_(bounded),
        free_(free),
        budget_(budget),
        random_(seed),
        mask_(vocabulary_.mask_words()),
        expected_(vocabulary_.mask_words()) {}

  void run() {
    for (std::size_t taken = 0; taken < kTokens; ++taken) {
      step(taken % 3 == 0);
      if (::testing::Test::HasFatalFailure()) return;
      if (taken % 1000 == 500) go_back(1 + random_() % 100);
      if (taken % 1000 == 900) fork();
      if (taken % 5000 == 4999) go_back(bounded_.history_length() - random_() % 100);
    }
    ASSERT_FALSE(bounded_.error()) << bounded_.error()->to_string();
    ASSERT_FALSE(free_.error());
  }
  std::uint32_t collections() const { return bounded_.state_epoch(); }
  std::size_t free_bytes() const { return free_.memory_bytes(); }

 private:
  void step(bool compare_masks) {
    bounded_.fill_mask(mask_);
    ASSERT_LE(bounded_.memory_bytes(), budget_);
    if (compare_masks) {
      free_.fill_mask(expected_);
      ASSERT_EQ(ids(mask_), ids(expected_));
    }
    const TokenId any = static_cast<TokenId>(random_() % vocabulary_.size());
    ASSERT_EQ(bounded_.allows(any), free_.allows(any));
    ASSERT_EQ(bounded_.is_accepting(), free_.is_accepting());
    std::vector<TokenId> allowed = ids(mask_);
    std::erase_if(allowed, [&](TokenId t) { return vocabulary_.is_eos(t); });
    // Where nothing but white space could follow, the text goes back to before its end.
    const bool at_end = std::all_of(allowed.begin(), allowed.end(), [&](TokenId t) {
      return vocabulary_.token(t).find_first_not_of(" \n\t\r") == std::string_view::npos;
    });
    if (at_end) return go_back(bounded_.history_length() / 2 + 1);
    // Of all tokens most are text: signs lead on, and those that close nothing lead deeper.
    const auto with = [&](std::string_view signs, bool none) {
      std::vector<TokenId> some;
      std::copy_if(allowed.begin(), allowed.end(), std::back_inserter(some), [&](TokenId t) {
        return (vocabulary_.token(t).find_first_of(signs) == std::string_view::npos) == none;
      });
      return some;
    };
    if (random_() % 3 != 0) {
      if (auto signs = with("{}[],:\"", false); !signs.empty()) allowed = std::move(signs);
    }
    if (random_() % 20 != 0) {
      if (auto open = with("}]", true); !open.empty()) allowed = std::move(open);
    }
    const TokenId chosen = allowed[random_() % allowed.size()];
    ASSERT_TRUE(bounded_.accept(chosen));
    ASSERT_TRUE(free_.accept(chosen));
    ASSERT_LE(bounded_.memory_bytes(), budget_);
  }
  void go_back(std::size_t n) {
    n = std::min(n, bounded_.history_length());
    bounded_.rollback(n);
    free_.rollback(n);
    ASSERT_EQ(bounded_.history_length(), free_.history_length());
  }
  // A second pair goes its own way for a while and is dropped, or takes the place of the first.
  void fork() {
    Matcher bounded = bounded_.fork();
    Matcher free = free_.fork();
    for (int i = 0; i < 20; ++i) step(false);
    std::swap(bounded, bounded_);
    std::swap(free, free_);
    for (int i = 0; i < 20; ++i) step(true);
    if (random_() % 2 == 0) return;
    std::swap(bounded, bounded_);
    std::swap(free, free_);
  }

  const Vocabulary& vocabulary_;
  Matcher bounded_;
  Matcher free_;
  std::size_t budget_;
  std::mt19937 random_;
  std::vector<std::uint32_t> mask_;
  std::vector<std::uint32_t> expected_;
};

template <class Compile>
void walk(Compile compile, std::size_t budget, std::uint32_t seed) {
  const auto vocabulary = testing::json_vocabulary(seed);
  Limits small;
  small.max_sequence_bytes = budget;
  Limits large;
  large.max_sequence_bytes = std::size_t{4} << 30U;
  Compiler bounded_compiler(vocabulary, small);
  Compiler free_compiler(vocabulary, large);
  const CompiledGrammar bounded = compile(bounded_compiler);
  const CompiledGrammar free = compile(free_compiler);
  LongWalk walk(bounded, free, budget, seed);
  walk.run();
  EXPECT_GE(walk.collections(), 3U) << "the budget is too large for this to show anything";
  ::testing::Test::RecordProperty("collections", static_cast<int>(walk.collections()));
  ::testing::Test::RecordProperty("free_bytes", std::to_string(walk.free_bytes()));
}

TEST(Budget, LongSchemaWalk) {
  walk([](Compiler& c) { return c.compile_json_schema(kSchema).value(); }, std::size_t{3} << 18U, 41);
}

TEST(Budget, LongRulesWalk) {
  walk([](Compiler& c) { return c.compile_ebnf(kRules).value(); }, std::size_t{2} << 20U, 42);
}

// What the history itself needs does not fit: an error that says so, and empty masks from then on.
TEST(Budget, TooMuchIsAnError) {
  Limits limits;
  limits.max_sequence_bytes = std::size_t{1} << 18U;
  Compiler compiler(testing::vocabulary_of({"(", ")", "x"}), limits);
  const auto grammar = compiler.compile_ebnf("root ::= \"(\" root \")\" | \"x\"").value();
  Matcher matcher(grammar);
  std::size_t depth = 0;
  while (depth < 100'000 && matcher.accept(0)) ++depth;
  ASSERT_TRUE(matcher.error());
  EXPECT_EQ(matcher.error()->code, ErrorCode::kLimit);
  EXPECT_NE(matcher.error()->message.find("max_sequence_bytes"), std::string::npos);
  EXPECT_GT(depth, 1'000U);
  EXPECT_EQ(matcher.history_length(), depth);
  std::vector<std::uint32_t> mask{~0U};
  matcher.fill_mask(mask);
  EXPECT_EQ(mask.front(), 0U);
  // Another matcher of the grammar starts with memory of its own.
  Matcher other(grammar);
  EXPECT_TRUE(other.accept(0));
}

// Random forks, pushes and steps back, against plain lists.
TEST(History, EqualsLists) {
  std::mt19937 random(7);
  History history;
  struct Owner {
    History::Place place;
    std::vector<StateId> states;
  };
  std::vector<Owner> owners{{history.start(1), {1}}};
  for (int round = 0; round < 200'000; ++round) {
    Owner& owner = owners[random() % owners.size()];
    switch (random() % 8) {
      case 0:
        if (owners.size() < 12) {
          history.retain(owner.place);
          owners.push_back(Owner(owner));
        } else {
          history.release(owner.place);
          owner = std::move(owners.back());
          owners.pop_back();
        }
        break;
      case 1: {
        const std::size_t n = random() % std::min<std::size_t>(owner.states.size(), random() % 2 == 0 ? 9 : 300);
        history.back(owner.place, n);
        owner.states.resize(owner.states.size() - n);
        break;
      }
      default: {
        const auto s = static_cast<StateId>(random() % 1000);
        history.push(owner.place, s);
        owner.states.push_back(s);
      }
    }
    const Owner& seen = owners[random() % owners.size()];
    ASSERT_EQ(history.state(seen.place), seen.states.back());
    ASSERT_EQ(history.length(seen.place), seen.states.size() - 1);
    if (round % 1000 == 0) {
      History copy;
      History::Place place = copy.copy(history, seen.place);
      for (std::size_t i = seen.states.size(); i-- > 0; copy.back(place, i > 0 ? 1 : 0)) {
        ASSERT_EQ(copy.state(place), seen.states[i]);
      }
    }
  }
  EXPECT_LT(history.memory_bytes(), std::size_t{4} << 20U);
}

}  // namespace
}  // namespace weir
