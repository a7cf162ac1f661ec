"""Whatever is given, the answer to bad input is exit 2 and one clear message: no crash, no hang, no unbounded memory."""

import json
import os
import struct
import subprocess

import pytest

VERBS = ["compile", "accepts", "mask", "generate"]
FILE_OPTIONS = ["--json-schema", "--ebnf", "--gbnf", "--lark"]


@pytest.mark.parametrize("verb", VERBS)
def test_exactly_one_grammar(fails, file, verb):
    schema = file("{}", "s.json")
    assert "--json-schema" in fails(verb) and "--ebnf" in fails(verb)
    message = fails(verb, "--json-schema", schema, "--ebnf", schema)
    assert "--json-schema" in message and "--ebnf" in message and "one" in message
    assert "--regex" in fails(verb, "--regex", "a", "--json-schema", schema)


@pytest.mark.parametrize("verb", VERBS)
def test_notations_and_options_that_do_not_exist(fails, file, verb):
    schema = file("{}", "s.json")
    for option in ("--structural-tag", "--compiled", "--no-such-option"):
        assert option in fails(verb, option, schema)
    assert "--draft" in fails(verb, "--regex", "a", "--draft", "7")
    assert "3" in fails(verb, "--json-schema", schema, "--draft", "3")
    assert "--start" in fails(verb, "--json-schema", schema, "--start", "x")


def test_commands_that_do_not_exist(fails):
    assert "compile" in fails()
    for command in ("validate", "complete", "no-such-command"):
        assert command in fails(command, "--json-schema", "x.json", "y.json")


def test_usage_errors_as_json(cli):
    for arguments in (["compile"], ["mask", "--structural-tag", "x"], ["no-such-command"], ["mask", "--regex", "a", "--limit", "x"]):
        run = cli(*arguments, "--json")
        assert run.code == 2 and run.json["error"]["code"] == "argument" and run.json["error"]["message"] in run.err


@pytest.mark.parametrize("option", FILE_OPTIONS)
def test_files_that_cannot_be_read(fails, tmp_path, option):
    missing = str(tmp_path / "missing.json")
    assert missing in fails("compile", option, missing)
    assert "directory" in fails("compile", option, str(tmp_path))
    assert "larger" in fails("compile", option, "/dev/zero")
    assert fails("compile", option, "")
    run_as_root = os.geteuid() == 0  # whom permissions do not stop
    if not run_as_root:
        secret = tmp_path / "secret"
        secret.touch(mode=0)
        assert "ermission" in fails("compile", option, str(secret))


def test_texts_that_cannot_be_read(fails, tmp_path):
    assert "missing" in fails("accepts", "--regex", "a", str(tmp_path / "missing"))
    assert "directory" in fails("accepts", "--regex", "a", str(tmp_path))
    assert "larger" in fails("accepts", "--regex", "a", "/dev/zero")
    assert "standard input" in fails("accepts", "--ebnf", "-", "-", stdin=b"")


@pytest.mark.parametrize(
    "schema",
    [
        b"", b" ", b"{", b'{"type": "object"', b"{} {}", b"[1, 2]", b"42", b'"text"', b"null", b"{'a': 1}", b"\0", b"NaN",
        b'{"type": "strng"}', b'{"type": 3}', b'{"required": "a"}', b'{"properties": []}', b'{"enum": 1}',
        b'{"minimum": "1"}', b'{"pattern": "("}', b'{"$ref": "#/$defs/none"}', b'{"$ref": 7}', b'{"minLength": 1.5}',
        b'{"title": "\xff"}', b'{"pattern": "\xc3"}', b"\xff\xfe{\0}\0", b'{"title": "\\ud800"', b'{"multipleOf": 0}',
    ],
)
def test_malformed_schemas(fails, file, schema):
    fails("compile", "--json-schema", file(schema, "s.json"))
    fails("compile", "--json-schema", "-", stdin=schema)


@pytest.mark.parametrize(
    "grammar",
    [b"", b"start", b'start = "a', b"start = other ;", b"start = start ;", b"\xff", b'start = "\xc3" ;', b"\0",
     b"(* never closed", b"start = (((", b"start = [z-a] ;", b'start = "a"{3,2} ;'],
)
def test_malformed_ebnf(fails, file, grammar):
    fails("compile", "--ebnf", file(grammar, "g.ebnf"))


