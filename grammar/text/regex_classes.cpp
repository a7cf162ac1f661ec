#include "text/regex_classes.hpp"

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <unicode/uchar.h>
#include <unicode/uset.h>

namespace weir {
namespace {

CodePointSet from_icu(const USet* set) {
  std::vector<CodePointRange> ranges;
  const std::int32_t count = uset_getItemCount(set);
  for (std::int32_t i = 0; i < count; ++i) {
    UChar32 first = 0;
    UChar32 last = 0;
    UErrorCode status = U_ZERO_ERROR;
    // A length of 0 is a range; strings of several code points (emoji sequences) are not code points.
    if (uset_getItem(set, i, &first, &last, nullptr, 0, &status) == 0 && U_SUCCESS(status)) {
      ranges.push_back({static_cast<char32_t>(first), static_cast<char32_t>(last)});
    }
  }
  return CodePointSet::of(ranges);
}

std::optional<CodePointSet> by_value(UProperty property, std::int32_t value) {
  USet* set = uset_openEmpty();
  UErrorCode status = U_ZERO_ERROR;
  uset_applyIntPropertyValue(set, property, value, &status);
  std::optional<CodePointSet> result;
  if (U_SUCCESS(status)) result = from_icu(set);
  uset_close(set);
  return result;
}

// ICU matches names loosely (case, spaces, underscores); ECMA-262 does not. All aliases are tried in turn.
bool is_value_name(UProperty property, std::int32_t value, const std::string& name) {
  for (int choice = U_SHORT_PROPERTY_NAME; choice < 8; ++choice) {
    const char* alias = u_getPropertyValueName(property, value, static_cast<UPropertyNameChoice>(choice));
    if (alias != nullptr && name == alias) return true;
    if (alias == nullptr && choice > U_LONG_PROPERTY_NAME) break;
  }
  return false;
}

bool is_property_name(UProperty property, const std::string& name) {
  for (int choice = U_SHORT_PROPERTY_NAME; choice < 8; ++choice) {
    const char* alias = u_getPropertyName(property, static_cast<UPropertyNameChoice>(choice));
    if (alias != nullptr && name == alias) return true;
    if (alias == nullptr && choice > U_LONG_PROPERTY_NAME) break;
  }
  return false;
}

std::optional<CodePointSet> property_value(UProperty property, const std::string& name) {
  const std::int32_t value = u_getPropertyValueEnum(property, name.c_str());
  if (value == UCHAR_INVALID_CODE || !is_value_name(property, value, name)) return std::nullopt;
  return by_value(property, value);
}

}  // namespace

const CodePointSet& regex_digits() {
  static const CodePointSet set = CodePointSet::range('0', '9');
  return set;
}

const CodePointSet& regex_word_characters() {
  static const CodePointSet set = [] {
    const std::vector<CodePointRange> ranges = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    return CodePointSet::of(ranges);
  }();
  return set;
}

const CodePointSet& regex_white_space() {
  static const CodePointSet set = [] {
    // TAB LF VT FF CR, SPACE, NBSP and the other space separators (Zs), LS PS, ZWNBSP.
    const std::vector<CodePointRange> ranges = {{0x09, 0x0D},     {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680},
                                                {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                                                {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
    return CodePointSet::of(ranges);
  }();
  return set;
}

const CodePointSet& regex_line_terminators() {
  static const CodePointSet set = [] {
    const std::vector<CodePointRange> ranges = {{0x0A, 0x0A}, {0x0D, 0x0D}, {0x2028, 0x2029}};
    return CodePointSet::of(ranges);
  }();
  return set;
}

namespace {

std::optional<CodePointSet> find_property(std::string_view expression) {
  const std::size_t equals = expression.find('=');
  const std::string name(expression.substr(0, equals));
  if (equals != std::string_view::npos) {
    const std::string value(expression.substr(equals + 1));
    if (name == "General_Category" || name == "gc") return property_value(UCHAR_GENERAL_CATEGORY_MASK, value);
    if (name == "Script" || name == "sc") return property_value(UCHAR_SCRIPT, value);
    if (name == "Script_Extensions" || name == "scx") {
      const std::int32_t script = u_getPropertyValueEnum(UCHAR_SCRIPT, value.c_str());
      if (script == UCHAR_INVALID_CODE || !is_value_name(UCHAR_SCRIPT, script, value)) return std::nullopt;
      return by_value(UCHAR_SCRIPT_EXTENSIONS, script);
    }
    return std::nullopt;
  }
  if (name == "Any") return CodePointSet::all();
  if (name == "ASCII") return CodePointSet::range(0, 0x7F);
  if (name == "Assigned") {
    auto unassigned = by_value(UCHAR_GENERAL_CATEGORY_MASK, U_GC_CN_MASK);
    if (!unassigned) return std::nullopt;
    return unassigned->complement();
  }
  if (auto category = property_value(UCHAR_GENERAL_CATEGORY_MASK, name)) return category;
  const UProperty property = u_getPropertyEnum(name.c_str());
  if (property < UCHAR_BINARY_START || property >= UCHAR_BINARY_LIMIT || !is_property_name(property, name)) {
    return std::nullopt;
  }
  return by_value(property, 1);
}

}  // namespace

std::optional<CodePointSet> unicode_property(std::string_view expression) {
  // ICU walks all of Unicode for a set. Names have one spelling each, so there are not many that are found.
  static std::mutex mutex;
  static std::unordered_map<std::string, CodePointSet> found;
  const std::lock_guard lock(mutex);
  std::string name(expression);
  if (const auto known = found.find(name); known != found.end()) return known->second;
  auto set = find_property(expression);
  if (set) found.emplace(std::move(name), *set);
  return set;
}

}  // namespace weir
