// The two binary formats: GGUF's metadata and SentencePiece's .model. Both are built here by hand, then cut at every
// byte and damaged at every byte; whatever comes in, there is a vocabulary or an error.
#include <sstream>

#include <gtest/gtest.h>

#include "automata/vocabulary_dump.hpp"
#include "tokens/byte_reader.hpp"
#include "tokens/gguf.hpp"
#include "weir/automata/vocabulary.hpp"

namespace weir {
namespace {

using testing::contains;
using testing::dump;
using testing::starts_with;

enum Type { kNormal = 1, kUnknown, kControl, kUserDefined, kUnused, kByte };

// SentencePiece's spelling of a typed vocabulary, as both formats hold it.
struct Piece {
  std::string text;
  int type;
};

const std::vector<Piece> kPieces = {{"<unk>", kUnknown},
                                    {"<s>", kControl},
                                    {"</s>", kControl},
                                    {"<0xE6>", kByte},
                                    {"<0xE6>", kNormal},
                                    {"\xE2\x96\x81"
                                     "a\xE2\x96\x81",
                                     kNormal},
                                    {"<tool>", kUserDefined},
                                    {"<gone>", kUnused},
                                    {"a", kNormal},
                                    {"a", kNormal}};
const char* const kPiecesDump = "S:<unk> S:<s> E:</s> T:\\E6 T:<0xE6> T:\\20a\\20 T:<tool> - T:a T:a";

std::string number(std::uint64_t n, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(n >> (8 * i));
  return out;
}

// --- GGUF ---

std::string text(const std::string& t) { return number(t.size(), 8) + t; }
std::string pair(const std::string& key, std::uint32_t type, const std::string& value) {
  return text(key) + number(type, 4) + value;
}
std::string array(std::uint32_t element, std::uint64_t count, const std::string& elements) {
  return number(element, 4) + number(count, 8) + elements;
}
std::string gguf(const std::vector<std::string>& pairs, std::uint32_t version = 3) {
  std::string out = "GGUF" + number(version, 4) + number(0, 8) + number(pairs.size(), 8);
  for (const std::string& p : pairs) out += p;
  return out;
}
std::string model(const std::string& name) { return pair("tokenizer.ggml.model", 8, text(name)); }
std::string tokens(const std::vector<std::string>& list) {
  std::string elements;
  for (const std::string& t : list) elements += text(t);
  return pair("tokenizer.ggml.tokens", 9, array(8, list.size(), elements));
}
std::string types(const std::vector<int>& list) {
  std::string elements;
  for (const int t : list) elements += number(static_cast<std::uint32_t>(t), 4);
  return pair("tokenizer.ggml.token_type", 9, array(5, list.size(), elements));
}
std::string eos(std::uint64_t id) { return pair("tokenizer.ggml.eos_token_id", 4, number(id, 4)); }

std::string load_gguf(const std::string& file, const VocabularyOptions& options = {}) {
  return dump(Vocabulary::from_gguf(file, options));
}

std::string full_gguf() {
  std::vector<std::string> spellings;
  std::vector<int> kinds;
  for (const Piece& p : kPieces) {
    spellings.push_back(p.text);
    kinds.push_back(p.type);
  }
  // Values of every type stand around the ones that are wanted, and the types come before their tokens.
  return gguf({
      pair("a", 0, number(1, 1)),
      pair("b", 1, number(1, 1)),
      pair("c", 2, number(1, 2)),
      pair("d", 3, number(1, 2)),
      pair("e", 4, number(1, 4)),
      pair("f", 5, number(1, 4)),
      pair("g", 6, number(1, 4)),
      pair("h", 7, number(1, 1)),
      pair("i", 8, text("text")),
      pair("j", 10, number(1, 8)),
      pair("k", 11, number(1, 8)),
      pair("l", 12, number(1, 8)),
      types(kinds),
      pair("m", 9, array(9, 2, array(8, 2, text("x") + text("")) + array(4, 2, number(0, 8)))),
      model("llama"),
      pair("n", 9, array(7, 3, number(0, 3))),
      tokens(spellings),
      eos(2),
  });
}

TEST(Gguf, Files) {
  EXPECT_EQ(load_gguf(full_gguf()), kPiecesDump);
  EXPECT_EQ(load_gguf(gguf({model("gpt2"),
                            tokens({"\xC4\xA0"
                                    "a",
                                    "b c", "<|x|>", "\xC4\xA0"}),
                            types({kNormal, kNormal, kControl, kUserDefined}), eos(2)},
                           2)),
            "T:\\20a T:b\\20c E:<|x|> T:\\C4\\A0");
  // Without types all tokens are text, but for the ends that are named.
  EXPECT_EQ(load_gguf(gguf({model("gpt2"), tokens({"a", "<x>", "<y>", ""}), eos(1),
                            pair("tokenizer.ggml.eot_token_id", 11, number(2, 8))})),
            "T:a E:<x> E:<y> T:");
  // -1 names no token; then the well-known spellings among the special tokens count.
  EXPECT_EQ(load_gguf(gguf(
                {model("gpt2"), tokens({"a", "</s>", "</s>"}), types({kNormal, kNormal, kControl}), eos(0xFFFF'FFFF)})),
            "T:a T:</s> E:</s>");
  EXPECT_EQ(load_gguf(gguf({model("gemma4"), tokens({"<0x0A>", "\xE2\x96\x81"}), eos(0xFFFF'FFFF)})), "T:\\0A T:\\20");
  EXPECT_EQ(load_gguf(gguf({model("t5"), tokens({"<0x0A>", "\xE2\x96\x81"})})), "T:<0x0A> T:\\20");
  // What is no UTF-8 is not for weir to mend.
  EXPECT_EQ(load_gguf(gguf({model("gpt2"), tokens({"\xFF", "\xC4",
                                                   "\xC4"
                                                   "a"})})),
            "T:\\FF T:\\C4 T:\\C4a");
}

TEST(Gguf, Errors) {
  const auto is = [](const std::string& file, const char* start) {
    EXPECT_TRUE(starts_with(load_gguf(file), start)) << testing::escaped(file);
  };
  const std::string good_tokens = tokens({"a", "b"});
  is("GGUX" + full_gguf().substr(4), "syntax: ");
  is(gguf({model("gpt2"), good_tokens}, 1), "unsupported: GGUF version 1");
  is(gguf({model("gpt2"), good_tokens}, 4), "unsupported: GGUF version 4");
  is(gguf({model("gpt2"), good_tokens}, 0x0300'0000), "unsupported: big-endian");
  is(gguf({model("bert"), good_tokens}), "unsupported: tokenizer.ggml.model is \"bert\"");
  is(gguf({good_tokens}), "unsupported: tokenizer.ggml.model is \"\"");
  is(gguf({model("gpt2")}), "invalid: this GGUF file has no tokenizer.ggml.tokens");
  is(gguf({model("gpt2"), tokens({})}), "invalid: ");
  is(gguf({model("gpt2"), good_tokens, good_tokens}), "invalid: tokenizer.ggml.tokens stands there twice");
  is(gguf({model("gpt2"), good_tokens, types({kNormal})}), "invalid: the GGUF file has 2 tokens but the types of 1");
  is(gguf({model("gpt2"), good_tokens, types({kNormal, 7})}), "invalid: token 1 has the unknown type 7");
  is(gguf({model("gpt2"), good_tokens, types({kNormal, 0})}), "invalid: token 1 has the unknown type 0");
  is(gguf({model("llama"), good_tokens, types({kNormal, kByte})}),
     "invalid: token 1 has the type BYTE but is spelled \"b\"");
  is(gguf({model("gpt2"), good_tokens, eos(2)}),
     "invalid: tokenizer.ggml.eos_token_id is 2, but there are only 2 tokens");
  is(gguf({model("gpt2"), good_tokens, pair("tokenizer.ggml.eos_token_id", 8, text("2"))}), "invalid: ");
  is(gguf({model("gpt2"), pair("tokenizer.ggml.tokens", 8, text("a"))}), "invalid: ");
  is(gguf({model("gpt2"), pair("tokenizer.ggml.tokens", 9, array(4, 1, number(0, 4)))}), "invalid: ");
  is(gguf({pair("tokenizer.ggml.model", 4, number(0, 4))}), "invalid: ");
  is(gguf({pair("a", 13, "")}) + "x", "invalid: ");
  is(gguf({pair("a", 9, array(13, 0, ""))}), "invalid: ");
  std::string nested = array(4, 0, "");
  for (int i = 0; i < 10'000; ++i) nested = array(9, 1, "") + nested;
  is(gguf({pair("a", 9, nested)}), "invalid: \"a\" has arrays nested deeper than 8");
}

// Lengths and counts that the file cannot hold are refused before anything is allocated for them.
TEST(Gguf, HostileSizes) {
  const std::uint64_t huge[] = {1'000'000, std::uint64_t{1} << 32U, std::uint64_t{1} << 61U, ~std::uint64_t{0}};
  for (const std::uint64_t n : huge) {
    const std::string pairs = gguf({}).substr(0, 16) + number(n, 8) + std::string(32, '\0');
    const std::string key = gguf({}).substr(0, 16) + number(1, 8) + number(n, 8) + std::string(32, '\0');
    const std::string list = gguf({pair("tokenizer.ggml.tokens", 9, array(8, n, std::string(32, '\0')))});
    const std::string token = gguf({pair("tokenizer.ggml.tokens", 9, array(8, 1, number(n, 8) + "abcd"))});
    const std::string numbers = gguf({pair("tokenizer.ggml.token_type", 9, array(5, n, std::string(32, '\1')))});
    const std::string skipped = gguf({pair("a", 9, array(12, n, std::string(32, '\1')))});
    const std::string skipped_text = gguf({pair("a", 8, number(n, 8) + "abcd")});
    for (const std::string& file : {pairs, key, list, token, numbers, skipped, skipped_text}) {
      EXPECT_FALSE(Vocabulary::from_gguf(file)) << n << ": " << testing::escaped(file);
    }
  }
  // A file that does hold them is held to the limits.
  VocabularyOptions options;
  options.limits.max_vocabulary = 2;
  EXPECT_TRUE(contains(load_gguf(gguf({model("gpt2"), tokens({"a", "b", "c"})}), options), "max_vocabulary"));
  options.limits.max_vocabulary = 3;
  options.limits.max_file_bytes = 2;
  EXPECT_TRUE(contains(load_gguf(gguf({model("gpt2"), tokens({"a", "b", "c"})}), options), "max_file_bytes"));
  EXPECT_TRUE(
      starts_with(load_gguf(gguf({model("gpt2"), tokens({std::string((1U << 20U) + 1, 'a')})})), "invalid: token 0"));
}

std::string load_gguf_stream(const std::string& file) {
  std::istringstream stream(file);
  ByteReader reader(stream, file.size());
  return dump(read_gguf(reader, {}));
}

TEST(Gguf, CutAndDamagedEverywhere) {
  const std::string good = full_gguf();
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_TRUE(starts_with(load_gguf(good.substr(0, length)), "syntax: ")) << length;
    EXPECT_TRUE(starts_with(load_gguf_stream(good.substr(0, length)), "syntax: ")) << length;
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      EXPECT_EQ(load_gguf(bad), load_gguf_stream(bad));
    }
  }
}

// Reading from a stream gives what reading from memory gives, over the seams of its window too.
TEST(Gguf, Streams) {
  std::vector<std::string> list;
  for (int i = 0; i < 30'000; ++i) list.push_back(fmt::format("t{}", i * 7919));
  const std::string file = gguf({pair("a", 8, text(std::string(200'001, 'x'))), model("gpt2"), tokens(list),
                                 pair("b", 9, array(12, 30'000, std::string(240'000, '\1'))), eos(29'999)}) +
                           std::string(100'000, '\xAA');
  const std::string from_memory = load_gguf(file);
  EXPECT_TRUE(starts_with(from_memory, "T:t0 T:t7919 "));
  EXPECT_EQ(load_gguf_stream(file), from_memory);
}

// --- SentencePiece ---

std::string varint(std::uint64_t n) {
  std::string out;
  for (; n >= 0x80; n >>= 7U) out += static_cast<char>(n | 0x80U);
  out += static_cast<char>(n);
  return out;
}
std::string field(std::uint32_t number, const std::string& bytes) {
  return varint(number << 3U | 2U) + varint(bytes.size()) + bytes;
}
std::string enumeration(std::uint32_t number, std::uint64_t value) { return varint(number << 3U) + varint(value); }
std::string piece(const Piece& p) {
  std::string inner = field(1, p.text) + "\x15" + std::string(4, '\0');  // the score, a float
  if (p.type != kNormal) inner += enumeration(3, static_cast<std::uint64_t>(p.type));
  return field(1, inner);
}
std::string trainer(const std::string& eos_piece = "") {
  std::string spec = field(1, "input.txt") + enumeration(4, 10) + enumeration(42, ~std::uint64_t{0});
  if (!eos_piece.empty()) spec += field(47, eos_piece);
  return field(2, spec);
}
std::string pieces(const std::vector<Piece>& list) {
  std::string out;
  for (const Piece& p : list) out += piece(p);
  return out;
}

std::string load_sp(const std::string& file) { return dump(Vocabulary::from_sentencepiece(file)); }

TEST(SentencePiece, Files) {
  EXPECT_EQ(load_sp(pieces(kPieces) + trainer() + field(3, field(1, "nmt_nfkc"))), kPiecesDump);
  EXPECT_EQ(load_sp(trainer() + pieces(kPieces)), kPiecesDump);
  // User-defined pieces escape spaces as all others do here.
  EXPECT_EQ(load_sp(pieces({{"\xE2\x96\x81\xE2\x96\x81", kUserDefined}}) + trainer()), "T:\\20\\20");
  // The end is the control piece that the trainer names, and only without it a well-known one.
  const std::vector<Piece> ends = {{"<eos>", kControl}, {"[stop]", kControl}, {"[stop]", kNormal}};
  EXPECT_EQ(load_sp(pieces(ends) + trainer("[stop]")), "S:<eos> E:[stop] T:[stop]");
  EXPECT_EQ(load_sp(pieces(ends) + trainer()), "E:<eos> S:[stop] T:[stop]");
  // Fields that later versions may add are passed over.
  EXPECT_EQ(load_sp(field(1, field(1, "a") + field(200, "x") + enumeration(9, 7)) + field(99, "y") +
                    std::string("\xA1\x06", 2) + std::string(8, 'x') + trainer()),
            "T:a");
}

TEST(SentencePiece, Errors) {
  const auto is = [](const std::string& file, const char* start) {
    EXPECT_TRUE(starts_with(load_sp(file), start)) << testing::escaped(file);
  };
  is("", "syntax: ");
  is(pieces(kPieces), "syntax: the SentencePiece model ends at byte");
  is(trainer(), "invalid: the vocabulary has no tokens");
  is(pieces({{"", kNormal}}) + trainer(), "invalid: the piece before byte 9 has no text");
  is(pieces({{"a", 7}}) + trainer(), "invalid: the piece before byte 12 has the unknown type 7");
  is(field(1, field(1, "a") + enumeration(3, 0)) + trainer(), "invalid: ");
  is(pieces({{"a", kByte}}) + trainer(), "invalid: token 0 has the type BYTE but is spelled \"a\"");
  is(field(1, enumeration(1, 5)) + trainer(), "syntax: ");              // a text that is no text
  is(field(1, field(1, "a") + field(3, "b")) + trainer(), "syntax: ");  // a type that is no number
  is(enumeration(1, 5) + trainer(), "syntax: ");
  is(std::string("\x00\x00", 2), "syntax: ");                      // field 0
  is("\x0B", "syntax: ");                                          // a group
  is("\x0F", "syntax: ");                                          // an undefined wire type
  is(std::string(20, '\xFF'), "syntax: ");                         // a number without end
  is("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02", "syntax: ");  // a number of 65 bits
  is("\x0A" + varint(~std::uint64_t{0}) + "abc", "syntax: ");
  is("\x0A" + varint(std::uint64_t{1} << 40U) + "abc", "syntax: ");
  // A length inside of a piece may not reach out of it.
  is(field(1,
           "\x0A\x05"
           "a") +
         trainer() + "bbbbbbbb",
     "syntax: ");
}

TEST(SentencePiece, CutAndDamagedEverywhere) {
  const std::string needed = pieces(kPieces) + trainer("</s>");
  const std::string good = needed + field(3, field(1, "nmt_nfkc"));
  for (std::size_t length = 0; length < good.size(); ++length) {
    // Right behind the trainer_spec the vocabulary is whole.
    if (length == needed.size()) {
      EXPECT_EQ(load_sp(good.substr(0, length)), kPiecesDump);
    } else {
      EXPECT_TRUE(starts_with(load_sp(good.substr(0, length)), "syntax: ")) << length;
    }
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      EXPECT_FALSE(load_sp(bad).empty());
    }
  }
}

}  // namespace
}  // namespace weir
