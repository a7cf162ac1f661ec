"""A lenient compile: what is refused otherwise is a warning with its place, on standard error and in the statistics."""

import json

import pytest

CASES = [
    ({"type": "string", "pattern": "(a)\\1"}, ["/pattern"], ["\"b\""], ["1"]),
    ({"properties": {"a": {"$ref": "http://example.com/a.json"}, "b": {"type": "null"}}}, ["/properties/a/$ref"], ['{"a":1}'], ['{"b":1}']),
    ({"not": {"pattern": "(a)\\1"}, "type": "string"}, ["/not", "/not/pattern"], ['"aa"', '"b"'], ["1"]),
    ({"patternProperties": {"(a)\\1": {"type": "null"}}, "additionalProperties": False, "minProperties": 1},
     ["/additionalProperties", "/patternProperties"], ['{"aa":null}', '{"b":1}'], ["{}"]),
    ({"oneOf": [{"type": "string", "pattern": "(a)\\1"}, {"type": "string", "maxLength": 2}]}, ["/oneOf", "/oneOf/0/pattern"], ['"aa"', '"bbb"'], ["1"]),
    ({"if": {"$ref": "#/$defs/x"}, "then": {"const": "ab"}, "$defs": {"x": {"type": "string", "pattern": "(a)\\1"}}}, ["/$defs/x/pattern", "/if"], ['"aa"', "1"], []),
    ({"$schema": "http://example.com/dialect", "type": "null"}, ["/$schema"], ["null"], ["1"]),
    ({"allOf": [{"$ref": "http://example.com/a.json"}], "unevaluatedProperties": False}, ["/allOf/0/$ref", "/unevaluatedProperties"], ['{"a":1}'], []),
]


@pytest.mark.parametrize("schema, places, accepted, rejected", CASES)
def test_what_is_passed_over(cli, fails, file, schema, places, accepted, rejected):
    path = file(json.dumps(schema), "schema.json")
    fails("compile", "--json-schema", path)
    run = cli("compile", "--json-schema", path, "--lenient", "--json")
    assert run.code == 0, run
    assert sorted(warning["place"] for warning in run.json["warnings"]) == places
    warned = [line for line in run.err.splitlines() if line.startswith("warning: ")]
    assert len(warned) == len(places)
    for place in places:
        assert any(f"schema.json: {place}: " in line for line in warned), (place, warned)
    for text in accepted:
        assert cli("accepts", "--json-schema", path, "--lenient", "-", stdin=text.encode()).code == 0, text
    for text in rejected:
        assert cli("accepts", "--json-schema", path, "--lenient", "-", stdin=text.encode()).code == 1, text


def test_what_is_wrong_stays_an_error(fails, file):
    for schema in [{"type": "strng"}, {"$ref": "#/$defs/missing"}, {"pattern": "("}, False]:
        fails("compile", "--json-schema", file(json.dumps(schema)), "--lenient")


def test_warnings_of_what_says_nothing(cli, file):
    path = file(json.dumps({"format": "fancy", "properties": {"a": {"colour": "red"}}}), "schema.json")
    run = cli("compile", "--json-schema", path)
    assert run.code == 0
    assert 'schema.json: /format: "fancy" is not a format' in run.err
    assert 'schema.json: /properties/a/colour: "colour" is not a keyword' in run.err
