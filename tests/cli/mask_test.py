"""weir mask: the tokens that may come next, compared with finite languages written out."""

import itertools
import json

import pytest

DIGITS = 'start = "[" , d , { "," , d } , "]" ; d = [0-9] ;'


def mask(cli, *arguments):
    run = cli("mask", *arguments, "--json")
    assert run.code == 0, run
    return run.json


def test_the_list_of_digits_over_the_embedded_vocabulary(cli, file):
    grammar = file(DIGITS, "list.ebnf")
    digits = set("0123456789")
    for prefix, expected in [("[", digits), ("[3", {",", "]"}), ("[3,", digits)]:
        answer = mask(cli, "--ebnf", grammar, "--prefix", prefix)
        assert {token["text"] for token in answer["tokens"]} == expected
        assert answer["allowed"] == len(answer["tokens"])
        assert (answer["accepting"], answer["forced"]) == (False, "")
    assert mask(cli, "--ebnf", grammar)["forced"] == "["
    end = mask(cli, "--ebnf", grammar, "--prefix", "[3]")
    assert (end["accepting"], end["allowed"], end["tokens"][0]["text"]) == (True, 1, "")


# Languages as patterns, and all their members.
FINITE = [
    (r"-?[0-2](\.[05])?", {s + d + f for s in ("", "-") for d in "012" for f in ("", ".0", ".5")}),
    ("(ab|a)(b|bc)?", {a + b for a in ("ab", "a") for b in ("", "b", "bc")}),
    ("é|è|e\u0301", {"é", "è", "e\u0301"}),
    ("(x{2,3}y){0,2}", {"".join(p) for n in range(3) for p in itertools.product(("xxy", "xxxy"), repeat=n)}),
]
TOKENS = [b"0", b"1", b"-", b".", b".0", b"0.", b"-1", b"2.5", b"a", b"b", b"ab", b"bc", b"abb", b"c", b"e", b"x", b"xx",
          b"xxx", b"y", b"xy", b"yx", b"yxx", b"\xc3", b"\xa9", b"\xc3\xa8", b"\xcc", b"\x81", b"\xa8", b"\xff", b"\xc3\xa9"]


@pytest.mark.parametrize(("pattern", "members"), FINITE)
@pytest.mark.parametrize("plain", [False, True])
def test_masks_are_exact_for_finite_languages(cli, tokenizer, pattern, members, plain):
    path = tokenizer(TOKENS)
    encoded = {member.encode() for member in members}
    prefixes = {member[:i] for member in members for i in range(len(member) + 1)}
    for prefix in sorted(prefixes)[:24]:
        so_far = prefix.encode()
        answer = mask(cli, "--regex", pattern, "--tokenizer", path, f"--prefix={prefix}", *(["--plain"] if plain else []))
        rest = {member[len(so_far):] for member in encoded if member.startswith(so_far)}
        allowed = [i for i, token in enumerate(TOKENS) if any(member.startswith(token) for member in rest)]
        if b"" in rest:
            allowed.append(len(TOKENS))
        assert [token["id"] for token in answer["tokens"]] == allowed, (pattern, prefix)
        assert answer["accepting"] == (b"" in rest)
        forced = rest.pop() if len(rest) == 1 else b""
        if forced:
            assert answer["forced"] == forced.decode()


def test_tokens_that_are_no_text_are_shown_as_bytes(cli, tokenizer):
    answer = mask(cli, "--regex", "[é-ë]", "--tokenizer", tokenizer(TOKENS))
    assert answer["tokens"] == [
        {"id": TOKENS.index(b"\xc3"), "text": "\ufffd", "bytes": "c3"},
        {"id": TOKENS.index(b"\xc3\xa9"), "text": "é"},
    ]
    assert (answer["forced"], answer["forced_bytes"]) == ("\ufffd", "c3")


def test_end_of_sequence_is_listed_where_the_text_may_end(cli, tokenizer):
    answer = mask(cli, "--regex", "a?", "--tokenizer", tokenizer([b"a", b"b"]))
    assert answer["tokens"] == [{"id": 0, "text": "a"}, {"id": 2, "text": "", "special": "</s>"}]


def test_a_rejected_prefix_exits_1(cli):
    run = cli("mask", "--regex", "ab", "--prefix", "ax", "--json")
    assert run.code == 1
    assert run.json == {"accepted": False, "offset": 1, "line": 1, "column": 2, "found": "x", "expected": ["b"]}
    assert cli("mask", "--regex", "ab", "--prefix", "abc").code == 1


def test_the_table_is_cut_with_a_note(cli, tokenizer):
    path = tokenizer([bytes([byte]) for byte in range(0x30, 0x7B)])
    text = cli("mask", "--regex", "[0-z]", "--tokenizer", path).out.decode()
    assert text.startswith("75 of 76 tokens may come next; the text so far is not complete yet\n")
    assert "25 more; --limit 0 lists all" in text and text.count("\n") == 1 + 50 + 1
    assert cli("mask", "--regex", "[0-z]", "--tokenizer", path, "--limit", "0").out.count(b"\n") == 76
    run = cli("mask", "--regex", "[0-z]", "--tokenizer", path, "--limit", "2", "--json")
    assert (run.json["allowed"], len(run.json["tokens"])) == (75, 2)


def test_the_table_is_printable(cli, tokenizer):
    run = cli("mask", "--regex", "[^x]", "--tokenizer", tokenizer([b"\n", b'"', b"\x1b", b"\xe2\x82", b"\xe2\x82\xac"]))
    shown = [line.split(maxsplit=1)[1] for line in run.out.decode().splitlines()[1:]]
    assert shown == ['"\\n"', '"\\""', '"\\x1b"', '"\\xe2\\x82"', '"€"']


def test_json_is_one_line(cli):
    assert cli("mask", "--regex", "[a\n]", "--json").out.count(b"\n") == 1
    assert json.loads(cli("mask", "--regex", "", "--json").out)["accepting"] is True
