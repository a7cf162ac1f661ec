// Whether so many different values match: what a list of distinct items needs to know before it asks for more of them.
// Counts what is written with no space and no escapes, and gives up early: "no" may mean that nobody counted that far.
// Private to grammar/schema.
#pragma once

#include <cstdint>
#include <vector>

#include "schema/expander.hpp"
#include "schema/liveness.hpp"
#include "schema/residuals.hpp"

namespace weir::schema {

class Cardinality {
 public:
  Cardinality(Expander& expander, Residuals& residuals, Liveness& liveness)
      : expander_(&expander), residuals_(&residuals), liveness_(&liveness) {}

  // True: at least `count` different JSON values match.
  bool at_least(ValueId id, std::uint64_t count);

 private:
  bool texts_at_least(const ValueSpec& spec, std::uint64_t count);
  bool numbers_at_least(const ValueSpec& spec, std::uint64_t count);
  bool record_at_least(ShapeId id, std::uint64_t count);
  bool list_at_least(ShapeId id, std::uint64_t count);
  // So many values for certain, `most` at the most.
  std::uint64_t count_up_to(ValueId id, std::uint64_t most);

  Expander* expander_;
  Residuals* residuals_;
  Liveness* liveness_;
  std::vector<ValueId> path_;  // values being counted: one within itself counts for nothing
};

}  // namespace weir::schema
