#include "rule_automaton.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <map>
#include <span>
#include <utility>

namespace weir::detail {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// --- bodies to automata with empty moves

class AutomatonBuilder {
 public:
  AutomatonBuilder(BodyPool& pool, ExprArena& expressions, const BodyFacts& nullable, RuleBudget& budget)
      : pool_(pool), expressions_(expressions), nullable_(nullable), budget_(budget) {}

  MovingAutomaton build(BodyId body) {
    const std::uint32_t start = new_state();
    const std::uint32_t end = new_state();
    out_.states[end].accepting = true;
    work_.push_back({body, start, end});
    while (!work_.empty() && !budget_.exceeded) {
      const Task task = work_.back();
      work_.pop_back();
      build_part(task);
    }
    return std::move(out_);
  }

 private:
  // Connect `from` to `to` so that exactly the texts of `body` lead from one to the other.
  struct Task {
    BodyId body;
    std::uint32_t from;
    std::uint32_t to;
  };

  std::uint32_t new_state() {
    if (out_.states.size() > budget_.states) budget_.exceeded = true;
    return out_.add_state();
  }
  void move(std::uint32_t from, std::uint32_t to) { out_.states[from].moves.push_back(to); }

  void build_part(const Task& task) {
    const Body body = pool_[task.body];
    auto& edges = out_.states[task.from].edges;
    switch (body.kind) {
      case BodyKind::kExpression: {
        if (expressions_.nullable(body.id)) move(task.from, task.to);
        const ExprId rest = pool_.without_empty(body.id);
        if (rest != kEmptyExpr) edges.push_back({{Symbol::Kind::kExpression, rest}, task.to});
        break;
      }
      case BodyKind::kReference:
        if (nullable_.rule[body.id]) move(task.from, task.to);
        edges.push_back({{Symbol::Kind::kRule, body.id}, task.to});
        break;
      case BodyKind::kSequence: {
        std::uint32_t from = task.from;
        const auto parts = pool_.parts(task.body);
        for (std::size_t i = 0; i < parts.size(); ++i) {
          const std::uint32_t to = i + 1 == parts.size() ? task.to : new_state();
          work_.push_back({parts[i], from, to});
          from = to;
        }
        break;
      }
      case BodyKind::kChoice:
        for (const BodyId part : pool_.parts(task.body)) work_.push_back({part, task.from, task.to});
        break;
      case BodyKind::kRepeat: build_repeat(task, body); break;
    }
  }

  void build_repeat(const Task& task, const Body& body) {
    const BodyId part = pool_.parts(task.body).front();
    // x{m,n} with a nullable x is x{0,n}.
    const std::uint32_t min = nullable_.body[part] ? 0 : body.min;
    std::uint32_t from = task.from;
    // A loop needs a state of its own: an edge back to task.from would let other parts see the loop.
    const auto copy = [&] {
      const std::uint32_t to = new_state();
      work_.push_back({part, from, to});
      from = to;
    };
    for (std::uint32_t i = 0; i < min && !budget_.exceeded; ++i) copy();
    if (body.max == kUnbounded) {
      const std::uint32_t loop = new_state();
      move(from, loop);
      work_.push_back({part, loop, loop});
      move(loop, task.to);
      return;
    }
    for (std::uint32_t i = min; i < body.max && !budget_.exceeded; ++i) {
      move(from, task.to);
      copy();
    }
    move(from, task.to);
  }

  BodyPool& pool_;
  ExprArena& expressions_;
  const BodyFacts& nullable_;
  RuleBudget& budget_;
  MovingAutomaton out_;
  std::vector<Task> work_;
};

// --- empty-move removal and subset construction

// All states that `seeds` reach by empty moves, ascending.
class Closure {
 public:
  Closure(const MovingAutomaton& automaton, RuleBudget& budget)
      : automaton_(automaton), budget_(budget), stamp_(automaton.states.size()) {}

