#include "frames/text_frame.hpp"

#include <algorithm>
#include <bit>

namespace weir {
namespace {

constexpr int kFewBytes = 4;

std::uint32_t saturated_sum(std::uint32_t a, std::uint32_t b) { return a > kUnbounded - b ? kUnbounded : a + b; }

}  // namespace

TextFrameBuilder::TextFrameBuilder(const VocabularyTables& tables, CharacterFacts& facts, Stepper& stepper)
    : tables_(tables),
      groups_(tables.groups(stepper.text_style())),
      facts_(facts),
      stepper_(stepper),
      arena_(stepper.arena()),
      collector_(tables.vocabulary->mask_words()) {}

void TextFrameBuilder::start(const Head& head, Frame& out) {
  head_ = head;
  counting_ = head.w2 != 0;
  left_ = counting_ ? stepper_.structures()->counter(head.w2) : LengthCounter{};
  out_ = &out;
  reached_.clear();
  reached_from_ = kEmptyExpr;
  const ExprLengths lengths = arena_.lengths(head.w1);
  short_ = (lengths.known ? std::min(lengths.from, kUnbounded / 2) : 0) + Frame::kShort;
  out.least_left = short_;
}

void TextFrameBuilder::build(const Head& head, bool sharing, Frame& out) {
  start(head, out);
  sharing_ = sharing;
  const ExprId e = head.w1;
  const ByteSet first = arena_.first_bytes(e);
  if (is_narrow(e, first)) {
    first.for_each([&](std::uint8_t b) { walk_from(b); });
  } else {
    alphabet_ = arena_.alphabet(e);
    constexpr int kFewLeads = 4;
    few_wide_ = (alphabet_ & ByteSet::range(0xC2, 0xF4)).size() <= kFewLeads;
    if (add_endless(e)) return;
    add_parts(e);
    add_by_byte(e, first);
  }
  std::sort(out.longer.begin(), out.longer.end());
  out.inside = collector_.take();
  walk_irregular();
}

// Do few characters, all of them ASCII, lead on, and few after each, as with a choice of words? Then tokens are walked.
bool TextFrameBuilder::is_narrow(ExprId e, const ByteSet& first) {
  if (!(first & ByteSet::range(0x80, 0xFF)).empty()) return false;
  if (first.size() <= kFewBytes) return true;
  bool narrow = true;
  first.for_each([&](std::uint8_t b) { narrow = narrow && arena_.first_bytes(arena_.step(e, b)).size() <= kFewBytes; });
  return narrow;
}

void TextFrameBuilder::walk_from(std::uint8_t b) {
  const Trie::Node node = tables_.tokens.child(Trie::kRoot, b);
  if (node != Trie::kRoot) walk_node(node, head_, 0);
}

void TextFrameBuilder::add_by_byte(ExprId e, const ByteSet& first) {
  const Trie& trie = tables_.tokens;
  const TextClasses& classes = TextClasses::get();
  (first & ByteSet::range(0x20, 0x7F)).for_each([&](std::uint8_t b) {
    const auto groups = groups_.starting_with(b);
    if (groups.empty()) return;
    const ExprId after = arena_.step(e, b);
    // Where little goes on, tokens are walked at once.
    if (arena_.first_bytes(after).size() <= kFewBytes) {
      walk_from(b);
      return;
    }
    const Trie::Node node = trie.child(Trie::kRoot, b);
    add_groups(groups, covered_[classes.of_ascii(b)], {&after, 1}, {&node, 1});
  });
  if ((first & ByteSet::range(0x80, 0xFF)).empty()) return;
  const CharacterSteps& steps = facts_.steps(arena_, e);
  std::vector<ExprId> after;
  std::vector<Trie::Node> nodes;
  for (const Trie::Node n : trie.children(Trie::kRoot)) {
    if (first.contains(trie.byte(n)) && trie.byte(n) >= 0x80) nodes.push_back(n);
  }
  for (unsigned c = classes.ascii_count(); c < classes.count(); ++c) {
    if (((steps.some >> c) & 1U) == 0) continue;
    after.clear();
    if (((steps.all >> c) & 1U) != 0) {
      for (const CharacterSteps::Target& t : steps.targets) {
        if (((t.classes >> c) & 1U) != 0) after.push_back(t.expr);
      }
    }
    if (!nodes.empty()) add_groups(groups_.starting_with_class(c), covered_[c], after, nodes);
  }
}

// Every text keeps e alive: all tokens of the text stay inside.
bool TextFrameBuilder::add_endless(ExprId e) {
  const CharacterLoops& loops = facts_.loops(arena_, e);
  if (!loops.endless || sharing_) return false;
  const CharacterLoop& loop = loops.loops[0];
  const TextBody& body = *tables_.root_place(stepper_.text_style()).body;
  if (!counting_) {
    out_->every = &body.all;
    // With so much left any token will do.
    out_->counts = loop.after.known;
    out_->least_left = loop.after.from > kUnbounded / 2 ? kUnbounded : loop.after.from + body.max_code_points;
    out_->most_min = loop.after.to;
    return true;
  }
  if (!loop.after.known || left_.max_left < loop.after.from || left_.min_left > loop.after.to || body.up_to.empty())
    return false;
  // Short ones leave room for a whole text of e; of the others it depends on how far in one they are.
  const std::uint32_t sure = left_.max_left - loop.after.from;
  out_->every = sure < body.max_code_points ? &body.up_to[body.up_to_index[sure]] : &body.all;
  for (std::size_t i = body.tokens.size(); i-- > 0 && body.tokens[i].code_points > sure;) {
    if (body.tokens[i].code_points <= left_.max_left) walk_token(body.tokens[i].token, body.tokens[i].code_points);
  }
  out_->inside = collector_.take();
  return true;
}

// Classes all of whose characters lead to one expression, with an endless loop after it: sets that patterns share.
void TextFrameBuilder::add_parts(ExprId e) {
  covered_.fill({});
  if (counting_ || sharing_) return;
  const CharacterSteps& steps = facts_.steps(arena_, e);
  struct Shared {
    std::uint64_t first = 0;
    const CharacterLoop* loop = nullptr;
  };
  std::vector<Shared> shared;
  std::uint64_t several = 0;  // classes that lead to more than one expression
  std::uint64_t seen = 0;
  for (const CharacterSteps::Target& t : steps.targets) {
    several |= seen & t.classes;
    seen |= t.classes;
  }
  for (const CharacterSteps::Target& t : steps.targets) {
    const std::uint64_t first = t.classes & steps.all & ~several;
    if (first == 0) continue;
    const CharacterLoops& loops = facts_.loops(arena_, t.expr);
    const CharacterLoop* best = nullptr;
    for (unsigned l = 0; l < loops.count; ++l) {
      const CharacterLoop& loop = loops.loops[l];
      if (loop.most == kUnbounded ? !loop.after.known : loop.most > Frame::kShort) continue;
      const auto size = [](const CharacterLoop& x) { return std::make_pair(std::popcount(x.classes), x.most); };
      if (best == nullptr || size(loop) > size(*best)) best = &loop;
    }
    if (best == nullptr) continue;
    const auto same = std::find_if(shared.begin(), shared.end(), [&](const Shared& s) {
      return s.loop->classes == best->classes && s.loop->most == best->most && s.loop->after.from == best->after.from &&
             s.loop->after.least == best->after.least && s.loop->after.to == best->after.to;
    });
    if (same != shared.end()) {
      same->first |= first;
    } else {
      shared.push_back({first, best});
    }
  }
  for (const Shared& s : shared) {
    const auto* set = groups_.class_set(s.first, s.loop->classes, s.loop->most, tables_.vocabulary->mask_words());
    if (set == nullptr) continue;
    if (!s.loop->after.known) out_->counts = false;
    out_->parts.push_back({set, s.loop->after.from});
    for (unsigned c = 0; c < covered_.size(); ++c) {
      if (((s.first >> c) & 1U) != 0) covered_[c] = {s.loop->classes, s.loop->most};
    }
    out_->least_left = std::max(out_->least_left, saturated_sum(s.loop->after.from, Frame::kShort));
    out_->most_min = std::min(out_->most_min, saturated_sum(s.loop->after.to, 1));
    if (s.loop->after.from != s.loop->after.least) {
      const std::uint32_t longest = set->longer.empty() ? Frame::kShort : set->longer.back().first;
      be_exact_from(longest, s.loop->after.from);
    }
  }
}

// What holds for a group's tokens, whatever of `after` their first character led to.
TextFrameBuilder::Verdict TextFrameBuilder::judge(const TextGroups::Group& group, std::span<const ExprId> after,
                                                  std::span<const CharacterLoops* const> loops) const {
  Verdict v;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (group.others == 0) {
      v.after.include(arena_.lengths(after[i]));
      continue;
    }
    // Of the loops that hold the group's characters, the one that allows most of them.
    const CharacterLoop* best = nullptr;
    for (unsigned l = 0; l < loops[i]->count; ++l) {
      const CharacterLoop& loop = loops[i]->loops[l];
      if ((group.others & ~loop.classes) != 0) continue;
      if (best == nullptr || loop.most > best->most || (loop.most == best->most && loop.after.known)) best = &loop;
    }
    if (best == nullptr) return {};
    v.most = std::min(v.most, best->most);
    v.after.include(best->after);
  }
  v.sure = !after.empty() && !(counting_ && !v.after.known);
  return v;
}

