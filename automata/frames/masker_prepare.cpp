// Masks found before they are asked: of states that the next tokens may lead to.
#include <algorithm>

#include "frames/masker.hpp"

namespace weir {

void Masker::prepare(StateId s, std::chrono::steady_clock::time_point deadline) {
  if (prepared_.find(s) != nullptr) return;
  // States made in advance are to leave room for those of the text.
  if (store_.is_half_full()) return;
  const auto time_is_up = [&] { return std::chrono::steady_clock::now() >= deadline; };
  std::vector<StateId> next;
  append_next(s, next);
  for (const StateId n : next) {
    if (time_is_up()) return;
    make_known(n);
  }
  prepared_.put(s, true, store_.size());
}

void Masker::make_known(StateId s) {
  if (remembered_.find(s) != nullptr) return;
  compute(s);
  remember(s);
}

// The states after what is being read, and those after one byte more. What else a token may lead to shares nearly all
// of their frames and pieces.
void Masker::append_next(StateId s, std::vector<StateId>& out) {
  const auto add = [&](StateId n) {
    if (n != kDeadState && std::find(out.begin(), out.end(), n) == out.end()) out.push_back(n);
  };
  const Items items(store_.items(s).begin(), store_.items(s).end());
  Items next;
  // What comes after a captured item depends on its text.
  const bool captures = !items.empty() && items.front().head.kind() == HeadKind::kCapture;
  for (const Item& item : items) {
    if (captures || (item.head.kind() != HeadKind::kExpr && item.head.kind() != HeadKind::kText)) continue;
    next.clear();
    stepper_.append_closed(item.rest, next);
    add(store_.intern(next));
  }
  stepper_.first_bytes(items).for_each([&](std::uint8_t byte) {
    next.clear();
    stepper_.step(items, byte, next);
    add(store_.intern(next));
  });
}

}  // namespace weir
