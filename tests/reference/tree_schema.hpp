// A schema with a bit of everything that masks take different ways for, and a text of it. For tests only.
#pragma once

#include <string_view>

namespace weir::testing {

inline constexpr std::string_view kTreeSchema = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string", "pattern": "^[a-z]+(-[0-9]{2,4})*$"},
    "name": {"type": "string", "maxLength": 12},
    "when": {"type": "string", "format": "date-time"},
    "size": {"type": "number", "minimum": -3, "exclusiveMaximum": 1000.5},
    "tree": {"$ref": "#/$defs/node"}
  },
  "required": ["id", "tree"],
  "patternProperties": {"^i": {"minLength": 2}},
  "if": {"properties": {"size": {"minimum": 5}}, "required": ["size"]}, "then": {"required": ["when"]},
  "oneOf": [{"properties": {"id": {"maxLength": 40}}}, {"properties": {"name": {"const": "x"}}, "required": ["name"]}],
  "$defs": {"node": {"type": "object", "properties": {"key": {"enum": ["ab", "abc", "é"]},
                     "parts": {"type": "array", "items": {"$ref": "#/$defs/node"}}}, "required": ["key"]}}
})";
inline constexpr std::string_view kTreeText =
    R"({"id": "abc-12-345", "name": "né\u00e9", "when": "2024-02-29T23:59:60Z", "size": 1.25e1, )"
    R"("tree": {"key": "\u00e9", "parts": [{"key": "abc"}, {"key": "ab", "parts": [], "more": null}]}})";

}  // namespace weir::testing
