// Large counted repetitions of what is no expression: x{m,n} as an automaton is a chain of n copies of x, and n may be
// a million. Blocks of copies become a rule of their own, so that a chain of blocks and one of copies, each about as
// long as the root of n, do the same.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "ir/rule_normal.hpp"

namespace weir::detail {
namespace {

// More copies than this in a chain are divided.
constexpr std::uint32_t kMostCopies = 256;
// Of units of one kind; what is done to automata takes time quadratic in their chains.
constexpr double kLongestChain = 64;

class RepeatDivider {
 public:
  RepeatDivider(BodyPool& pool, std::vector<RuleBody>& rules) : pool_(pool), rules_(rules) {}

  // The body, its large repetitions divided.
  BodyId divide(BodyId root, const std::string& name) {
    std::map<BodyId, BodyId> changed;
    std::vector<BodyId> parts;
    for (const BodyId b : pool_.reachable(root)) {
      const Body body = pool_[b];
      if (body.kind == BodyKind::kReference || body.kind == BodyKind::kExpression) continue;
      parts.clear();
      for (const BodyId part : pool_.parts(b)) {
        const auto found = changed.find(part);
        parts.push_back(found == changed.end() ? part : found->second);
      }
      const bool same = std::ranges::equal(parts, pool_.parts(b));
      if (body.kind == BodyKind::kRepeat && copies(body) > kMostCopies) {
        changed.emplace(b, divided(parts[0], body, name));
      } else if (!same) {
        changed.emplace(b, body.kind == BodyKind::kSequence ? pool_.sequence(parts)
                           : body.kind == BodyKind::kChoice ? pool_.choice(parts)
                                                            : pool_.repeat(parts[0], body.min, body.max));
      }
    }
    const auto found = changed.find(root);
    return found == changed.end() ? root : found->second;
  }

 private:
  static std::uint32_t copies(const Body& body) { return body.max == kUnbounded ? body.min : body.max; }

  // Units of x: x itself, a block of them, a block of blocks, and so on; with how many x each holds.
  struct Unit {
    BodyId body = 0;
    std::uint32_t copies = 1;
  };

  BodyId divided(BodyId x, const Body& body, const std::string& name) {
    std::uint32_t levels = 2;
    double size = std::sqrt(static_cast<double>(copies(body)));
    while (size > kLongestChain) size = std::pow(static_cast<double>(copies(body)), 1.0 / ++levels);
    const auto factor = static_cast<std::uint32_t>(size);
    std::vector<Unit> units{{x, 1}};
    while (units.size() < levels) {
      const Unit unit = units.back();
      units.push_back({block_of(unit.body, factor, name), unit.copies * factor});
    }
    const BodyId least = exactly(units, body.min);
    const BodyId rest = body.max == kUnbounded ? pool_.repeat(x, 0, kUnbounded) : at_most(units, body.max - body.min);
    return sequence(least, rest);
  }
  BodyId sequence(BodyId first, BodyId second) {
    const std::vector<BodyId> both{first, second};
    return pool_.sequence(both);
  }
  BodyId block_of(BodyId unit, std::uint32_t count, const std::string& name) {
    const auto [it, fresh] = blocks_.try_emplace(std::pair(unit, count));
    if (fresh) {
      const auto rule = static_cast<RuleId>(rules_.size());
      rules_.push_back(
          {name + " (" + std::to_string(count) + " times a part of it)", pool_.repeat(unit, count, count)});
      it->second = pool_.reference(rule);
    }
    return it->second;
  }
  // `units`: the largest comes last.
  BodyId exactly(std::span<const Unit> units, std::uint32_t count) {
    const Unit& unit = units.back();
    const BodyId whole = pool_.repeat(unit.body, count / unit.copies, count / unit.copies);
    return units.size() == 1 ? whole : sequence(whole, exactly(units.first(units.size() - 1), count % unit.copies));
  }
  // Up to q units and t: less than q units and then less than one, or q units and then up to t.
  BodyId at_most(std::span<const Unit> units, std::uint32_t count) {
    const Unit& unit = units.back();
    const std::uint32_t q = count / unit.copies;
    if (units.size() == 1) return pool_.repeat(unit.body, 0, q);
    const auto smaller = units.first(units.size() - 1);
    const BodyId last = sequence(pool_.repeat(unit.body, q, q), at_most(smaller, count % unit.copies));
    if (q == 0) return last;
    const std::vector<BodyId> both{sequence(pool_.repeat(unit.body, 0, q - 1), at_most(smaller, unit.copies - 1)),
                                   last};
    return pool_.choice(both);
  }

  BodyPool& pool_;
  std::vector<RuleBody>& rules_;
  std::map<std::pair<BodyId, std::uint32_t>, BodyId> blocks_;
};

}  // namespace

void Normaliser::divide_repetitions() {
  RepeatDivider divider(pool_, rules_);
  for (const RuleId r : reachable()) {
    const std::string name = rules_[r].name;  // dividing adds rules, which moves them
    const BodyId body = divider.divide(*rules_[r].body, name);
    rules_[r].body = body;
  }
}

}  // namespace weir::detail
