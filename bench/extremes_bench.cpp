// First mask and masks of grammars at the far end of what people write: is there a cliff?
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "extreme_cases.hpp"
#include "timing.hpp"
#include "weir/automata/matcher.hpp"

namespace weir::bench {
namespace {

// Each time the least of some runs, all from empty caches: others who use the machine can only make it longer.
struct Run {
  std::uint64_t compile = ~std::uint64_t{0};
  std::uint64_t first = ~std::uint64_t{0};  // from the grammar's text to the first mask
  std::vector<std::uint64_t> masks;
  std::vector<std::uint64_t> commits;
  std::size_t memory = 0;
  std::string fault;
};

void keep_least(std::vector<std::uint64_t>& times, std::size_t i, std::uint64_t ticks) {
  if (i == times.size()) times.push_back(ticks);
  times[i] = std::min(times[i], ticks);
}

bool run_once(Compiler& compiler, const ExtremeCase& c, Run& run) {
  compiler.clear_caches();
  std::vector<std::uint32_t> mask(compiler.vocabulary()->mask_words());
  const std::uint64_t start = ticks_now();
  const auto grammar = compile_extreme(compiler, c);
  if (!grammar) {
    run.fault = grammar.error().to_string();
    return false;
  }
  run.compile = std::min(run.compile, ticks_now() - start);
  Matcher matcher(*grammar);
  matcher.fill_mask(mask);
  run.first = std::min(run.first, ticks_now() - start);
  const auto tokens = compiler.vocabulary()->encode_greedy(c.text);
  for (std::size_t i = 0; tokens && i < tokens->size(); ++i) {
    const std::uint64_t before = ticks_now();
    matcher.fill_mask(mask);
    const std::uint64_t filled = ticks_now();
    if (!matcher.accept((*tokens)[i])) {
      run.fault = matcher.error() ? matcher.error()->to_string() : "the text is not accepted";
      return false;
    }
    const std::uint64_t accepted = ticks_now();
    keep_least(run.masks, i, filled - before);
    keep_least(run.commits, i, accepted - filled);
  }
  run.memory = matcher.memory_bytes();
  return true;
}

void measure(Compiler& compiler, const ExtremeCase& c, int runs) {
  Run run;
  for (int i = 0; i < runs; ++i) {
    if (run_once(compiler, c, run)) continue;
    fmt::print("{:<44} {}\n", c.name, run.fault);
    return;
  }
  Histogram masks;
  Histogram commits;
  for (const std::uint64_t ticks : run.masks) masks.add(ticks);
  for (const std::uint64_t ticks : run.commits) commits.add(ticks);
  const double us = nanoseconds_per_tick() / 1000;
  const auto slowest = std::max_element(run.masks.begin(), run.masks.end()) - run.masks.begin();
  fmt::print("{:<44} {:>9.0f} {:>9.0f} {:>8.2f} {:>8.2f} {:>8.0f} {:>7} {:>8.2f} {:>8.0f} {:>7} {:>7}\n", c.name,
             static_cast<double>(run.compile) * us, static_cast<double>(run.first) * us, masks.quantile(0.5) * us,
             masks.quantile(0.99) * us, static_cast<double>(masks.max()) * us, slowest, commits.quantile(0.5) * us,
             static_cast<double>(commits.max()) * us, run.masks.size(), run.memory / 1024);
  std::fflush(stdout);
}

int run(const std::string& tokenizer, const std::string& only, int runs) {
  auto vocabulary = Vocabulary::from_file(tokenizer);
  if (!vocabulary) {
    fmt::print(stderr, "error: {}: {}\n", tokenizer, vocabulary.error().to_string());
    return 2;
  }
  Compiler compiler(std::make_shared<const Vocabulary>(*std::move(vocabulary)));
  fmt::print("{:<44} {:>9} {:>9} {:>8} {:>8} {:>8} {:>7} {:>8} {:>8} {:>7} {:>7}\n", "microseconds", "compile",
             "1st mask", "mask p50", "p99", "max", "at", "commit", "max", "tokens", "KiB");
  for (const ExtremeCase& c : extreme_cases()) {
    if (c.name.find(only) != std::string::npos) measure(compiler, c, runs);
  }
  return 0;
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) {
  std::string tokenizer;
  std::string only;
  int runs = 5;
  CLI::App app("Measures masks of extreme grammars.", "extremes_bench");
  app.add_option("--tokenizer", tokenizer, "the vocabulary")->required()->type_name("FILE");
  app.add_option("--only", only, "cases whose name holds this");
  app.add_option("--runs", runs, "of each, the least of the times counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return weir::bench::run(tokenizer, only, runs);
}
