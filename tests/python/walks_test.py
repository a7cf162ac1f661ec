"""No dead ends: random walks over the tokens that masks allow end in texts that an independent validator accepts."""

import collections
import json
import random
import subprocess
import warnings

import jsonschema
import pytest
from jsonschema.validators import validator_for

from maskbench_corpus_test import sanitized

# Python's `re` reads these patterns otherwise than ECMA-262 does (`\s` takes U+FEFF there).
JUDGED_OTHERWISE = {"JsonSchemaStore---gradle-enterprise-config-schema-7", "Github_medium---o78739"}


@pytest.mark.parametrize("order, seed", [("listed", 17), ("any", 23)])
def test_walks_end_in_valid_texts(maskbench, tokenizers, shared, tmp_path, order, seed):
    count = 60 if sanitized(maskbench) else 2000
    files = sorted((shared / "maskbench").glob("*.jsonl"))
    assert len(files) >= 15, f"MaskBench is missing from {shared}"
    lines = [line for path in files for line in path.read_text(encoding="utf-8").split("\n") if line]
    sample = random.Random(seed).sample(lines, count)
    data = tmp_path / "sample.jsonl"
    data.write_text("\n".join(sample) + "\n", encoding="utf-8")
    tool = maskbench.parent / "tests" / "walk_texts"
    command = [tool, tokenizers / "llama3_1.json", data, "3", "29", order]
    walked = subprocess.run([str(part) for part in command], capture_output=True, timeout=900, check=False)
    assert walked.returncode == 0, walked.stderr.decode()[-2000:]
    schemas = {entry["id"]: entry["schema"] for entry in map(json.loads, sample)}
    judges = {}
    ends, faults = collections.Counter(), []
    for walk in map(json.loads, walked.stdout.split(b"\n")[:-1]):
        ends[walk["end"]] += 1
        if walk["end"] != "accepted" or walk["id"] in JUDGED_OTHERWISE:
            continue
        schema = schemas[walk["id"]]
        if walk["id"] not in judges:
            kind = validator_for(schema, default=jsonschema.Draft202012Validator)
            judges[walk["id"]] = kind(schema, format_checker=kind.FORMAT_CHECKER)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                faults += [(walk["id"], fault.message[:200]) for fault in judges[walk["id"]].iter_errors(json.loads(walk["text"]))]
            except (RecursionError, OverflowError):
                ends["too deep or too large to be judged"] += 1
    assert not faults, f"{len(faults)}, such as {faults[:3]}"
    assert ends["stuck"] == ends["refused"] == 0, ends
    assert ends["error"] + ends["too deep or too large to be judged"] <= 0.005 * sum(ends.values()), ends
    assert ends["accepted"] > 0.9 * sum(ends.values()), ends