// `after` is empty where the first character may be dead. `nodes`: where such tokens start.
void TextFrameBuilder::add_groups(std::span<const TextGroups::Group> groups, const Covered& covered,
                                  std::span<const ExprId> after, std::span<const Trie::Node> nodes) {
  constexpr std::size_t kMaxAfter = 8;
  if (after.size() > kMaxAfter) after = {};
  std::array<const CharacterLoops*, kMaxAfter> loops{};
  std::uint64_t alphabet = after.empty() ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    loops[i] = &facts_.loops(arena_, after[i]);
    alphabet |= loops[i]->alphabet;
  }
  const bool wide_first = tables_.tokens.byte(nodes.front()) >= 0x80;
  verdicts_.clear();
  if (after.size() == 1 && after.front() != reached_from_) {
    reached_.clear();
    reached_from_ = after.front();
  }
  std::size_t sure = 0;
  std::size_t unsure = 0;
  for (const TextGroups::Group& group : groups) {
    if ((group.others & ~alphabet) != 0) continue;
    const bool is_covered = covered.classes != 0 && (group.others & ~covered.classes) == 0;
    if (is_covered && group.most_others <= covered.most) {
      sure += group.last - group.first;
      continue;
    }
    std::span<const TextGroups::Token> tokens = groups_.tokens(group);
    if (is_covered) {
      tokens = tokens.subspan(static_cast<std::size_t>(
          std::partition_point(tokens.begin(), tokens.end(), [&](const auto& t) { return t.others <= covered.most; }) -
          tokens.begin()));
    }
    Verdict v = judge(group, after, loops);
    if (v.sure && v.most >= group.most_others) {
      sure += tokens.size();
    } else {
      if (after.size() == 1) {
        const auto [it, fresh] = reached_.try_emplace(group.others);
        if (fresh) it->second = facts_.reach(arena_, after.front(), group.others);
        const CharacterReach& reach = it->second;
        v.longest = reach.most;
        if ((!counting_ || reach.after.known) && reach.sure > (v.sure ? v.most : 0)) {
          v = {reach.sure, reach.most, reach.after, true};
        }
      }
      const auto count_to = [&](std::uint32_t most) {
        return static_cast<std::size_t>(
            std::partition_point(tokens.begin(), tokens.end(), [&](const auto& t) { return t.others <= most; }) -
            tokens.begin());
      };
      const std::size_t walked_from = v.sure ? count_to(v.most) : 0;
      const std::size_t walked_to = count_to(v.longest);
      sure += walked_from;
      const std::size_t walked = walked_to > walked_from ? walked_to - walked_from : 0;
      // Most characters beyond ASCII are none of the few that the expression has: their tokens die at once.
      constexpr std::size_t kRarely = 8;
      const bool rare = few_wide_ && (wide_first || (group.others >> TextClasses::get().ascii_count()) != 0);
      unsure += rare ? walked / kRarely : walked;
    }
    verdicts_.emplace_back(tokens, v);
  }
  // Many tokens that have to be walked are walked together, with those that are sure.
  constexpr std::size_t kFew = 32;
  constexpr std::size_t kSome = 2000;  // of those that start beyond ASCII, in many places
  if (unsure > kFew + sure && (!wide_first || unsure > kSome)) {
    for (const Trie::Node n : nodes) walk_node(n, head_, 0);
    return;
  }
  for (const auto& [tokens, verdict] : verdicts_) {
    for (const TextGroups::Token& token : tokens) add_token(token, verdict);
  }
}

