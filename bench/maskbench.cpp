// The MaskBench runner: real schemas with labelled instances, compiled and masked token by token; verdicts and times.
//
// For each schema: from its text to the first mask (TTFM); for each instance a new matcher, and for each token one
// mask (timed), one bit test, one accept (timed), and at the end is_accepting. Times include reading the clock.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "schema_lines.hpp"
#include "schema_run.hpp"
#include "timing.hpp"

namespace weir::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  std::string tokenizer;
  std::string profile = "flexible";
  std::string property_order = "listed";
  RunOptions run;
  unsigned threads = 1;
  std::string per_schema;
  std::string json;
  std::size_t sample = 0;
  std::uint64_t seed = 0;
  std::vector<std::string> files;
};

struct Counts {
  std::size_t schemas = 0;
  std::size_t passing = 0;
  std::size_t compile_errors = 0;
  std::size_t unsatisfiable = 0;
  std::size_t rejects_valid = 0;
  std::size_t rejects_valid_by_key_order = 0;  // schemas that reject valid instances only for the order of their keys
  std::size_t accepts_invalid = 0;
  std::size_t mask_faults = 0;
  std::size_t retokenized = 0;
  std::size_t tokens = 0;

  void add(const SchemaOutcome& outcome) {
    ++schemas;
    passing += outcome.passes() ? 1 : 0;
    compile_errors += outcome.compile_error && !outcome.rightly_unsatisfiable ? 1 : 0;
    unsatisfiable += outcome.rightly_unsatisfiable ? 1 : 0;
    accepts_invalid += outcome.has_wrong(/*valid=*/false) ? 1 : 0;
    mask_faults += outcome.mask_faults;
    retokenized += outcome.retokenized;
    tokens += outcome.tokens;
    if (!outcome.has_wrong(/*valid=*/true)) return;
    ++rejects_valid;
    const bool all_by_order = std::all_of(outcome.wrong.begin(), outcome.wrong.end(),
                                          [](const WrongInstance& wrong) { return !wrong.valid || wrong.key_order; });
    rejects_valid_by_key_order += all_by_order ? 1 : 0;
  }
};

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string outcome_line(const SchemaLine& line, const SchemaOutcome& outcome, double us_per_tick) {
  Json json = {{"id", line.id}, {"pass", outcome.passes()}};
  if (outcome.compile_error) {
    const Error& error = *outcome.compile_error;
    Json compile_error = {{"code", to_string(error.code)}, {"message", error.message}};
    if (error.pointer) compile_error["pointer"] = *error.pointer;
    if (error.line > 0) {
      compile_error["line"] = error.line;
      compile_error["column"] = error.column;
    }
    json["compile_error"] = std::move(compile_error);
    return dump(json);
  }
  json["ttfm_us"] = static_cast<double>(outcome.ttfm_ticks) * us_per_tick;
  json["max_mask_us"] = static_cast<double>(outcome.max_mask_ticks) * us_per_tick;
  json["tokens"] = outcome.tokens;
  json["verdicts"] = outcome.verdicts;
  if (outcome.mask_faults > 0) json["mask_faults"] = outcome.mask_faults;
  Json wrong = Json::array();
  for (const WrongInstance& one : outcome.wrong) {
    const std::string& text = line.tests[one.test].text;
    constexpr std::size_t kContext = 40;
    const std::size_t from = one.offset - std::min(one.offset, kContext);
    wrong.push_back({{"test", one.test},
                     {"valid", one.valid},
                     {"accepted", !one.valid},
                     {"key_order", one.key_order},
                     {"offset", one.offset},
                     {"before", text.substr(from, one.offset - from)},
                     {"after", text.substr(std::min(one.offset, text.size()), kContext)},
                     {"why", one.why}});
  }
  json["wrong"] = std::move(wrong);
  return dump(json);
}

// Lines come in any order and leave in the order of the schemas, each as soon as those before it have left.
class OrderedLines {
 public:
  explicit OrderedLines(std::FILE* file) : file_(file) {}
  void put(std::size_t index, std::string line) {
    waiting_.emplace(index, std::move(line));
    for (auto next = waiting_.begin(); next != waiting_.end() && next->first == next_; next = waiting_.erase(next)) {
      fmt::print(file_, "{}\n", next->second);
      ++next_;
    }
    std::fflush(file_);
  }

 private:
  std::FILE* file_;
  std::size_t next_ = 0;
  std::map<std::size_t, std::string> waiting_;
};

