// Micro-benchmarks of masks: `kernels_bench [--tokenizer FILE] [--vectors NAME] [Google Benchmark's options]`.
//
// Kernels over a whole mask or a model's logits: as dispatched, by the plain loop, and memcpy of the same bytes to
// judge them by. Then single steps of a matcher in a few states of a grammar, and batches of masks on one and two
// threads, over the embedded model's vocabulary or a tokenizer's. Which path runs is checked against the obvious loop
// first.
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <random>

#include <CLI/CLI.hpp>
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <hwy/targets.h>

#include "weir/weir.hpp"

namespace weir::bench {
namespace {

enum class Path { kDispatched, kPlain };

// What the kernels do from now on. They run their plain loops where Highway would emulate vectors; `vectors` of 0 is
// the best instruction set there is.
void choose(Path path, std::int64_t vectors) {
  hwy::SetSupportedTargetsForTest(path == Path::kPlain ? HWY_EMU128 | HWY_SCALAR : vectors);
}

std::int64_t chosen_vectors = 0;  // from the command line

// Masks as grammars make them: few tokens, nearly all, and (as no grammar does) half of them at random.
enum class Kind : std::uint8_t { kSparse, kDense, kHalf };
constexpr const char* kKindNames[] = {"sparse", "dense", "half"};

std::vector<std::uint32_t> make_mask(std::size_t size, Kind kind, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> mask((size + 31) / 32, kind == Kind::kDense ? 0xFFFFFFFFU : 0U);
  if (kind == Kind::kHalf) {
    for (auto& word : mask) word = static_cast<std::uint32_t>(random());
  } else {
    // 64 tokens allowed, or 4% not allowed: what a quoted text refuses of a real vocabulary.
    const std::size_t bits = kind == Kind::kSparse ? 64 : size / 25;
    for (std::size_t i = 0; i < bits; ++i) {
      const std::size_t t = random() % size;
      mask[t / 32] ^= 1U << (t % 32);
    }
  }
  if (size % 32 != 0) mask.back() &= (1U << (size % 32)) - 1;
  return mask;
}

void set_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

void copy_bytes(benchmark::State& state, std::size_t bytes) {
  const std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), bytes);
    benchmark::ClobberMemory();
  }
  set_bytes(state, bytes);
}

void run_or(benchmark::State& state, std::size_t size, Path path) {
  choose(path, chosen_vectors);
  auto mask = make_mask(size, Kind::kHalf, 1);
  const auto other = make_mask(size, Kind::kHalf, 2);
  for (auto _ : state) {
    or_into(mask, other);
    benchmark::ClobberMemory();
  }
  set_bytes(state, mask.size() * 4);
}

void run_count(benchmark::State& state, std::size_t size, Path path) {
  choose(path, chosen_vectors);
  const auto mask = make_mask(size, Kind::kHalf);
  for (auto _ : state) benchmark::DoNotOptimize(count_bits(mask));
  set_bytes(state, mask.size() * 4);
}

void run_any(benchmark::State& state, std::size_t size, Path path) {
  choose(path, chosen_vectors);
  const std::vector<std::uint32_t> mask((size + 31) / 32);
  for (auto _ : state) benchmark::DoNotOptimize(any_bit(mask));
  set_bytes(state, mask.size() * 4);
}

template <class T, auto Apply>
void run_apply(benchmark::State& state, std::size_t size, Kind kind, Path path) {
  choose(path, chosen_vectors);
  const auto mask = make_mask(size, kind);
  std::vector<T> logits(size, T{1});
  for (auto _ : state) {
    Apply(logits, mask);
    benchmark::ClobberMemory();
  }
  set_bytes(state, size * sizeof(T));
}

void register_kernels() {
  using Run = void (*)(benchmark::State&, std::size_t, Path);
  using Apply = void (*)(benchmark::State&, std::size_t, Kind, Path);
  for (const std::size_t size : {std::size_t{128'256}, std::size_t{262'144}}) {
    const auto name = [&](std::string_view kernel, std::string_view path) {
      return fmt::format("{}/{}/{}", kernel, size, path);
    };
    const auto both = [&](const std::string& kernel, auto run) {
      benchmark::RegisterBenchmark(name(kernel, "dispatched").c_str(),
                                   [run](benchmark::State& s) { run(s, Path::kDispatched); });
      benchmark::RegisterBenchmark(name(kernel, "plain").c_str(), [run](benchmark::State& s) { run(s, Path::kPlain); });
    };
    const auto copy = [&](const std::string& kernel, std::size_t bytes) {
      benchmark::RegisterBenchmark(name(kernel, "memcpy").c_str(),
                                   [bytes](benchmark::State& s) { copy_bytes(s, bytes); });
    };
    for (const auto& [kernel, run] :
         {std::pair<const char*, Run>{"or", run_or}, {"count", run_count}, {"any", run_any}}) {
      both(kernel, [size, run = run](benchmark::State& s, Path path) { run(s, size, path); });
    }
    copy("mask", (size + 31) / 32 * 4);
    for (const auto& [kernel, run] : {std::pair<const char*, Apply>{"apply_float32", run_apply<float, apply_mask>},
                                      {"apply_float16", run_apply<std::uint16_t, apply_mask_float16>},
                                      {"apply_bfloat16", run_apply<std::uint16_t, apply_mask_bfloat16>}}) {
      for (const Kind kind : {Kind::kSparse, Kind::kDense, Kind::kHalf}) {
        both(fmt::format("{}_{}", kernel, kKindNames[static_cast<std::size_t>(kind)]),
             [size, run = run, kind](benchmark::State& s, Path path) { run(s, size, kind, path); });
      }
    }
    copy("logits_32", size * 4);
    copy("logits_16", size * 2);
  }
}

