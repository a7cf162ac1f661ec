// weir accepts: is a text in the language, and if not, where does it leave it?
#include <cstdio>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "arguments.hpp"
#include "command.hpp"
#include "files.hpp"
#include "output.hpp"
#include "rejection.hpp"
#include "weir/automata/matcher.hpp"

namespace weir::cli {
namespace {

struct AcceptsArguments {
  GrammarArguments grammar;
  VocabularyArgument vocabulary;
  std::string text = "-";
  bool json = false;
};

int run_accepts(const AcceptsArguments& arguments) {
  const Result<GrammarText> grammar = arguments.grammar.read();
  if (!grammar) return report_error(grammar.error(), "", arguments.json);
  if (grammar->from_stdin && arguments.text == "-") {
    return report_error(
        make_error(ErrorCode::kArgument,
                   "the grammar and the text cannot both come from standard input; name a file for one"),
        "", arguments.json);
  }
  const Result<std::string> text = read_file(arguments.text, Limits{}.max_text_bytes);
  if (!text) return report_error(text.error(), "", arguments.json);
  const auto vocabulary = arguments.vocabulary.load();
  if (!vocabulary) return report_error(vocabulary.error(), arguments.vocabulary.source(), arguments.json);

  Compiler compiler(*vocabulary);
  const Result<CompiledGrammar> compiled = arguments.grammar.compile(compiler, *grammar);
  if (!compiled) return report_error(compiled.error(), grammar->source, arguments.json);

  Matcher matcher(*compiled);
  const std::optional<Rejection> rejection = find_rejection(matcher, *text, /*must_be_complete=*/true);
  if (matcher.error()) return report_error(*matcher.error(), grammar->source, arguments.json);
  if (rejection) {
    fmt::print(stderr, "{}\n", rejection_line(*rejection, display_name(arguments.text)));
    if (arguments.json) print_json(rejection_json(*rejection));
    return kNo;
  }
  if (arguments.json) print_json({{"accepted", true}, {"bytes", text->size()}});
  return kYes;
}

}  // namespace

Verb add_accepts(CLI::App& root) {
  auto arguments = std::make_shared<AcceptsArguments>();
  CLI::App* app = root.add_subcommand("accepts", "is this text in the language? Exit 0: yes; 1: no, and where");
  arguments->grammar.add_to(*app);
  arguments->vocabulary.add_to(*app);
  app->add_flag("--json", arguments->json, "the verdict, or the error, as one JSON object");
  app->add_option("TEXT", arguments->text, "a file with the text, taken byte for byte; - is standard input")
      ->capture_default_str();
  return {app, [arguments] { return run_accepts(*arguments); }};
}

}  // namespace weir::cli
