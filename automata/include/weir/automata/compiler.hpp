// Grammars bound to a vocabulary.
//
//   auto vocabulary = std::make_shared<const weir::Vocabulary>(*weir::Vocabulary::from_file("tokenizer.json"));
//   weir::Compiler compiler(vocabulary);
//   auto grammar = compiler.compile_json_schema(R"({"type": "object"})");
//   if (!grammar) return grammar.error();
//   weir::Matcher matcher(*grammar);
//
// A Compiler owns what grammars over one vocabulary share: the token tries and frame tables (made once, from the
// vocabulary alone) and the arena of expressions with their automata and token sets (filled on demand).
//
// Thread safety: compile calls of one Compiler take turns inside; a CompiledGrammar may serve any number of matchers
// on any number of threads.
#pragma once

#include <memory>
#include <string_view>

#include "weir/automata/vocabulary.hpp"
#include "weir/grammar/frontends.hpp"
#include "weir/grammar/grammar.hpp"
#include "weir/grammar/limits.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

class CompiledGrammarData;  // private

// A handle; copying it copies a pointer.
class CompiledGrammar {
 public:
  const Vocabulary& vocabulary() const noexcept;
  const Grammar& grammar() const noexcept;
  std::span<const Warning> warnings() const noexcept { return grammar().warnings(); }

 private:
  friend class Compiler;
  friend class Matcher;
  explicit CompiledGrammar(std::shared_ptr<CompiledGrammarData> data) : data_(std::move(data)) {}
  std::shared_ptr<CompiledGrammarData> data_;
};

class Compiler {
 public:
  explicit Compiler(std::shared_ptr<const Vocabulary> vocabulary, const Limits& limits = {});
  ~Compiler();
  Compiler(Compiler&&) noexcept;

  const std::shared_ptr<const Vocabulary>& vocabulary() const noexcept;
  // Memory of the tables made from the vocabulary alone, in bytes, as allocated: tries, sets of tokens, what tokens do
  // in quoted text. They are made once, in the constructor, but for rare places that a grammar adds. O(size of the
  // tables).
  std::size_t vocabulary_bytes() const;
  // The arena that this compiler's grammars share; pass it to a front end to have its automata shared too. It changes
  // with clear_caches, and when a grammar has used up its budget. Not to be called while compile runs.
  const std::shared_ptr<ExprArena>& arena() const noexcept;

  // Any grammar, from any front end.
  Result<CompiledGrammar> compile(Grammar grammar);

  // Front end and compile in one. The options' arena is the compiler's own unless set.
  Result<CompiledGrammar> compile_json_schema(std::string_view schema, JsonSchemaOptions options = {});
  Result<CompiledGrammar> compile_ebnf(std::string_view text, EbnfOptions options = {});
  Result<CompiledGrammar> compile_gbnf(std::string_view text, GbnfOptions options = {});
  Result<CompiledGrammar> compile_lark(std::string_view text, LarkOptions options = {});
  Result<CompiledGrammar> compile_regex(std::string_view pattern, RegexOptions options = {});

  // Forgets everything but the tables made from the vocabulary alone: the next grammar starts as if it were the first.
  // Grammars compiled before keep what they use. Not to be called while compile runs.
  void clear_caches();

 private:
  struct Impl;
  template <class Options>
  using FrontEnd = Result<Grammar> (*)(std::string_view text, const Options& options);
  template <class Options>
  Result<CompiledGrammar> compile_text(FrontEnd<Options> parse, std::string_view text, Options options);
  template <class Options>
  Result<CompiledGrammar> compile_text(FrontEnd<Options> parse, std::string_view text, Options options, Options again);
  Result<CompiledGrammar> bind(Grammar grammar);  // under the lock
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
