// Combinators, negation, dependencies, unevaluated, contains, uniqueItems: small schemas with their verdicts, most of
// them traps. The judge of what a grammar accepts is the slow walker, in any order of keys.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/structure_walker.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir {
namespace {

struct Case {
  const char* schema;
  std::vector<const char*> valid;
  std::vector<const char*> invalid;
};

class SchemaAlgebra : public testing::TestWithParam<Case> {};

void check(const Case& c, JsonSchemaOptions options = {}) {
  SCOPED_TRACE(c.schema);
  options.any_property_order = true;
  const auto grammar = parse_json_schema(c.schema, options);
  ASSERT_TRUE(grammar.ok()) << grammar.error().to_string();
  reference::StructureWalker walker(*grammar);
  for (const char* text : c.valid) EXPECT_TRUE(walker.accepts(text)) << text;
  for (const char* text : c.invalid) EXPECT_FALSE(walker.accepts(text)) << text;
}

TEST_P(SchemaAlgebra, Verdicts) { check(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Not, SchemaAlgebra,
    testing::Values(
        Case{R"({"not":{"type":"string"}})", {"1", "null", "[]", "{}"}, {R"("a")"}},
        Case{R"({"not":{"pattern":"^a"}})", {R"("b")", R"("")"}, {"5", R"("ab")", "{}"}},
        Case{R"({"not":{"required":["a"]}})", {"{}", R"({"b":1})"}, {"5", R"({"a":1})", "[]"}},
        Case{R"({"not":{"properties":{"a":{"type":"string"}}}})", {R"({"a":1})"}, {"{}", "[]", R"({"a":"x"})"}},
        Case{R"({"type":"object","not":{"properties":{"a":{"const":1}},"required":["a"]}})",
             {"{}", R"({"a":2})", R"({"b":1})"},
             {R"({"a":1})", R"({"b":1,"a":1})"}},
        Case{R"({"not":{"not":{"type":"integer"}}})", {"1", "1.0", "1e2"}, {"1.5", R"("1")"}},
        Case{R"({"not":{"enum":[1,"a",[0],{"x":null}]}})",
             {"2", "0.1", R"("b")", "[1]", "[false]", R"({"x":0})", R"({"x":null,"y":1})", "true"},
             {"1", "1.0", R"("a")", "[0]", R"({"x":null})"}},
        Case{R"({"type":"number","not":{"type":"integer"}})", {"1.5", "-0.25"}, {"1", "1.0", "2e1"}},
        Case{R"({"$ref":"#/$defs/a","not":{"const":2},"$defs":{"a":{"type":"integer"}}})", {"1"}, {"2", R"("a")"}},
        Case{R"({"type":"string","not":{"format":"date"}})", {R"("x")"}, {R"("2024-02-29")"}},
        Case{R"({"type":"array","not":{"items":{"type":"integer"}}})", {R"(["a"])", "[1,null]"}, {"[]", "[1,2]"}},
        Case{R"({"type":"array","not":{"contains":{"const":1}}})", {"[]", "[2,3]"}, {"[1]", "[2,1]"}},
        Case{R"({"type":"object","not":{"additionalProperties":false,"properties":{"a":true}}})",
             {R"({"b":1})", R"({"a":1,"b":1})"},
             {"{}", R"({"a":1})"}},
        Case{R"({"type":"object","not":{"propertyNames":{"maxLength":1}}})",
             {R"({"ab":1})", R"({"a":1,"bc":2})"},
             {"{}", R"({"a":1})"}},
        Case{R"({"type":"object","not":{"minProperties":2}})", {"{}", R"({"a":1})"}, {R"({"a":1,"b":1})"}}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, SchemaAlgebra,
    testing::Values(Case{R"({"multipleOf":2.5})", {"0", "-5", "7.50", R"("a")"}, {"1", "2.4", "1e0"}},
                    Case{R"({"type":"integer","multipleOf":4,"allOf":[{"multipleOf":6},{"minimum":1}]})",
                         {"12", "24.0"},
                         {"0", "4", "6", "-12"}},
                    Case{R"({"type":"number","not":{"multipleOf":0.5}})", {"0.25", "1.1"}, {"0", "1.5", "2"}},
                    Case{R"({"type":"number","format":"int32"})",
                         {"2147483647", "-2147483648", "1.0"},
                         {"2147483648", "1.5", "-2147483649"}},
                    Case{R"({"format":"int64"})", {"9223372036854775807", R"("x")"}, {"9223372036854775808", "0.5"}},
                    Case{R"({"type":"number","not":{"format":"int32"}})", {"2147483648", "1.5"}, {"5", "1.0"}}));

INSTANTIATE_TEST_SUITE_P(
    OneOf, SchemaAlgebra,
    testing::Values(
        Case{R"({"oneOf":[{"type":"integer"},{"minimum":2}]})", {"1", "2.5", R"("a")"}, {"3", "1.5"}},
        Case{R"({"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]})",
             {R"({"a":1})", R"({"b":1,"c":1})"},
             {"{}", R"({"a":1,"b":1})", R"({"c":0})"}},
        Case{
            R"({"type":"object","oneOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"maxLength":2}}}]})",
            {R"({"a":"xyz"})", R"({"a":1})"},
            {"{}", R"({"a":"x"})"}},
        Case{R"({"not":{"oneOf":[{"type":"integer"},{"minimum":2}]}})", {"3", "1.5"}, {"1", "2.5", R"("a")"}},
        Case{R"({"oneOf":[{"maxItems":1},{"items":{"type":"null"}}],"type":"array"})",
             {"[1]", "[null,null]"},
             {"[]", "[null]", "[1,2]"}}));

