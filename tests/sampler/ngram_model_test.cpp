#include "weir/sampler/ngram_model.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "embedded/model_data.hpp"
#include "weir/sampler/llama_model.hpp"
#include "weir/sampler/sampler.hpp"

namespace weir {
namespace {

std::unique_ptr<NgramModel> embedded() {
  auto model = NgramModel::embedded();
  EXPECT_TRUE(model) << model.error().to_string();
  return std::move(*model);
}

std::vector<float> logits_of(NgramModel& model) {
  const auto logits = model.logits();
  EXPECT_TRUE(logits);
  return {logits->begin(), logits->end()};
}

double sum_of_probabilities(std::span<const float> logits) {
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
  return sum;
}

void append_u32(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 0xFFU);
}
void append_u16(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 16; shift += 8) out += static_cast<char>(value >> shift & 0xFFU);
}

// Puts the size and the checksum into a file's header.
void seal(std::string& file) {
  std::uint32_t hash = 0x811C9DC5U;
  for (std::size_t i = 16; i < file.size(); ++i) hash = (hash ^ static_cast<unsigned char>(file[i])) * 0x01000193U;
  std::string head;
  append_u32(head, static_cast<std::uint32_t>(file.size()));
  append_u32(head, hash);
  file.replace(8, 8, head);
}

// Three tokens (end, "a", "b"), order 2, written by hand: after the start always "a"; after "a" three times "b" and
// once the end; nothing is known after "b". Discount 1/2, floor 1.
std::string tiny_model() {
  std::string file = "WEIRNG01";
  for (const std::uint32_t value : {0U, 0U, 3U, 2U, 32768U, 65536U, 3U, 3U}) append_u32(file, value);
  file += std::string("\0\1\1ab\0\0\0", 8);                                    // lengths, bytes, padding
  for (const std::uint32_t value : {2U, 5U, 3U}) append_u32(file, value);      // counts of level 1
  for (const std::uint32_t value : {0U, 1U, 3U, 3U}) append_u32(file, value);  // children
  for (const std::uint32_t value : {1U, 0U, 2U, 0U}) append_u16(file, value);  // level 2: tokens and padding
  for (const std::uint32_t value : {4U, 1U, 3U, 0U}) append_u16(file, value);  // and counts
  seal(file);
  return file;
}

TEST(NgramModel, FollowsTheFormula) {
  const auto model = NgramModel::from_bytes(tiny_model());
  ASSERT_TRUE(model) << model.error().to_string();
  EXPECT_EQ((*model)->order(), 2U);
  EXPECT_EQ((*model)->vocabulary()->token(2), "b");
  EXPECT_TRUE((*model)->vocabulary()->is_eos(0));
  // p(w | nothing) = (3, 6, 4) / 13.
  const auto expect = [&](std::vector<double> p) {
    const auto logits = logits_of(**model);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(std::exp(static_cast<double>(logits[i])), p[i], 1e-7) << i;
  };
  const double rest = 0.5 * 1 / 4;  // at the start: one follower, seen four times
  expect({rest * 3 / 13, 3.5 / 4 + rest * 6 / 13, rest * 4 / 13});
  const std::vector<TokenId> a{1};
  ASSERT_TRUE((*model)->append(a));
  const double rest_a = 0.5 * 2 / 4;
  expect({0.5 / 4 + rest_a * 3 / 13, rest_a * 6 / 13, 2.5 / 4 + rest_a * 4 / 13});
  const std::vector<TokenId> b{2};
  ASSERT_TRUE((*model)->append(b));
  expect({3.0 / 13, 6.0 / 13, 4.0 / 13});
}

TEST(NgramModel, EmbeddedHasEveryByteAndOneEnd) {
  EXPECT_LE(embedded_model_file("model.bin").size(), 1U << 20U);
  const auto model = embedded();
  const Vocabulary& vocabulary = *model->vocabulary();
  EXPECT_GE(vocabulary.size(), 1000U);
  EXPECT_LE(vocabulary.size(), 2000U);
  EXPECT_EQ(vocabulary.eos().size(), 1U);
  std::set<std::string> texts;
  for (TokenId t = 0; t < vocabulary.size(); ++t) texts.emplace(vocabulary.token(t));
  EXPECT_EQ(texts.size(), vocabulary.size()) << "tokens must differ";
  for (int byte = 0; byte < 256; ++byte) EXPECT_TRUE(texts.contains(std::string(1, static_cast<char>(byte))));
}

TEST(NgramModel, ProbabilitiesSumToOneInEveryContext) {
  const auto model = embedded();
  std::mt19937_64 random(5);
  auto sampler = *Sampler::create({.seed = 3});
  for (int i = 0; i < 300; ++i) {
    const auto logits = logits_of(*model);
    ASSERT_NEAR(sum_of_probabilities(logits), 1.0, 1e-5);
    for (const float logit : logits) ASSERT_TRUE(std::isfinite(logit));
    // Half what the model would write, half noise: seen and unseen contexts.
    const TokenId next = i % 2 == 0 ? sampler.draw(logits)->token : static_cast<TokenId>(random() % logits.size());
    ASSERT_TRUE(model->append({&next, 1}));
  }
}

