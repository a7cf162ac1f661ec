#!/usr/bin/env python3
"""Masks of weir and of its peers, on the same lines in the same run: verdicts first, then one table of times.

Draws a sample of MaskBench, spells its instances in the tokenizer asked for, and gives it to the peers (tools/peers.py
of the shared test data, which runs each alone on one thread) and to weir's own runner; then the same with the lines of
the shared grammars. Engines meet where their languages are the same: llguidance and XGrammar allow any JSON white
space, glrmask only ", " and ": ". weir runs with --cold: all but the tables of the vocabulary is forgotten between
schemas.

exit 0: done; 1: a verdict of weir is wrong, or an engine did not run (no times then); 2: something is missing
"""

import argparse
import json
import random
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

LABELLED_FOR = "llama3_1"  # the tokens in the shared lines are this tokenizer's
SEED = 0

# (heading, measure, quantile) of each column of the table.
COLUMNS = [
    ("first mask p50", "ttfm_us", "p50"),
    ("p99", "ttfm_us", "p99"),
    ("mask p50", "mask_us", "p50"),
    ("p90", "mask_us", "p90"),
    ("p99", "mask_us", "p99"),
    ("p99.9", "mask_us", "p999"),
    ("max", "mask_us", "max"),
    ("commit p50", "commit_us", "p50"),
]
VERDICTS = [
    ("lines", "schemas"),
    ("right", "passing"),
    ("refused", "compile_errors"),
    ("timed out", "timeouts"),
    ("rejects valid", "rejects"),
    ("accepts invalid", "accepts"),
]


class Missing(Exception):
    """Something that has to be there before anything can be measured."""


class Fault(Exception):
    """Times would mean nothing: an engine failed, or weir was wrong."""


class Group(NamedTuple):
    title: str
    lines: Path
    peers: list[str]
    profile: str  # weir's white space


