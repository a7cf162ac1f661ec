// The JSON Schema front end: meanings and traps as tables, errors and their places, key order, limits.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reference/structure_walker.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir {
namespace {

using reference::StructureWalker;

struct Case {
  const char* schema;
  std::vector<const char*> valid;
  std::vector<const char*> invalid;
  Draft draft = Draft::kDraft2020;
};

void check(const Case& c, bool any_order = true) {
  SCOPED_TRACE(c.schema);
  JsonSchemaOptions options;
  options.any_property_order = any_order;
  options.default_draft = c.draft;
  const auto grammar = parse_json_schema(c.schema, options);
  ASSERT_TRUE(grammar.ok()) << grammar.error().to_string();
  StructureWalker walker(*grammar);
  for (const char* text : c.valid) EXPECT_TRUE(walker.accepts(text)) << text;
  for (const char* text : c.invalid) EXPECT_FALSE(walker.accepts(text)) << text;
}

Error error_of(std::string_view schema, JsonSchemaOptions options = {}) {
  const auto grammar = parse_json_schema(schema, options);
  if (!grammar) return grammar.error();
  ADD_FAILURE() << "compiled: " << schema;
  return {};
}

TEST(SchemaTest, TypesAndConstants) {
  const Case cases[] = {
      {"true", {"1", "\"a\"", "[1,{\"a\":null}]"}, {}},
      {"{}", {"null", "{}"}, {"tru", "{\"a\":}"}},
      {R"({"type":["integer","null"]})", {"1", "1.0", "1e2", "null", "-0"}, {"1.5", "\"1\"", "true", "1e-1"}},
      {R"({"type":"integer"})", {"12", "-3"}, {"1.0", "1e2"}, Draft::kDraft4},
      {R"({"const":1})", {"1", "1.0"}, {"true", "2", "\"1\""}},
      {R"({"const":true})", {"true"}, {"1", "false"}},
      {R"({"const":[0]})", {"[0]", "[0.0]"}, {"[false]", "[]", "[0,0]", "0"}},
      {R"({"const":{"a":false}})", {R"({"a":false})"}, {R"({"a":0})", "{}", R"({"a":false,"b":1})"}},
      {R"({"enum":["a",{"b":[1]},null,[]]})",
       {"\"a\"", R"({"b":[1]})", "null", "[]"},
       {"\"b\"", "{}", "[1]", R"({"b":[]})"}},
      {R"({"enum":[1,"1",1.5,7],"type":"integer","minimum":2})", {"7", "7.0"}, {"1", "1.5", "\"1\""}},
      {R"({"enum":["a","ab","abc","é"],"minLength":2})", {"\"ab\"", "\"abc\""}, {"\"a\"", "\"é\""}},
      {R"({"enum":["a1","b2","c"],"pattern":"[0-9]$"})", {"\"a1\"", "\"\\u0061\\u0031\""}, {"\"c\""}},
      {R"({"enum":[9007199254740993]})", {"9007199254740993"}, {"9007199254740992"}},
      {R"({"enum":[[1],[2],"x"],"allOf":[{"const":[2]}]})", {"[2]"}, {"[1]", "\"x\""}},
      {R"({"enum":[{"a":1},{"a":"s"}],"properties":{"a":{"type":"string"}}})", {R"({"a":"s"})"}, {R"({"a":1})"}},
      {R"({"const":1,"type":["string","number"]})", {"1"}, {"\"1\""}},
      // Not a keyword before draft 6.
      {R"({"const":1})", {"2"}, {}, Draft::kDraft4},
  };
  for (const Case& c : cases) check(c);
}

TEST(SchemaTest, NumbersAndStrings) {
  const Case cases[] = {
      {R"({"minimum":1.5,"exclusiveMaximum":3})", {"1.5", "2.999", "\"a\"", "null"}, {"1.4999", "3", "3.0"}},
      {R"({"maximum":10,"exclusiveMaximum":true})", {"9.99"}, {"10"}, Draft::kDraft4},
      {R"({"type":"number","allOf":[{"minimum":1},{"exclusiveMinimum":1},{"maximum":2}]})",
       {"1.01", "2"},
       {"1", "2.1"}},
      {R"({"type":"integer","multipleOf":0.01})", {"3"}, {"3.01"}},
      {R"({"type":"number","multipleOf":1})", {"3", "3.0"}, {"3.01"}},
      {R"({"type":"string","minLength":1,"maxLength":2})",
       {"\"é\"", "\"\\ud83d\\udc1d\"", "\"ab\""},
       {"\"\"", "\"abc\""}},
      {R"({"type":"string","minLength":2.0})", {"\"ab\""}, {"\"a\""}},
      {R"({"type":"string","pattern":"b"})", {"\"abc\"", "\"b\""}, {"\"a\""}},
      {R"({"type":"string","pattern":"^a+$","maxLength":2})", {"\"a\"", "\"aa\""}, {"\"aaa\"", "\"\""}},
      {R"({"type":"string","allOf":[{"pattern":"^a"},{"pattern":"z$"},{"maxLength":3}]})",
       {"\"az\"", "\"abz\""},
       {"\"a\"", "\"abcz\""}},
      // Keywords of other types say nothing.
      {R"({"pattern":"^a"})", {"5", "\"a\""}, {"\"b\""}},
      {R"({"type":"string","minimum":5,"items":false,"required":["a"]})", {"\"b\""}, {"5"}},
      {R"({"format":"date"})", {"\"2020-02-29\"", "1"}, {"\"2021-02-29\"", "\"x\""}},
      {R"({"format":"no-such-format"})", {"\"x\""}, {}},
      {R"({"maxLength":2147483647,"type":"string"})", {"\"abc\""}, {"1"}},
  };
  for (const Case& c : cases) check(c);
}

TEST(SchemaTest, Objects) {
  const Case cases[] = {
      {R"({"properties":{"a":{"type":"integer"}},"required":["a"]})",
       {R"({"a":1})", R"({"b":2,"a":1})", "[]", "3"},
       {"{}", R"({"a":"x"})"}},
      {R"({"type":"object","properties":{"a":false},"additionalProperties":{"type":"null"}})",
       {"{}", R"({"b":null})"},
       {R"({"a":null})", R"({"b":1})"}},
      {R"({"type":"object","allOf":[{"properties":{"a":{"minimum":2}}},{"properties":{"a":{"maximum":3},"b":true},"additionalProperties":false}]})",
       {R"({"a":2})", R"({"b":null,"a":3})"},
       {R"({"a":1})", R"({"a":4})", R"({"c":1})"}},
      // additionalProperties sees its own siblings only.
      {R"({"type":"object","properties":{"a":{}},"allOf":[{"properties":{"b":{}},"additionalProperties":false}]})",
       {"{}", R"({"b":1})"},
       {R"({"a":1})"}},
      // A required name that nothing allows: no object, other types as before.
      {R"({"required":["x"],"additionalProperties":false})", {"1", "[]"}, {"{}", R"({"x":1})"}},
      {R"({"type":"object","minProperties":1,"maxProperties":2})",
       {R"({"a":1})", R"({"a":1,"b":2})"},
       {"{}", R"({"a":1,"b":2,"c":3})"}},
      {R"({"type":"object","properties":{"a":{},"b":{},"c":{}},"additionalProperties":false,"minProperties":2})",
       {R"({"a":1,"c":1})", R"({"b":1,"c":1})", R"({"a":1,"b":1,"c":1})"},
       {R"({"a":1})", R"({"c":1})", "{}"}},
      {R"({"type":"object","properties":{"a":{},"b":{}},"required":["b"],"maxProperties":1})",
       {R"({"b":1})"},
       {R"({"a":1,"b":1})", R"({"a":1})"}},
      {R"({"type":"object","unevaluatedProperties":false,"properties":{"a":{}}})", {R"({"a":1})"}, {R"({"b":1})"}},
      {R"({"type":"object","properties":{"a\"b":{"type":"null"},"":{"type":"null"}},"additionalProperties":false})",
       {R"({"a\"b":null})", R"({"":null})", R"({"a\u0022b":null})"},
       {R"({"a":null})"}},
      {R"({"anyOf":[{"required":["a"]},{"required":["b"]}],"type":"object"})",
       {R"({"a":1})", R"({"b":1})", R"({"a":1,"b":1})"},
       {"{}"}},
  };
  for (const Case& c : cases) check(c);
}

