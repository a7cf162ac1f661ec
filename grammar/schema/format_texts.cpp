#include "schema/format_texts.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>

#include "text/regex_classes.hpp"

namespace weir {
namespace {

// RFC 3987, section 2.2.
constexpr const char* kUcschar =
    "\\u00A0-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF\\u{10000}-\\u{1FFFD}\\u{20000}-\\u{2FFFD}\\u{30000}-\\u{3FFFD}"
    "\\u{40000}-\\u{4FFFD}\\u{50000}-\\u{5FFFD}\\u{60000}-\\u{6FFFD}\\u{70000}-\\u{7FFFD}\\u{80000}-\\u{8FFFD}"
    "\\u{90000}-\\u{9FFFD}\\u{A0000}-\\u{AFFFD}\\u{B0000}-\\u{BFFFD}\\u{C0000}-\\u{CFFFD}\\u{D0000}-\\u{DFFFD}"
    "\\u{E1000}-\\u{EFFFD}";
constexpr const char* kIprivate = "\\uE000-\\uF8FF\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}";
constexpr const char* kUnreserved = "A-Za-z0-9\\-._~";
constexpr const char* kSubDelims = "!$&'()*+,;=";

constexpr std::array kNoLabelCharacters = {CodePointRange{0x0640, 0x0640}, CodePointRange{0x302E, 0x302F},
                                           CodePointRange{0x3031, 0x3035}, CodePointRange{0x303B, 0x303B},
                                           CodePointRange{0x1100, 0x11FF}, CodePointRange{0xA960, 0xA97F},
                                           CodePointRange{0xD7B0, 0xD7FF}};

CodePointSet category(const char* name) { return unicode_property(name).value_or(CodePointSet{}); }

}  // namespace

CodePointSet always_composed(const CodePointSet& set) {
  constexpr std::uint8_t kVirama = 9;
  std::vector<CodePointRange> ranges;
  for (const CodePointRange& range : set.ranges()) {
    for (char32_t c = range.first; c <= range.last; ++c) {
      const auto code_point = static_cast<UChar32>(c);
      const std::uint8_t place = u_getCombiningClass(code_point);
      if (place != 0 && place != kVirama) continue;
      if (u_getIntPropertyValue(code_point, UCHAR_NFC_QUICK_CHECK) != UNORM_YES) continue;
      ranges.push_back({c, c});
    }
  }
  return CodePointSet::of(ranges);
}

std::string ipv6_pattern() {
  const std::string h16 = "[0-9A-Fa-f]{1,4}";
  const std::string ls32 = fmt::format("(?:{0}:{0}|{1})", h16, kIpv4);
  const auto groups = [&](int count) { return fmt::format("(?:{}:){{{}}}", h16, count); };
  const auto before = [&](int most) { return fmt::format("(?:(?:{0}:){{0,{1}}}{0})?", h16, most); };
  return groups(6) + ls32 +                           //
         "|::" + groups(5) + ls32 +                   //
         "|(?:" + h16 + ")?::" + groups(4) + ls32 +   //
         "|" + before(1) + "::" + groups(3) + ls32 +  //
         "|" + before(2) + "::" + groups(2) + ls32 +  //
         "|" + before(3) + "::" + h16 + ":" + ls32 +  //
         "|" + before(4) + "::" + ls32 +              //
         "|" + before(5) + "::" + h16 +               //
         "|" + before(6) + "::";
}

std::string uri_pattern(bool international, bool reference) {
  const std::string unreserved = kUnreserved + std::string(international ? kUcschar : "");
  const std::string escaped = "%[0-9A-Fa-f]{2}";
  const auto run_of = [&](std::string_view set) { return fmt::format("(?:[{}]|{})", set, escaped); };
  const std::string pchar = run_of(unreserved + kSubDelims + ":@");
  const std::string pchar_no_colon = run_of(unreserved + kSubDelims + "@");
  const std::string query = run_of(unreserved + kSubDelims + ":@/?" + (international ? kIprivate : ""));
  const std::string fragment = run_of(unreserved + kSubDelims + ":@/?");
  const std::string ip_literal =
      fmt::format("\\[(?:{}|[vV][0-9A-Fa-f]+\\.[{}{}:]+)\\]", ipv6_pattern(), kUnreserved, kSubDelims);
  const std::string userinfo = run_of(unreserved + kSubDelims + ":");
  const std::string name = run_of(unreserved + kSubDelims);
  // reg-name holds every IPv4address.
  const std::string authority = fmt::format("(?:{}*@)?(?:{}|{}*)(?::\\d*)?", userinfo, ip_literal, name);
  const std::string segments = fmt::format("(?:/{}*)*", pchar);
  const std::string absolute = fmt::format("/(?:{0}+(?:/{0}*)*)?", pchar);
  const std::string tail = fmt::format("(?:\\?{}*)?(?:#{}*)?", query, fragment);
  const std::string rootless = fmt::format("{0}+(?:/{0}*)*", pchar);
  const std::string uri =
      fmt::format("[A-Za-z][A-Za-z0-9+\\-.]*:(?://{}{}|{}|{}|){}", authority, segments, absolute, rootless, tail);
  if (!reference) return uri;
  const std::string no_scheme = fmt::format("{}+(?:/{}*)*", pchar_no_colon, pchar);
  return fmt::format("{}|(?://{}{}|{}|{}|){}", uri, authority, segments, absolute, no_scheme, tail);
}

std::string uri_template_pattern() {
  const std::string literal = fmt::format("(?:[!#$&'(-;=?-\\[\\]_a-z~{}{}]|%[0-9A-Fa-f]{{2}})", kUcschar, kIprivate);
  const std::string varchar = "(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})";
  const std::string varspec = fmt::format("{0}(?:\\.?{0})*(?::[1-9]\\d{{0,3}}|\\*)?", varchar);
  return fmt::format("(?:{0}|\\{{[+#./;?&=,!@|]?{1}(?:,{1})*\\}})*", literal, varspec);
}

CodePointSet idn_label_characters() {
  CodePointSet set;
  for (const char* name : {"Ll", "Lo", "Lm", "Mn", "Mc", "Nd"}) set = set.united(category(name));
  for (const char* name :
       {"Changes_When_NFKC_Casefolded", "Default_Ignorable_Code_Point", "Script=Hebrew", "Script=Arabic",
        "Script=Syriac", "Script=Thaana", "Script=Nko", "Script=Samaritan", "Script=Mandaic"}) {
    set = set.minus(category(name));
  }
  set = set.minus(CodePointSet::range(0x0660, 0x0669));  // Arabic-Indic digits: contextual, and of common script
  // RFC 5892, section 2.6 (what is left to right) and 2.9, the old Jamo.
  for (const char32_t c : {0x00DF, 0x03C2, 0x0F0B, 0x3007}) set = set.united(CodePointSet::single(c));
  for (const CodePointRange range : kNoLabelCharacters) set = set.minus(CodePointSet::range(range.first, range.last));
  // Further right-to-left scripts lie beyond the first plane; of the rest there, ideographs are what is written.
  return set.intersected(CodePointSet::range(0, 0xFB1C).united(CodePointSet::range(0x20000, 0x2FFFF)));
}

CodePointSet idn_label_starts(CodePointSet set) {
  for (const char* name : {"Mn", "Mc", "Nd"}) set = set.minus(category(name));
  return set;
}

}  // namespace weir
