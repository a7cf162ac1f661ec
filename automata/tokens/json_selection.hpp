// Reads a JSON text in one pass and keeps only the parts that a tokenizer is made of. Tokenizer files are tens of
// megabytes, most of them merge rules that nobody here needs and a vocabulary that fits into flat arrays; a document
// tree of all that costs several times the time and ten times the memory.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/grammar/limits.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

// The JSON Pointer (RFC 6901) with this last step.
std::string pointer_to(std::string_view parent, std::string_view key);
std::string pointer_to(std::string_view parent, std::size_t index);

class JsonSelection {
 public:
  // Receives the events of a streamed part: the part itself first, so that the outermost open has depth 0.
  class Stream {
   public:
    virtual ~Stream() = default;
    // An event returns an Error to stop the reading.
    virtual Status open(bool object) = 0;
    virtual Status close() = 0;
    virtual Status key(std::string& text) = 0;
    virtual Status string(std::string& text) = 0;
    virtual Status number(std::optional<std::uint64_t> value) = 0;  // nullopt: negative or not an integer
    virtual Status other() = 0;                                     // true, false, null
  };

  explicit JsonSelection(const Limits& limits) : limits_(limits) {}

  // What stands under this pointer ("/model/vocab", at most two keys deep) goes to the stream instead of the tree. The
  // stream must outlive read().
  void stream(std::string pointer, Stream& stream) { streams_.emplace_back(std::move(pointer), &stream); }
  // What stands under this pointer, at most two keys deep, is checked for syntax, and in the tree stays empty.
  void skip(std::string pointer) { streams_.emplace_back(std::move(pointer), nullptr); }

  // The rest as a tree. Errors: kSyntax with line and column (malformed JSON or UTF-8), kLimit (deeper than max_depth,
  // larger than max_file_bytes), and what the streams return.
  Result<nlohmann::json> read(std::string_view text);

 private:
  friend class JsonSelectionEvents;
  const Limits& limits_;
  std::vector<std::pair<std::string, Stream*>> streams_;
};

// The member of an object, or null if the value is no object or has no such member.
const nlohmann::json& member(const nlohmann::json& value, const char* key);
// The value as text, or "" if it is none.
std::string_view text_of(const nlohmann::json& value);
// The value as a token id, if it is an integer that fits.
std::optional<std::uint32_t> id_of(const nlohmann::json& value);

}  // namespace weir
