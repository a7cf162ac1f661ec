// The reader of schemas against another JSON library: strings by words of eight bytes, keys by their hashes.
#include "schema/json_document.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace weir::schema {
namespace {

Result<JsonDocument> parse(const std::string& text) { return JsonDocument::parse(text, {}); }

TEST(JsonDocumentTest, StringsOfEveryLengthAndPlace) {
  const std::vector<std::string> pieces = {"",  "\\\"",       "\\\\",           "\\u00e9", "é",
                                           "€", "\U0001F600", "\\ud83d\\ude00", "\x7F",    "\\n"};
  std::size_t compared = 0;
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t after = 0; after < 20; ++after) {
      for (const std::string& piece : pieces) {
        const std::string content = std::string(before, 'x') + piece + std::string(after, '!') + "#";
        const std::string text = "{\"" + content + "\":[\"" + content + "\",\"" + piece + "\"]}";
        const auto expected = nlohmann::json::parse(text);
        const auto document = parse(text);
        ASSERT_TRUE(document.ok()) << text << document.error().to_string();
        EXPECT_EQ(document->key(1), expected.begin().key());
        EXPECT_EQ(document->text(2), expected.begin().value()[0].get<std::string>());
        EXPECT_EQ(document->text(3), expected.begin().value()[1].get<std::string>());
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 20U * 20U * pieces.size());
}

TEST(JsonDocumentTest, RefusesWhatNoStringHolds) {
  for (std::size_t before = 0; before < 20; ++before) {
    const std::string x(before, 'x');
    for (const std::string& bad : {std::string(1, '\0'), std::string("\x1F"), std::string("\n"), std::string("\xFF"),
                                   std::string("\xC3"), std::string("\xED\xA0\x80"), std::string("\\x")}) {
      for (const char* after : {"", "yyyyyyyyy"}) {
        const std::string text = "[\"" + x + bad + after + "\"]";
        EXPECT_FALSE(nlohmann::json::accept(text));
        EXPECT_FALSE(parse(text).ok()) << text;
      }
    }
    // Ends of the text within a string, at every distance from a word's end.
    EXPECT_FALSE(parse("\"" + x).ok());
    EXPECT_FALSE(parse("\"" + x + "\\").ok());
    EXPECT_FALSE(parse("{\"" + x + "\"").ok());
  }
}

TEST(JsonDocumentTest, FindsKeysThatComeTwice) {
  for (const std::size_t size : {2U, 3U, 23U, 24U, 25U, 26U, 300U}) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < size; ++i) keys.push_back("a common beginning, then " + std::to_string(i));
    const auto written = [&] {
      std::string text = "{";
      for (const std::string& key : keys) text += (text.size() > 1 ? ",\"" : "\"") + key + "\":0";
      return text + "}";
    };
    EXPECT_TRUE(parse(written()).ok()) << size;
    for (const std::size_t first : {std::size_t{0}, size / 2}) {
      for (const std::size_t second : {first + 1, size - 1}) {
        if (first >= second || second >= size) continue;
        const std::string kept = keys[second];
        keys[second] = keys[first];
        const auto document = parse(written());
        ASSERT_FALSE(document.ok()) << size;
        EXPECT_EQ(document.error().code, ErrorCode::kInvalid);
        EXPECT_NE(document.error().message.find("\"" + keys[first] + "\" twice"), std::string::npos);
        keys[second] = kept;
      }
    }
  }
  // The same key in different spellings.
  EXPECT_FALSE(parse(R"({"a\u0062c":1,"abc":2})").ok());
}

TEST(JsonDocumentTest, OtherDocumentsAndCopiesFollow) {
  auto document = *parse(R"({"a":[1,{"b~/":null}],"c":true})");
  const std::size_t before = document.size();
  const JsonId other = document.append_document(*parse(R"([0,{"x":[{"y":"z"}]}])"), "http://x.test/other");
  ASSERT_EQ(other, before);
  const JsonId array = document.find(0, "a");
  const JsonId copy = document.append_copy(array);
  const JsonId again = document.append_copy(document.item(copy, 1));
  const JsonId of_other = document.append_copy(document.item(other, 1));
  // Each is a value with no parent, and its children are its own.
  for (const JsonId root : {other, copy, again, of_other}) EXPECT_EQ(document.parent(root), kNoJson);
  EXPECT_EQ(document.text(document.item(copy, 0)), "1");
  EXPECT_EQ(document.parent(document.item(copy, 0)), copy);
  EXPECT_EQ(document.kind(document.find(again, "b~/")), JsonKind::kNull);
  const JsonId deep = document.find(document.item(document.find(of_other, "x"), 0), "y");
  EXPECT_EQ(document.text(deep), "z");
  // A copy is called by its origin.
  EXPECT_EQ(document.origin(again), document.item(array, 1));
  EXPECT_EQ(document.pointer(document.find(again, "b~/")), "/a/1/b~0~1");
  EXPECT_EQ(document.uri(again), "");
  EXPECT_EQ(document.pointer(deep), "/1/x/0/y");
  EXPECT_EQ(document.uri(deep), "http://x.test/other");
  // Instances come after all and are no part of any document.
  const auto instance = document.append(R"({"k":1,"k":2})", {});
  ASSERT_TRUE(instance.ok());
  EXPECT_TRUE(document.is_appended(*instance));
  EXPECT_FALSE(document.is_appended(deep));
  EXPECT_EQ(document.uri(*instance), "");
  EXPECT_EQ(document.text(document.find(*instance, "k")), "2");
  EXPECT_EQ(document.origin(*instance), *instance);
}

}  // namespace
}  // namespace weir::schema
