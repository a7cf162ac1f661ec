#include "arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "files.hpp"
#include "weir/sampler/ngram_model.hpp"

namespace weir::cli {
namespace {

constexpr std::array<std::pair<const char*, Draft>, 5> kDrafts = {{{"2020-12", Draft::kDraft2020},
                                                                   {"2019-09", Draft::kDraft2019},
                                                                   {"7", Draft::kDraft7},
                                                                   {"6", Draft::kDraft6},
                                                                   {"4", Draft::kDraft4}}};

Draft draft_named(const std::string& name) {
  for (const auto& [spelling, draft] : kDrafts) {
    if (name == spelling) return draft;
  }
  return Draft::kDraft2020;
}

}  // namespace

const char* to_string(Notation notation) noexcept {
  switch (notation) {
    case Notation::kJsonSchema: return "json-schema";
    case Notation::kEbnf: return "ebnf";
    case Notation::kGbnf: return "gbnf";
    case Notation::kLark: return "lark";
    case Notation::kRegex: break;
  }
  return "regex";
}

void GrammarArguments::add_to(CLI::App& app) {
  const auto source = [&](Notation notation, const char* type, const char* help) {
    Source& added = sources_.emplace_back(Source{nullptr, notation, {}});
    added.option = app.add_option(fmt::format("--{}", to_string(notation)), added.argument, help)
                       ->group("Grammar (exactly one; - is standard input)")
                       ->type_name(type);
  };
  source(Notation::kJsonSchema, "FILE", "a JSON Schema, drafts 4 to 2020-12");
  source(Notation::kEbnf, "FILE", "a grammar in EBNF, ISO 14977 or W3C spelling");
  source(Notation::kGbnf, "FILE", "a grammar in llama.cpp's GBNF");
  source(Notation::kLark, "FILE", "a grammar in Lark, as llguidance reads it");
  source(Notation::kRegex, "PATTERN", "an ECMA-262 regular expression for the whole text, itself or -");

  const auto belongs = [&](CLI::Option* option, std::vector<Notation> notations, const char* group) {
    option->group(group);
    notation_options_.push_back({option, std::move(notations)});
  };
  constexpr const char* kSchemaGroup = "With --json-schema";
  belongs(app.add_option("--profile", profile_,
                         "white space: any (flexible), just \", \" and \": \" (fixed), or none (compact)")
              ->check(CLI::IsMember({"flexible", "fixed", "compact"}))
              ->capture_default_str(),
          {Notation::kJsonSchema}, kSchemaGroup);
  belongs(app.add_option("--longest-whitespace", style_.longest_whitespace,
                         "flexible: at most so many characters of white space in a row")
              ->check(whole_number())
              ->type_name("N"),
          {Notation::kJsonSchema}, kSchemaGroup);
  belongs(
      app.add_option("--indent", style_.indent, "fixed: lines, indented by N blanks a level, as json.dumps has them")
          ->check(whole_number())
          ->type_name("N"),
      {Notation::kJsonSchema}, kSchemaGroup);
  belongs(app.add_option("--item-separator", style_.item_separator, "fixed: between members and between items")
              ->type_name("TEXT"),
          {Notation::kJsonSchema}, kSchemaGroup);
  belongs(
      app.add_option("--key-separator", style_.key_separator, "fixed: between a key and its value")->type_name("TEXT"),
      {Notation::kJsonSchema}, kSchemaGroup);
  belongs(app.add_option("--escapes", escapes_, "in strings: any that JSON knows, or only where they are needed")
              ->check(CLI::IsMember({"any", "needed"}))
              ->capture_default_str(),
          {Notation::kJsonSchema}, kSchemaGroup);
  belongs(app.add_option("--property-order", property_order_, "of keys: as listed in the schema, or any")
              ->check(CLI::IsMember({"listed", "any"}))
              ->capture_default_str(),
          {Notation::kJsonSchema}, kSchemaGroup);
  belongs(app.add_option("--draft", draft_, "of a schema without $schema")
              ->check(CLI::IsMember({"2020-12", "2019-09", "7", "6", "4"}))
              ->capture_default_str(),
          {Notation::kJsonSchema}, kSchemaGroup);
  belongs(
      app.add_option("--additional-properties", additional_properties_,
                     "where a schema names keys and does not say what becomes of others: they may come (open) or not")
          ->check(CLI::IsMember({"open", "closed"}))
          ->capture_default_str(),
      {Notation::kJsonSchema}, kSchemaGroup);
  belongs(app.add_flag("--ignore-formats", ignore_formats_, "treat every \"format\" as an annotation"),
          {Notation::kJsonSchema}, kSchemaGroup);
  belongs(app.add_flag("--lenient", lenient_,
                       "pass over what weir cannot keep exactly, with a warning, in place of an error"),
          {Notation::kJsonSchema}, kSchemaGroup);
  belongs(app.add_option("--start", start_,
                         "the start rule (else \"start\", of GBNF \"root\"; of EBNF also \"root\" or the first)")
              ->type_name("RULE"),
          {Notation::kEbnf, Notation::kGbnf, Notation::kLark}, "With --ebnf, --gbnf and --lark");
}

Result<GrammarText> GrammarArguments::read() const {
  const Source* chosen = nullptr;
  for (const Source& source : sources_) {
    if (source.option->count() == 0) continue;
    if (chosen != nullptr) {
      return make_error(ErrorCode::kArgument, fmt::format("both {} and {} name a grammar; give exactly one",
                                                          chosen->option->get_name(), source.option->get_name()));
    }
    chosen = &source;
  }
  if (chosen == nullptr) {
    return make_error(ErrorCode::kArgument,
                      "no grammar is named; give one of --json-schema FILE, --ebnf FILE, --gbnf FILE, --lark FILE or "
                      "--regex PATTERN");
  }
  for (const NotationOption& option : notation_options_) {
    const bool belongs =
        std::find(option.belongs_to.begin(), option.belongs_to.end(), chosen->notation) != option.belongs_to.end();
    if (option.option->count() != 0 && !belongs) {
      return make_error(ErrorCode::kArgument, fmt::format("{} does not go with {}; leave it out",
                                                          option.option->get_name(), chosen->option->get_name()));
    }
  }
  const std::string& path = chosen->argument;
  if (chosen->notation == Notation::kRegex && path != "-") return GrammarText{Notation::kRegex, path, "--regex", false};
  Result<std::string> text = read_file(path, Limits{}.max_text_bytes);
  if (!text) return text.error();
  // A pattern piped by echo ends with a line end that nobody meant.
  if (chosen->notation == Notation::kRegex && text->ends_with('\n')) text->pop_back();
  return GrammarText{chosen->notation, std::move(*text), display_name(path), path == "-"};
}

Result<CompiledGrammar> GrammarArguments::compile(Compiler& compiler, const GrammarText& grammar) const {
  switch (grammar.notation) {
    case Notation::kEbnf: return compiler.compile_ebnf(grammar.text, {.start = start_});
    case Notation::kGbnf: return compiler.compile_gbnf(grammar.text, {.start = start_});
    case Notation::kLark: return compiler.compile_lark(grammar.text, {.start = start_});
    case Notation::kRegex: return compiler.compile_regex(grammar.text);
    case Notation::kJsonSchema: break;
  }
  JsonSchemaOptions options;
  options.default_draft = draft_named(draft_);
  options.style = style_;
  // Whoever says how lines or separators are written need not add that they are fixed.
  const bool exact = style_.indent || style_.item_separator || style_.key_separator;
  options.style.flexible_whitespace = profile_ == "flexible" && !exact;
  if (profile_ == "compact") {
    if (!style_.item_separator) options.style.item_separator = ",";
    if (!style_.key_separator) options.style.key_separator = ":";
  }
  options.style.any_escape = escapes_ == "any";
  options.any_property_order = property_order_ == "any";
  options.assert_formats = !ignore_formats_;
  options.lenient = lenient_;
  options.closed_objects = additional_properties_ == "closed";
  return compiler.compile_json_schema(grammar.text, std::move(options));
}

CLI::Validator whole_number() {
  const auto check = [](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return {};
    return fmt::format("{} is no whole number from 0 to 2^64 - 1", text);
  };
  return CLI::Validator(check, "", "whole number");
}

void VocabularyArgument::add_to(CLI::App& app) {
  option_ = app.add_option("--tokenizer", file_,
                           "the vocabulary: tokenizer.json, tiktoken ranks, GGUF, tekken.json or SentencePiece .model "
                           "(else the embedded model's)")
                ->type_name("FILE");
}

Result<std::shared_ptr<const Vocabulary>> VocabularyArgument::load() const {
  if (option_->count() == 0) {
    Result<std::unique_ptr<NgramModel>> model = NgramModel::embedded();
    if (!model) return model.error();
    return (*model)->vocabulary();
  }
  Result<Vocabulary> vocabulary = Vocabulary::from_file(file_);
  if (!vocabulary) return vocabulary.error();
  return std::make_shared<const Vocabulary>(std::move(*vocabulary));
}

}  // namespace weir::cli
