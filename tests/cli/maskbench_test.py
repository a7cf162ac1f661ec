"""The MaskBench runner: its counts, on lines whose right verdicts are known."""

import json

import pytest

from cli.conftest import run_program

OBJECT = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}
TIMES = {"p50", "p90", "p99", "p999", "max", "mean"}


@pytest.fixture
def bench(maskbench, tokenizer, file, tmp_path):
    """bench(lines, *options) -> (summary, outcome of each schema)"""
    # Every byte is a token, and a few tokens are longer, so that a text's bytes are one way to write it.
    tokenizer_path = tokenizer([bytes([byte]) for byte in range(256)] + [b'"a"', b": ", b", "])

    def run(lines, *options, code=0):
        schemas = file("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "schemas.jsonl")
        out, each = tmp_path / "summary.json", tmp_path / "each.jsonl"
        arguments = ["--tokenizer", tokenizer_path, "--json", str(out), "--per-schema", str(each), *options, schemas]
        finished = run_program(maskbench, arguments)
        assert finished.code == code, finished
        if code != 0:
            return finished.err
        assert finished.out == b""
        return json.loads(out.read_text()), [json.loads(line) for line in each.read_text().splitlines()]

    return run


def instance(valid, text, tokens=None):
    return {"valid": valid, "text": text, "tokens": list(text.encode()) if tokens is None else tokens}


LINES = [
    {"id": "right", "schema": OBJECT, "tests": [instance(True, '{"a": 1, "b": 2}'), instance(False, '{"a": 1}'),
                                                  instance(False, '{"a": "x", "b": 2}'), instance(False, '{"a": 1, "b": 2')]},
    {"id": "order", "schema": OBJECT, "tests": [instance(True, '{"b": 2, "a": 1}')]},
    {"id": "wrong label, valid", "schema": {"type": "integer"}, "tests": [instance(True, "7a"), instance(True, "7")]},
    {"id": "wrong label, invalid", "schema": {"type": "integer"}, "tests": [instance(False, "12")]},
    {"id": "unsatisfiable", "schema": {"type": "integer", "minimum": 2, "maximum": 1}, "tests": [instance(False, "1")]},
    {"id": "unsatisfiable?", "schema": {"type": "integer", "minimum": 2, "maximum": 1}, "tests": [instance(True, "1")]},
    {"id": "malformed", "schema": {"type": "strng"}, "tests": [instance(True, "1")]},
    {"id": "lark", "lark": 'start: "a"', "gbnf": 'root ::= "b"', "tests": [instance(True, "a"), instance(False, "b")]},
    {"id": "gbnf", "gbnf": 'root ::= "\\"" [a-c]+', "tests": [instance(True, '"ab'), instance(False, '"')]},
    {"id": "bad lark", "lark": "start: other", "gbnf": 'root ::= "a"', "tests": [instance(True, "a")]},
    {"id": "long tokens", "schema": OBJECT, "tests": [instance(True, '{"a": 1, "b": 2}', [123, 256, 257, 49, 258, *b'"b": 2}'])]},
    {"id": "tokens of another vocabulary", "schema": {"type": "null"}, "tests": [instance(True, "null", [70000])]},
    {"id": "no instances", "schema": True, "tests": []},
]
EXPECTED = {"schemas": 13, "passing": 7, "compile_errors": 3, "rejects_valid": 2, "accepts_invalid": 1,
            "rejects_valid_by_key_order": 1, "unsatisfiable": 1, "retokenized": 1, "mask_faults": 0}


def test_counts_and_forms(bench):
    summary, outcomes = bench(LINES)
    assert {name: summary[name] for name in EXPECTED} == EXPECTED
    for name in ("ttfm_us", "mask_us", "commit_us"):
        assert set(summary[name]) == TIMES
        times = [summary[name][q] for q in ("p50", "p90", "p99", "p999", "max")]
        assert times == sorted(times) and 0 < times[0] and 0 < summary[name]["mean"] <= summary[name]["max"]
    assert summary["rss_mb"] > 1 and summary["vocabulary_load_ms"] > 0
    assert summary["tokens"] == summary["masks_timed"] > 50

    assert [outcome["id"] for outcome in outcomes] == [line["id"] for line in LINES]
    by_id = {outcome["id"]: outcome for outcome in outcomes}
    assert [by_id[line["id"]]["pass"] for line in LINES] == [True, False, False, False, True, False, False, True, True, False, True, True, True]
    assert by_id["right"]["verdicts"] == [True, False, False, False] and by_id["right"]["wrong"] == []
    (order,) = by_id["order"]["wrong"]
    assert order["key_order"] is True and order["valid"] is True and (order["before"], order["after"]) == ('{"', 'b": 2, "a": 1}')
    (wrong,) = by_id["wrong label, valid"]["wrong"]
    assert (wrong["test"], wrong["key_order"], wrong["offset"], wrong["after"]) == (0, False, 1, "a")
    assert by_id["wrong label, invalid"]["wrong"][0]["accepted"] is True
    assert by_id["malformed"]["compile_error"]["pointer"].startswith("/type")
    assert by_id["unsatisfiable"]["compile_error"]["code"] == "unsatisfiable"
    assert by_id["lark"]["verdicts"] == [True, False] and by_id["gbnf"]["verdicts"] == [True, False]
    error = by_id["bad lark"]["compile_error"]
    assert (error["line"], error["column"]) == (1, 8) and "'other' is not defined" in error["message"]


@pytest.mark.parametrize("options", [["--threads", "3"], ["--cold"], ["--first-visits"], ["--verify"], ["--cold", "--threads", "2"]])
def test_options_do_not_change_verdicts(bench, options):
    summary, outcomes = bench(LINES, *options)
    assert {name: summary[name] for name in EXPECTED} == EXPECTED
    assert [outcome["id"] for outcome in outcomes] == [line["id"] for line in LINES]


def test_any_order_of_keys(bench):
    summary, _ = bench(LINES, "--property-order", "any")
    assert (summary["passing"], summary["rejects_valid"]) == (8, 1)


def test_profiles(bench):
    line = {"id": "spaces", "schema": {"type": "array"}, "tests": [instance(True, "[1, 2]"), instance(True, "[ 1,2 ]")]}
    assert bench([line])[0]["passing"] == 1
    summary, (outcome,) = bench([line], "--profile", "fixed")
    assert summary["rejects_valid"] == 1 and outcome["verdicts"] == [True, False]


def test_first_visits_count_a_state_once(bench):
    line = {"id": "twice", "schema": {"enum": ["abc", "abd"]}, "tests": [instance(True, '"abc"'), instance(True, '"abd"')]}
    assert bench([line])[0]["masks_timed"] == 10
    # The start is asked for the first mask; then 4 states, and those behind "abd" once more: the last, at most.
    assert bench([line], "--first-visits")[0]["masks_timed"] in (4, 5)


def test_the_schema_is_taken_as_it_is_written(bench, file):
    # More digits than a double holds, and an order of keys that is not alphabetical.
    schema = {"type": "integer", "minimum": 123456789012345678901, "maximum": 123456789012345678902}
    line = {"id": "digits", "schema": schema, "tests": [instance(True, "123456789012345678901"),
                                                         instance(False, "123456789012345678903")]}
    assert bench([line])[0]["passing"] == 1
    line = {"id": "keys", "schema": {"properties": {"z": {}, "a": {}}, "type": "object"}, "tests": [instance(True, '{"z": 1, "a": 2}')]}
    assert bench([line])[0]["passing"] == 1


def test_samples(bench):
    lines = [{"id": str(i), "schema": True, "tests": []} for i in range(50)]
    ids = lambda *options: [int(outcome["id"]) for outcome in bench(lines, *options)[1]]  # noqa: E731
    first = ids("--sample", "10", "--seed", "1")
    assert len(first) == 10 and first == sorted(first) == ids("--sample", "10", "--seed", "1")
    assert first != ids("--sample", "10", "--seed", "2")
    assert ids("--sample", "99") == ids("--sample", "0") == list(range(50))


def test_bad_input(bench, maskbench, file):
    assert "schemas.jsonl:2: " in bench([LINES[0], {"id": "no tests"}], code=2)
    assert "schemas.jsonl:1: " in bench([{"id": "x", "schema": {}, "tests": [{"text": "1"}]}], code=2)
    assert "schemas.jsonl:1: " in bench([[1]], code=2)
    assert "schemas.jsonl:1: " in bench([{"lark": {}, "tests": []}], code=2)
    for arguments in ([], ["--tokenizer", "missing"], ["--tokenizer", "missing", file("")], ["--nonsense"]):
        run = run_program(maskbench, arguments)
        assert run.code == 2 and run.err.startswith("error: ")