  std::vector<std::uint32_t> of(std::vector<std::uint32_t> found) {
    ++current_;
    std::erase_if(found, [&](std::uint32_t s) { return std::exchange(stamp_[s], current_) == current_; });
    for (std::size_t i = 0; i < found.size() && !budget_.exceeded; ++i) {
      const auto& moves = automaton_.states[found[i]].moves;
      budget_.take(&RuleBudget::work, 1 + moves.size());
      for (const std::uint32_t to : moves) {
        if (std::exchange(stamp_[to], current_) != current_) found.push_back(to);
      }
    }
    // Only states with edges or acceptance tell two closures apart.
    std::erase_if(
        found, [&](std::uint32_t s) { return automaton_.states[s].edges.empty() && !automaton_.states[s].accepting; });
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  const MovingAutomaton& automaton_;
  RuleBudget& budget_;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t current_ = 0;
};

// Subsets of states as states. `deterministic` false makes one state of each closure of a single target instead: no
// more states than there were, and still the same language.
class SubsetConstruction {
 public:
  SubsetConstruction(const MovingAutomaton& automaton, bool deterministic, std::size_t max_states, RuleBudget& budget)
      : automaton_(automaton),
        deterministic_(deterministic),
        max_states_(max_states),
        budget_(budget),
        closure_(automaton, budget) {}

  // False when max_states did not suffice.
  bool run(RuleAutomaton& out) {
    state_of({0});
    for (std::size_t i = 0; i < subsets_.size() && !budget_.exceeded; ++i) {
      if (subsets_.size() > max_states_) return false;
      expand(static_cast<std::uint32_t>(i));
    }
    out.states = std::move(states_);
    return true;
  }

 private:
  std::uint32_t state_of(std::vector<std::uint32_t> seeds) {
    std::vector<std::uint32_t> subset = closure_.of(std::move(seeds));
    const auto [found, inserted] = index_.emplace(std::move(subset), static_cast<std::uint32_t>(states_.size()));
    if (inserted) {
      subsets_.push_back(&found->first);
      states_.emplace_back();
      states_.back().accepting =
          std::any_of(found->first.begin(), found->first.end(), [&](auto s) { return automaton_.states[s].accepting; });
    }
    return found->second;
  }

  void expand(std::uint32_t from) {
    std::vector<RuleEdge> edges;
    for (const std::uint32_t s : *subsets_[from]) {
      const auto& more = automaton_.states[s].edges;
      if (!budget_.take(&RuleBudget::work, more.size())) return;
      edges.insert(edges.end(), more.begin(), more.end());
    }
    const auto order = [](const RuleEdge& a, const RuleEdge& b) {
      return std::pair(a.symbol, a.target) < std::pair(b.symbol, b.target);
    };
    std::sort(edges.begin(), edges.end(), order);
    std::vector<RuleEdge> made;
    for (std::size_t i = 0; i < edges.size();) {
      std::vector<std::uint32_t> targets{edges[i].target};
      std::size_t end = i + 1;
      for (; deterministic_ && end < edges.size() && edges[end].symbol == edges[i].symbol; ++end) {
        targets.push_back(edges[end].target);
      }
      made.push_back({edges[i].symbol, state_of(std::move(targets))});
      i = end;
    }
    std::sort(made.begin(), made.end(), order);
    const auto same = [](const RuleEdge& a, const RuleEdge& b) { return a.symbol == b.symbol && a.target == b.target; };
    made.erase(std::unique(made.begin(), made.end(), same), made.end());
    budget_.take(&RuleBudget::work, made.size());
    states_[from].edges = std::move(made);
  }