INSTANTIATE_TEST_SUITE_P(
    Conditions, SchemaAlgebra,
    testing::Values(
        Case{R"({"if":{"type":"integer"},"then":{"minimum":3},"else":{"type":"string"}})",
             {"3", R"("a")"},
             {"2", "1.5", "null"}},
        Case{R"({"if":{"properties":{"k":{"const":"a"}},"required":["k"]},"then":{"required":["x"]},"type":"object"})",
             {"{}", R"({"k":"b"})", R"({"k":"a","x":1})", R"({"x":1,"k":"a"})"},
             {R"({"k":"a"})", R"({"k":"\u0061"})"}},
        Case{R"({"then":false})", {"1"}, {}}, Case{R"({"if":true,"else":false})", {"1"}, {}},
        Case{R"({"if":{"const":1}, "else":{"const":2}})", {"1", "2"}, {"3", "null"}},
        Case{R"({"type":"object","dependentRequired":{"a":["b","c"]}})",
             {"{}", R"({"b":1})", R"({"c":1,"a":1,"b":1})"},
             {R"({"a":1})", R"({"a":1,"b":1})"}},
        Case{R"({"type":"object","dependentSchemas":{"a":{"properties":{"b":{"type":"null"}}}}})",
             {R"({"b":1})", R"({"a":1,"b":null})", R"({"b":null,"a":1})"},
             {R"({"a":1,"b":2})", R"({"b":2,"a":1})"}},
        Case{R"({"type":"object","dependencies":{"a":["b"],"c":{"minProperties":3}}})",
             {R"({"a":1,"b":2})", R"({"c":1,"x":1,"y":1})"},
             {R"({"a":1})", R"({"c":1,"x":1})"}}));

INSTANTIATE_TEST_SUITE_P(
    Objects, SchemaAlgebra,
    testing::Values(
        Case{
            R"({"type":"object","patternProperties":{"^a":{"type":"integer"}},"additionalProperties":{"type":"string"}})",
            {R"({"ab":1})", R"({"b":"x","a":2})", R"({"\u0061b":1})"},
            {R"({"ab":"x"})", R"({"b":1})"}},
        Case{
            R"({"type":"object","properties":{"ab":{"minimum":2}},"patternProperties":{"^a":{"maximum":5}},"additionalProperties":false})",
            {R"({"ab":3})", R"({"ac":1})"},
            {R"({"ab":1})", R"({"ab":6})", R"({"b":1})"}},
        Case{R"({"type":"object","patternProperties":{"a":{"minimum":2},"b":{"maximum":5}}})",
             {R"({"ab":3,"a":9,"b":0,"c":null})"},
             {R"({"ab":1})", R"({"ba":6})", R"({"a":0})"}},
        Case{R"({"type":"object","propertyNames":{"pattern":"^[a-c]+$"},"properties":{"a":{"type":"null"},"d":true}})",
             {R"({"a":null,"cab":1})"},
             {R"({"d":1})", R"({"a":1})", R"({"ad":1})"}},
        Case{R"({"type":"object","minProperties":2,"patternProperties":{"^x":true},"additionalProperties":false})",
             {R"({"x1":1,"x2":1})"},
             {"{}", R"({"x1":1})"}},
        Case{R"({"type":"object","required":["z"],"additionalProperties":{"type":"null"}})",
             {R"({"z":null})"},
             {R"({"z":1})", "{}"}},
        Case{
            R"({"type":"object","required":["a"],"properties":{"a":{"type":"integer"}},"unevaluatedProperties":false,"anyOf":[{"properties":{"b":{"type":"null"}},"required":["b"]},{"properties":{"c":true}}]})",
            {R"({"a":1})", R"({"a":1,"b":null})", R"({"a":1,"c":2})", R"({"c":1,"b":null,"a":1})"},
            {R"({"a":1,"b":2})", R"({"a":1,"d":1})"}}));

