"""Generated texts, judged by what shares no code with weir: Python's jsonschema with its format checkers, and ast.

Over the schemas of examples/, at least 100 texts by the embedded model; the same by SmolLM2 where llama.cpp is built in.
"""

import ast
import json
import re
import subprocess

import pytest
from jsonschema.validators import validator_for

TEXTS_EACH = 12


@pytest.fixture(scope="module")
def schemas(root):
    found = sorted((root / "examples" / "schemas").glob("*.json"))
    assert len(found) == 10
    return found


def formats_in(schema):
    if isinstance(schema, dict):
        here = {schema["format"]} if isinstance(schema.get("format"), str) else set()
        return here.union(*map(formats_in, schema.values()))
    return set().union(*map(formats_in, schema)) if isinstance(schema, list) else set()


def judge_of(path):
    """The schema's validator, which has been seen to check each format that the schema uses, and to refuse something."""
    schema = json.loads(path.read_text())
    kind = validator_for(schema)
    kind.check_schema(schema)
    checker = kind.FORMAT_CHECKER
    missing = formats_in(schema) - set(checker.checkers)
    assert not missing, f"jsonschema cannot check {missing}: install tests/requirements.txt"
    judge = kind(schema, format_checker=checker)
    assert not judge.is_valid({}) and not judge.is_valid([])
    return judge


def generate(weir, *arguments, timeout, codes=(0,)):
    run = subprocess.run([weir, "generate", *arguments], capture_output=True, timeout=timeout, check=False)
    assert run.returncode in codes, (run.returncode, run.stderr.decode()[-2000:], run.stdout.decode()[-2000:])
    return [json.loads(line) for line in run.stdout.splitlines()]


def no_duplicates(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), f"a key twice in {pairs}"
    return dict(pairs)


def check(judge, lines, path):
    for line in lines:
        assert line["finish_reason"] == "accepted" and line["complete"], (path.name, line)
        instance = json.loads(line["text"], object_pairs_hook=no_duplicates)
        faults = [f"{fault.json_path}: {fault.message}" for fault in judge.iter_errors(instance)]
        assert not faults, (path.name, line["text"], faults)


@pytest.mark.parametrize("profile", ["fixed", "flexible"])
def test_the_embedded_model(weir, schemas, profile):
    total = 0
    for path in schemas:
        arguments = ["--json-schema", str(path), "--profile", profile, "-n", str(TEXTS_EACH), "--seed", "7"]
        lines = generate(weir, *arguments, "--max-tokens", "4000", timeout=300)
        check(judge_of(path), lines, path)
        assert len({line["text"] for line in lines}) > TEXTS_EACH // 2, f"hardly any two texts differ for {path.name}"
        total += len(lines)
    assert total >= 100


def test_sampling_options_do_not_matter_for_validity(weir, schemas):
    lines_in_all = complete = 0
    for path in schemas:
        for options in (["--temperature", "0"], ["--temperature", "3"], ["--top-k", "3"], ["--top-p", "0.5"], ["--min-p", "0.2"]):
            arguments = ["--json-schema", str(path), "--profile", "fixed", "-n", "3", "--seed", "5", *options]
            # Digits after a point and branches of a tree have no end of their own, so a model may go on for ever.
            lines = generate(weir, *arguments, "--max-tokens", "3000", timeout=300, codes=(0, 3))
            lines_in_all += len(lines)
            lines = [line for line in lines if line["finish_reason"] != "length"]
            complete += len(lines)
            check(judge_of(path), lines, path)
    assert lines_in_all == 150 and complete > 120


def test_ebnf_with_the_embedded_model(weir, root):
    grammars = root / "examples" / "grammars"
    for line in generate(weir, "--ebnf", str(grammars / "digits.ebnf"), "-n", "50", timeout=300):
        assert re.fullmatch(r"\[[0-9](,[0-9])*\]", line["text"]), line
    texts = generate(weir, "--ebnf", str(grammars / "arithmetic.ebnf"), "-n", "50", "--max-tokens", "5000", timeout=300)
    allowed = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.USub, ast.Constant, ast.Add, ast.Sub, ast.Mult, ast.Div)
    for line in texts:
        assert all(isinstance(node, allowed) for node in ast.walk(ast.parse(line["text"], mode="eval"))), line


@pytest.mark.llm
@pytest.mark.parametrize("name", ["bug_report", "calendar_event", "invoice", "order", "person", "recipe", "sensor_reading",
                                  "tool_call", "tree", "weather"])  # fmt: skip
def test_smollm2(weir, schemas, llm_model, name):
    """Ten texts for each schema, a hundred in all, each valid."""
    (path,) = [path for path in schemas if path.stem == name]
    judge = judge_of(path)
    schema = json.dumps(json.loads(path.read_text()))
    prompt = f"Write one realistic example for this JSON Schema, as JSON on a single line: {schema}"
    sampling = ["--temperature", "0.7", "--min-p", "0.1", "--max-tokens", "400"]
    if name == "tree":  # nothing bounds its depth, and a small model that plays safe nests for ever
        prompt = "Write a small tree as JSON: one root with two leaves."
        sampling = ["--temperature", "1", "--max-tokens", "200"]
    arguments = ["--json-schema", str(path), "--profile", "fixed", "--model", str(llm_model), "--prompt", prompt,
                 *sampling, "--threads", "1", "-n", "10"]
    texts = []
    for seed in range(5):
        # A small model sometimes repeats itself up to the limit; those texts are not claimed to be complete.
        lines = generate(weir, *arguments, "--seed", str(seed), timeout=1800, codes=(0, 3))
        assert len(lines) == 10 and all(line["finish_reason"] in ("accepted", "length") for line in lines)
        complete = [line for line in lines if line["finish_reason"] == "accepted"]
        check(judge, complete, path)
        texts += complete
        if len(texts) >= 10:
            return
    pytest.fail(f"only {len(texts)} of 50 texts came to an end")
