// An EBNF grammar over a vocabulary of one's own: which tokens may come next, going back, and what is forced.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <weir/weir.hpp>

namespace {

constexpr const char* kGrammar = R"(start = "[" , digit , { "," , digit } , "]" ;  digit = [0-9] ;)";

// Digits, punctuation, one token that spans two parts of the grammar, one that never fits, and the end of sequence.
const std::vector<std::string> kTokens = {"0", "1", "2", "3", "4", "5",  "6", "7",
                                          "8", "9", "[", ",", "]", ",7", "x", ""};

void show(weir::Matcher& matcher, std::string_view so_far) {
  std::vector<std::uint32_t> mask(1);  // 16 tokens fit into one word
  matcher.fill_mask(mask);
  std::printf("after %-5s:", std::string(so_far).c_str());
  for (weir::TokenId token = 0; token < kTokens.size(); ++token) {
    if (((mask[0] >> token) & 1U) != 0) std::printf(" %s", kTokens[token].empty() ? "END" : kTokens[token].c_str());
  }
  std::printf("\n");
}

}  // namespace

int main() try {
  const std::vector<weir::TokenId> end_of_sequence = {15};
  weir::Vocabulary vocabulary = weir::Vocabulary::from_bytes(kTokens, end_of_sequence, end_of_sequence).value();
  weir::Compiler compiler(std::make_shared<const weir::Vocabulary>(std::move(vocabulary)));
  weir::Matcher matcher(compiler.compile_ebnf(kGrammar).value());

  show(matcher, "");
  std::string text;
  for (const weir::TokenId token : {10U, 3U, 11U, 5U, 12U}) {  // [ 3 , 5 ]
    matcher.accept(token);
    text += kTokens[token];
    show(matcher, text);
  }
  matcher.rollback(2);  // drops "5]"
  show(matcher, "[3,");
  matcher.reset();
  std::printf("forced at the start: %s\n", matcher.forced_bytes().c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
