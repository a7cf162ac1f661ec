#include "weir/automata/compiler.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "compiled_grammar.hpp"
#include "weir/automata/matcher.hpp"
#include "weir/grammar/detail/common.hpp"

namespace weir {

const Vocabulary& CompiledGrammar::vocabulary() const noexcept { return *data_->tables->vocabulary; }
const Grammar& CompiledGrammar::grammar() const noexcept { return data_->grammar; }

struct Compiler::Impl {
  Impl(std::shared_ptr<const Vocabulary> v, const Limits& l)
      : vocabulary(std::move(v)), limits(l), tables(std::make_shared<VocabularyTables>(vocabulary)) {
    common_frames = std::make_shared<FrameCache>(tables, nullptr, 0);
    reset();
  }

  // An arena whose budget ran out serves the grammars it has; the next one starts with a new arena.
  const std::shared_ptr<ExprArena>& usable_arena() {
    if (arena->exhausted()) reset();
    return arena;
  }

  void reset() {
    arena = std::make_shared<ExprArena>(limits);
    const auto common = detail::install_common_expressions(*arena);
    frames = std::make_shared<FrameCache>(tables, common_frames.get(), common.limit);
  }

  std::mutex mutex;
  std::shared_ptr<const Vocabulary> vocabulary;
  Limits limits;
  std::shared_ptr<const VocabularyTables> tables;
  std::shared_ptr<FrameCache> common_frames;
  std::shared_ptr<ExprArena> arena;
  std::shared_ptr<FrameCache> frames;
};

Compiler::Compiler(std::shared_ptr<const Vocabulary> vocabulary, const Limits& limits)
    : impl_(std::make_unique<Impl>(std::move(vocabulary), limits)) {
  // The frames that belong to the vocabulary, made now rather than in somebody's first masks: those of any JSON text.
  std::vector<std::uint32_t> mask(impl_->vocabulary->mask_words());
  for (const std::string_view schema : {"true", R"({"type": ["integer", "boolean"]})"}) {
    const auto any = compile_json_schema(schema);
    if (!any) continue;
    for (const std::string_view prefix :
         {"",  "\"", "\"\\", "\"\\u", "\"a", "{",  "{\"a", "{\"a\"", "{\"a\":", "[", "[1", "-",
          "0", "1",  "12",   "1.",    "1.5", "1e", "1e+",  "1e5",    "true",    "t", "-1"}) {
      Matcher matcher(*any);
      if (prefix.empty() || matcher.accept_bytes(prefix)) matcher.fill_mask(mask);
    }
  }
}
Compiler::~Compiler() = default;
Compiler::Compiler(Compiler&&) noexcept = default;

const std::shared_ptr<const Vocabulary>& Compiler::vocabulary() const noexcept { return impl_->vocabulary; }
std::size_t Compiler::vocabulary_bytes() const {
  return impl_->tables->memory_bytes() + impl_->common_frames->memory_bytes();
}
const std::shared_ptr<ExprArena>& Compiler::arena() const noexcept { return impl_->arena; }

Result<CompiledGrammar> Compiler::compile(Grammar grammar) {
  const std::lock_guard lock(impl_->mutex);
  return bind(std::move(grammar));
}

Result<CompiledGrammar> Compiler::bind(Grammar grammar) {
  if (grammar.expressions().exhausted()) {
    return make_error(ErrorCode::kLimit,
                      "the grammar's expressions outgrew max_expressions, max_automaton_states or "
                      "max_emptiness_states; simplify its patterns or raise the limit");
  }
  // Frames are keyed by expression ids, which mean something in one arena only.
  auto frames =
      grammar.arena() == impl_->arena ? impl_->frames : std::make_shared<FrameCache>(impl_->tables, nullptr, 0);
  return CompiledGrammar(std::make_shared<CompiledGrammarData>(std::move(grammar), impl_->tables, impl_->common_frames,
                                                               std::move(frames), impl_->limits));
}

template <class Options>
Result<CompiledGrammar> Compiler::compile_text(FrontEnd<Options> parse, std::string_view text, Options options) {
  Options again = options;
  return compile_text(parse, text, std::move(options), std::move(again));
}

// `again`: for the same text once more, at any time.
template <class Options>
Result<CompiledGrammar> Compiler::compile_text(FrontEnd<Options> parse, std::string_view text, Options options,
                                               Options again) {
  const std::lock_guard lock(impl_->mutex);
  if (!options.arena) options.arena = impl_->usable_arena();
  auto grammar = parse(text, options);
  if (!grammar) return grammar.error();
  auto compiled = bind(*std::move(grammar));
  if (compiled) {
    again.arena = nullptr;
    compiled->data_->remake = [parse, kept = std::string(text), again = std::move(again)](const auto& arena) {
      Options with_arena = again;
      with_arena.arena = arena;
      return parse(kept, with_arena);
    };
  }
  return compiled;
}

Result<CompiledGrammar> Compiler::compile_json_schema(std::string_view schema, JsonSchemaOptions options) {
  if (!options.resolver) return compile_text(&parse_json_schema, schema, std::move(options));
  // Whoever resolves may be gone when the schema is read again: what was said is kept.
  auto known = std::make_shared<std::map<std::string, std::string, std::less<>>>();
  JsonSchemaOptions again = options;
  again.resolver = [known](std::string_view uri) -> Result<std::string> {
    const auto it = known->find(uri);
    if (it == known->end()) return make_error(ErrorCode::kIo, "nobody asked for this document before");
    return it->second;
  };
  options.resolver = [known, ask = std::move(options.resolver)](std::string_view uri) {
    Result<std::string> text = ask(uri);
    if (text) known->emplace(uri, *text);
    return text;
  };
  return compile_text(&parse_json_schema, schema, std::move(options), std::move(again));
}

Result<CompiledGrammar> Compiler::compile_ebnf(std::string_view text, EbnfOptions options) {
  return compile_text(&parse_ebnf, text, std::move(options));
}

Result<CompiledGrammar> Compiler::compile_gbnf(std::string_view text, GbnfOptions options) {
  return compile_text(&parse_gbnf, text, std::move(options));
}

Result<CompiledGrammar> Compiler::compile_lark(std::string_view text, LarkOptions options) {
  return compile_text(&parse_lark, text, std::move(options));
}

Result<CompiledGrammar> Compiler::compile_regex(std::string_view pattern, RegexOptions options) {
  return compile_text(&parse_regex, pattern, std::move(options));
}

void Compiler::clear_caches() {
  const std::lock_guard lock(impl_->mutex);
  impl_->reset();
}

}  // namespace weir
