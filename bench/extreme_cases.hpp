// Grammars at the far end of what people write: repetitions, lengths, enums and alternatives in their thousands, and a
// text of each to follow. Header only: the test of their verdicts uses them too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/automata/compiler.hpp"

namespace weir::bench {

enum class ExtremeKind { kSchema, kRegex, kEbnf, kLark };

struct ExtremeCase {
  std::string name;
  ExtremeKind kind = ExtremeKind::kSchema;
  std::string grammar;
  std::string text;   // of the language
  std::string wrong;  // no text of the language starts like this
};

inline Result<CompiledGrammar> compile_extreme(Compiler& compiler, const ExtremeCase& c) {
  switch (c.kind) {
    case ExtremeKind::kRegex: return compiler.compile_regex(c.grammar);
    case ExtremeKind::kEbnf: return compiler.compile_ebnf(c.grammar);
    case ExtremeKind::kLark: return compiler.compile_lark(c.grammar);
    case ExtremeKind::kSchema: break;
  }
  return compiler.compile_json_schema(c.grammar);
}

namespace detail {

inline std::string times(std::string_view text, std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += text;
  return out;
}

// first, then piece(0), piece(1), ... with `between` between them, then last.
template <class Piece>
std::string list(std::string_view first, std::size_t n, std::string_view between, std::string_view last, Piece piece) {
  std::string out(first);
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) out += between;
    out += piece(i);
  }
  return out += last;
}

inline std::string word(std::size_t i) {
  constexpr const char* kWords[] = {"alpha", "beta", "gamma", "delta", "name", "value", "user", "item"};
  return std::string(kWords[i % 8]) + "_" + std::to_string(i * 7919 % 100003);
}

inline void add_repetitions(std::vector<ExtremeCase>& cases) {
  using K = ExtremeKind;
  const std::string letters = times("the quick brown fox jumps over it ", 60);
  std::string tight;
  for (const char c : letters) tight += c == ' ' ? 'q' : c;
  const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
  cases.push_back({"regex [a-z]{1,100000}", K::kRegex, "[a-z]{1,100000}", tight, tight + "A"});
  cases.push_back({"regex (ab?c|d){1,100000}", K::kRegex, "(ab?c|d){1,100000}", times("abcacdd", 400), "abcb"});
  cases.push_back({"regex ([a-z]{1,9} ){1,100000}", K::kRegex, "([a-z]{1,9} ){1,100000}", letters, letters + "  "});
  cases.push_back({"pattern ^[a-z]{1,100000}$", K::kSchema, R"({"type":"string","pattern":"^[a-z]{1,100000}$"})",
                   quoted(tight), "\"A"});
  cases.push_back({"pattern ^(ab?c|d){1,100000}$", K::kSchema, R"({"type":"string","pattern":"^(ab?c|d){1,100000}$"})",
                   quoted(times("abcacdd", 400)), "\"abcb"});
  cases.push_back({"pattern ^([a-z]{1,9} ){1,100000}$", K::kSchema,
                   R"({"type":"string","pattern":"^([a-z]{1,9} ){1,100000}$"})", quoted(letters), "\"  "});
  cases.push_back({"ebnf item{1,100000} of a rule", K::kEbnf,
                   "root ::= item{1,100000}\nitem ::= \"a\" | \"b\" [0-9] | \"(\" item \")\"", times("ab1(a)(b2)", 300),
                   "ab1bb"});
  cases.push_back({"ebnf item{1000,100000} of a rule", K::kEbnf,
                   "root ::= item{1000,100000}\nitem ::= \"a\" | \"b\" [0-9] | \"(\" item \")\"",
                   times("ab1(a)(b2)", 300), "ab1bb"});
  cases.push_back({"ebnf [a-z]{1,100000} in a rule", K::kEbnf,
                   "root ::= \"(\" root \")\" | [a-z]{1,100000} \".\" root?", "((" + tight + "." + tight + "." + "))",
                   "((" + tight + "A"});
  cases.push_back({"lark item~1..100000", K::kLark,
                   "start: item~1..100000\nitem: \"a\" | \"b\" /[0-9]/ | \"(\" item \")\"\n", times("ab1(a)(b2)", 300),
                   "ab1bb"});
  cases.push_back(
      {"maxLength 1000000", K::kSchema, R"({"type":"string","maxLength":1000000})", quoted(letters), "\"\n"});
  cases.push_back({"minLength 1000, maxLength 1000000, pattern", K::kSchema,
                   R"({"type":"string","minLength":1000,"maxLength":1000000,"pattern":"^[a-z ]*$"})", quoted(letters),
                   "\"abc\""});
  cases.push_back({"maxItems 1000000", K::kSchema,
                   R"({"type":"array","items":{"type":"integer"},"minItems":3,"maxItems":1000000})",
                   list("[", 1500, ", ", "]", [](std::size_t i) { return std::to_string(i); }), "[1, 2]"});
  cases.push_back({"minItems 1000000", K::kSchema, R"({"type":"array","items":{"type":"boolean"},"minItems":1000000})",
                   "[" + times("true, ", 1000) + "true", "[true]"});
}

