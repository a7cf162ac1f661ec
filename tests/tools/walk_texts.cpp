// Random walks over the tokens that masks allow, for tests/python/walks_test.py: of every line {"id", "schema"} it
// reads from a file, so many texts. At first any allowed token will do; then those that end something come first, and
// keys that the schema requires somewhere, so that the walk ends. Prints one JSON object a text: its schema's id, the
// text, and how it ended: "accepted"; "stuck", no token was allowed; "refused", an allowed token was not accepted;
// "unfinished", after very many tokens; "error".
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/automata/compiler.hpp"
#include "weir/automata/mask.hpp"
#include "weir/automata/matcher.hpp"

namespace {

using weir::TokenId;

constexpr std::size_t kMostTokens = 4000;

class Walk {
 public:
  Walk(const weir::CompiledGrammar& grammar, std::mt19937_64& random, const std::vector<TokenId>& ends,
       const std::vector<std::string>& keys, std::size_t wild)
      : matcher_(grammar), vocabulary_(grammar.vocabulary()), random_(random), wild_(wild), ends_(ends), keys_(keys) {}

  const char* run() {
    for (std::size_t n = 0; n < kMostTokens; ++n) {
      mask_.assign((vocabulary_.size() + 31) / 32, 0);
      matcher_.fill_mask(mask_);
      if (matcher_.error()) return "error";
      if (weir::count_bits(mask_) == 0) return "stuck";
      if (pending_.empty() && n >= wild_) begin_key();
      TokenId token = 0;
      if (pending_.empty()) {
        token = choose(n);
      } else {
        token = pending_.back();
        pending_.pop_back();
        if (!allows(token)) return "refused";
      }
      if (!matcher_.accept(token)) return matcher_.error() ? "error" : "refused";
      if (matcher_.is_terminated()) return "accepted";
      text_ += vocabulary_.token(token);
    }
    return "unfinished";
  }
  const std::string& text() const { return text_; }

 private:
  bool allows(TokenId t) const { return ((mask_[t >> 5U] >> (t & 31U)) & 1U) != 0; }

  TokenId any_allowed() {
    std::size_t at = random_() % weir::count_bits(mask_);
    for (std::uint32_t word = 0;; ++word) {
      const auto count = static_cast<std::size_t>(std::popcount(mask_[word]));
      if (at >= count) {
        at -= count;
        continue;
      }
      std::uint32_t bits = mask_[word];
      for (; at > 0; --at) bits &= bits - 1;
      return word * 32 + static_cast<std::uint32_t>(std::countr_zero(bits));
    }
  }

  // Where a key may come, one that some schema requires: in any order of keys chance would not find them.
  void begin_key() {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const std::string& key = keys_[(n_keys_++) % keys_.size()];
      if (!matcher_.fork().accept_bytes(key)) continue;
      if (const auto tokens = vocabulary_.encode_greedy(key)) pending_.assign(tokens->rbegin(), tokens->rend());
      return;
    }
  }

  TokenId choose(std::size_t n) {
    if (n < wild_) return any_allowed();
    for (const TokenId t : vocabulary_.eos()) {
      if (allows(t)) return t;
    }
    // In a text a bracket ends nothing, before a key a quote does not.
    const std::size_t first = random_() % 2 == 0 ? 0 : quotes_;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const TokenId t = ends_[(first + i) % ends_.size()];
      if (allows(t) && random_() % 8 != 0) return t;
    }
    return any_allowed();
  }

  weir::Matcher matcher_;
  const weir::Vocabulary& vocabulary_;
  std::mt19937_64& random_;
  std::size_t wild_;
  std::vector<std::uint32_t> mask_;
  const std::vector<TokenId>& ends_;
  static constexpr std::size_t quotes_ = 1;  // tokens of one quote, the first of ends_
  const std::vector<std::string>& keys_;     // as they are written, with the colon
  std::size_t n_keys_ = 0;
  std::vector<TokenId> pending_;  // of a key that was begun, the last first
  std::string text_;
};

// Appends all keys that `required` lists anywhere below.
void collect_required(const nlohmann::ordered_json& json, std::vector<std::string>& keys) {
  constexpr std::size_t kMostKeys = 60;
  if (json.is_object() && json.contains("required") && json["required"].is_array()) {
    for (const auto& key : json["required"]) {
      if (key.is_string() && keys.size() < kMostKeys) keys.push_back(key.dump() + ":");
    }
  }
  if (json.is_structured()) {
    for (const auto& part : json) collect_required(part, keys);
  }
}

// Tokens that end something, or at least begin something short; the first ones first.
std::vector<TokenId> ends_of(const weir::Vocabulary& vocabulary) {
  std::vector<TokenId> ends;
  for (const std::string_view end : {"\"", "}", "]", ":", "1", "0", "null", "true", ",", "[", "{"}) {
    for (TokenId t = 0; t < vocabulary.size(); ++t) {
      if (vocabulary.token(t) == end) ends.push_back(t);
    }
  }
  return ends;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fputs("usage: walk_texts TOKENIZER_FILE SCHEMA_LINES TEXTS_EACH SEED listed|any\n", stderr);
    return 2;
  }
  auto vocabulary = weir::Vocabulary::from_file(argv[1]);
  if (!vocabulary) {
    std::fprintf(stderr, "%s\n", vocabulary.error().to_string().c_str());
    return 2;
  }
  const std::vector<TokenId> ends = ends_of(*vocabulary);
  weir::Compiler compiler(std::make_shared<const weir::Vocabulary>(std::move(*vocabulary)));
  const std::size_t texts = std::strtoul(argv[3], nullptr, 10);
  std::mt19937_64 random(std::strtoul(argv[4], nullptr, 10));
  weir::JsonSchemaOptions options;
  options.any_property_order = std::string_view(argv[5]) == "any";
  std::ifstream in(argv[2]);
  for (std::string line; std::getline(in, line);) {
    const auto entry = nlohmann::ordered_json::parse(line);
    const auto grammar = compiler.compile_json_schema(entry.at("schema").dump(), options);
    if (!grammar) continue;
    std::vector<std::string> keys;
    collect_required(entry.at("schema"), keys);
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    for (std::size_t i = 0; i < texts; ++i) {
      Walk walk(*grammar, random, ends, keys, std::size_t{8} << (i % 4));
      const char* end = walk.run();
      const nlohmann::json out = {{"id", entry.at("id")}, {"end", end}, {"text", walk.text()}};
      std::printf("%s\n", out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    }
  }
  return 0;
}
