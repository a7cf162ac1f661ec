// Many matchers of one grammar: their throughput on one thread and on several, and what a fork, a rollback and an
// accept cost. Texts come from MaskBench lines.
//
// Speedups are given twice: by the wall clock, and by the processor time of the thread that took longest, which does
// not depend on who else uses the machine, but shows whatever the threads take from each other: cache lines, memory,
// spins.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "schema_lines.hpp"
#include "weir/automata/matcher.hpp"

namespace weir::bench {
namespace {

struct Arguments {
  std::string tokenizer;
  std::size_t matchers = 16;
  std::size_t threads = 2;
  std::size_t sample = 40;
  std::uint64_t seed = 1;
  std::size_t rounds = 5;
  std::vector<std::string> files;
};

// A grammar and texts of it.
struct Work {
  SchemaLine line;
  std::vector<std::vector<TokenId>> texts;
};

struct Times {
  double wall = 0;     // seconds
  double longest = 0;  // processor seconds of the thread that took longest
  std::size_t masks = 0;
};

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Result<CompiledGrammar> compile(Compiler& compiler, const SchemaLine& line) {
  if (line.notation == Notation::kLark) return compiler.compile_lark(line.grammar);
  if (line.notation == Notation::kGbnf) return compiler.compile_gbnf(line.grammar);
  return compiler.compile_json_schema(line.grammar);
}

std::vector<Work> read_work(const SchemaFiles& files, Compiler& compiler) {
  std::vector<Work> all;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto text = files.read(i);
    if (!text) continue;
    auto line = parse_schema_line(*text);
    if (!line) continue;
    Work work{*std::move(line), {}};
    const auto grammar = compile(compiler, work.line);
    if (!grammar) continue;
    for (const TestInstance& test : work.line.tests) {
      auto tokens = compiler.vocabulary()->encode_greedy(test.text);
      if (!test.valid || !tokens) continue;
      Matcher matcher(*grammar);
      if (matcher.accept_all(*tokens) == tokens->size()) work.texts.push_back(*std::move(tokens));
    }
    if (!work.texts.empty()) all.push_back(std::move(work));
  }
  return all;
}

// The matchers of one thread, each in turn one token further, as a server that decodes a batch has it.
std::size_t follow(std::vector<Matcher>& matchers, const Work& work, std::vector<std::uint32_t>& mask) {
  std::size_t masks = 0;
  for (const auto& text : work.texts) {
    for (const TokenId token : text) {
      for (Matcher& matcher : matchers) {
        matcher.fill_mask(mask);
        matcher.accept(token);
        ++masks;
      }
    }
    for (Matcher& matcher : matchers) matcher.reset();
  }
  return masks;
}

// All matchers follow all texts `rounds` times, divided among the threads.
Times run(const Arguments& arguments, const CompiledGrammar& grammar, const Work& work, std::size_t threads,
          std::size_t rounds) {
  Times times;
  std::vector<Times> own(threads);
  std::barrier ready(static_cast<std::ptrdiff_t>(threads));
  const auto task = [&](std::size_t t) {
    std::vector<Matcher> matchers;
    for (std::size_t i = t; i < arguments.matchers; i += threads) matchers.emplace_back(grammar);
    std::vector<std::uint32_t> mask(grammar.vocabulary().mask_words());
    ready.arrive_and_wait();
    const double wall = wall_seconds();
    const double before = thread_seconds();
    std::size_t masks = 0;
    for (std::size_t round = 0; round < rounds; ++round) masks += follow(matchers, work, mask);
    own[t] = {wall_seconds() - wall, thread_seconds() - before, masks};
  };
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < threads; ++t) others.emplace_back(task, t);
  task(0);
  for (std::thread& thread : others) thread.join();
  for (const Times& t : own) {
    times.wall = std::max(times.wall, t.wall);
    times.longest = std::max(times.longest, t.longest);
    times.masks += t.masks;
  }
  return times;
}

void add(Times& to, const Times& more) {
  to.wall += more.wall;
  to.longest += more.longest;
  to.masks += more.masks;
}

