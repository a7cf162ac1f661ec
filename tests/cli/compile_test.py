"""weir compile: checks, warnings and statistics."""

import json

import pytest


def test_statistics(cli, file):
    run = cli("compile", "--json-schema", file('{"type": "integer"}', "s.json"), "--json")
    assert run.code == 0 and run.err == ""
    statistics = run.json
    assert statistics["notation"] == "json-schema" and statistics["bytes"] == 19
    assert statistics["matches_empty"] is False and statistics["warnings"] == []
    for name in ("compile_us", "first_mask_us", "expressions", "allowed_first", "vocabulary"):
        assert statistics[name] > 0, name
    assert cli("compile", "--regex", "a*", "--json").json["matches_empty"] is True


def test_people_get_lines(cli, file):
    run = cli("compile", "--ebnf", file('start = "a" ;', "g.ebnf"))
    assert run.code == 0 and run.err == "" and b"g.ebnf: 13 bytes compiled in" in run.out


@pytest.mark.parametrize(("notation", "text"), [("ebnf", 'start = "a" ;'), ("gbnf", 'root ::= "a"'), ("lark", 'start: "a"')])
def test_statistics_name_the_notation(cli, file, notation, text):
    assert cli("compile", f"--{notation}", file(text), "--json").json["notation"] == notation


def test_warnings_do_not_fail(cli, file):
    path = file('{"type": "string", "format": "no-such-format"}', "s.json")
    run = cli("compile", "--json-schema", path, "--json")
    assert run.code == 0
    assert run.err.startswith("warning: ") and "no-such-format" in run.err
    assert len(run.json["warnings"]) == 1 and run.json["warnings"][0]["place"].startswith("/")


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"properties": {"a": {"type": "strng"}}}, "/properties/a"),
        ({"properties": {"a": {"minLength": -1}}}, "/properties/a/minLength"),
        ({"$defs": {"x": {"pattern": "("}}, "$ref": "#/$defs/x"}, "/$defs/x/pattern"),
        ({"items": {"$ref": "#/$defs/none"}}, "/items/$ref"),
    ],
)
def test_errors_point_into_the_schema(cli, file, schema, pointer):
    run = cli("compile", "--json-schema", file(json.dumps(schema), "s.json"), "--json")
    assert run.code == 2
    error = run.json["error"]
    assert error["pointer"].startswith(pointer), error
    assert error["code"] in ("invalid", "syntax") and error["message"]
    assert f"s.json: {error['pointer']}: {error['message']}\n" in run.err and run.err.startswith("error: ")


@pytest.mark.parametrize(
    ("arguments", "line", "column"),
    [
        (["--regex", "ab("], 1, 3),
        (["--ebnf", 'start = "a" ;\nb = = ;\n'], 2, 5),
        (["--gbnf", 'root ::= "a"\nb ::= = \n'], 2, 7),
        (["--lark", 'start: "a"\n  | /a(b/\n'], 2, 7),
    ],
)
def test_errors_point_into_the_text(cli, file, arguments, line, column):
    option, text = arguments
    named = text if option == "--regex" else file(text, "g.ebnf")
    run = cli("compile", option, named, "--json")
    assert run.code == 2
    assert (run.json["error"]["code"], run.json["error"]["line"], run.json["error"]["column"]) == ("syntax", line, column)
    assert f":{line}:{column}: " in run.err


def test_what_matches_nothing_is_an_error(cli, file):
    run = cli("compile", "--json-schema", file('{"type": "integer", "minimum": 3, "maximum": 2}', "s.json"), "--json")
    assert run.code == 2 and run.json["error"]["code"] == "unsatisfiable"
