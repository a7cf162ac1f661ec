// All that it takes to expand a schema, alive as long as its grammar: what no mask has asked for yet is expanded when
// one does. Private to grammar/schema.
#pragma once

#include <memory>
#include <utility>

#include "schema/cardinality.hpp"
#include "schema/expander.hpp"
#include "schema/liveness.hpp"
#include "schema/residuals.hpp"

namespace weir::schema {

struct Compilation {
  JsonDocument document;
  JsonSchemaOptions options;
  std::shared_ptr<ExprArena> arena;
  std::shared_ptr<const PassedOver> without;
  Diagnostics diagnostics;
  Expander expander{document, options, *arena, diagnostics};
  Residuals residuals{expander};
  Liveness liveness{expander, residuals};
  Cardinality cardinality{expander, residuals, liveness};

  // `passed_over`: what to do without; must outlive the compilation.
  Compilation(JsonDocument text, JsonSchemaOptions given, std::shared_ptr<ExprArena> used,
              std::shared_ptr<const PassedOver> passed_over = nullptr)
      : document(std::move(text)),
        options(std::move(given)),
        arena(std::move(used)),
        without(std::move(passed_over)),
        diagnostics(document, without.get()) {}
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  // Expands what the root reaches, decides what is alive, and lets values that mean the same share one id. Errors go to
  // the diagnostics.
  void run();
  // Whether items enough are left after a captured one for a list that must have more; if nobody can tell, that is an
  // error.
  bool enough_distinct(const Alternative& way);
  // The first value that means the same.
  ValueId settled(ValueId id) const { return id < same.size() ? same[id] : id; }

  std::vector<ValueId> same;
};

}  // namespace weir::schema