void print_throughput(const char* name, const Arguments& arguments, const Times& one, const Times& several) {
  fmt::print(
      "{}: {} matchers, {} masks; 1 thread {:.2f} masks/us, {} threads {:.2f}; speedup x {:.2f} by the wall, x "
      "{:.2f} by processor time\n",
      name, arguments.matchers, one.masks, static_cast<double>(one.masks) / one.wall / 1e6, arguments.threads,
      static_cast<double>(several.masks) / several.wall / 1e6, one.wall / several.wall, one.longest / several.longest);
}

void measure_threads(const Arguments& arguments, Compiler& compiler, const std::vector<Work>& all) {
  Times warm[2];
  Times cold[2];
  for (const Work& work : all) {
    for (const std::size_t several : {0U, 1U}) {
      const std::size_t threads = several == 0 ? 1 : arguments.threads;
      compiler.clear_caches();
      const auto grammar = compile(compiler, work.line);
      add(cold[several], run(arguments, *grammar, work, threads, 1));
      add(warm[several], run(arguments, *grammar, work, threads, arguments.rounds));
    }
  }
  print_throughput("first visits, new grammars", arguments, cold[0], cold[1]);
  print_throughput("states met before         ", arguments, warm[0], warm[1]);
}

// Nanoseconds a call, the best of some rounds.
template <class Call>
double nanoseconds(std::size_t calls, Call call) {
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    const double start = wall_seconds();
    for (std::size_t i = 0; i < calls; ++i) call();
    best = std::min(best, (wall_seconds() - start) * 1e9 / static_cast<double>(calls));
  }
  return best;
}

void measure_calls(Compiler& compiler, const std::vector<Work>& all) {
  const Work& work = *std::max_element(all.begin(), all.end(), [](const Work& a, const Work& b) {
    return a.texts.front().size() < b.texts.front().size();
  });
  const auto& text = work.texts.front();
  const auto grammar = compile(compiler, work.line);
  Matcher matcher(*grammar);
  matcher.accept_all(text);
  fmt::print("after {} tokens, ns a call: fork and drop {:.1f}", text.size(),
             nanoseconds(100'000, [&] { const Matcher fork = matcher.fork(); }));
  for (const std::size_t n : {1U, 10U, 100U}) {
    if (n > text.size()) break;
    // A fork goes back, so that the next one finds all as it was.
    fmt::print(", fork, rollback({}) and drop {:.1f}", n, nanoseconds(100'000, [&] {
                 Matcher fork = matcher.fork();
                 fork.rollback(n);
               }));
  }
  matcher.reset();
  fmt::print(", accept {:.1f}\n", nanoseconds(20, [&] {
                                    matcher.accept_all(text);
                                    matcher.reset();
                                  }) / static_cast<double>(text.size()));
}

int run(const Arguments& arguments) {
  auto vocabulary = Vocabulary::from_file(arguments.tokenizer);
  auto files = SchemaFiles::open(arguments.files);
  for (const Error* error : {vocabulary ? nullptr : &vocabulary.error(), files ? nullptr : &files.error()}) {
    if (error == nullptr) continue;
    fmt::print(stderr, "error: {}\n", error->to_string());
    return 2;
  }
  files->sample(arguments.sample, arguments.seed);
  Compiler compiler(std::make_shared<const Vocabulary>(*std::move(vocabulary)));
  const std::vector<Work> all = read_work(*files, compiler);
  if (all.empty()) {
    fmt::print(stderr, "error: no line has a text that its grammar takes; name others\n");
    return 2;
  }
  measure_threads(arguments, compiler, all);
  measure_calls(compiler, all);
  return 0;
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) {
  weir::bench::Arguments arguments;
  CLI::App app("Measures many matchers of one grammar on threads, and forks and rollbacks.", "matchers_bench");
  app.add_option("--tokenizer", arguments.tokenizer, "the vocabulary")->required()->type_name("FILE");
  app.add_option("--matchers", arguments.matchers, "of each grammar")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--threads", arguments.threads, "compared with one")->check(CLI::Range(1, 256))->capture_default_str();
  app.add_option("--sample", arguments.sample, "lines drawn at random; 0: all")->capture_default_str();
  app.add_option("--seed", arguments.seed, "of the sample")->capture_default_str();
  app.add_option("--rounds", arguments.rounds, "that states met before are timed")->capture_default_str();
  app.add_option("FILES", arguments.files, "MaskBench lines")->required()->type_name("FILE");
  CLI11_PARSE(app, argc, argv);
  return weir::bench::run(arguments);
}
