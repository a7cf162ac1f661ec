#include "weir/automata/matcher.hpp"

#include <algorithm>

#include "compiled_grammar.hpp"
#include "match/sequence.hpp"

namespace weir {

struct Matcher::Impl {
  const Vocabulary& vocabulary() const noexcept { return *sequence->data.tables->vocabulary; }
  StateId state() const noexcept { return history.back(); }
  bool usable() const noexcept { return !terminated && !sequence->error; }

  // Walks bytes from the current state into sequence->current; true if all of them fit.
  bool walk(std::string_view text, std::size_t* consumed) const {
    Items& items = sequence->current;
    Items& next = sequence->next;
    const auto start = sequence->store.items(state());
    items.assign(start.begin(), start.end());
    for (std::size_t i = 0; i < text.size(); ++i) {
      next.clear();
      sequence->stepper.step(items, static_cast<std::uint8_t>(text[i]), next);
      if (next.empty()) {
        if (consumed != nullptr) *consumed = i;
        return false;
      }
      if (next.size() > 1) {
        std::sort(next.begin(), next.end());
        next.erase(std::unique(next.begin(), next.end()), next.end());
      }
      items.swap(next);
    }
    if (consumed != nullptr) *consumed = text.size();
    return true;
  }

  bool accept_text(std::string_view text, std::size_t* consumed) {
    if (!walk(text, consumed)) return false;
    const StateId s = sequence->store.intern(sequence->current);
    sequence->check();
    if (sequence->error) return false;
    history.push_back(s);
    return true;
  }

  std::shared_ptr<CompiledGrammarData> grammar;
  std::shared_ptr<Sequence> sequence;
  std::vector<StateId> history;  // the state before each accepted token, and the current one
  bool terminated = false;       // the last history entry is an end-of-sequence token
};

Matcher::Matcher(const CompiledGrammar& grammar) : impl_(std::make_unique<Impl>()) {
  impl_->grammar = grammar.data_;
  impl_->sequence = SequencePool::take(grammar.data_);
  impl_->history.push_back(impl_->sequence->stepper.start());
  impl_->sequence->check();
}
Matcher::Matcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;

void Matcher::fill_mask(std::span<std::uint32_t> mask) {
  const auto words = mask.first(impl_->vocabulary().mask_words());
  if (impl_->usable()) {
    impl_->sequence->masker.fill(impl_->state(), words);
    impl_->sequence->check();
  }
  if (!impl_->usable()) std::fill(words.begin(), words.end(), 0);
  std::fill(mask.begin() + static_cast<std::ptrdiff_t>(words.size()), mask.end(), 0);
}

void Matcher::fill_mask_plain(std::span<std::uint32_t> mask) {
  std::fill(mask.begin(), mask.end(), 0);
  for (TokenId t = 0; t < impl_->vocabulary().size(); ++t) {
    if (allows(t)) set_bit(mask, t);
  }
}

bool Matcher::allows(TokenId t) {
  const Vocabulary& vocabulary = impl_->vocabulary();
  if (!impl_->usable() || t >= vocabulary.size()) return false;
  if (vocabulary.is_eos(t)) return is_accepting();
  if (vocabulary.kind(t) != TokenKind::kText || vocabulary.token(t).empty()) return false;
  return impl_->walk(vocabulary.token(t), nullptr);
}

bool Matcher::accept(TokenId t) {
  const Vocabulary& vocabulary = impl_->vocabulary();
  if (!impl_->usable() || t >= vocabulary.size()) return false;
  if (vocabulary.is_eos(t)) {
    if (!is_accepting()) return false;
    impl_->history.push_back(impl_->state());
    impl_->terminated = true;
    return true;
  }
  if (vocabulary.kind(t) != TokenKind::kText || vocabulary.token(t).empty()) return false;
  return impl_->accept_text(vocabulary.token(t), nullptr);
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
  return impl_->usable() && impl_->accept_text(text, consumed);
}

void Matcher::rollback(std::size_t n) {
  n = std::min(n, history_length());
  if (n == 0) return;
  impl_->terminated = false;
  impl_->history.resize(impl_->history.size() - n);
}

std::size_t Matcher::history_length() const noexcept { return impl_->history.size() - 1; }

Matcher Matcher::fork() const { return Matcher(std::make_unique<Impl>(*impl_)); }

Matcher Matcher::clone() const {
  auto copy = std::make_unique<Impl>(*impl_);
  copy->sequence = SequencePool::make(impl_->grammar);
  copy->sequence->store = impl_->sequence->store;
  copy->sequence->error = impl_->sequence->error;
  return Matcher(std::move(copy));
}

void Matcher::reset() { rollback(history_length()); }

bool Matcher::is_accepting() const {
  return !impl_->sequence->error && impl_->sequence->stepper.may_complete(impl_->state());
}
bool Matcher::is_terminated() const noexcept { return impl_->terminated; }
const Vocabulary& Matcher::vocabulary() const noexcept { return impl_->vocabulary(); }
const void* Matcher::sequence_id() const noexcept { return impl_->sequence.get(); }
StateId Matcher::state() const noexcept { return impl_->state(); }
std::size_t Matcher::memory_bytes() const noexcept {
  return impl_->sequence->memory_bytes() + impl_->history.capacity() * sizeof(StateId);
}
const std::optional<Error>& Matcher::error() const noexcept { return impl_->sequence->error; }

ByteSet Matcher::next_bytes() {
  ByteSet out;
  if (!impl_->usable()) return out;
  Sequence& sequence = *impl_->sequence;
  const auto items = sequence.store.items(impl_->state());
  sequence.current.assign(items.begin(), items.end());
  sequence.stepper.first_bytes(sequence.current).for_each([&](std::uint8_t b) {
    sequence.next.clear();
    sequence.stepper.step(sequence.current, b, sequence.next);
    if (!sequence.next.empty()) out.insert(b);
  });
  return out;
}

std::string Matcher::forced_bytes(std::size_t limit) {
  std::string forced;
  if (!impl_->usable()) return forced;
  const std::size_t before = impl_->history.size();
  while (forced.size() < limit && !is_accepting()) {
    const ByteSet bytes = next_bytes();
    if (bytes.size() != 1) break;
    char only = 0;
    bytes.for_each([&](std::uint8_t b) { only = static_cast<char>(b); });
    if (!impl_->accept_text({&only, 1}, nullptr)) break;
    forced.push_back(only);
  }
  impl_->history.resize(before);
  return forced;
}

std::vector<TokenId> Matcher::forced_tokens() {
  const std::string text = forced_bytes();
  const Trie& trie = impl_->sequence->data.tables->tokens;
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
