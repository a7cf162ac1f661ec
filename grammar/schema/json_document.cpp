// Written out rather than built on a JSON library because exact numbers need their spelling: readers that hand over
// doubles refuse 1e400 and lose 2^53+1 and 0.1.
#include "schema/json_document.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_set>

#include <fmt/format.h>

#include "weir/grammar/detail/utf8.hpp"

namespace weir::schema {
namespace {

constexpr std::size_t kPadding = 8;  // readable bytes after the text, so that strings are read by words

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The bytes of a string before its end or its first escape or control character, and whether all of them are ASCII.
struct PlainRun {
  std::size_t size = 0;
  bool ascii = true;
};

// Precondition: a byte that ends the run is among those from `at` on, and kPadding bytes follow it.
PlainRun plain_run(const char* at) {
  const char* const start = at;
  std::uint64_t bits = 0;
  if constexpr (std::endian::native == std::endian::little) {
    // A byte's top bit in `ends`: it is '"', '\\' or below 0x20. A borrow makes false ones only above a true one.
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    constexpr std::uint64_t kTops = kOnes << 7U;
    const auto zero_bytes = [](std::uint64_t x) { return (x - kOnes) & ~x; };
    for (;; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, 8);
      const std::uint64_t ends =
          (zero_bytes(word ^ (kOnes * '"')) | zero_bytes(word ^ (kOnes * '\\')) | ((word - kOnes * 0x20) & ~word)) &
          kTops;
      if (ends == 0) {
        bits |= word;
        continue;
      }
      const auto count = static_cast<unsigned>(std::countr_zero(ends)) / 8;
      bits |= word & ((std::uint64_t{1} << (8 * count)) - 1);
      return {static_cast<std::size_t>(at - start) + count, (bits & kTops) == 0};
    }
  }
  for (;; ++at) {
    const auto c = static_cast<unsigned char>(*at);
    if (c == '"' || c == '\\' || c < 0x20) return {static_cast<std::size_t>(at - start), bits < 0x80};
    bits |= c;
  }
}

std::uint32_t hash_of(std::string_view text) {
  std::uint64_t hash = text.size();
  const auto add = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 32U;
  };
  std::uint64_t word = 0;
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::memcpy(&word, text.data(), 8);
    add(word);
  }
  word = 0;
  for (const char c : text) word = (word << 8U) | static_cast<unsigned char>(c);
  add(word);
  return static_cast<std::uint32_t>(hash);
}

}  // namespace

class JsonReader {
 public:
  // `last_wins`: of the members of an object with one key the last counts; else that is an error.
  JsonReader(std::string_view text, const Limits& limits, bool last_wins = false)
      : text_(text), limits_(limits), last_wins_(last_wins) {}

  Result<JsonDocument> read() {
    if (text_.size() > std::min<std::size_t>(limits_.max_text_bytes, 0x7FFFFFFF)) {
      return make_error(ErrorCode::kLimit, fmt::format("the schema has {} bytes, more than Limits::max_text_bytes ({})",
                                                       text_.size(), limits_.max_text_bytes));
    }
    document_.storage_ = std::make_shared<JsonDocument::Storage>();
    document_.storage_->source = std::make_unique_for_overwrite<char[]>(text_.size() + 1 + kPadding);
    begin_ = document_.storage_->source.get();
    if (!text_.empty()) std::memcpy(begin_, text_.data(), text_.size());
    std::memset(begin_ + text_.size(), 0, 1 + kPadding);  // a sentinel that no token contains, and what may be read
    end_ = begin_ + text_.size();
    at_ = text_.starts_with("\xEF\xBB\xBF") ? begin_ + 3 : begin_;  // a byte order mark is no part of the text
    document_.nodes_.reserve(std::min<std::size_t>(text_.size() / 12 + 8, JsonDocument::kMaxNodes));
    read_values();
    if (error_) return std::move(*error_);
    for (const JsonKind kind : {JsonKind::kNull, JsonKind::kFalse, JsonKind::kTrue}) {
      JsonNode& word = document_.nodes_.emplace_back();
      word.kind = kind;
      word.end = static_cast<JsonId>(document_.nodes_.size());
    }
    return std::move(document_);
  }

