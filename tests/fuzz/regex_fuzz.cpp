// The pattern alone decides whether the search form compiles, and what the whole-text form matches the search form
// matches too.
#include <optional>
#include <string>

#include "fuzz/fuzz.hpp"
#include "weir/grammar/frontends.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view pattern = weir::fuzz::as_text(data, size);
  const auto arena = std::make_shared<weir::ExprArena>(weir::fuzz::small_limits());
  const weir::RegexOptions whole_text{.search = false, .limits = weir::fuzz::small_limits(), .arena = arena};
  const weir::RegexOptions search{.search = true, .limits = weir::fuzz::small_limits(), .arena = arena};
  const auto whole = weir::parse_regex(pattern, whole_text);
  const auto anywhere = weir::parse_regex(pattern, search);
  if (!whole) weir::fuzz::check_error(whole.error());
  if (!anywhere) weir::fuzz::check_error(anywhere.error());
  if (!whole || !anywhere) return 0;

  const weir::Symbol a = whole->start();
  const weir::Symbol b = anywhere->start();
  if (a.kind != weir::Symbol::Kind::kExpression || b.kind != weir::Symbol::Kind::kExpression) return 0;
  const std::optional<std::string> shortest = arena->shortest_text(a.id);
  if (!shortest || arena->exhausted()) return 0;
  const bool in_whole = arena->matches(a.id, *shortest);
  const bool in_search = arena->matches(b.id, *shortest);
  if (arena->exhausted()) return 0;
  weir::fuzz::require(in_whole, "the shortest text of an expression is not one of its texts");
  weir::fuzz::require(in_search, "a text that matches as a whole is not found by search");
  return 0;
}
