"""White space in each style: exactly what Python's json.dumps writes is accepted, every mask is that of the plain loop."""

import json
import random
import re

import pytest

from cli.conftest import run_program

EXACT = {
    "fixed": (["--profile", "fixed"], {}),
    "compact": (["--item-separator", ",", "--key-separator", ":"], {"separators": (",", ":")}),
    "odd separators": (["--item-separator", " \n,\t", "--key-separator", "\t: "], {"separators": (" \n,\t", "\t: ")}),
    "indent 0": (["--indent", "0"], {"indent": 0}),
    "indent 1": (["--indent", "1"], {"indent": 1}),
    "indent 2": (["--indent", "2"], {"indent": 2}),
    "indent 7": (["--indent", "7"], {"indent": 7}),
    "indent and separators": (["--indent", "3", "--item-separator", "\n, ", "--key-separator", ":"],
                              {"indent": 3, "separators": ("\n, ", ":")}),
}
# Lists told step by step, records by formula, closed and open ones, values that overlap.
SCHEMAS = [
    True,
    {"type": ["object", "array"], "additionalProperties": {"type": ["integer", "array", "object"]}, "items": {"type": ["object", "string"]}},
    {"type": "array", "contains": {"type": "object"}, "items": True},
    {"type": "array", "uniqueItems": True, "items": {"enum": [True, None, "a", ""]}},
    {"type": "object", "properties": {"a": True, "b": {"type": "array"}}, "required": ["a"], "not": {"required": ["c"]}},
    {"anyOf": [{"type": "object", "patternProperties": {"^[ab]": {"type": "array"}}}, {"type": "object", "minProperties": 1}, {"type": "array", "maxItems": 2}]},
]


def value(rng, depth=0):
    kind = rng.randrange(8 if depth < 4 else 4)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind == 1:
        return rng.randrange(-50, 2000)
    if kind in (2, 3):
        return "".join(rng.choice('ab, :\n"[]{}é') for _ in range(rng.randrange(5)))
    size = rng.choice([0, 1, 1, 2, 3])
    if kind < 6:
        return [value(rng, depth + 1) for _ in range(size)]
    return {"".join(rng.choice("abc ") for _ in range(rng.randrange(1, 3))): value(rng, depth + 1) for _ in range(size)}


def pieces(text):
    """Strings, runs of white space, and single other characters."""
    return re.findall(r'"(?:[^"\\]|\\.)*"|[ \t\n\r]+|.', text)


def mutations(rng, text, count):
    """The text with white space added, taken away or exchanged outside of strings."""
    for _ in range(count):
        parts = pieces(text)
        at = rng.randrange(len(parts) + 1)
        if at < len(parts) and parts[at].isspace():
            run = list(parts[at])
            where = rng.randrange(len(run))
            run[where:where + 1] = rng.choice([[], [" ", " "], ["\t"], ["\n"], [" "]])
            parts[at] = "".join(run)
        else:
            parts.insert(at, rng.choice(" \n\t\r"))
        yield "".join(parts)


def value_of(text):
    try:
        return json.loads(text)
    except ValueError:  # a number that fell apart
        return None


