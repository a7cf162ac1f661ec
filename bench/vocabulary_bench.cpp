// What a vocabulary costs: reading the tokenizer's file, making the tables that every grammar shares, and the memory of
// both, as they count it themselves and as the heap does. Times are processor times, the median of some runs.
#include <algorithm>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <malloc.h>

#include "weir/automata/compiler.hpp"

namespace weir::bench {
namespace {

double milliseconds() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::size_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

double mb(std::size_t bytes) { return static_cast<double>(bytes) / (1U << 20U); }

int measure(const std::string& path, int runs) {
  std::vector<double> load;
  std::vector<double> tables;
  std::size_t counted[2] = {};
  std::size_t heap[2] = {};
  std::size_t size = 0;
  for (int run = 0; run < runs; ++run) {
    malloc_trim(0);
    const std::size_t before = heap_bytes();
    double start = milliseconds();
    auto file = Vocabulary::from_file(path);
    if (!file) {
      fmt::print(stderr, "error: {}: {}\n", path, file.error().to_string());
      return 2;
    }
    const auto vocabulary = std::make_shared<const Vocabulary>(*std::move(file));
    load.push_back(milliseconds() - start);
    const std::size_t between = heap_bytes();
    start = milliseconds();
    const Compiler compiler(vocabulary);
    tables.push_back(milliseconds() - start);
    size = vocabulary->size();
    counted[0] = vocabulary->memory_bytes();
    counted[1] = compiler.vocabulary_bytes();
    heap[0] = between - before;
    heap[1] = heap_bytes() - between;
  }
  fmt::print(
      "{}\n  {} tokens; load {:.0f} ms, tables {:.0f} ms, together {:.0f} ms\n"
      "  vocabulary {:.1f} MB (heap {:.1f}), tables {:.1f} MB (heap, with all of a new compiler, {:.1f}), together "
      "{:.1f} "
      "MB (heap {:.1f})\n",
      path, size, median(load), median(tables), median(load) + median(tables), mb(counted[0]), mb(heap[0]),
      mb(counted[1]), mb(heap[1]), mb(counted[0] + counted[1]), mb(heap[0] + heap[1]));
  return 0;
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) {
  std::vector<std::string> files;
  int runs = 5;
  CLI::App app("Measures what loading vocabularies takes: time and memory.", "vocabulary_bench");
  app.add_option("--runs", runs, "of each, the median counts")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("FILES", files, "tokenizer.json and other tokenizers")->required()->type_name("FILE");
  CLI11_PARSE(app, argc, argv);
  for (const std::string& file : files) {
    if (const int status = weir::bench::measure(file, runs); status != 0) return status;
  }
  return 0;
}