@pytest.mark.parametrize(
    "grammar",
    [b"", b"root", b"root = \"a\"", b'root ::= "a', b"root ::= other", b"root ::= root", b"\xff", b"\0", b"root ::= (((",
     b"root ::= [z-a]", b'root ::= "a"{3,2}', b"root ::= <think>", b'a ::= "a"', b'root ::= "a"\n | "b"'],
)
def test_malformed_gbnf(fails, file, grammar):
    fails("compile", "--gbnf", file(grammar, "g.gbnf"))
    fails("compile", "--gbnf", "-", stdin=grammar)


@pytest.mark.parametrize(
    "grammar",
    [b"", b"start", b'start: "a', b"start: other", b"start: start", b"\xff", b"\0", b"start: (((", b"start: /(/", b"start: /a",
     b'start: "a"~3..2', b"start: <think>", b"start: A\nA: A", b"%import common.NONE\nstart: NONE", b"start[lazy]: /a/",
     b"start: %json {}", b'start.1: "a"', b"start: /^a$/"],
)
def test_malformed_lark(fails, file, grammar):
    fails("compile", "--lark", file(grammar, "g.lark"))
    fails("compile", "--lark", "-", stdin=grammar)


@pytest.mark.parametrize("pattern", [b"(", b")", b"[", b"a**", b"a{2,1}", b"\\", b"[b-a]", b"\\p{None}", b"\xff", b"(?<n", b"a\xc3"])
def test_malformed_patterns(fails, pattern):
    fails("compile", "--regex", pattern)


def test_no_such_start_rule(fails, file):
    assert "nowhere" in fails("compile", "--ebnf", file('start = "a" ;', "g.ebnf"), "--start", "nowhere")


@pytest.mark.parametrize(
    ("opening", "middle", "closing"),
    [('{"items":', "{}", "}"), ('{"allOf":[', "{}", "]}"), ('{"properties":{"a":', "true", "}}"), ("[", "", "]"),
     ('{"const":[', "", "]}"), ('{"anyOf":[{"type":"null"},', "{}", "]}")],
)
@pytest.mark.parametrize("closed", [True, False])
def test_schemas_nested_10000_deep(fails, file, opening, middle, closing, closed):
    schema = opening * 10_000 + middle + (closing * 10_000 if closed else "")
    fails("compile", "--json-schema", file(schema, "s.json"))


def test_values_nested_10000_deep(fails, file):
    fails("compile", "--json-schema", file('{"const":' + "[" * 10_000 + "]" * 10_000 + "}", "s.json"))
    fails("compile", "--json-schema", file('{"x-note":' + '{"a":' * 10_000 + "1" + "}" * 10_000 + "}", "s.json"))


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("[", "]"), ("{", "}")])
def test_ebnf_nested_10000_deep(fails, file, opening, closing):
    fails("compile", "--ebnf", file(f'start = {opening * 10_000} "a" {closing * 10_000} ;', "g.ebnf"))


def test_gbnf_and_lark_nested_10000_deep(fails, file):
    fails("compile", "--gbnf", file(f'root ::= {"(" * 10_000} "a" {")" * 10_000}', "g.gbnf"))
    for opening, closing in (("(", ")"), ("[", "]"), ("~", "")):
        fails("compile", "--lark", file(f'start: {opening * 10_000} "a" {closing * 10_000}', "g.lark"))


def test_comments_nested_10000_deep(cli, fails, file):
    comment = "(*" * 10_000 + " x " + "*)" * 10_000
    assert cli("compile", "--ebnf", file(f'start = "a" {comment} ;', "g.ebnf")).code in (0, 2)
    fails("compile", "--ebnf", file(f'start = "a" {comment[:-2]} ;', "g.ebnf"))


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("(?:", ")*"), ("(?=", ")"), ("(a|", ")")])
def test_patterns_nested_10000_deep(fails, opening, closing):
    fails("compile", "--regex", opening * 10_000 + "a" + closing * 10_000)


def test_repetition_counts_that_multiply(cli):
    run = cli("mask", "--regex", "((((a{1000}){1000}){1000}){1000}){1000}", "--json")
    assert run.code in (0, 2)
    fails_fast = cli("compile", "--regex", "a{99999999999999999999}", "--json")
    assert fails_fast.code == 2 and fails_fast.json["error"]["code"] in ("limit", "syntax")


