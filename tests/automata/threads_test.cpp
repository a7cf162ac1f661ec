// Matchers on several threads over one grammar, while another thread compiles: the same masks as on one thread. Meant
// to be run under ThreadSanitizer too (preset tsan).
#include <thread>

#include <gtest/gtest.h>

#include "reference/json_vocabulary.hpp"
#include "weir/automata/matcher.hpp"

namespace weir {
namespace {

constexpr const char* kSchema = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string", "pattern": "^[a-z]+(-[0-9]{2,4})*$"},
    "name": {"type": "string", "maxLength": 12},
    "when": {"type": "string", "format": "date-time"},
    "size": {"type": "number", "minimum": -3, "exclusiveMaximum": 1000.5},
    "tree": {"$ref": "#/$defs/node"}
  },
  "required": ["id", "tree"],
  "patternProperties": {"^i": {"minLength": 2}},
  "if": {"properties": {"size": {"minimum": 5}}, "required": ["size"]}, "then": {"required": ["when"]},
  "oneOf": [{"properties": {"id": {"maxLength": 40}}}, {"properties": {"name": {"const": "x"}}, "required": ["name"]}],
  "$defs": {"node": {"type": "object", "properties": {"key": {"enum": ["ab", "abc", "é"]},
                     "parts": {"type": "array", "items": {"$ref": "#/$defs/node"}}}, "required": ["key"]}}
})";
constexpr const char* kText =
    R"({"id": "abc-12-345", "name": "né\u00e9", "when": "2024-02-29T23:59:60Z", "size": 1.25e1, )"
    R"("tree": {"key": "\u00e9", "parts": [{"key": "abc"}, {"key": "ab", "parts": [], "more": null}]}})";

// All masks along the text, as one number.
std::uint64_t follow(const CompiledGrammar& grammar) {
  std::uint64_t hash = 14695981039346656037U;
  std::vector<std::uint32_t> mask(grammar.vocabulary().mask_words());
  Matcher matcher(grammar);
  for (const char* c = kText; *c != 0; ++c) {
    matcher.fill_mask(mask);
    for (const std::uint32_t word : mask) hash = (hash ^ word) * 1099511628211U;
    if (!matcher.accept_bytes({c, 1})) return 0;
  }
  return matcher.is_accepting() ? hash : 0;
}

TEST(Threads, SameMasksAsOnOne) {
  const auto vocabulary = testing::json_vocabulary(21);
  Compiler alone(vocabulary);
  const auto reference = alone.compile_json_schema(kSchema);
  ASSERT_TRUE(reference) << reference.error().to_string();
  const std::uint64_t expected = follow(*reference);
  ASSERT_NE(expected, 0U);

  for (int round = 0; round < 5; ++round) {
    Compiler compiler(vocabulary);
    const auto grammar = compiler.compile_json_schema(kSchema);
    ASSERT_TRUE(grammar);
    std::vector<std::uint64_t> hashes(4);
    std::vector<std::thread> threads;
    threads.reserve(hashes.size() + 1);
    for (auto& hash : hashes) threads.emplace_back([&hash, &grammar] { hash = follow(*grammar); });
    bool compiled = true;
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const std::string pattern = "^x{" + std::to_string(i) + "}[0-9a-f]+$";
        compiled =
            compiled && compiler.compile_json_schema(R"({"type": "string", "pattern": ")" + pattern + "\"}").ok();
      }
    });
    for (auto& thread : threads) thread.join();
    EXPECT_TRUE(compiled);
    EXPECT_EQ(hashes, std::vector<std::uint64_t>(hashes.size(), expected));
  }
}

}  // namespace
}  // namespace weir
