// Formats as the RFCs define them, and as the JSON-Schema-Test-Suite reads them where they leave room.
#include "schema/formats.hpp"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

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
  FormatExpression time() { return {FormatSupport::kExact, time(false), time(true)}; }
  FormatExpression date_time() {
    const ExprId head = arena_.concat(date(), re("[Tt]"));
    return {FormatSupport::kExact, arena_.concat(head, time(false)), arena_.concat(head, time(true))};
  }

 private:
  ExprId leap_second();
  ExprId label(bool superset);
  ExprId host(bool superset);
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

// RFC 6531. Domain labels are as RFC 5892 allows them, of at most 15 code points: so many Punycode always brings within
// 63 octets.
FormatExpression Formats::idn_email() {
  const auto name = [&](ExprId one, ExprId dot) { return cat({one, arena_.star(cat({dot, one}))}); };
  const ExprId start = arena_.code_points(idn_label_starts());
  const ExprId more = arena_.code_points(idn_label_characters());
  const ExprId narrow = any_of({label(false), cat({start, arena_.repeat(more, 0, 14)})});
  const ExprId narrow_name =
      arena_.intersect({name(narrow, arena_.byte('.')), arena_.repeat(arena_.bytes(ByteSet::all()), 1, 253)});
  const ExprId wide =
      re("[A-Za-z0-9\\u0080-\\u{10FFFF}](?:[A-Za-z0-9\\-\\u0080-\\u{10FFFF}]*[A-Za-z0-9\\u0080-\\u{10FFFF}])?");
  const ExprId wide_name = name(wide, re("[.\\u3002\\uFF0E\\uFF61]"));
  return mailbox(true, narrow_name, wide_name);
}

}  // namespace

FormatExpression format_expression(ExprArena& arena, std::string_view format) {
  Formats formats(arena);
  if (format == "date") return formats.exact(formats.date());
  if (format == "time") return formats.time();
  if (format == "date-time") return formats.date_time();
  if (format == "duration") return formats.exact(kDuration);
  if (format == "email") return formats.email();
  if (format == "idn-email") return formats.idn_email();
  if (format == "hostname") return formats.hostname();
  if (format == "ipv4") return formats.exact(kIpv4);
  if (format == "ipv6") return formats.exact(ipv6_pattern());
  if (format == "uuid") return formats.exact(kUuid);
  if (format == "uri") return formats.exact(uri_pattern(false, false));
  if (format == "uri-reference") return formats.exact(uri_pattern(false, true));
  if (format == "iri") return formats.exact(uri_pattern(true, false));
  if (format == "iri-reference") return formats.exact(uri_pattern(true, true));
  if (format == "uri-template") return formats.exact(uri_template_pattern());
  if (format == "json-pointer") return formats.exact(kJsonPointer);
  if (format == "relative-json-pointer") return formats.exact(kRelativeJsonPointer);
  if (format == "idn-hostname" || format == "regex") return {FormatSupport::kUnsupported, kEmptyExpr, kEmptyExpr};
  return {};
}

}  // namespace weir
