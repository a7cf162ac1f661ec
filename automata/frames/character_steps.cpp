#include "frames/character_steps.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "tokens/text_groups.hpp"

namespace weir {
namespace {

void add_target(CharacterSteps& steps, ExprId target, unsigned cls) {
  for (CharacterSteps::Target& t : steps.targets) {
    if (t.expr == target) {
      t.classes |= std::uint64_t{1} << cls;
      return;
    }
  }
  steps.targets.push_back({target, std::uint64_t{1} << cls});
}

// The expressions after each character of the sequence; false if one of them is dead.
bool follow(ExprArena& arena, ExprId e, const Utf8Sequence& sequence, std::uint8_t at, std::vector<ExprId>& out) {
  if (at == sequence.length) {
    out.push_back(e);
    return true;
  }
  bool all = true;
  std::vector<ExprId> next;
  for (unsigned b = sequence.bytes[at].first; b <= sequence.bytes[at].last; ++b) {
    const ExprId d = arena.step(e, static_cast<std::uint8_t>(b));
    if (d == kEmptyExpr) {
      all = false;
    } else if (std::find(next.begin(), next.end(), d) == next.end()) {
      next.push_back(d);
    }
  }
  for (const ExprId d : next) all = follow(arena, d, sequence, static_cast<std::uint8_t>(at + 1), out) && all;
  return all;
}

constexpr unsigned kMaxClosure = 12;  // expressions that a loop may go through

// The classes that keep e alive for ever, through few expressions; greedy: a class that kills one of them is left out
// from the start.
template <class Steps>
CharacterLoop closure(ExprArena& arena, ExprId e, Steps&& steps_of) {
  CharacterLoop loop;
  loop.classes = steps_of(e).all;
  std::vector<ExprId> reached;
  for (bool stable = false; !stable && loop.classes != 0;) {
    stable = true;
    reached.assign(1, e);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const CharacterSteps& steps = steps_of(reached[i]);
      if ((loop.classes & ~steps.all) != 0) {
        loop.classes &= steps.all;
        stable = false;
        break;
      }
      for (const CharacterSteps::Target& t : steps.targets) {
        if ((t.classes & loop.classes) == 0) continue;
        if (std::find(reached.begin(), reached.end(), t.expr) == reached.end()) reached.push_back(t.expr);
      }
      if (reached.size() > kMaxClosure) return {};
    }
  }
  for (const ExprId r : reached) loop.after.include(arena.lengths(r));
  return loop;
}

}  // namespace

const CharacterSteps& CharacterFacts::steps_locked(ExprArena& arena, ExprId e) {
  auto& slot = steps_[e];
  if (slot) return *slot;
  slot = std::make_unique<CharacterSteps>();
  CharacterSteps& out = *slot;
  if (e <= kEpsilonExpr) return out;
  const TextClasses& classes = TextClasses::get();
  const ByteSet first = arena.first_bytes(e);
  for (unsigned c = 0; c < classes.ascii_count(); ++c) {
    const ByteSet alive = classes.bytes(c) & first;
    if (alive.empty()) continue;
    out.some |= std::uint64_t{1} << c;
    if (alive == classes.bytes(c)) out.all |= std::uint64_t{1} << c;
    alive.for_each([&](std::uint8_t b) { add_target(out, arena.step(e, b), c); });
  }
  if (!(first & ByteSet::range(0x80, 0xFF)).empty()) add_wide_steps(arena, e, out);
  return out;
}

void CharacterFacts::add_wide_steps(ExprArena& arena, ExprId e, CharacterSteps& out) {
  const TextClasses& classes = TextClasses::get();
  const auto parts = arena.first_characters(e);
  if (!parts || (parts->size() == 1 && parts->front() == e)) {
    add_wide_steps_by_bytes(arena, e, out);
    return;
  }
  std::vector<ExprArena::CharacterPart> matches;
  for (unsigned c = classes.ascii_count(); c < classes.count(); ++c) {
    matches.clear();
    for (const ExprId part : *parts) {
      const CharacterSteps& steps = steps_locked(arena, part);
      const bool all = ((steps.all >> c) & 1U) != 0;
      if (!all && ((steps.some >> c) & 1U) != 0) {  // some of the class only
        add_wide_steps_by_bytes(arena, e, out);
        return;
      }
      matches.push_back({part, all});
    }
    const ExprId target = arena.character_step(e, matches);
    if (target == kEmptyExpr) continue;
    out.some |= std::uint64_t{1} << c;
    out.all |= std::uint64_t{1} << c;
    add_target(out, target, c);
  }
}

