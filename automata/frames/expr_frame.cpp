#include "frames/expr_frame.hpp"

#include <algorithm>

#include "frames/frame_cache.hpp"
#include "tokens/byte_classes.hpp"

namespace weir {
namespace {

constexpr std::uint32_t kLargeEnd = 4096;   // nodes; ends with so much below are no exits
constexpr std::uint32_t kLargeLoop = 4096;  // nodes; loops with so much below are shared
constexpr int kLargeClasses = 16;           // bytes of a loop that is shared

// What may follow a number or a literal in JSON: signs and white space.
const ByteSet& structural_bytes() {
  static const ByteSet bytes = [] {
    ByteSet set = json_space();
    for (const char c : {',', ']', '}', ':'}) set.insert(static_cast<std::uint8_t>(c));
    return set;
  }();
  return bytes;
}

bool is_within(const ByteSet& set, const ByteSet& other) { return (set & other) == set; }

std::uint64_t classes_of(const ByteSet& loop, bool wide) {
  const ByteClasses& classes = ByteClasses::get();
  std::uint64_t within = classes.within(loop);
  if (wide) within |= classes.wide();
  if (is_within(ByteSet::range(0x80, 0xFF), loop)) within |= ByteClasses::kIllFormed;
  return within;
}

}  // namespace

// --- loops

namespace {

// Walks a trie with a loop.
class LoopWalk {
 public:
  LoopWalk(const Trie& trie, LoopTable& out, const VocabularyTables& tables)
      : trie_(trie),
        out_(out),
        tables_(tables),
        classes_(classes_of(out.loop, out.wide)),
        collector_(tables.vocabulary->mask_words()) {}

  void run(Trie::Node node) {
    // Which tokens are inside may be known at once; what leaves the loop is walked to.
    if (&trie_ == &tables_.tokens && is_whole_classes()) {
      if (auto inside = tables_.class_tokens.inside(trie_, node, out_.first, classes_)) {
        collect_ = false;
        out_.inside = *std::move(inside);
      }
    }
    const auto bytes = trie_.child_bytes(node);
    const auto children = trie_.children(node);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (!out_.first.contains(bytes[i])) continue;
      path_.assign(1, {bytes[i], true});
      visit(children[i], Utf8State::kBetween);
    }
    if (collect_) out_.inside = collector_.take();
  }

 private:
  bool is_whole_classes() const {
    ByteSet whole;
    out_.loop.for_each([&](std::uint8_t b) {
      if ((ByteClasses::get().bit_of(b) & classes_) != 0) whole.insert(b);
    });
    return whole == out_.loop;
  }

  struct Step {
    std::uint8_t byte;
    bool between;  // characters, after it
  };

  void visit(Trie::Node n, Utf8State::State place) {
    if (collect_) collector_.add(trie_.at(n));
    if (trie_.is_leaf(n)) return;
    if (place == Utf8State::kBetween && (trie_.classes_below(n) & ~classes_) == 0) {
      if (collect_) collector_.add(trie_.below(n));
      return;
    }
    for (const Trie::Node c : trie_.children(n)) {
      const std::uint8_t b = trie_.byte(c);
      const bool wide = out_.wide && b >= 0x80;
      const auto next = wide                                                    ? Utf8State::step(place, b)
                        : place == Utf8State::kBetween && out_.loop.contains(b) ? Utf8State::kBetween
                                                                                : Utf8State::kBad;
      if (next == Utf8State::kBad) {
        leave(c, place != Utf8State::kBetween);
        continue;
      }
      path_.push_back({b, next == Utf8State::kBetween});
      visit(c, next);
      path_.pop_back();
    }
  }

  void leave(Trie::Node n, bool within) {
    out_.leaving.push_back({n, within});
    if (within) return;
    for (std::uint32_t i = 1; i < path_.size(); ++i) {
      if (path_[i - 1].between) out_.tails.push_back({n, static_cast<std::uint32_t>(path_.size()) - i, path_[i].byte});
    }
  }

  const Trie& trie_;
  LoopTable& out_;
  const VocabularyTables& tables_;
  const std::uint64_t classes_;
  bool collect_ = true;
  std::vector<Step> path_;
  TokenCollector collector_;
};

}  // namespace

const LoopTable& LoopTables::get(const Trie& trie, Trie::Node node, const ByteSet& first, const ByteSet& loop,
                                 bool wide, const VocabularyTables& tables) {
  const std::uint64_t key = (std::uint64_t{trie.id()} << 32U) | node;
  const auto find = [&]() -> const LoopTable* {
    for (const auto& t : tables_[key]) {
      if (t->first == first && t->loop == loop && t->wide == wide) return t.get();
    }
    return nullptr;
  };
  {
    const std::lock_guard lock(mutex_);
    if (const LoopTable* known = find()) return *known;
  }
  auto table = std::make_unique<LoopTable>();
  table->first = first;
  table->loop = loop;
  table->wide = wide;
  LoopWalk(trie, *table, tables).run(node);
  const std::lock_guard lock(mutex_);
  if (const LoopTable* known = find()) return *known;
  return *tables_[key].emplace_back(std::move(table));
}

