// References beyond one document and one dynamic scope: which documents are loaded and how often, what $dynamicRef and
// $recursiveRef lead to, dialects, and what is said of schemas whose references lead nowhere.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/structure_walker.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir {
namespace {

using reference::StructureWalker;

// A resolver over texts, which counts how often it is asked.
class Library {
 public:
  explicit Library(std::map<std::string, std::string> documents) : documents_(std::move(documents)) {}

  JsonSchemaOptions options(Draft draft = Draft::kDraft2020) {
    JsonSchemaOptions out;
    out.default_draft = draft;
    out.any_property_order = true;
    out.resolver = [this](std::string_view uri) -> Result<std::string> {
      ++asked[std::string(uri)];
      const auto known = documents_.find(std::string(uri));
      if (known == documents_.end()) return make_error(ErrorCode::kIo, "it is not on the shelf");
      return known->second;
    };
    return out;
  }

  std::map<std::string, int> asked;

 private:
  std::map<std::string, std::string> documents_;
};

void check(std::string_view schema, const std::vector<const char*>& valid, const std::vector<const char*>& invalid,
           const JsonSchemaOptions& options) {
  SCOPED_TRACE(schema);
  const auto grammar = parse_json_schema(schema, options);
  ASSERT_TRUE(grammar.ok()) << grammar.error().to_string();
  StructureWalker walker(*grammar);
  for (const char* text : valid) EXPECT_TRUE(walker.accepts(text)) << text;
  for (const char* text : invalid) EXPECT_FALSE(walker.accepts(text)) << text;
}

void check(std::string_view schema, const std::vector<const char*>& valid, const std::vector<const char*>& invalid,
           Draft draft = Draft::kDraft2020) {
  check(schema, valid, invalid, Library({}).options(draft));
}

Error error_of(std::string_view schema, const JsonSchemaOptions& options = {}) {
  const auto grammar = parse_json_schema(schema, options);
  if (!grammar) return grammar.error();
  ADD_FAILURE() << "compiled: " << schema;
  return {};
}

void expect_error(const Error& error, ErrorCode code, std::string_view pointer, std::string_view part,
                  std::string_view document = "") {
  EXPECT_STREQ(to_string(error.code), to_string(code)) << error.to_string();
  EXPECT_EQ(error.pointer.value_or("none"), pointer) << error.to_string();
  EXPECT_EQ(error.document, document) << error.to_string();
  EXPECT_NE(error.message.find(part), std::string::npos) << error.to_string();
}

TEST(ReferencesTest, DynamicReferencesFollowTheScope) {
  // A list that takes its items from whoever uses it, twice in one schema and once by itself.
  constexpr std::string_view kLists = R"({
    "$id": "http://x.test/root",
    "properties": {"n": {"$ref": "numbers"}, "s": {"$ref": "strings"}, "any": {"$ref": "list"}, "nn": {"$ref": "nested"}},
    "additionalProperties": false,
    "$defs": {
      "list": {"$id": "list", "type": "array", "items": {"$dynamicRef": "#item"}, "$defs": {"d": {"$dynamicAnchor": "item"}}},
      "numbers": {"$id": "numbers", "$ref": "list", "$defs": {"d": {"$dynamicAnchor": "item", "type": "number"}}},
      "strings": {"$id": "strings", "$ref": "list", "$defs": {"d": {"$dynamicAnchor": "item", "type": "string"}}},
      "nested": {"$id": "nested", "$ref": "list", "$defs": {"d": {"$dynamicAnchor": "item", "$ref": "numbers"}}}
    }})";
  // Of "nested" the items are numbers, said the anchor; but its own anchor is still the outermost when they are
  // entered, so that lists nest without end.
  check(kLists, {R"({"n":[1],"s":["a"],"any":[1,"a",null],"nn":[]})", R"({"nn":[[],[[]]]})"},
        {R"({"n":["a"]})", R"({"s":[1]})", R"({"nn":[1]})", R"({"nn":[[1]]})"});
  // A tree that is extended: the extension holds at every depth.
  constexpr std::string_view kTree = R"({
    "$id": "http://x.test/strict", "$dynamicAnchor": "node", "$ref": "tree", "unevaluatedProperties": false,
    "$defs": {"tree": {"$id": "tree", "$dynamicAnchor": "node", "type": "object",
      "properties": {"v": true, "kids": {"type": "array", "items": {"$dynamicRef": "#node"}}}}}})";
  check(kTree, {R"({"v":1,"kids":[{"kids":[{"v":2}]}]})"}, {R"({"kids":[{"kids":[{"w":2}]}]})", R"({"w":1})"});
  // Both kinds of reference in one schema ask for both.
  check(R"({"$id":"http://x.test/r","$dynamicRef":"#a","$ref":"b","$defs":{
          "a":{"$dynamicAnchor":"a","minimum":2},"b":{"$id":"b","maximum":5}}})",
        {"2", "5", "\"a\""}, {"1", "6"});
  check(
      R"({"$id":"http://x.test/r","type":"object","$dynamicRef":"#a","$ref":"b","unevaluatedProperties":false,"$defs":{
          "a":{"$dynamicAnchor":"a","properties":{"x":{"type":"null"}}},"b":{"$id":"b","properties":{"y":{"type":"null"}}}}})",
      {R"({"x":null,"y":null})"}, {R"({"z":1})", R"({"x":1})", R"({"y":1})"});
  check(R"({"$id":"http://x.test/r","not":{"$dynamicRef":"#a","$ref":"b"},"$defs":{
          "a":{"$dynamicAnchor":"a","type":"integer"},"b":{"$id":"b","minimum":0}}})",
        {"-1", "\"a\""}, {"1", "0"});
}

