"""Random schemas of all keywords against an independent validator: every verdict must agree.

The schemas are small nests of keywords over few keys and few values, so that conditions meet. Each is judged on random
instances, which the runner feeds token by token in any order of keys."""

import json
import random
import subprocess

import jsonschema
from tokenizers import Tokenizer

from maskbench_corpus_test import sanitized

KEYS = ["a", "b", "c", "ab"]
SCALARS = [None, True, False, 0, 1, 2, 3, -1, 1.5, "", "a", "b", "ab", "abc"]
PATTERNS = ["^a", "b$", "^[ab]*$", "c"]
DEFINITIONS = ["x", "y"]
TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.refers = True

    def pick(self, values):
        return self.random.choice(values)

    def chance(self, p):
        return self.random.random() < p

    def instance(self, depth):
        r = self.random.random()
        if depth == 0 or r < 0.45:
            return self.pick(SCALARS)
        if r < 0.8:
            keys = self.random.sample(KEYS + ["d", "ba"], self.random.randint(0, 4))
            return {key: self.instance(depth - 1) for key in keys}
        return [self.instance(depth - 1) for _ in range(self.random.randint(0, 3))]

    def schemas(self, depth, low=1, high=3):
        return [self.schema(depth) for _ in range(self.random.randint(low, high))]

    def schema(self, depth):
        if depth == 0 or self.chance(0.15):
            return self.pick(
                [
                    True,
                    {"type": self.pick(TYPES)},
                    {"type": self.random.sample(TYPES, 2)},
                    {"const": self.pick(SCALARS)},
                    {"enum": self.random.sample(SCALARS, 3)},
                    {"minimum": self.pick([0, 1, 2])},
                    {"maxLength": 1},
                    {"pattern": self.pick(PATTERNS)},
                    {"required": [self.pick(KEYS)]},
                ]
            )
        schema = {}
        for _ in range(self.random.randint(1, 3)):
            keyword = self.pick(self.KEYWORDS)
            schema.update(getattr(self, keyword)(depth - 1))
        return schema

    KEYWORDS = (
        ["props"] * 4
        + ["any_of", "one_of", "negation", "condition"] * 2
        + ["all_of", "required", "additional", "patterns", "names", "counts", "dependent", "dependent_schemas"]
        + ["items", "prefix", "contains", "item_counts", "listed", "numbers", "lengths", "kind"]
        + ["unevaluated_properties", "unevaluated_items", "reference", "reference"]
    )

    def props(self, d):
        keys = self.random.sample(KEYS, self.random.randint(1, 3))
        return {"properties": {key: self.schema(d) for key in keys}}

    def any_of(self, d):
        return {"anyOf": self.schemas(d)}

    def one_of(self, d):
        return {"oneOf": self.schemas(d)}

    def all_of(self, d):
        return {"allOf": self.schemas(d)}

    def negation(self, d):
        return {"not": self.schema(d)}

    def condition(self, d):
        result = {"if": self.schema(d)}
        if self.chance(0.7):
            result["then"] = self.schema(d)
        if self.chance(0.6):
            result["else"] = self.schema(d)
        return result

    def required(self, _):
        return {"required": self.random.sample(KEYS, self.random.randint(1, 2))}

    def additional(self, d):
        return {"additionalProperties": self.pick([False, self.schema(d)])}

    def patterns(self, d):
        return {"patternProperties": {p: self.schema(d) for p in self.random.sample(PATTERNS, self.random.randint(1, 2))}}

    def names(self, _):
        return {"propertyNames": self.pick([{"pattern": self.pick(PATTERNS)}, {"maxLength": 1}, {"enum": ["a", "d"]}])}

    def counts(self, _):
        return self.pick([{"minProperties": 1}, {"minProperties": 2}, {"maxProperties": 1}, {"maxProperties": 2}])

    def dependent(self, _):
        return {"dependentRequired": {self.pick(KEYS): [self.pick(KEYS)]}}

    def dependent_schemas(self, d):
        return {"dependentSchemas": {self.pick(KEYS): self.schema(d)}}

    def items(self, d):
        return {"items": self.schema(d)}

    def prefix(self, d):
        return {"prefixItems": self.schemas(d, 1, 2)}

    def contains(self, d):
        result = {"contains": self.schema(d)}
        if self.chance(0.4):
            result["minContains"] = self.random.randint(0, 2)
        if self.chance(0.4):
            result["maxContains"] = self.random.randint(1, 2)
        return result

    def item_counts(self, _):
        return self.pick([{"minItems": 1}, {"minItems": 2}, {"maxItems": 1}, {"maxItems": 2}])

    def listed(self, _):
        return {"enum": [self.instance(1) for _ in range(3)]}

    def numbers(self, _):
        return self.pick([{"minimum": 1}, {"maximum": 1}, {"exclusiveMinimum": 0}, {"multipleOf": 2}, {"multipleOf": 0.5}])

    def lengths(self, _):
        return self.pick([{"minLength": 1}, {"maxLength": 2}, {"pattern": self.pick(PATTERNS)}])

    def kind(self, _):
        return {"type": self.random.sample(TYPES, self.random.randint(1, 3))}

    def unevaluated_properties(self, d):
        return {"unevaluatedProperties": self.pick([False, self.schema(d)])}

    def reference(self, _):
        return {"$ref": f"#/$defs/{self.pick(DEFINITIONS)}"} if self.refers else {}

    def definitions(self):
        """Schemas that refer to each other through a member, never in place, which has no meaning."""
        self.refers = False
        members = [{"properties": {"a": {"$ref": f"#/$defs/{self.pick(DEFINITIONS)}"}}} for _ in DEFINITIONS]
        return {name: {"allOf": [self.schema(2), member]} for name, member in zip(DEFINITIONS, members)}

    def unevaluated_items(self, d):
        return {"unevaluatedItems": self.pick([False, self.schema(d)])}


