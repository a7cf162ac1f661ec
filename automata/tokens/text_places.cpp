#include "tokens/text_places.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "frames/quoted.hpp"

namespace weir {
namespace {

constexpr std::string_view kSpace = " \t\n\r";
// Places with so many tokens hold a set for each number of code points.
constexpr std::size_t kLargePlace = 4096;

// The automaton of any text, counting code points.
struct AnyInner {
  std::uint32_t count = 0;
  int first = -1;  // byte of the text
  bool at_lead = false;
  std::uint8_t low = 0x80;  // allowed range of the next continuation byte
  std::uint8_t high = 0xBF;

  bool begin_character() {
    ++count;
    at_lead = true;
    return true;
  }
  bool take_byte(std::uint8_t b) {
    if (first < 0) first = b;
    const bool fits = at_lead || (b >= low && b <= high);
    // The lead decides what may follow it (RFC 3629, section 4).
    low = at_lead && b == 0xE0 ? 0xA0 : at_lead && b == 0xF0 ? 0x90 : 0x80;
    high = at_lead && b == 0xED ? 0x9F : at_lead && b == 0xF4 ? 0x8F : 0xBF;
    at_lead = false;
    return fits;
  }
  static bool may_take(char32_t /*first*/, char32_t /*last*/) { return true; }
  static bool may_go_on() { return true; }
  static bool may_end() { return true; }
};

struct BodyScan {
  bool inside = false;               // all of it stays in the text
  std::optional<std::size_t> quote;  // or this byte closes it
  std::uint32_t code_points = 0;
  int first = -1;  // byte of the text up to the quote; none: empty
};

BodyScan scan_body(std::string_view text, bool any_escape) {
  AnyInner inner;
  std::uint32_t aux = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (step_quoted(inner, aux, static_cast<std::uint8_t>(text[i]), '"', any_escape)) {
      case QuotedStep::kDead: return {};
      case QuotedStep::kEnd: return {false, i, inner.count, inner.first};
      case QuotedStep::kAlive: break;
    }
  }
  const auto stage = static_cast<QuotedStage>(aux & 0xFU);
  const bool pending = stage >= QuotedStage::kEscape;  // an escape that is not complete still counts one
  return {true, std::nullopt, inner.count + (pending ? 1U : 0U), inner.first};
}

struct Ending {
  int first = -1;
  std::string prefix;
  std::uint32_t code_points = 0;
  Trie::Node suffix = 0;
  TokenId token = 0;
};

Trie::Node find(const Trie& trie, std::string_view text) {
  Trie::Node node = Trie::kRoot;
  for (const char c : text) node = trie.child(node, static_cast<std::uint8_t>(c));
  return node;
}

void seal(TextBody& body, std::size_t mask_words) {
  std::stable_sort(body.tokens.begin(), body.tokens.end(),
                   [](const auto& a, const auto& b) { return a.code_points < b.code_points; });
  for (const auto& t : body.tokens) body.all.add(t.token);
  body.all.seal(mask_words);
  if (body.tokens.size() < kLargePlace) return;
  std::size_t next = 0;
  for (std::uint32_t count = 0; count < body.max_code_points; ++count) {
    const std::size_t from = next;
    while (next < body.tokens.size() && body.tokens[next].code_points <= count) ++next;
    if (from < next || body.up_to.empty()) {
      TokenSet set;
      for (std::size_t i = 0; i < next; ++i) set.add(body.tokens[i].token);
      set.seal(mask_words);
      body.up_to.push_back(std::move(set));
    }
    body.up_to_index.push_back(static_cast<std::uint32_t>(body.up_to.size() - 1));
  }
}

TextEnds make_ends(std::vector<Ending> endings) {
  TextEnds ends;
  std::sort(endings.begin(), endings.end(), [](const Ending& a, const Ending& b) {
    return std::tie(a.first, a.prefix, a.suffix) < std::tie(b.first, b.prefix, b.suffix);
  });
  struct BySuffix {
    Trie::Node suffix = 0;
    std::uint32_t prefix = 0;
    TokenId token = 0;
  };
  std::vector<BySuffix> by_suffix;
  for (const Ending& e : endings) {
    if (ends.prefixes.empty() || ends.prefixes.back() != e.prefix) {
      ends.prefixes.push_back(e.prefix);
      ends.code_points.push_back(e.code_points);
      ends.most_code_points = std::max(ends.most_code_points, e.code_points);
      ends.prefix_first.push_back(static_cast<std::uint32_t>(ends.by_prefix.size()));
      ++ends.by_first[static_cast<std::size_t>(e.first) + 1];
    }
    ends.by_prefix.push_back({e.suffix, e.token});
    by_suffix.push_back({e.suffix, static_cast<std::uint32_t>(ends.prefixes.size() - 1), e.token});
  }
  ends.prefix_first.push_back(static_cast<std::uint32_t>(ends.by_prefix.size()));
  std::stable_sort(by_suffix.begin(), by_suffix.end(),
                   [](const auto& a, const auto& b) { return a.suffix < b.suffix; });
  for (const BySuffix& split : by_suffix) {
    if (ends.suffix_nodes.empty() || ends.suffix_nodes.back() != split.suffix) {
      ends.suffix_nodes.push_back(split.suffix);
      ends.suffix_first.push_back(static_cast<std::uint32_t>(ends.suffix_tokens.size()));
    }
    ends.suffix_tokens.push_back(split.token);
    ends.suffix_prefixes.push_back(split.prefix);
  }
  ends.suffix_first.push_back(static_cast<std::uint32_t>(ends.suffix_tokens.size()));

  std::vector<std::pair<std::string_view, std::uint32_t>> entries;
  for (std::size_t p = 0; p < ends.prefixes.size(); ++p) {
    entries.emplace_back(ends.prefixes[p], static_cast<std::uint32_t>(p));
  }
  for (std::size_t b = 1; b <= 256; ++b) ends.by_first[b] += ends.by_first[b - 1];
  ends.prefix_trie = Trie(std::move(entries));
  return ends;
}

}  // namespace

