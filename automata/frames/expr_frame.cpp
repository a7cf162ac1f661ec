#include "frames/expr_frame.hpp"

#include <algorithm>

#include "frames/frame_cache.hpp"
#include "tokens/byte_classes.hpp"

namespace weir {
namespace {

constexpr std::uint32_t kLargeEnd = 4096;    // nodes; ends with so much below are no exits
constexpr std::uint32_t kLargeLoop = 4096;   // nodes; loops with so much below are shared
constexpr int kLargeClasses = 16;            // bytes of a loop that is shared

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

const ByteSet& wide_starts() {
  static const ByteSet starts = ByteSet::range(0xC2, 0xF4);
  return starts;
}

}  // namespace

// --- loops

const LoopTable& LoopTables::get(const Trie& trie, Trie::Node node, const ByteSet& first, const ByteSet& loop,
                                 bool wide, std::size_t mask_words) {
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
  const std::uint64_t classes = classes_of(loop, wide);
  TokenCollector collector(mask_words);
  const auto down = [&](auto&& self, Trie::Node n) -> void {
    collector.add(trie.at(n));
    if (trie.is_leaf(n)) return;
    if ((trie.classes_below(n) & ~classes) == 0) {
      collector.add(trie.below(n));
      table->ends.push_back({n, true});
      return;
    }
    table->ends.push_back({n, false});
    for (const Trie::Node c : trie.children(n)) {
      if (loop.contains(trie.byte(c)) && !(wide && trie.byte(c) >= 0x80)) {
        self(self, c);
      } else {
        table->leaving.push_back(c);
      }
    }
  };
  const auto bytes = trie.child_bytes(node);
  const auto children = trie.children(node);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (first.contains(bytes[i])) down(down, children[i]);
  }
  table->inside = collector.take();
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

std::vector<Trie::Node> ExprFrameBuilder::loop_exits(const Frame& frame, const Trie& trie, std::uint8_t byte) {
  std::vector<Trie::Node> nodes;
  const auto add = [&](const LoopEnd& end) {
    if (!end.all) {
      if (const Trie::Node c = trie.child(end.node, byte); c != Trie::kRoot) nodes.push_back(c);
      return;
    }
    for (Trie::Node n = end.node + 1; n < trie.end(end.node); ++n) {
      if (trie.byte(n) == byte) nodes.push_back(n);
    }
  };
  for (const LoopTable* table : frame.loop_ends.tables) {
    if (!table->loop.contains(byte)) continue;
    for (const LoopEnd& end : table->ends) add(end);
  }
  for (const auto& [number, end] : frame.loop_ends.ends) {
    if (frame.loop_ends.loops[number].contains(byte)) add(end);
  }
  return nodes;
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
    visit_root(node, s);
  } else {
    const auto bytes = trie.child_bytes(node);
    const auto children = trie.children(node);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (s.first.contains(bytes[i])) take(children[i], s);
    }
  }
  std::sort(out.exits.begin(), out.exits.end(), [](const auto& a, const auto& b) { return a.byte < b.byte; });
  for (const ByteSet& loop : out.loop_ends.loops) out.loop_ends.bytes |= loop;
  for (const LoopTable* table : out.loop_ends.tables) out.loop_ends.bytes |= table->loop;
  for (const Frame::Exits& exits : out.exits) out.exit_bytes.insert(exits.byte);
  if (spaced_ && out.exit_bytes.contains(' ')) out.exit_bytes |= json_space();
  if (out.inside.is_dense()) {
    // The start is a copy of a shared loop.
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
  s.first = arena_.first_bytes(e);
  s.loop = arena_.loop_bytes(e);
  if (!by_expr_.empty()) by_expr_.emplace(e, &s);
  return s;
}

void ExprFrameBuilder::find_loop(State& s) {
  s.bulk_known = true;
  if (s.loop.empty()) return;
  const ByteSet high = ByteSet::range(0x80, 0xFF);
  if ((s.loop & high).empty() && is_within(wide_starts(), s.first)) {
    returning_.clear();
    s.wide = returns(s.expr, s.expr, Utf8State::kBetween);
    if (s.wide) s.loop |= wide_starts();
  }
  // What follows in JSON is never part of a loop that may end.
  if (spaced_ && s.nullable && !(s.loop & structural_bytes()).empty()) s.loop = {};
  s.classes = s.loop.empty() ? 0 : classes_of(s.loop, s.wide);
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
  if (!s.bulk_known) find_loop(s);
  if (s.loop.empty()) return false;
  if ((trie_->classes_below(n) & ~s.classes) == 0) return true;
  if (s.wide) return false;
  const ByteSet* below = trie_->bytes_below(n);
  return below != nullptr && is_within(*below, s.loop);
}

