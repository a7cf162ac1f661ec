"""weir accepts: verdicts, and where and why a text is rejected."""

import re

import pytest

DIGITS = 'start = "[" , d , { "," , d } , "]" ; d = [0-9] ;'


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        (r"[0-9]{4}-[0-9]{2}", ["2024-05", "2024-5", "", "2024-055", "x"]),
        (r"(a|ab)(c|bcd)", ["ac", "abc", "abcd", "abbcd", "abd"]),
        (r"[^\n]*", ["", "é", "\U0001f600!", "a\nb"]),
    ],
)
def test_verdicts_are_those_of_pythons_re(cli, pattern, texts):
    for text in texts:
        accepted = re.fullmatch(pattern, text) is not None
        run = cli("accepts", "--regex", pattern, stdin=text.encode())
        assert run.code == (0 if accepted else 1), (pattern, text, run)
        assert run.out == b""
        assert (run.err == "") == accepted
        assert cli("accepts", "--regex", pattern, "--json", stdin=text.encode()).json["accepted"] is accepted


def test_text_is_a_file_taken_byte_for_byte(cli, file):
    assert cli("accepts", "--regex", "a", file("a")).code == 0
    assert cli("accepts", "--regex", "a", file("a\n")).code == 1
    assert cli("accepts", "--regex", "a\n", file("a\n")).code == 0


@pytest.mark.parametrize(
    ("pattern", "text", "place", "found", "expected"),
    [
        # place: byte offset, line, column
        ("ab", "ax", (1, 1, 2), "x", ["b"]),
        ("ab", "a", (1, 1, 2), None, ["b"]),
        ("a", "ab", (1, 1, 2), "b", ["end of text"]),
        ("a?", "b", (0, 1, 1), "b", ["a", "end of text"]),
        ("a\nb+c", "a\nbbx", (4, 2, 3), "x", ["b", "c"]),
        # columns count characters, offsets bytes; the offset is the first byte that cannot stand there
        ("éé.x", "éé\U0001f600y", (8, 1, 4), "y", ["x"]),
        ("a[èê]", "aé", (2, 1, 2), "é", ["è", "ê"]),
        ("[0-9]", "x", (0, 1, 1), "x", ["digit"]),
        ("[a-f1]", "x", (0, 1, 1), "x", ["1", "a-f"]),
        ("[ \t\r\n]b", "b", (0, 1, 1), "b", ["white space"]),
        ('[^"\\\\]', '"', (0, 1, 1), '"', ['any character except `"`, `\\`']),
    ],
)
def test_a_rejection_says_where_and_why(cli, pattern, text, place, found, expected):
    run = cli("accepts", "--regex", pattern, "--json", stdin=text.encode())
    assert run.code == 1
    offset, line, column = place
    assert run.json == {
        "accepted": False,
        "offset": offset,
        "line": line,
        "column": column,
        "found": found,
        "expected": expected,
    }
    message = cli("accepts", "--regex", pattern, stdin=text.encode()).err
    assert message.startswith(f"standard input:{line}:{column}: ") and f"byte {offset}" in message
    assert message.count("\n") == 1


def test_found_shows_bytes_that_are_no_text(cli):
    run = cli("accepts", "--regex", "[^x]", "--json", stdin=b"\xff")
    assert run.code == 1
    assert (run.json["found"], run.json["found_bytes"]) == ("\ufffd", "ff")
    assert "byte 0xFF" in run.err


def test_the_message_reads_well(cli, file):
    run = cli("accepts", "--ebnf", file(DIGITS, "list.ebnf"), stdin=b"[1,\n2]")
    assert run.err == "standard input:1:4: rejected at byte 3: found `\\n`, expected digit\n"
    run = cli("accepts", "--ebnf", file(DIGITS, "list.ebnf"), file("[1", "text"))
    assert run.err.endswith("text:1:3: the text ends at byte 2 but is not complete; expected one of `,` or `]`\n")


def test_the_verdict_does_not_depend_on_the_vocabulary(cli, file, tokenizer):
    grammar = file(DIGITS, "list.ebnf")
    for tokens in ([b"1"], [b"[1", b",2]", b"\xff"]):
        path = tokenizer(tokens)
        assert cli("accepts", "--ebnf", grammar, "--tokenizer", path, stdin=b"[1,2]").code == 0
        assert cli("accepts", "--ebnf", grammar, "--tokenizer", path, stdin=b"[1,2").code == 1


def test_json_schema_with_both_profiles(cli, file):
    schema = file('{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}', "s.json")
    loose, tight = b'{ "a":\n1 }', b'{"a": 1}'
    assert [cli("accepts", "--json-schema", schema, stdin=text).code for text in (loose, tight)] == [0, 0]
    fixed = ["accepts", "--json-schema", schema, "--profile", "fixed"]
    assert [cli(*fixed, stdin=text).code for text in (loose, tight)] == [1, 0]


def test_property_order(cli, file):
    schema = file('{"properties": {"a": {}, "b": {}}, "required": ["a", "b"]}', "s.json")
    text = b'{"b": 1, "a": 2}'
    assert cli("accepts", "--json-schema", schema, stdin=text).code == 1
    assert cli("accepts", "--json-schema", schema, "--property-order", "any", stdin=text).code == 0


def test_formats_can_be_annotations(cli, file):
    schema = file('{"type": "string", "format": "date"}', "s.json")
    assert cli("accepts", "--json-schema", schema, stdin=b'"2024-02-30"').code == 1
    assert cli("accepts", "--json-schema", schema, "--ignore-formats", stdin=b'"2024-02-30"').code == 0


def test_start_rule(cli, file):
    grammar = file('start ::= "a"\nother ::= "b"\n', "g.ebnf")
    assert cli("accepts", "--ebnf", grammar, stdin=b"b").code == 1
    assert cli("accepts", "--ebnf", grammar, "--start", "other", stdin=b"b").code == 0


def test_gbnf_and_lark(cli, file):
    gbnf = file('root ::= "[" n ("," n)* "]"\nn ::= [0-9]+\nother ::= "b"\n', "g.gbnf")
    lark = file('start: "[" INT ("," INT)* "]"\nother: "b"\n%import common.INT\n%ignore " "\n', "g.lark")
    for option, grammar in (("--gbnf", gbnf), ("--lark", lark)):
        assert cli("accepts", option, grammar, stdin=b"[1,23]").code == 0
        assert cli("accepts", option, grammar, stdin=b"[1,]").code == 1
        assert cli("accepts", option, grammar, "--start", "other", stdin=b"b").code == 0
        assert cli("accepts", option, "-", file("[7]"), stdin=open(grammar, "rb").read()).code == 0
    assert cli("accepts", "--lark", lark, stdin=b"[1 , 23] ").code == 0
    assert cli("accepts", "--gbnf", gbnf, stdin=b"[1 , 23] ").code == 1


def test_the_grammar_comes_from_standard_input(cli, file):
    assert cli("accepts", "--ebnf", "-", file("[7]"), stdin=DIGITS.encode()).code == 0
    assert cli("accepts", "--regex", "-", file("77"), stdin=b"[0-9]+\n").code == 0