// A grammar, and a text after which a matcher is in the state to be measured.
struct Situation {
  const char* name;
  const char* schema;
  const char* text;
};
constexpr const char* kAnyObject = R"({"type": "object"})";
constexpr const char* kRecord = R"({"type": "object", "properties": {"name": {"type": "string"},
    "number": {"type": "integer"}, "names": {"type": "array", "items": {"type": "string"}}}, "required": ["name"]})";
constexpr const char* kPattern =
    R"({"type": "string", "pattern": "^[a-z]+(-[0-9]{2,4})*@[a-z0-9.]{3,40}[.](com|org|net)$"})";
constexpr Situation kSituations[] = {
    {"string_body", kAnyObject, R"({"a": "text)"},
    {"after_value", kAnyObject, R"({"a": 1, "b": "text")"},
    {"listed_key", kRecord, R"({"na)"},
    {"open_key", kAnyObject, R"({"na)"},
    {"pattern", kPattern, R"("some-123@ho)"},
};

struct Fixture {
  explicit Fixture(std::shared_ptr<const Vocabulary> vocabulary) : compiler(std::move(vocabulary)) {
    for (const Situation& situation : kSituations) {
      grammars.push_back(compiler.compile_json_schema(situation.schema).value());
    }
  }
  Matcher matcher(std::size_t situation) const {
    Matcher matcher(grammars[situation]);
    // Byte by byte, so that there is a history to roll back and fork.
    for (const char* c = kSituations[situation].text; *c != 0; ++c) {
      if (!matcher.accept_bytes({c, 1})) throw std::logic_error(kSituations[situation].name);
    }
    return matcher;
  }
  Compiler compiler;
  std::vector<CompiledGrammar> grammars;
};

TokenId first_token(std::span<const std::uint32_t> mask) {
  std::size_t word = 0;
  while (mask[word] == 0) ++word;
  return static_cast<TokenId>(word * 32 + static_cast<std::size_t>(std::countr_zero(mask[word])));
}

void run_fill(benchmark::State& state, const Fixture& fixture, std::size_t situation) {
  Matcher matcher = fixture.matcher(situation);
  std::vector<std::uint32_t> mask(matcher.vocabulary().mask_words());
  for (auto _ : state) {
    matcher.fill_mask(mask);
    benchmark::ClobberMemory();
  }
  state.counters["allowed"] = static_cast<double>(count_bits(mask));
}

// A token taken and given back; rollback alone is a few instructions.
void run_accept(benchmark::State& state, const Fixture& fixture, std::size_t situation) {
  Matcher matcher = fixture.matcher(situation);
  std::vector<std::uint32_t> mask(matcher.vocabulary().mask_words());
  matcher.fill_mask(mask);
  const TokenId token = first_token(mask);
  for (auto _ : state) {
    benchmark::DoNotOptimize(matcher.accept(token));
    matcher.rollback(1);
  }
}

void run_fork(benchmark::State& state, const Fixture& fixture, std::size_t situation) {
  const Matcher matcher = fixture.matcher(situation);
  for (auto _ : state) benchmark::DoNotOptimize(matcher.fork());
}

// Of eight tokens at once. Many forks are made outside the clock, because stopping it takes longer than a rollback.
void run_rollback(benchmark::State& state, const Fixture& fixture, std::size_t situation) {
  constexpr std::size_t kTokens = 8;
  constexpr std::size_t kForks = 1000;
  Matcher matcher = fixture.matcher(situation);
  std::vector<std::uint32_t> mask(matcher.vocabulary().mask_words());
  for (std::size_t taken = 0; taken < kTokens; ++taken) {
    matcher.fill_mask(mask);
    if (!any_bit(mask) || !matcher.accept(first_token(mask))) break;
  }
  std::vector<Matcher> forks;
  while (state.KeepRunningBatch(kForks)) {
    state.PauseTiming();
    forks.clear();
    for (std::size_t i = 0; i < kForks; ++i) forks.push_back(matcher.fork());
    state.ResumeTiming();
    for (Matcher& fork : forks) fork.rollback(kTokens);
    benchmark::ClobberMemory();
  }
}