void ExprFrameBuilder::take(Trie::Node n, State& s) {
  const ExprId next = arena_.step(s.expr, trie_->byte(n));
  if (next == kEmptyExpr) return;
  collector_.add(trie_->at(n));
  if (trie_->is_leaf(n)) return;
  State& t = next == s.expr ? s : state(next);
  if (is_bulk(n, t)) {
    collector_.add(trie_->below(n));
    if (t.nullable) add_loop_end({n, true}, t);
    return;
  }
  visit(n, t);
}

void ExprFrameBuilder::visit(Trie::Node n, State& s) {
  if (s.nullable) add_end(n, s);
  if (s.first.empty()) return;
  const auto bytes = trie_->child_bytes(n);
  const auto children = trie_->children(n);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (s.first.contains(bytes[i])) take(children[i], s);
  }
}

void ExprFrameBuilder::add_end(Trie::Node n, State& s) {
  const auto bytes = trie_->child_bytes(n);
  const auto children = trie_->children(n);
  if (!s.bulk_known) find_loop(s);
  if (trie_->subtree_size(n) >= kLargeEnd) {
    std::uint32_t nodes = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (!s.loop.contains(bytes[i])) nodes += trie_->subtree_size(children[i]);
    }
    if (nodes >= kLargeEnd) {
      out_->large_ends.push_back(n);
      return;
    }
  }
  bool loops = false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (s.loop.contains(bytes[i])) {
      loops = true;
    } else {
      add_exit(children[i]);
    }
  }
  if (loops) add_loop_end({n, false}, s);
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

void ExprFrameBuilder::add_loop_end(LoopEnd end, State& s) {
  if (spaced_) return;  // no structural byte is of a loop
  if (s.number == 0) {
    out_->loop_ends.loops.push_back(s.loop);
    s.number = static_cast<std::uint32_t>(out_->loop_ends.loops.size());
  }
  out_->loop_ends.ends.emplace_back(s.number - 1, end);
}

// Children that lead to one state with a loop over many bytes are taken together.
void ExprFrameBuilder::visit_root(Trie::Node node, State& s) {
  struct Group {
    ExprId target = kEmptyExpr;
    ByteSet bytes;
    std::uint32_t nodes = 0;
  };
  std::vector<Group> groups;
  const auto bytes = trie_->child_bytes(node);
  const auto children = trie_->children(node);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!s.first.contains(bytes[i])) continue;
    const ExprId target = arena_.step(s.expr, bytes[i]);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.target == target; });
    if (group == groups.end()) group = groups.insert(group, Group{target, {}, 0});
    group->bytes.insert(bytes[i]);
    group->nodes += trie_->subtree_size(children[i]);
  }
  for (const Group& group : groups) {
    if (group.nodes >= kLargeLoop && arena_.loop_bytes(group.target).size() >= kLargeClasses) {
      State& t = state(group.target);
      if (!t.bulk_known) find_loop(t);
      if (t.loop.size() >= kLargeClasses) {
        add_table(node, group.bytes, t);
        continue;
      }
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (group.bytes.contains(bytes[i])) take(children[i], s);
    }
  }
}

void ExprFrameBuilder::add_table(Trie::Node node, const ByteSet& first, State& s) {
  const LoopTable& table = loops_.get(*trie_, node, first, s.loop, s.wide, tables_.vocabulary->mask_words());
  if (table.inside.is_dense()) {
    if (out_->inside.is_dense()) {
      std::vector<std::uint32_t> bits(tables_.vocabulary->mask_words());
      out_->inside.or_into(bits);
      table.inside.or_into(bits);
      out_->inside = TokenSet::dense(std::move(bits));
    } else {
      out_->inside = table.inside;
    }
  } else {
    collector_.add(table.inside.ids());
  }
  if (s.nullable && !spaced_) out_->loop_ends.tables.push_back(&table);
  for (const Trie::Node n : table.leaving) {
    if (s.nullable && !s.loop.contains(trie_->byte(n))) add_exit(n);
    if (s.first.contains(trie_->byte(n))) take(n, s);
  }
}

}  // namespace weir
