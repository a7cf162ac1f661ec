#include "weir/automata/vocabulary.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "automata/vocabulary_dump.hpp"

namespace weir {
namespace {

using testing::contains;
using testing::dump;
using testing::starts_with;

using Tokens = std::vector<std::string>;
using Ids = std::vector<TokenId>;

TEST(Vocabulary, FromBytes) {
  struct Case {
    Tokens tokens;
    Ids special;
    Ids eos;
    std::string expected;
  };
  const Case cases[] = {
      {{"a", "b", "</s>"}, {}, {2}, "T:a T:b E:</s>"},
      {{"a"}, {}, {}, "T:a"},
      // Duplicates stay, each with its own id; a token without bytes keeps its id, too.
      {{"t", "t", "", std::string("\0\xFF", 2)}, {}, {}, "T:t T:t T: T:\\00\\FF"},
      {{"<s>", "x", "</s>"}, {0}, {2}, "S:<s> T:x E:</s>"},
      // An end-of-sequence id that is listed as special as well.
      {{"x", "</s>"}, {1}, {1}, "T:x E:</s>"},
      // Ids past the list: special tokens without a spelling, and a hole between.
      {{"x"}, {3}, {2}, "T:x - E: S:"},
      // Nothing is guessed: "</s>" is special here but not named as an end.
      {{"x", "</s>"}, {1}, {}, "T:x S:</s>"},
      // A stop id loses its text.
      {{"\"", "x", "<end>"}, {}, {2}, "T:\" T:x E:<end>"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(dump(Vocabulary::from_bytes(c.tokens, c.special, c.eos)), c.expected);
  }
}

TEST(Vocabulary, EmptyIsAnError) {
  EXPECT_TRUE(starts_with(dump(Vocabulary::from_bytes({}, {}, {})), "invalid: the vocabulary has no tokens"));
}

TEST(Vocabulary, Padding) {
  const Tokens tokens = {"a", "b"};
  for (const std::size_t padded : {0U, 1U, 2U}) {
    EXPECT_EQ(dump(Vocabulary::from_bytes(tokens, {}, {}, {.padded_size = padded})), "T:a T:b");
  }
  EXPECT_EQ(dump(Vocabulary::from_bytes(tokens, {}, {}, {.padded_size = 5})), "T:a T:b - - -");

  const Result<Vocabulary> wide = Vocabulary::from_bytes(tokens, {}, {}, {.padded_size = 33});
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->size(), 33U);
  EXPECT_EQ(wide->mask_words(), 2U);
  EXPECT_FALSE(wide->is_eos(32));
  EXPECT_EQ(wide->spelling(32), "");
}

TEST(Vocabulary, Limits) {
  const Tokens tokens = {"a", "b", "c"};
  VocabularyOptions options;
  options.limits.max_vocabulary = 3;
  EXPECT_EQ(dump(Vocabulary::from_bytes(tokens, {}, {}, options)), "T:a T:b T:c");
  options.padded_size = 4;
  EXPECT_TRUE(starts_with(dump(Vocabulary::from_bytes(tokens, {}, {}, options)), "limit: "));
  options.padded_size = 0;
  options.limits.max_vocabulary = 2;
  EXPECT_TRUE(contains(dump(Vocabulary::from_bytes(tokens, {}, {}, options)), "max_vocabulary"));
  // A special id far away must not make room for four billion tokens.
  const Ids far = {0xFFFF'FFFF};
  EXPECT_TRUE(starts_with(dump(Vocabulary::from_bytes(tokens, far, {})), "limit: "));
}

TEST(Vocabulary, EosByText) {
  const Tokens tokens = {"a", "</s>", "<end>", "<end>", "</s>"};
  const Ids special = {4};
  const auto with = [&](Tokens eos) { return dump(Vocabulary::from_bytes(tokens, special, {}, {.eos_tokens = eos})); };
  // The special token so spelled is meant, not the text that looks like it.
  EXPECT_EQ(with({"</s>"}), "T:a T:</s> T:<end> T:<end> E:</s>");
  // Without one, all text tokens so spelled are; as ends they have no text any more.
  EXPECT_EQ(with({"<end>"}), "T:a T:</s> E:<end> E:<end> S:</s>");
  EXPECT_EQ(with({"<end>", "</s>", "a"}), "E:a T:</s> E:<end> E:<end> E:</s>");
  EXPECT_TRUE(starts_with(with({"<eos>"}), "argument: the end-of-sequence token \"<eos>\" is not in the vocabulary"));
  EXPECT_TRUE(starts_with(with({""}), "argument: "));

  // The option overrides what was named.
  const Ids eos = {0};
  EXPECT_EQ(dump(Vocabulary::from_bytes(tokens, special, eos, {.eos_tokens = {"</s>"}})),
            "S:a T:</s> T:<end> T:<end> E:</s>");
}

TEST(Vocabulary, Lookups) {
  const Tokens tokens = {"a", "<s>", "b", "</s>", "<s>"};
  const Ids special = {4, 1};
  const Ids eos = {3};
  const Result<Vocabulary> v = Vocabulary::from_bytes(tokens, special, eos);
  ASSERT_TRUE(v);
  EXPECT_EQ(v->spelling(0), "a");
  EXPECT_EQ(v->spelling(1), "<s>");
  EXPECT_EQ(v->spelling(3), "</s>");
  EXPECT_EQ(v->spelling(4), "<s>");
  EXPECT_EQ(v->find_special("<s>"), 1U);
  EXPECT_EQ(v->find_special("</s>"), 3U);
  EXPECT_EQ(v->find_special("a"), std::nullopt);
  EXPECT_EQ(Ids(v->eos().begin(), v->eos().end()), (Ids{3}));
}

TEST(Vocabulary, HashTellsVocabulariesApart) {
  const Tokens ab = {"a", "b"};
  const Ids none;
  const Ids one = {1};
  const std::uint64_t plain = Vocabulary::from_bytes(ab, none, none)->hash();
  EXPECT_EQ(plain, Vocabulary::from_bytes(ab, none, none)->hash());
  EXPECT_NE(plain, Vocabulary::from_bytes(Tokens{"ab", ""}, none, none)->hash());
  EXPECT_NE(plain, Vocabulary::from_bytes(Tokens{"b", "a"}, none, none)->hash());
  EXPECT_NE(plain, Vocabulary::from_bytes(ab, none, none, {.padded_size = 3})->hash());
  const std::uint64_t special = Vocabulary::from_bytes(ab, one, none)->hash();
  EXPECT_NE(plain, special);
  EXPECT_NE(special, Vocabulary::from_bytes(ab, none, one)->hash());
  EXPECT_NE(special, Vocabulary::from_bytes(Tokens{"a", "c"}, one, none)->hash());
  // Fixed for all time: other machines, and files written by earlier versions, have this number.
  EXPECT_EQ(Vocabulary::from_bytes(Tokens{"a"}, none, none)->hash(), 0x2F4A4B254F9419BAU);
}

TEST(Vocabulary, EncodeGreedy) {
  const Tokens tokens = {"a", "ab", "abcd", "b", "c", "", "b", "abce", "x", "d"};
  const Ids special = {8};
  const Result<Vocabulary> v = Vocabulary::from_bytes(tokens, special, {});
  ASSERT_TRUE(v);
  EXPECT_EQ(*v->encode_greedy(""), (Ids{}));
  EXPECT_EQ(*v->encode_greedy("a"), (Ids{0}));
  EXPECT_EQ(*v->encode_greedy("abcd"), (Ids{2}));
  EXPECT_EQ(*v->encode_greedy("abcabced"), (Ids{1, 4, 7, 9}));
  EXPECT_EQ(*v->encode_greedy("ba"), (Ids{3, 0}));  // of equal tokens the smaller id
  EXPECT_EQ(v->encode_greedy("x"), std::nullopt);   // special tokens are no text
  EXPECT_EQ(v->encode_greedy("abz"), std::nullopt);
  const Vocabulary copy = *v;
  EXPECT_EQ(*copy.encode_greedy("abcd"), (Ids{2}));
}

// The order of tokens is made on the first call, which may come from several threads and several copies at once.
TEST(Vocabulary, EncodeGreedyFromManyThreads) {
  Tokens tokens;
  for (int i = 0; i < 256; ++i) tokens.emplace_back(1, static_cast<char>(i));
  const Result<Vocabulary> v = Vocabulary::from_bytes(tokens, {}, {});
  ASSERT_TRUE(v);
  std::vector<std::thread> threads;
  std::vector<std::size_t> lengths(4);
  for (std::size_t& length : lengths) {
    threads.emplace_back([copy = *v, &length] { length = copy.encode_greedy("threads")->size(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lengths, std::vector<std::size_t>(4, 7));
}

class VocabularyFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "weir-vocabulary-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& content) {
    const std::filesystem::path path = folder_ / "tokenizer";
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  std::string load(const std::string& content, const VocabularyOptions& options = {}) {
    return dump(Vocabulary::from_file(write(content), options));
  }

  std::filesystem::path folder_;
};

TEST_F(VocabularyFile, TellsFormatsByContent) {
  const std::string tokenizer_json =
      R"({"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}, "decoder": {"type": "ByteLevel"}})";
  const std::string tekken =
      R"({"vocab": [{"rank": 0, "token_bytes": "YQ==", "token_str": "a"}], "special_tokens": [],)"
      R"( "config": {"default_vocab_size": 1, "default_num_special_tokens": 0}})";
  const std::string sentencepiece =
      "\x0A\x03\x0A\x01"
      "a"
      "\x12\x00";
  const std::string sentencepiece_trainer_first = std::string(
      "\x12\x00\x0A\x03\x0A\x01"
      "a",
      7);
  const std::string gguf = [] {
    const auto number = [](std::uint64_t n, int bytes) {
      std::string out;
      for (int i = 0; i < bytes; ++i) out += static_cast<char>(n >> (8 * i));
      return out;
    };
    const auto text = [&](const std::string& t) { return number(t.size(), 8) + t; };
    return "GGUF" + number(3, 4) + number(7, 8) + number(2, 8) + text("tokenizer.ggml.model") + number(8, 4) +
           text("gpt2") + text("tokenizer.ggml.tokens") + number(9, 4) + number(8, 4) + number(1, 8) + text("a");
  }();
  for (const std::string& content :
       {tokenizer_json, "\xEF\xBB\xBF \n" + tokenizer_json, tekken, "\n\t " + tekken, std::string("YQ== 0\n"),
        std::string("YQ== 0"), std::string(sentencepiece.data(), 7), sentencepiece_trainer_first, gguf}) {
    EXPECT_EQ(load(content), "T:a") << content;
  }
  // What follows the metadata is never looked at, however long.
  EXPECT_EQ(load(gguf + std::string(1U << 20U, '\xAA')), "T:a");
}

TEST_F(VocabularyFile, Errors) {
  const auto is = [&](const std::string& content, const char* start) {
    EXPECT_TRUE(starts_with(load(content), start)) << content;
    EXPECT_TRUE(contains(load(content), folder_.string()));  // each names the file
  };
  is("", "syntax: ");
  is("\n", "syntax: ");
  is("hello world, this is text", "syntax: ");
  is(std::string(5000, '\0'), "syntax: ");
  is("\x7F"
     "ELF\x02",
     "syntax: ");
  is("GGUF", "syntax: ");
  is("{", "syntax: 1:2: ");
  is("{}", "invalid: /model: ");
  is(R"({"a": "b\)", "syntax: ");
  is(R"({"config": )", "syntax: ");
  is("YQ== x", "syntax: 1:6: ");
  is("\x0A\x7F\x0A", "syntax: ");

  EXPECT_TRUE(starts_with(dump(Vocabulary::from_file((folder_ / "nothing").string())), "io: "));
  EXPECT_TRUE(starts_with(dump(Vocabulary::from_file(folder_.string())), "io: "));
  VocabularyOptions options;
  options.limits.max_file_bytes = 20;
  EXPECT_TRUE(contains(load("YQ== 0\nYg== 1\nYw== 2\n", options), "max_file_bytes"));
  EXPECT_EQ(load("YQ== 0\nYg== 1\n", options), "T:a T:b");
}

TEST_F(VocabularyFile, EndlessDevicesAreRefused) {
  EXPECT_TRUE(starts_with(dump(Vocabulary::from_file("/dev/zero")), "syntax: "));
  EXPECT_TRUE(starts_with(dump(Vocabulary::from_file("/dev/null")), "syntax: "));
}

}  // namespace
}  // namespace weir
