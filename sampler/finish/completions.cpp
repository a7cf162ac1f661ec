#include <algorithm>
#include <bit>
#include <deque>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "finish/speller.hpp"
#include "weir/sampler/completion.hpp"

namespace weir {
namespace {

// How a state's text is completed: by `step`, then as `next` is.
struct Plan {
  std::size_t bytes = 0;  // in all
  bool exact = false;     // there is no shorter way
  std::string step;       // empty: the state is accepting
  StateId next = 0;
};

// A state that a search by bytes has reached.
struct Node {
  Matcher matcher;
  std::size_t bytes;   // from where the search began
  std::size_t parent;  // index of a node
  std::string step;    // from the parent
};

struct Entry {
  std::size_t bytes;  // to the node, and on to the end where that is known
  std::size_t node;
  bool operator<(const Entry& other) const noexcept {  // std::priority_queue gives the greatest
    return bytes != other.bytes ? bytes > other.bytes : node > other.node;
  }
};

}  // namespace

struct Completions::Impl {
  Impl(const Vocabulary& given, const CompletionLimits& most) : vocabulary(given), limits(most), speller(given) {}

  void follow(const Matcher& matcher);
  // The states were numbered anew: what is known by their numbers is worth nothing.
  bool moved(const Matcher& matcher) const noexcept { return matcher.state_epoch() != epoch; }
  Result<std::string> complete(const Matcher& matcher, bool exact);
  Status search_shortest(const Matcher& from);
  Status search_any(const Matcher& from);
  void remember(const std::deque<Node>& nodes, std::size_t end, std::size_t rest, bool exact);
  std::string written(StateId state) const;
  Reach search_tokens(const Matcher& from, std::size_t most);
  void spell(const Matcher& matcher, std::size_t most);
  void remember_enough(StateId state, std::size_t tokens);