void CharacterFacts::add_wide_steps_by_bytes(ExprArena& arena, ExprId e, CharacterSteps& out) {
  const TextClasses& classes = TextClasses::get();
  std::vector<ExprId> reached;
  for (unsigned c = classes.ascii_count(); c < classes.count(); ++c) {
    reached.clear();
    bool all = true;
    for (const Utf8Sequence& s : classes.sequences(c)) all = follow(arena, e, s, 0, reached) && all;
    if (reached.empty()) continue;
    std::sort(reached.begin(), reached.end());
    reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    out.some |= std::uint64_t{1} << c;
    if (all) out.all |= std::uint64_t{1} << c;
    for (const ExprId r : reached) add_target(out, r, c);
  }
}

const CharacterSteps& CharacterFacts::steps(ExprArena& arena, ExprId e) {
  const std::lock_guard lock(mutex_);
  return steps_locked(arena, e);
}

const CharacterLoops& CharacterFacts::loops(ExprArena& arena, ExprId e) {
  const std::lock_guard lock(mutex_);
  auto& slot = loops_[e];
  if (slot) return *slot;
  slot = std::make_unique<CharacterLoops>();
  CharacterLoops& out = *slot;
  const TextClasses& classes = TextClasses::get();
  const ByteSet alphabet = arena.alphabet(e);
  for (unsigned c = 0; c < classes.count(); ++c) {
    if (!(classes.bytes(c) & alphabet).empty()) out.alphabet |= std::uint64_t{1} << c;
  }
  for (const ExprLoop& l : arena.loops(e)) {
    // One character each time round: classes that lead to the end of the body and nowhere else.
    CharacterLoop loop{0, l.max, {}};
    loop.after.known = false;
    if (l.body == arena.any_code_point()) {
      loop.classes = (std::uint64_t{1} << classes.count()) - 1;
    } else {
      const CharacterSteps& body = steps_locked(arena, l.body);
      loop.classes = body.all;
      for (const CharacterSteps::Target& t : body.targets) {
        if (t.expr != kEpsilonExpr) loop.classes &= ~t.classes;
      }
    }
    if (loop.classes == 0) continue;
    if (l.max == kUnbounded) {
      // After any number of rounds everything that this part matches still follows.
      const ExprLengths lengths = arena.lengths(l.part);
      loop.after = {lengths.known, 0, lengths.from, lengths.to};  // less than that where other parts help
      if (l.body == arena.any_code_point()) {
        out.loops[0] = loop;
        out.count = 1;
        out.endless = true;
        return out;
      }
    }
    if (out.count + 1 < out.loops.size()) out.loops[out.count++] = loop;
  }
  const CharacterLoop loop =
      closure(arena, e, [&](ExprId x) -> const CharacterSteps& { return steps_locked(arena, x); });
  if (loop.classes != 0) out.loops[out.count++] = loop;
  return out;
}

CharacterReach CharacterFacts::reach(ExprArena& arena, ExprId e, std::uint64_t classes) {
  constexpr std::size_t kMaxStates = 6;
  constexpr std::uint32_t kMaxLength = 40;
  const std::lock_guard lock(mutex_);
  CharacterReach reach;
  bool all = true;  // every text so far is alive
  std::vector<ExprId> states{e};
  std::vector<ExprId> next;
  for (std::uint32_t length = 1; length <= kMaxLength; ++length) {
    next.clear();
    for (const ExprId s : states) {
      const CharacterSteps& steps = steps_locked(arena, s);
      all = all && (classes & ~steps.all) == 0;
      for (const CharacterSteps::Target& t : steps.targets) {
        if ((t.classes & classes) != 0) next.push_back(t.expr);
      }
    }
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    if (all) {
      reach.sure = length;
      for (const ExprId n : next) reach.after.include(arena.lengths(n));
    }
    if (next.empty()) {
      reach.most = length - 1;
      return reach;
    }
    if (next == states) {
      if (all) reach.sure = kUnbounded;
      return reach;
    }
    if (next.size() > kMaxStates) return reach;
    states.swap(next);
  }
  return reach;
}

}  // namespace weir