std::size_t LoopTables::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const auto& [key, tables] : tables_) {
    for (const auto& table : tables) bytes += table->memory_bytes();
  }
  return bytes;
}

// --- frames

ExprFrameBuilder::ExprFrameBuilder(const VocabularyTables& tables, LoopTables& loops, Stepper& stepper)
    : tables_(tables),
      loops_(loops),
      arena_(stepper.arena()),
      spaced_(stepper.text_style().spaced),
      collector_(tables.vocabulary->mask_words()) {
  exits_at_.fill(-1);
}

void ExprFrameBuilder::build(ExprId e, const Trie& trie, Trie::Node node, Frame& out) {
  trie_ = &trie;
  out_ = &out;
  State& s = state(e);
  if (trie.subtree_size(node) >= kLargeLoop) {
    take_groups(node, s);
  } else {
    take_children(node, s);
  }
  std::sort(out.exits.begin(), out.exits.end(), [](const auto& a, const auto& b) { return a.byte < b.byte; });
  for (const Frame::Exits& exits : out.exits) out.exit_bytes.insert(exits.byte);
  for (const Tail& tail : out.tails.ends) out.tails.bytes.insert(tail.byte);
  for (const auto& [table, alive] : out.tails.tables) out.tails.bytes |= table->loop;
  if (spaced_) out.tails.bytes &= structural_bytes();
  if (out.inside.is_dense()) {
    // It starts as that of a shared loop.
    std::vector<std::uint32_t> bits(tables_.vocabulary->mask_words());
    out.inside.or_into(bits);
    collector_.take().or_into(bits);
    out.inside = TokenSet::dense(std::move(bits));
  } else {
    out.inside = collector_.take();
  }
}

ExprFrameBuilder::State& ExprFrameBuilder::state(ExprId e) {
  constexpr std::size_t kFew = 8;
  if (states_.size() <= kFew) {
    for (State& s : states_) {
      if (s.expr == e) return s;
    }
  } else {
    if (by_expr_.empty()) {
      for (State& s : states_) by_expr_.emplace(s.expr, &s);
    }
    if (const auto it = by_expr_.find(e); it != by_expr_.end()) return *it->second;
  }
  State& s = states_.emplace_back();
  s.expr = e;
  s.nullable = arena_.nullable(e);
  if (!by_expr_.empty()) by_expr_.emplace(e, &s);
  return s;
}

const ByteSet& ExprFrameBuilder::first_of(State& s) {
  if (!s.first_known) s.first = arena_.first_bytes(s.expr);
  s.first_known = true;
  return s.first;
}

void ExprFrameBuilder::find_loop(State& s) {
  s.loop_known = true;
  s.loop = arena_.loop_bytes(s.expr);
  if (s.loop.empty()) return;
  if ((s.loop & ByteSet::range(0x80, 0xFF)).empty() && is_within(ByteSet::range(0xC2, 0xF4), first_of(s))) {
    returning_.clear();
    s.wide = returns(s.expr, s.expr, Utf8State::kBetween);
  }
  s.classes = classes_of(s.loop, s.wide);
}

// Does every character beyond ASCII lead back home? From the place in a character, e being the expression there.
bool ExprFrameBuilder::returns(ExprId e, ExprId home, std::uint8_t place) {
  const auto from = static_cast<Utf8State::State>(place);
  for (unsigned b = 0x80; b <= 0xF4; ++b) {
    const auto next = Utf8State::step(from, static_cast<std::uint8_t>(b));
    if (next == Utf8State::kBad) continue;
    const ExprId d = arena_.step(e, static_cast<std::uint8_t>(b));
    if (next == Utf8State::kBetween ? d == home : d != kEmptyExpr) {
      const std::pair<ExprId, std::uint8_t> at{d, next};
      if (next == Utf8State::kBetween || std::find(returning_.begin(), returning_.end(), at) != returning_.end()) {
        continue;
      }
      returning_.push_back(at);
      if (returns(d, home, next)) continue;
    }
    return false;
  }
  return true;
}

bool ExprFrameBuilder::is_bulk(Trie::Node n, State& s) {
  if (!s.loop_known) {
    // Finding out takes a step by each class of bytes, which may be many more than there are here.
    if (trie_->subtree_size(n) < Trie::kBulkNodes) return false;
    find_loop(s);
  }
  if (s.loop.empty()) return false;
  if ((trie_->classes_below(n) & ~s.classes) == 0) return true;
  const ByteSet* below = trie_->bytes_below(n);
  return below != nullptr && is_within(*below, s.loop);
}

bool ExprFrameBuilder::take(Trie::Node n, State& s) {
  const std::uint8_t byte = trie_->byte(n);
  const ExprId next = arena_.step(s.expr, byte);
  if (next == kEmptyExpr) return false;
  collector_.add(trie_->at(n));
  if (trie_->is_leaf(n)) return true;
  State& t = next == s.expr ? s : state(next);
  if (is_bulk(n, t)) {
    collector_.add(trie_->below(n));
    return true;
  }
  path_.push_back(byte);
  visit(n, t);
  path_.pop_back();
  return true;
}