TEST(SchemaTest, Arrays) {
  const Case cases[] = {
      {R"({"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":2})",
       {"[1]", "[1,2]"},
       {"[]", "[1,2,3]", "[\"a\"]"}},
      {R"({"type":"array","prefixItems":[{"type":"null"},{"type":"integer"}],"items":false})",
       {"[]", "[null]", "[null,1]"},
       {"[1]", "[null,1,1]"}},
      {R"({"type":"array","items":[{"type":"null"}],"additionalItems":{"type":"integer"}})",
       {"[null,1,2]", "[]"},
       {"[1]", "[null,null]"}},
      {R"({"type":"array","items":[{"type":"null"}],"additionalItems":false})",
       {"[null]"},
       {"[null,null]"},
       Draft::kDraft7},
      // additionalItems needs an array of schemas beside it.
      {R"({"type":"array","additionalItems":false})", {"[1,2]"}, {}, Draft::kDraft7},
      {R"({"type":"array","prefixItems":[{},false,{}]})", {"[]", "[1]"}, {"[1,2]"}},
      {R"({"type":"array","allOf":[{"prefixItems":[{"minimum":1}]},{"items":{"type":"integer"}},{"maxItems":2}]})",
       {"[1]", "[2,0]"},
       {"[0]", "[1,2,3]", "[1.5]"}},
      {R"({"type":"array","unevaluatedItems":false,"prefixItems":[{}]})", {"[1]"}, {"[1,2]"}},
      {R"({"type":"array","uniqueItems":true,"maxItems":1})", {"[1]"}, {"[1,1]"}},
      {R"({"contains":{"type":"string"},"minContains":0})", {"[1]"}, {}},
  };
  for (const Case& c : cases) check(c);
}