def byte_alphabet():
    """The character by which byte-level BPE spells each byte: printable ones as they are, the rest from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {**{byte: chr(byte) for byte in printable}, **{byte: chr(0x100 + i) for i, byte in enumerate(others)}}


def in_byte_alphabet(tokenizer, folder):
    """A tokenizer.json that spells its tokens byte by byte, the only kind peers.py reads for glrmask and XGrammar.

    Tokenizers that write blanks as U+2581 and single bytes as <0xHH> are respelled. A single byte that is also a
    token by its text keeps only the latter id, since a vocabulary of this kind has one id for each spelling.
    """
    source = json.loads(tokenizer.read_text(encoding="utf-8"))
    if not source["model"].get("byte_fallback"):
        return tokenizer
    alphabet = byte_alphabet()

    def spell(text):
        return "".join(alphabet[byte] for byte in text)

    special = [token for token in source["added_tokens"] if token["special"]]
    special_ids = {token["id"] for token in special}
    single, texts = {}, {}
    for token, number in source["model"]["vocab"].items():
        if number in special_ids:
            continue
        if len(token) == 6 and token.startswith("<0x") and token.endswith(">"):
            single[spell(bytes([int(token[3:5], 16)]))] = number
        else:
            texts[spell(token.replace("\u2581", " ").encode("utf-8"))] = number
    target = folder / f"{tokenizer.stem}-bytes.json"
    target.write_text(json.dumps({"model": {"vocab": {**single, **texts}}, "added_tokens": special}), encoding="utf-8")
    return target


def respell(lines, tokenizer):
    """The lines with the tokens of the tokenizer in place of those they came with."""
    if tokenizer.stem == LABELLED_FOR:
        return lines
    import llguidance  # only the environment of the peers has it

    encoder = llguidance.LLTokenizer(tokenizer.read_text(encoding="utf-8"))
    result = []
    for line in lines:
        document = json.loads(line)
        for test in document["tests"]:
            test["tokens"] = encoder.tokenize_str(test["text"])
        result.append(json.dumps(document, ensure_ascii=False) + "\n")
    return result


def read_lines(paths):
    lines = []
    for path in paths:
        with path.open(encoding="utf-8") as file:  # not splitlines(): U+2028 inside a string ends no line
            lines += file
    return lines


def draw(lines, count):
    if 0 < count < len(lines):
        random.Random(SEED).shuffle(lines)
        return lines[:count]
    return lines


def run_peers(arguments, tokenizers, group):
    """{engine: figures}, each engine after the other; every one of the group or a Fault."""
    rows = {}
    for engine in group.peers:
        out = arguments.work / f"{group.lines.stem}-{engine}.json"
        out.unlink(missing_ok=True)
        tokenizer = tokenizers["given" if engine == "llguidance" else "bytes"]
        finished = subprocess.run(
            [sys.executable, arguments.peers, "--tokenizer", tokenizer, "--engines", engine, "--sample", "0",
             "--json", out, group.lines], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        figures = json.loads(out.read_text(encoding="utf-8")) if out.is_file() else []
        if finished.returncode != 0 or not figures:
            raise Fault(f"{engine} did not run on {group.lines}:\n{finished.stdout.strip()}")
        rows[engine] = figures[0]
    return rows


def run_weir(arguments, group):
    out = arguments.work / f"{group.lines.stem}-weir-{group.profile}.json"
    command = [arguments.maskbench, "--tokenizer", arguments.tokenizer, "--profile", group.profile, "--cold",
               "--json", out, group.lines]
    finished = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if finished.returncode != 0:
        raise Fault(f"{arguments.maskbench} failed on {group.lines}:\n{finished.stdout.strip()}")
    figures = json.loads(out.read_text(encoding="utf-8"))
    figures.update(timeouts=0, rejects=figures["rejects_valid"], accepts=figures["accepts_invalid"])
    return figures


def check_verdicts(title, figures):
    """weir may refuse a schema, or an instance for the order of its keys alone; all else has to be as labelled."""
    faults = []
    if figures["accepts"]:
        faults.append(f"accepts invalid instances of {figures['accepts']} schemas")
    if by_other := figures["rejects"] - figures["rejects_valid_by_key_order"]:
        faults.append(f"rejects valid instances of {by_other} schemas, not for the order of their keys")
    if figures["mask_faults"]:
        faults.append(f"has {figures['mask_faults']} masks that differ from what it accepts")
    if figures["retokenized"]:
        faults.append(f"read {figures['retokenized']} instances in other tokens than the peers")
    if faults:
        raise Fault(f"{title}: weir " + "; ".join(faults))


def print_rows(headings, rows):
    """Rows of cells in columns: the first to the left, the others to the right; a row of one cell is a heading."""
    table = [["", *headings], *rows]
    widths = [max(len(row[i]) for row in table if len(row) > 1) for i in range(len(headings) + 1)]
    for row in table:
        cells = [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:])]
        print("  ".join([row[0].ljust(widths[0]), *cells]) if cells else row[0])


def number(value):
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def ratio(peer, weir):
    value = peer / max(weir, 1e-3)  # a nanosecond is less than the clock can tell
    return f"x {value:.0f}" if value >= 100 else f"x {value:.1f}" if value >= 1 else f"x {value:.2g}"


def time_rows(results):
    rows = []
    for group, figures in results:
        rows.append([group.title])
        for name, one in figures.items():
            rows.append([f"  {name}", *(number(one[measure][q]) for _, measure, q in COLUMNS)])
        weir = figures["weir"]
        for name in group.peers:
            ratios = (ratio(figures[name][measure][q], weir[measure][q]) for _, measure, q in COLUMNS)
            rows.append([f"  {name} / weir", *ratios])
    return rows


def verdict_rows(results):
    rows = []
    for group, figures in results:
        rows.append([group.title])
        rows += [[f"  {name}", *(str(one[key]) for _, key in VERDICTS)] for name, one in figures.items()]
    return rows


def write_groups(arguments):
    """Draws and writes the lines that all engines read."""
    schemas = sorted((arguments.shared / "maskbench").glob("*.jsonl"))
    grammars = sorted((arguments.shared / "grammars").glob("*.jsonl"))
    for what, found in (("maskbench", schemas), ("grammars", grammars)):
        if not found:
            raise Missing(f"no {what}/*.jsonl in {arguments.shared}; set WEIR_SHARED_DATA")

    def written(name, lines):
        path = arguments.work / name
        path.write_text("".join(respell(lines, arguments.tokenizer)), encoding="utf-8")
        return path

    sample = written("maskbench.jsonl", draw(read_lines(schemas), arguments.sample))
    extra = ["xgrammar"] if arguments.xgrammar else []
    groups = [Group("MaskBench, any white space", sample, ["llguidance", *extra], "flexible"),
              Group('MaskBench, ", " and ": " alone', sample, ["glrmask"], "fixed")]
    for path in grammars:
        lines = written(path.name, read_lines([path]))
        groups.append(Group(f"grammar {path.stem}", lines, ["llguidance", "glrmask", *extra], "flexible"))
    return groups


def measure(arguments):
    for path, what in ((arguments.peers, "the runner of the peers"), (arguments.tokenizer, "the tokenizer"),
                       (arguments.maskbench, "weir's runner")):
        if not path.is_file():
            raise Missing(f"{what}, {path}")
    if arguments.xgrammar and arguments.tokenizer.stem == "gemma3":
        raise Missing("a stop token that peers.py knows: it cannot run XGrammar with gemma3")
    arguments.work.mkdir(parents=True, exist_ok=True)
    tokenizers = {"given": arguments.tokenizer, "bytes": in_byte_alphabet(arguments.tokenizer, arguments.work)}
    results = []
    for group in write_groups(arguments):
        print(f"running {group.title}: {', '.join([*group.peers, 'weir'])}", file=sys.stderr, flush=True)
        weir = run_weir(arguments, group)
        check_verdicts(group.title, weir)
        results.append((group, {**run_peers(arguments, tokenizers, group), "weir": weir}))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, required=True, help="folder with tools/peers.py, maskbench, grammars")
    parser.add_argument("--maskbench", type=Path, required=True, help="weir's runner, a release build")
    parser.add_argument("--tokenizer", type=Path, required=True, help="NAME.json, as the tests fetch it")
    parser.add_argument("--sample", type=int, metavar="N", default=300, help="schemas of MaskBench; 0: all")
    parser.add_argument("--xgrammar", action="store_true", help="XGrammar too")
    parser.add_argument("--work", type=Path, required=True, help="folder for the lines drawn and each engine's figures")
    arguments = parser.parse_args()
    arguments.peers = arguments.shared / "tools" / "peers.py"
    try:
        results = measure(arguments)
    except Missing as missing:
        print(f"mask_table: MISSING: {missing}", file=sys.stderr)
        return 2
    except Fault as fault:
        print(f"mask_table: NO TIMES: {fault}", file=sys.stderr)
        return 1
    schemas = results[0][1]["weir"]["schemas"]
    peers = dict.fromkeys(name for group, _ in results for name in group.peers)
    print(f"{schemas} schemas of MaskBench, tokenizer {arguments.tokenizer.stem}; weir and",
          ", ".join(f"{name} {version(name)}" for name in peers))
    print("\nverdicts, by lines")
    print_rows([heading for heading, _ in VERDICTS], verdict_rows(results))
    print("\nmicroseconds")
    print_rows([heading for heading, _, _ in COLUMNS], time_rows(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
