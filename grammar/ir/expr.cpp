// The public face of the arena: takes the lock, calls the implementation. step reads its memo without the lock.
#include "weir/grammar/expr.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ir/expr_impl.hpp"

namespace weir {

using Lock = std::lock_guard<std::mutex>;

ExprArena::ExprArena(const Limits& limits) : impl_(std::make_unique<Impl>(limits)) {}
ExprArena::~ExprArena() = default;

ExprId ExprArena::bytes(const ByteSet& set) {
  const Lock lock(impl_->mutex);
  return impl_->bytes(set);
}

ExprId ExprArena::literal(std::string_view text) {
  const Lock lock(impl_->mutex);
  return impl_->literal(text);
}

ExprId ExprArena::literals(std::span<const std::string_view> texts) {
  const Lock lock(impl_->mutex);
  return impl_->literals({texts.begin(), texts.end()});
}

ExprId ExprArena::literals(std::span<const std::string> texts) {
  const Lock lock(impl_->mutex);
  return impl_->literals({texts.begin(), texts.end()});
}

ExprId ExprArena::concat(ExprId left, ExprId right) {
  const Lock lock(impl_->mutex);
  return impl_->concat(left, right);
}

ExprId ExprArena::concat(std::initializer_list<ExprId> parts) {
  return concat(std::span<const ExprId>(parts.begin(), parts.size()));
}

ExprId ExprArena::concat(std::span<const ExprId> parts) {
  const Lock lock(impl_->mutex);
  ExprId e = kEpsilonExpr;
  for (std::size_t i = parts.size(); i-- > 0;) e = impl_->concat(parts[i], e);
  return e;
}

ExprId ExprArena::alternate(std::initializer_list<ExprId> parts) {
  return alternate(std::span<const ExprId>(parts.begin(), parts.size()));
}

ExprId ExprArena::alternate(std::span<const ExprId> parts) {
  const Lock lock(impl_->mutex);
  return impl_->alternate(parts);
}

ExprId ExprArena::intersect(std::initializer_list<ExprId> parts) {
  return intersect(std::span<const ExprId>(parts.begin(), parts.size()));
}

ExprId ExprArena::intersect(std::span<const ExprId> parts) {
  const Lock lock(impl_->mutex);
  return impl_->intersect(parts);
}

ExprId ExprArena::complement(ExprId e) {
  const Lock lock(impl_->mutex);
  return impl_->complement(e);
}

ExprId ExprArena::repeat(ExprId e, std::uint32_t min, std::uint32_t max) {
  const Lock lock(impl_->mutex);
  return impl_->repeat(e, min, max);
}

ExprId ExprArena::code_points(const CodePointSet& set) {
  const Lock lock(impl_->mutex);
  return impl_->code_points(set);
}

ExprId ExprArena::any_code_point() {
  const Lock lock(impl_->mutex);
  return impl_->any_code_point();
}

ExprId ExprArena::any_text() {
  if (const ExprId known = impl_->known_any_text(); known != 0) return known;
  const Lock lock(impl_->mutex);
  return impl_->any_text();
}

ExprId ExprArena::any_bytes() {
  const Lock lock(impl_->mutex);
  return impl_->every();
}

ExprId ExprArena::automaton(const ByteAutomaton& table, std::uint32_t start) {
  auto normal = normal_automaton(table, start);
  const Lock lock(impl_->mutex);
  return impl_->automaton(std::move(normal));
}

bool ExprArena::nullable(ExprId e) const { return impl_->nodes[e].nullable; }

ExprId ExprArena::step(ExprId e, std::uint8_t b) {
  if (const ExprRow* row = impl_->existing_row(e)) {
    if (const ExprId known = row->next[b].load(std::memory_order_acquire); known != kUnknownStep) return known;
  }
  if (e <= kEpsilonExpr) return kEmptyExpr;
  const Lock lock(impl_->mutex);
  return impl_->step(e, b);
}

ByteSet ExprArena::first_bytes(ExprId e) {
  if (const ExprRow* row = impl_->existing_row(e)) {
    if (row->first_known.load(std::memory_order_acquire)) return row->first;
  }
  if (e <= kEpsilonExpr) return {};
  const Lock lock(impl_->mutex);
  return impl_->first_bytes(e);
}

ByteSet ExprArena::loop_bytes(ExprId e) {
  if (e <= kEpsilonExpr) return {};
  first_bytes(e);  // fills the row
  return impl_->existing_row(e)->loop;
}

ByteSet ExprArena::byte_class(ExprId e, std::uint8_t b) const {
  const Lock lock(impl_->mutex);
  return impl_->byte_class(e, b);
}

bool ExprArena::matches(ExprId e, std::string_view text) {
  for (const char c : text) {
    e = step(e, static_cast<std::uint8_t>(c));
    if (e == kEmptyExpr) return false;
  }
  return nullable(e);
}

bool ExprArena::proves_empty(ExprId e, std::uint32_t max_states) {
  const Lock lock(impl_->mutex);
  return impl_->search_empty(e, max_states).value_or(false);
}

bool ExprArena::is_empty(ExprId e) {
  const Lock lock(impl_->mutex);
  return impl_->is_empty(e);
}

std::optional<std::uint32_t> ExprArena::shortest_length(ExprId e) {
  const auto text = shortest_text(e);
  if (!text) return std::nullopt;
  return static_cast<std::uint32_t>(text->size());
}

std::optional<std::string> ExprArena::shortest_text(ExprId e) {
  const Lock lock(impl_->mutex);
  return impl_->shortest_text(e);
}

ExprLengths ExprArena::lengths(ExprId e) {
  if (const ExprLengths* known = impl_->known_lengths(e)) return *known;
  const Lock lock(impl_->mutex);
  return impl_->lengths(e);
}

std::optional<ExprArena::Difference> ExprArena::difference(ExprId e) {
  if (impl_->nodes[e].kind != ExprKind::kIntersect) return std::nullopt;
  const Lock lock(impl_->mutex);
  return impl_->difference(e);
}

ByteSet ExprArena::alphabet(ExprId e) {
  const Lock lock(impl_->mutex);
  return impl_->alphabet(e);
}

std::vector<ExprLoop> ExprArena::loops(ExprId e) {
  const Lock lock(impl_->mutex);
  std::vector<ExprLoop> loops;
  impl_->append_loops(e, loops);
  return loops;
}

std::optional<std::vector<ExprId>> ExprArena::first_characters(ExprId e) {
  const Lock lock(impl_->mutex);
  std::vector<ExprId> parts;
  if (!impl_->append_first_characters(e, parts)) return std::nullopt;
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return parts;
}

ExprId ExprArena::character_step(ExprId e, std::span<const CharacterPart> parts) {
  const Lock lock(impl_->mutex);
  return impl_->character_step(e, parts);
}

ExprId ExprArena::saturated(ExprId e, std::uint32_t count) {
  const Lock lock(impl_->mutex);
  return impl_->saturated(e, count);
}

ExprId ExprArena::with_length(ExprId e, std::uint32_t min, std::uint32_t max) {
  const Lock lock(impl_->mutex);
  const ExprId bounded = impl_->intersect({e, impl_->repeat(impl_->any_code_point(), min, max)});
  return impl_->nodes[bounded].boolean && impl_->is_empty(bounded) ? kEmptyExpr : bounded;
}

ExprKind ExprArena::kind(ExprId e) const { return impl_->nodes[e].kind; }

std::optional<ExprId> ExprArena::find_named(std::string_view name) const {
  const Lock lock(impl_->mutex);
  const auto it = impl_->names.find(std::string(name));
  if (it == impl_->names.end()) return std::nullopt;
  return it->second;
}

void ExprArena::remember(std::string_view name, ExprId e) {
  constexpr std::size_t kMaxNames = 100'000;
  constexpr std::size_t kMaxLength = 4096;
  const Lock lock(impl_->mutex);
  if (exhausted()) return;  // e may be a part of what was meant
  if (name.size() <= kMaxLength && impl_->names.size() < kMaxNames) impl_->names.emplace(name, e);
}

std::size_t ExprArena::size() const { return impl_->nodes.size(); }

bool ExprArena::full() const noexcept { return impl_->full.load(std::memory_order_relaxed); }

bool ExprArena::half_full() const noexcept { return impl_->half_full.load(std::memory_order_relaxed); }

bool ExprArena::exhausted() const noexcept { return full() || impl_->undecided.load(std::memory_order_relaxed); }

std::string ExprArena::dump(ExprId e) const {
  const Lock lock(impl_->mutex);
  std::string out;
  impl_->append_dump(e, 0, out);
  return out;
}

namespace {

void append_byte(std::uint8_t b, std::string& out) { fmt::format_to(std::back_inserter(out), "{:02x}", b); }

void append_set(const ByteSet& set, std::string& out) {
  out.push_back('[');
  for (unsigned b = 0; b < 256; ++b) {
    if (!set.contains(static_cast<std::uint8_t>(b))) continue;
    unsigned last = b;
    while (last < 255 && set.contains(static_cast<std::uint8_t>(last + 1))) ++last;
    append_byte(static_cast<std::uint8_t>(b), out);
    if (last > b) {
      if (last > b + 1) out.push_back('-');
      append_byte(static_cast<std::uint8_t>(last), out);
    }
    b = last;
  }
  out.push_back(']');
}

constexpr unsigned kMaxDumpDepth = 1000;

}  // namespace

void ExprArena::Impl::append_dump(ExprId e, unsigned depth, std::string& out) const {
  if (depth > kMaxDumpDepth) {
    fmt::format_to(std::back_inserter(out), "#{}", e);
    return;
  }
  const ExprNode& n = nodes[e];
  switch (n.kind) {
    case ExprKind::kEmpty: out += "[]"; return;
    case ExprKind::kEpsilon: out += "\"\""; return;
    case ExprKind::kBytes: append_set(sets[n.a], out); return;
    case ExprKind::kConcat:
      out.push_back('(');
      for (;; e = nodes[e].b) {
        const ExprNode& m = nodes[e];
        if (m.kind != ExprKind::kConcat) {
          append_dump(e, depth + 1, out);
          break;
        }
        append_dump(m.a, depth + 1, out);
        out.push_back(' ');
      }
      out.push_back(')');
      return;
    case ExprKind::kAlternate:
    case ExprKind::kIntersect: {
      // By text, not by id: the order must not depend on what else the arena holds.
      std::vector<std::string> parts;
      for (const ExprId kid : children_of(n)) append_dump(kid, depth + 1, parts.emplace_back());
      std::sort(parts.begin(), parts.end());
      out.push_back('(');
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) out += n.kind == ExprKind::kAlternate ? "|" : "&";
        out += parts[i];
      }
      out.push_back(')');
      return;
    }
    case ExprKind::kComplement:
      out.push_back('~');
      append_dump(n.a, depth + 1, out);
      return;
    case ExprKind::kRepeat:
      append_dump(n.a, depth + 1, out);
      if (n.c == kUnbounded) {
        fmt::format_to(std::back_inserter(out), "{{{},}}", n.b);
      } else {
        fmt::format_to(std::back_inserter(out), "{{{},{}}}", n.b, n.c);
      }
      return;
    case ExprKind::kAutomaton:
      fmt::format_to(std::back_inserter(out), "<dfa {:016x} {}>", automata[n.a].table->hash, n.b);
      return;
  }
}

}  // namespace weir