void TextFrameBuilder::add_token(const TextGroups::Token& token, const Verdict& v) {
  const std::uint32_t characters = token.others + 1;
  if (token.others > v.longest || (counting_ && characters > left_.max_left)) {
    return;
  } else if (!v.sure || token.others > v.most) {
    walk_token(token.token, characters);
  } else if (!counting_) {
    if (!v.after.known) out_->counts = false;
    if (v.after.from != v.after.least) be_exact_from(characters, v.after.from);
    put(token.token, characters, v.after.from, v.after.to);
  } else if (characters > left_.max_left || v.after.least > left_.max_left - characters) {
    return;  // too long, whatever it led to
  } else if (v.after.from <= left_.max_left - characters &&
             (v.after.to == kUnbounded || left_.min_left <= characters || v.after.to >= left_.min_left - characters)) {
    put(token.token, characters, v.after.from, v.after.to);
  } else {
    walk_token(token.token, characters);
  }
}

void TextFrameBuilder::walk_token(TokenId token, std::uint32_t characters) {
  const std::string_view text = tables_.vocabulary->token(token);
  ExprId e = head_.w1;
  for (std::size_t i = 0; i < text.size() && e != kEmptyExpr; ++i) {
    const auto b = static_cast<std::uint8_t>(text[i]);
    if (b == '\\') {
      walk_token_by_heads(token, characters);
      return;
    }
    e = alphabet_.contains(b) ? arena_.step(e, b) : kEmptyExpr;
  }
  if (e == kEmptyExpr) return;
  if (!counting_) {
    put_after(token, characters, Head::make(HeadKind::kText, 0, e, 0));
    return;
  }
  // What fits at the end fitted all the way.
  const std::uint32_t min = left_.min_left > characters ? left_.min_left - characters : 0;
  const std::uint32_t max = left_.max_left == kUnbounded ? kUnbounded : left_.max_left - characters;
  switch (arena_.lengths(e).some_in(min, max)) {
    case ExprLengths::Answer::kNo: return;
    case ExprLengths::Answer::kYes: put(token, characters, 0, kUnbounded); return;
    case ExprLengths::Answer::kUnknown: walk_token_by_heads(token, characters); return;
  }
}