TEST(SchemaTest, Combinations) {
  const Case cases[] = {
      {R"({"anyOf":[{"type":"string"},{"type":"integer","minimum":3}],"maxLength":1})",
       {"\"a\"", "3"},
       {"\"ab\"", "2"}},
      {R"({"anyOf":[{"minimum":5},true]})", {"1"}, {}},
      {R"({"oneOf":[{"type":"string"},{"type":"null"},false]})", {"\"a\"", "null"}, {"1"}},
      {R"({"oneOf":[{"properties":{"t":{"const":"a"},"x":{"type":"integer"}},"required":["t"]},
                    {"properties":{"t":{"const":"b"},"x":{"type":"string"}},"required":["t"]}],"type":"object"})",
       {R"({"t":"a","x":1})", R"({"t":"b","x":"s"})"},
       {R"({"t":"a","x":"s"})", "{}", R"({"t":"c"})"}},
      // Only the parent makes the discriminator required.
      {R"({"type":"object","required":["t"],"oneOf":[{"properties":{"t":{"const":1}}},{"properties":{"t":{"enum":[2,3]}}}]})",
       {R"({"t":1.0})", R"({"t":3})"},
       {R"({"t":4})", "{}"}},
      {R"({"oneOf":[{"type":"integer","maximum":3},{"type":"integer","minimum":3.5}]})", {"3", "4"}, {"\"\""}},
      {R"({"oneOf":[{"type":"string","pattern":"^a"},{"type":"string","pattern":"^b"}]})",
       {"\"ax\"", "\"b\""},
       {"\"c\""}},
      {R"({"oneOf":[{"required":["a"],"additionalProperties":false,"properties":{"a":{}}},{"required":["b"]}],"type":"object"})",
       {R"({"a":1})", R"({"b":1})"},
       {R"({"c":1})"}},
      {R"({"allOf":[{"anyOf":[{"type":"string"},{"type":"null"}]},{"anyOf":[{"type":"null"},{"type":"integer"}]}]})",
       {"null"},
       {"1", "\"\""}},
      {R"({"not":{}, "anyOf":[true]})", {}, {}},
      {R"({"if":{"type":"string"}})", {"1", "\"a\""}, {}},
      {R"({"then":false,"else":false})", {"1"}, {}},
  };
  for (const Case& c : cases) {
    if (c.valid.empty() && c.invalid.empty()) {
      EXPECT_EQ(error_of(c.schema).code, ErrorCode::kUnsatisfiable) << c.schema;
    } else {
      check(c);
    }
  }
}

