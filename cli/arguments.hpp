// The arguments that all verbs share: which grammar, read how, over which vocabulary.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "weir/automata/compiler.hpp"
#include "weir/automata/vocabulary.hpp"
#include "weir/grammar/frontends.hpp"
#include "weir/grammar/result.hpp"

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace weir::cli {

enum class Notation { kJsonSchema, kEbnf, kGbnf, kLark, kRegex };

// As options and results call it: "json-schema", "ebnf", ...
const char* to_string(Notation notation) noexcept;

struct GrammarText {
  Notation notation = Notation::kJsonSchema;
  std::string text;
  std::string source;       // how messages call it
  bool from_stdin = false;  // so nothing else can be read from there
};

// Exactly one of --json-schema, --ebnf, --gbnf, --lark and --regex, and the options of each notation. Must outlive the
// parsing.
class GrammarArguments {
 public:
  // `escapes` is the default of --escapes: what a command reads or what it writes.
  explicit GrammarArguments(std::string escapes = "any") : escapes_(std::move(escapes)) {}

  void add_to(CLI::App& app);
  // The text that was named. kArgument unless exactly one grammar is named and the options belong to its notation;
  // kIo, kLimit.
  Result<GrammarText> read() const;
  Result<CompiledGrammar> compile(Compiler& compiler, const GrammarText& grammar) const;

 private:
  std::string profile_ = "flexible";
  JsonStyle style_;  // but for what the profile and the escapes say
  std::string escapes_;
  std::string property_order_ = "listed";
  std::string additional_properties_ = "open";
  std::string draft_ = "2020-12";
  bool ignore_formats_ = false;
  bool lenient_ = false;
  std::string start_;

  struct Source {
    CLI::Option* option;
    Notation notation;
    std::string argument;  // a file's name; of --regex the pattern
  };
  struct NotationOption {
    CLI::Option* option;
    std::vector<Notation> belongs_to;
  };
  std::deque<Source> sources_;  // CLI11 keeps pointers to the arguments
  std::vector<NotationOption> notation_options_;
};

// For options that take a whole number: decimal digits, less than 2^64. CLI11's own conversion lets -1 wrap around.
CLI::Validator whole_number();

// --tokenizer FILE.
class VocabularyArgument {
 public:
  void add_to(CLI::App& app);
  // The file's vocabulary, or the embedded model's.
  Result<std::shared_ptr<const Vocabulary>> load() const;
  // For messages: the file's name, or "".
  const std::string& source() const noexcept { return file_; }

 private:
  std::string file_;
  CLI::Option* option_ = nullptr;
};

}  // namespace weir::cli