VALUES = ("properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "items", "prefixItems", "unevaluatedItems")
IN_PLACE = ("allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas", "$defs")
MAPS = ("properties", "patternProperties", "dependentSchemas", "$defs")


def parts(keyword, value):
    """The schemas that a keyword holds."""
    return list(value.values()) if keyword in MAPS else value if isinstance(value, list) else [value]


def names_keys(schema, root):
    if not isinstance(schema, dict):
        return False
    if schema.get("properties") or schema.get("patternProperties"):
        return True
    around = [part for keyword in IN_PLACE if keyword in schema and keyword != "$defs" for part in parts(keyword, schema[keyword])]
    if "$ref" in schema:
        around.append(root["$defs"][schema["$ref"].rsplit("/", 1)[1]])
    return any(names_keys(part, root) for part in around)


def closed(schema, root, is_value=True):
    """The schema as docs/json_schema.md says that closed objects are meant: unevaluatedProperties written out."""
    if not isinstance(schema, dict):
        return schema
    result = {}
    for keyword, value in schema.items():
        if keyword in VALUES or keyword in IN_PLACE:
            part = lambda one, keyword=keyword: closed(one, root, keyword in VALUES)
            if keyword in MAPS:
                value = {name: part(one) for name, one in value.items()}
            else:
                value = [part(one) for one in value] if isinstance(value, list) else part(value)
        result[keyword] = value
    said = "additionalProperties" in schema or "unevaluatedProperties" in schema
    if is_value and not said and names_keys(schema, root):
        result["unevaluatedProperties"] = False
    return result


def lines(seed, count, tokenizer, meant=lambda schema: schema, change=lambda maker, schema: schema):
    for i in range(count):
        maker = Maker(f"{seed}/{i}")
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **as_object(maker.schema(3))}
        schema["$defs"] = maker.definitions()
        schema = change(maker, schema)
        validator = jsonschema.Draft202012Validator(meant(schema))
        tests = []
        for _ in range(12):
            instance = maker.instance(3)
            text = json.dumps(instance)
            tests.append(
                {
                    "valid": validator.is_valid(instance),
                    "text": text,
                    "tokens": tokenizer.encode(text, add_special_tokens=False).ids,
                }
            )
        yield {"id": f"fuzz-{seed}-{i}", "schema": schema, "tests": tests}