std::size_t memory_of(const TextPlace& place, bool with_body) noexcept {
  const TextBody& body = *place.body;
  const TextEnds& ends = place.ends;
  std::size_t bytes = sizeof(place);
  if (with_body) {
    bytes += sizeof(body) + body.tokens.capacity() * sizeof(TextBody::Token) + body.all.memory_bytes() +
             body.up_to.capacity() * sizeof(TokenSet) + body.up_to_index.capacity() * sizeof(std::uint32_t);
    for (const TokenSet& set : body.up_to) bytes += set.memory_bytes();
  }
  bytes += ends.prefixes.capacity() * sizeof(std::string) + ends.prefix_trie.memory_bytes();
  for (const std::string& prefix : ends.prefixes) bytes += heap_bytes_of(prefix);
  const std::size_t words = ends.code_points.capacity() + ends.suffix_nodes.capacity() + ends.suffix_first.capacity() +
                            ends.suffix_tokens.capacity() + ends.suffix_prefixes.capacity() +
                            ends.prefix_first.capacity();
  return bytes + words * sizeof(std::uint32_t) + ends.by_prefix.capacity() * sizeof(TextEnds::Split);
}

ByteSet json_space() {
  ByteSet set;
  for (const char c : kSpace) set.insert(static_cast<std::uint8_t>(c));
  return set;
}

std::string structural_form(std::string_view text) {
  std::string form;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    if (text.empty() || std::string_view("{}[],:").find(text.front()) == std::string_view::npos) break;
    form.push_back(text.front());
    text.remove_prefix(1);
  }
  return form.append(text);
}

Trie text_suffixes(const Vocabulary& vocabulary, bool spaced) {
  std::vector<std::string> suffixes;
  for (TokenId t = 0; t < vocabulary.size(); ++t) {
    if (vocabulary.kind(t) != TokenKind::kText) continue;
    const std::string_view text = vocabulary.token(t);
    for (std::size_t q = text.find('"'); q != std::string_view::npos; q = text.find('"', q + 1)) {
      const std::string_view suffix = text.substr(q + 1);
      suffixes.push_back(spaced ? structural_form(suffix) : std::string(suffix));
    }
  }
  std::sort(suffixes.begin(), suffixes.end());
  suffixes.erase(std::unique(suffixes.begin(), suffixes.end()), suffixes.end());
  std::vector<std::pair<std::string_view, std::uint32_t>> entries;
  entries.reserve(suffixes.size());
  for (const std::string& suffix : suffixes) entries.emplace_back(suffix, 0);
  return Trie(std::move(entries));
}

TextPlace make_text_place(const Vocabulary& vocabulary, const Trie& trie, Trie::Node node, bool any_escape,
                          const Trie& suffixes, bool spaced, std::shared_ptr<const TextBody> body) {
  auto fresh = body ? nullptr : std::make_shared<TextBody>();
  std::vector<Ending> endings;
  trie.for_each_below(node, [&](std::uint32_t token, std::uint32_t depth) {
    const std::string_view whole = vocabulary.token(token);
    const std::string_view text = whole.substr(whole.size() - depth);
    // Most tokens have nothing but the body; with that known only quotes are looked for.
    if (!fresh && text.find('"') == std::string_view::npos) return;
    const BodyScan scan = scan_body(text, any_escape);
    if (!scan.inside && !scan.quote) return;
    if (fresh) fresh->max_code_points = std::max(fresh->max_code_points, scan.code_points);
    if (scan.inside) {
      if (fresh) fresh->tokens.push_back({token, scan.code_points});
      return;
    }
    const std::string_view suffix = text.substr(*scan.quote + 1);
    endings.push_back({scan.first, std::string(text.substr(0, *scan.quote)), scan.code_points,
                       find(suffixes, spaced ? structural_form(suffix) : std::string(suffix)), token});
  });
  if (fresh) seal(*fresh, vocabulary.mask_words());
  TextPlace place;
  place.body = fresh ? std::move(fresh) : std::move(body);
  place.ends = make_ends(std::move(endings));
  return place;
}

}  // namespace weir
