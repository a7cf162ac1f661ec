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

}  // namespace
}  // namespace weir::schema