TEST(NgramModel, RewindIsAsIfNeverAppended) {
  const auto model = embedded();
  const auto tokens = model->encode_prompt(R"({"name": "Ada", "tags": ["new"], "age": 36})");
  ASSERT_TRUE(tokens);
  std::vector<std::vector<float>> seen{logits_of(*model)};
  for (const TokenId token : *tokens) {
    ASSERT_TRUE(model->append({&token, 1}));
    seen.push_back(logits_of(*model));
  }
  for (std::size_t length : {tokens->size() - 1, std::size_t{3}, std::size_t{1}, std::size_t{0}}) {
    ASSERT_TRUE(model->rewind(length));
    EXPECT_EQ(model->length(), length);
    EXPECT_EQ(logits_of(*model), seen[length]);
  }
  ASSERT_TRUE(model->append(*tokens));
  EXPECT_EQ(logits_of(*model), seen.back());
  EXPECT_EQ(model->rewind(tokens->size() + 1).error().code, ErrorCode::kArgument);
  const TokenId past = static_cast<TokenId>(model->vocabulary()->size());
  EXPECT_EQ(model->append({&past, 1}).error().code, ErrorCode::kArgument);
  EXPECT_EQ(model->length(), tokens->size());
}

TEST(NgramModel, WritesWhatItRead) {
  // Unconstrained, most texts end by themselves within 200 tokens.
  const auto model = embedded();
  int ended = 0;
  for (std::uint32_t stream = 0; stream < 50; ++stream) {
    ASSERT_TRUE(model->rewind(0));
    auto sampler = *Sampler::create({.seed = 1, .stream = stream});
    for (int i = 0; i < 200; ++i) {
      const TokenId token = sampler.draw(*model->logits())->token;
      if (model->vocabulary()->is_eos(token)) {
        ++ended;
        break;
      }
      ASSERT_TRUE(model->append({&token, 1}));
    }
  }
  EXPECT_GE(ended, 40);
}

TEST(NgramModel, PromptsGiveTheTextBack) {
  const auto model = embedded();
  std::string text = "Write a person as JSON.\n{\"a\": [1, 2.5e10, \"\xC3\xA9\"]}";
  for (int byte = 0; byte < 256; ++byte) text += static_cast<char>(byte);
  const auto tokens = model->encode_prompt(text);
  ASSERT_TRUE(tokens);
  std::string spelled;
  for (const TokenId token : *tokens) spelled += model->vocabulary()->token(token);
  EXPECT_EQ(spelled, text);
}

TEST(NgramModel, MalformedFilesAreErrors) {
  const std::string good(embedded_model_file("model.bin"));
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, std::size_t{8}, std::size_t{15}, std::size_t{40},
                                   good.size() / 2, good.size() - 1}) {
    const auto model = NgramModel::from_bytes(std::string_view(good).substr(0, length));
    ASSERT_FALSE(model) << length;
    EXPECT_EQ(model.error().code, ErrorCode::kSyntax);
  }
  std::string flipped = good;
  flipped[good.size() / 2] ^= 1;
  EXPECT_NE(NgramModel::from_bytes(flipped).error().message.find("checksum"), std::string::npos);
  EXPECT_FALSE(NgramModel::from_bytes(good + "x"));
}

// Behind the checksum: every byte of a valid file set to other values and sealed again gives an error or a model whose
// probabilities are still probabilities.
TEST(NgramModel, DamagedFilesNeverGiveABrokenModel) {
  const std::string good = tiny_model();
  int refused = 0;
  for (std::size_t i = 16; i < good.size(); ++i) {
    for (const int value : {0, 1, 2, 3, 127, 255}) {
      std::string bad = good;
      bad[i] = static_cast<char>(value);
      seal(bad);
      auto model = NgramModel::from_bytes(bad);
      if (!model) {
        ++refused;
        continue;
      }
      for (const TokenId token : {1U, 0U, 1U}) {
        if (token >= (*model)->vocabulary()->size()) continue;
        ASSERT_NEAR(sum_of_probabilities(logits_of(**model)), 1.0, 1e-5) << "byte " << i << " = " << value;
        ASSERT_TRUE((*model)->append({&token, 1}));
      }
    }
  }
  EXPECT_GT(refused, 100);
  for (std::size_t length = 16; length < good.size(); ++length) {
    std::string bad = good.substr(0, length);
    seal(bad);
    EXPECT_FALSE(NgramModel::from_bytes(bad)) << length;
  }
}

TEST(NgramModel, Files) {
  EXPECT_EQ(NgramModel::from_file("/nowhere/model.bin").error().code, ErrorCode::kIo);
  const auto path = std::filesystem::temp_directory_path() / "weir_ngram_model_test.bin";
  std::ofstream(path, std::ios::binary) << tiny_model();
  const auto model = NgramModel::from_file(path.string());
  EXPECT_TRUE(model);
  std::filesystem::remove(path);
}

TEST(OpenModel, ByName) {
  const auto model = open_model("embedded");
  ASSERT_TRUE(model);
  EXPECT_EQ((*model)->vocabulary()->hash(), embedded()->vocabulary()->hash());
  const auto missing = open_model("/nowhere/model.gguf");
  ASSERT_FALSE(missing);
  if (LlamaModel::available()) {
    EXPECT_EQ(missing.error().code, ErrorCode::kIo);
  } else {
    EXPECT_EQ(missing.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(missing.error().message.find("./dev setup --llm"), std::string::npos);
  }
}

}  // namespace
}  // namespace weir
