#include "weir/automata/matcher.hpp"

#include <algorithm>
#include <utility>

#include "compiled_grammar.hpp"
#include "match/sequence.hpp"

namespace weir {

Matcher::Matcher(const CompiledGrammar& grammar) : sequence_(SequencePool::take(grammar.data_->newest())) {
  StateId start = kDeadState;
  sequence_->run([&] { start = sequence_->stepper.start(); });
  place_ = sequence_->history.start(start);
}
Matcher::Matcher(std::shared_ptr<Sequence> sequence, std::uint32_t place, bool terminated) noexcept
    : sequence_(std::move(sequence)), place_(place), terminated_(terminated) {}
Matcher::~Matcher() {
  if (sequence_) sequence_->history.release(place_);
}
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&& other) noexcept {
  std::swap(sequence_, other.sequence_);
  std::swap(place_, other.place_);
  std::swap(terminated_, other.terminated_);
  return *this;
}

bool Matcher::usable() const noexcept { return !terminated_ && !sequence_->error; }
const Vocabulary& Matcher::vocabulary() const noexcept { return *sequence_->data.tables->vocabulary; }
StateId Matcher::state() const noexcept { return sequence_->history.state(place_); }

// Walks bytes from the current state into sequence_->current; true if all of them fit.
bool Matcher::walk(std::string_view text, std::size_t* consumed) {
  Sequence& sequence = *sequence_;
  Items& items = sequence.current;
  const auto start = sequence.store.items(state());
  items.assign(start.begin(), start.end());
  const std::size_t taken = sequence.stepper.walk(text, items, sequence.next);
  if (consumed != nullptr) *consumed = taken;
  return taken == text.size();
}

bool Matcher::accept_text(std::string_view text, std::size_t* consumed) {
  StateId reached = kDeadState;
  bool fits = false;
  sequence_->run([&] {
    fits = walk(text, consumed);
    if (fits) reached = sequence_->store.intern(sequence_->current);
  });
  if (!fits || sequence_->error) return false;
  sequence_->push(place_, reached);
  return true;
}

void Matcher::fill_mask(std::span<std::uint32_t> mask) {
  const auto words = mask.first(vocabulary().mask_words());
  if (usable()) {
    sequence_->run([&] { sequence_->masker.fill(state(), words); });
  }
  if (!usable()) std::fill(words.begin(), words.end(), 0);
  std::fill(mask.begin() + static_cast<std::ptrdiff_t>(words.size()), mask.end(), 0);
}

void Matcher::prepare(std::chrono::microseconds budget) {
  if (!usable()) return;
  const auto deadline = std::chrono::steady_clock::now() + budget;
  sequence_->run([&] { sequence_->masker.prepare(state(), deadline); });
}

void Matcher::fill_mask_plain(std::span<std::uint32_t> mask) {
  std::fill(mask.begin(), mask.end(), 0);
  for (TokenId t = 0; t < vocabulary().size(); ++t) {
    if (allows(t)) set_bit(mask, t);
  }
}

bool Matcher::allows(TokenId t) {
  const Vocabulary& all = vocabulary();
  if (!usable() || t >= all.size()) return false;
  if (all.kind(t) != TokenKind::kText) return all.is_eos(t) && is_accepting();
  if (all.token(t).empty()) return false;
  bool fits = false;
  sequence_->run([&] { fits = walk(all.token(t), nullptr); });
  return fits && !sequence_->error;
}

bool Matcher::accept(TokenId t) {
  const Vocabulary& all = vocabulary();
  if (!usable() || t >= all.size()) return false;
  if (all.kind(t) == TokenKind::kText) return !all.token(t).empty() && accept_text(all.token(t), nullptr);
  if (!all.is_eos(t) || !is_accepting()) return false;
  sequence_->push(place_, state());
  terminated_ = true;
  return true;
}

std::size_t Matcher::accept_all(std::span<const TokenId> tokens) {
  std::size_t taken = 0;
  while (taken < tokens.size() && accept(tokens[taken])) ++taken;
  return taken;
}

std::size_t Matcher::validate(std::span<const TokenId> tokens) {
  const std::size_t taken = accept_all(tokens);
  rollback(taken);
  return taken;
}

bool Matcher::accept_bytes(std::string_view text, std::size_t* consumed) {
  if (consumed != nullptr) *consumed = 0;
  return usable() && accept_text(text, consumed);
}

void Matcher::rollback(std::size_t n) {
  n = std::min(n, history_length());
  if (n == 0) return;
  terminated_ = false;
  sequence_->history.back(place_, n);
}

std::size_t Matcher::history_length() const noexcept { return sequence_->history.length(place_); }

Matcher Matcher::fork() const {
  sequence_->history.retain(place_);
  return {sequence_, place_, terminated_};
}

Matcher Matcher::clone() const {
  auto sequence = SequencePool::make(sequence_->data.shared_from_this());
  const History::Place place = sequence->begin_as(*sequence_, place_);
  return {std::move(sequence), place, terminated_};
}

void Matcher::reset() { rollback(history_length()); }

bool Matcher::is_accepting() const { return !sequence_->error && sequence_->stepper.may_complete(state()); }
bool Matcher::is_terminated() const noexcept { return terminated_; }
const void* Matcher::sequence_id() const noexcept { return sequence_.get(); }
std::uint32_t Matcher::state_epoch() const noexcept { return sequence_->collections; }
std::size_t Matcher::memory_bytes() const noexcept { return sequence_->memory_bytes(); }
const std::optional<Error>& Matcher::error() const noexcept { return sequence_->error; }

ByteSet Matcher::next_bytes() {
  ByteSet out;
  if (!usable()) return out;
  Sequence& sequence = *sequence_;
  sequence.run([&] {
    out = {};
    const auto items = sequence.store.items(state());
    sequence.current.assign(items.begin(), items.end());
    sequence.stepper.first_bytes(sequence.current).for_each([&](std::uint8_t b) {
      sequence.next.clear();
      sequence.stepper.step(sequence.current, b, sequence.next);
      if (!sequence.next.empty()) out.insert(b);
    });
  });
  return out;
}

std::string Matcher::forced_bytes(std::size_t limit) {
  std::string forced;
  if (!usable()) return forced;
  const std::size_t before = history_length();
  while (forced.size() < limit && !is_accepting()) {
    const ByteSet bytes = next_bytes();
    if (bytes.size() != 1) break;
    char only = 0;
    bytes.for_each([&](std::uint8_t b) { only = static_cast<char>(b); });
    if (!accept_text({&only, 1}, nullptr)) break;
    forced.push_back(only);
  }
  sequence_->history.back(place_, history_length() - before);
  return forced;
}

std::vector<TokenId> Matcher::forced_tokens() {
  const std::string text = forced_bytes();
  const Trie& trie = sequence_->data.tables->tokens;
  std::vector<TokenId> tokens;
  std::size_t at = 0;
  while (at < text.size()) {
    std::optional<TokenId> longest;
    std::size_t end = at;
    Trie::Node node = Trie::kRoot;
    std::size_t i = at;
    bool open = false;  // a token goes on past the end of what is forced
    for (;; ++i) {
      if (const auto ids = trie.at(node); !ids.empty() && i > at) {
        longest = ids.front();
        end = i;
      }
      if (i == text.size()) {
        open = !trie.is_leaf(node);
        break;
      }
      node = trie.child(node, static_cast<std::uint8_t>(text[i]));
      if (node == Trie::kRoot) break;
    }
    if (open || !longest) break;
    tokens.push_back(*longest);
    at = end;
  }
  return tokens;
}

}  // namespace weir
