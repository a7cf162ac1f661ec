#include <memory>
#include <utility>
#include <vector>

#include "schema/compilation.hpp"
#include "schema/json_source.hpp"
#include "schema/lenient.hpp"
#include "schema/style.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir {
namespace {

using Compiled = Result<std::unique_ptr<schema::Compilation>>;

Compiled compile(schema::JsonDocument document, const JsonSchemaOptions& options,
                 const std::shared_ptr<ExprArena>& arena, std::shared_ptr<const schema::PassedOver> without) {
  auto compilation = std::make_unique<schema::Compilation>(std::move(document), options, arena, std::move(without));
  compilation->options.resolver = nullptr;  // all documents are loaded; the grammar need not keep it
  compilation->run();
  if (compilation->diagnostics.failed()) return compilation->diagnostics.error();
  return compilation;
}

// Compiles again and again, each time without what was refused last.
Compiled compile_leniently(const schema::JsonDocument& document, const JsonSchemaOptions& options,
                           const std::shared_ptr<ExprArena>& arena, std::vector<Warning>& warnings) {
  std::unique_ptr<schema::Lenient> lenient;
  std::shared_ptr<const schema::PassedOver> without;
  for (;;) {
    auto compilation = std::make_unique<schema::Compilation>(document, options, arena, without);
    compilation->options.resolver = nullptr;
    compilation->run();
    const schema::Diagnostics& diagnostics = compilation->diagnostics;
    if (!diagnostics.failed()) {
      if (lenient) warnings = lenient->take_warnings();
      return compilation;
    }
    const Error error = diagnostics.error();
    if (error.code != ErrorCode::kUnsupported) return error;
    if (!lenient) lenient = std::make_unique<schema::Lenient>(document, options);
    if (!lenient->pass_over(compilation->document.origin(diagnostics.error_place()), error)) return error;
    without = std::make_shared<const schema::PassedOver>(lenient->passed_over());
  }
}

}  // namespace

Result<Grammar> parse_json_schema(std::string_view text, const JsonSchemaOptions& options) {
  auto notation = schema::notation_of(options.style);
  if (!notation) return notation.error();
  auto document = schema::JsonDocument::parse(text, options.limits);
  if (!document) return document.error();
  const std::shared_ptr<ExprArena> arena = options.arena ? options.arena : std::make_shared<ExprArena>(options.limits);
  std::vector<Warning> warnings;
  auto compiled = options.lenient ? compile_leniently(*document, options, arena, warnings)
                                  : compile(*std::move(document), options, arena, nullptr);
  if (!compiled) return compiled.error();
  std::unique_ptr<schema::Compilation> compilation = *std::move(compiled);
  for (Warning& warning : compilation->diagnostics.take_warnings()) warnings.push_back(std::move(warning));
  auto source = std::make_shared<schema::JsonSource>(std::move(compilation), *std::move(notation));
  if (!source->counters_fit()) {
    return error_at_pointer(ErrorCode::kLimit, "",
                            "the lengths of strings in this schema add up to more than 2^32; lower some maxLength");
  }
  const ValueId start = source->root();
  return Grammar::from_value(arena, std::move(source), start, std::move(warnings));
}

}  // namespace weir
