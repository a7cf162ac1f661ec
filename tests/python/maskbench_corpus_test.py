"""MaskBench through the real path: schema text, compiler, Llama-3.1's tokens, masks, matcher.

What becomes of each schema is pinned (tests/data/maskbench_outcomes.txt) and may only get better: a schema that is
refused is never answered wrongly, and no valid instance is rejected but for the order of its keys. A build with
sanitizers, ten times as slow, takes a sample.
"""

import sys
import warnings
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

import maskbench_outcomes as pinned  # noqa: E402


def sanitized(maskbench):
    return "WEIR_SANITIZE:STRING=address" in (maskbench.parent / "CMakeCache.txt").read_text()


def run(maskbench, tokenizers, shared, tmp_path, *options):
    schemas = sorted((shared / "maskbench").glob("*.jsonl"))
    assert len(schemas) >= 15, f"MaskBench is missing from {shared}"
    if sanitized(maskbench):
        schemas = [path for path in schemas if path.stat().st_size < 2_000_000]
        if "--sample" not in options:
            options = (*options, "--sample", "150", "--seed", "3")
    return pinned.run(maskbench, tokenizers, schemas, options, tmp_path, timeout=900)


def compare(lines, mode, complete):
    """What became of the schemas is no worse than what is pinned."""
    count, known = pinned.read_pinned()
    assert not complete or len(lines) == count, f"{len(lines)} schemas in place of {count}: {pinned.UPDATE}"
    worse, better = [], []
    for line in lines:
        outcome = pinned.outcome_of(line)
        before = known.get(line["id"], {}).get(mode, "pass")
        if outcome == before:
            continue
        (worse if pinned.rank(outcome) > pinned.rank(before) else better).append(f"{line['id']}: {before} -> {outcome}")
    assert not worse, f"{len(worse)} schemas got worse, such as {worse[:5]}"
    if better:
        warnings.warn(f"{len(better)} schemas changed for the better, such as {better[:3]}: {pinned.UPDATE}", stacklevel=2)


@pytest.mark.parametrize("options", [[], ["--profile", "fixed", "--cold"]], ids=["flexible", "fixed"])
def test_keys_as_listed(maskbench, tokenizers, shared, tmp_path, options):
    summary, lines = run(maskbench, tokenizers, shared, tmp_path, *options)
    # Each valid instance that is rejected is accepted once its keys may come in any order.
    wrong = [one for one in lines if any(not w["valid"] or not w["key_order"] for w in one.get("wrong", []))]
    assert not wrong, wrong[:3]
    assert summary["accepts_invalid"] == 0 and summary["mask_faults"] == 0
    compare(lines, "listed", not sanitized(maskbench))


def test_keys_in_any_order(maskbench, tokenizers, shared, tmp_path):
    summary, lines = run(maskbench, tokenizers, shared, tmp_path, "--property-order", "any")
    wrong = [one for one in lines if one.get("wrong")]
    assert not wrong, wrong[:3]
    assert summary["accepts_invalid"] == summary["rejects_valid"] == summary["mask_faults"] == 0
    compare(lines, "any", not sanitized(maskbench))


def test_what_is_refused_is_explained(root):
    """Each schema that is refused in any order of keys is named, or its kind is, in docs/maskbench.md."""
    count, known = pinned.read_pinned()
    page = (root / "docs" / "maskbench.md").read_text(encoding="utf-8")
    missing = [name for name, of in known.items() if of["any"] != "pass" and name not in page and f"`{of['any']}`" not in page]
    assert not missing, missing
    assert pinned.table(count, known) in page, f"the table is not that of the pinned outcomes: {pinned.UPDATE}"
    assert {of["any"].split(":")[0] for of in known.values()} <= {"pass", "refused"}
    assert {of["listed"].split(":")[0] for of in known.values()} <= {"order", "refused"}


def test_every_mask_is_that_of_the_plain_loop(maskbench, tokenizers, shared, tmp_path):
    sample = "8" if sanitized(maskbench) else "500"
    summary, _ = run(maskbench, tokenizers, shared, tmp_path, "--verify", "--threads", "2", "--sample", sample)
    assert summary["schemas"] == int(sample) and summary["masks_timed"] > 0
    assert summary["mask_faults"] == 0, summary