inline void add_alternatives(std::vector<ExtremeCase>& cases) {
  using K = ExtremeKind;
  const auto text_word = [](std::size_t i) { return "\"" + word(i) + "\""; };
  cases.push_back({"enum of 10000 strings", K::kSchema,
                   list(R"({"type":"array","items":{"enum":[)", 10'000, ",", "]}}", text_word),
                   list("[", 200, ", ", "]", [&](std::size_t i) { return text_word(i * 37); }), "[\"alpha_x"});
  const auto property = [](std::size_t i) {
    return "\"" + word(i) + R"(":{"type":)" +
           (i % 3 == 0   ? R"("string"})"
            : i % 3 == 1 ? R"("integer"})"
                         : R"("boolean"})");
  };
  const auto member = [](std::size_t i) {
    const std::size_t k = i * 9;
    return "\"" + word(k) + "\": " + (k % 3 == 0 ? "\"x\"" : k % 3 == 1 ? "12" : "true");
  };
  const std::string properties = list(R"({"type":"object","properties":{)", 2000, ",", "}", property);
  const std::string object = list("{", 200, ", ", "}", member);
  cases.push_back({"2000 optional properties", K::kSchema, properties + "}", object, "{\"alpha_0\": 1"});
  cases.push_back({"2000 optional properties, no others", K::kSchema, properties + R"(,"additionalProperties":false})",
                   object, "{\"alpha_00"});
  const auto branch = [](std::size_t i) {
    return R"({"type":"object","properties":{"kind":{"const":")" + word(i) + R"("},"value":{"type":")" +
           (i % 2 == 0 ? "string" : "integer") + R"("}},"required":["kind"],"additionalProperties":false})";
  };
  const std::string branches = list(R"({"type":"array","items":{"anyOf":[)", 500, ",", "]}}", branch);
  const auto choice = [](std::size_t i) {
    const std::size_t k = i * 9;
    return R"({"kind": ")" + word(k) + R"(", "value": )" + (k % 2 == 0 ? "\"x\"" : "12") + "}";
  };
  const std::string choices = list("[", 50, ", ", "]", choice);
  cases.push_back({"500-way anyOf of objects", K::kSchema, branches, choices, R"([{"kind": "alpha_0", "value": 1)"});
  const auto own_key = [](std::size_t i) {
    return R"({"type":"object","properties":{")" + word(i) +
           R"(":{"type":"integer"},"value":{"type":"string"}},"required":[")" + word(i) + "\"]}";
  };
  cases.push_back({"500-way anyOf of open objects", K::kSchema, list(R"({"anyOf":[)", 500, ",", "]}", own_key),
                   "{\"" + word(77) + "\": 12, \"value\": \"x\", \"more\": [1, 2]}", "[1"});
  const auto pattern = [](std::size_t i) {
    return R"({"type":"string","pattern":"^)" + word(i) + (i % 2 == 0 ? "-[0-9]+$" : "[a-f]{2,40}$") + "\"}";
  };
  cases.push_back({"500-way anyOf of patterns", K::kSchema,
                   list(R"({"type":"array","items":{"anyOf":[)", 500, ",", "]}}", pattern),
                   list("[", 50, ", ", "]",
                        [](std::size_t i) {
                          const std::size_t k = i * 9;
                          return "\"" + word(k) + (k % 2 == 0 ? "-12345\"" : "abcdefabc\"");
                        }),
                   "[\"alpha_0x"});
  const auto constant = [](std::size_t i) { return R"({"const":")" + word(i) + "\"}"; };
  cases.push_back({"500-way anyOf of strings", K::kSchema,
                   list(R"({"type":"array","items":{"anyOf":[)", 500, ",", "]}}", constant),
                   list("[", 100, ", ", "]", [&](std::size_t i) { return text_word(i * 4); }), "[\"alpha_x"});
}

}  // namespace detail

inline std::vector<ExtremeCase> extreme_cases() {
  std::vector<ExtremeCase> cases;
  detail::add_repetitions(cases);
  detail::add_alternatives(cases);
  return cases;
}

}  // namespace weir::bench
