// The rewriting of rules that call themselves at the ends of their alternatives.
#include <algorithm>
#include <utility>

#include "rule_bodies.hpp"

namespace weir::detail {
namespace {

using Alternative = std::vector<BodyId>;

// More alternatives than this after distributing options are left to the general removal of left recursion.
constexpr std::size_t kMaxAlternatives = 4096;

// Whether a body has the rule as the first (or last) item of some alternative, looking through options.
struct Ends {
  bool front = false;
  bool back = false;
};

class AlternativeSplitter {
 public:
  AlternativeSplitter(BodyPool& pool, RuleId rule, BodyId body) : pool_(pool) {
    for (const BodyId b : pool.reachable(body)) {
      if (const Ends ends = ends_of(b, rule); ends.front || ends.back) ends_.emplace(b, ends);
    }
  }

  bool calls_itself(BodyId b) const { return ends_.contains(b); }

  // The alternatives of `body`, with every choice and option that hides the rule at an end multiplied out.
  std::optional<std::vector<Alternative>> split(BodyId body) const {
    std::vector<Alternative> work{{body}};
    std::vector<Alternative> done;
    while (!work.empty()) {
      if (work.size() + done.size() > kMaxAlternatives) return std::nullopt;
      Alternative alternative = std::move(work.back());
      work.pop_back();
      if (!expand_at(alternative, 0, work) && !expand_at(alternative, alternative.size() - 1, work)) {
        done.push_back(std::move(alternative));
      }
    }
    return done;
  }

 private:
  Ends ends_of(BodyId b, RuleId rule) const {
    const Body& body = pool_[b];
    const auto of = [&](BodyId part) {
      const auto found = ends_.find(part);
      return found == ends_.end() ? Ends{} : found->second;
    };
    Ends ends;
    switch (body.kind) {
      case BodyKind::kExpression: break;
      case BodyKind::kReference: ends.front = ends.back = body.id == rule; break;
      case BodyKind::kSequence:
        ends.front = of(pool_.parts(b).front()).front;
        ends.back = of(pool_.parts(b).back()).back;
        break;
      case BodyKind::kChoice:
        for (const BodyId part : pool_.parts(b)) {
          ends.front = ends.front || of(part).front;
          ends.back = ends.back || of(part).back;
        }
        break;
      case BodyKind::kRepeat:
        if (body.min == 0 && body.max == 1) ends = of(pool_.parts(b).front());
        break;
    }
    return ends;
  }

  // Replaces item `i` by its parts if the rule hides in it; pushes what results and returns true if it did.
  bool expand_at(const Alternative& alternative, std::size_t i, std::vector<Alternative>& out) const {
    if (alternative.empty()) return false;
    const BodyId item = alternative[i];
    const Body& body = pool_[item];
    if (body.kind == BodyKind::kReference || !ends_.contains(item)) return false;
    const auto push = [&](std::span<const BodyId> replacement) {
      Alternative next(alternative.begin(), alternative.begin() + static_cast<std::ptrdiff_t>(i));
      next.insert(next.end(), replacement.begin(), replacement.end());
      next.insert(next.end(), alternative.begin() + static_cast<std::ptrdiff_t>(i) + 1, alternative.end());
      out.push_back(std::move(next));
    };
    const auto parts = pool_.parts(item);
    if (body.kind == BodyKind::kSequence) {
      push(parts);
      return true;
    }
    // Backwards, because the work list is a stack: alternatives keep their order.
    for (std::size_t k = parts.size(); k > 0; --k) push(parts.subspan(k - 1, 1));
    if (body.kind == BodyKind::kRepeat) push({});
    return true;
  }

  const BodyPool& pool_;
  std::unordered_map<BodyId, Ends> ends_;
};

}  // namespace

std::optional<BodyId> rewrite_self_recursion(BodyPool& pool, RuleId rule, BodyId body) {
  const AlternativeSplitter splitter(pool, rule, body);
  if (!splitter.calls_itself(body)) return std::nullopt;
  const auto alternatives = splitter.split(body);
  if (!alternatives) return std::nullopt;
  std::vector<BodyId> infixes;
  std::vector<BodyId> suffixes;
  std::vector<BodyId> prefixes;
  std::vector<BodyId> bases;
  const auto is_self = [&](BodyId b) { return pool[b].kind == BodyKind::kReference && pool[b].id == rule; };
  for (const Alternative& alternative : *alternatives) {
    std::span<const BodyId> rest(alternative);
    const bool front = !rest.empty() && is_self(rest.front());
    if (front) rest = rest.subspan(1);
    const bool back = !rest.empty() && is_self(rest.back());
    if (back) rest = rest.first(rest.size() - 1);
    if (front && rest.empty() && !back) continue;  // A = A adds nothing
    std::vector<BodyId>& group = front ? (back ? infixes : suffixes) : (back ? prefixes : bases);
    group.push_back(pool.sequence(rest));
  }
  const auto star_of = [&](std::span<const BodyId> group) { return pool.repeat(pool.choice(group), 0, kUnbounded); };
  const std::vector<BodyId> operand_parts{star_of(prefixes), pool.choice(bases), star_of(suffixes)};
  const BodyId operand = pool.sequence(operand_parts);
  if (infixes.empty()) return operand;
  const std::vector<BodyId> pair{pool.choice(infixes), operand};
  const std::vector<BodyId> all{operand, pool.repeat(pool.sequence(pair), 0, kUnbounded)};
  return pool.sequence(all);
}

}  // namespace weir::detail
