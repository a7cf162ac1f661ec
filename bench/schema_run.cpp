#include "schema_run.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace weir::bench {

bool SchemaOutcome::has_wrong(bool valid) const {
  return std::any_of(wrong.begin(), wrong.end(), [&](const WrongInstance& one) { return one.valid == valid; });
}

void Timings::merge(const Timings& other) noexcept {
  ttfm.merge(other.ttfm);
  mask.merge(other.mask);
  commit.merge(other.commit);
  prepare.merge(other.prepare);
}

SchemaRunner::SchemaRunner(std::shared_ptr<const Vocabulary> vocabulary, const RunOptions& options)
    : vocabulary_(std::move(vocabulary)),
      options_(options),
      compiler_(vocabulary_),
      mask_(vocabulary_->mask_words()),
      plain_mask_(options.verify ? vocabulary_->mask_words() : 0) {}

Result<CompiledGrammar> SchemaRunner::compile(const SchemaLine& line, bool any_property_order) {
  if (line.notation == Notation::kLark) return compiler_.compile_lark(line.grammar);
  if (line.notation == Notation::kGbnf) return compiler_.compile_gbnf(line.grammar);
  JsonSchemaOptions options;
  options.style = options_.style;
  options.closed_objects = options_.closed_objects;
  options.lenient = options_.lenient;
  options.any_property_order = any_property_order;
  return compiler_.compile_json_schema(line.grammar, std::move(options));
}

SchemaOutcome SchemaRunner::run(const SchemaLine& line) {
  SchemaOutcome outcome;
  if (options_.cold) compiler_.clear_caches();
  visited_.clear();

  const std::uint64_t start = ticks_now();
  Result<CompiledGrammar> compiled = compile(line, options_.any_property_order);
  if (!compiled) {
    outcome.compile_error = compiled.error();
    const bool some_valid =
        std::any_of(line.tests.begin(), line.tests.end(), [](const TestInstance& test) { return test.valid; });
    outcome.rightly_unsatisfiable = compiled.error().code == ErrorCode::kUnsatisfiable && !some_valid;
    return outcome;
  }
  Matcher first(*compiled);
  first.fill_mask(mask_);
  outcome.ttfm_ticks = ticks_now() - start;
  timings_.ttfm.add(outcome.ttfm_ticks);
  if (options_.verify) verify_mask(first, outcome);
  if (options_.first_visits) visited_.insert(first.state());

  for (std::size_t i = 0; i < line.tests.size(); ++i) {
    const TestInstance& test = line.tests[i];
    Walk walked;
    if (Result<std::vector<TokenId>> tokens = tokens_of(test, outcome); !tokens) {
      walked.why = tokens.error().message;
    } else {
      // State ids compare among forks of one matcher, which is how states visited by earlier instances are known.
      Matcher matcher = options_.first_visits || options_.verify ? first.fork() : Matcher(*compiled);
      walked = walk(matcher, *tokens, outcome);
    }
    outcome.verdicts.push_back(walked.accepted);
    if (walked.accepted != test.valid) {
      outcome.wrong.push_back({i, test.valid, false, walked.offset, std::move(walked.why)});
    }
  }
  if (!options_.any_property_order) find_key_order_faults(line, outcome);
  return outcome;
}

Result<std::vector<TokenId>> SchemaRunner::tokens_of(const TestInstance& test, SchemaOutcome& outcome) const {
  std::string_view rest = test.text;
  const bool spelled = std::all_of(test.tokens.begin(), test.tokens.end(), [&](TokenId token) {
    if (token >= vocabulary_->size() || vocabulary_->kind(token) != TokenKind::kText) return false;
    const std::string_view bytes = vocabulary_->token(token);
    if (!rest.starts_with(bytes)) return false;
    rest.remove_prefix(bytes.size());
    return true;
  });
  if (spelled && rest.empty()) return test.tokens;
  ++outcome.retokenized;
  std::optional<std::vector<TokenId>> tokens = vocabulary_->encode_greedy(test.text);
  if (!tokens) return make_error(ErrorCode::kInvalid, "the vocabulary cannot spell the instance");
  return std::move(*tokens);
}

SchemaRunner::Walk SchemaRunner::walk(Matcher& matcher, std::span<const TokenId> tokens, SchemaOutcome& outcome) {
  Walk walk;
  for (const TokenId token : tokens) {
    forget_old_states(matcher);
    if (options_.prepare_us > 0) {
      const std::uint64_t start = ticks_now();
      matcher.prepare(std::chrono::microseconds(options_.prepare_us));
      timings_.prepare.add(ticks_now() - start);
    }
    const bool timed = !options_.first_visits || visited_.insert(matcher.state()).second;
    const std::uint64_t start = ticks_now();
    matcher.fill_mask(mask_);
    const std::uint64_t filled = ticks_now();
    const bool allowed = ((mask_[token >> 5U] >> (token & 31U)) & 1U) != 0;
    const bool accepted = allowed && matcher.accept(token);
    const std::uint64_t committed = ticks_now();

    ++outcome.tokens;
    outcome.max_mask_ticks = std::max(outcome.max_mask_ticks, filled - start);
    if (timed) timings_.mask.add(filled - start);
    if (accepted) timings_.commit.add(committed - filled);
    if (!accepted) {
      if (matcher.error()) {
        walk.why = matcher.error()->to_string();
      } else if (allowed) {
        ++outcome.mask_faults;
        walk.why = fmt::format("the mask allows token {}, but it is not accepted", token);
      } else {
        walk.why = fmt::format("token {} is not allowed", token);
      }
      return walk;
    }
    walk.offset += vocabulary_->token(token).size();
    if (options_.verify) verify_mask(matcher, outcome);
  }
  walk.accepted = matcher.is_accepting();
  walk.why = walk.accepted ? "accepted" : "the instance is not complete";
  return walk;
}

void SchemaRunner::forget_old_states(const Matcher& matcher) {
  if (matcher.state_epoch() == epoch_) return;
  epoch_ = matcher.state_epoch();
  visited_.clear();
}

void SchemaRunner::verify_mask(Matcher& matcher, SchemaOutcome& outcome) {
  forget_old_states(matcher);
  // With first_visits the set is needed for what is timed; then every state is verified anew.
  if (!options_.first_visits && !visited_.insert(matcher.state()).second) return;
  matcher.fill_mask_plain(plain_mask_);
  matcher.fill_mask(mask_);
  if (mask_ != plain_mask_) ++outcome.mask_faults;
}

void SchemaRunner::find_key_order_faults(const SchemaLine& line, SchemaOutcome& outcome) {
  if (line.notation != Notation::kJsonSchema || !outcome.has_wrong(/*valid=*/true)) return;
  Result<CompiledGrammar> any_order = compile(line, /*any_property_order=*/true);
  if (!any_order) return;
  for (WrongInstance& wrong : outcome.wrong) {
    if (!wrong.valid) continue;
    Matcher matcher(*any_order);
    wrong.key_order = matcher.accept_bytes(line.tests[wrong.test].text) && matcher.is_accepting();
    if (wrong.key_order) wrong.why += "; with any order of keys it would be";
  }
}

}  // namespace weir::bench