// What the threads share.
struct Progress {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards everything below
  Counts counts;
  Timings timings;
  std::optional<Error> error;
  std::unique_ptr<OrderedLines> per_schema;
};

void run_schemas(SchemaRunner& runner, const SchemaFiles& files, Progress& progress) {
  for (std::size_t i = progress.next++; i < files.size(); i = progress.next++) {
    const Result<std::string> text = files.read(i);
    const Result<SchemaLine> line = text ? parse_schema_line(*text) : Result<SchemaLine>(text.error());
    if (!line) {
      const std::lock_guard lock(progress.mutex);
      progress.error = line.error();
      progress.error->message = fmt::format("{}: {}", files.place(i), line.error().message);
      progress.next = files.size();
      return;
    }
    const SchemaOutcome outcome = runner.run(*line);
    const std::lock_guard lock(progress.mutex);
    progress.counts.add(outcome);
    if (progress.per_schema) progress.per_schema->put(i, outcome_line(*line, outcome, nanoseconds_per_tick() / 1000));
  }
  const std::lock_guard lock(progress.mutex);
  progress.timings.merge(runner.timings());
}

Json percentiles(const Histogram& histogram, double us_per_tick) {
  const auto microseconds = [&](double ticks) { return std::round(ticks * us_per_tick * 1000) / 1000; };
  return {{"p50", microseconds(histogram.quantile(0.5))},
          {"p90", microseconds(histogram.quantile(0.9))},
          {"p99", microseconds(histogram.quantile(0.99))},
          {"p999", microseconds(histogram.quantile(0.999))},
          {"max", microseconds(static_cast<double>(histogram.max()))},
          {"mean", microseconds(histogram.mean())}};
}

double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::round(static_cast<double>(usage.ru_maxrss) / 102.4) / 10;  // from KiB
}

Json summary(const Arguments& arguments, const Progress& progress, double load_ms, double seconds) {
  const Counts& counts = progress.counts;
  const double us_per_tick = nanoseconds_per_tick() / 1000;
  return {{"schemas", counts.schemas},
          {"passing", counts.passing},
          {"compile_errors", counts.compile_errors},
          {"rejects_valid", counts.rejects_valid},
          {"accepts_invalid", counts.accepts_invalid},
          {"tokens", counts.tokens},
          {"ttfm_us", percentiles(progress.timings.ttfm, us_per_tick)},
          {"mask_us", percentiles(progress.timings.mask, us_per_tick)},
          {"commit_us", percentiles(progress.timings.commit, us_per_tick)},
          {"prepare_us", percentiles(progress.timings.prepare, us_per_tick)},
          {"rss_mb", peak_memory_mb()},
          {"vocabulary_load_ms", std::round(load_ms * 10) / 10},
          {"rejects_valid_by_key_order", counts.rejects_valid_by_key_order},
          {"unsatisfiable", counts.unsatisfiable},
          {"mask_faults", counts.mask_faults},
          {"retokenized", counts.retokenized},
          {"masks_timed", progress.timings.mask.count()},
          {"clock_overhead_us", std::round(clock_overhead_ns()) / 1000},
          {"seconds", std::round(seconds * 10) / 10},
          {"profile", arguments.profile},
          {"property_order", arguments.property_order},
          {"cold", arguments.run.cold},
          {"first_visits", arguments.run.first_visits},
          {"prepare", arguments.run.prepare_us},
          {"threads", arguments.threads}};
}

int fail(const std::string& message) {
  fmt::print(stderr, "error: {}\n", message);
  return 2;
}

