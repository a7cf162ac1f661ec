// Lark text to syntax tree. docs/lark.md is the notation's reference.
//
// Line breaks end definitions; a line that begins with `|` goes on with the one before. In brackets they are white
// space.
#include "text/lark_reader.hpp"
#include "text/syntax_lower.hpp"
#include "weir/grammar/frontends.hpp"

namespace weir {
namespace {

using namespace notation;  // NOLINT(google-build-using-namespace): the rules below are written in its terms

template <class Range>
std::string_view as_view(const Range& range) {
  return {range.begin(), range.size()};
}

// NOLINTBEGIN(readability-identifier-naming): X3 finds the definition of a rule r by the name r_def.
using x3::char_;
using x3::eoi;
using x3::eol;
using x3::eps;
using x3::lexeme;
using x3::lit;
using x3::raw;

const x3::rule<class QuotedId, Code> quoted = "character";
const x3::rule<class StringTextId> string_text = "string";
const x3::rule<class StringId, SyntaxNodeId> string = "string";
const x3::rule<class ReferenceId, SyntaxNodeId> reference = "name";
const x3::rule<class PrimaryId, SyntaxNodeId> primary = "item";
const x3::rule<class AtomId, SyntaxNodeId> atom = "item";
const x3::rule<class ItemId, SyntaxNodeId> item = "item";
const x3::rule<class ItemsId, std::vector<SyntaxNodeId>> items = "items";
const x3::rule<class SequenceId, SyntaxNodeId> sequence = "items";
const x3::rule<class ConjunctionId, SyntaxNodeId> conjunction = "alternative";
const x3::rule<class AlternativeId, SyntaxNodeId> alternative = "alternative";
const x3::rule<class ChoiceId, SyntaxNodeId> choice = "alternatives";
const x3::rule<class ImportId> import = "import";
const x3::rule<class StatementId> statement = "statement";
const x3::rule<class DefinitionId> definition = "definition";

// Tokens.
const Plain plain;
const auto word = char_("a-zA-Z0-9_");
const auto name = raw[lexeme[char_("a-zA-Z_") >> *(word | (lit('-') >> &word))]];
const auto quoted_def = escape | (plain - lit('"'));
const auto kSetCaseless = [](auto& context) { reader_of(context).caseless = true; };
const auto string_text_def =
    lexeme[x3::omit[raw[lit('"')][([](auto& context) {
                      LarkReader& reader = reader_of(context);
                      reader.token = x3::_attr(context).begin();
                      reader.caseless = false;
                    })] >>
                    *quoted[kAppend] >> must_close(lit('"'),
                                                   "this string is not closed on its line; end it with '\"', and "
                                                   "write \\\" for a quote and \\n for a line break") >>
                    -(lit('i') >> !word)[kSetCaseless]]];
const auto kRangeStart = [](auto& context) {
  LarkReader& reader = reader_of(context);
  if (reader.caseless) reader.literal.clear();  // no flags in a range: add_range says so
  reader.range_start = std::exchange(reader.literal, {});
  reader.range_place = reader.token;
};
const auto string_def = string_text >>
                        ((lit("..")[kRangeStart] >>
                          must(string_text, "the end of the range, in double quotes")[([](auto& context) {
                            x3::_val(context) = reader_of(context).add_range(x3::_where(context).begin());
                          })]) |
                         eps[([](auto& context) { x3::_val(context) = reader_of(context).add_string(); })]);

// Items, from the inside out.
const auto kReference = [](auto& context) {
  reader_of(context).check_name(as_view(x3::_attr(context)));
  add_name(context);
};
const auto reference_def = name[kReference] >> Refuse(refused_behind_reference);
const Nested group{choice >> must(lit(')'), "an item, '|', or ')'")};
const Nested option{choice >> must(lit(']'), "an item, '|', or ']'")};
const auto primary_def = string[kTake] | RegexToken()[kTake] | reference[kTake] | (lit('(') >> group)[kTake] |
                         (lit('[') >> option)[kTakeOptional] | (Refuse(refused_item) >> !eps >> reference[kTake]);
const Nested negated{atom};
const auto atom_def = (lit('~') >> must(negated, "what not to match, or a count, after '~'"))[([](auto& context) {
                        const SyntaxNodeId part[] = {x3::_attr(context)};
                        x3::_val(context) = reader_of(context).add_parent(SyntaxKind::kComplement, part);
                      })] |
                      primary[kTake];
const auto bounds = lit('{') >> ((number[kSetMin] >> -(lit(',')[kNoMax] >> -number[kSetMax])) |
                                 (must(lit(','), "a count, as in {2}, {2,} or {0,2}")[kNoMin] >>
                                  must(number, "the largest count")[kSetMax])) >>
                    must(lit('}'), "'}' after the count");
const auto tilde = lit('~') >> number[kSetMin] >> -(lit("..") >> must(number, "the largest count after '..'")[kSetMax]);
const auto count = x3::omit[tilde | bounds] >> eps[([](auto& context) { check_bounds(context); })];
const auto item_def = atom[kTake] >> -(lit('?')[Repeat<0, 1>()] | lit('*')[Repeat<0, kUnbounded>()] |
                                       lit('+')[Repeat<1, kUnbounded>()] | count[kRepeatBounds]);
const auto items_def = *item;
const auto sequence_def = items[Combine<SyntaxKind::kSequence>()];
const auto conjunction_def = (sequence % '&')[Combine<SyntaxKind::kIntersection>()];
// What an alternative is called in a tree (-> name) does not change what it matches.
const auto alternative_def = conjunction[kTake] >> -(lit("->") >> x3::omit[must(name, "a name after '->'")]);
const auto choice_def = (alternative % (LineBreaks('|') >> lit('|')))[Combine<SyntaxKind::kChoice>()];

// Statements and definitions.
const auto kEnd = [](auto& context) { reader_of(context).end_definition(x3::_attr(context)); };
const auto path = raw[lexeme[-lit('.') >> (+(word | '-') % '.')]];
const Nested import_names{must(name, "the name of a terminal")[([](auto& context) {
                            const std::string_view given = as_view(x3::_attr(context));
                            reader_of(context).import(given, given);
                          })] %
                              ',' >>
                          must(lit(')'), "',' or ')'")};
const auto import_def = must(path, "what to import, as in common.WS")[([](auto& context) {
                          reader_of(context).set_path(as_view(x3::_attr(context)));
                        })] >>
                        ((lit("->") >> must(name, "the name to use here")[([](auto& context) {
                            LarkReader& reader = reader_of(context);
                            reader.import(reader.path_member(), as_view(x3::_attr(context)));
                          })]) |
                         (lit('(') >> import_names) | eps[([](auto& context) {
                           LarkReader& reader = reader_of(context);
                           reader.import(reader.path_member(), reader.path_member());
                         })]);
const auto kIgnore = [](auto& context) { reader_of(context).begin_ignore(as_view(x3::_attr(context))); };
const auto statement_def = (raw[lexeme[lit("%ignore") >> !word]][kIgnore] >>
                            must(!(eol | eoi), "what to ignore, such as /[ \\t]+/") >> choice[kEnd]) |
                           (lexeme[lit("%import") >> !word] >> import) |
                           (lexeme[lit("%llguidance") >> !word] >> lit('{') >> lit('}'));
const auto definition_def =
    name[([](auto& context) { reader_of(context).begin_definition(as_view(x3::_attr(context))); })] >>
    Refuse(refused_behind_name) >> must(lit(':'), "':' after the name") >> choice[kEnd];
const auto kNextLine =
    "a rule, a terminal, %ignore or %import (a definition goes on in the next line only where that begins with '|', or "
    "in brackets)";
// `!` and `?` before a rule's name tell what becomes of it in a tree.
const auto line = (statement | (Refuse(refused_statement) >> -lit('!') >> -lit('?') >> definition)) >>
                  must(eol | eoi, "an item, '|', or the end of the line") >> LineBreaks();
const auto text_of_grammar = LineBreaks() >> *(!eoi >> must(line, kNextLine));

BOOST_SPIRIT_DEFINE(quoted, string_text, string, reference, primary, atom, item, items, sequence, conjunction,
                    alternative, choice, import, statement, definition)
// NOLINTEND(readability-identifier-naming)

Result<SyntaxTree> parse_lark_tree(std::string_view text, const Limits& limits) {
  LarkReader reader(text, limits);
  reader.tree.has_terminals = true;
  return read_syntax_tree(reader, text_of_grammar, LineBlank(reader, /*slashes=*/true));
}

}  // namespace

Result<Grammar> parse_lark(std::string_view text, const LarkOptions& options) {
  const std::string_view starts[] = {"start"};
  return parse_notation(text, parse_lark_tree, {options.start, starts, false, options.limits, options.arena});
}

}  // namespace weir
