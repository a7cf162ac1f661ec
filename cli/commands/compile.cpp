// weir compile: checks a grammar and says what became of it.
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "arguments.hpp"
#include "command.hpp"
#include "output.hpp"
#include "weir/automata/mask.hpp"
#include "weir/automata/matcher.hpp"

namespace weir::cli {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

struct CompileArguments {
  GrammarArguments grammar;
  VocabularyArgument vocabulary;
  bool json = false;
};

struct Statistics {
  double compile_us = 0;
  double first_mask_us = 0;
  std::size_t allowed_first = 0;
  bool matches_empty = false;
};

Json statistics_json(const CompiledGrammar& compiled, const GrammarText& text, const Statistics& statistics) {
  const Grammar& grammar = compiled.grammar();
  Json warnings = Json::array();
  for (const Warning& warning : compiled.warnings()) {
    Json one = {{"message", warning.message}};
    if (!warning.pointer.empty()) one["place"] = warning.pointer;
    warnings.push_back(std::move(one));
  }
  return {{"notation", to_string(text.notation)},
          {"bytes", text.text.size()},
          {"compile_us", statistics.compile_us},
          {"first_mask_us", statistics.first_mask_us},
          {"allowed_first", statistics.allowed_first},
          {"matches_empty", statistics.matches_empty},
          {"expressions", grammar.expressions().size()},
          {"rules", grammar.rules().size()},
          {"rule_states", grammar.rule_states().size()},
          {"vocabulary", compiled.vocabulary().size()},
          {"warnings", std::move(warnings)}};
}

int run_compile(const CompileArguments& arguments) {
  const Result<GrammarText> text = arguments.grammar.read();
  if (!text) return report_error(text.error(), "", arguments.json);
  const auto vocabulary = arguments.vocabulary.load();
  if (!vocabulary) return report_error(vocabulary.error(), arguments.vocabulary.source(), arguments.json);

  Compiler compiler(*vocabulary);
  std::vector<std::uint32_t> mask((*vocabulary)->mask_words());
  const auto start = Clock::now();
  const Result<CompiledGrammar> compiled = arguments.grammar.compile(compiler, *text);
  const auto end = Clock::now();
  if (!compiled) return report_error(compiled.error(), text->source, arguments.json);
  Matcher matcher(*compiled);
  matcher.fill_mask(mask);
  const auto first_mask = Clock::now();
  if (matcher.error()) return report_error(*matcher.error(), text->source, arguments.json);

  Statistics statistics;
  statistics.compile_us = microseconds(end - start);
  statistics.first_mask_us = microseconds(first_mask - end);
  statistics.allowed_first = count_bits(mask);
  statistics.matches_empty = matcher.is_accepting();

  for (const Warning& warning : compiled->warnings()) {
    fmt::print(stderr, "warning: {}\n", warning_line(warning, text->source));
  }
  if (arguments.json) {
    print_json(statistics_json(*compiled, *text, statistics));
  } else {
    fmt::print("{}: {} bytes compiled in {:.0f} us, first mask in {:.0f} us\n", text->source, text->text.size(),
               statistics.compile_us, statistics.first_mask_us);
    fmt::print("{} expressions, {} rules with {} states; {} of {} tokens may come first{}\n",
               compiled->grammar().expressions().size(), compiled->grammar().rules().size(),
               compiled->grammar().rule_states().size(), statistics.allowed_first, (*vocabulary)->size(),
               statistics.matches_empty ? "; the empty text is in the language" : "");
  }
  return kYes;
}

}  // namespace

Verb add_compile(CLI::App& root) {
  auto arguments = std::make_shared<CompileArguments>();
  CLI::App* app = root.add_subcommand("compile", "check a grammar; warnings and errors, and statistics");
  arguments->grammar.add_to(*app);
  arguments->vocabulary.add_to(*app);
  app->add_flag("--json", arguments->json, "statistics, or the error, as one JSON object");
  return {app, [arguments] { return run_compile(*arguments); }};
}

}  // namespace weir::cli
