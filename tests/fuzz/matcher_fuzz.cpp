// Invariant 3 (mask = step) on grammars and walks that the input chooses. The input: a byte for the notation, a byte n,
// n bytes that choose tokens, the grammar's text.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "weir/automata/matcher.hpp"

namespace {

using weir::TokenId;

// Every byte, and some longer tokens that straddle what grammars are made of.
std::shared_ptr<const weir::Vocabulary> make_vocabulary() {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  for (const char* text : {"{\"", "\": ", "\", \"", "\"}", "[[", "]]", "ab", "abc", "12", "0.", "true", "null", "  ",
                           "\xC3\xA9", "\xF0\x9F", "\\u00", "\"a\":1"}) {
    tokens.emplace_back(text);
  }
  const std::array<TokenId, 1> eos = {static_cast<TokenId>(tokens.size())};
  tokens.emplace_back("");
  auto vocabulary = weir::Vocabulary::from_bytes(tokens, eos, eos);
  weir::fuzz::require(vocabulary.ok(), "the fuzz vocabulary does not load");
  return std::make_shared<const weir::Vocabulary>(*std::move(vocabulary));
}

weir::Result<weir::CompiledGrammar> compile(weir::Compiler& compiler, int notation, std::string_view text) {
  const weir::Limits limits = weir::fuzz::small_limits();
  switch (notation) {
    case 0: return compiler.compile_json_schema(text, {.limits = limits});
    case 1: return compiler.compile_ebnf(text, {.limits = limits});
    case 3: return compiler.compile_gbnf(text, {.limits = limits});
    case 4: return compiler.compile_lark(text, {.limits = limits});
    default: return compiler.compile_regex(text, {.limits = limits});
  }
}

// One step of the walk: both masks agree, and a token of the mask, chosen by `choice`, can be taken. False: the walk
// ends.
bool step(weir::Matcher& matcher, std::uint8_t choice, std::vector<std::uint32_t>& fast,
          std::vector<std::uint32_t>& plain) {
  matcher.fill_mask(fast);
  matcher.fill_mask_plain(plain);
  if (matcher.error()) return false;
  weir::fuzz::require(fast == plain, "the fast mask differs from the plain one");
  std::vector<TokenId> allowed;
  for (TokenId t = 0; t < fast.size() * 32; ++t) {
    if (((fast[t >> 5U] >> (t & 31U)) & 1U) != 0) allowed.push_back(t);
  }
  if (allowed.empty()) {
    weir::fuzz::require(matcher.is_terminated(), "a dead end: every byte is a token, but none is allowed");
    return false;
  }
  const bool taken = matcher.accept(allowed[choice % allowed.size()]);
  if (matcher.error()) return false;
  weir::fuzz::require(taken, "a token of the mask is refused");
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::shared_ptr<const weir::Vocabulary> vocabulary = make_vocabulary();
  if (size < 2) return 0;
  const std::size_t steps = std::min<std::size_t>(data[1] % 32U, size - 2);
  weir::Compiler compiler(vocabulary, weir::fuzz::small_limits());
  const auto grammar = compile(compiler, data[0] % 5, weir::fuzz::as_text(data + 2 + steps, size - 2 - steps));
  if (!grammar) {
    weir::fuzz::check_error(grammar.error());
    return 0;
  }
  weir::Matcher matcher(*grammar);
  std::vector<std::uint32_t> fast(vocabulary->mask_words());
  std::vector<std::uint32_t> plain(vocabulary->mask_words());
  std::size_t taken = 0;
  while (taken < steps && step(matcher, data[2 + taken], fast, plain)) ++taken;
  if (matcher.error()) return 0;

  // Back to the start: the same mask as a fresh matcher's.
  matcher.rollback(matcher.history_length());
  matcher.fill_mask(fast);
  weir::Matcher fresh(*grammar);
  fresh.fill_mask(plain);
  if (!matcher.error() && !fresh.error())
    weir::fuzz::require(fast == plain, "rollback does not lead back to the start");
  return 0;
}