TEST(SchemaTest, References) {
  const Case cases[] = {
      {R"({"$ref":"#/$defs/a~1b%25~0","$defs":{"a/b%~":{"type":"null"}}})", {"null"}, {"1"}},
      // From 2019-09 on siblings count; before, $ref hides them, and an $id among them.
      {R"({"properties":{"a":{"$ref":"#/$defs/s","maxLength":1}},"$defs":{"s":{"type":"string"}}})",
       {R"({"a":"x"})"},
       {R"({"a":"xy"})", R"({"a":1})"}},
      {R"({"properties":{"a":{"$ref":"#/definitions/s","maxLength":1}},"definitions":{"s":{"type":"string"}}})",
       {R"({"a":"xy"})"},
       {R"({"a":1})"},
       Draft::kDraft7},
      {R"({"$id":"http://x.test/root","$defs":{"n":{"$id":"sub/node","$defs":{"v":{"type":"null"}},"$ref":"#/$defs/v"}},"$ref":"sub/node"})",
       {"null"},
       {"1"}},
      {R"({"$ref":"#here","$defs":{"a":{"$anchor":"here","type":"null"}}})", {"null"}, {"1"}},
      {R"({"$ref":"#here","definitions":{"a":{"$id":"#here","type":"null"}}})", {"null"}, {"1"}, Draft::kDraft7},
      // A dialect of an embedded schema counts only where it starts a resource by the rules of the outer dialect: `id`
      // does not in 2020-12, so that exclusiveMinimum is a number there.
      {R"({"$schema":"https://json-schema.org/draft/2020-12/schema","$ref":"#/definitions/lemon",
           "definitions":{"lemon":{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://x.test/l","type":"integer","exclusiveMinimum":2}}})",
       {"3", "4.0"},
       {"2"}},
      // Identifiers in data are data.
      {R"({"enum":[{"$id":"http://x.test/q","$anchor":"z"}],"$defs":{"b":{"$anchor":"z","type":"string"}},"properties":{"$id":{"$ref":"#z"}}})",
       {R"({"$id":"http://x.test/q","$anchor":"z"})"},
       {"1", "{}"}},
      // Recursion through members and items.
      {R"({"type":"object","properties":{"v":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#"}}},"required":["v"],"additionalProperties":false})",
       {R"({"v":1,"kids":[{"v":2,"kids":[]},{"v":3}]})"},
       {R"({"v":1,"kids":[{}]})"}},
      {R"({"$ref":"#/$defs/list","$defs":{"list":{"anyOf":[{"type":"null"},{"type":"object","properties":{"next":{"$ref":"#/$defs/list"}},"required":["next"],"additionalProperties":false}]}}})",
       {"null", R"({"next":{"next":null}})"},
       {"{}", R"({"next":1})"}},
      // An alternative that is the schema itself adds nothing.
      {R"({"$defs":{"a":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"})", {"null"}, {"1"}},
      {R"({"$dynamicRef":"#n","$defs":{"a":{"$dynamicAnchor":"n","type":"null"}}})", {"null"}, {"1"}},
  };
  for (const Case& c : cases) check(c);
}

TEST(SchemaTest, DeadEndsAreNeverOffered) {
  const Case cases[] = {
      // x needs itself without end.
      {R"({"type":"object","properties":{"x":{"$ref":"#/$defs/r"},"y":true},"additionalProperties":false,
           "$defs":{"r":{"type":"object","required":["r"],"properties":{"r":{"$ref":"#/$defs/r"}}}}})",
       {"{}", R"({"y":1})"},
       {R"({"x":{}})"}},
      {R"({"anyOf":[{"type":"string","pattern":"^a$","minLength":2},{"type":"null"}]})", {"null"}, {"\"a\""}},
      {R"({"type":"array","items":{"type":"string","minLength":3,"maxLength":2}})", {"[]"}, {"[\"abc\"]"}},
      {R"({"type":["array","null"],"items":false,"minItems":1})", {"null"}, {"[]"}},
      {R"({"type":["object","null"],"properties":{"a":{"enum":[]}},"required":["a"]})", {"null"}, {"{}"}},
      {R"({"type":["object","null"],"maxProperties":1,"required":["a","b"]})", {"null"}, {"{}", R"({"a":1})"}},
      {R"({"type":["object","null"],"minProperties":2,"properties":{"a":{},"b":false},"additionalProperties":false})",
       {"null"},
       {R"({"a":1})"}},
  };
  for (const Case& c : cases) {
    check(c, true);
    check(c, false);
  }
  const auto grammar = parse_json_schema(cases[0].schema);
  ASSERT_TRUE(grammar.ok());
  StructureSource& source = *grammar->structures();
  const RecordInfo& start = source.record(source.value(grammar->start().id).records.at(0));
  EXPECT_FALSE(start.allows(start.keys->find("x")));
  EXPECT_TRUE(start.allows(start.keys->find("y")));
  EXPECT_FALSE(start.others);
}

