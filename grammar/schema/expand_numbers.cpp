// Numbers of one product: bounds, integers, multipleOf.
#include <algorithm>

#include <fmt/format.h>

#include "schema/expander.hpp"
#include "schema/formats.hpp"

namespace weir::schema {
namespace {

constexpr std::int64_t kUnwieldyExponent = std::int64_t{1} << 40U;

}  // namespace

bool Expander::is_lexical_integer(const Product& product) {
  return std::any_of(product.atoms.begin(), product.atoms.end(),
                     [&](Atom atom) { return !atom.is_literal() && reader_.read(atom.node()).lexical_integer; });
}

NumberBounds Expander::of_type(const Product& product, NumberBounds bounds) {
  bounds.integer = (product.types & kNumberTypes) == kIntegerType;
  bounds.lexical_integer = bounds.integer && is_lexical_integer(product);
  return bounds;
}

// Numbers of an instance that nobody can compare with all spellings of others are as good as equal.
bool Expander::is_unwieldy(JsonId number) {
  return document_->is_appended(number) && !has_plain_spelling(decimal(number));
}

ExprId Expander::unwieldy() {
  if (unwieldy_ == kEmptyExpr) {
    unwieldy_ = arena_->intersect({all_texts(Shape::kNumber), unwieldy_numbers(*arena_)});
  }
  return unwieldy_;
}

Decimal Expander::decimal(JsonId number) {
  if (auto value = Decimal::parse(document_->text(number))) return std::move(*value);
  if (document_->is_appended(number)) return {false, "1", kUnwieldyExponent};
  diagnostics_->fail(ErrorCode::kLimit, number, "this number's exponent is beyond 10^9");
  return {};
}

bool Expander::read_bounds(const Product& product, NumberBounds& out) {
  const auto at_least = [&](Decimal value, bool exclusive) {
    const int order = out.minimum ? value.compare(*out.minimum) : 1;
    if (order > 0) {
      out.minimum = std::move(value);
      out.exclusive_minimum = exclusive;
    } else if (order == 0) {
      out.exclusive_minimum = out.exclusive_minimum || exclusive;
    }
  };
  const auto at_most = [&](Decimal value, bool exclusive) {
    const int order = out.maximum ? value.compare(*out.maximum) : -1;
    if (order < 0) {
      out.maximum = std::move(value);
      out.exclusive_maximum = exclusive;
    } else if (order == 0) {
      out.exclusive_maximum = out.exclusive_maximum || exclusive;
    }
  };
  for (const Atom atom : product.atoms) {
    if (atom.is_literal()) continue;
    const Schema& schema = reader_.read(atom.node());
    if (schema.minimum != kNoJson) at_least(decimal(schema.minimum), schema.exclusive_minimum);
    if (schema.above != kNoJson) at_least(decimal(schema.above), true);
    if (schema.maximum != kNoJson) at_most(decimal(schema.maximum), schema.exclusive_maximum);
    if (schema.below != kNoJson) at_most(decimal(schema.below), true);
    if (schema.format_of_numbers) {
      const auto format = format_bounds(document_->text(schema.format));
      if (format->minimum) at_least(*format->minimum, format->exclusive_minimum);
      if (format->maximum) at_most(*format->maximum, format->exclusive_maximum);
    }
  }
  if (!out.minimum || !out.maximum) return true;
  const int order = out.minimum->compare(*out.maximum);
  return order < 0 || (order == 0 && !out.exclusive_minimum && !out.exclusive_maximum);
}

ExprId Expander::number_result(Result<ExprId> result, JsonId place) {
  if (result) return *result;
  if (!diagnostics_->failed()) diagnostics_->fail(result.error().code, place, result.error().message);
  return kEmptyExpr;
}

// The arena remembers what it was asked for, so that schemas which share it build each expression once.
ExprId Expander::bounded(const NumberBounds& bounds, const Product& product) {
  return number_result(known_number(*arena_, bounds), place_of(product));
}

ExprId Expander::equal_to(const Decimal& value, JsonId place) {
  const std::string name = fmt::format("equal {}{}e{}", value.negative ? "-" : "", value.digits, value.exponent);
  if (const auto known = arena_->find_named(name)) return *known;
  const ExprId e = number_result(number_equal_to(*arena_, value), place);
  if (!diagnostics_->failed()) arena_->remember(name, e);
  return e;
}

// Whether the number is left to be built when somebody asks for the value.
bool Expander::postpone_number(const Product& product, const NumberBounds& bounds, ValueSpec& out) {
  constexpr std::size_t kCompared = 64;
  const TypeSet types = product.types & kNumberTypes;
  if (types == kFractionType || out.number != kNoNumber || (!bounds.minimum && !bounds.maximum)) return false;
  if (!product.wholes.empty()) return false;
  for (const Atom atom : product.atoms) {
    if (!atom.is_literal() && reader_.read(atom.node()).multiple != kNoJson) return false;
  }
  NumberBounds typed = of_type(product, bounds);
  if (!obviously_satisfiable(typed)) return false;
  auto& all = out_.numbers;
  const auto last = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kCompared));
  auto known = std::find(all.begin(), last, typed);
  if (known == last) known = all.insert(all.end(), std::move(typed));
  out.number = static_cast<std::uint32_t>(known - all.begin());
  return true;
}