TEST(ReferencesTest, RecursiveReferencesFollowTheScope) {
  const std::string tree =
      R"({"$id":"http://x.test/strict","$recursiveAnchor":OUTER,"$ref":"tree","unevaluatedProperties":false,
    "$defs":{"tree":{"$id":"tree","$recursiveAnchor":INNER,"type":"object",
      "properties":{"v":true,"kid":{"$recursiveRef":"#"}}}}})";
  const auto with = [&](std::string_view outer, std::string_view inner) {
    std::string out = tree;
    out.replace(out.find("OUTER"), 5, outer);
    out.replace(out.find("INNER"), 5, inner);
    return out;
  };
  const Draft draft = Draft::kDraft2019;
  check(with("true", "true"), {R"({"kid":{"v":1}})"}, {R"({"w":1})", R"({"kid":{"w":1}})"}, draft);
  // Without an anchor at either end the reference stays in its resource.
  check(with("false", "true"), {R"({"kid":{"v":1}})", R"({"kid":{"w":1}})"}, {R"({"w":1})"}, draft);
  check(with("true", "false"), {R"({"kid":{"v":1}})", R"({"kid":{"w":1}})"}, {R"({"w":1})"}, draft);
}

TEST(ReferencesTest, DocumentsAreLoadedOnceAndByNeed) {
  Library library({
      {"http://x.test/a.json", R"({"$id":"http://x.test/deep/other.json","type":"array","items":{"$ref":"b.json#name"},
         "$defs":{"unused":{"$ref":"never.json"},"inner":{"$id":"inner.json","type":"null"}}})"},
      {"http://x.test/deep/b.json",
       R"({"$defs":{"n":{"$anchor":"name","anyOf":[{"type":"string"},{"$ref":"../a.json"}]}}})"},
  });
  // The document calls itself by another name than the one it was asked by, and both count from then on.
  check(R"({"$id":"http://x.test/root.json","$ref":"a.json","properties":{},"allOf":[{"$ref":"a.json"},
         {"$ref":"http://x.test/deep/other.json"},{"if":{"$ref":"deep/inner.json"},"else":true}],
         "$defs":{"unused":{"$ref":"http://x.test/nowhere"}}})",
        {R"([])", R"(["a",["b",[]]])"}, {"1", "[1]", R"([["a",null]])"}, library.options());
  EXPECT_EQ(library.asked, (std::map<std::string, int>{{"http://x.test/a.json", 1}, {"http://x.test/deep/b.json", 1}}));
}