int run(Arguments& arguments) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };

  Result<SchemaFiles> files = SchemaFiles::open(arguments.files);
  if (!files) return fail(files.error().to_string());
  if (arguments.sample > 0) files->sample(arguments.sample, arguments.seed);

  const auto load_start = Clock::now();
  Result<Vocabulary> loaded = Vocabulary::from_file(arguments.tokenizer);
  if (!loaded) return fail(fmt::format("{}: {}", arguments.tokenizer, loaded.error().to_string()));
  const auto vocabulary = std::make_shared<const Vocabulary>(std::move(*loaded));
  // A compiler for each thread: expressions and caches of one thread's schemas never wait for another's.
  std::vector<std::unique_ptr<SchemaRunner>> runners;
  runners.push_back(std::make_unique<SchemaRunner>(vocabulary, arguments.run));
  const double load_ms = seconds_since(load_start) * 1000;
  while (runners.size() < arguments.threads)
    runners.push_back(std::make_unique<SchemaRunner>(vocabulary, arguments.run));

  Progress progress;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> per_schema(nullptr, &std::fclose);
  if (!arguments.per_schema.empty()) {
    per_schema.reset(std::fopen(arguments.per_schema.c_str(), "wb"));
    if (per_schema == nullptr) return fail(fmt::format("cannot write {}", arguments.per_schema));
    progress.per_schema = std::make_unique<OrderedLines>(per_schema.get());
  }
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < runners.size(); ++i) {
    threads.emplace_back([&, i] { run_schemas(*runners[i], *files, progress); });
  }
  run_schemas(*runners[0], *files, progress);
  for (std::thread& thread : threads) thread.join();
  if (progress.error) return fail(progress.error->message);

  const Json json = summary(arguments, progress, load_ms, seconds_since(start));
  std::FILE* out = arguments.json.empty() ? stdout : std::fopen(arguments.json.c_str(), "wb");
  if (out == nullptr) return fail(fmt::format("cannot write {}", arguments.json));
  fmt::print(out, "{}\n", dump(json));
  const bool written = std::fflush(out) == 0 && (out == stdout || std::fclose(out) == 0);
  return written ? 0 : fail("cannot write the summary");
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) {
  weir::bench::Arguments arguments;
  CLI::App app("Runs MaskBench lines and writes a summary as JSON: verdicts, times in microseconds, memory.",
               "maskbench");
  app.add_option("--tokenizer", arguments.tokenizer, "the vocabulary of the lines' tokens, tokenizer.json and others")
      ->required()
      ->type_name("FILE");
  app.add_option("--profile", arguments.profile, "white space: any (flexible), or just \", \" and \": \" (fixed)")
      ->check(CLI::IsMember({"flexible", "fixed"}))
      ->capture_default_str();
  app.add_option("--property-order", arguments.property_order, "of keys: as listed in the schema, or any")
      ->check(CLI::IsMember({"listed", "any"}))
      ->capture_default_str();
  app.add_flag("--closed", arguments.run.closed_objects, "no keys but those that schemas name, unless they say so");
  app.add_flag("--lenient", arguments.run.lenient, "pass over what weir cannot keep exactly");
  weir::JsonStyle& style = arguments.run.style;
  app.add_option("--longest-whitespace", style.longest_whitespace, "flexible: the most white space in a row")
      ->check(CLI::Range(0, 65'535))
      ->type_name("N");
  app.add_option("--indent", style.indent, "lines as Python's json.dumps(indent=N) has them; fixed")
      ->check(CLI::Range(0, 64))
      ->type_name("N");
  app.add_option("--item-separator", style.item_separator, "between members and between items; fixed")
      ->type_name("TEXT");
  app.add_option("--key-separator", style.key_separator, "between a key and its value; fixed")->type_name("TEXT");
  app.add_flag("--cold", arguments.run.cold, "start all but the vocabulary's own tables afresh for each schema");
  app.add_flag("--first-visits", arguments.run.first_visits, "time only masks of states not asked before");
  app.add_option("--prepare", arguments.run.prepare_us,
                 "microseconds to prepare each mask of an instance, which do not count, as while a model computes")
      ->type_name("US");
  app.add_flag("--verify", arguments.run.verify, "compare each state's mask with the plain loop; slow");
  app.add_option("--threads", arguments.threads, "schemas at a time")
      ->check(CLI::Range(1U, 256U))
      ->capture_default_str();
  app.add_option("--per-schema", arguments.per_schema,
                 "one JSON object a schema: verdicts, errors, wrong instances and why")
      ->type_name("FILE.jsonl");
  app.add_option("--json", arguments.json, "the summary; else standard output")->type_name("FILE");
  app.add_option("--sample", arguments.sample, "only N lines drawn at random; 0: all")->type_name("N");
  app.add_option("--seed", arguments.seed, "of the sample")->type_name("S");
  app.add_option("SCHEMAS", arguments.files,
                 "files of lines {\"id\", \"schema\", \"tests\"}, or \"lark\" or \"gbnf\" in place of \"schema\"")
      ->required()
      ->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return weir::bench::fail(std::string(error.what()) + "; see maskbench --help");
  }
  style.flexible_whitespace =
      arguments.profile == "flexible" && !style.indent && !style.item_separator && !style.key_separator;
  arguments.run.any_property_order = arguments.property_order == "any";
  return weir::bench::run(arguments);
}