INSTANTIATE_TEST_SUITE_P(
    Arrays, SchemaAlgebra,
    testing::Values(
        Case{R"({"type":"array","contains":{"type":"integer"}})", {"[1]", R"(["a",2,null])"}, {"[]", R"(["a"])"}},
        Case{R"({"type":"array","contains":{"const":1},"minContains":2,"maxContains":3})",
             {"[1,1]", "[2,1,1,0,1]"},
             {"[1]", "[1,1,1,1]", "[]"}},
        Case{R"({"type":"array","contains":{"const":1},"minContains":0,"maxContains":1})",
             {"[]", "[1]", "[2,3]"},
             {"[1,1]"}},
        Case{R"({"type":"array","minContains":3})", {"[]"}, {}},
        Case{R"({"type":"array","uniqueItems":true,"items":{"enum":["a","b",1,null]}})",
             {"[]", R"(["b","a"])", R"([1,null,"a","b"])"},
             {R"(["a","a"])", R"(["b",1.0,1])", R"(["a","\u0061"])"}},
        Case{R"({"type":"array","uniqueItems":true,"items":{"type":["boolean","null"]}})",
             {"[true,null,false]"},
             {"[true,true]", "[null,false,null]"}},
        Case{
            R"({"type":"array","uniqueItems":true,"prefixItems":[{"const":1},{"type":"boolean"}],"items":{"enum":[1,2]}})",
            {"[1,true,2]"},
            {"[1,true,1]", "[1,true,2,2]"}},
        Case{R"({"type":"array","prefixItems":[true],"unevaluatedItems":false,"contains":{"type":"null"}})",
             {"[null]", "[1,null,null]"},
             {"[1]", "[1,null,2]"}},
        Case{R"({"enum":[[1,[2]],[1],[]]})", {"[1,[2]]", "[1.0]", "[]"}, {"[1,2]", "[[2],1]"}}));

// What would be two alternatives for each pair if it were multiplied out is one formula.
TEST(SchemaAlgebra, ManyIndependentChoices) {
  std::string schema = R"({"type":"object","allOf":[true)";
  std::string valid = "{";
  for (int i = 0; i < 24; ++i) {
    schema += fmt::format(R"(,{{"anyOf":[{{"required":["a{}"]}},{{"required":["b{}"]}}]}})", i, i);
    valid += fmt::format(R"({}"{}{}":0)", i == 0 ? "" : ",", i % 3 == 0 ? "b" : "a", i);
  }
  const auto grammar = parse_json_schema(schema + "]}");
  ASSERT_TRUE(grammar.ok()) << grammar.error().to_string();
  reference::StructureWalker walker(*grammar);
  EXPECT_TRUE(walker.accepts(valid + "}"));
  EXPECT_FALSE(walker.accepts(R"({"a0":0,"b1":0})"));
}

TEST(SchemaAlgebra, ContradictionsAreErrors) {
  for (
      const char* schema : {
          // No annotation comes out of `not`, so that b is unevaluated; and it must come.
          R"({"type":"object","allOf":[{"properties":{"a":true}},{"not":{"properties":{"b":false}}}],"unevaluatedProperties":false})",
          R"({"oneOf":[true,true]})",
          R"({"type":"object","required":["a","b"],"oneOf":[{"required":["a"]},{"required":["b"]}]})",
          R"({"enum":[1,2],"not":{"type":"integer"}})",
          R"({"type":"array","minItems":4,"uniqueItems":true,"items":{"enum":[1,2,1.0,"a"]}})",
      }) {
    const auto grammar = parse_json_schema(schema);
    ASSERT_FALSE(grammar.ok()) << schema;
    EXPECT_EQ(grammar.error().code, ErrorCode::kUnsatisfiable) << schema << grammar.error().to_string();
  }
}

