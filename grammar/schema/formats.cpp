// Formats as the RFCs define them, and as the JSON-Schema-Test-Suite reads them where they leave room.
#include "schema/formats.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ir/expr_image.hpp"
#include "schema/format_regex.hpp"
#include "schema/format_texts.hpp"
#include "text/regex.hpp"

namespace weir {
namespace {

// Names below are those of the RFCs' own grammars.
class Formats {
 public:
  explicit Formats(ExprArena& arena) : arena_(arena) {}

  FormatExpression exact(ExprId e) const { return {FormatSupport::kExact, e, e}; }
  FormatExpression exact(std::string_view pattern) { return exact(re(pattern)); }

  ExprId re(std::string_view pattern) {
    // The patterns are constants, so only an exhausted arena fails, and that the caller asks the arena.
    const auto e = parse_pattern(arena_, pattern, {});
    return e ? *e : kEmptyExpr;
  }

  ExprId date();
  ExprId time(bool superset);
  FormatExpression hostname() { return {FormatSupport::kExact, host(false), host(true)}; }
  FormatExpression email() { return mailbox(false, host(false), host(true)); }
  FormatExpression idn_email();
  FormatExpression idn_hostname();
  FormatExpression regex() { return {FormatSupport::kExact, regex_expression(arena_), regex_superset(arena_)}; }
  FormatExpression byte() { return {FormatSupport::kExact, re(kBase64), re(kBase64Superset)}; }
  FormatExpression time() { return {FormatSupport::kExact, time(false), time(true)}; }
  FormatExpression date_time() {
    const ExprId head = arena_.concat(date(), re("[Tt]"));
    return {FormatSupport::kExact, arena_.concat(head, time(false)), arena_.concat(head, time(true))};
  }

 private:
  ExprId leap_second();
  ExprId label(bool superset);
  ExprId host(bool superset);
  ExprId names(ExprId one, ExprId dot) { return cat({one, arena_.star(cat({dot, one}))}); }
  ExprId plain_label(unsigned most);
  ExprId idn_name(const CodePointSet& characters, std::string_view dot);
  ExprId idn_names_superset();
  FormatExpression mailbox(bool international, ExprId domain, ExprId domain_superset);
  ExprId cat(std::initializer_list<ExprId> parts) { return arena_.concat(parts); }
  ExprId any_of(std::initializer_list<ExprId> parts) { return arena_.alternate(parts); }

