// weir mask: the tokens that may come next.
#include <bit>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "arguments.hpp"
#include "command.hpp"
#include "output.hpp"
#include "rejection.hpp"
#include "weir/automata/matcher.hpp"

namespace weir::cli {
namespace {

constexpr std::size_t kDefaultListed = 50;

struct MaskArguments {
  GrammarArguments grammar;
  VocabularyArgument vocabulary;
  std::string prefix;
  std::size_t limit = 0;
  CLI::Option* limit_option = nullptr;
  bool plain = false;
  bool json = false;
};

std::vector<TokenId> allowed_tokens(Matcher& matcher, const Vocabulary& vocabulary, bool plain) {
  std::vector<std::uint32_t> mask(vocabulary.mask_words());
  plain ? matcher.fill_mask_plain(mask) : matcher.fill_mask(mask);
  std::vector<TokenId> tokens;
  for (std::size_t word = 0; word < mask.size(); ++word) {
    for (std::uint32_t bits = mask[word]; bits != 0; bits &= bits - 1) {
      tokens.push_back(static_cast<TokenId>(word * 32 + static_cast<std::size_t>(std::countr_zero(bits))));
    }
  }
  return tokens;
}

struct Answer {
  std::vector<TokenId> tokens;
  bool accepting = false;
  std::string forced;
};

void print_answer_json(const Answer& answer, const Vocabulary& vocabulary, std::size_t listed) {
  Json tokens = Json::array();
  for (std::size_t i = 0; i < listed; ++i) {
    const TokenId id = answer.tokens[i];
    Json token = {{"id", id}};
    put_text(token, "text", "bytes", vocabulary.token(id));
    if (vocabulary.kind(id) == TokenKind::kSpecial)
      put_text(token, "special", "special_bytes", vocabulary.spelling(id));
    tokens.push_back(std::move(token));
  }
  Json json = {{"allowed", answer.tokens.size()}, {"tokens", std::move(tokens)}, {"accepting", answer.accepting}};
  put_text(json, "forced", "forced_bytes", answer.forced);
  print_json(json);
}

void print_answer(const Answer& answer, const Vocabulary& vocabulary, std::size_t listed) {
  fmt::print("{} of {} tokens may come next; the text so far is {}\n", answer.tokens.size(), vocabulary.size(),
             answer.accepting ? "complete" : "not complete yet");
  if (!answer.forced.empty()) fmt::print("forced: {}\n", in_quotes(answer.forced));
  for (std::size_t i = 0; i < listed; ++i) {
    const TokenId id = answer.tokens[i];
    if (vocabulary.kind(id) == TokenKind::kSpecial) {
      const std::string_view spelling = vocabulary.spelling(id);
      fmt::print("{:>8}  end of sequence{}{}\n", id, spelling.empty() ? "" : " ", spelling);
    } else {
      fmt::print("{:>8}  {}\n", id, in_quotes(vocabulary.token(id)));
    }
  }
  if (listed < answer.tokens.size()) {
    fmt::print("     ...  {} more; --limit 0 lists all\n", answer.tokens.size() - listed);
  }
}

int run_mask(const MaskArguments& arguments) {
  const Result<GrammarText> grammar = arguments.grammar.read();
  if (!grammar) return report_error(grammar.error(), "", arguments.json);
  const auto vocabulary = arguments.vocabulary.load();
  if (!vocabulary) return report_error(vocabulary.error(), arguments.vocabulary.source(), arguments.json);
  Compiler compiler(*vocabulary);
  const Result<CompiledGrammar> compiled = arguments.grammar.compile(compiler, *grammar);
  if (!compiled) return report_error(compiled.error(), grammar->source, arguments.json);

  Matcher matcher(*compiled);
  const std::optional<Rejection> rejection = find_rejection(matcher, arguments.prefix, /*must_be_complete=*/false);
  Answer answer;
  if (!rejection && !matcher.error()) {
    answer.tokens = allowed_tokens(matcher, **vocabulary, arguments.plain);
    answer.accepting = matcher.is_accepting();
    answer.forced = matcher.forced_bytes();
  }
  if (matcher.error()) return report_error(*matcher.error(), grammar->source, arguments.json);
  if (rejection) {
    fmt::print(stderr, "{}\n", rejection_line(*rejection, "--prefix"));
    if (arguments.json) print_json(rejection_json(*rejection));
    return kNo;
  }

  std::size_t listed = answer.tokens.size();
  if (arguments.limit_option->count() == 0) {
    if (!arguments.json) listed = std::min(listed, kDefaultListed);
  } else if (arguments.limit != 0) {
    listed = std::min(listed, arguments.limit);
  }
  arguments.json ? print_answer_json(answer, **vocabulary, listed) : print_answer(answer, **vocabulary, listed);
  return kYes;
}

}  // namespace

Verb add_mask(CLI::App& root) {
  auto arguments = std::make_shared<MaskArguments>();
  CLI::App* app = root.add_subcommand("mask", "the tokens that may come next. Exit 1: the prefix is already rejected");
  arguments->grammar.add_to(*app);
  arguments->vocabulary.add_to(*app);
  app->add_option("--prefix", arguments->prefix, "the text so far, itself")->type_name("TEXT");
  arguments->limit_option =
      app->add_option("--limit", arguments->limit,
                      fmt::format("list at most N tokens, 0: all (else {}, and all with --json)", kDefaultListed))
          ->check(whole_number())
          ->type_name("N");
  app->add_flag("--plain", arguments->plain, "find them by the plain loop over the vocabulary: slow, the same answer");
  app->add_flag("--json", arguments->json, "the answer, or the error, as one JSON object");
  return {app, [arguments] { return run_mask(*arguments); }};
}

}  // namespace weir::cli