 private:
  bool fail(const char* where, std::string message, ErrorCode code = ErrorCode::kSyntax) {
    if (!error_) {
      error_ = error_at_offset(code, text_, static_cast<std::size_t>(where - begin_), std::move(message));
    }
    return false;
  }

  void skip_space() {
    while (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t') ++at_;
  }

  void read_values() {
    auto& nodes = document_.nodes_;
    JsonId parent = kNoJson;
    std::uint32_t depth = 0;
    JsonNode member;  // holds the key of the value that comes next
    for (;;) {
      skip_space();
      const auto id = static_cast<JsonId>(nodes.size());
      if (id >= JsonDocument::kMaxNodes) {
        fail(at_, fmt::format("the schema has more than {} values; split it", JsonDocument::kMaxNodes),
             ErrorCode::kLimit);
        return;
      }
      member.parent = parent;
      nodes.push_back(member);
      member = {};
      if (*at_ == '{' || *at_ == '[') {
        if (++depth > limits_.max_depth) {
          fail(at_, fmt::format("nested deeper than Limits::max_depth ({})", limits_.max_depth), ErrorCode::kLimit);
          return;
        }
        nodes[id].kind = *at_ == '{' ? JsonKind::kObject : JsonKind::kArray;
        ++at_;
        skip_space();
        if (*at_ != (nodes[id].kind == JsonKind::kObject ? '}' : ']')) {
          parent = id;
          ++nodes[id].size;
          if (nodes[id].kind == JsonKind::kObject && !read_key(member)) return;
          continue;
        }
        ++at_;
        --depth;
      } else if (!read_scalar(nodes[id])) {
        return;
      }
      nodes[id].end = id + 1;
      if (!close_containers(parent, depth, member)) return;
      if (parent == kNoJson) break;
    }
    skip_space();
    if (at_ != end_) fail(at_, "expected the end of the text after the JSON value");
  }

  // After a value: ends what ends here. False on an error; true with parent == kNoJson at the end of the document, else
  // with another value to come.
  bool close_containers(JsonId& parent, std::uint32_t& depth, JsonNode& member) {
    auto& nodes = document_.nodes_;
    while (parent != kNoJson) {
      skip_space();
      JsonNode& container = nodes[parent];
      const bool object = container.kind == JsonKind::kObject;
      if (*at_ == ',') {
        ++at_;
        ++container.size;
        if (object) {
          skip_space();
          return read_key(member);
        }
        return true;
      }
      if (*at_ != (object ? '}' : ']')) return fail(at_, object ? "expected ',' or '}'" : "expected ',' or ']'");
      ++at_;
      container.end = static_cast<JsonId>(nodes.size());
      if (object && !check_keys(parent)) return false;
      parent = container.parent;
      --depth;
    }
    return true;
  }

  bool read_key(JsonNode& member) {
    if (*at_ != '"') return fail(at_, "expected a key in double quotes");
    std::string_view key;
    if (!read_string(key)) return false;
    member.key = key.data();
    member.key_size = static_cast<std::uint32_t>(key.size());
    member.key_hash = hash_of(key);
    skip_space();
    if (*at_ != ':') return fail(at_, "expected ':' after the key");
    ++at_;
    return true;
  }

  bool check_keys(JsonId object) {
    if (document_.nodes_[object].size < 2) return true;
    hashes_.clear();
    for (const JsonId member : document_.children(object)) hashes_.push_back(document_[member].key_hash);
    bool suspect = false;
    if (hashes_.size() <= JsonDocument::kIndexedFrom) {
      for (std::size_t i = 1; i < hashes_.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) suspect = suspect || hashes_[i] == hashes_[j];
      }
    } else {
      std::sort(hashes_.begin(), hashes_.end());
      suspect = std::adjacent_find(hashes_.begin(), hashes_.end()) != hashes_.end();
    }
    if (suspect && last_wins_) keep_last(object);
    return !suspect || last_wins_ || compare_keys(object);
  }