@pytest.fixture(scope="module")
def huge(tmp_path_factory):
    """A file of 100 MB: an array of zeros that opens as JSON."""
    path = tmp_path_factory.mktemp("huge") / "huge"
    with path.open("wb") as f:
        f.write(b"[")
        for _ in range(100):
            f.write(b"0,\n" * (1_000_000 // 3))
    return str(path)


def test_a_file_of_100_mb(fails, huge):
    for arguments in (["compile", "--json-schema", huge], ["compile", "--ebnf", huge], ["accepts", "--regex", "a", huge],
                      ["compile", "--regex", "a", "--tokenizer", huge], ["generate", "--regex", "a", "--model", huge]):
        fails(*arguments)


def gguf(tensors=0):
    """A small GGUF file with a vocabulary of three tokens, as its specification lays it out."""

    def string(text):
        return struct.pack("<Q", len(text)) + text.encode()

    def entry(key, kind, payload):
        return string(key) + struct.pack("<I", kind) + payload

    tokens = ["<unk>", "</s>", "a"]
    entries = [
        entry("general.architecture", 8, string("llama")),
        entry("tokenizer.ggml.model", 8, string("llama")),
        entry("tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, 3) + b"".join(map(string, tokens))),
        entry("tokenizer.ggml.token_type", 9, struct.pack("<IQ", 5, 3) + struct.pack("<3i", 2, 3, 1)),
        entry("tokenizer.ggml.eos_token_id", 4, struct.pack("<I", 1)),
    ]
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, len(entries)) + b"".join(entries)


def test_truncated_gguf(cli, fails, file):
    whole = gguf()
    assert cli("mask", "--regex", "a", "--tokenizer", file(whole, "whole.gguf"), "--json").json["allowed"] == 1
    for length in [*range(0, len(whole), 7), len(whole) - 1]:
        assert "cut" in fails("mask", "--regex", "a", "--tokenizer", file(whole[:length], "cut.gguf"))
    for length in (0, 3, 4, 20, len(whole) // 2):
        fails("generate", "--regex", "a", "--model", file(whole[:length], "cut.gguf"))


def test_gguf_with_counts_of_any_size(fails, file):
    whole = gguf()
    for offset in (8, 16):  # counts of tensors and of metadata
        for count in (2**32, 2**63, 2**64 - 1):
            broken = whole[:offset] + struct.pack("<Q", count) + whole[offset + 8 :]
            if offset == 16:
                fails("mask", "--regex", "a", "--tokenizer", file(broken, "b.gguf"))
    at = whole.index(b"tokenizer.ggml.tokens") + len("tokenizer.ggml.tokens") + 8
    for count in (2**32, 2**64 - 1):
        fails("mask", "--regex", "a", "--tokenizer", file(whole[:at] + struct.pack("<Q", count) + whole[at + 8 :], "b.gguf"))


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"null", b'{"model": {"type": "WordPiece", "vocab": {"a": 0}}}', b'{"model": {"type": "BPE"}}',
     b'{"model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}}', b'{"model": {"type": "BPE", "vocab": {"a": 4294967295}}}',
     b"YQ== 0\nYg== x\n", b"GGUF", b"\xff\xff", b"hello\n", b"[" * 100_000],
)
def test_malformed_tokenizers(fails, file, content):
    fails("mask", "--regex", "a", "--tokenizer", file(content, "tokenizer"))


def test_missing_tokenizers_and_models(fails, tmp_path):
    missing = str(tmp_path / "missing")
    assert missing in fails("mask", "--regex", "a", "--tokenizer", missing)
    assert missing in fails("generate", "--regex", "a", "--model", missing)
    fails("mask", "--regex", "a", "--tokenizer", str(tmp_path))
    fails("mask", "--regex", "a", "--tokenizer", "")


def test_output_that_cannot_be_written(weir):
    if not os.path.exists("/dev/full"):
        pytest.fail("/dev/full is missing: run on Linux")
    with open("/dev/full", "wb") as full:
        process = subprocess.run([weir, "mask", "--regex", "a", "--json"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert process.returncode == 2 and b"standard output" in process.stderr


def test_errors_with_json_hold_the_object_and_nothing_else(cli, file):
    for arguments in (["compile", "--json-schema", file(b"{")], ["mask", "--regex", b"\xff("], ["accepts", "--ebnf", file(b"\xff")]):
        run = cli(*arguments, "--json")
        assert run.code == 2 and list(run.json) == ["error"]
        assert set(run.json["error"]) <= {"code", "message", "pointer", "line", "column"}
        json.loads(run.out.decode("utf-8"))
