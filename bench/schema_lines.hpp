// The lines of MaskBench files: found, sampled, read one at a time, so that the corpus does not count as memory in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/automata/vocabulary.hpp"
#include "weir/grammar/result.hpp"

namespace weir::bench {

struct TestInstance {
  bool valid = false;
  std::string text;
  std::vector<TokenId> tokens;  // empty: not given
};

enum class Notation { kJsonSchema, kLark, kGbnf };  // where a line holds several, the first of these counts

struct SchemaLine {
  std::string id;
  Notation notation = Notation::kJsonSchema;
  std::string grammar;  // a schema's JSON just as it stands in the file: order of keys and digits count
  std::vector<TestInstance> tests;
};

// One line. Errors: kSyntax, kInvalid (a member is missing or of a wrong type).
Result<SchemaLine> parse_schema_line(std::string_view line);

class SchemaFiles {
 public:
  // Finds the lines that are not blank. Errors: kIo.
  static Result<SchemaFiles> open(const std::vector<std::string>& paths);
  ~SchemaFiles();
  SchemaFiles(SchemaFiles&& other) noexcept;
  SchemaFiles& operator=(SchemaFiles&&) = delete;

  // Keeps `count` lines drawn at random, in their order; the same seed keeps the same lines on every machine.
  void sample(std::size_t count, std::uint64_t seed);

  std::size_t size() const noexcept { return lines_.size(); }
  // Thread-safe. Errors: kIo.
  Result<std::string> read(std::size_t index) const;
  // "FILE:LINE", for messages.
  std::string place(std::size_t index) const;

 private:
  struct File {
    std::string path;
    int descriptor;
  };
  struct Line {
    std::uint32_t file;
    std::uint32_t number;  // 1-based
    std::uint64_t offset;
    std::uint64_t length;
  };
  SchemaFiles() = default;
  Status index(const std::string& path);

  std::vector<File> files_;
  std::vector<Line> lines_;
};

}  // namespace weir::bench