  const MovingAutomaton& automaton_;
  const bool deterministic_;
  const std::size_t max_states_;
  RuleBudget& budget_;
  Closure closure_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> index_;
  std::vector<const std::vector<std::uint32_t>*> subsets_;
  std::vector<RuleState> states_;
};

// --- post-processing

// A start that nothing leads back to and that does not accept.
void isolate_start(RuleAutomaton& automaton) {
  const bool entered = std::any_of(automaton.states.begin(), automaton.states.end(), [](const RuleState& state) {
    return std::any_of(state.edges.begin(), state.edges.end(), [](const RuleEdge& edge) { return edge.target == 0; });
  });
  if (entered) {
    const auto old = static_cast<std::uint32_t>(automaton.states.size());
    automaton.states.push_back(automaton.states[0]);
    for (RuleState& state : automaton.states) {
      for (RuleEdge& edge : state.edges) {
        if (edge.target == 0) edge.target = old;
      }
    }
  }
  automaton.states[0].accepting = false;
}

// Rewrites the automaton to the states for which block_of is not kNone, merged by block; block 0 holds the start.
void quotient(RuleAutomaton& automaton, std::span<const std::uint32_t> block_of, std::size_t blocks) {
  std::vector<RuleState> states(blocks);
  std::vector<bool> done(blocks);
  for (std::size_t s = 0; s < automaton.states.size(); ++s) {
    const std::uint32_t block = block_of[s];
    if (block == kNone || done[block]) continue;
    done[block] = true;
    states[block] = std::move(automaton.states[s]);
    auto& edges = states[block].edges;
    std::erase_if(edges, [&](const RuleEdge& edge) { return block_of[edge.target] == kNone; });
    for (RuleEdge& edge : edges) edge.target = block_of[edge.target];
    std::sort(edges.begin(), edges.end(), [](const RuleEdge& a, const RuleEdge& b) {
      return std::pair(a.symbol, a.target) < std::pair(b.symbol, b.target);
    });
    const auto same = [](const RuleEdge& a, const RuleEdge& b) { return a.symbol == b.symbol && a.target == b.target; };
    edges.erase(std::unique(edges.begin(), edges.end(), same), edges.end());
  }
  automaton.states = std::move(states);
}

// Moore's refinement, by the signature (own block, edges with the blocks of their targets). For automata that are not
// deterministic it still merges only equivalent states. Gives up, merging nothing, when it would take too long: that
// happens only for long chains of counted repetition, which have nothing to merge.
void minimise(RuleAutomaton& automaton) {
  constexpr std::size_t kMaxSteps = 8U << 20U;
  const std::size_t size = automaton.states.size();
  std::vector<std::uint32_t> block_of(size);
  for (std::size_t s = 1; s < size; ++s) block_of[s] = automaton.states[s].accepting ? 2 : 1;
  std::size_t blocks = 0;
  std::size_t steps = 0;
  using Step = std::pair<Symbol, std::uint32_t>;
  std::vector<Step> flat;  // the signatures, one behind the other
  std::vector<std::size_t> begin(size + 1);
  std::vector<std::uint32_t> order(size);
  const auto signature = [&](std::uint32_t s) {
    return std::span<const Step>(flat).subspan(begin[s], begin[s + 1] - begin[s]);
  };
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    if (block_of[a] != block_of[b]) return block_of[a] <=> block_of[b];
    const auto left = signature(a);
    const auto right = signature(b);
    return std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(), right.end());
  };
  for (;;) {
    flat.clear();
    for (std::uint32_t s = 0; s < size; ++s) {
      begin[s] = flat.size();
      for (const RuleEdge& edge : automaton.states[s].edges) flat.emplace_back(edge.symbol, block_of[edge.target]);
      const auto first = flat.begin() + static_cast<std::ptrdiff_t>(begin[s]);
      std::sort(first, flat.end());
      flat.erase(std::unique(first, flat.end()), flat.end());
      order[s] = s;
    }
    begin[size] = flat.size();
    // State 0, alone in block 0, sorts first and stays in block 0.
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return compare(a, b) < 0; });
    std::vector<std::uint32_t> next(size);
    std::uint32_t last = 0;
    for (std::size_t i = 1; i < size; ++i) {
      if (compare(order[i - 1], order[i]) != 0) ++last;
      next[order[i]] = last;
    }
    block_of = std::move(next);
    steps += size + flat.size();
    if (last + 1 == blocks) break;
    blocks = last + 1;
    if (blocks == size || steps > kMaxSteps) return;
  }
  quotient(automaton, block_of, blocks);
}

}  // namespace

