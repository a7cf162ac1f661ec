// weir generate: a language model writes a text of the language.
#include "weir/sampler/generate.hpp"

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "arguments.hpp"
#include "command.hpp"
#include "output.hpp"
#include "weir/sampler/model.hpp"

namespace weir::cli {
namespace {

struct GenerateArguments {
  GrammarArguments grammar{"needed"};
  std::string model = "embedded";
  ModelOptions model_options;
  bool no_chat = false;
  std::string prompt;
  GenerateOptions options;
  std::uint32_t count = 1;
  CLI::Option* count_option = nullptr;
  bool jsonl = false;
  bool show_steps = false;
};

void show_step(const GenerateStep& step, const Vocabulary& vocabulary) {
  const bool special = vocabulary.kind(step.token) == TokenKind::kSpecial;
  fmt::print(stderr, "{:>5}  {:>7}  {}{}\n", step.index + 1, step.allowed,
             in_quotes(special ? vocabulary.spelling(step.token) : step.bytes), step.complete ? "  (complete)" : "");
}

void print_text(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  // The text alone, byte for byte, for programs; people get a line end.
  if (isatty(STDOUT_FILENO) != 0) std::fputc('\n', stdout);
}

void print_generation_json(const Generation& generation) {
  Json json;
  put_text(json, "text", "bytes", generation.text);
  json["finish_reason"] = to_string(generation.finish_reason);
  json["tokens"] = generation.tokens.size();
  json["logprob"] = std::isfinite(generation.logprob) ? Json(generation.logprob) : Json(nullptr);
  json["complete"] = generation.complete;
  print_json(json);
}

void report_unfinished(const Generation& generation) {
  const char* remedy = generation.finish_reason == FinishReason::kDeadEnd
                           ? "the vocabulary cannot spell any continuation; use another --model"
                           : "raise --max-tokens, or bound the grammar";
  fmt::print(stderr, "error: stopped after {} tokens, before the text was complete (finish reason {}): {}\n",
             generation.tokens.size(), to_string(generation.finish_reason), remedy);
}

int run_generate(GenerateArguments& arguments) {
  const bool jsonl = arguments.jsonl || arguments.count_option->count() != 0;
  const Result<GrammarText> grammar = arguments.grammar.read();
  if (!grammar) return report_error(grammar.error(), "", jsonl);
  arguments.model_options.chat = !arguments.no_chat;
  const auto model = open_model(arguments.model, arguments.model_options);
  if (!model) return report_error(model.error(), arguments.model == "embedded" ? "" : arguments.model, jsonl);
  const Vocabulary& vocabulary = *(*model)->vocabulary();
  Compiler compiler((*model)->vocabulary());
  const Result<CompiledGrammar> compiled = arguments.grammar.compile(compiler, *grammar);
  if (!compiled) return report_error(compiled.error(), grammar->source, jsonl);

  if (arguments.show_steps) {
    arguments.options.observer = [&](const GenerateStep& step) {
      show_step(step, vocabulary);
      return true;
    };
    fmt::print(stderr, " step  allowed  token\n");
  }
  int exit_code = kYes;
  for (std::uint32_t i = 0; i < arguments.count; ++i) {
    arguments.options.sampler.stream = i;
    const Result<Generation> generation = generate(**model, *compiled, arguments.prompt, arguments.options);
    if (!generation) return report_error(generation.error(), "", jsonl);
    jsonl ? print_generation_json(*generation) : print_text(generation->text);
    if (!generation->complete) {
      report_unfinished(*generation);
      exit_code = kUnfinished;
    }
  }
  return exit_code;
}

}  // namespace

Verb add_generate(CLI::App& root) {
  auto arguments = std::make_shared<GenerateArguments>();
  GenerateArguments& a = *arguments;
  CLI::App* app = root.add_subcommand("generate", "a model writes a text of the language. Exit 3: stopped too early");
  a.grammar.add_to(*app);
  app->add_option("--model", a.model, "embedded, or a GGUF file for llama.cpp")
      ->capture_default_str()
      ->type_name("MODEL");
  app->add_option("--prompt", a.prompt, "what the model is asked")->type_name("TEXT");
  app->add_option("--max-tokens", a.options.max_tokens, "stop after so many")
      ->check(whole_number())
      ->capture_default_str()
      ->type_name("N");
  SamplerOptions& sampler = a.options.sampler;
  app->add_option("--temperature", sampler.temperature, "0 is greedy")->capture_default_str()->type_name("T");
  app->add_option("--top-k", sampler.top_k, "keep the K most probable tokens; 0: off")
      ->check(whole_number())
      ->capture_default_str()
      ->type_name("K");
  app->add_option("--top-p", sampler.top_p, "keep the most probable that sum to P; 1: off")
      ->capture_default_str()
      ->type_name("P");
  app->add_option("--min-p", sampler.min_p, "keep those of A times the greatest probability; 0: off")
      ->capture_default_str()
      ->type_name("A");
  app->add_option("--seed", sampler.seed, "the same seed gives the same text")
      ->check(whole_number())
      ->capture_default_str()
      ->type_name("S");
  a.count_option = app->add_option("-n", a.count, "so many texts, one JSON object a line")
                       ->check(CLI::Range(std::uint32_t{1}, std::uint32_t{1'000'000'000}))
                       ->type_name("N");
  app->add_flag("--stop-on-accepting", a.options.stop_on_accepting, "stop as soon as the text is complete");
  app->add_flag("--jsonl", a.jsonl, "one JSON object a line: text, finish_reason, tokens, logprob");
  app->add_flag("--show-steps", a.show_steps, "each step on standard error: tokens allowed, token taken");
  app->add_option("--context", a.model_options.context, "the most tokens of prompt and text (GGUF models)")
      ->check(whole_number())
      ->capture_default_str()
      ->type_name("N");
  app->add_option("--threads", a.model_options.threads, "0: half the cores, at most 8 (GGUF models)")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str()
      ->type_name("N");
  app->add_flag("--no-chat", a.no_chat, "give the model the prompt as it is, without its chat template");
  return {app, [arguments] { return run_generate(*arguments); }};
}

}  // namespace weir::cli