// Also where no text has led yet.
TEST(SchemaAlgebra, MistakesAreFoundAtCompileTime) {
  const std::string inner =
      R"({"type":"object","oneOf":[{"properties":{"a":{"properties":{"b":%}}}},{"required":["c"]}]})";
  for (const auto& [part, pointer] :
       {std::pair(R"({"pattern":"("})", "/oneOf/0/properties/a/properties/b/pattern"),
        std::pair(R"({"type":"strin"})", "/oneOf/0/properties/a/properties/b/type"),
        std::pair(R"({"not":{"uniqueItems":true}})", "/oneOf/0/properties/a/properties/b/not/uniqueItems")}) {
    std::string schema = inner;
    schema.replace(schema.find('%'), 1, part);
    const auto grammar = parse_json_schema(schema);
    ASSERT_FALSE(grammar.ok()) << schema;
    EXPECT_EQ(grammar.error().pointer.value_or(""), pointer);
  }
}

// No keys but those that some schema of the value names; only what describes a value is closed.
TEST(SchemaAlgebraTest, ClosedObjects) {
  JsonSchemaOptions options;
  options.closed_objects = true;
  const Case cases[] = {
      {R"({"properties":{"a":{}}})", {"{}", R"({"a":{"x":1}})", "5"}, {R"({"b":1})"}},
      {R"({"type":"object"})", {"{}", R"({"b":1})"}, {}},
      {R"({"type":"object","required":["b"]})", {R"({"b":1})"}, {}},
      {R"({"properties":{"a":{}},"additionalProperties":true})", {R"({"b":1})"}, {}},
      {R"({"properties":{"a":{}},"additionalProperties":{"type":"null"}})", {R"({"b":null})"}, {R"({"b":1})"}},
      {R"({"patternProperties":{"^a":{}}})", {R"({"ab":1})"}, {R"({"b":1})"}},
      {R"({"allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]})", {R"({"a":1,"b":1})"}, {R"({"c":1})"}},
      {R"({"properties":{"a":{}},"$ref":"#/$defs/d","$defs":{"d":{"properties":{"b":{}}}}})",
       {R"({"a":1,"b":1})"},
       {R"({"c":1})"}},
      {R"({"anyOf":[{"properties":{"k":{"const":1},"a":{}},"required":["k"]},{"properties":{"k":{"const":2},"b":{}}}]})",
       {R"({"k":1,"a":0})", R"({"k":2,"b":0})"},
       {R"({"k":1,"b":0})", R"({"k":1,"c":0})"}},
      {R"({"not":{"properties":{"a":{"const":1}},"required":["a"]}})", {R"({"a":2})", R"({"b":2})"}, {R"({"a":1})"}},
      {R"({"items":{"properties":{"a":{}}},"contains":{"properties":{"a":{"const":1}},"required":["a"]}})",
       {R"([{"a":1},{}])"},
       {R"([{"a":1,"b":1}])", R"([{"b":1}])"}},
      {R"({"oneOf":[{"type":"null"},{"properties":{"a":{}},"additionalProperties":false}]})",
       {R"({"a":1})"},
       {R"({"b":1})"}},
      // Up to draft 7 the specification knows no unevaluatedProperties, and $ref hides what stands beside it.
      {R"({"$schema":"http://json-schema.org/draft-07/schema#","properties":{"x":{"$ref":"#/definitions/d","additionalProperties":true}},
           "definitions":{"d":{"properties":{"b":{}}}}})",
       {R"({"x":{"b":1}})", R"({"x":1})"},
       {R"({"x":{"c":1}})", R"({"y":1})"}},
      {R"({"$schema":"http://json-schema.org/draft-04/schema#","properties":{"x":{"$ref":"#/definitions/d"},"y":{"allOf":[{"$ref":"#/definitions/d"},{"properties":{"c":{}}}]}},
           "definitions":{"d":{"properties":{"b":{},"self":{"$ref":"#/definitions/d"}}}}})",
       {R"({"x":{"self":{"self":{"b":1}}}})", R"({"y":{"b":1,"c":1}})"},
       {R"({"x":{"c":1}})", R"({"x":{"self":{"c":1}}})", R"({"y":{"d":1}})"}},
      {R"({"$ref":"#/components/schemas/Pet","components":{"schemas":{"Pet":{"properties":{"tag":{"properties":{"id":{}}}}}}}})",
       {R"({"tag":{"id":1}})"},
       {R"({"tag":{"x":1}})", R"({"x":1})"}},
  };
  for (const Case& c : cases) check(c, options);
  check({R"({"properties":{"a":{}}})", {R"({"b":1})"}, {}});
}

}  // namespace
}  // namespace weir
