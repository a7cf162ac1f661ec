// What a lenient compile does without: keywords that weir refuses, and those that would turn a looser schema into a
// stricter one. Private to grammar/schema.
//
// The language must not lose a text. Without one of its keywords a schema holds for more instances, and so does every
// schema that uses it, but for `not`, `if` and maxContains, which are passed over in turn, and for oneOf, which is read
// as anyOf. Where a reference or a condition is missing, nobody knows what it would have evaluated: then
// unevaluatedProperties and unevaluatedItems are passed over too.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "schema/diagnostics.hpp"
#include "schema/json_document.hpp"
#include "schema/references.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir::schema {

class Lenient {
 public:
  Lenient(JsonDocument document, const JsonSchemaOptions& options);

  // A compile failed at a keyword that it could not keep: the next one does without. False: that was tried already.
  bool pass_over(JsonId place, const Error& error);
  const PassedOver& passed_over() const { return passed_over_; }
  std::vector<Warning> take_warnings() { return std::move(warnings_); }

 private:
  void find_uses();
  bool drop(JsonId keyword, std::string_view why);
  void loosen(JsonId schema);
  void loosen_user(JsonId keyword, JsonId schema);
  void forget_what_is_evaluated();

  JsonDocument copy_;  // references may append to it
  JsonDocument* document_;
  Diagnostics quiet_;
  References references_;
  std::unordered_map<JsonId, std::vector<JsonId>> users_;  // by schema: those that refer to it
  std::unordered_set<JsonId> loose_;                       // schemas that hold for more instances than they say
  std::vector<JsonId> pending_;
  PassedOver passed_over_;
  std::vector<Warning> warnings_;
};

}  // namespace weir::schema
