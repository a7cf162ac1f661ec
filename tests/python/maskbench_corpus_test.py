"""MaskBench through the real path: schema text, compiler, Llama-3.1's tokens, masks, matcher.

Counts may only get better; a wrong verdict on a schema that compiles is a failure, but for the order of keys. A build
with sanitizers, ten times as slow, takes a sample.
"""

import json
import math
import subprocess

import pytest


def sanitized(maskbench):
    return "WEIR_SANITIZE:STRING=address" in (maskbench.parent / "CMakeCache.txt").read_text()


def run(maskbench, tokenizers, shared, tmp_path, *options):
    schemas = sorted((shared / "maskbench").glob("*.jsonl"))
    assert len(schemas) >= 15, f"MaskBench is missing from {shared}"
    out, each = tmp_path / "summary.json", tmp_path / "each.jsonl"
    if sanitized(maskbench):
        schemas = [path for path in schemas if path.stat().st_size < 2_000_000]
        if "--sample" not in options:
            options = (*options, "--sample", "150", "--seed", "3")
    command = [maskbench, "--tokenizer", tokenizers / "llama3_1.json", "--json", out, "--per-schema", each, *options, *schemas]
    finished = subprocess.run([str(part) for part in command], capture_output=True, timeout=900, check=False)
    assert finished.returncode == 0, finished.stderr.decode()[-2000:]
    wrong = [outcome for outcome in map(json.loads, each.read_text().splitlines()) if outcome.get("wrong")]
    return json.loads(out.read_text()), wrong


def enough(summary, share):
    """Whether no fewer schemas pass than `share` of the corpus; of a sample, than that less three standard errors."""
    schemas = summary["schemas"]
    slack = 3 * math.sqrt(share * (1 - share) * schemas) if schemas < 1000 else 0
    return summary["passing"] >= share * schemas - slack


@pytest.mark.parametrize("options", [[], ["--profile", "fixed", "--cold"]], ids=["flexible", "fixed"])
def test_keys_as_listed(maskbench, tokenizers, shared, tmp_path, options):
    summary, wrong = run(maskbench, tokenizers, shared, tmp_path, *options)
    assert summary["accepts_invalid"] == 0 and summary["mask_faults"] == 0
    assert summary["rejects_valid"] == summary["rejects_valid_by_key_order"], wrong[:5]
    assert enough(summary, 0.94), summary


def test_keys_in_any_order(maskbench, tokenizers, shared, tmp_path):
    summary, wrong = run(maskbench, tokenizers, shared, tmp_path, "--property-order", "any")
    assert not wrong, wrong[:5]
    assert summary["accepts_invalid"] == summary["rejects_valid"] == summary["mask_faults"] == 0
    assert enough(summary, 0.987), summary


def test_every_mask_is_that_of_the_plain_loop(maskbench, tokenizers, shared, tmp_path):
    sample = "8" if sanitized(maskbench) else "500"
    summary, _ = run(maskbench, tokenizers, shared, tmp_path, "--verify", "--threads", "2", "--sample", sample)
    assert summary["schemas"] == int(sample) and summary["masks_timed"] > 0
    assert summary["mask_faults"] == 0, summary