def with_refused(rng, schema):
    """The schema with patterns in it that weir refuses (back-references), at random places."""
    if isinstance(schema, list):
        return [with_refused(rng, one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    result = {}
    for keyword, value in schema.items():
        if keyword == "patternProperties" and rng.random() < 0.4:
            value = {"^(a|b)\\1" if rng.random() < 0.5 else pattern: one for pattern, one in value.items()}
        if keyword not in ("const", "enum", "required", "dependentRequired"):
            value = {k: with_refused(rng, v) for k, v in value.items()} if keyword in MAPS else with_refused(rng, value)
        result[keyword] = value
    if rng.random() < 0.15:
        result["pattern"] = "^(a|b)\\1"
    return result


def as_object(schema):
    return {} if schema is True else schema


def judged(maskbench, tokenizers, tmp_path, seed, count, order, *options, **how):
    """The runner's outcome for each of `count` schemas."""
    tokenizer = Tokenizer.from_file(str(tokenizers / "llama3_1.json"))
    data, out, each = (tmp_path / name for name in ("fuzz.jsonl", "summary.json", "each.jsonl"))
    with data.open("w", encoding="utf-8") as file:
        for line in lines(seed, count, tokenizer, **how):
            file.write(json.dumps(line) + "\n")
    command = [maskbench, "--tokenizer", tokenizers / "llama3_1.json", "--property-order", order, *options]
    command += ["--json", out, "--per-schema", each, data]
    finished = subprocess.run([str(part) for part in command], capture_output=True, timeout=900, check=False)
    assert finished.returncode == 0, finished.stderr.decode()[-2000:]
    return [json.loads(line) for line in each.read_text().splitlines()]


def test_every_verdict_is_that_of_an_independent_validator(maskbench, tokenizers, tmp_path):
    count = 200 if sanitized(maskbench) else 4000
    outcomes = judged(maskbench, tokenizers, tmp_path, "a", count, "any")
    assert len(outcomes) == count
    assert sum(any(outcome.get("verdicts", ())) for outcome in outcomes) > count // 2, "hardly anything is valid"
    failed = [outcome for outcome in outcomes if not outcome["pass"]]
    assert not failed, f"{len(failed)} of {count}, such as {failed[:3]}"


def test_listed_order_accepts_nothing_invalid(maskbench, tokenizers, tmp_path):
    count = 100 if sanitized(maskbench) else 2000
    outcomes = judged(maskbench, tokenizers, tmp_path, "b", count, "listed")
    assert len(outcomes) == count
    wrong = [(outcome["id"], test) for outcome in outcomes for test in outcome.get("wrong", ()) if test["accepted"]]
    assert not wrong, f"{len(wrong)}, such as {wrong[:3]}"


def test_closed_objects(maskbench, tokenizers, tmp_path):
    count = 100 if sanitized(maskbench) else 1000
    meant = lambda schema: closed(schema, schema)
    outcomes = judged(maskbench, tokenizers, tmp_path, "c", count, "any", "--closed", meant=meant)
    assert len(outcomes) == count
    assert sum(any(outcome.get("verdicts", ())) for outcome in outcomes) > count // 3, "hardly anything is valid"
    failed = [outcome for outcome in outcomes if not outcome["pass"]]
    assert not failed, f"{len(failed)} of {count}, such as {failed[:3]}"


def test_a_lenient_compile_loses_no_text(maskbench, tokenizers, tmp_path):
    count = 100 if sanitized(maskbench) else 1000
    change = lambda maker, schema: with_refused(maker.random, schema)
    outcomes = judged(maskbench, tokenizers, tmp_path, "d", count, "any", "--lenient", change=change)
    assert len(outcomes) == count
    lost = [outcome for outcome in outcomes if any(test["valid"] for test in outcome.get("wrong", ()))]
    assert not lost, f"{len(lost)} of {count}, such as {lost[:3]}"
    refused = [outcome for outcome in outcomes if outcome.get("compile_error", {}).get("code") == "unsupported"]
    assert not refused, refused[:3]
    assert any(outcome.get("wrong") for outcome in outcomes), "nothing was passed over"