  // Of members with the same key the last. The object's nodes are the last that there are.
  void keep_last(JsonId object) {
    auto& nodes = document_.nodes_;
    std::vector<JsonId> members;
    for (const JsonId member : document_.children(object)) members.push_back(member);
    std::unordered_set<std::string_view> later;
    std::vector<JsonId> kept;
    for (auto member = members.rbegin(); member != members.rend(); ++member) {
      if (later.insert(document_.key(*member)).second) kept.push_back(*member);
    }
    std::reverse(kept.begin(), kept.end());
    JsonId to = object + 1;
    for (const JsonId member : kept) {
      const JsonId shift = member - to;
      for (JsonId id = member, end = nodes[member].end; id < end; ++id, ++to) {
        nodes[to] = nodes[id];
        nodes[to].end -= shift;
        if (nodes[to].parent != object) nodes[to].parent -= shift;
      }
    }
    nodes.resize(to);
    nodes[object].end = to;
    nodes[object].size = static_cast<std::uint32_t>(kept.size());
  }

  bool compare_keys(JsonId object) {
    keys_.clear();
    for (const JsonId member : document_.children(object)) keys_.push_back(document_.key(member));
    std::string_view twice;
    bool found = false;
    if (keys_.size() <= JsonDocument::kIndexedFrom) {
      for (std::size_t i = 1; i < keys_.size() && !found; ++i) {
        for (std::size_t j = 0; j < i && !found; ++j) {
          if (keys_[i] == keys_[j]) {
            found = true;
            twice = keys_[i];
          }
        }
      }
    } else {
      std::unordered_set<std::string_view> seen(keys_.size() * 2);
      for (const std::string_view key : keys_) {
        if (!seen.insert(key).second) {
          found = true;
          twice = key;
        }
      }
    }
    return !found || fail(at_ - 1, fmt::format("the object that ends here has the key \"{}\" twice; remove one", twice),
                          ErrorCode::kInvalid);
  }

  bool read_scalar(JsonNode& node) {
    const auto word = [&](std::string_view expected, JsonKind kind) {
      if (static_cast<std::size_t>(end_ - at_) < expected.size() ||
          std::string_view(at_, expected.size()) != expected) {
        return fail(at_, fmt::format("expected a JSON value; did you mean {}?", expected));
      }
      at_ += expected.size();
      node.kind = kind;
      return true;
    };
    switch (*at_) {
      case 'n': return word("null", JsonKind::kNull);
      case 't': return word("true", JsonKind::kTrue);
      case 'f': return word("false", JsonKind::kFalse);
      case '"': {
        std::string_view text;
        if (!read_string(text)) return false;
        node.kind = JsonKind::kString;
        node.text = text.data();
        node.size = static_cast<std::uint32_t>(text.size());
        return true;
      }
      default: return read_number(node);
    }
  }

  bool read_number(JsonNode& node) {
    const char* const start = at_;
    if (*at_ == '-') ++at_;
    if (!is_digit(*at_)) {
      if (at_ == end_) return fail(at_, "the text ends where a JSON value should stand");
      return fail(at_, at_ == start ? "expected a JSON value" : "expected a digit after '-'");
    }
    if (*at_ == '0') {
      ++at_;
      if (is_digit(*at_)) return fail(at_, "a number has no leading zeros");
    }
    while (is_digit(*at_)) ++at_;
    if (*at_ == '.') {
      ++at_;
      if (!is_digit(*at_)) return fail(at_, "expected a digit after the decimal point");
      while (is_digit(*at_)) ++at_;
    }
    if (*at_ == 'e' || *at_ == 'E') {
      ++at_;
      if (*at_ == '+' || *at_ == '-') ++at_;
      if (!is_digit(*at_)) return fail(at_, "expected a digit in the exponent");
      while (is_digit(*at_)) ++at_;
    }
    node.kind = JsonKind::kNumber;
    node.text = start;
    node.size = static_cast<std::uint32_t>(at_ - start);
    return true;
  }