void TextFrameBuilder::walk_token_by_heads(TokenId token, std::uint32_t characters) {
  const std::string_view text = tables_.vocabulary->token(token);
  HeadStep step{true, false, head_};
  for (std::size_t i = 0; i < text.size() && step.alive; ++i) {
    step = stepper_.step_head(step.next, static_cast<std::uint8_t>(text[i]));
  }
  if (step.alive) put_after(token, characters, step.next);
}

// The tokens that start at the node, whose byte has not been taken yet.
void TextFrameBuilder::walk_node(Trie::Node n, const Head& here, std::uint32_t characters) {
  const Trie& trie = tables_.tokens;
  const std::uint8_t byte = trie.byte(n);
  if (here.aux() == 0 && (byte < 0x20 || byte == '"' || byte == '\\')) return;  // not here
  const HeadStep step = stepper_.step_head(here, byte);
  if (!step.alive) return;
  if (here.aux() == 0) ++characters;
  for (const TokenId token : trie.at(n)) put_after(token, characters, step.next);
  const auto bytes = trie.child_bytes(n);
  const auto children = trie.children(n);
  constexpr std::size_t kSome = 8;
  if (bytes.size() > kSome && step.next.aux() == 0) {
    const ByteSet first = arena_.first_bytes(step.next.w1);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (first.contains(bytes[i])) walk_node(children[i], step.next, characters);
    }
    return;
  }
  for (const Trie::Node c : children) walk_node(c, step.next, characters);
}

