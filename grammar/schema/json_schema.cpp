#include <memory>
#include <utility>

#include <fmt/format.h>

#include "schema/expander.hpp"
#include "schema/json_source.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir {

Result<Grammar> parse_json_schema(std::string_view text, const JsonSchemaOptions& options) {
  auto document = schema::JsonDocument::parse(text, options.limits);
  if (!document) return document.error();
  const std::shared_ptr<ExprArena> arena = options.arena ? options.arena : std::make_shared<ExprArena>(options.limits);
  schema::Diagnostics diagnostics(*document);
  schema::CompiledSchema compiled = schema::Expander(*document, options, *arena, diagnostics).expand();
  if (diagnostics.failed()) return diagnostics.error();
  if (!settle(compiled)) {
    return error_at_pointer(ErrorCode::kUnsatisfiable, "",
                            fmt::format("no JSON text satisfies this schema: {}", explain_dead(compiled)));
  }
  auto source = std::make_shared<schema::JsonSource>(std::move(compiled), arena, options);
  if (!source->counters_fit()) {
    return error_at_pointer(ErrorCode::kLimit, "",
                            "the lengths of strings in this schema add up to more than 2^32; lower some maxLength");
  }
  const ValueId start = source->root();
  return Grammar::from_value(arena, std::move(source), start, diagnostics.take_warnings());
}

}  // namespace weir