void ExprFrameBuilder::visit(Trie::Node n, State& s) {
  const bool end = s.nullable && !is_large_end(n, s);
  if (s.nullable && !end) out_->large_ends.push_back(n);
  if (end) ends_.push_back(static_cast<std::uint32_t>(path_.size()));
  take_children(n, s);
  if (end) ends_.pop_back();
}

void ExprFrameBuilder::take_children(Trie::Node n, State& s) {
  const auto bytes = trie_->child_bytes(n);
  const auto children = trie_->children(n);
  if (ends_.empty() && s.expr == kEpsilonExpr) return;
  constexpr std::size_t kMany = 16;
  if (bytes.size() >= kMany) first_of(s);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool dead = s.first_known && !s.first.contains(bytes[i]);
    if ((dead || !take(children[i], s)) && !ends_.empty()) add_exits(children[i]);
  }
}

bool ExprFrameBuilder::is_large_end(Trie::Node n, State& s) {
  if (trie_->subtree_size(n) < kLargeEnd) return false;
  const auto bytes = trie_->child_bytes(n);
  const auto children = trie_->children(n);
  std::uint32_t nodes = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!first_of(s).contains(bytes[i])) nodes += trie_->subtree_size(children[i]);
  }
  return nodes >= kLargeEnd;
}

// The expression dies with the node's byte: all that is from each end on this path.
void ExprFrameBuilder::add_exits(Trie::Node n) {
  const auto length = static_cast<std::uint32_t>(path_.size());
  for (const std::uint32_t end : ends_) {
    if (end == length) {
      add_exit(n);
    } else if (!spaced_ || structural_bytes().contains(path_[end])) {
      out_->tails.ends.push_back({n, length - end, path_[end]});
    }
  }
}

void ExprFrameBuilder::add_exit(Trie::Node n) {
  std::uint8_t byte = trie_->byte(n);
  if (spaced_) {
    if (!structural_bytes().contains(byte)) return;  // nothing of JSON goes on so
    if (json_space().contains(byte)) byte = ' ';
  }
  if (exits_at_[byte] < 0) {
    exits_at_[byte] = static_cast<std::int32_t>(out_->exits.size());
    out_->exits.emplace_back().byte = byte;
  }
  out_->exits[static_cast<std::size_t>(exits_at_[byte])].nodes.push_back(n);
}

// Children that lead to one state with a loop over many bytes are taken together.
void ExprFrameBuilder::take_groups(Trie::Node node, State& s) {
  struct Group {
    ExprId target = kEmptyExpr;
    ByteSet bytes;
    std::uint32_t nodes = 0;
  };
  std::vector<Group> groups;
  const auto bytes = trie_->child_bytes(node);
  const auto children = trie_->children(node);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!first_of(s).contains(bytes[i])) continue;
    const ExprId target = arena_.step(s.expr, bytes[i]);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.target == target; });
    if (group == groups.end()) group = groups.insert(group, Group{target, {}, 0});
    group->bytes.insert(bytes[i]);
    group->nodes += trie_->subtree_size(children[i]);
  }
  for (const Group& group : groups) {
    if (group.nodes >= kLargeLoop && arena_.loop_bytes(group.target).size() >= kLargeClasses) {
      take_table(node, group.bytes, s, state(group.target));
      continue;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (group.bytes.contains(bytes[i])) take(children[i], s);
    }
  }
}

// By the bytes of `first` from `from` to `s`, and on.
void ExprFrameBuilder::take_table(Trie::Node node, const ByteSet& first, State& from, State& s) {
  if (!s.loop_known) find_loop(s);
  const LoopTable& table = loops_.get(*trie_, node, first, s.loop, s.wide, tables_);
  if (!table.inside.is_dense()) {
    collector_.add(table.inside.ids());
  } else if (out_->inside.is_dense()) {
    std::vector<std::uint32_t> bits(tables_.vocabulary->mask_words());
    out_->inside.or_into(bits);
    table.inside.or_into(bits);
    out_->inside = TokenSet::dense(std::move(bits));
  } else {
    out_->inside = table.inside;
  }
  for (const LoopTable::Leaving& leaving : table.leaving) {
    if (leaving.within || first_of(s).contains(trie_->byte(leaving.node))) {
      take_below(node, leaving.node, from);
    } else if (s.nullable) {
      add_exit(leaving.node);
    }
  }
  if (s.nullable) out_->tails.tables.emplace_back(&table, first_of(s));
}

// The node n by way of those between it and `node`, at which the state is `from`.
void ExprFrameBuilder::take_below(Trie::Node node, Trie::Node n, State& from) {
  State* s = &from;
  for (;;) {
    const auto children = trie_->children(node);
    const Trie::Node c = *(std::upper_bound(children.begin(), children.end(), n) - 1);
    if (c == n) {
      if (!take(n, *s) && !ends_.empty()) add_exits(n);
      break;
    }
    s = &state(arena_.step(s->expr, trie_->byte(c)));
    path_.push_back(trie_->byte(c));
    if (s->nullable) ends_.push_back(static_cast<std::uint32_t>(path_.size()));
    node = c;
  }
  path_.clear();
  ends_.clear();
}

}  // namespace weir