TEST(ReferencesTest, DocumentsWithoutAbsoluteNames) {
  // A schema without $id has no address, and its resolver gets references as they are written.
  Library library({{"parts.json", R"({"definitions":{"name":{"type":"string"},"again":{"$ref":"more/parts.json"}}})"},
                   {"more/parts.json", R"({"$ref":"#/definitions/x","definitions":{"x":{"type":"null"}}})"}});
  check(R"({"properties":{"a":{"$ref":"parts.json#/definitions/name"},"b":{"$ref":"parts.json#/definitions/again"}}})",
        {R"({"a":"x","b":null})"}, {R"({"a":1})", R"({"b":1})"}, library.options(Draft::kDraft7));
}

TEST(ReferencesTest, DocumentsReferBackAndKeepTheirDraft) {
  Library library({
      // Of the draft of what refers to them: in draft 7 $ref hides its siblings.
      {"http://x.test/plain", R"({"properties":{"a":{"$ref":"http://x.test/root","minimum":5}}})"},
      {"http://x.test/other", R"({"properties":{"b":{"$ref":"http://x.test/root","minimum":5}}})"},
      {"http://x.test/twenty",
       R"({"$schema":"https://json-schema.org/draft/2020-12/schema","$ref":"http://x.test/plain",
         "prefixItems":[{"type":"null"}]})"},
  });
  check(R"({"$schema":"http://json-schema.org/draft-07/schema#","$id":"http://x.test/root","anyOf":[{"type":"integer"},
         {"type":["object","array"],"allOf":[{"$ref":"twenty"},{"$ref":"other"}]}]})",
        {"1", R"({"a":5})", R"({"a":{"a":6}})", R"({"b":1})", "[null,1]"},
        {R"({"a":1})", R"({"b":"x"})", "[1]", "true"}, library.options());
}

TEST(ReferencesTest, MetaSchemasNeedNoResolver) {
  JsonSchemaOptions options;
  options.assert_formats = false;
  options.any_property_order = true;
  for (const char* uri : {"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#",
                          "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
                          "https://json-schema.org/draft/2020-12/schema"}) {
    check(fmt::format(R"({{"$ref":"{}"}})", uri),
          {R"({"type":"string","minLength":3,"properties":{"a":{"not":{"maximum":4}}}})", "{}"},
          {R"({"minLength":-1})", R"({"properties":{"a":{"not":{"maximum":"4"}}}})", R"({"type":"strng"})", "[]"},
          options);
  }
  // With formats asserted, patterns must be patterns, as keys too.
  check(R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})",
        {R"({"pattern":"^a+$","patternProperties":{"[a-z]*":{}}})"},
        {R"({"pattern":"a("})", R"({"patternProperties":{"(":{}}})"}, Library({}).options());
  // An extension of a meta-schema holds in all of its subschemas.
  check(R"({"$id":"http://x.test/meta","$schema":"https://json-schema.org/draft/2020-12/schema","$dynamicAnchor":"meta",
         "$ref":"https://json-schema.org/draft/2020-12/schema","properties":{"x-unit":{"type":"string"}},
         "not":{"required":["deprecated"]}})",
        {R"({"items":{"x-unit":"m"}})"},
        {R"({"items":{"x-unit":1}})", R"({"items":{"deprecated":true}})", R"({"items":{"minItems":"1"}})"}, options);
}

