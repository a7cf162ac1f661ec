#include <gtest/gtest.h>

#include "automata/vocabulary_dump.hpp"
#include "weir/automata/vocabulary.hpp"

namespace weir {
namespace {

using testing::contains;
using testing::dump;
using testing::starts_with;

std::string load(const std::string& json, const VocabularyOptions& options = {}) {
  return dump(Vocabulary::from_tokenizer_json(json, options));
}

// A BPE file with this decoder; `more` are further members of the outermost object.
std::string bpe(const std::string& vocab, const std::string& decoder, const std::string& more = "",
                const std::string& model_more = "") {
  return R"({"model": {"type": "BPE", "vocab": )" + vocab + R"(, "merges": ["a b", ["a", "b"]])" + model_more +
         R"(}, "decoder": )" + decoder + more + "}";
}

const std::string kByteLevel = R"({"type": "ByteLevel", "trim_offsets": true})";
const std::string kByteFallback =
    R"({"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},)"
    R"( {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})";

TEST(TokenizerJson, ByteLevel) {
  EXPECT_EQ(
      load(bpe(R"({"!": 0, "\u0120a": 1, "\u010A": 2, "\u00C3\u00A9": 3, "\u0143": 4, "\u0100": 5})", kByteLevel)),
      "T:! T:\\20a T:\\0A T:\\C3\\A9 T:\\AD T:\\00");
  // Characters outside of the alphabet make a piece stand for itself.
  EXPECT_EQ(load(bpe(R"({"\u2581a": 0, "a b": 1, "\u0144": 2})", kByteLevel)), "T:\\E2\\96\\81a T:a\\20b T:\\C5\\84");
  // A tokenizer without a decoder is known by its pre-tokenizer, in a sequence, too.
  for (const std::string& pre_tokenizer :
       {std::string(R"({"type": "ByteLevel"})"),
        std::string(R"({"type": "Sequence", "pretokenizers": [{"type": "Digits"}, {"type": "ByteLevel"}]})")}) {
    EXPECT_EQ(load(bpe(R"({"\u0120": 0})", "null", R"(, "pre_tokenizer": )" + pre_tokenizer)), "T:\\20");
  }
}

TEST(TokenizerJson, ByteFallback) {
  EXPECT_EQ(load(bpe(R"({"\u2581\u2581a": 0, "<0xE6>": 1, "<0x0a>": 2, "<0xG0>": 3, "<0xE6": 4, "\u660e": 5})",
                     kByteFallback)),
            "T:\\20\\20a T:\\E6 T:\\0A T:<0xG0> T:<0xE6 T:\\E6\\98\\8E");
  // Without the step that says so, <0xE6> is six characters.
  EXPECT_EQ(load(bpe(R"({"<0xE6>": 0, "\u2581": 1})", R"({"type": "Metaspace", "replacement": "\u2581"})")),
            "T:<0xE6> T:\\20");
}

TEST(TokenizerJson, Decoders) {
  const auto sequence = [](const std::string& steps) { return R"({"type": "Sequence", "decoders": [)" + steps + "]}"; };
  const auto strip = [](int start, int stop) {
    return fmt::format(R"({{"type": "Strip", "content": "_", "start": {}, "stop": {}}})", start, stop);
  };
  // Strip takes from every piece unless a Fuse comes first; then only from the ends of the whole text.
  EXPECT_EQ(load(bpe(R"({"___a___": 0})", sequence(strip(1, 2)))), "T:__a_");
  EXPECT_EQ(load(bpe(R"({"_": 0})", sequence(strip(3, 3)))), "T:");
  EXPECT_EQ(load(bpe(R"({"___a___": 0})", sequence(R"({"type": "Fuse"}, )" + strip(1, 2)))), "T:___a___");
  // Replacements work one after the other, before bytes are looked for.
  EXPECT_EQ(load(bpe(R"({"ab": 0})", sequence(R"({"type": "Replace", "pattern": {"String": "b"}, "content": "ca"},)"
                                              R"({"type": "Replace", "pattern": {"String": "a"}, "content": "."})"))),
            "T:.c.");

  const std::string unsupported[] = {
      R"({"type": "WordPiece"})",
      R"({"type": "BPEDecoder", "suffix": "</w>"})",
      R"({"type": "Surprise"})",
      R"({})",
      R"([])",
      R"({"type": "Replace", "pattern": {"Regex": "a+"}, "content": " "})",
      R"({"type": "Replace", "pattern": {"String": ""}, "content": " "})",
      sequence(R"({"type": "Fuse"}, {"type": "Replace", "pattern": {"String": "ab"}, "content": " "})"),
      sequence(R"({"type": "Fuse"}, {"type": "ByteFallback"})"),
      sequence(R"({"type": "ByteLevel"}, {"type": "Replace", "pattern": {"String": "a"}, "content": " "})"),
      sequence(R"({"type": "Metaspace"}, {"type": "ByteLevel"})"),
  };
  for (const std::string& decoder : unsupported) {
    EXPECT_TRUE(starts_with(load(bpe(R"({"a": 0})", decoder)), "unsupported: /decoder")) << decoder;
  }
  EXPECT_TRUE(starts_with(load(bpe(R"({"a": 0})", "null")), "unsupported: /decoder"));
  EXPECT_TRUE(starts_with(load(bpe(R"({"a": 0})", R"({"type": "Sequence"})")), "invalid: /decoder/decoders"));
  EXPECT_TRUE(starts_with(load(bpe(R"({"a": 0})", sequence(R"({"type": "Strip"})"))), "invalid: /decoder/decoders/0"));
  EXPECT_TRUE(starts_with(load(bpe(R"({"a": 0})", sequence(R"({"type": "Fuse"}, {"type": "CTC"})"))),
                          "unsupported: /decoder/decoders/1"));
}