TEST(SchemaTest, ListedOrder) {
  const Case fixed = {
      R"({"type":"object","allOf":[{"properties":{"a":{},"b":{}}},{"$ref":"#/$defs/more"}],"properties":{"c":{},"a":{}},"required":["z","b"],
          "$defs":{"more":{"properties":{"d":{}}}}})",
      // a b (allOf), d ($ref in it), c (own), z (required only), then others
      {R"({"b":1,"z":1})", R"({"a":1,"b":1,"d":1,"c":1,"z":1,"other":1,"more":2})"},
      {R"({"z":1,"b":1})", R"({"b":1,"a":1,"z":1})", R"({"b":1,"c":1,"d":1,"z":1})", R"({"b":1,"other":1,"z":1})",
       R"({"a":1,"z":1})"}};
  check(fixed, false);
  const Case any = {fixed.schema,
                    {R"({"z":1,"b":1})", R"({"other":1,"b":1,"a":1,"z":1})"},
                    {R"({"a":1,"z":1})", R"({"z":1,"z":1,"b":1})"}};
  check(any, true);
}

TEST(SchemaTest, StatesSayWhatMayFollow) {
  const auto grammar = parse_json_schema(
      R"({"type":"object","properties":{"a":{},"b":{},"c":{}},"required":["b"],"additionalProperties":{"type":"null"}})");
  ASSERT_TRUE(grammar.ok());
  StructureSource& source = *grammar->structures();
  const RecordId start = source.value(grammar->start().id).records.at(0);
  const RecordInfo& first = source.record(start);
  const std::uint32_t a = first.keys->find("a");
  const std::uint32_t b = first.keys->find("b");
  const std::uint32_t c = first.keys->find("c");
  EXPECT_TRUE(first.allows(a) && first.allows(b) && !first.allows(c));
  EXPECT_FALSE(first.others || first.may_close);
  const RecordInfo& after_b = source.record(source.members(start, b).front().next);
  EXPECT_TRUE(!after_b.allows(a) && !after_b.allows(b) && after_b.allows(c));
  EXPECT_TRUE(after_b.others && after_b.may_close && after_b.may_continue);
  const RecordId other = source.members(source.members(start, b).front().next, kOtherKey).front().next;
  EXPECT_FALSE(source.record(other).allows(c));
  EXPECT_EQ(source.members(other, kOtherKey).front().next, other);
}