TEST(ReferencesTest, VocabulariesDecideWhatIsAsserted) {
  const auto meta = [](std::string_view vocabularies) {
    return fmt::format(R"({{"$schema":"https://json-schema.org/draft/2020-12/schema","$vocabulary":{{{}}}}})",
                       vocabularies);
  };
  const std::string v = "\"https://json-schema.org/draft/2020-12/vocab/";
  Library library({
      {"http://x.test/applicators", meta(v + "core\":true," + v + "applicator\":true")},
      {"http://x.test/assertions",
       meta(v + "core\":true," + v + "validation\":true," + v + "format-assertion\":false")},
      {"http://x.test/standard", R"({"$schema":"https://json-schema.org/draft/2020-12/schema"})"},
      {"http://x.test/old", R"({"$schema":"http://json-schema.org/draft-04/schema#"})"},
      {"http://x.test/strange", meta("\"http://x.test/vocab/units\":true")},
      {"http://x.test/circle", R"({"$schema":"http://x.test/circle"})"},
      {"http://x.test/nameless", "{}"},
      {"http://x.test/wrong", R"({"$schema":"https://json-schema.org/draft/2020-12/schema","$vocabulary":[]})"},
  });
  JsonSchemaOptions options = library.options();
  options.assert_formats = false;
  check(R"({"$schema":"http://x.test/applicators","type":"null","minimum":3,"format":"ipv4",
         "unevaluatedProperties":false,"properties":{"a":false}})",
        {"1", "\"x\"", R"({"b":1})"}, {R"({"a":1})"}, options);
  // format-assertion has formats asserted whatever the option says; without a vocabulary of formats nothing does.
  check(R"({"$schema":"http://x.test/assertions","format":"ipv4","properties":{"a":false},"type":["string","object"]})",
        {"\"127.0.0.1\"", R"({"a":1})"}, {"\"x\"", "1"}, options);
  check(R"({"$schema":"http://x.test/applicators","format":"ipv4"})", {"\"x\""}, {}, library.options());
  check(R"({"$schema":"http://x.test/standard","format":"ipv4","type":"string"})", {"\"x\""}, {"1"}, options);
  check(R"({"$schema":"http://x.test/standard","format":"ipv4"})", {"\"127.0.0.1\""}, {"\"x\""}, library.options());
  check(R"({"$schema":"http://x.test/old","minimum":1,"exclusiveMinimum":true})", {"2"}, {"1"}, options);
  // An embedded resource may speak another dialect than the rest.
  check(R"({"$id":"http://x.test/r","properties":{"a":{"$id":"e","$schema":"http://x.test/applicators","type":"null"},
         "b":{"type":"null"}}})",
        {R"({"a":1,"b":null})"}, {R"({"b":1})"}, options);

  const auto error = [&](std::string_view uri) { return error_of(fmt::format(R"({{"$schema":"{}"}})", uri), options); };
  expect_error(error("http://x.test/strange"), ErrorCode::kUnsupported, "/$schema", "http://x.test/vocab/units");
  expect_error(error("http://x.test/circle"), ErrorCode::kInvalid, "/$schema", "leads back to it");
  expect_error(error("http://x.test/nameless"), ErrorCode::kInvalid, "/$schema", "has no $schema");
  expect_error(error("http://x.test/wrong"), ErrorCode::kInvalid, "/$schema", "must be an object");
  expect_error(error("http://x.test/absent"), ErrorCode::kIo, "/$schema", "not on the shelf");
  expect_error(error_of(R"({"$schema":"http://x.test/standard"})"), ErrorCode::kUnsupported, "/$schema", "resolver");
  // What an unknown dialect says matters only where something leads to it.
  constexpr std::string_view kEmbedded =
      R"({"$id":"http://x.test/r",USE"$defs":{"e":{"$id":"e","$schema":"http://x.test/absent","type":"null"}}})";
  std::string embedded(kEmbedded);
  check(embedded.replace(embedded.find("USE"), 3, ""), {"1"}, {}, options);
  embedded = kEmbedded;
  expect_error(error_of(embedded.replace(embedded.find("USE"), 3, R"("$ref":"e",)"), options), ErrorCode::kIo,
               "/$defs/e/$schema", "not on the shelf");
}

TEST(ReferencesTest, ErrorsOfDocumentsSayWhichAndWhere) {
  Library library({
      {"http://x.test/text", "{\n  \"type\": }"},
      {"http://x.test/empty", ""},
      {"http://x.test/array", R"([{"type":"null"}])"},
      {"http://x.test/bad", R"({"properties":{"a":{"type":"strng"}}})"},
      {"http://x.test/dangling", R"({"items":{"$ref":"#/$defs/gone"}})"},
      {"http://x.test/onward", R"({"items":{"$ref":"further"}})"},
      {"http://x.test/named", R"({"$id":"no name"})"},
  });
  const auto error = [&](std::string_view reference) {
    return error_of(fmt::format(R"({{"$id":"http://x.test/root","items":{{"$ref":"{}"}}}})", reference),
                    library.options());
  };
  const std::string x = "http://x.test/";
  expect_error(error("gone"), ErrorCode::kIo, "/items/$ref", "\"http://x.test/gone\" could not be had: it is not on");
  expect_error(error("text"), ErrorCode::kSyntax, "/items/$ref", "\"http://x.test/text\" cannot be read: 2:11");
  expect_error(error("empty"), ErrorCode::kSyntax, "/items/$ref", "\"http://x.test/empty\" cannot be read");
  expect_error(error("array"), ErrorCode::kInvalid, "", "must be an object", x + "array");
  check(R"({"$ref":"http://x.test/array#/0"})", {"null"}, {"1"}, library.options());
  expect_error(error("bad"), ErrorCode::kInvalid, "/properties/a/type", "unknown type", x + "bad");
  expect_error(error("bad#/properties/b"), ErrorCode::kInvalid, "/items/$ref", "there is no \"b\" at \"/properties\"");
  expect_error(error("bad#b"), ErrorCode::kInvalid, "/items/$ref", "no schema in \"bad\" has the anchor \"b\"");
  expect_error(error("dangling"), ErrorCode::kInvalid, "/items/$ref", "there is no \"$defs\"", x + "dangling");
  expect_error(error("onward"), ErrorCode::kIo, "/items/$ref", "\"http://x.test/further\"", x + "onward");
  expect_error(error("named"), ErrorCode::kInvalid, "/$id", "is no URI", x + "named");
  expect_error(error("no name"), ErrorCode::kInvalid, "/items/$ref", "is no URI");
  EXPECT_EQ(error("bad").to_string().substr(0, 37), "http://x.test/bad#/properties/a/type:")
      << error("bad").to_string();
  // Without a resolver the error says what to do.
  const Error alone = error_of(R"({"items":{"$ref":"http://x.test/a#/b"}})");
  expect_error(alone, ErrorCode::kUnsupported, "/items/$ref", "\"http://x.test/a\"");
  EXPECT_NE(alone.message.find("$defs"), std::string::npos);
  EXPECT_NE(alone.message.find("JsonSchemaOptions::resolver"), std::string::npos);
}

TEST(ReferencesTest, ErrorsOfReferencesSayWhere) {
  struct Bad {
    const char* schema;
    ErrorCode code;
    const char* pointer;
    const char* part;
  };
  const Bad bad[] = {
      {R"({"$ref":"#"})", ErrorCode::kInvalid, "/$ref", "leads to itself"},
      {R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}})", ErrorCode::kInvalid,
       "/$defs/b/$ref", "leads to itself"},
      {R"({"$dynamicRef":"#a","$dynamicAnchor":"a"})", ErrorCode::kInvalid, "/$dynamicRef", "leads to itself"},
      {R"({"$id":"http://x.test/r","$ref":"b","$dynamicAnchor":"a","$defs":{"b":{"$id":"b","$ref":"c",
           "$dynamicAnchor":"a"},"c":{"$id":"c","$dynamicRef":"b#a"}}})",
       ErrorCode::kInvalid, "/$defs/c/$dynamicRef", "leads to itself"},
      {R"({"items":{"$ref":"#/items/a%2"}})", ErrorCode::kInvalid, "/items/$ref", "hexadecimal"},
      {R"({"items":{"$ref":"#/items/~2"}})", ErrorCode::kInvalid, "/items/$ref", "0 or 1"},
      {R"({"items":{"$ref":"#/allOf/01"},"allOf":[true,true]})", ErrorCode::kInvalid, "/items/$ref", "no \"01\""},
      {R"({"items":{"$ref":"#nowhere"}})", ErrorCode::kInvalid, "/items/$ref", "anchor \"nowhere\""},
      {R"({"items":{"$dynamicRef":"#nowhere"}})", ErrorCode::kInvalid, "/items/$dynamicRef", "anchor \"nowhere\""},
      {R"({"items":{"$ref":1}})", ErrorCode::kInvalid, "/items/$ref", "a string"},
      {R"({"items":{"$dynamicRef":[]}})", ErrorCode::kInvalid, "/items/$dynamicRef", "a string"},
      {R"({"items":{"$ref":"#/title"},"title":"x"})", ErrorCode::kInvalid, "/title", "must be an object"},
      {R"({"$id":"a b"})", ErrorCode::kInvalid, "/$id", "is no URI"},
      {R"({"$id":"http://x.test/%zz"})", ErrorCode::kInvalid, "/$id", "is no URI"},
      {R"({"$defs":{"x":{"$id":"<x>"}}})", ErrorCode::kInvalid, "/$defs/x/$id", "is no URI"},
      {R"({"$schema":7})", ErrorCode::kInvalid, "/$schema", "must be a string"},
      {R"({"items":{"$ref":"urn:x"}})", ErrorCode::kUnsupported, "/items/$ref", "\"urn:x\""},
  };
  for (const Bad& one : bad) {
    SCOPED_TRACE(one.schema);
    expect_error(error_of(one.schema), one.code, one.pointer, one.part);
  }
  // What nothing leads to is not asked for.
  check(R"({"type":"null","$defs":{"a":{"$ref":"http://x.test/a"},"b":{"$ref":"#/gone"}}})", {"null"}, {"1"});
}

TEST(ReferencesTest, ClosedObjectsAreClosedAcrossDocumentsAndScopes) {
  Library library({{"http://x.test/point", R"({"properties":{"x":{"type":"integer"},"in":{"properties":{"y":true}}}})"},
                   {"http://x.test/unused", "{}"}});
  JsonSchemaOptions options = library.options();
  options.closed_objects = true;
  check(R"({"$id":"http://x.test/r","properties":{"p":{"$ref":"point"}},"$ref":"point"})",
        {R"({"x":1,"in":{"y":1},"p":{"x":1,"in":{"y":1}}})"},
        {R"({"z":1})", R"({"in":{"z":1}})", R"({"p":{"z":1}})", R"({"p":{"in":{"z":1}}})"}, options);
  // The keys of both references, in each copy of the list.
  check(R"({"$id":"http://x.test/r","properties":{"n":{"$ref":"numbers"},"s":{"$ref":"strings"}},"$defs":{
         "list":{"$id":"list","properties":{"next":{"$dynamicRef":"#item","$ref":"point"}},
                 "$defs":{"d":{"$dynamicAnchor":"item"}}},
         "numbers":{"$id":"numbers","$ref":"list","$defs":{"d":{"$dynamicAnchor":"item","properties":{"n":true}}}},
         "strings":{"$id":"strings","$ref":"list","$defs":{"d":{"$dynamicAnchor":"item","properties":{"s":true}}}}}})",
        {R"({"n":{"next":{"n":1,"x":1}},"s":{"next":{"s":1,"x":1}}})"},
        {R"({"n":{"next":{"s":1}}})", R"({"s":{"next":{"n":1}}})", R"({"s":{"s":1}})"}, options);
}

// Each: {"$ref":"#/$defs/0"}, and definitions that lead from one to the next, `wrapped` in something.
std::string chain(int length, std::string_view wrapped) {
  std::string out = R"({"$ref":"#/$defs/0","$defs":{)";
  for (int i = 0; i < length; ++i) {
    std::string one(wrapped);
    out += fmt::format("\"{}\":{},", i,
                       one.replace(one.find("NEXT"), 4, fmt::format("{{\"$ref\":\"#/$defs/{}\"}}", i + 1)));
  }
  return out + fmt::format("\"{}\":{{\"type\":\"null\"}}}}}}", length);
}

TEST(ReferencesTest, LongChainsAreBoundedOrKept) {
  constexpr int kLong = 10'000;
  const auto error = [](std::string_view wrapped) { return error_of(chain(kLong, wrapped)); };
  EXPECT_NE(error("NEXT").message.find("more than 512 others"), std::string::npos);
  for (const char* wrapped : {R"({"allOf":[NEXT]})", R"({"anyOf":[NEXT,{"type":"string"}]})", R"({"not":NEXT})",
                              R"({"if":NEXT,"then":{"minimum":1}})", R"({"dependentSchemas":{"a":NEXT}})"}) {
    EXPECT_EQ(error(wrapped).code, ErrorCode::kLimit) << wrapped;
  }
  for (const char* wrapped : {R"({"items":NEXT})", R"({"properties":{"a":NEXT},"required":["a"]})"}) {
    const auto grammar = parse_json_schema(chain(kLong, wrapped));
    EXPECT_TRUE(grammar.ok()) << wrapped << grammar.error().to_string();
  }
  // Each document leads to another one.
  JsonSchemaOptions options;
  options.resolver = [](std::string_view uri) -> Result<std::string> {
    return fmt::format(R"({{"items":{{"$ref":"{}x"}}}})", uri);
  };
  expect_error(error_of(R"({"$ref":"http://x.test/x"})", options), ErrorCode::kLimit, "/items/$ref", "max_documents",
               "http://x.test/" + std::string(options.limits.max_documents, 'x'));
  options.limits.max_text_bytes = 1000;
  options.resolver = [](std::string_view) -> Result<std::string> { return "{" + std::string(2000, ' ') + "}"; };
  expect_error(error_of(R"({"$ref":"http://x.test/x"})", options), ErrorCode::kLimit, "/$ref", "max_text_bytes");
}

TEST(ReferencesTest, ScopesAreBounded) {
  // Each of n anchors is set or not on the way down: 2^n scopes of the innermost resource.
  const auto with = [](int anchors) {
    std::string definitions;
    std::string asked;
    for (int i = 0; i < anchors; ++i) {
      definitions += fmt::format(
          R"("r{0}":{{"$id":"r{0}","anyOf":[{{"$ref":"r{1}"}},{{"$ref":"s{0}"}}]}},
             "s{0}":{{"$id":"s{0}","$ref":"r{1}","$defs":{{"a":{{"$dynamicAnchor":"a{0}","minLength":{1}}}}}}},)",
          i, i + 1);
      asked += fmt::format(R"({{"$dynamicRef":"#a{0}"}},)", i);
    }
    std::string anchors_below;
    for (int i = 0; i < anchors; ++i) anchors_below += fmt::format(R"("a{0}":{{"$dynamicAnchor":"a{0}"}},)", i);
    return fmt::format(R"({{"$id":"http://x.test/r","$ref":"r0","$defs":{{{}"r{}":{{"$id":"r{}","allOf":[{}true],
                           "$defs":{{{}"z":true}}}}}}}})",
                       definitions, anchors, anchors, asked, anchors_below);
  };
  check(with(3), {"\"abc\"", "\"\"", "1"}, {});
  expect_error(error_of(with(12)), ErrorCode::kLimit, "/$defs/s11/$ref", "max_dynamic_scopes");
}

}  // namespace
}  // namespace weir
