#!/usr/bin/env python3
"""What becomes of each schema of MaskBench, pinned in tests/data/maskbench_outcomes.txt.

As a program it runs the corpus in both orders of keys and writes that file and the table of docs/maskbench.md anew:

    tests/tools/maskbench_outcomes.py [--maskbench build/release/maskbench] [--shared ../shared] [--tokenizers build/tokenizers]
"""

import argparse
import collections
import json
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PINNED = ROOT / "tests" / "data" / "maskbench_outcomes.txt"
PAGE = ROOT / "docs" / "maskbench.md"
MODES = ("listed", "any")
UPDATE = "run tests/tools/maskbench_outcomes.py and commit what it writes"

# From good to bad. "order": some valid instance is rejected, each for nothing but the order of its keys.
RANKS = {"pass": 0, "order": 1, "refused": 2, "rejects_valid": 3, "accepts_invalid": 4, "mask_fault": 5}
HEADER = """\
# What becomes of the schemas of MaskBench with keys as listed, and with keys in any order. Those that pass in both are not
# named. "order": a valid instance is rejected only for the order of its keys. "refused:CODE:KEYWORD": a compile error.
"""


def outcome_of(line):
    """The outcome that a line of `maskbench --per-schema` tells."""
    if line.get("mask_faults"):
        return "mask_fault"
    if line["pass"]:
        return "pass"
    if "compile_error" in line:
        error = line["compile_error"]
        keyword = error.get("pointer", "").rsplit("/", 1)[-1]
        return f"refused:{error['code']}" + (f":{keyword}" if keyword else "")
    wrong = line["wrong"]
    if not all(one["valid"] for one in wrong):
        return "accepts_invalid"
    return "order" if all(one["key_order"] for one in wrong) else "rejects_valid"


def rank(outcome):
    return RANKS[outcome.split(":", 1)[0]]


def read_pinned():
    """(how many schemas there are, {id: {mode: outcome}} of those that do not pass in both modes)"""
    lines = [line.split() for line in PINNED.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return int(lines[0][1]), {name: dict(zip(MODES, outcomes)) for name, *outcomes in lines[1:]}


def write_pinned(outcomes):
    """`outcomes`: {id: {mode: outcome}} of all schemas."""
    odd = sorted((name, of) for name, of in outcomes.items() if any(of[mode] != "pass" for mode in MODES))
    lines = [f"schemas {len(outcomes)}", *(f"{name} {of['listed']} {of['any']}" for name, of in odd)]
    PINNED.parent.mkdir(exist_ok=True)
    PINNED.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")


def table(count, known):
    """The rows of the table in docs/maskbench.md."""
    rows = []
    for mode, title in (("any", "any order of keys"), ("listed", "keys as listed")):
        kinds = collections.Counter(of[mode].split(":")[0] for of in known.values())
        wrong = sum(kinds[kind] for kind in ("rejects_valid", "accepts_invalid", "mask_fault"))
        passing = count - sum(kinds.values()) + kinds["pass"]
        rows.append(f"| {title} | {passing:,} | {kinds['order'] or ''} | {kinds['refused']} | {wrong} |\n")
    return "".join(rows)


def run(maskbench, tokenizers, schemas, options, folder, timeout):
    """(the summary, what became of each schema)"""
    out, each = Path(folder) / "summary.json", Path(folder) / "each.jsonl"
    command = [maskbench, "--tokenizer", Path(tokenizers) / "llama3_1.json", "--json", out, "--per-schema", each, *options, *schemas]
    finished = subprocess.run([str(part) for part in command], capture_output=True, timeout=timeout, check=False)
    assert finished.returncode == 0, finished.stderr.decode()[-2000:]
    return json.loads(out.read_text()), [json.loads(line) for line in each.read_text().splitlines()]


def main():
    parser = argparse.ArgumentParser(description="Runs MaskBench in both orders of keys and pins what becomes of each schema.")
    parser.add_argument("--maskbench", default=ROOT / "build" / "release" / "maskbench", type=Path)
    parser.add_argument("--shared", default=ROOT.parent / "shared", type=Path)
    parser.add_argument("--tokenizers", default=ROOT / "build" / "tokenizers", type=Path)
    arguments = parser.parse_args()
    schemas = sorted((arguments.shared / "maskbench").glob("*.jsonl"))
    if not schemas:
        parser.error(f"{arguments.shared} has no maskbench/*.jsonl; name the folder of test data by --shared")
    outcomes = {}
    for mode in MODES:
        with tempfile.TemporaryDirectory() as folder:
            options = ["--property-order", mode, "--threads", "2"]
            _, lines = run(arguments.maskbench, arguments.tokenizers, schemas, options, folder, timeout=3600)
        for line in lines:
            outcomes.setdefault(line["id"], {})[mode] = outcome_of(line)
    before = read_pinned()[1] if PINNED.exists() else {}
    write_pinned(outcomes)
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(r"(?:^\| (?:any order of keys|keys as listed) \|.*\n)+", table(*read_pinned()), page, flags=re.M), encoding="utf-8")
    passing = dict.fromkeys(MODES, "pass")
    for name, of in sorted(outcomes.items()):
        old = before.get(name, passing)
        for mode in MODES:
            if old[mode] != of[mode]:
                print(f"{name}, {mode} order: {old[mode]} -> {of[mode]}")
    for mode in MODES:
        print(f"{mode}: {sum(of[mode] == 'pass' for of in outcomes.values())} of {len(outcomes)} pass")


if __name__ == "__main__":
    main()
