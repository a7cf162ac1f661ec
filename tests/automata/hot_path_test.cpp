// What the path of a mask must not do: allocate once it is warm, or take a lock. A program of its own, as it counts
// every allocation and every lock of the process.
#include <atomic>
#include <cstdlib>
#include <new>
#include <random>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>

#include "reference/json_vocabulary.hpp"
#include "reference/tree_schema.hpp"
#include "weir/automata/matcher.hpp"

namespace {

std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> locks{0};
std::atomic<std::ptrdiff_t> live_bytes{0};

void* count_allocation(std::size_t size) noexcept {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) return nullptr;
  ++allocations;
  live_bytes += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  return memory;
}
void* need(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void count_release(void* memory) noexcept {
  if (memory != nullptr) live_bytes -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

// All of them: what one allocates another may release.
void* operator new(std::size_t size) { return need(count_allocation(size)); }
void* operator new[](std::size_t size) { return need(count_allocation(size)); }
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept { return count_allocation(size); }
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept { return count_allocation(size); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { count_release(memory); }
void operator delete[](void* memory, const std::nothrow_t& /*tag*/) noexcept { count_release(memory); }
void operator delete(void* memory) noexcept { count_release(memory); }
void operator delete[](void* memory) noexcept { count_release(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { count_release(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { count_release(memory); }

// std::mutex calls this by name.
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const auto real = reinterpret_cast<int (*)(pthread_mutex_t*)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++locks;
  return real(mutex);
}

namespace weir {
namespace {

constexpr const char* kRules = R"(root ::= "[" (item ("," item)*)? "]"
                                  item ::= root | name | [0-9]+ ("." [0-9]+)? | "\"" [^"]* "\""
                                  name ::= [a-z] name | [a-z]{1,40})";
constexpr std::string_view kRulesText = R"([abc,[],["né",12.5,[na,[name]]],x])";

void follow(Matcher& matcher, std::string_view text, std::vector<std::uint32_t>& mask) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    matcher.fill_mask(mask);
    ASSERT_TRUE(matcher.accept_bytes(text.substr(i, 1)));
  }
  matcher.fill_mask(mask);
}

struct Case {
  const char* name;
  CompiledGrammar grammar;
  std::string_view text;
};
std::vector<Case> cases(Compiler& compiler) {
  return {{"schema", compiler.compile_json_schema(testing::kTreeSchema).value(), testing::kTreeText},
          {"rules", compiler.compile_ebnf(kRules).value(), kRulesText}};
}

TEST(HotPath, CountsWork) {
  const std::size_t allocated = allocations;
  const std::size_t locked = locks;
  std::mutex mutex;
  mutex.lock();
  mutex.unlock();
  EXPECT_EQ(locks - locked, 1U);
  const std::vector<int> ints(10);
  EXPECT_EQ(allocations - allocated, 1U);
}

TEST(HotPath, NothingIsAllocatedOnceWarm) {
  Compiler compiler(testing::json_vocabulary(51));
  for (const Case& c : cases(compiler)) {
    std::vector<std::uint32_t> mask(compiler.vocabulary()->mask_words());
    Matcher matcher(c.grammar);
    for (int i = 0; i < 4; ++i) {
      follow(matcher, c.text, mask);
      matcher.reset();
    }
    const std::size_t before = allocations;
    follow(matcher, c.text, mask);
    EXPECT_EQ(allocations - before, 0U) << c.name << ": masks and accepted tokens of states met before";
    for (std::size_t n = 1; n <= std::min<std::size_t>(100, c.text.size()); ++n) {
      Matcher fork = matcher.fork();
      fork.rollback(n);
      Matcher second = fork.fork();
      second.reset();
      fork = std::move(second);
    }
    matcher.rollback(5);
    EXPECT_EQ(allocations - before, 0U) << c.name << ": forks and rollbacks";
  }
}

// Forks that go on and are dropped, without end: places and states serve again.
TEST(HotPath, ForksThatGoOnReachASteadyState) {
  Compiler compiler(testing::json_vocabulary(52));
  for (const Case& c : cases(compiler)) {
    std::vector<std::uint32_t> mask(compiler.vocabulary()->mask_words());
    Matcher matcher(c.grammar);
    const std::string_view half = c.text.substr(0, c.text.size() / 2);
    const std::string_view rest = c.text.substr(half.size());
    follow(matcher, half, mask);
    const auto draft = [&] {
      Matcher fork = matcher.fork();
      follow(fork, rest, mask);
    };
    for (int i = 0; i < 20; ++i) draft();
    const std::size_t before = allocations;
    for (int i = 0; i < 1000; ++i) draft();
    EXPECT_EQ(allocations - before, 0U) << c.name;
  }
}

// Masks of states met before take no lock; nor do first visits, where the grammar knows the frames and the derivatives
// from another matcher: only what nobody has asked for yet is made and put there under a lock.
TEST(HotPath, NoLocks) {
  Compiler compiler(testing::json_vocabulary(53));
  for (const Case& c : cases(compiler)) {
    std::vector<std::uint32_t> mask(compiler.vocabulary()->mask_words());
    Matcher first(c.grammar);
    follow(first, c.text, mask);
    std::size_t before = locks;
    first.reset();
    follow(first, c.text, mask);
    EXPECT_EQ(locks - before, 0U) << c.name << ": states met before";

    Matcher second(c.grammar);  // with states of its own, as the first one is in use
    before = locks;
    follow(second, c.text, mask);
    EXPECT_EQ(locks - before, 0U) << c.name << ": first visits of another matcher";
    Matcher fork = second.fork();
    fork.rollback(3);
    EXPECT_EQ(locks - before, 0U) << c.name << ": forks";
  }
}

// memory_bytes() is what the heap says, and both keep within the budget. The second matcher walks where another has
// been, so that what is allocated meanwhile is its own.
TEST(HotPath, HeapWithinTheBudget) {
  for (const bool rules : {false, true}) {
    Limits limits;
    limits.max_sequence_bytes = std::size_t{rules ? 5U : 6U} << 15U;
    const auto vocabulary = testing::json_vocabulary(54);
    Compiler compiler(vocabulary, limits);
    const auto grammar =
        rules ? compiler.compile_ebnf("root ::= item*\nitem ::= \"[\" (item (\",\" item)*)? \"]\" \"a\"? | [b-z]+")
                    .value()
              : compiler
                    .compile_json_schema(R"({"type": "array", "items": {"$ref": "#"},
                                   "contains": {"maxItems": 9}, "minContains": 0, "maxContains": 2000, "maxItems": 5000})")
                    .value();
    std::vector<std::uint32_t> mask(vocabulary->mask_words());
    std::vector<TokenId> walked;
    {
      Matcher matcher(grammar);
      std::mt19937 random(3);
      while (walked.size() < 8000) {
        matcher.fill_mask(mask);
        std::vector<TokenId> deeper;
        std::vector<TokenId> allowed;
        for (TokenId t = 0; t < vocabulary->size(); ++t) {
          if (((mask[t >> 5U] >> (t & 31U)) & 1U) == 0 || vocabulary->is_eos(t)) continue;
          allowed.push_back(t);
          if (vocabulary->token(t).find_first_of("[,") != std::string_view::npos) deeper.push_back(t);
        }
        const auto& from = deeper.empty() || random() % 8 == 0 ? allowed : deeper;
        ASSERT_FALSE(from.empty()) << rules << " after " << walked.size()
                                   << " tokens: " << (matcher.error() ? matcher.error()->to_string() : "");
        walked.push_back(from[random() % from.size()]);
        ASSERT_TRUE(matcher.accept(walked.back()));
        if (walked.size() % 500 == 0) matcher.reset();
      }
    }
    Matcher holder(grammar);  // so that the next one does not start with the states of the first
    const std::ptrdiff_t before = live_bytes;
    Matcher matcher(grammar);
    for (std::size_t i = 0; i < walked.size(); ++i) {
      matcher.fill_mask(mask);
      ASSERT_TRUE(matcher.accept(walked[i]));
      if ((i + 1) % 500 == 0) matcher.reset();
      const auto heap = live_bytes - before;
      // Scratch space and what the heap adds to each block are not counted.
      ASSERT_LT(heap, static_cast<std::ptrdiff_t>(limits.max_sequence_bytes + limits.max_sequence_bytes / 8)) << i;
      if (i % 100 == 0) {
        ASSERT_LT(heap, static_cast<std::ptrdiff_t>(matcher.memory_bytes() + matcher.memory_bytes() / 4 + 65536)) << i;
      }
      ASSERT_LE(matcher.memory_bytes(), limits.max_sequence_bytes) << i;
    }
    EXPECT_TRUE(rules || matcher.state_epoch() > 0U) << "the budget is too large for this to show anything";
  }
}

}  // namespace
}  // namespace weir
