#include <memory>
#include <utility>

#include "schema/compilation.hpp"
#include "schema/json_source.hpp"
#include "schema/style.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir {

Result<Grammar> parse_json_schema(std::string_view text, const JsonSchemaOptions& options) {
  auto notation = schema::notation_of(options.style);
  if (!notation) return notation.error();
  auto document = schema::JsonDocument::parse(text, options.limits);
  if (!document) return document.error();
  const std::shared_ptr<ExprArena> arena = options.arena ? options.arena : std::make_shared<ExprArena>(options.limits);
  auto compilation = std::make_unique<schema::Compilation>(std::move(*document), options, arena);
  compilation->options.resolver = nullptr;  // all documents are loaded; the grammar need not keep it
  compilation->run();
  if (compilation->diagnostics.failed()) return compilation->diagnostics.error();
  std::vector<Warning> warnings = compilation->diagnostics.take_warnings();
  auto source = std::make_shared<schema::JsonSource>(std::move(compilation), *std::move(notation));
  if (!source->counters_fit()) {
    return error_at_pointer(ErrorCode::kLimit, "",
                            "the lengths of strings in this schema add up to more than 2^32; lower some maxLength");
  }
  const ValueId start = source->root();
  return Grammar::from_value(arena, std::move(source), start, std::move(warnings));
}

}  // namespace weir
