#include "tokens/vocabulary_tables.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "frames/quoted.hpp"

namespace weir {
namespace {

// The automaton of any text, counting code points: what a token does inside a string without a pattern.
struct AnyInner {
  std::uint32_t count = 0;
  bool at_lead = false;
  std::uint8_t low = 0x80;  // allowed range of the next continuation byte
  std::uint8_t high = 0xBF;

  bool begin_character() {
    ++count;
    at_lead = true;
    return true;
  }
  bool take_byte(std::uint8_t b) {
    const bool fits = at_lead || (b >= low && b <= high);
    // The lead decides what may follow it (RFC 3629, section 4).
    low = at_lead && b == 0xE0 ? 0xA0 : at_lead && b == 0xF0 ? 0x90 : 0x80;
    high = at_lead && b == 0xED ? 0x9F : at_lead && b == 0xF4 ? 0x8F : 0xBF;
    at_lead = false;
    return fits;
  }
  static bool may_take(char32_t /*first*/, char32_t /*last*/) { return true; }
  static bool may_end() { return true; }
};

struct BodyScan {
  bool inside = false;               // all of it stays in the text
  std::optional<std::size_t> quote;  // or this byte closes it
  std::uint32_t code_points = 0;
};

BodyScan scan_body(std::string_view token, bool any_escape) {
  AnyInner inner;
  std::uint32_t aux = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    switch (step_quoted(inner, aux, static_cast<std::uint8_t>(token[i]), '"', any_escape)) {
      case QuotedStep::kDead: return {};
      case QuotedStep::kEnd: return {false, i, inner.count};
      case QuotedStep::kAlive: break;
    }
  }
  const auto stage = static_cast<QuotedStage>(aux & 0xFU);
  const bool pending = stage >= QuotedStage::kEscape;  // an escape that is not complete still counts one
  return {true, std::nullopt, inner.count + (pending ? 1U : 0U)};
}

TextTables text_tables(const Vocabulary& vocabulary, bool any_escape) {
  TextTables out;
  std::vector<std::pair<std::string_view, std::uint32_t>> suffixes;
  std::unordered_map<std::string_view, std::uint32_t> prefixes;
  for (TokenId t = 0; t < vocabulary.size(); ++t) {
    const std::string_view text = vocabulary.token(t);
    if (vocabulary.kind(t) != TokenKind::kText || text.empty()) continue;
    const BodyScan scan = scan_body(text, any_escape);
    if (!scan.inside && !scan.quote) continue;
    out.max_code_points = std::max(out.max_code_points, scan.code_points);
    if (scan.inside) {
      out.body.push_back({t, scan.code_points});
      out.body_set.add(t);
      continue;
    }
    const auto [it, fresh] =
        prefixes.emplace(text.substr(0, *scan.quote), static_cast<std::uint32_t>(out.quote_prefixes.size()));
    if (fresh) out.quote_prefixes.emplace_back(it->first);
    suffixes.emplace_back(text.substr(*scan.quote + 1), static_cast<std::uint32_t>(out.quote_splits.size()));
    out.quote_splits.push_back({t, it->second});
  }
  out.quote_suffixes = Trie(std::move(suffixes));
  std::stable_sort(out.body.begin(), out.body.end(),
                   [](const auto& a, const auto& b) { return a.code_points < b.code_points; });
  out.body_set.seal(vocabulary.mask_words());
  return out;
}

}  // namespace

ByteSet json_space() {
  ByteSet set;
  for (const char c : {' ', '\t', '\n', '\r'}) set.insert(static_cast<std::uint8_t>(c));
  return set;
}

VocabularyTables::VocabularyTables(std::shared_ptr<const Vocabulary> v)
    : vocabulary(std::move(v)),
      any_escape(text_tables(*vocabulary, true)),
      needed_escape(text_tables(*vocabulary, false)) {
  std::vector<std::pair<std::string_view, std::uint32_t>> all;
  std::vector<std::pair<std::string_view, std::uint32_t>> bare;
  for (TokenId t = 0; t < vocabulary->size(); ++t) {
    const std::string_view text = vocabulary->token(t);
    if (vocabulary->kind(t) != TokenKind::kText || text.empty()) continue;
    all.emplace_back(text, t);
    const std::size_t start = text.find_first_not_of(" \t\n\r");
    if (start == std::string_view::npos) {
      space_only.add(t);
    } else {
      bare.emplace_back(text.substr(start), t);
    }
  }
  tokens = Trie(std::move(all));
  stripped = Trie(std::move(bare));
  space_only.seal(vocabulary->mask_words());
}

std::size_t TextTables::memory_bytes() const noexcept {
  return quote_suffixes.memory_bytes() + body_set.memory_bytes() + body.capacity() * sizeof(BodyToken) +
         quote_splits.capacity() * sizeof(QuoteSplit);
}

std::size_t VocabularyTables::memory_bytes() const noexcept {
  return tokens.memory_bytes() + stripped.memory_bytes() + space_only.memory_bytes() + any_escape.memory_bytes() +
         needed_escape.memory_bytes();
}

}  // namespace weir
