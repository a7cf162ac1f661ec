// Text to grammar: one free function for each notation. All return Result<Grammar>; an error says where (line and
// column, or JSON Pointer), what, and what to do.
//
//   weir::Result<weir::Grammar> grammar = weir::parse_json_schema(R"({"type": "integer", "minimum": 1})");
//   weir::Result<weir::Grammar> list = weir::parse_ebnf("start = \"[\" digit {\",\" digit} \"]\"; digit = [0-9];");
//   weir::Result<weir::Grammar> date = weir::parse_regex("[0-9]{4}-[0-9]{2}-[0-9]{2}");
//
// Every options struct has `arena`: null makes a new one; grammars that share an arena share their automata.
// Complexity: linear in the text, apart from what Limits bound. Thread safety: calls that share no arena may run at
// once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "weir/grammar/expr.hpp"
#include "weir/grammar/grammar.hpp"
#include "weir/grammar/limits.hpp"
#include "weir/grammar/result.hpp"

namespace weir {

struct EbnfOptions {
  std::string start = {};  // the start rule; empty: "start", else "root", else the first rule
  Limits limits = {};
  std::shared_ptr<ExprArena> arena = nullptr;
};

// The notation of docs/ebnf.md: ISO 14977 and W3C spellings.
Result<Grammar> parse_ebnf(std::string_view text, const EbnfOptions& options = {});

struct GbnfOptions {
  std::string start = {};  // the start rule; empty: "root"
  Limits limits = {};
  std::shared_ptr<ExprArena> arena = nullptr;
};

// The notation of llama.cpp; docs/gbnf.md lists what it reads.
Result<Grammar> parse_gbnf(std::string_view text, const GbnfOptions& options = {});

struct LarkOptions {
  std::string start = {};  // the start rule; empty: "start"
  Limits limits = {};
  std::shared_ptr<ExprArena> arena = nullptr;
};

// Lark's notation in the dialect of llguidance; docs/lark.md lists what it reads. The language is the one of the
// context-free grammar: no longest match decides where a terminal ends.
Result<Grammar> parse_lark(std::string_view text, const LarkOptions& options = {});

struct RegexOptions {
  // true: `pattern` of JSON Schema, which may match anywhere in the text unless anchored. false: the whole text.
  bool search = false;
  Limits limits = {};
  std::shared_ptr<ExprArena> arena = nullptr;
};

// The whole text matches the ECMA-262 pattern (Unicode mode); docs/regex.md lists the syntax.
Result<Grammar> parse_regex(std::string_view pattern, const RegexOptions& options = {});

enum class Draft : std::uint8_t { kDraft4, kDraft6, kDraft7, kDraft2019, kDraft2020 };

// How JSON is written: white space between the signs, and escapes.
//
//   any JSON white space                     {}
//   runs of at most two characters           {.longest_whitespace = 2}
//   none                                     {.flexible_whitespace = false, .item_separator = ",", .key_separator =
//   ":"} as Python's json.dumps writes            {.flexible_whitespace = false} as json.dumps(..., indent=2) writes
//   {.flexible_whitespace = false, .indent = 2}
struct JsonStyle {
  // true: JSON white space before and after every sign and value, in front of the text and at its end. false: exactly
  // what the separators and `indent` say, and nothing in front and at the end.
  bool flexible_whitespace = true;
  // Flexible: the most characters of white space in a row outside of strings, 0 to 65,535; kUnbounded: any number. A
  // small model may else write blanks for ever.
  std::uint32_t longest_whitespace = kUnbounded;
  // Not flexible: each member and item on a line of its own, indented by so many blanks (0 to 64) a level; `[]` and
  // `{}` stay as they are.
  std::optional<std::uint32_t> indent = {};
  // true: strings may spell any character as an escape (\u0061 for a), as RFC 8259 says. false: escapes only where a
  // character has to be escaped. A small model that is forced through keys it did not choose may else spell them so.
  bool any_escape = true;
  // Not flexible: a comma and a colon, each with any JSON white space around it. None: ", " (with `indent` ",") and ":
  // ".
  std::optional<std::string> item_separator = {};
  std::optional<std::string> key_separator = {};
};

struct JsonSchemaOptions {
  Draft default_draft = Draft::kDraft2020;  // when the schema has no $schema
  JsonStyle style = {};                     // kArgument where it contradicts itself
  bool any_property_order = false;          // false: as listed in the schema
  bool assert_formats = true;               // known formats constrain; unknown ones are warned of
  // false: keys that a schema does not name may come, as JSON Schema says. true: where a schema names keys and does not
  // say what becomes of others, none may come; see docs/json_schema.md for schemas made of several.
  bool closed_objects = false;
  // The text of a document that a $ref or $schema names, by its URI without fragment: absolute where the schema's $id
  // is. Called while the schema is compiled, once for each document; an Error says why there is none. The drafts' own
  // meta-schemas need none. Null: a reference to any other document is an error. weir itself never opens a document.
  //
  //   options.resolver = [&](std::string_view uri) -> weir::Result<std::string> {
  //     const auto known = documents.find(uri);
  //     if (known == documents.end()) return weir::make_error(weir::ErrorCode::kIo, "it is not in our registry");
  //     return known->second;
  //   };
  std::function<Result<std::string>(std::string_view uri)> resolver = nullptr;
  // true: what weir cannot keep exactly (kUnsupported) is passed over, with a warning that has its JSON Pointer, in
  // place of an error. Then texts that the schema does not accept may come; each one that it accepts still may.
  bool lenient = false;
  Limits limits = {};
  std::shared_ptr<ExprArena> arena = nullptr;
};

// A JSON Schema (drafts 4 to 2020-12): every text the grammar accepts is an instance that the schema accepts.
// Keywords that weir cannot do exactly are errors (kUnsupported) with their JSON Pointer, never ignored unless lenient.
Result<Grammar> parse_json_schema(std::string_view text, const JsonSchemaOptions& options = {});

}  // namespace weir
