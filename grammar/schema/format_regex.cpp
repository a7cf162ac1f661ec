#include "schema/format_regex.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "text/regex.hpp"

namespace weir {
namespace {

constexpr int kGroupDepth = 8;
constexpr unsigned kMaxLeast = 99;     // the lower number of a quantifier that has two
constexpr unsigned kMaxRepeat = 1000;  // as many as engines commonly take

// Names are those of ECMA-262, section 22.2.1.
class RegexSyntax {
 public:
  explicit RegexSyntax(ExprArena& arena) : arena_(arena) {
    quantifier_ = quantifier();
    class_ = character_class();
    escape_ = re("\\\\(?:" + std::string(kClassEscape) + "|" + kCharacterEscape + "|[" + kSyntax + "/])");
  }

  // By depth: patterns without names, and those in which one group has one.
  ExprId pattern() {
    ExprId unnamed = arena_.star(any_of({text('|'), leaf()}));
    ExprId named = kEmptyExpr;
    for (int depth = 0; depth < kGroupDepth; ++depth) {
      const ExprId name = re("\\(\\?<[A-Za-z_$][A-Za-z0-9_$]*>");
      const ExprId inner = any_of({group(named), cat({name, unnamed, text(')'), quantifier_})});
      const ExprId outer = arena_.star(any_of({text('|'), leaf(), group(unnamed)}));
      named = cat({outer, inner, outer});
      unnamed = outer;
    }
    return any_of({unnamed, named});
  }

 private:
  static constexpr const char* kSyntax = "\\^$\\\\.*+?()\\[\\]{}|";
  static constexpr const char* kClassEscape = "[dDsSwW]";
  static constexpr const char* kCharacterEscape =
      "[fnrtv]|c[A-Za-z]|x[0-9A-Fa-f]{2}|u(?:[0-9A-CE-Fa-ce-f][0-9A-Fa-f]{3}|[Dd][0-7][0-9A-Fa-f]{2})";

  ExprId re(std::string_view pattern) {
    const auto e = parse_pattern(arena_, pattern, {});  // a constant: only an exhausted arena fails
    return e ? *e : kEmptyExpr;
  }
  ExprId text(char c) { return arena_.byte(static_cast<std::uint8_t>(c)); }
  ExprId cat(std::initializer_list<ExprId> parts) { return arena_.concat(parts); }
  ExprId any_of(std::initializer_list<ExprId> parts) { return arena_.alternate(parts); }

  // 0, or at least n, up to kMaxRepeat.
  ExprId numbers_from(unsigned n) {
    std::vector<std::string> all;
    for (; n <= kMaxRepeat; ++n) all.push_back(std::to_string(n));
    return arena_.literals(all);
  }

  ExprId quantifier() {
    std::vector<ExprId> parts{cat({numbers_from(0), re(",?\\}")})};
    for (unsigned least = 0; least <= kMaxLeast; ++least) {
      parts.push_back(cat({arena_.literal(fmt::format("{},", least)), numbers_from(least), text('}')}));
    }
    // With the brace in front, all of them are looked at only behind one.
    const ExprId braces = cat({text('{'), arena_.alternate(parts)});
    return arena_.optional(cat({any_of({re("[*+?]"), braces}), arena_.optional(text('?'))}));
  }

  // Two hexadecimal digits.
  ExprId byte_in_hex(unsigned value) {
    const auto digit = [&](unsigned v) {
      const char c = "0123456789abcdef"[v];
      return v < 10 ? text(c) : re(fmt::format("[{}{}]", c, static_cast<char>(c - 'a' + 'A')));
    };
    return arena_.concat(digit(value / 16), digit(value % 16));
  }

  // Without the first hyphen, the ends are in order.
  ExprId ranges() {
    std::vector<ExprId> parts;
    std::vector<ExprId> escaped;
    const ByteSet members = [] {
      ByteSet set = ByteSet::range(' ', '~');
      for (const char c : std::string_view("\\[]-^")) set.erase(static_cast<std::uint8_t>(c));
      return set;
    }();
    members.for_each([&](std::uint8_t low) {
      parts.push_back(arena_.concat({arena_.byte(low), text('-'), arena_.bytes(members & ByteSet::range(low, '~'))}));
    });
    const ExprId any = re("[0-9A-Fa-f]{2}");
    const ExprId escape = arena_.literal("\\u");
    ExprId above = kEmptyExpr;  // the first bytes above `high`
    for (unsigned high = 256; high-- > 0;) {
      if (high < 0xD8 || high > 0xDF) {  // surrogates pair up with their neighbours
        escaped.push_back(cat({byte_in_hex(high), any, text('-'), escape, above, any}));
        above = any_of({above, byte_in_hex(high)});
      }
    }
    parts.push_back(cat({escape, arena_.alternate(escaped)}));
    return arena_.alternate(parts);
  }

  ExprId character_class() {
    const ExprId single = any_of({re("[^\\\\\\[\\]\\-\\^]"), re("\\\\(?:" + std::string(kClassEscape) + "|" +
                                                                kCharacterEscape + "|[" + kSyntax + "/\\-]|b)")});
    const ExprId hyphen = arena_.optional(text('-'));
    return cat(
        {text('['), arena_.optional(text('^')), hyphen, arena_.star(any_of({single, ranges()})), hyphen, text(']')});
  }

  // A term without groups.
  ExprId leaf() {
    const ExprId character = re("[^" + std::string(kSyntax) + "]");
    return any_of({re("[\\^$]|\\\\[bB]"), cat({any_of({character, text('.'), escape_, class_}), quantifier_})});
  }

  ExprId group(ExprId body) {
    return any_of(
        {cat({re("\\((?:\\?:)?"), body, text(')'), quantifier_}), cat({re("\\(\\?<?[=!]"), body, text(')')})});
  }

  ExprArena& arena_;
  ExprId quantifier_ = kEmptyExpr;
  ExprId class_ = kEmptyExpr;
  ExprId escape_ = kEmptyExpr;
};

}  // namespace

ExprId regex_expression(ExprArena& arena) { return RegexSyntax(arena).pattern(); }

ExprId regex_superset(ExprArena& arena) {
  const auto re = [&](std::string_view pattern) {
    const auto e = parse_pattern(arena, pattern, {});
    return e ? *e : kEmptyExpr;
  };
  const std::string long_tokens = "\\\\[^]|\\[(?:\\\\[^]|[^\\\\\\]])*\\]";
  const ExprId first = re("[^\\\\\\[()*+?]|" + long_tokens);
  const ExprId token = re("[^\\\\\\[()]|" + long_tokens);
  const ExprId tokens = arena.star(token);
  const ExprId inside = arena.star(arena.alternate({token, re("[()]")}));
  const ExprId groups = arena.concat({arena.byte('('), inside, arena.byte(')'), tokens});
  return arena.concat(arena.optional(arena.concat(first, tokens)), arena.optional(groups));
}

}  // namespace weir