TEST(TokenizerJson, AddedTokens) {
  const std::string added = R"(, "added_tokens": [
      {"id": 2, "content": "<|endoftext|>", "special": true},
      {"id": 1, "content": "\u0120x", "special": false},
      {"id": 4, "content": "<tool\u00e9>", "special": false},
      {"id": 6, "content": "<|im_end|>", "special": true}])";
  // 1 is in the vocabulary and spelled as such; 4 is not and means what it says; 3 and 5 are holes.
  EXPECT_EQ(load(bpe(R"({"a": 0, "\u0120x": 1, "<|endoftext|>": 2})", kByteLevel, added)),
            "T:a T:\\20x E:<|endoftext|> - T:<tool\\C3\\A9> - E:<|im_end|>");
  // In plain-text alphabets U+2581 is a space in them, too; a byte's spelling is not a byte.
  EXPECT_EQ(load(bpe(R"({"a": 0})", kByteFallback,
                     R"(, "added_tokens": [{"id": 1, "content": "\u2581b", "special": false},
                                           {"id": 2, "content": "<0xE6>", "special": false}])")),
            "T:a T:\\20b T:<0xE6>");
  // What an added token says of an id overrides the vocabulary; of two, the last counts.
  EXPECT_EQ(load(bpe(R"({"a": 0, "b": 1})", kByteLevel,
                     R"(, "added_tokens": [{"id": 1, "content": "<x>", "special": false},
                                           {"id": 1, "content": "<y>", "special": true}])")),
            "T:a S:<y>");
  for (const char* bad : {R"({"content": "a"})", R"({"id": -1, "content": "a"})", R"({"id": 1.5, "content": "a"})",
                          R"({"id": 4294967296, "content": "a"})", R"({"id": 1})", R"({"id": 1, "content": 2})",
                          R"({"id": 1, "content": "a", "special": 1})", "7"}) {
    EXPECT_TRUE(starts_with(load(bpe(R"({"a": 0})", kByteLevel, R"(, "added_tokens": [)" + std::string(bad) + "]")),
                            "invalid: /added_tokens/0"))
        << bad;
  }
  EXPECT_TRUE(starts_with(load(bpe(R"({"a": 0})", kByteLevel, R"(, "added_tokens": {})")), "invalid: /added_tokens"));
}

TEST(TokenizerJson, Eos) {
  const std::string text = bpe(R"({"</s>": 0, "b": 1})", kByteLevel,
                               R"(, "added_tokens": [{"id": 2, "content": "</s>", "special": true},
                                                     {"id": 3, "content": "<stop>", "special": true}])");
  EXPECT_EQ(load(text), "T:</s> T:b E:</s> S:<stop>");
  EXPECT_EQ(load(text, {.eos_tokens = {"<stop>"}}), "T:</s> T:b S:</s> E:<stop>");
}

TEST(TokenizerJson, UnknownTokenHasNoText) {
  EXPECT_EQ(load(bpe(R"({"<unk>": 0, "a": 1})", kByteLevel, "", R"(, "unk_token": "<unk>")")), "S:<unk> T:a");
  EXPECT_EQ(load(bpe(R"({"<unk>": 0, "a": 1})", kByteLevel, "", R"(, "unk_token": null)")), "T:<unk> T:a");
}

TEST(TokenizerJson, Unigram) {
  const auto unigram = [](const std::string& vocab) {
    return R"({"model": {"type": "Unigram", "unk_id": 0, "vocab": )" + vocab +
           R"(}, "decoder": {"type": "Metaspace"}})";
  };
  EXPECT_EQ(load(unigram(R"([["<unk>", 0], ["\u2581a", -1.5], ["b", 2]])")), "S:<unk> T:\\20a T:b");
  for (const char* bad : {R"({"a": 0})", R"([["a"], [], ["b", 1]])", R"([["a", 1, "b"]])", R"([["a", [1]]])",
                          R"(["a"])", R"([["a", null]])", R"([[1, 2]])", R"([{"a": 1}])", "[null]", "3"}) {
    EXPECT_TRUE(starts_with(load(unigram(bad)), "invalid: /model")) << bad;
  }
}

