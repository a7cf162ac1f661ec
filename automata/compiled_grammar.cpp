#include "compiled_grammar.hpp"

#include "weir/grammar/detail/common.hpp"
#include "weir/grammar/structure.hpp"

namespace weir {

bool CompiledGrammarData::is_worn() const noexcept {
  const ExprArena& arena = grammar.expressions();
  return arena.half_full() || arena.exhausted() ||
         (grammar.structures() != nullptr && grammar.structures()->half_full());
}

std::shared_ptr<CompiledGrammarData> CompiledGrammarData::newest() {
  if (remake == nullptr || (!replaced_.load(std::memory_order_acquire) && !is_worn())) return shared_from_this();
  const std::lock_guard lock(mutex_);
  if (successor_ && !successor_->is_worn()) return successor_;
  if (auto made = made_anew()) {
    successor_ = std::move(made);
    replaced_.store(true, std::memory_order_release);
  }
  return successor_ ? successor_ : shared_from_this();
}

std::shared_ptr<CompiledGrammarData> CompiledGrammarData::made_anew() const {
  auto arena = std::make_shared<ExprArena>(limits);
  const auto common = detail::install_common_expressions(*arena);
  auto again = remake(arena);
  // The same text under the same limits; should it not fit this time, what there is goes on.
  if (!again || arena->half_full()) return nullptr;
  return std::make_shared<CompiledGrammarData>(*std::move(again), tables, common_frames,
                                               std::make_shared<FrameCache>(tables, common_frames.get(), common.limit),
                                               limits);
}

}  // namespace weir