@pytest.fixture
def judge(maskbench, tokenizer, file, tmp_path):
    """judge(options, tests of each schema) -> verdicts of each schema, all masks checked"""
    rng = random.Random(3)
    texts = "".join(json.dumps(value(rng), indent=rng.choice([None, 1, 2, 4])) for _ in range(60)) + '[\n  {\n    "a": [], ' * 9
    longer = set()
    while len(longer) < 400:
        at = rng.randrange(len(texts) - 9)
        longer.add(texts[at:at + rng.randrange(2, 9)].encode())
    longer |= {b" " * n for n in range(2, 12)} | {b"\n" + b" " * n for n in range(1, 9)}
    tokens = [bytes([byte]) for byte in range(256)] + sorted(longer)
    path = tokenizer(tokens)

    def run(options, tests):
        lines = [{"id": str(i), "schema": schema, "tests": [{"valid": True, "text": text, "tokens": tokens_of(text)} for text in tests[i]]}
                 for i, schema in enumerate(SCHEMAS)]
        schemas = file("".join(json.dumps(line) + "\n" for line in lines), "schemas.jsonl")
        out, each = tmp_path / "summary.json", tmp_path / "each.jsonl"
        arguments = ["--tokenizer", path, "--json", str(out), "--per-schema", str(each), "--property-order", "any", "--verify",
                     *options, schemas]
        finished = run_program(maskbench, arguments)
        assert finished.code == 0, finished
        outcomes = [json.loads(line) for line in each.read_text().splitlines()]
        assert all("verdicts" in outcome for outcome in outcomes), outcomes
        assert json.loads(out.read_text())["mask_faults"] == 0
        assert json.loads(out.read_text())["retokenized"] == 0
        return [outcome["verdicts"] for outcome in outcomes]

    splits = random.Random(5)
    by_text = {token: i for i, token in enumerate(tokens)}

    def tokens_of(text):
        """Some way to spell the text."""
        rest, ids = text.encode(), []
        while rest:
            length = next((n for n in (splits.randrange(1, 9), splits.randrange(1, 4)) if rest[:n] in by_text), 1)
            ids.append(by_text[rest[:length]])
            rest = rest[length:]
        return ids

    return run


def texts_and_right(style, seed):
    rng = random.Random(seed)
    write = lambda thing: json.dumps(thing, ensure_ascii=False, **style)
    texts = []
    for _ in range(150):
        text = write(value(rng))
        texts += [text, *mutations(rng, text, 3)]
    return texts, [write(value_of(text)) == text for text in texts]


@pytest.mark.parametrize("name", EXACT)
def test_exactly_what_json_dumps_writes(judge, name):
    options, style = EXACT[name]
    texts, right = texts_and_right(style, name)
    verdicts = judge(options, [texts] * len(SCHEMAS))
    assert verdicts[0] == right, [text for text, one, other in zip(texts, verdicts[0], right) if one != other][:3]
    assert 30 < sum(right) < len(right) - 30
    # Of the other schemas: what any white space accepts and is written so.
    flexible = judge([], [texts] * len(SCHEMAS))
    for schema, one, other in zip(SCHEMAS[1:], verdicts[1:], flexible[1:]):
        assert one == [a and b for a, b in zip(other, right)], schema
        assert any(one), schema


@pytest.mark.parametrize("longest", [0, 1, 2, 5])
def test_runs_of_bounded_length(judge, longest):
    rng = random.Random(longest)
    texts = []
    for _ in range(80):
        text = json.dumps(value(rng), ensure_ascii=False, indent=rng.choice([None, 0, 1, 2]))
        for mutated in [text, *mutations(rng, text, 4)]:
            texts += [mutated, *mutations(rng, mutated, 1)]

    def fits(text):
        runs = [len(part) for part in pieces(text) if part.isspace()]
        return max(runs, default=0) <= longest

    flexible = judge([], [texts] * len(SCHEMAS))
    bounded = judge(["--longest-whitespace", str(longest)], [texts] * len(SCHEMAS))
    for schema, one, other in zip(SCHEMAS, bounded, flexible):
        assert one == [fits(text) and verdict for text, verdict in zip(texts, other)], schema
    assert any(bounded[0]) and not all(bounded[0])


def test_what_contradicts_itself(fails, file):
    schema = file("{}", "schema.json")
    for options, words in [
        (["--longest-whitespace", "2", "--indent", "2"], "longest_whitespace"),
        (["--longest-whitespace", "65536"], "65535"),
        (["--indent", "65"], "64"),
        (["--item-separator", ";"], "comma"),
        (["--key-separator", ""], "colon"),
        (["--key-separator", ":\u00a0"], "white space"),
    ]:
        assert words in fails("compile", "--json-schema", schema, *options), options