  ExprArena& arena_;
};

// RFC 3339 full-date, with the days that the months have.
ExprId Formats::date() {
  return re(
      "\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|"
      "02-(?:0[1-9]|1\\d|2[0-8]))|"
      "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29");
}

// Second 60 occurs at 23:59 UTC only, so the local time fixes the offset: to remember both to the minute takes an
// automaton of 1,440 states beside each other. Offered are the offsets that clocks have: hours, and hours with :30,
// :45.
ExprId Formats::leap_second() {
  const ExprId second = re(":60(?:\\.\\d+)?");
  std::vector<ExprId> hours;
  for (int hour = 0; hour < 24; ++hour) {
    const auto east = [&](int minute) {
      return fmt::format("+{:02}:{:02}", minute == 0 ? (hour + 1) % 24 : hour, minute);
    };
    const auto west = [&](int minute) { return fmt::format("-{:02}:{:02}", 23 - hour, minute); };
    const auto at = [&](const char* minute, std::vector<std::string> offsets) {
      return cat({arena_.literal(minute), second, arena_.literals(offsets)});
    };
    std::vector<std::string> full_hours{east(0), west(0)};
    if (hour == 23) full_hours.insert(full_hours.end(), {"Z", "z"});
    const ExprId minutes =
        any_of({at("59", full_hours), at("29", {east(30), west(30)}), at("44", {east(45)}), at("14", {west(45)})});
    hours.push_back(cat({arena_.literal(fmt::format("{:02}:", hour)), minutes}));
  }
  return arena_.alternate(hours);
}

// RFC 3339 full-time.
ExprId Formats::time(bool superset) {
  const ExprId offset = re("[Zz]|[+\\-](?:[01]\\d|2[0-3]):[0-5]\\d");
  const ExprId minute = re("(?:[01]\\d|2[0-3]):[0-5]\\d:");
  if (superset) return cat({minute, re("(?:[0-5]\\d|60)(?:\\.\\d+)?"), offset});
  return any_of({cat({minute, re("[0-5]\\d(?:\\.\\d+)?"), offset}), leap_second()});
}

// RFC 1123: 1 to 63 letters, digits and hyphens, no hyphen at either end.
ExprId Formats::label(bool superset) {
  if (superset) return re("[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?");
  // The same without those that begin with xn--.
  return re(
      "[A-WYZa-wyz0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?|"
      "[Xx](?:-[A-Za-z0-9\\-]{0,60}[A-Za-z0-9]|[A-MO-Za-mo-z0-9](?:[A-Za-z0-9\\-]{0,60}[A-Za-z0-9])?|"
      "[Nn](?:-?[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,58}[A-Za-z0-9])?)?)?|"
      "[Xx][Nn][A-Za-z0-9][A-Za-z0-9\\-]{59}[A-Za-z0-9]");
}

ExprId Formats::host(bool superset) {
  const ExprId one = label(superset);
  const ExprId name = cat({one, arena_.star(cat({arena_.byte('.'), one}))});
  return arena_.intersect({name, re("[A-Za-z0-9.\\-]{1,253}")});
}

// RFC 5321 Mailbox, RFC 6531 when international; the local part has at most 64 octets.
FormatExpression Formats::mailbox(bool international, ExprId domain, ExprId domain_superset) {
  const std::string more = international ? "\\u0080-\\u{10FFFF}" : "";
  const std::string atom = "[A-Za-z0-9!#$%&'*+\\-/=?\\^_`{|}~" + more + "]+";
  const ExprId local = re(atom + "(?:\\." + atom + ")*|\"(?:[ !#-\\[\\]-~" + more + "]|\\\\[ -~])*\"");
  const ExprId head =
      cat({arena_.intersect({local, arena_.repeat(arena_.bytes(ByteSet::all()), 1, 64)}), arena_.byte('@')});
  const ExprId address = re(fmt::format("\\[(?:{}|IPv6:(?:{}))\\]", kIpv4, ipv6_pattern()));
  return {FormatSupport::kExact, cat({head, any_of({domain, address})}),
          cat({head, any_of({domain_superset, address})})};
}

// ASCII labels without hyphens in both the third and the fourth place, where they would mean something.
ExprId Formats::plain_label(unsigned most) {
  return re(fmt::format(
      "[A-Za-z0-9]|[A-Za-z0-9]{{2}}|[A-Za-z0-9][A-Za-z0-9\\-]{{1,2}}[A-Za-z0-9]|"
      "[A-Za-z0-9][A-Za-z0-9\\-](?:[A-Za-z0-9][A-Za-z0-9\\-]|-[A-Za-z0-9])[A-Za-z0-9\\-]{{0,{}}}[A-Za-z0-9]",
      most - 5));
}

// Up to four labels, of characters that RFC 5892 allows wherever they stand. 14 of them take at most 62 octets in
// Punycode, so that the name stays within 253.
ExprId Formats::idn_name(const CodePointSet& characters, std::string_view dot) {
  const ExprId international =
      cat({arena_.code_points(idn_label_starts(characters)), arena_.repeat(arena_.code_points(characters), 0, 13)});
  const ExprId one = any_of({plain_label(62), international});
  return cat({one, arena_.repeat(cat({re(dot), one}), 0, 3)});
}

ExprId Formats::idn_names_superset() {
  const ExprId wide =
      re("[A-Za-z0-9\\u0080-\\u{10FFFF}](?:[A-Za-z0-9\\-\\u0080-\\u{10FFFF}]*[A-Za-z0-9\\u0080-\\u{10FFFF}])?");
  return names(wide, re(kIdnDots));
}

// RFC 6531, where labels need not be in a normal form.
FormatExpression Formats::idn_email() {
  return mailbox(true, any_of({host(false), idn_name(idn_label_characters(), "\\.")}), idn_names_superset());
}

// RFC 5890.
FormatExpression Formats::idn_hostname() {
  const ExprId plain =
      arena_.intersect({names(plain_label(63), arena_.byte('.')), arena_.repeat(arena_.bytes(ByteSet::all()), 1, 253)});
  return {FormatSupport::kExact, any_of({plain, idn_name(always_composed(idn_label_characters()), kIdnDots)}),
          idn_names_superset()};
}

struct Format {
  std::string_view name;
  FormatExpression (*build)(Formats&);
  bool openapi = false;
};

constexpr std::array kFormats = {
    Format{"date", [](Formats& f) { return f.exact(f.date()); }},
    Format{"time", [](Formats& f) { return f.time(); }},
    Format{"date-time", [](Formats& f) { return f.date_time(); }},
    Format{"duration", [](Formats& f) { return f.exact(kDuration); }},
    Format{"email", [](Formats& f) { return f.email(); }},
    Format{"idn-email", [](Formats& f) { return f.idn_email(); }},
    Format{"idn-hostname", [](Formats& f) { return f.idn_hostname(); }},
    Format{"regex", [](Formats& f) { return f.regex(); }},
    Format{"byte", [](Formats& f) { return f.byte(); }, true},
    Format{"hostname", [](Formats& f) { return f.hostname(); }},
    Format{"ipv4", [](Formats& f) { return f.exact(kIpv4); }},
    Format{"ipv6", [](Formats& f) { return f.exact(ipv6_pattern()); }},
    Format{"uuid", [](Formats& f) { return f.exact(kUuid); }},
    Format{"uri", [](Formats& f) { return f.exact(uri_pattern(false, false)); }},
    Format{"uri-reference", [](Formats& f) { return f.exact(uri_pattern(false, true)); }},
    Format{"iri", [](Formats& f) { return f.exact(uri_pattern(true, false)); }},
    Format{"iri-reference", [](Formats& f) { return f.exact(uri_pattern(true, true)); }},
    Format{"uri-template", [](Formats& f) { return f.exact(uri_template_pattern()); }},
    Format{"json-pointer", [](Formats& f) { return f.exact(kJsonPointer); }},
    Format{"relative-json-pointer", [](Formats& f) { return f.exact(kRelativeJsonPointer); }},
};

// kFormats.size(): none of them.
std::size_t place_of(std::string_view format) {
  const auto* const known =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& f) { return f.name == format; });
  return static_cast<std::size_t>(known - kFormats.begin());
}

