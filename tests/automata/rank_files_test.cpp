// The two formats that list tokens as base64 by rank: tiktoken's rank files and Mistral's tekken.json.
#include <gtest/gtest.h>

#include "automata/vocabulary_dump.hpp"
#include "tokens/pieces.hpp"
#include "weir/automata/vocabulary.hpp"

namespace weir {
namespace {

using testing::contains;
using testing::dump;
using testing::starts_with;

TEST(Base64, DecodesWhatRfc4648Says) {
  const std::pair<const char*, const char*> good[] = {{"", ""},
                                                      {"Zg==", "f"},
                                                      {"Zm8=", "fo"},
                                                      {"Zm9v", "foo"},
                                                      {"Zm9vYg==", "foob"},
                                                      {"Zm9vYmE=", "fooba"},
                                                      {"+/+/", "\xFB\xFF\xBF"}};
  for (const auto& [text, bytes] : good) {
    std::string out = ">";
    EXPECT_TRUE(append_base64(text, out)) << text;
    EXPECT_EQ(out, ">" + std::string(bytes));
  }
  for (const char* bad :
       {"Z", "Zg", "Zg=", "Zg===", "====", "Z===", "=Zg=", "Zh==", "Zm9=", "Zm 9", "Zm9-", "Zg==Zg=="}) {
    std::string out = ">";
    EXPECT_FALSE(append_base64(bad, out)) << bad;
    EXPECT_EQ(out, ">");
  }
}

TEST(Tiktoken, Files) {
  const auto load = [](std::string_view text, const VocabularyOptions& options = {}) {
    return dump(Vocabulary::from_tiktoken(text, options));
  };
  EXPECT_EQ(load("YQ== 0\nYg== 1\n"), "T:a T:b");
  EXPECT_EQ(load("YQ== 0\r\nYg== 1"), "T:a T:b");
  EXPECT_EQ(load("/w== 3\nYQ== 1\n"), "- T:a - T:\\FF");
  EXPECT_EQ(load("YQ== 0\nYQ== 1\n"), "T:a T:a");
  EXPECT_EQ(load("YQ== 0\n", {.special_tokens = {{"<|endoftext|>", 2}, {"<|x|>", 1}}}), "T:a S:<|x|> E:<|endoftext|>");
  EXPECT_TRUE(
      starts_with(load("YQ== 0\n", {.special_tokens = {{"<|x|>", 0}}}), "argument: the special token \"<|x|>\""));
  EXPECT_TRUE(starts_with(load("YQ== 0\n", {.special_tokens = {{"<|x|>", 0xFFFF'FFFF}}}), "argument: "));

  EXPECT_TRUE(starts_with(load(""), "invalid: the vocabulary has no tokens"));
  EXPECT_TRUE(starts_with(load("YQ== 0\n\nYg== 1\n"), "syntax: 2:1: "));
  EXPECT_TRUE(starts_with(load("YQ== 0\nYg 1\n"), "syntax: 2:1: "));
  EXPECT_TRUE(starts_with(load("YQ==\n"), "syntax: 1:1: "));
  EXPECT_TRUE(starts_with(load(" 0\n"), "syntax: 1:1: "));
  for (const char* rank : {"", "x", "-1", "1x", " 1", "4294967296", "99999999999999999999", "1.0"}) {
    EXPECT_TRUE(starts_with(load("YQ== " + std::string(rank)), "syntax: 1:6: ")) << rank;
  }
  EXPECT_TRUE(starts_with(load("YQ== 0\nYg== 0\n"), "invalid: 2:1: two tokens have the id 0: \"a\" and \"b\""));
  EXPECT_TRUE(starts_with(load("YQ== 4294967295\n"), "limit: 1:1: "));
}

class Tekken : public ::testing::Test {
 protected:
  static std::string load(const std::string& config, const std::string& vocab, const std::string& more = "") {
    return dump(Vocabulary::from_tekken(R"({"config": )" + config + R"(, "vocab": )" + vocab + more + "}"));
  }
  static std::string config(int size, int special) {
    return fmt::format(R"({{"pattern": "x", "default_vocab_size": {}, "default_num_special_tokens": {}}})", size,
                       special);
  }
  static constexpr const char* kVocab =
      R"([{"rank": 0, "token_bytes": "YQ==", "token_str": "a"}, {"rank": 1, "token_bytes": "/w==", "token_str": null},)"
      R"( {"token_str": "c", "token_bytes": "Yw==", "rank": 2}])";
};

TEST_F(Tekken, Files) {
  const std::string special =
      R"(, "special_tokens": [{"rank": 1, "token_str": "</s>", "is_control": true}, {"rank": 0, "token_str": "<s>"}])";
  EXPECT_EQ(load(config(6, 3), kVocab, special), "S:<s> E:</s> S:<SPECIAL_2> T:a T:\\FF T:c");
  // The configured size cuts the list.
  EXPECT_EQ(load(config(5, 3), kVocab, special), "S:<s> E:</s> S:<SPECIAL_2> T:a T:\\FF");
  EXPECT_EQ(load(config(2, 2), kVocab, special), "S:<s> E:</s>");
  // Files up to v7 list no special tokens.
  EXPECT_TRUE(starts_with(load(config(23, 21), kVocab), "S:<unk> S:<s> E:</s> S:[INST] S:[/INST] "));
  EXPECT_TRUE(contains(load(config(23, 21), kVocab), " S:[TOOL_CONTENT] S:<SPECIAL_20> T:a T:\\FF"));
}

TEST_F(Tekken, Errors) {
  const std::string none = R"(, "special_tokens": [])";
  EXPECT_TRUE(
      starts_with(load(config(4, 0), kVocab, none), "invalid: /vocab: there are 3 tokens, but the config wants 4"));
  EXPECT_TRUE(starts_with(load(config(0, 0), kVocab, none), "invalid: the vocabulary has no tokens"));
  EXPECT_TRUE(starts_with(load(config(3, 4), kVocab, none), "invalid: /config"));
  EXPECT_TRUE(starts_with(load(config(-1, 0), kVocab, none), "invalid: /config"));
  EXPECT_TRUE(starts_with(load("{}", kVocab, none), "invalid: /config"));
  EXPECT_TRUE(starts_with(load("[]", kVocab, none), "invalid: /config"));
  EXPECT_TRUE(
      starts_with(load(config(2'000'000'000, 1'999'999'999), kVocab, none), "limit: /config/default_vocab_size"));
  EXPECT_TRUE(starts_with(load(config(5, 3), kVocab), "invalid: /config/default_num_special_tokens"));
  for (const char* vocab :
       {R"([{"rank": 1, "token_bytes": "YQ=="}])", R"([{"rank": 0, "token_bytes": "YQ="}])", R"([{"rank": 0}])",
        R"([{"token_bytes": "YQ=="}])", R"([{"rank": "0", "token_bytes": "YQ=="}])",
        R"([{"rank": 0, "token_bytes": "YQ==", "token_bytes": "YQ=="}])", R"([{"rank": 0, "token_bytes": ["YQ=="]}])",
        R"([[]])", R"(["YQ=="])", "[0]", "[null]", R"([{"rank": -0.5, "token_bytes": "YQ=="}])"}) {
    EXPECT_TRUE(starts_with(load(config(1, 0), vocab, none), "invalid: /vocab/0")) << vocab;
  }
  EXPECT_TRUE(starts_with(load(config(1, 0), "{}", none), "invalid: /vocab"));
  EXPECT_TRUE(starts_with(load(config(1, 0), "null", none), "invalid: /vocab"));
  for (const char* special : {R"([{"rank": 2, "token_str": "x"}])", R"([{"token_str": "x"}])", R"([{"rank": 0}])",
                              "[1]", R"({"rank": 0})", "7"}) {
    EXPECT_TRUE(starts_with(load(config(3, 2), kVocab, R"(, "special_tokens": )" + std::string(special)),
                            "invalid: /special_tokens"))
        << special;
  }
  EXPECT_TRUE(starts_with(load(config(3, 2), kVocab,
                               R"(, "special_tokens": [{"rank": 0, "token_str": "x"}, {"rank": 0, "token_str": "y"}])"),
                          "invalid: "));
  EXPECT_TRUE(starts_with(dump(Vocabulary::from_tekken("{")), "syntax: 1:2: "));
}

}  // namespace
}  // namespace weir
