// Prints a tokenizer file's vocabulary for tests/python/test_tokenizers.py: one line for each id, with the id, the kind
// (text, special, eos, unused) and the bytes in hexadecimal digits; for special and eos tokens, those of the spelling.
// Then, on standard error, how long loading took.
#include <chrono>
#include <cstdio>
#include <string>

#include "weir/automata/vocabulary.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: dump_vocabulary TOKENIZER_FILE\n", stderr);
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const weir::Result<weir::Vocabulary> vocabulary = weir::Vocabulary::from_file(argv[1]);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  if (!vocabulary) {
    std::fprintf(stderr, "%s\n", vocabulary.error().to_string().c_str());
    return 2;
  }
  std::string line;
  for (weir::TokenId id = 0; id < vocabulary->size(); ++id) {
    const weir::TokenKind kind = vocabulary->kind(id);
    line = std::to_string(id);
    line += vocabulary->is_eos(id)              ? " eos "
            : kind == weir::TokenKind::kSpecial ? " special "
            : kind == weir::TokenKind::kUnused  ? " unused "
                                                : " text ";
    for (const char c : vocabulary->spelling(id)) {
      constexpr char kDigits[] = "0123456789abcdef";
      line += kDigits[static_cast<unsigned char>(c) >> 4];
      line += kDigits[static_cast<unsigned char>(c) & 15];
    }
    line += '\n';
    std::fputs(line.c_str(), stdout);
  }
  std::fprintf(stderr, "loaded in %.1f ms, hash %016llx\n", elapsed.count(),
               static_cast<unsigned long long>(vocabulary->hash()));
  return 0;
}