  // Precondition: at an opening quote. Decodes into the second buffer only if there is an escape.
  bool read_string(std::string_view& out) {
    const char* const start = ++at_;
    const PlainRun run = plain_run(start);
    at_ += run.size;
    if (*at_ == '"') {
      out = {start, run.size};
      ++at_;
      return run.ascii || check_utf8(start, at_ - 1);
    }
    if (!document_.storage_->decoded) {
      // A decoded string is never longer than it was written, so that one buffer of the text's size is enough for all.
      document_.storage_->decoded = std::make_unique_for_overwrite<char[]>(text_.size());
      decoded_ = document_.storage_->decoded.get();
    }
    char* const first = decoded_;
    bool ascii = run.ascii;
    const auto copy = [&](const char* from, std::size_t size) {
      std::memcpy(decoded_, from, size);
      decoded_ += size;
    };
    copy(start, run.size);
    while (*at_ != '"') {
      if (*at_ != '\\') {
        if (at_ == end_) return fail(at_, "the text ends within a string");
        return fail(at_, "a control character in a string must be written as an escape");
      }
      if (!read_escape()) return false;
      const PlainRun more = plain_run(at_);
      copy(at_, more.size);
      at_ += more.size;
      ascii = ascii && more.ascii;
    }
    if (!ascii && !check_utf8(start, at_)) return false;
    ++at_;
    out = {first, static_cast<std::size_t>(decoded_ - first)};
    return true;
  }

  bool check_utf8(const char* from, const char* to) {
    const auto bad = find_invalid_utf8({from, static_cast<std::size_t>(to - from)});
    return !bad || fail(from + *bad, "the string is not well-formed UTF-8");
  }

  bool read_code_unit(unsigned& out) {
    out = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const int digit = hex_value(*at_);
      if (digit < 0) return fail(at_, "expected four hexadecimal digits after \\u");
      out = out * 16 + static_cast<unsigned>(digit);
    }
    return true;
  }

  bool read_escape() {
    const char* const start = at_++;
    const auto simple = [&](char c) {
      *decoded_++ = c;
      ++at_;
      return true;
    };
    switch (*at_) {
      case '"':
      case '\\':
      case '/': return simple(*at_);
      case 'b': return simple('\b');
      case 'f': return simple('\f');
      case 'n': return simple('\n');
      case 'r': return simple('\r');
      case 't': return simple('\t');
      case 'u': break;
      default: return fail(start, "unknown escape in a string");
    }
    ++at_;
    unsigned unit = 0;
    if (!read_code_unit(unit)) return false;
    char32_t c = unit;
    if (unit >= 0xD800 && unit <= 0xDFFF) {
      unsigned low = 0;
      if (unit > 0xDBFF || at_[0] != '\\' || at_[1] != 'u') return fail(start, "this escape is half a surrogate pair");
      at_ += 2;
      if (!read_code_unit(low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) return fail(start, "this escape is half a surrogate pair");
      c = 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
    }
    std::string encoded;
    append_utf8(encoded, c);
    decoded_ = std::copy(encoded.begin(), encoded.end(), decoded_);
    return true;
  }

  std::string_view text_;
  const Limits& limits_;
  bool last_wins_;
  JsonDocument document_;
  char* begin_ = nullptr;
  const char* end_ = nullptr;
  const char* at_ = nullptr;
  char* decoded_ = nullptr;
  std::vector<std::string_view> keys_;
  std::vector<std::uint32_t> hashes_;
  std::optional<Error> error_;
};

Result<JsonDocument> JsonDocument::parse(std::string_view text, const Limits& limits) {
  return JsonReader(text, limits).read();
}

Result<JsonId> JsonDocument::append(std::string_view text, const Limits& limits) {
  Result<JsonDocument> parsed = JsonReader(text, limits, true).read();
  if (!parsed) return parsed.error();
  const JsonId first = append_values(*std::move(parsed));
  if (first == kNoJson) {
    return make_error(ErrorCode::kLimit, fmt::format("more than {} values are kept beside a schema", kMaxNodes));
  }
  first_instance_ = std::min(first_instance_, first);
  return first;
}

void JsonDocument::drop_last(JsonId instance) {
  nodes_.resize(instance);
  appended_.pop_back();
}

}  // namespace weir::schema
