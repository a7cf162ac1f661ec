// The arguments that all verbs share: which grammar, read how, over which vocabulary.
#pragma once

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

enum class Notation { kJsonSchema, kEbnf, kRegex };

struct GrammarText {
  Notation notation = Notation::kJsonSchema;
  std::string text;
  std::string source;       // how messages call it
  bool from_stdin = false;  // so nothing else can be read from there
};

// Exactly one of --json-schema, --ebnf and --regex, and the options of each notation. Must outlive the parsing.
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
  std::string json_schema_;
  std::string ebnf_;
  std::string regex_;
  std::string profile_ = "flexible";
  std::string escapes_;
  std::string property_order_ = "listed";
  std::string draft_ = "2020-12";
  bool ignore_formats_ = false;
  std::string start_;

  struct Source {
    CLI::Option* option;
    Notation notation;
  };
  struct NotationOption {
    CLI::Option* option;
    Notation belongs_to;
  };
  std::vector<Source> sources_;
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
