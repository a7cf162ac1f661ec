#!/usr/bin/env python3
"""Draws what each filter keeps of one distribution: docs/figures/filters.svg.

usage: filters.py [OUTPUT.svg]

Nothing but the standard library. The rules are written out here once more, in a few lines each; the library's own are in
sampler/include/weir/sampler/.
"""

import math
import pathlib
import sys

# Logits of twelve tokens: two that stand out, a shoulder, a tail.
LOGITS = [4.0, 3.6, 2.9, 2.7, 2.6, 2.0, 1.4, 1.1, 0.6, 0.2, -0.6, -1.5]


def softmax(logits, temperature=1.0):
    weights = [math.exp((x - max(logits)) / temperature) for x in logits]
    return [w / sum(weights) for w in weights]


P = softmax(LOGITS)
ENTROPY = -sum(p * math.log(p) for p in P)
ALL = range(len(P))


def prefix(order, threshold):
    kept, total = [], 0.0
    for i in order:
        if total >= threshold:
            break
        kept.append(i)
        total += P[i]
    return kept


def sigma():
    mean = sum(LOGITS) / len(LOGITS)
    return math.sqrt(sum((x - mean) ** 2 for x in LOGITS) / len(LOGITS))


TYPICAL = sorted(ALL, key=lambda i: abs(-math.log(P[i]) - ENTROPY))
ETA = 0.05
PANELS = [
    ("top_k = 4", [i for i in ALL if i < 4]),
    ("top_p = 0.80", prefix(ALL, 0.80)),
    ("min_p = 0.20", [i for i in ALL if P[i] >= 0.20 * P[0]]),
    ("typical_p = 0.60", prefix(TYPICAL, 0.60)),
    ("epsilon_cutoff = 0.03", [i for i in ALL if P[i] >= 0.03]),
    (f"eta_cutoff = {ETA}", [i for i in ALL if P[i] >= min(ETA, math.sqrt(ETA) * math.exp(-ENTROPY))]),
    ("top_n_sigma = 1", [i for i in ALL if LOGITS[i] >= max(LOGITS) - sigma()]),
    ("xtc_threshold = 0.10", ALL[max(0, sum(p >= 0.10 for p in P) - 1) :]),
    ("mirostat 2, mu = 4 bits", [i for i in ALL if -math.log2(P[i]) <= 4]),
]
WIDTH, HEIGHT, COLUMNS = 250, 150, 3
BAR = (WIDTH - 40) / len(P)


def panel(x, y, title, kept):
    lines = [f'<text x="{x + 20}" y="{y + 20}">{title}</text>']
    for i in ALL:
        height = 95 * P[i] / P[0]
        kind = "kept" if i in kept else "cut"
        left, top = x + 20 + i * BAR, y + 130 - height
        lines.append(f'<rect class="{kind}" x="{left:.1f}" y="{top:.1f}" width="{BAR - 3:.1f}" height="{height:.1f}"/>')
    lines.append(f'<path d="M{x + 18} {y + 130.5}h{WIDTH - 38}"/>')
    return lines


def main(output):
    rows = -(-len(PANELS) // COLUMNS)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * COLUMNS} {HEIGHT * rows}" font-family="sans-serif"'
        ' font-size="13">',
        "<style>.kept{fill:#2563a8}.cut{fill:#d4d9e0}path{stroke:#777}text{fill:#333}</style>",
        f'<rect width="{WIDTH * COLUMNS}" height="{HEIGHT * rows}" fill="#fff"/>',
    ]
    for number, (title, kept) in enumerate(PANELS):
        out += panel(number % COLUMNS * WIDTH, number // COLUMNS * HEIGHT, title, set(kept))
    out.append("</svg>")
    pathlib.Path(output).write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).with_suffix(".svg"))