  const Vocabulary& vocabulary;
  CompletionLimits limits;
  Speller speller;
  std::optional<Matcher> anchor;  // keeps the sequence whose states these are
  std::uint32_t epoch = 0;
  std::unordered_map<StateId, Plan> plans;
  std::unordered_map<StateId, std::size_t>
      enough;                         // so many tokens complete the text, on a way whose states are here too
  std::unordered_set<StateId> spelt;  // the states whose own short completion was looked at
  std::unordered_map<StateId, std::size_t> too_few;  // so many do not
  std::unordered_map<StateId, std::size_t> unknown;  // whether so many do was not found out
};

void Completions::Impl::follow(const Matcher& matcher) {
  if (anchor && anchor->sequence_id() == matcher.sequence_id() && !moved(matcher)) return;
  anchor = matcher.fork();
  epoch = matcher.state_epoch();
  plans.clear();
  enough.clear();
  spelt.clear();
  too_few.clear();
  unknown.clear();
}

// From the search's beginning to `end`, which is `rest` bytes from the end of a text.
void Completions::Impl::remember(const std::deque<Node>& nodes, std::size_t end, std::size_t rest, bool exact) {
  const std::size_t total = nodes[end].bytes + rest;
  for (std::size_t at = end; at != 0; at = nodes[at].parent) {
    const Node& parent = nodes[nodes[at].parent];
    Plan& plan = plans[parent.matcher.state()];
    plan = {total - parent.bytes, exact, nodes[at].step, nodes[at].matcher.state()};
  }
}

enum class Ways : std::uint8_t {
  kAll,
  kSimple,  // some of them: every way has an end, so any will do
};

// Of many ways on, those that close something and a few others: no escapes and nothing but ASCII, which have few
// states.
ByteSet simple(const ByteSet& all) {
  constexpr int kMany = 16;
  if (all.size() <= kMany) {
    ByteSet plain = all;
    plain.erase('\\');
    return plain.empty() ? all : plain;
  }
  ByteSet bytes;
  for (const char c : std::string_view("\"'}])>,.; \n0a")) {
    if (all.contains(static_cast<std::uint8_t>(c))) bytes.insert(static_cast<std::uint8_t>(c));
  }
  return bytes.empty() ? all : bytes;
}

// Calls reached(matcher, bytes) for each way on from the matcher: all forced bytes at once, else byte by byte. The
// matcher given is the one that went there; it is taken back afterwards.
template <class Reached>
void each_way(Matcher& matcher, Ways ways, Reached reached) {
  const std::string forced = matcher.forced_bytes();
  if (forced.size() > 1) {
    if (!matcher.accept_bytes(forced)) return;
    reached(matcher, std::string_view(forced));
    matcher.rollback(1);
    return;
  }
  const ByteSet bytes = ways == Ways::kAll ? matcher.next_bytes() : simple(matcher.next_bytes());
  bytes.for_each([&](std::uint8_t b) {
    const char byte = static_cast<char>(b);
    if (!matcher.accept_bytes({&byte, 1})) return;
    reached(matcher, std::string_view(&byte, 1));
    matcher.rollback(1);
  });
}

Status too_many_states(std::size_t count) {
  return make_error(ErrorCode::kLimit, fmt::format("the search for a completion visited {} states: raise "
                                                   "CompletionLimits::max_states",
                                                   count));
}

Status no_room() {
  return make_error(ErrorCode::kLimit,
                    "the search for a completion needs more memory than its sequence has: raise "
                    "Limits::max_sequence_bytes, or lower CompletionLimits::max_states");
}

// Dijkstra's algorithm, to the nearest end or to a state whose exact distance is known.
Status Completions::Impl::search_shortest(const Matcher& from) {
  std::deque<Node> nodes;
  std::unordered_map<StateId, std::size_t> reached;  // in so many bytes
  std::priority_queue<Entry> queue;
  const auto add = [&](const Matcher& matcher, std::size_t bytes, std::size_t parent, std::string_view step) {
    const StateId state = matcher.state();
    const auto [at, is_new] = reached.try_emplace(state, bytes);
    if (!is_new && at->second <= bytes) return;
    at->second = bytes;
    if (matcher.is_accepting()) plans[state] = {0, true, "", 0};
    const auto plan = plans.find(state);
    const std::size_t rest = plan != plans.end() && plan->second.exact ? plan->second.bytes : 0;
    nodes.push_back({matcher.fork(), bytes, parent, std::string(step)});
    queue.push({bytes + rest, nodes.size() - 1});
  };
  add(from, 0, 0, "");
  while (!queue.empty()) {
    const std::size_t at = queue.top().node;
    queue.pop();
    if (moved(from)) return no_room();
    Node& node = nodes[at];
    if (node.bytes > reached[node.matcher.state()]) continue;  // found again by a shorter way
    const auto plan = plans.find(node.matcher.state());
    if (plan != plans.end() && plan->second.exact) {
      remember(nodes, at, plan->second.bytes, /*exact=*/true);
      return ok_status();
    }
    if (nodes.size() > limits.max_states) return too_many_states(nodes.size());
    each_way(node.matcher, Ways::kAll,
             [&](const Matcher& next, std::string_view step) { add(next, node.bytes + step.size(), at, step); });
    if (node.matcher.error()) return *node.matcher.error();
  }
  return make_error(ErrorCode::kInvalid, "nothing completes the text");
}

// Breadth first, to the nearest end or to any state that something is known about; of many states on one level the ones
// with the fewest and with the most ways on: what is forced leads on, and so does what may be repeated.
Status Completions::Impl::search_any(const Matcher& from) {
  constexpr std::size_t kWidth = 16;
  std::deque<Node> nodes;
  std::unordered_set<StateId> reached;
  std::vector<std::size_t> level;
  std::vector<std::size_t> next_level;
  std::optional<std::size_t> end;
  const auto rest_of = [&](std::size_t at) { return plans.at(nodes[at].matcher.state()).bytes; };
  const auto add = [&](const Matcher& matcher, std::size_t bytes, std::size_t parent, std::string_view step) {
    const StateId state = matcher.state();
    if (!reached.insert(state).second) return;
    if (matcher.is_accepting()) plans[state] = {0, true, "", 0};
    nodes.push_back({matcher.fork(), bytes, parent, std::string(step)});
    const std::size_t at = nodes.size() - 1;
    if (!plans.contains(state)) {
      next_level.push_back(at);
    } else if (!end || bytes + rest_of(at) < nodes[*end].bytes + rest_of(*end)) {
      end = at;
    }
  };
  add(from, 0, 0, "");
  while (!end && !next_level.empty()) {
    if (moved(from)) return no_room();
    level.swap(next_level);
    next_level.clear();
    if (level.size() > kWidth) {
      std::vector<std::pair<int, std::size_t>> ways;
      ways.reserve(level.size());
      for (const std::size_t at : level) ways.emplace_back(nodes[at].matcher.next_bytes().size(), at);
      std::sort(ways.begin(), ways.end());
      level.clear();
      for (std::size_t i = 0; i < kWidth / 2; ++i) {
        level.push_back(ways[i].second);
        level.push_back(ways[ways.size() - 1 - i].second);
      }
    }
    for (const std::size_t at : level) {
      Node& node = nodes[at];
      each_way(node.matcher, Ways::kSimple,
               [&](const Matcher& next, std::string_view step) { add(next, node.bytes + step.size(), at, step); });
      if (node.matcher.error()) return *node.matcher.error();
    }
    if (nodes.size() > limits.max_states) return too_many_states(nodes.size());
  }
  if (moved(from)) return no_room();
  if (!end) return make_error(ErrorCode::kInvalid, "nothing completes the text");
  remember(nodes, *end, rest_of(*end), /*exact=*/false);
  return ok_status();
}

std::string Completions::Impl::written(StateId state) const {
  std::string text;
  for (const Plan* plan = &plans.at(state); !plan->step.empty(); plan = &plans.at(plan->next)) text += plan->step;
  return text;
}

Result<std::string> Completions::Impl::complete(const Matcher& matcher, bool exact) {
  if (matcher.is_terminated()) return make_error(ErrorCode::kInvalid, "the text has ended: nothing can follow");
  const auto known = plans.find(matcher.state());
  if (known == plans.end() || (exact && !known->second.exact)) {
    const Status found = exact ? search_shortest(matcher) : search_any(matcher);
    if (!found) return found.error();
    if (moved(matcher)) return no_room().error();
  }
  return written(matcher.state());
}

void Completions::Impl::remember_enough(StateId state, std::size_t tokens) {
  const auto [at, is_new] = enough.try_emplace(state, tokens);
  if (!is_new) at->second = std::min(at->second, tokens);
}

// A short completion in the fewest tokens: what each state on the way needs is then known, so that following it step by
// step never runs into a search that gives up.
void Completions::Impl::spell(const Matcher& matcher, std::size_t most) {
  const auto text = complete(matcher, /*exact=*/false);
  // A token for each byte will often do, and needs no search.
  std::optional<std::vector<TokenId>> tokens;
  if (text && text->size() <= most) tokens = speller.by_bytes(*text);
  if (!tokens) {
    spelt.insert(matcher.state());
    if (text) tokens = speller.fewest(*text);
  }
  if (!tokens) return;
  Matcher walker = matcher.fork();
  remember_enough(walker.state(), tokens->size());
  for (std::size_t left = tokens->size(); left > 0 && walker.accept((*tokens)[tokens->size() - left]); --left) {
    if (moved(walker)) return;
    remember_enough(walker.state(), left - 1);
  }
}

Reach Completions::Impl::search_tokens(const Matcher& from, std::size_t most) {
  struct Found {
    Matcher matcher;
    std::size_t parent;
  };
  std::deque<Found> nodes;
  nodes.push_back({from.fork(), 0});
  std::unordered_set<StateId> seen{from.state()};
  std::vector<std::uint32_t> mask(vocabulary.mask_words());
  std::size_t steps = 0;
  std::size_t level = 0;
  for (std::size_t taken = 1; taken <= most && level < nodes.size(); ++taken) {
    for (const std::size_t end = nodes.size(); level < end; ++level) {
      Matcher& matcher = nodes[level].matcher;
      matcher.fill_mask(mask);
      if (moved(from)) return Reach::kUnknown;
      for (std::size_t word = 0; word < mask.size(); ++word) {
        for (std::uint32_t bits = mask[word]; bits != 0; bits &= bits - 1) {
          const auto token = static_cast<TokenId>(word * 32 + static_cast<std::size_t>(std::countr_zero(bits)));
          if (vocabulary.is_eos(token)) continue;
          if (++steps > limits.max_token_steps || !matcher.accept(token) || moved(from)) return Reach::kUnknown;
          const StateId state = matcher.state();
          if (matcher.is_accepting()) remember_enough(state, 0);
          const auto known = enough.find(state);
          const bool ends = known != enough.end() && known->second <= most - taken;
          if (!ends && taken < most && seen.insert(state).second) nodes.push_back({matcher.fork(), level});
          matcher.rollback(1);
          if (!ends) continue;
          std::size_t tokens = known->second + 1;
          for (std::size_t at = level;; at = nodes[at].parent) {
            remember_enough(nodes[at].matcher.state(), tokens++);
            if (at == 0) return Reach::kYes;
          }
        }
      }
    }
  }
  return Reach::kNo;
}

Completions::Completions(const Vocabulary& vocabulary, const CompletionLimits& limits)
    : impl_(std::make_unique<Impl>(vocabulary, limits)) {}
Completions::~Completions() = default;
Completions::Completions(Completions&&) noexcept = default;
Completions& Completions::operator=(Completions&&) noexcept = default;

void Completions::set_limits(const CompletionLimits& limits) noexcept { impl_->limits = limits; }

Result<std::string> Completions::shortest(const Matcher& matcher) {
  impl_->follow(matcher);
  return impl_->complete(matcher, /*exact=*/true);
}

Result<std::string> Completions::any(const Matcher& matcher) {
  impl_->follow(matcher);
  return impl_->complete(matcher, /*exact=*/false);
}

Reach Completions::within(const Matcher& matcher, std::size_t tokens) {
  Impl& self = *impl_;
  self.follow(matcher);
  if (matcher.is_terminated() || matcher.is_accepting()) return Reach::kYes;
  const StateId state = matcher.state();
  if (const auto few = self.too_few.find(state); few != self.too_few.end() && tokens <= few->second) return Reach::kNo;
  const auto is_enough = [&] {
    const auto known = self.enough.find(state);
    return known != self.enough.end() && known->second <= tokens;
  };
  if (!is_enough() && !self.spelt.contains(state)) self.spell(matcher, tokens);
  if (self.moved(matcher)) return Reach::kUnknown;
  if (is_enough()) return Reach::kYes;
  if (const auto asked = self.unknown.find(state); asked != self.unknown.end() && tokens <= asked->second) {
    return Reach::kUnknown;
  }
  const Reach reach = self.search_tokens(matcher, tokens);
  if (self.moved(matcher)) return Reach::kUnknown;
  if (reach == Reach::kNo) self.too_few[state] = tokens;
  if (reach == Reach::kUnknown) self.unknown[state] = tokens;
  return reach;
}

std::optional<std::vector<TokenId>> Completions::fewest_tokens(std::string_view text) {
  return impl_->speller.fewest(text);
}

}  // namespace weir
