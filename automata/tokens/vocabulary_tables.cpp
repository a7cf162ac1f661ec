#include "tokens/vocabulary_tables.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace weir {

VocabularyTables::VocabularyTables(std::shared_ptr<const Vocabulary> v)
    : vocabulary(std::move(v)),
      class_tokens(*vocabulary),
      raw_suffixes_(text_suffixes(*vocabulary, false)),
      spaced_suffixes_(text_suffixes(*vocabulary, true)) {
  std::vector<std::pair<std::string_view, std::uint32_t>> all;
  std::vector<std::pair<std::string, std::uint32_t>> forms;
  all.reserve(vocabulary->size());
  forms.reserve(vocabulary->size());
  for (TokenId t = 0; t < vocabulary->size(); ++t) {
    const std::string_view text = vocabulary->token(t);
    if (vocabulary->kind(t) != TokenKind::kText || text.empty()) continue;
    all.emplace_back(text, t);
    longest_token = std::max(longest_token, static_cast<std::uint32_t>(text.size()));
    std::string form = structural_form(text);
    if (form.empty()) {
      space_only.add(t);
    } else {
      forms.emplace_back(std::move(form), t);
    }
  }
  tokens = Trie(std::move(all));
  structural = Trie(std::vector<std::pair<std::string_view, std::uint32_t>>(forms.begin(), forms.end()));
  space_only.seal(vocabulary->mask_words(), TokenSet::Form::kBoth);
  for (const bool any_escape : {true, false}) {
    const TextStyle spaced{any_escape, true};
    const TextStyle raw{any_escape, false};
    auto& place = root_places_[index(spaced)];
    place = std::make_unique<TextPlace>(
        make_text_place(*vocabulary, tokens, Trie::kRoot, any_escape, spaced_suffixes_, true));
    root_places_[index(raw)] = std::make_unique<TextPlace>(
        make_text_place(*vocabulary, tokens, Trie::kRoot, any_escape, raw_suffixes_, false, place->body));
    groups_[any_escape ? 1 : 0] = TextGroups(*vocabulary, *place->body);
  }
  prepare_places(Trie::kRoot);
}

// Wherever quoted text begins after nothing but signs.
void VocabularyTables::prepare_places(Trie::Node node) {
  for (const Trie::Node c : structural.children(node)) {
    const char byte = static_cast<char>(structural.byte(c));
    if (byte == '"' && !structural.is_leaf(c)) {
      for (const bool any_escape : {true, false}) {
        places_.insert(key({any_escape, true}, TrieId::kStructural, c),
                       std::make_unique<TextPlace>(
                           make_text_place(*vocabulary, structural, c, any_escape, spaced_suffixes_, true)));
      }
    } else if (std::string_view("{}[],:").find(byte) != std::string_view::npos) {
      prepare_places(c);
    }
  }
}

const TextPlace& VocabularyTables::place(TextStyle style, TrieId trie_id, Trie::Node node) const {
  if (trie_id == TrieId::kTokens && node == Trie::kRoot) return root_place(style);
  const std::uint64_t k = key(style, trie_id, node);
  if (const TextPlace* known = places_.find(k)) return *known;
  const std::lock_guard lock(mutex_);
  if (const TextPlace* known = places_.find(k)) return *known;
  return places_.insert(k, std::make_unique<TextPlace>(make_text_place(
                               *vocabulary, trie(trie_id), node, style.any_escape, suffixes(style), style.spaced)));
}

std::size_t VocabularyTables::memory_bytes() const {
  std::size_t bytes = tokens.memory_bytes() + structural.memory_bytes() + space_only.memory_bytes() +
                      class_tokens.memory_bytes() + raw_suffixes_.memory_bytes() + spaced_suffixes_.memory_bytes();
  for (const bool any_escape : {true, false}) {
    bytes += memory_of(*root_places_[index({any_escape, true})], true);
    bytes += memory_of(*root_places_[index({any_escape, false})], false);
  }
  for (const TextGroups& groups : groups_) bytes += groups.memory_bytes();
  const std::lock_guard lock(mutex_);
  bytes += places_.slots_bytes();
  places_.for_each([&](const TextPlace& place) { bytes += memory_of(place, true); });
  return bytes;
}

}  // namespace weir
