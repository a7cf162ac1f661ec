#include "fuzz/fuzz.hpp"
#include "weir/grammar/frontends.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto grammar = weir::parse_gbnf(weir::fuzz::as_text(data, size), {.limits = weir::fuzz::small_limits()});
  if (!grammar) weir::fuzz::check_error(grammar.error());
  return 0;
}
