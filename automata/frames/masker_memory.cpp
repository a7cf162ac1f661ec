// Masks remembered by state: written again without being found again, and as one set once they are asked often.
#include <algorithm>

#include "frames/masker.hpp"

namespace weir {
namespace {

// More than this is of no use: it would not fit into a processor's caches.
constexpr std::size_t kMaxRememberedBytes = std::size_t{16} << 20U;
constexpr std::size_t kMaxTakenBytes = std::size_t{4} << 20U;
constexpr std::size_t kMaxPieceBytes = std::size_t{32} << 20U;
// A mask of a set and more ids than this that was asked again so often becomes one set.
constexpr std::uint32_t kManyIds = 64;
constexpr std::uint8_t kOften = 2;

// Room for so many more elements of a list that may have `most`; false: there is none.
template <class Element>
bool make_room(std::vector<Element>& list, std::size_t more, std::size_t most) {
  const std::size_t needed = list.size() + more;
  if (needed <= list.capacity()) return true;
  if (needed > most) return false;
  list.reserve(std::min(most, std::max(needed, 2 * list.capacity())));
  return true;
}

}  // namespace

void Masker::fill(StateId s, std::span<std::uint32_t> words) {
  if (Remembered* known = remembered_.find(s)) {
    Remembered& r = *known;
    complete_ = r.complete;
    if (r.ids > kManyIds && ++r.asked == kOften) condense(r);
    write(std::span(remembered_sets_).subspan(r.first_set, r.sets),
          std::span(remembered_ids_).subspan(r.first_id, r.ids), words);
    return;
  }
  compute(s);
  write(sets_, ids_, words);
  // Until here the mask may have needed all of them at once.
  if (piece_bytes_ > most_piece_bytes_) return forget_pieces();
  remember(s);
}

void Masker::write(std::span<const TokenSet* const> sets, std::span<const TokenId> ids,
                   std::span<std::uint32_t> words) const {
  if (sets.empty()) {
    std::fill(words.begin(), words.end(), 0);
  } else {
    sets.front()->copy_into(words);
    for (const TokenSet* set : sets.subspan(1)) set->or_into(words);
  }
  for (const TokenId t : ids) set_bit(words, t);
  if (complete_) {
    for (const TokenId t : tables_.vocabulary->eos()) set_bit(words, t);
  }
}

void Masker::remember(StateId s) {
  // The rest belongs to remembered_ and condensed_.
  const auto fits = [&] {
    return make_room(remembered_ids_, ids_.size(), most_remembered_bytes_ / 2 / sizeof(TokenId)) &&
           make_room(remembered_sets_, sets_.size() + 1, most_remembered_bytes_ / 8 / sizeof(void*));
  };
  if (!fits()) {
    forget_remembered();
    if (!fits()) return;
  }
  remembered_.put(
      s,
      {static_cast<std::uint32_t>(remembered_sets_.size()), static_cast<std::uint32_t>(sets_.size()),
       static_cast<std::uint32_t>(remembered_ids_.size()), static_cast<std::uint32_t>(ids_.size()), 0, complete_},
      store_.size());
  remembered_sets_.insert(remembered_sets_.end(), sets_.begin(), sets_.end());
  remembered_ids_.insert(remembered_ids_.end(), ids_.begin(), ids_.end());
}

// States differ in what follows more often than their masks do: equal ones share the set.
void Masker::condense(Remembered& r) {
  const auto sets = [&](const Remembered& of) { return std::span(remembered_sets_).subspan(of.first_set, of.sets); };
  const auto ids = [&](const Remembered& of) { return std::span(remembered_ids_).subspan(of.first_id, of.ids); };
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t w) {
    hash = (hash ^ w) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29U;
  };
  for (const TokenSet* set : sets(r)) mix(reinterpret_cast<std::uint64_t>(set));
  for (const TokenId t : ids(r)) mix(t);
  const auto [it, fresh] = condensed_.try_emplace(hash);
  Condensed& condensed = it->second;
  if (!fresh) {
    if (!std::ranges::equal(sets(condensed.from), sets(r)) || !std::ranges::equal(ids(condensed.from), ids(r))) return;
  } else {
    const std::size_t words = tables_.vocabulary->mask_words();
    if (condensed_.size() * words * sizeof(std::uint32_t) > most_remembered_bytes_ / 8) {
      condensed_.erase(it);
      return;
    }
    std::vector<std::uint32_t> bits(words);
    for (const TokenSet* set : sets(r)) set->or_into(bits);
    for (const TokenId t : ids(r)) set_bit(bits, t);
    condensed.from = r;
    condensed.set = std::make_unique<TokenSet>(TokenSet::dense(std::move(bits)));
  }
  r.first_set = static_cast<std::uint32_t>(remembered_sets_.size());
  r.sets = 1;
  r.ids = 0;
  remembered_sets_.push_back(condensed.set.get());
}

void Masker::forget_remembered() {
  remembered_.clear();
  prepared_.clear();
  remembered_sets_.clear();
  remembered_ids_.clear();
  condensed_.clear();
}

void Masker::forget_taken() {
  taken_.clear();
  taken_index_.clear();
  taken_below_.clear();
  taken_nodes_ = 0;
}

void Masker::forget_states() {
  runs_.clear();
  run_ids_.clear();
  run_at_.clear();
  forget_pieces();
  forget_taken();
}

void Masker::set_max_bytes(std::size_t bytes) {
  // A memory is dropped when it is full, by one entry more than fits.
  bytes -= std::min(bytes, bytes / 16 + kKnownFrames * sizeof(KnownFrame));
  most_piece_bytes_ = std::min(kMaxPieceBytes, bytes / 2);
  const std::size_t remembered = std::min(kMaxRememberedBytes, rules_ ? bytes / 8 * 3 : bytes / 2);
  if (remembered != most_remembered_bytes_) {
    most_remembered_bytes_ = remembered;
    forget_remembered();
    remembered_ids_ = {};
    remembered_sets_ = {};
    remembered_.limit(remembered / 4);
  }
  const std::size_t taken = std::min(kMaxTakenBytes, bytes / 8);
  if (taken != most_taken_bytes_) {
    most_taken_bytes_ = taken;
    forget_taken();
    taken_index_.limit(taken / 2);
  }
}

std::size_t Masker::memory_bytes() const noexcept {
  return piece_bytes_ + condensed_.size() * tables_.vocabulary->mask_words() * sizeof(std::uint32_t) +
         remembered_.memory_bytes() + remembered_sets_.capacity() * sizeof(void*) +
         remembered_ids_.capacity() * sizeof(TokenId) + taken_index_.memory_bytes() +
         taken_nodes_ * sizeof(Trie::Node) + known_frames_.capacity() * sizeof(KnownFrame);
}

}  // namespace weir
