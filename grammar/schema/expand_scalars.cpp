// Numbers, strings, true, false and null of one product: one expression, never products of their own.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "schema/expander.hpp"
#include "schema/formats.hpp"
#include "text/regex.hpp"
#include "weir/grammar/detail/utf8.hpp"

namespace weir::schema {
namespace {

// A maximum from here on cannot be reached: a matcher's states for such a text would not fit into
// Limits::max_sequence_bytes.
constexpr std::uint32_t kUnreachableLength = 1U << 28U;

constexpr std::uint32_t kProofStates = 2000;  // of an automaton, for one proof that branches of oneOf differ

constexpr std::size_t kHashedFrom = 16;  // values from which comparing each with each is worse than hashing

}  // namespace

void Expander::expand_scalars(const Product& product, ValueSpec& out) {
  std::vector<JsonId> choices;
  if (list_choices(product, choices)) {
    expand_choices(product, choices);
    return;
  }
  for_each_word(product, [&](JsonKind kind) { numbers_.push_back(word(kind)); });
  if ((product.types & kNumberTypes) != 0) {
    NumberBounds bounds;
    if (read_bounds(product, bounds) && !postpone_number(product, bounds, out)) {
      const ExprId numbers = number(product, bounds);
      if (numbers != kEmptyExpr) numbers_.push_back(numbers);
    }
  }
  if ((product.types & kStringType) != 0) {
    const auto spec = text(product);
    if (spec && std::find(out.texts.begin(), out.texts.end(), *spec) == out.texts.end()) out.texts.push_back(*spec);
  }
}

ExprId Expander::word(JsonKind kind) {
  constexpr std::array<std::string_view, 3> kWords = {"null", "false", "true"};
  const auto at = static_cast<std::size_t>(kind);
  if (words_[at] == kEmptyExpr) words_[at] = arena_->literal(kWords[at]);
  return words_[at];
}

// --- enum and const

bool Expander::list_choices(const Product& product, std::vector<JsonId>& out) {
  bool any = false;
  std::vector<JsonId> values;
  const auto meet = [&] {
    if (any) {
      keep_common(out, values);
    } else {
      out = values;
    }
    any = true;
  };
  for (const Atom atom : product.atoms) {
    if (atom.is_literal()) {
      values.assign(1, atom.node());
      meet();
      continue;
    }
    const Schema& schema = reader_.read(atom.node());
    if (schema.enumeration != kNoJson) {
      values.clear();
      for (const JsonId value : document_->children(schema.enumeration)) values.push_back(value);
      meet();
    }
    if (schema.constant != kNoJson) {
      values.assign(1, schema.constant);
      meet();
    }
  }
  if (any) keep_valid(product, out);
  return any;
}

void Expander::keep_common(std::vector<JsonId>& choices, std::span<const JsonId> others) {
  if (choices.size() < kHashedFrom || others.size() < kHashedFrom) {
    std::erase_if(choices, [&](JsonId choice) {
      return std::none_of(others.begin(), others.end(), [&](JsonId other) { return equal_scalars(choice, other); });
    });
    return;
  }
  std::unordered_set<std::string> keys;
  for (const JsonId other : others) keys.insert(scalar_key(other));
  std::erase_if(choices, [&](JsonId choice) { return !keys.contains(scalar_key(choice)); });
}

bool Expander::equal_scalars(JsonId a, JsonId b) {
  const JsonKind kind = document_->kind(a);
  if (kind != document_->kind(b) || !document_->is_scalar(a)) return false;
  if (kind == JsonKind::kNumber) return document_->text(a) == document_->text(b) || decimal(a) == decimal(b);
  return kind != JsonKind::kString || document_->text(a) == document_->text(b);
}

std::string Expander::scalar_key(JsonId value) {
  const JsonKind kind = document_->kind(value);
  std::string key(1, static_cast<char>('0' + static_cast<int>(kind)));
  if (kind == JsonKind::kString) key += document_->text(value);
  if (kind == JsonKind::kNumber) {
    if (is_unwieldy(value)) return key + '?';
    const Decimal number = decimal(value);
    key += fmt::format("{}{}e{}", number.negative ? '-' : '+', number.digits, number.exponent);
  }
  return key;
}

void Expander::append_value_key(JsonId value, std::string& key) {
  if (document_->is_scalar(value)) {
    const std::string scalar = scalar_key(value);
    key += fmt::format("{}:{}", scalar.size(), scalar);
    return;
  }
  const bool object = document_->kind(value) == JsonKind::kObject;
  std::vector<JsonId> children;
  for (const JsonId child : document_->children(value)) children.push_back(child);
  if (object) {
    std::sort(children.begin(), children.end(),
              [&](JsonId a, JsonId b) { return document_->key(a) < document_->key(b); });
  }
  key += object ? '{' : '[';
  for (const JsonId child : children) {
    if (object) key += fmt::format("{}:{}", document_->key(child).size(), document_->key(child));
    append_value_key(child, key);
  }
  key += object ? '}' : ']';
}

// Whether a scalar satisfies all of the atoms.
bool Expander::satisfies(JsonId scalar, std::span<const Atom> wholes) {
  return std::all_of(wholes.begin(), wholes.end(), [&](Atom atom) {
    if (atom.is_literal()) return equal_scalars(scalar, atom.node()) != atom.is_negated();
    switch (document_->kind(scalar)) {
      case JsonKind::kNull: return texts_of(atom, Shape::kNull) != kEmptyExpr;
      case JsonKind::kFalse:
      case JsonKind::kTrue: {
        const std::string_view text = document_->kind(scalar) == JsonKind::kTrue ? "true" : "false";
        return arena_->matches(texts_of(atom, Shape::kBoolean), text);
      }
      case JsonKind::kNumber: return arena_->matches(texts_of(atom, Shape::kNumber), decimal(scalar).to_string());
      case JsonKind::kString: return arena_->matches(texts_of(atom, Shape::kString), document_->text(scalar));
      default: return true;
    }
  });
}

void Expander::keep_valid(const Product& product, std::vector<JsonId>& choices) {
  std::erase_if(choices, [&](JsonId choice) {
    return !document_->is_scalar(choice) || (type_of(document_->kind(choice)) & product.types) == 0 ||
           !satisfies(choice, product.wholes);
  });
  const auto any_of_kind = [&](JsonKind kind) {
    return std::any_of(choices.begin(), choices.end(), [&](JsonId choice) { return document_->kind(choice) == kind; });
  };
  if (any_of_kind(JsonKind::kNumber)) {
    NumberBounds bounds;
    const bool possible = read_bounds(product, bounds);
    std::erase_if(choices, [&](JsonId choice) {
      if (document_->kind(choice) != JsonKind::kNumber) return false;
      if (!possible) return true;
      const Decimal value = decimal(choice);
      if (bounds.minimum && value.compare(*bounds.minimum) < (bounds.exclusive_minimum ? 1 : 0)) return true;
      if (bounds.maximum && value.compare(*bounds.maximum) > (bounds.exclusive_maximum ? -1 : 0)) return true;
      const bool multiple = std::all_of(product.atoms.begin(), product.atoms.end(), [&](Atom atom) {
        const JsonId divisor = atom.is_literal() ? kNoJson : reader_.read(atom.node()).multiple;
        return divisor == kNoJson || is_multiple(value, decimal(divisor));
      });
      if (!multiple) return true;
      return (product.types & (value.is_integer() ? kIntegerType : kFractionType)) == 0;
    });
  }
  if (any_of_kind(JsonKind::kString)) {
    TextSpec lengths;
    text_lengths(product, lengths);
    std::vector<ExprId> conditions;
    list_text_conditions(product, conditions);
    if (conditions.empty() && lengths.min_length == 0 && lengths.max_length == kUnbounded) return;
    std::erase_if(choices, [&](JsonId choice) {
      if (document_->kind(choice) != JsonKind::kString) return false;
      const std::string_view text = document_->text(choice);
      const std::size_t length = count_code_points(text);
      if (length < lengths.min_length || length > lengths.max_length) return true;
      return std::any_of(conditions.begin(), conditions.end(),
                         [&](ExprId condition) { return !arena_->matches(condition, text); });
    });
  }
}

void Expander::expand_choices(const Product& product, std::span<const JsonId> choices) {
  // Draft 4 tells integers by their spelling, so that not every spelling of a whole number is one.
  const bool by_spelling = (product.types & kNumberTypes) == kIntegerType && is_lexical_integer(product);
  for (const JsonId choice : choices) {
    switch (document_->kind(choice)) {
      case JsonKind::kNull:
      case JsonKind::kFalse:
      case JsonKind::kTrue: numbers_.push_back(word(document_->kind(choice))); break;
      case JsonKind::kString: strings_.push_back(document_->text(choice)); break;
      default: {
        ExprId equal = literal_text(choice);
        if (by_spelling) equal = arena_->intersect({equal, number(product, {})});
        numbers_.push_back(equal);
      }
    }
  }
}

// --- strings

void Expander::text_lengths(const Product& product, TextSpec& out) {
  for (const Atom atom : product.atoms) {
    if (atom.is_literal()) continue;
    const Schema& schema = reader_.read(atom.node());
    out.min_length = std::max(out.min_length, schema.min_length);
    out.max_length = std::min(out.max_length, schema.max_length);
  }
  if (out.max_length >= kUnreachableLength) out.max_length = kUnbounded;
}

void Expander::list_text_conditions(const Product& product, std::vector<ExprId>& out) {
  for (const Atom atom : product.atoms) {
    if (atom.is_literal()) continue;
    const Schema& schema = reader_.read(atom.node());
    if (schema.pattern != kNoJson) {
      if (const auto condition = pattern_condition(document_->text(schema.pattern), schema.pattern))
        out.push_back(*condition);
    }
    if (schema.format != kNoJson) {
      if (const auto condition = format_condition(schema.format, proving_)) out.push_back(*condition);
    }
  }
  std::vector<std::string_view> excluded;
  for (const Atom atom : product.wholes) {
    if (atom.is_literal() && atom.is_negated()) {
      if (document_->kind(atom.node()) == JsonKind::kString) excluded.push_back(document_->text(atom.node()));
      continue;
    }
    const ExprId texts = texts_of(atom, Shape::kString);
    if (texts != arena_->any_text()) out.push_back(texts);
  }
  if (!excluded.empty()) {
    out.push_back(arena_->intersect({arena_->any_text(), arena_->complement(arena_->literals(excluded))}));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

std::optional<ExprId> Expander::pattern_condition(std::string_view text, JsonId place) {
  if (const auto it = patterns_.find(text); it != patterns_.end()) return it->second.exact;
  const std::string name = fmt::format("pattern {}", text);
  std::optional<ExprId> condition = arena_->find_named(name);
  if (!condition) {
    PatternOptions options;
    options.search = true;
    options.max_depth = options_->limits.max_depth;
    options.max_repeat = options_->limits.max_repeat;
    const auto parsed = parse_pattern(*arena_, text, options);
    if (!parsed) {
      // A proof does without the pattern; whoever needs it will report it.
      if (!proving_) {
        const Error& error = parsed.error();
        diagnostics_->fail(error.code, place,
                           error.column == 0
                               ? error.message
                               : fmt::format("column {} of the pattern: {}", error.column, error.message));
      }
      return std::nullopt;
    }
    condition = *parsed;
    arena_->remember(name, *condition);
  }
  if (*condition == arena_->any_text()) condition.reset();
  patterns_.emplace(text, TextCondition{condition, condition});
  return condition;
}

// Whether the format is asserted; tells what there is to tell of one that is not.
bool Expander::check_format(JsonId format) {
  const std::string_view name = document_->text(format);
  const FormatSupport support = format_support(name);
  if (support == FormatSupport::kUnsupported && !proving_) {
    diagnostics_->fail(ErrorCode::kUnsupported, format,
                       fmt::format("weir cannot assert the format \"{}\" yet; remove it, replace it by a pattern, "
                                   "or turn the assertion of formats off",
                                   name));
  }
  if (support == FormatSupport::kUnknown && !format_bounds(name)) {
    diagnostics_->warn(name, "is not a format of any draft and says nothing about instances", format);
  }
  return support == FormatSupport::kExact;
}

std::optional<ExprId> Expander::format_condition(JsonId format, bool superset) {
  const std::string_view name = document_->text(format);
  auto it = formats_.find(name);
  if (it == formats_.end()) {
    TextCondition condition;
    if (check_format(format)) {
      const FormatExpression known = known_format(*arena_, name);
      condition = {known.expression, known.superset};
    } else if (format_support(name) == FormatSupport::kUnsupported) {
      return std::nullopt;
    }
    it = formats_.emplace(name, condition).first;
  }
  return superset ? it->second.superset : it->second.exact;
}

// One character repeated so and so often: the count goes beside the expression.
void Expander::count_repetition(TextSpec& spec) {
  const std::vector<ExprLoop> loops = arena_->loops(spec.content);
  if (arena_->kind(spec.content) != ExprKind::kRepeat || loops.size() != 1) return;
  const ExprLengths one = arena_->lengths(loops.front().body);
  const ExprLengths all = arena_->lengths(spec.content);
  if (!one.known || one.least != 1 || one.most != 1 || !all.known) return;
  if (all.least <= 1 && all.most == kUnbounded) return;
  spec.min_length = std::max(spec.min_length, all.least);
  spec.max_length = std::min(spec.max_length, all.most);
  spec.content = arena_->star(loops.front().body);
}

// The format that alone says what the text is, if there is one: some text has it.
std::string_view Expander::lone_format(const Product& product) {
  std::string_view format;
  if (!product.wholes.empty()) return {};
  for (const Atom atom : product.atoms) {
    if (atom.is_literal()) continue;
    const Schema& schema = reader_.read(atom.node());
    if (schema.pattern != kNoJson) return {};
    if (schema.format == kNoJson) continue;
    const std::string_view name = document_->text(schema.format);
    if (format_support(name) != FormatSupport::kExact || (!format.empty() && format != name)) return {};
    format = name;
  }
  return format;
}

std::optional<TextSpec> Expander::text(const Product& product) {
  TextSpec spec;
  text_lengths(product, spec);
  if (spec.min_length > spec.max_length) return std::nullopt;
  if (spec.min_length == 0 && spec.max_length == kUnbounded) spec.format = lone_format(product);
  if (!spec.format.empty()) return spec;
  std::vector<ExprId> conditions;
  list_text_conditions(product, conditions);
  if (conditions.empty()) {
    spec.content = arena_->any_text();
    return spec;
  }
  spec.content = conditions.size() == 1 ? conditions.front() : arena_->intersect(conditions);
  const ExprLengths lengths = arena_->lengths(spec.content);
  switch (lengths.some_in(spec.min_length, spec.max_length)) {
    case ExprLengths::Answer::kNo: return std::nullopt;
    case ExprLengths::Answer::kYes:
      // Counted beside the expression, which would have a state for each length left; not at all where it says so.
      if (lengths.least >= spec.min_length) spec.min_length = 0;
      if (lengths.most <= spec.max_length) spec.max_length = kUnbounded;
      count_repetition(spec);
      return spec;
    case ExprLengths::Answer::kUnknown: break;
  }
  if (spec.min_length > (arena_->nullable(spec.content) ? 0U : 1U) || spec.max_length != kUnbounded) {
    spec.content =
        arena_->intersect({spec.content, arena_->repeat(arena_->any_code_point(), spec.min_length, spec.max_length)});
  }
  if (proving_ ? arena_->proves_empty(spec.content, kProofStates) : arena_->is_empty(spec.content)) return std::nullopt;
  return TextSpec{spec.content, {}, 0, kUnbounded};
}

}  // namespace weir::schema
