#include "ir/byte_automaton.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace weir {
namespace {

constexpr std::uint32_t kNowhere = ByteAutomaton::kNowhere;

// The part of a table that lies between a start and the accepting states.
class Trimmed {
 public:
  Trimmed(const ByteAutomaton& table, std::uint32_t start) : table_(table), width_(table.classes.size()) {
    reach(start);
    if (!live_.empty()) keep_live();
  }
  bool empty() const { return states_.empty(); }
  // The states that are kept; their order is of no meaning. And what they are called here: kNowhere for all others.
  const std::vector<std::uint32_t>& states() const { return states_; }
  std::uint32_t next(std::uint32_t state, std::size_t cls) const {
    const std::uint32_t target = table_.next[states_[state] * width_ + cls];
    return target == kNowhere ? kNowhere : place_[target];
  }
  std::uint32_t place(std::uint32_t state) const { return place_[state]; }
  bool accepting(std::uint32_t state) const { return table_.accepting[states_[state]]; }

 private:
  void reach(std::uint32_t start) {
    std::vector<bool> seen(table_.accepting.size(), false);
    seen[start] = true;
    states_.push_back(start);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // target, source
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const std::uint32_t state = states_[i];
      for (std::size_t c = 0; c < width_; ++c) {
        const std::uint32_t target = table_.next[state * width_ + c];
        if (target == kNowhere) continue;
        edges.emplace_back(target, state);
        if (!seen[target]) states_.push_back(target);
        seen[target] = true;
      }
    }
    std::sort(edges.begin(), edges.end());
    live_.assign(table_.accepting.size(), false);
    std::vector<std::uint32_t> open;
    for (const std::uint32_t state : states_) {
      if (!table_.accepting[state]) continue;
      live_[state] = true;
      open.push_back(state);
    }
    while (!open.empty()) {
      const std::uint32_t state = open.back();
      open.pop_back();
      auto it = std::lower_bound(edges.begin(), edges.end(), std::pair{state, 0U});
      for (; it != edges.end() && it->first == state; ++it) {
        if (!live_[it->second]) open.push_back(it->second);
        live_[it->second] = true;
      }
    }
  }
  void keep_live() {
    std::erase_if(states_, [this](std::uint32_t state) { return !live_[state]; });
    place_.assign(table_.accepting.size(), kNowhere);
    for (std::size_t i = 0; i < states_.size(); ++i) place_[states_[i]] = static_cast<std::uint32_t>(i);
  }

  const ByteAutomaton& table_;
  std::size_t width_;
  std::vector<std::uint32_t> states_;
  std::vector<std::uint32_t> place_;
  std::vector<bool> live_;
};

// A partition of 0..n-1, refined by marking members: Hopcroft 1971, with the sets laid out beside each other.
class Partition {
 public:
  explicit Partition(std::size_t n) : members_(n), place_(n), block_(n, 0), begin_{0}, end_{n}, marked_{0} {
    std::iota(members_.begin(), members_.end(), 0U);
    std::iota(place_.begin(), place_.end(), 0U);
  }
  std::size_t blocks() const { return begin_.size(); }
  std::uint32_t block_of(std::uint32_t member) const { return block_[member]; }
  std::size_t size(std::uint32_t block) const { return end_[block] - begin_[block]; }
  std::vector<std::uint32_t> members(std::uint32_t block) const {
    return {members_.begin() + static_cast<std::ptrdiff_t>(begin_[block]),
            members_.begin() + static_cast<std::ptrdiff_t>(end_[block])};
  }
  void mark(std::uint32_t member) {
    const std::uint32_t block = block_[member];
    const std::size_t to = begin_[block] + marked_[block];
    if (place_[member] < to) return;
    if (marked_[block]++ == 0) touched_.push_back(block);
    std::swap(members_[place_[member]], members_[to]);
    std::swap(place_[member], place_[members_[place_[member]]]);
  }
  // Splits what was marked off each block; calls split(block, new_block).
  template <class Split>
  void split_marked(Split&& split) {
    for (const std::uint32_t block : std::exchange(touched_, {})) {
      const std::size_t count = std::exchange(marked_[block], 0);
      if (count == size(block)) continue;
      const auto fresh = static_cast<std::uint32_t>(blocks());
      begin_.push_back(begin_[block]);
      end_.push_back(begin_[block] + count);
      marked_.push_back(0);
      begin_[block] += count;
      for (std::size_t i = begin_[fresh]; i < end_[fresh]; ++i) block_[members_[i]] = fresh;
      split(block, fresh);
    }
  }

 private:
  std::vector<std::uint32_t> members_;  // each block's beside each other, the marked ones first
  std::vector<std::size_t> place_;
  std::vector<std::uint32_t> block_;
  std::vector<std::size_t> begin_;
  std::vector<std::size_t> end_;
  std::vector<std::size_t> marked_;
  std::vector<std::uint32_t> touched_;
};