TEST(SchemaTest, EqualValuesShareIds) {
  const auto grammar = parse_json_schema(
      R"({"type":"object","properties":{"a":{"type":"string","description":"x"},"b":{"type":"string","title":"y"},"c":{"type":"integer"}}})");
  ASSERT_TRUE(grammar.ok());
  StructureSource& source = *grammar->structures();
  const RecordId start = source.value(grammar->start().id).records.at(0);
  EXPECT_EQ(source.members(start, 0).front().value, source.members(start, 1).front().value);
  EXPECT_NE(source.members(start, 0).front().value, source.members(start, 2).front().value);
}

struct ErrorCase {
  const char* schema;
  ErrorCode code;
  const char* pointer;
};

TEST(SchemaTest, ErrorsNameTheirPlace) {
  using enum ErrorCode;
  const ErrorCase cases[] = {
      {R"({"type":"strng"})", kInvalid, "/type"},
      {R"({"type":[]})", kInvalid, "/type"},
      {R"({"type":["string","any"]})", kInvalid, "/type/1"},
      {R"({"properties":{"a b":{"minLength":-1}}})", kInvalid, "/properties/a b/minLength"},
      {R"({"minLength":1.5})", kInvalid, "/minLength"},
      {R"({"required":"a"})", kInvalid, "/required"},
      {R"({"required":[1]})", kInvalid, "/required"},
      {R"({"enum":1})", kInvalid, "/enum"},
      {R"({"properties":[]})", kInvalid, "/properties"},
      {R"({"properties":{"a":1}})", kInvalid, "/properties/a"},
      {R"({"properties":{"a~/b":{"pattern":"("}}})", kSyntax, "/properties/a~0~1b/pattern"},
      {R"({"allOf":[]})", kInvalid, "/allOf"},
      {R"({"exclusiveMinimum":true})", kInvalid, "/exclusiveMinimum"},
      {R"({"$ref":"#/$defs/nope"})", kInvalid, "/$ref"},
      {R"({"$ref":"#nope"})", kInvalid, "/$ref"},
      {R"({"$ref":"#/$defs/%zz"})", kInvalid, "/$ref"},
      {R"({"$ref":"#"})", kInvalid, "/$ref"},
      {R"({"$schema":"http://json-schema.org/draft-03/schema#"})", kUnsupported, "/$schema"},
      {R"({"$schema":7})", kInvalid, "/$schema"},
      {R"({"$ref":"other.json"})", kUnsupported, "/$ref"},
      {R"({"$ref":"http://example.com/schema#"})", kUnsupported, "/$ref"},
      {R"({"not":{"uniqueItems":true}})", kUnsupported, "/not/uniqueItems"},
      {R"({"multipleOf":0})", kInvalid, "/multipleOf"},
      {R"({"multipleOf":{"a":1,"b":2}})", kInvalid, "/multipleOf"},
      {R"({"multipleOf":[1]})", kInvalid, "/multipleOf"},
      {R"({"multipleOf":"3"})", kInvalid, "/multipleOf"},
      {"false", kUnsatisfiable, ""},
      {R"({"allOf":[{"type":"string"},{"type":"null"}]})", kUnsatisfiable, ""},
      {R"({"type":"object","required":["a"],"properties":{"a":{"$ref":"#"}}})", kUnsatisfiable, ""},
  };
  for (const ErrorCase& c : cases) {
    SCOPED_TRACE(c.schema);
    const Error error = error_of(c.schema);
    EXPECT_EQ(to_string(error.code), std::string(to_string(c.code)));
    EXPECT_EQ(error.pointer.value_or("none"), c.pointer);
    EXPECT_FALSE(error.message.empty());
  }
}

TEST(SchemaTest, UnsupportedKeywordsOfOtherTypesDoNotMatter) {
  check({R"({"type":"string","uniqueItems":true,"multipleOf":3,"patternProperties":{"a":false},"contains":false})",
         {"\"a\""},
         {"1"}});
  check({R"({"anyOf":[{"type":"null","uniqueItems":true},{"type":"array","uniqueItems":false}]})",
         {"null", "[1,1]"},
         {"1"}});
}

TEST(SchemaTest, Warnings) {
  const auto grammar =
      parse_json_schema(R"({"properties":{"a":{"nullable":true,"format":"card"},"b":{"nullable":true}},"title":"t"})");
  ASSERT_TRUE(grammar.ok());
  ASSERT_EQ(grammar->warnings().size(), 2U);
  EXPECT_EQ(grammar->warnings()[0].pointer, "/properties/a/nullable");
  EXPECT_EQ(grammar->warnings()[1].pointer, "/properties/a/format");
}

TEST(SchemaTest, SyntaxErrorsHaveLineAndColumn) {
  const struct {
    std::string text;
    std::uint32_t line;
    std::uint32_t column;
  } cases[] = {
      {"", 1, 1},          {"{\n  \"a\" 1}", 2, 7}, {"{\"a\":1,}", 1, 8},
      {"[1 2]", 1, 4},     {"{\"é\":tru}", 1, 6},   {"{} x", 1, 4},
      {"\"\\x\"", 1, 2},   {"\"\\ud800\"", 1, 2},   {"\"a\nb\"", 1, 3},
      {"\"\xFF\"", 1, 2},  {"{\"a\":01}", 1, 7},    {"{\"a\":1.}", 1, 8},
      {"{\"a\":-}", 1, 7}, {"{\"a\":[1,", 1, 9},    {std::string("{}\0", 3), 1, 3},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const Error error = error_of(c.text);
    EXPECT_EQ(error.code, ErrorCode::kSyntax);
    EXPECT_EQ(error.line, c.line) << error.message;
    EXPECT_EQ(error.column, c.column) << error.message;
  }
  const Error twice = error_of(R"({"a":1,"b":2,"a":3})");
  EXPECT_EQ(twice.code, ErrorCode::kInvalid);
  EXPECT_NE(twice.message.find("\"a\""), std::string::npos);
  check({"\xEF\xBB\xBF {\"type\":\"null\"}", {"null"}, {"1"}});
  check({R"({"maximum":1e400,"minimum":-1e400,"type":"integer"})", {"7"}, {"\"\""}});
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(SchemaTest, DeepAndLargeInputsGiveErrors) {
  constexpr std::size_t kDepth = 10'000;
  for (const auto& [open, close] : std::vector<std::pair<std::string, std::string>>{{R"({"items":)", "}"},
                                                                                    {R"({"allOf":[)", "]}"},
                                                                                    {R"({"properties":{"a":)", "}}"},
                                                                                    {"[", "]"},
                                                                                    {R"({"not":)", "}"}}) {
    EXPECT_EQ(error_of(repeated(open, kDepth) + "{}" + repeated(close, kDepth)).code, ErrorCode::kLimit) << open;
    EXPECT_NE(error_of(repeated(open, kDepth)).code, ErrorCode::kUnsupported) << open;
  }
  // Deep through references: each schema applies the next in place.
  std::string chain = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (std::size_t i = 0; i < kDepth; ++i) {
    chain += fmt::format(R"("d{}":{{"minLength":1,"$ref":"#/$defs/d{}"}},)", i, i + 1);
  }
  chain += fmt::format(R"("d{}":{{}}}}}})", kDepth);
  EXPECT_EQ(error_of(chain).code, ErrorCode::kLimit);
  // Deep through members, which is fine.
  std::string members = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (std::size_t i = 0; i < kDepth; ++i) {
    members += fmt::format(
        R"("d{}":{{"type":"object","required":["n"],"properties":{{"n":{{"$ref":"#/$defs/d{}"}}}}}},)", i, i + 1);
  }
  members += fmt::format(R"("d{}":{{}}}}}})", kDepth);
  EXPECT_TRUE(parse_json_schema(members).ok());

  JsonSchemaOptions small;
  small.limits.max_text_bytes = 100;
  EXPECT_EQ(error_of(std::string(101, ' '), small).code, ErrorCode::kLimit);
  small = {};
  small.limits.max_values = 10;
  std::string wide = R"({"properties":{"a":{"type":"null"})";
  for (int i = 0; i < 20; ++i) wide += fmt::format(R"(,"k{}":{{"maximum":{}}})", i, i);
  EXPECT_EQ(error_of(wide + "}}", small).code, ErrorCode::kLimit);
}

TEST(SchemaTest, NotationFollowsTheStyle) {
  const auto flexible = parse_json_schema("true");
  ASSERT_TRUE(flexible.ok());
  EXPECT_TRUE(flexible->structures()->notation().flexible_space);
  EXPECT_EQ(flexible->structures()->notation().item_separator, ",");
  EXPECT_EQ(flexible->structures()->notation().space.size(), 4);
  JsonSchemaOptions options;
  options.style.flexible_whitespace = false;
  const auto fixed = parse_json_schema("true", options);
  ASSERT_TRUE(fixed.ok());
  EXPECT_FALSE(fixed->structures()->notation().flexible_space);
  EXPECT_EQ(fixed->structures()->notation().item_separator, ", ");
  EXPECT_EQ(fixed->structures()->notation().key_separator, ": ");
  options.style = {.flexible_whitespace = false, .indent = 2};
  const auto lines = parse_json_schema("true", options);
  ASSERT_TRUE(lines.ok());
  EXPECT_EQ(lines->structures()->notation().indent, 2U);
  EXPECT_EQ(lines->structures()->notation().item_separator, ",");
}

TEST(SchemaTest, StylesThatContradictThemselves) {
  const JsonStyle styles[] = {{.indent = 2},
                              {.item_separator = ","},
                              {.key_separator = ": "},
                              {.longest_whitespace = 65'536},
                              {.flexible_whitespace = false, .longest_whitespace = 2},
                              {.flexible_whitespace = false, .indent = 65},
                              {.flexible_whitespace = false, .item_separator = ""},
                              {.flexible_whitespace = false, .item_separator = ",,"},
                              {.flexible_whitespace = false, .key_separator = ","},
                              {.flexible_whitespace = false, .key_separator = ":" + std::string(256, ' ')}};
  for (const JsonStyle& style : styles) {
    JsonSchemaOptions options;
    options.style = style;
    const Error error = error_of("true", options);
    EXPECT_EQ(error.code, ErrorCode::kArgument);
    EXPECT_NE(error.message.find("style."), std::string::npos);
  }
  EXPECT_TRUE(parse_json_schema("true", {.style = {.longest_whitespace = 65'535}}).ok());
  EXPECT_TRUE(parse_json_schema("true", {.style = {.longest_whitespace = 0}}).ok());
  EXPECT_TRUE(
      parse_json_schema("true", {.style = {.flexible_whitespace = false, .indent = 64, .item_separator = "\n,\t"}})
          .ok());
}

// What is built only when somebody asks for it counts as if it were built at once.
TEST(SchemaTest, ExpressionsThatDoNotFit) {
  std::string strings;
  for (int i = 0; i < 300; ++i) strings += fmt::format("{}\"{} text {}\"", i == 0 ? "" : ",", i * 7919, i);
  const std::string schemas[] = {"{\"enum\":[" + strings + "]}", R"({"type":"string","format":"date-time"})",
                                 R"({"type":"number","minimum":-1234567890,"maximum":9876543210.5})"};
  for (const std::string& schema : schemas) {
    JsonSchemaOptions options;
    EXPECT_TRUE(parse_json_schema(schema, options).ok());
    options.limits.max_expressions = 200;
    const Error error = error_of(schema, options);
    EXPECT_EQ(error.code, ErrorCode::kLimit) << schema;
    EXPECT_NE(error.message.find("max_expressions"), std::string::npos);
    EXPECT_EQ(error.pointer.value_or("none"), "");
  }
}

}  // namespace
}  // namespace weir