TEST(TokenizerJson, Models) {
  // The members may come in any order, and old files have no type.
  EXPECT_EQ(load(R"({"decoder": {"type": "ByteLevel"}, "model": {"merges": [], "vocab": {"\u0120": 0}}})"), "T:\\20");
  EXPECT_TRUE(starts_with(load(R"({"model": {"type": "WordPiece", "vocab": {"a": 0}}})"),
                          "unsupported: /model/type: tokenizer models of the type \"WordPiece\""));
  EXPECT_TRUE(starts_with(load(R"({"model": {"type": "WordLevel", "vocab": {"a": 0}}})"), "unsupported: /model/type"));
  EXPECT_TRUE(starts_with(load(R"({"model": {"vocab": {"a": 0}}})"), "unsupported: /model/type"));
  EXPECT_TRUE(starts_with(load(bpe(R"({"a": 0})", kByteLevel, "", R"(, "end_of_word_suffix": "</w>")")),
                          "unsupported: /model/end_of_word_suffix"));
  EXPECT_EQ(load(bpe(R"({"a": 0})", kByteLevel, "", R"(, "end_of_word_suffix": "")")), "T:a");
  for (const char* bad : {"{}", "[]", "7", R"({"model": 1})", R"({"model": {"type": "BPE"}})", R"({"model": []})"}) {
    EXPECT_TRUE(starts_with(load(bad), "invalid: /model")) << bad;
  }
  for (const char* ids : {R"({"a": "0"})", R"({"a": -1})", R"({"a": 1.0})", R"({"a": null})", R"({"a": []})",
                          R"({"a": {"b": 1}})", R"(["a"])", "{}"}) {
    EXPECT_TRUE(starts_with(load(bpe(ids, kByteLevel)), "invalid: ")) << ids;
  }
  EXPECT_TRUE(starts_with(load(bpe(R"({"a": 0, "b/~": 0})", kByteLevel)), "invalid: /model/vocab/b~1~0: two tokens"));
  EXPECT_EQ(load(bpe(R"({"": 0, "a": 2})", kByteLevel)), "T: - T:a");
}

TEST(TokenizerJson, Limits) {
  EXPECT_TRUE(starts_with(load(bpe(R"({"a": 4194304})", kByteLevel)), "limit: /model/vocab/a: "));
  EXPECT_TRUE(starts_with(load(bpe(R"({"a": 18446744073709551615})", kByteLevel)), "limit: "));
  EXPECT_TRUE(
      starts_with(load(bpe(R"({"a": 0})", kByteLevel, R"(, "added_tokens": [{"id": 4294967295, "content": "b"}])")),
                  "limit: /added_tokens: "));
  VocabularyOptions options;
  options.limits.max_file_bytes = 10;
  EXPECT_TRUE(contains(load(bpe(R"({"a": 0})", kByteLevel), options), "max_file_bytes"));
  for (const char* place : {"decoder", "post_processor", "whatever"}) {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    EXPECT_TRUE(contains(load("{\"" + std::string(place) + "\": " + deep + "}"), "max_depth")) << place;
    EXPECT_TRUE(contains(load("{\"" + std::string(place) + "\": " + std::string(1'000'000, '[')), "max_depth"));
  }
  std::string decoder = kByteLevel;
  for (int i = 0; i < 100; ++i) decoder = R"({"type": "Sequence", "decoders": [)" + decoder + "]}";
  EXPECT_EQ(load(bpe(R"({"\u0120": 0})", decoder)), "T:\\20");
}

// Every prefix of a good file is an error with a place in it; so is every file with one byte of rubbish.
TEST(TokenizerJson, MalformedJson) {
  const std::string good = bpe(R"({"a": 0, "\u0120\ud83d\ude00": 1})", kByteFallback,
                               R"(, "added_tokens": [{"id": 2, "content": "</s>", "special": true}])");
  ASSERT_EQ(load(good), "T:a T:\\C4\\A0\\F0\\9F\\98\\80 E:</s>");
  for (std::size_t length = 0; length < good.size(); ++length) {
    const Result<Vocabulary> result = Vocabulary::from_tokenizer_json(std::string_view(good).substr(0, length));
    ASSERT_FALSE(result) << length;
    EXPECT_EQ(result.error().code, ErrorCode::kSyntax) << length;
    EXPECT_EQ(result.error().line, 1U);
    EXPECT_GE(result.error().column, 1U);
    EXPECT_LE(result.error().column, length + 1);
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = '\xFF';
    const Result<Vocabulary> result = Vocabulary::from_tokenizer_json(bad);
    ASSERT_FALSE(result) << i;
    EXPECT_EQ(result.error().code, ErrorCode::kSyntax) << i;
  }
  EXPECT_TRUE(starts_with(load("{\n \"a\": \"\xC3(\"}"), "syntax: 2:"));
  EXPECT_TRUE(starts_with(load(R"({"a": "\ud800"})"), "syntax: "));
  EXPECT_TRUE(starts_with(load(R"({"a": 1e999})"), "syntax: "));
  EXPECT_TRUE(starts_with(load(good + "x"), "syntax: "));
  // The message stays short whatever was being read.
  EXPECT_LT(load("{\"a\": \"" + std::string(100'000, 'x')).size(), 400U);
}

}  // namespace
}  // namespace weir
