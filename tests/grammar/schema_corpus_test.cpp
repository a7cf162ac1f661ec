// Verdicts over whole corpora: the JSON-Schema-Test-Suite and MaskBench. The judge is the slow walker of
// reference/structure_walker.hpp; keys may come in any order unless said otherwise.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reference/structure_walker.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir {
namespace {

using nlohmann::ordered_json;
using reference::StructureWalker;

struct Tally {
  int schemas = 0;
  int compiled = 0;
  int right = 0;  // compiled, and every verdict right
  int unsatisfiable = 0;
  int verdicts = 0;
  int accepts_invalid = 0;
  int rejects_valid = 0;
  int over_budget = 0;  // errors that name a limit
  int unexpected_errors = 0;
  std::map<std::string, int> refused;  // by the last token of the pointer
  std::vector<std::string> wrong;

  std::string summary() const {
    std::string out = fmt::format(
        "{} schemas, {} compiled, {} right, {} rightly unsatisfiable; {} verdicts: {} invalid "
        "accepted, {} valid rejected; {} over budget; {} unexpected errors; refused:",
        schemas, compiled, right, unsatisfiable, verdicts, accepts_invalid, rejects_valid, over_budget,
        unexpected_errors);
    std::vector<std::pair<int, std::string>> by_count;
    for (const auto& [keyword, count] : refused) by_count.emplace_back(-count, keyword);
    std::sort(by_count.begin(), by_count.end());
    for (const auto& [count, keyword] : by_count) out += fmt::format(" {} {}", keyword, -count);
    for (const std::string& line : wrong) out += "\n  " + line;
    return out;
  }
};

void note(Tally& tally, std::string line) {
  if (tally.wrong.size() < 20) tally.wrong.push_back(std::move(line));
}

// `tests`: objects with "valid" and the instance's text under "text", or the instance itself under "data".
void judge(const std::string& name, const ordered_json& schema, const ordered_json& tests,
           const JsonSchemaOptions& options, Tally& tally) {
  ++tally.schemas;
  const auto grammar = parse_json_schema(schema.dump(), options);
  if (!grammar) {
    const Error& error = grammar.error();
    const bool any_valid =
        std::any_of(tests.begin(), tests.end(), [](const ordered_json& t) { return t.at("valid").get<bool>(); });
    if (error.code == ErrorCode::kUnsatisfiable && !any_valid) {
      ++tally.unsatisfiable;
    } else if (error.code == ErrorCode::kUnsupported) {
      const std::string pointer = error.pointer.value_or("");
      ++tally.refused[pointer.substr(pointer.find_last_of('/') + 1)];
    } else if (error.code == ErrorCode::kLimit) {
      ++tally.over_budget;
      note(tally, fmt::format("{}: {}", name, error.to_string()));
    } else {
      ++tally.unexpected_errors;
      note(tally, fmt::format("{}: {} {}", name, to_string(error.code), error.to_string()));
    }
    return;
  }
  ++tally.compiled;
  StructureWalker walker(*grammar);
  bool right = true;
  for (const ordered_json& test : tests) {
    const std::string text = test.contains("text") ? test.at("text").get<std::string>() : test.at("data").dump();
    const bool valid = test.at("valid").get<bool>();
    const bool verdict = walker.accepts(text);
    ++tally.verdicts;
    if (verdict == valid) continue;
    right = false;
    ++(valid ? tally.rejects_valid : tally.accepts_invalid);
    note(tally, fmt::format("{}: {} {}", name, valid ? "rejects valid" : "accepts invalid", text.substr(0, 300)));
  }
  if (right) ++tally.right;
}

std::filesystem::path shared(const char* folder) {
  const std::filesystem::path path = std::filesystem::path(WEIR_SHARED_DATA) / folder;
  EXPECT_TRUE(std::filesystem::is_directory(path)) << "test data missing: " << path;
  return path;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, const char* extension) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The documents that the suite refers to at http://localhost:1234.
Result<std::string> suite_remote(std::string_view uri) {
  constexpr std::string_view kHost = "http://localhost:1234/";
  if (!uri.starts_with(kHost)) return make_error(ErrorCode::kIo, "the suite has no such document");
  std::ifstream in(shared("JSON-Schema-Test-Suite/remotes") / std::string(uri.substr(kHost.size())), std::ios::binary);
  if (!in) return make_error(ErrorCode::kIo, "the suite has no such document");
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Of the files in a folder of the suite's tests.
Tally judge_suite(const std::string& folder, Draft draft, bool assert_formats = false) {
  JsonSchemaOptions options;
  options.any_property_order = true;
  options.default_draft = draft;
  options.assert_formats = assert_formats;  // only the folder optional/format takes formats as assertions
  options.resolver = suite_remote;
  Tally tally;
  for (const auto& file : files_in(shared("JSON-Schema-Test-Suite/tests") / folder, ".json")) {
    std::ifstream in(file);
    for (const ordered_json& group : ordered_json::parse(in)) {
      const auto name = file.stem().string() + ": " + group.at("description").get<std::string>();
      judge(name, group.at("schema"), group.at("tests"), options, tally);
    }
  }
  fmt::print("{}: {}\n", folder, tally.summary());
  return tally;
}

class SchemaSuite : public testing::TestWithParam<std::pair<const char*, Draft>> {};

TEST_P(SchemaSuite, NoWrongVerdict) {
  const auto [folder, draft] = GetParam();
  const Tally tally = judge_suite(folder, draft);
  EXPECT_GT(tally.schemas, 100);
  EXPECT_EQ(tally.accepts_invalid, 0);
  EXPECT_EQ(tally.rejects_valid, 0);
  EXPECT_EQ(tally.unexpected_errors, 0);
  EXPECT_LE(tally.over_budget, 1);  // multiples of 123456789
  // A ratchet: more may compile, fewer may not.
  EXPECT_EQ(tally.right + tally.unsatisfiable + tally.over_budget, tally.schemas);
}

TEST_P(SchemaSuite, OptionalTestsHaveNoWrongVerdict) {
  const auto [folder, draft] = GetParam();
  const Tally tally = judge_suite(std::string(folder) + "/optional", draft);
  EXPECT_GT(tally.schemas, 30);
  // Draft 7 has tests of contentEncoding and contentMediaType, which weir takes as annotations.
  EXPECT_EQ(tally.accepts_invalid, draft == Draft::kDraft7 ? 4 : 0);
  // Draft 4 has two integers beyond 2^64, which the reader of this test makes 1.2e52, in that draft no integer.
  EXPECT_EQ(tally.rejects_valid, draft == Draft::kDraft4 ? 2 : 0);
  EXPECT_EQ(tally.compiled, tally.schemas);
}

TEST_P(SchemaSuite, FormatsHaveNoWrongVerdict) {
  const auto [folder, draft] = GetParam();
  const Tally tally = judge_suite(std::string(folder) + "/optional/format", draft, true);
  EXPECT_GT(tally.schemas, 5);
  EXPECT_EQ(tally.accepts_invalid, 0);
  // Texts that formats do not offer; formats_test.cpp lists them.
  EXPECT_LE(tally.rejects_valid, draft <= Draft::kDraft6 ? 1 : 34);
  EXPECT_EQ(tally.unexpected_errors + tally.over_budget, 0);
  EXPECT_EQ(tally.compiled, tally.schemas);
}

INSTANTIATE_TEST_SUITE_P(Drafts, SchemaSuite,
                         testing::Values(std::pair("draft4", Draft::kDraft4), std::pair("draft6", Draft::kDraft6),
                                         std::pair("draft7", Draft::kDraft7),
                                         std::pair("draft2019-09", Draft::kDraft2019),
                                         std::pair("draft2020-12", Draft::kDraft2020)));

Tally judge_maskbench(bool any_order) {
  Tally tally;
  JsonSchemaOptions options;
  options.any_property_order = any_order;
  for (const auto& file : files_in(shared("maskbench"), ".jsonl")) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      const auto entry = ordered_json::parse(line);
      judge(entry.at("id").get<std::string>(), entry.at("schema"), entry.at("tests"), options, tally);
    }
  }
  return tally;
}

TEST(SchemaMaskBench, AnyOrderGivesNoWrongVerdict) {
  const Tally tally = judge_maskbench(true);
  fmt::print("any order: {}\n", tally.summary());
  EXPECT_GT(tally.schemas, 7000);
  EXPECT_EQ(tally.accepts_invalid, 0);
  EXPECT_EQ(tally.rejects_valid, 0);
  EXPECT_EQ(tally.unexpected_errors, 0);
  EXPECT_LE(tally.over_budget, 5);  // puzzles of patterns
  // A ratchet: more may compile, fewer may not.
  EXPECT_GE(tally.right + tally.unsatisfiable, tally.schemas * 987 / 1000);
}

TEST(SchemaMaskBench, ListedOrderLosesOnlyOrder) {
  const Tally tally = judge_maskbench(false);
  EXPECT_GT(tally.schemas, 7000);
  EXPECT_EQ(tally.accepts_invalid, 0);
  EXPECT_GE(tally.right + tally.unsatisfiable, tally.schemas * 94 / 100);
}

}  // namespace
}  // namespace weir