// States that accept the same texts share a block. What leads nowhere leads to a state of its own, the last one.
Partition equivalent_states(const Trimmed& trimmed, std::size_t width) {
  const auto sink = static_cast<std::uint32_t>(trimmed.states().size());
  // The states before each state, by class: offsets into one list.
  std::vector<std::vector<std::uint32_t>> offsets(width, std::vector<std::uint32_t>(sink + 2, 0));
  std::vector<std::vector<std::uint32_t>> sources(width, std::vector<std::uint32_t>(sink));
  const auto target_of = [&](std::uint32_t state, std::size_t c) { return std::min(trimmed.next(state, c), sink); };
  for (std::size_t c = 0; c < width; ++c) {
    for (std::uint32_t state = 0; state < sink; ++state) ++offsets[c][target_of(state, c) + 1];
    std::partial_sum(offsets[c].begin(), offsets[c].end(), offsets[c].begin());
    std::vector<std::uint32_t> at(offsets[c].begin(), offsets[c].end() - 1);
    for (std::uint32_t state = 0; state < sink; ++state) sources[c][at[target_of(state, c)]++] = state;
  }
  Partition partition(sink + std::size_t{1});
  std::vector<std::uint32_t> splitters{0};
  std::vector<bool> waiting{true};
  const auto on_split = [&](std::uint32_t block, std::uint32_t fresh) {
    // Of two halves of a block that does not wait itself, the smaller one suffices.
    const bool both = waiting[block];
    const std::uint32_t smaller = partition.size(fresh) <= partition.size(block) ? fresh : block;
    waiting.push_back(false);
    const std::uint32_t added = both ? fresh : smaller;
    waiting[added] = true;
    splitters.push_back(added);
  };
  for (std::uint32_t state = 0; state < sink; ++state) {
    if (trimmed.accepting(state)) partition.mark(state);
  }
  partition.split_marked(on_split);
  while (!splitters.empty()) {
    const std::uint32_t splitter = splitters.back();
    splitters.pop_back();
    waiting[splitter] = false;
    const std::vector<std::uint32_t> members = partition.members(splitter);
    for (std::size_t c = 0; c < width; ++c) {
      for (const std::uint32_t member : members) {
        for (std::uint32_t i = offsets[c][member]; i < offsets[c][member + 1]; ++i) partition.mark(sources[c][i]);
      }
      partition.split_marked(on_split);
    }
  }
  return partition;
}

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15ULL;
  return h ^ (h >> 29U);
}

// Classes whose columns are the same become one; those that lead nowhere go.
void merge_classes(const ByteAutomaton& from, const std::vector<std::uint32_t>& next, std::size_t states,
                   NormalAutomaton& out) {
  const std::size_t width = from.classes.size();
  std::map<std::vector<std::uint32_t>, ByteSet> columns;
  for (std::size_t c = 0; c < width; ++c) {
    if (from.classes[c].empty()) continue;
    std::vector<std::uint32_t> column(states);
    for (std::size_t s = 0; s < states; ++s) column[s] = next[s * width + c];
    if (std::all_of(column.begin(), column.end(), [](std::uint32_t t) { return t == kNowhere; })) continue;
    columns[std::move(column)] |= from.classes[c];
  }
  std::vector<std::pair<ByteSet, const std::vector<std::uint32_t>*>> ordered;
  ordered.reserve(columns.size());
  for (const auto& [column, set] : columns) ordered.emplace_back(set, &column);
  std::sort(ordered.begin(), ordered.end(),
            [](const auto& a, const auto& b) { return a.first.first() < b.first.first(); });
  out.table.next.resize(states * ordered.size());
  out.class_of.fill(static_cast<std::uint16_t>(ordered.size()));
  for (std::size_t c = 0; c < ordered.size(); ++c) {
    const auto& [set, column] = ordered[c];
    out.table.classes.push_back(set);
    out.alphabet |= set;
    set.for_each([&](std::uint8_t b) { out.class_of[b] = static_cast<std::uint16_t>(c); });
    for (std::size_t s = 0; s < states; ++s) out.table.next[s * ordered.size() + c] = (*column)[s];
  }
}

}  // namespace

ByteSet NormalAutomaton::class_at(std::uint32_t state, std::uint8_t b) const {
  const std::uint32_t target = next(state, b);
  ByteSet out;
  if (target == kNowhere) out = alphabet.complement();
  for (std::size_t c = 0; c < width(); ++c) {
    if (table.next[state * width() + c] == target) out |= table.classes[c];
  }
  return out;
}

std::shared_ptr<const NormalAutomaton> normal_automaton(const ByteAutomaton& table, std::uint32_t start) {
  const Trimmed trimmed(table, start);
  if (trimmed.empty() || trimmed.place(start) == kNowhere) return nullptr;
  const std::size_t width = table.classes.size();
  const Partition partition = equivalent_states(trimmed, width);

  // Blocks by breadth first, in the order of the bytes.
  std::vector<std::size_t> order(width);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t c) { return table.classes[c].empty(); });
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return table.classes[a].first() < table.classes[b].first(); });
  std::vector<std::uint32_t> number(partition.blocks(), kNowhere);
  std::vector<std::uint32_t> members{trimmed.place(start)};  // one of each block
  number[partition.block_of(members[0])] = 0;
  std::vector<std::uint32_t> next;
  auto out = std::make_shared<NormalAutomaton>();
  for (std::size_t i = 0; i < members.size(); ++i) {
    out->table.accepting.push_back(trimmed.accepting(members[i]));
    next.resize((i + 1) * width, kNowhere);
    for (const std::size_t c : order) {
      const std::uint32_t target = trimmed.next(members[i], c);
      if (target == kNowhere) continue;
      std::uint32_t& known = number[partition.block_of(target)];
      if (known == kNowhere) {
        known = static_cast<std::uint32_t>(members.size());
        members.push_back(target);
      }
      next[i * width + c] = known;
    }
  }
  merge_classes(table, next, members.size(), *out);
  for (const ByteSet& set : out->table.classes) {
    for (const std::uint64_t word : set.words()) out->hash = mix(out->hash, word);
  }
  for (const std::uint32_t target : out->table.next) out->hash = mix(out->hash, target);
  for (const bool accepts : out->table.accepting) out->hash = mix(out->hash, accepts ? 1 : 0);
  return out;
}

}  // namespace weir