void TextFrameBuilder::put_after(TokenId token, std::uint32_t characters, const Head& after) {
  if (counting_) {
    put(token, 0, 0, kUnbounded);
    return;
  }
  const ExprLengths lengths = arena_.lengths(after.w1);
  if (!lengths.known) out_->counts = false;
  if (lengths.from != lengths.least) be_exact_from(characters, lengths.from);
  put(token, characters, lengths.from, lengths.to);
}

// Where lengths between the least and `from` may be missing, the frame tells nothing of texts with less left.
void TextFrameBuilder::be_exact_from(std::uint32_t characters, std::uint32_t from) {
  out_->least_left = std::max(out_->least_left, saturated_sum(characters, from));
}

void TextFrameBuilder::put(TokenId token, std::uint32_t characters, std::uint32_t from, std::uint32_t to) {
  if (sharing_ && characters > TextGroups::kLong) return;
  if (!counting_) {
    const std::uint32_t need = saturated_sum(characters, from);
    out_->most_min = std::min(out_->most_min, saturated_sum(characters, to));
    if (need > short_) {
      out_->longer.push_back({need, token});
      return;
    }
  }
  collector_.add(token);
}

// Calls emit(tokens, characters, head after) for the texts of the trie that stay inside.
template <class Emit>
void TextFrameBuilder::walk_trie(const Trie& trie, Emit&& emit) {
  const auto down = [&](auto&& self, Trie::Node n, const Head& here, std::uint32_t characters) -> void {
    const ByteSet alive = stepper_.text_bytes(here);
    if (here.aux() == 0) ++characters;
    const auto bytes = trie.child_bytes(n);
    const auto children = trie.children(n);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (!alive.contains(bytes[i])) continue;
      const HeadStep step = stepper_.step_head(here, bytes[i]);
      if (!step.alive) continue;
      if (const auto tokens = trie.at(children[i]); !tokens.empty()) emit(tokens, characters, step.next);
      if (!trie.is_leaf(children[i])) self(self, children[i], step.next, characters);
    }
  };
  down(down, Trie::kRoot, head_, 0);
}

// Tokens with escapes or parts of characters.
void TextFrameBuilder::walk_irregular() {
  walk_trie(groups_.irregular(), [&](std::span<const TokenId> tokens, std::uint32_t characters, const Head&) {
    if (sharing_ && characters > TextGroups::kLong) return;
    for (const TokenId token : tokens) collector_.add(token);
  });
  out_->irregular = collector_.take();
}

void TextFrameBuilder::build_on(const Frame& shared, const Head& head, Frame& out) {
  start(head, out);
  out.base = &shared;
  out.counts = shared.counts;
  walk_trie(groups_.long_tokens(), [&](std::span<const TokenId> tokens, std::uint32_t characters, const Head& after) {
    for (const TokenId token : tokens) put_after(token, characters, after);
  });
  std::sort(out.longer.begin(), out.longer.end());
  out.inside = collector_.take();
}

}  // namespace weir
