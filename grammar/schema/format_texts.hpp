// The formats that are best said as patterns. Private to grammar/schema.
#pragma once

#include <string>

#include "weir/grammar/code_points.hpp"

namespace weir {

// RFC 2673 section 3.2, as RFC 3986 spells it: no leading zeros.
inline constexpr const char* kIpv4 =
    "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(?:\\.(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3}";

// RFC 9562 section 4, of any version and variant.
inline constexpr const char* kUuid = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}";

// RFC 3339 appendix A.
inline constexpr const char* kDuration =
    "P(?:(?:\\d+D|\\d+M(?:\\d+D)?|\\d+Y(?:\\d+M(?:\\d+D)?)?)(?:T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S))?|"
    "T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)|\\d+W)";

// RFC 6901, and its draft relative form.
inline constexpr const char* kJsonPointer = "(?:/(?:[^~/]|~[01])*)*";
inline constexpr const char* kRelativeJsonPointer = "(?:0|[1-9]\\d*)(?:#|(?:/(?:[^~/]|~[01])*)*)";

// RFC 4648 section 4: the bits that fill up the last digit are 0; the superset has them as decoders do.
inline constexpr const char* kBase64 =
    "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?";
inline constexpr const char* kBase64Superset = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?";

// RFC 3490 section 3.1: what is read as a dot between labels.
inline constexpr const char* kIdnDots = "[.\\u3002\\uFF0E\\uFF61]";

// RFC 4291 section 2.2, in the grammar of RFC 3986.
std::string ipv6_pattern();
// RFC 3986, or RFC 3987 when international; URI and URI-reference.
std::string uri_pattern(bool international, bool reference);
// RFC 6570 with erratum 6937 (the apostrophe is a literal).
std::string uri_template_pattern();

// Code points that RFC 5892 allows in a label whatever stands beside them, of scripts that need no Bidi rule;
// lower-case ASCII letters and digits among them. And those of a set of them with which a label may begin.
CodePointSet idn_label_characters();
CodePointSet idn_label_starts(CodePointSet characters);
// The members of which every text is in the normal form NFC: they compose with nothing before them, and marks have no
// order among each other.
CodePointSet always_composed(const CodePointSet& set);

}  // namespace weir