constexpr std::size_t kBatch = 16;

void run_batch(benchmark::State& state, const Fixture& fixture) {
  std::vector<Matcher> matchers;
  std::vector<Matcher*> pointers;
  matchers.reserve(kBatch);
  for (std::size_t i = 0; i < kBatch; ++i) {
    pointers.push_back(&matchers.emplace_back(fixture.matcher(i % fixture.grammars.size())));
  }
  const std::size_t words = fixture.compiler.vocabulary()->mask_words();
  std::vector<std::uint32_t> rows(kBatch * words);
  ThreadPool pool = ThreadPool::create(static_cast<std::size_t>(state.range(0))).value();
  for (auto _ : state) {
    if (!fill_masks(pool, pointers, rows, words)) state.SkipWithError("fill_masks failed");
    benchmark::ClobberMemory();
  }
}

void register_matchers(const Fixture& fixture) {
  using Run = void (*)(benchmark::State&, const Fixture&, std::size_t);
  for (const auto& [verb, run] : {std::pair<const char*, Run>{"fill_mask", run_fill},
                                  {"accept_rollback", run_accept},
                                  {"fork", run_fork},
                                  {"rollback_8", run_rollback}}) {
    for (std::size_t i = 0; i < fixture.grammars.size(); ++i) {
      benchmark::RegisterBenchmark(fmt::format("{}/{}", verb, kSituations[i].name).c_str(),
                                   [&fixture, run = run, i](benchmark::State& s) { run(s, fixture, i); });
    }
  }
  benchmark::RegisterBenchmark("fill_masks_16", [&fixture](benchmark::State& s) { run_batch(s, fixture); })
      ->ArgName("threads")
      ->Arg(1)
      ->Arg(2)
      ->UseRealTime();
}

// Both paths, on masks of every kind, before any is measured.
bool answers_are_right() {
  for (const Path path : {Path::kDispatched, Path::kPlain}) {
    choose(path, chosen_vectors);
    for (const Kind kind : {Kind::kSparse, Kind::kDense, Kind::kHalf}) {
      constexpr std::size_t kSize = 128'256;
      const auto mask = make_mask(kSize, kind);
      std::vector<float> logits(kSize, 1.0F);
      apply_mask(logits, mask);
      std::size_t allowed = 0;
      for (std::size_t t = 0; t < kSize; ++t) {
        const bool bit = (mask[t / 32] >> (t % 32) & 1U) != 0;
        if (logits[t] != (bit ? 1.0F : -std::numeric_limits<float>::infinity())) return false;
        allowed += bit ? 1 : 0;
      }
      if (count_bits(mask) != allowed || !any_bit(mask)) return false;
    }
  }
  return true;
}

int run(const std::string& tokenizer, std::vector<char*> arguments) {
  if (!answers_are_right()) {
    fmt::print(stderr, "kernels_bench: a kernel's answer is wrong\n");
    return 1;
  }
  auto count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  std::shared_ptr<const Vocabulary> vocabulary;
  if (tokenizer.empty()) {
    vocabulary = NgramModel::embedded().value()->vocabulary();
  } else {
    Result<Vocabulary> read = Vocabulary::from_file(tokenizer);
    if (!read) {
      fmt::print(stderr, "kernels_bench: {}\n", read.error().to_string());
      return 2;
    }
    vocabulary = std::make_shared<const Vocabulary>(*std::move(read));
  }
  const Fixture fixture(vocabulary);
  benchmark::AddCustomContext("vocabulary", fmt::format("{} tokens", vocabulary->size()));
  choose(Path::kDispatched, chosen_vectors);
  benchmark::AddCustomContext("vectors", hwy::TargetName(hwy::SupportedAndGeneratedTargets().front()));
  register_kernels();
  register_matchers(fixture);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) {
  CLI::App app("Micro-benchmarks of masks. Further options are Google Benchmark's: --benchmark_filter=REGEX, ...");
  std::string tokenizer;
  app.add_option("--tokenizer", tokenizer, "measure matchers over this tokenizer's vocabulary, not the embedded one");
  std::map<std::string, std::int64_t> targets;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) targets[hwy::TargetName(target)] = target;
  app.add_option("--vectors", weir::bench::chosen_vectors, "dispatch to this instruction set, not to the best one")
      ->transform(CLI::CheckedTransformer(targets));
  app.allow_extras();
  CLI11_PARSE(app, argc, argv);
  std::vector<std::string> extras = app.remaining();
  std::vector<char*> arguments{argv[0]};
  for (std::string& extra : extras) arguments.push_back(extra.data());
  return weir::bench::run(tokenizer, std::move(arguments));
}
