#include "models/ngram_tables.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace weir {
namespace {

constexpr std::string_view kMagic = "WEIRNG01";
constexpr std::size_t kHeader = 16;  // magic, size, checksum
constexpr std::uint32_t kMaxOrder = 8;
constexpr std::uint32_t kMaxTokens = 65536;  // token ids are 16 bits wide in the file

Error malformed(std::size_t offset, std::string_view what) {
  return make_error(ErrorCode::kSyntax,
                    fmt::format("not a valid n-gram model: {} at byte {}; make it with make_model.py", what, offset));
}

std::uint32_t checksum(std::string_view bytes) noexcept {
  std::uint32_t hash = 0x811C9DC5U;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x01000193U;
  return hash;
}

// Reads little-endian numbers front to back; nothing is read, or allocated, past the end.
class Reader {
 public:
  Reader(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  std::size_t at() const noexcept { return at_; }
  bool done() const noexcept { return at_ == bytes_.size(); }

  template <class T>
  bool numbers(std::size_t count, std::size_t width, std::vector<T>& out) {
    if (count > (bytes_.size() - at_) / width) return false;
    out.resize(count);
    for (T& value : out) {
      std::uint32_t number = 0;
      for (std::size_t i = 0; i < width; ++i) {
        number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
      }
      value = static_cast<T>(number);
      at_ += width;
    }
    return align();
  }

  std::optional<std::string_view> take(std::size_t count) {
    if (count > bytes_.size() - at_) return std::nullopt;
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  bool align() {
    while (at_ % 4 != 0) {
      if (at_ == bytes_.size() || bytes_[at_] != 0) return false;
      ++at_;
    }
    return true;
  }

 private:
  std::string_view bytes_;
  std::size_t at_;
};

struct Sizes {
  std::uint32_t tokens = 0;
  std::uint32_t order = 0;
  double discount = 0;
  double floor = 0;
  std::vector<std::uint32_t> ngrams;
};

Result<Sizes> read_sizes(Reader& reader) {
  std::vector<std::uint32_t> numbers;
  if (!reader.numbers(4, 4, numbers)) return malformed(reader.at(), "the file ends early");
  Sizes sizes{numbers[0], numbers[1], numbers[2] / 65536.0, numbers[3] / 65536.0, {}};
  if (sizes.tokens < 2 || sizes.tokens > kMaxTokens) return malformed(kHeader, "a vocabulary of impossible size");
  if (sizes.order < 1 || sizes.order > kMaxOrder) return malformed(kHeader + 4, "an order that is not 1 to 8");
  if (numbers[2] == 0 || sizes.discount >= 1) return malformed(kHeader + 8, "a discount that is not between 0 and 1");
  if (numbers[3] == 0) return malformed(kHeader + 12, "a floor of 0");
  if (!reader.numbers(sizes.order, 4, sizes.ngrams)) return malformed(reader.at(), "the file ends early");
  if (sizes.ngrams[0] != sizes.tokens) return malformed(reader.at(), "a level 1 that is not the vocabulary");
  return sizes;
}

Result<std::shared_ptr<const Vocabulary>> read_vocabulary(Reader& reader, std::uint32_t size) {
  const std::size_t start = reader.at();
  const auto lengths = reader.take(size);
  if (!lengths) return malformed(start, "the file ends early");
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < size; ++i) {
    const auto bytes = reader.take(static_cast<unsigned char>((*lengths)[i]));
    if (!bytes) return malformed(reader.at(), "the file ends early");
    if (bytes->empty() != (i == 0)) return malformed(start + i, "a token without bytes, or an end token with some");
    tokens.emplace_back(*bytes);
  }
  if (!reader.align()) return malformed(reader.at(), "a bad padding");
  constexpr std::array<TokenId, 1> kEos{0};
  auto vocabulary = Vocabulary::from_bytes(tokens, kEos, kEos);
  if (!vocabulary) return vocabulary.error();
  return std::make_shared<const Vocabulary>(std::move(*vocabulary));
}

using Level = NgramModel::Tables::Level;

// Level n (0-based) of the sizes, and whether the parents' `begin` fits it.
Result<Level> read_level(Reader& reader, const Sizes& sizes, std::size_t n, const Level* parents) {
  const std::size_t start = reader.at();
  const std::size_t count = sizes.ngrams[n];
  Level level;
  if (n > 0 && !reader.numbers(count, 2, level.token)) return malformed(reader.at(), "the file ends early");
  if (!reader.numbers(count, n == 0 ? 4 : 2, level.count)) return malformed(reader.at(), "the file ends early");
  if (n > 0 && std::find(level.count.begin(), level.count.end(), 0U) != level.count.end()) {
    return malformed(start, "an n-gram that was never seen");
  }
  if (n + 1 < sizes.order) {
    if (!reader.numbers(count + 1, 4, level.begin)) return malformed(reader.at(), "the file ends early");
    if (level.begin.front() != 0 || level.begin.back() != sizes.ngrams[n + 1] ||
        !std::is_sorted(level.begin.begin(), level.begin.end())) {
      return malformed(start, "children out of order");
    }
  }
  for (std::size_t i = 0; parents != nullptr && i + 1 < parents->begin.size(); ++i) {
    for (std::size_t child = parents->begin[i]; child < parents->begin[i + 1]; ++child) {
      const bool ascends = child == parents->begin[i] || level.token[child] > level.token[child - 1];
      if (!ascends || level.token[child] >= sizes.tokens) return malformed(start, "tokens out of order");
    }
  }
  return level;
}

}  // namespace

Result<std::shared_ptr<const NgramModel::Tables>> NgramModel::Tables::parse(std::string_view file) {
  if (file.substr(0, kMagic.size()) != kMagic) return malformed(0, "no model begins like this");
  Reader reader(file, kMagic.size());
  std::vector<std::uint32_t> head;
  if (!reader.numbers(2, 4, head)) return malformed(file.size(), "the file ends early");
  if (head[0] != file.size()) {
    return malformed(kMagic.size(), fmt::format("the file should have {} bytes and has {}", head[0], file.size()));
  }
  if (head[1] != checksum(file.substr(kHeader))) return malformed(kMagic.size() + 4, "a wrong checksum");
  const auto sizes = read_sizes(reader);
  if (!sizes) return sizes.error();

  auto tables = std::make_shared<Tables>();
  tables->discount = sizes->discount;
  auto vocabulary = read_vocabulary(reader, sizes->tokens);
  if (!vocabulary) return vocabulary.error();
  tables->vocabulary = std::move(*vocabulary);
  for (std::size_t n = 0; n < sizes->order; ++n) {
    auto level = read_level(reader, *sizes, n, n == 0 ? nullptr : &tables->levels.back());
    if (!level) return level.error();
    tables->levels.push_back(std::move(*level));
  }
  if (!reader.done()) return malformed(reader.at(), "bytes past the last level");

  double sum = 0;
  for (const std::uint32_t count : tables->levels[0].count) sum += count;
  const double total = sum + sizes->floor * sizes->tokens;
  for (const std::uint32_t count : tables->levels[0].count) tables->unigram.push_back((count + sizes->floor) / total);
  return std::shared_ptr<const Tables>(std::move(tables));
}

void NgramModel::Tables::probabilities(std::span<const TokenId> context, std::vector<double>& out) const {
  out.assign(unigram.begin(), unigram.end());
  // The start of the text is the end-of-sequence token that stands before it.
  std::vector<TokenId> recent;
  const std::size_t most = levels.size() - 1;
  if (context.size() < most) recent.push_back(0);
  const auto tail = context.subspan(context.size() - std::min(most, context.size()));
  recent.insert(recent.end(), tail.begin(), tail.end());
  for (std::size_t n = 1; n <= recent.size(); ++n) {
    if (!interpolate(std::span<const TokenId>(recent).last(n), out)) return;  // then no longer context was seen either
  }
}

bool NgramModel::Tables::interpolate(std::span<const TokenId> context, std::vector<double>& out) const {
  std::size_t node = context.front();
  for (std::size_t n = 1; n < context.size(); ++n) {
    const auto first = levels[n].token.begin() + levels[n - 1].begin[node];
    const auto last = levels[n].token.begin() + levels[n - 1].begin[node + 1];
    const auto found = std::lower_bound(first, last, context[n]);
    if (found == last || *found != context[n]) return false;
    node = static_cast<std::size_t>(found - levels[n].token.begin());
  }
  const std::uint32_t begin = levels[context.size() - 1].begin[node];
  const std::uint32_t end = levels[context.size() - 1].begin[node + 1];
  if (begin == end) return false;
  const Level& followers = levels[context.size()];
  double total = 0;
  for (std::uint32_t i = begin; i < end; ++i) total += followers.count[i];
  const double rest = discount * (end - begin) / total;
  for (double& probability : out) probability *= rest;
  for (std::uint32_t i = begin; i < end; ++i) out[followers.token[i]] += (followers.count[i] - discount) / total;
  return true;
}

}  // namespace weir