ExprId Expander::number(const Product& product, const NumberBounds& bounds) {
  const TypeSet types = product.types & kNumberTypes;
  const NumberBounds typed = of_type(product, bounds);
  std::vector<ExprId> conditions;
  // "number" without "integer": no schema says so in a word, but `not` does.
  if (types == kFractionType) conditions.push_back(fractions());
  const std::optional<Decimal> divisor = common_divisor(product, types);
  for (const Atom atom : product.wholes) {
    const ExprId texts = texts_of(atom, Shape::kNumber);
    if (texts != all_texts(Shape::kNumber)) conditions.push_back(texts);
  }
  if (conditions.empty() && !divisor && !bounds.minimum && !bounds.maximum) {
    ExprId& plain = plain_numbers_[(typed.integer ? 1U : 0U) + (typed.lexical_integer ? 2U : 0U)];
    if (plain == kEmptyExpr) plain = bounded(typed, product);
    return plain;
  }
  const ExprId within = divisor ? number_result(number_multiples_within(*arena_, *divisor, typed), place_of(product))
                                : bounded(typed, product);
  if (conditions.empty()) return within;
  conditions.push_back(within);
  const ExprId numbers = arena_->intersect(conditions);
  return arena_->is_empty(numbers) ? kEmptyExpr : numbers;
}

// Whole numbers; as many spellings of them as are cheap to match. No set to be complemented: see number.hpp.
ExprId Expander::whole_numbers() {
  NumberBounds integers;
  integers.integer = true;
  return number_result(known_number(*arena_, integers), 0);
}

// Numbers that are not whole.
ExprId Expander::fractions() {
  const Decimal one = decimal_one();
  return arena_->intersect({multiple_family(*arena_, one), arena_->complement(multiples_of(one, 0))});
}

ExprId Expander::multiples_of(const Decimal& divisor, JsonId place) {
  const std::string name = fmt::format("multiple {}e{}", divisor.digits, divisor.exponent);
  if (const auto known = arena_->find_named(name)) return *known;
  const ExprId e = number_result(number_multiple_of(*arena_, divisor), place);
  if (!diagnostics_->failed()) arena_->remember(name, e);
  return e;
}

// Does multipleOf ask for anything that numbers of these types are not?
bool Expander::divides(const Schema& schema, TypeSet types) {
  if (schema.multiple == kNoJson) return false;
  return types != kIntegerType || !is_multiple(decimal_one(), decimal(schema.multiple));
}

// What all numbers of the product must be multiples of; none: of nothing.
std::optional<Decimal> Expander::common_divisor(const Product& product, TypeSet types) {
  std::optional<Decimal> divisor;
  for (const Atom atom : product.atoms) {
    if (atom.is_literal() || !divides(reader_.read(atom.node()), types)) continue;
    const JsonId keyword = reader_.read(atom.node()).multiple;
    const Decimal next = decimal(keyword);
    if (!divisor) {
      divisor = next;
      continue;
    }
    const Result<Decimal> both = least_common_multiple(*divisor, next);
    if (!both) {
      diagnostics_->fail(both.error().code, keyword, both.error().message);
      return divisor;
    }
    divisor = *both;
  }
  return divisor;
}

}  // namespace weir::schema
