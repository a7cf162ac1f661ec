"""Random schemas of several resources with $dynamicRef against an independent validator: every verdict must agree.

Resources are bundled in one document, at any depth. They lead to each other through members and, forwards only, in
place, so that every reference has a meaning. Each schema is judged a second time in the words of 2019-09."""

import json
import random
import subprocess

import jsonschema
from tokenizers import Tokenizer

from maskbench_corpus_test import sanitized

HOST = "http://example.com/"
KEYS = ["a", "b", "c"]
NAMES = ["one", "two"]
LEAVES = [{}, {"type": "null"}, {"type": "integer"}, {"type": "string"}, {"const": 1}, {"minimum": 2}]
SCALARS = [None, 1, 1, 2, "x"]


class Maker:
    """`names`: of the dynamic anchors; with one name at the root of resources, 2019-09 can say the same."""

    def __init__(self, seed, names, resources=5):
        self.random = random.Random(seed)
        self.names = names
        self.resources = resources
        self.bodies = [self.resource(i) for i in range(resources)]

    def chance(self, p):
        return self.random.random() < p

    def resource(self, number):
        body = {"$id": f"r{number}"}
        if len(self.names) == 1:
            if self.chance(0.6):
                body["$dynamicAnchor"] = self.names[0]
        else:
            body["$defs"] = {name: self.anchored(name) for name in self.names if self.chance(0.6)}
        keys = self.random.sample(KEYS, self.random.randint(1, 3))
        body["properties"] = {key: self.member() for key in keys}
        body["properties"][f"not{number}"] = False  # tells resources apart
        if self.chance(0.3):
            body["items"] = self.member()
        if self.chance(0.1):
            body["required"] = [self.random.choice(KEYS)]
        if self.chance(0.15):
            body["additionalProperties"] = self.member()
        if number + 1 < self.resources:
            further = lambda: {"$ref": HOST + f"r{self.random.randrange(number + 1, self.resources)}"}
            if self.chance(0.5):
                body.update(further())
            if self.chance(0.15):
                body["anyOf"] = [further(), further()]
            if self.chance(0.05):
                body["not"] = further()
            if self.chance(0.1):
                body["if"], body["then"] = further(), further()
            if self.chance(0.1):
                body["unevaluatedProperties"] = self.random.choice([False, self.member()])
        return body

    def anchored(self, name):
        return {"$dynamicAnchor": name, **self.random.choice(LEAVES), "properties": {"a": self.member()}}

    def member(self):
        r = self.random.random()
        if r < 0.1:
            return dict(self.random.choice(LEAVES))
        if r < 0.5:
            return {"$ref": HOST + f"r{self.random.randrange(self.resources)}"}
        return {"dynamic": self.random.choice(self.names)}

    def document(self, recursive):
        """All resources in the first one, some inside others."""
        bodies = [json.loads(json.dumps(body)) for body in self.bodies]
        for number, body in enumerate(bodies):
            has = body if len(self.names) == 1 else body["$defs"]
            self.write_references(body, number, has, recursive)
            if recursive and body.pop("$dynamicAnchor", None):
                body["$recursiveAnchor"] = True
            body["$id"] = HOST + f"r{number}"
        for number in range(self.resources - 1, 0, -1):
            outer = random.Random(number).randrange(number)
            bodies[outer].setdefault("$defs", {})[f"r{number}"] = bodies[number]
        draft = "2019-09" if recursive else "2020-12"
        return {"$schema": f"https://json-schema.org/draft/{draft}/schema", **bodies[0]}

    def write_references(self, value, number, has, recursive):
        """`has`: what tells whether the resource has the anchor, without which a dynamic reference leads nowhere.
        Addresses are absolute, for the validator loses the base of what a $dynamicRef has led to."""
        for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            self.write_references(child, number, has, recursive)
        if isinstance(value, dict) and "dynamic" in value:
            name = value.pop("dynamic")
            root = len(self.names) == 1
            if root and recursive:
                value["$recursiveRef"] = "#"
            elif (root and "$dynamicAnchor" in has) or (not root and name in has):
                value["$dynamicRef"] = HOST + f"r{number}#{name}"
            else:
                value["$ref"] = HOST + f"r{number}"

    def instance(self, depth):
        r = self.random.random()
        if depth == 0 or r < 0.2:
            return self.random.choice(SCALARS)
        if r < 0.9:
            keys = self.random.sample(KEYS, self.random.randint(0, 2))
            told = {f"not{self.random.randrange(self.resources)}": 1} if self.chance(0.5) else {}
            return {key: self.instance(depth - 1) for key in keys} | told
        return [self.instance(depth - 1) for _ in range(self.random.randint(0, 2))]


def lines(seed, count, tokenizer):
    for i in range(count):
        maker = Maker(f"{seed}/{i}", NAMES[: 1 + i % 2])
        schema = maker.document(recursive=False)
        validator = jsonschema.Draft202012Validator(schema)
        tests = []
        for _ in range(16):
            instance = maker.instance(3)
            text = json.dumps(instance)
            tokens = tokenizer.encode(text, add_special_tokens=False).ids
            tests.append({"valid": validator.is_valid(instance), "text": text, "tokens": tokens})
        yield {"id": f"dynamic-{seed}-{i}", "schema": schema, "tests": tests}
        if len(maker.names) == 1:
            yield {"id": f"recursive-{seed}-{i}", "schema": maker.document(recursive=True), "tests": tests}


def test_every_verdict_is_that_of_an_independent_validator(maskbench, tokenizers, tmp_path):
    count = 40 if sanitized(maskbench) else 200
    tokenizer = Tokenizer.from_file(str(tokenizers / "llama3_1.json"))
    data, out, each = (tmp_path / name for name in ("fuzz.jsonl", "summary.json", "each.jsonl"))
    with data.open("w", encoding="utf-8") as file:
        for line in lines("a", count, tokenizer):
            file.write(json.dumps(line) + "\n")
    command = [maskbench, "--tokenizer", tokenizers / "llama3_1.json", "--property-order", "any"]
    command += ["--json", out, "--per-schema", each, data]
    finished = subprocess.run([str(part) for part in command], capture_output=True, timeout=900, check=False)
    assert finished.returncode == 0, finished.stderr.decode()[-2000:]
    outcomes = [json.loads(line) for line in each.read_text().splitlines()]
    assert len(outcomes) == count + count // 2
    assert sum(any(outcome.get("verdicts", ())) for outcome in outcomes) > count // 2, "hardly anything is valid"
    failed = [outcome for outcome in outcomes if not outcome["pass"]]
    assert not failed, f"{len(failed)} of {len(outcomes)}, such as {failed[:3]}"