// Formats are constants: each is built once in a process, in an arena of its own, and copied from there.
const ExprImage& image_of(std::size_t format) {
  struct Memory {
    std::once_flag once;
    ExprImage image;
  };
  static std::array<Memory, kFormats.size()> memory;
  std::call_once(memory[format].once, [&] {
    ExprArena arena;
    arena.any_text();  // absorbs sets of texts only in arenas that know it; most do
    Formats formats(arena);
    const FormatExpression e = kFormats[format].build(formats);
    memory[format].image = ExprImage(arena, std::array{e.expression, e.superset});
  });
  return memory[format].image;
}

}  // namespace

FormatSupport format_support(std::string_view format) {
  const std::size_t place = place_of(format);
  return place < kFormats.size() && !kFormats[place].openapi ? FormatSupport::kExact : FormatSupport::kUnknown;
}

FormatExpression format_expression(ExprArena& arena, std::string_view format) {
  const FormatSupport support = format_support(format);
  if (support != FormatSupport::kExact) return {support, kEmptyExpr, kEmptyExpr};
  const std::vector<ExprId> ids = image_of(place_of(format)).put(arena);
  return {support, ids[0], ids[1]};
}

FormatExpression known_format(ExprArena& arena, std::string_view format) {
  const std::string exact = fmt::format("format {}", format);
  const std::string superset = fmt::format("format-superset {}", format);
  const auto known = arena.find_named(exact);
  const auto known_superset = arena.find_named(superset);
  if (known && known_superset) return {FormatSupport::kExact, *known, *known_superset};
  const FormatExpression made = format_expression(arena, format);
  if (made.support == FormatSupport::kExact) {
    arena.remember(exact, made.expression);
    arena.remember(superset, made.superset);
  }
  return made;
}

FormatExpression openapi_format(ExprArena& arena, std::string_view format) {
  const std::size_t place = place_of(format);
  if (place == kFormats.size() || !kFormats[place].openapi) return {};
  const std::vector<ExprId> ids = image_of(place).put(arena);
  return {FormatSupport::kExact, ids[0], ids[1]};
}

std::optional<NumberBounds> format_bounds(std::string_view format) {
  struct Range {
    std::string_view format, minimum, maximum;
    bool integer;
  };
  constexpr std::array kRanges = {
      Range{"int32", "-2147483648", "2147483647", true},
      Range{"int64", "-9223372036854775808", "9223372036854775807", true},
      Range{"float", "-3.4028234663852886e38", "3.4028234663852886e38", false},
      Range{"double", "-1.7976931348623157e308", "1.7976931348623157e308", false},
  };
  for (const Range& range : kRanges) {
    if (range.format != format) continue;
    NumberBounds bounds;
    bounds.minimum = Decimal::parse(range.minimum);
    bounds.maximum = Decimal::parse(range.maximum);
    bounds.integer = range.integer;
    return bounds;
  }
  return std::nullopt;
}

void prepare_formats() {
  for (const std::string_view format :
       {"date", "time", "date-time", "email", "hostname", "ipv4", "ipv6", "uuid", "uri", "uri-reference"}) {
    image_of(place_of(format));
  }
}

}  // namespace weir