MovingAutomaton build_automaton(BodyPool& pool, ExprArena& expressions, const BodyFacts& nullable, BodyId body,
                                RuleBudget& budget) {
  return AutomatonBuilder(pool, expressions, nullable, budget).build(body);
}

RuleAutomaton determinise(const MovingAutomaton& automaton, RuleBudget& budget) {
  // Subsets may be exponentially many; past this multiple the automaton stays as it is, without empty moves.
  constexpr std::size_t kMaxGrowth = 4;
  constexpr std::size_t kSmall = 256;
  RuleAutomaton out;
  const std::size_t max_states = kSmall + kMaxGrowth * automaton.states.size();
  if (!SubsetConstruction(automaton, true, max_states, budget).run(out)) {
    SubsetConstruction(automaton, false, std::numeric_limits<std::size_t>::max(), budget).run(out);
  }
  if (budget.exceeded) return out;
  isolate_start(out);
  prune(out, [](const RuleEdge&) { return true; });
  minimise(out);
  budget.take(&RuleBudget::states, out.states.size());
  for (const RuleState& state : out.states) budget.take(&RuleBudget::edges, state.edges.size());
  return out;
}

void prune(RuleAutomaton& automaton, const std::function<bool(const RuleEdge&)>& keep) {
  const std::size_t size = automaton.states.size();
  std::vector<std::vector<std::uint32_t>> sources(size);
  std::vector<std::uint32_t> work;
  std::vector<bool> ends(size);
  for (std::uint32_t s = 0; s < size; ++s) {
    std::erase_if(automaton.states[s].edges, [&](const RuleEdge& edge) { return !keep(edge); });
    for (const RuleEdge& edge : automaton.states[s].edges) sources[edge.target].push_back(s);
    if (automaton.states[s].accepting) {
      ends[s] = true;
      work.push_back(s);
    }
  }
  while (!work.empty()) {
    const std::uint32_t s = work.back();
    work.pop_back();
    for (const std::uint32_t source : sources[s]) {
      if (ends[source]) continue;
      ends[source] = true;
      work.push_back(source);
    }
  }
  // Numbered breadth first from the start, so that equal automata look equal.
  std::vector<std::uint32_t> number(size, kNone);
  std::vector<std::uint32_t> order{0};
  number[0] = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const RuleEdge& edge : automaton.states[order[i]].edges) {
      if (!ends[edge.target] || number[edge.target] != kNone) continue;
      number[edge.target] = static_cast<std::uint32_t>(order.size());
      order.push_back(edge.target);
    }
  }
  quotient(automaton, number, order.size());
}

void merge_parallel_expressions(RuleAutomaton& automaton, ExprArena& expressions) {
  for (RuleState& state : automaton.states) {
    std::map<std::uint32_t, std::vector<ExprId>> by_target;
    for (const RuleEdge& edge : state.edges) {
      if (edge.symbol.kind == Symbol::Kind::kExpression) by_target[edge.target].push_back(edge.symbol.id);
    }
    std::erase_if(state.edges, [&](const RuleEdge& edge) {
      return edge.symbol.kind == Symbol::Kind::kExpression && by_target[edge.target].size() > 1;
    });
    for (const auto& [target, symbols] : by_target) {
      if (symbols.size() == 1) continue;
      state.edges.push_back({{Symbol::Kind::kExpression, expressions.alternate(symbols)}, target});
    }
  }
}

}  // namespace weir::detail
