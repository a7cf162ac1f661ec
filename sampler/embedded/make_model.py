#!/usr/bin/env python3
"""Makes the embedded model, model.bin, from training_text.py: a vocabulary and an n-gram model over it.

    python3 sampler/embedded/make_model.py [--check]

`--check` makes it anew and compares, so that the file in the repository is known to come from this script.
Needs nothing but Python 3.9; the same bytes on every machine.

Vocabulary: token 0 ends a sequence, tokens 1 to 256 are the bytes, the others come from merging the most frequent
neighbours (byte-pair encoding) within words, digit runs and punctuation runs, up to VOCABULARY tokens.
N-grams: token counts up to ORDER over the text, cut greedily into longest tokens, and once more cut with some tokens
split in two, so that text which a grammar forces through short tokens is not unknown to the model.

The file, all little-endian, unsigned:
    0  8 bytes  "WEIRNG01"
    8  u32      size of the file in bytes
   12  u32      FNV-1a (32 bit) of everything from byte 16 on
   16  u32      V, number of tokens            20  u32  order N
   24  u32      discount d, in 1/65536         28  u32  floor u, in 1/65536 (see ngram_model.hpp)
   32  u32 x N  number of n-grams of each order 1..N; of order 1: V
    .  u8 x V   length of each token in bytes; 0 for token 0, the end-of-sequence token
    .  bytes of the tokens, one after the other, then zeros up to a multiple of 4
    .  for each order n = 1..N, the n-grams in order of their tokens, which makes the level n + 1 children of one
       n-gram neighbours:
          order 1:        u32 count of each token
          order n > 1:    u16 last token x count, u16 count x count, each then padded to a multiple of 4
          n < N:          u32 x (count + 1): where the children of each begin in level n + 1
"""

import argparse
import collections
import pathlib
import re
import struct
import sys

import training_text

VOCABULARY = 1500
ORDER = 4
MAX_TOKEN = 16
DISCOUNT = 0.2
FLOOR = 0.01
GREEDY_WEIGHT = 6  # how much a greedy cut of the text counts beside the randomly split one
OUTPUT = pathlib.Path(__file__).parent / "model.bin"

# What merges stay within: a word with its leading space, up to three digits, punctuation with the spaces in it.
PIECES = re.compile(r" ?[^\W\d_]+|[0-9]{1,3}|(?:[^\w]|_)+?(?= [^\W\d_])|(?:[^\w]|_)+")


def pair_counts(pieces):
    counts = collections.Counter()
    for piece, weight in pieces.items():
        for pair in zip(piece, piece[1:]):
            counts[pair] += weight
    return counts


def merge(piece, pair):
    merged, i = [], 0
    while i < len(piece):
        if i + 1 < len(piece) and (piece[i], piece[i + 1]) == pair:
            merged.append(piece[i] + piece[i + 1])
            i += 2
        else:
            merged.append(piece[i])
            i += 1
    return tuple(merged)


def make_vocabulary(documents):
    pieces = collections.Counter()
    for document in documents:
        for piece in PIECES.findall(document):
            pieces[tuple(bytes([byte]) for byte in piece.encode())] += 1
    tokens = [b""] + [bytes([byte]) for byte in range(256)]
    known = set(tokens)
    while len(tokens) < VOCABULARY:
        counts = pair_counts(pieces)
        candidates = [(count, pair) for pair, count in counts.items()
                      if count >= 4 and len(pair[0]) + len(pair[1]) <= MAX_TOKEN]
        if not candidates:
            break
        _, pair = max(candidates, key=lambda candidate: (candidate[0], [-byte for byte in b"".join(candidate[1])]))
        joined = pair[0] + pair[1]
        if joined not in known:
            known.add(joined)
            tokens.append(joined)
        remade = collections.Counter()
        for piece, weight in pieces.items():
            remade[merge(piece, pair) if pair[0] in piece else piece] += weight
        pieces = remade
    return tokens


def encode(text, ids):
    """The longest token at each place."""
    result, at = [], 0
    while at < len(text):
        length = next(n for n in range(min(MAX_TOKEN, len(text) - at), 0, -1) if text[at : at + n] in ids)
        result.append(ids[text[at : at + length]])
        at += length
    return result


def split_some(sequence, tokens, ids, choices):
    """The same text with about one token in eight cut in two at a random place, where both halves are tokens."""
    result = []
    for token in sequence:
        text = tokens[token]
        if len(text) > 1 and choices.below(8) == 0:
            cut = 1 + choices.below(len(text) - 1)
            result += encode(text[:cut], ids) + encode(text[cut:], ids)
        else:
            result.append(token)
    return result


def count_ngrams(documents, tokens):
    ids = {token: i for i, token in enumerate(tokens) if token}
    choices = training_text.Choices(7)
    levels = [collections.Counter() for _ in range(ORDER)]
    for document in documents:
        greedy = encode(document.encode(), ids)
        for sequence, weight in [(greedy, GREEDY_WEIGHT), (split_some(greedy, tokens, ids, choices), 1)]:
            framed = [0] + sequence + [0]
            for n in range(1, ORDER + 1):
                for at in range(max(1, n - 1), len(framed)):  # the leading 0 is context, never counted by itself
                    levels[n - 1][tuple(framed[at - n + 1 : at + 1])] += weight
    # The longest n-grams seen once, in a random split, tell nothing. Everything kept has its prefix kept, as counts of a
    # prefix are never smaller, except where the prefix ends the text or stands at its start.
    levels[ORDER - 1] = {gram: count for gram, count in levels[ORDER - 1].items() if count > 1}
    for n in range(ORDER - 1, 1, -1):
        needed = {gram[:-1] for gram in levels[n]}
        levels[n - 1] = {gram: count for gram, count in levels[n - 1].items() if count > 1 or gram in needed}
    return levels


def padded(data):
    return data + bytes(-len(data) % 4)


def serialise(tokens, levels):
    size = len(tokens)
    grams = [[(token,) for token in range(size)]] + [sorted(level) for level in levels[1:]]
    body = struct.pack("<4I", size, ORDER, round(DISCOUNT * 65536), round(FLOOR * 65536))
    body += struct.pack(f"<{ORDER}I", *(len(level) for level in grams))
    body += padded(bytes(len(token) for token in tokens) + b"".join(tokens))
    for n in range(1, ORDER + 1):
        level, counts = grams[n - 1], [min(levels[n - 1].get(gram, 0), 65535) for gram in grams[n - 1]]
        if n == 1:
            body += struct.pack(f"<{size}I", *(levels[0].get(gram, 0) for gram in level))
        else:
            body += padded(struct.pack(f"<{len(level)}H", *(gram[-1] for gram in level)))
            body += padded(struct.pack(f"<{len(level)}H", *counts))
        if n < ORDER:
            children = collections.Counter(gram[:-1] for gram in grams[n])
            begin = [0]
            for gram in level:
                begin.append(begin[-1] + children.pop(gram, 0))
            assert not children, "an n-gram whose prefix is not in the model"
            body += struct.pack(f"<{len(begin)}I", *begin)
    checksum = 0x811C9DC5
    for byte in body:
        checksum = (checksum ^ byte) * 0x01000193 & 0xFFFFFFFF
    return b"WEIRNG01" + struct.pack("<2I", len(body) + 16, checksum) + body


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--check", action="store_true", help="compare with the file in the repository")
    options = arguments.parse_args()
    documents = training_text.documents()
    tokens = make_vocabulary(documents)
    levels = count_ngrams(documents, tokens)
    data = serialise(tokens, levels)
    print(f"{sum(len(d.encode()) for d in documents)} bytes of text, {len(tokens)} tokens, "
          f"{'/'.join(str(len(level)) for level in levels)} n-grams, {len(data)} bytes")
    if options.check:
        if OUTPUT.read_bytes() != data:
            sys.exit(f"{OUTPUT.name} is not what make_model.py makes: run it and commit the result")
    else:
        OUTPUT.write_bytes(data)


if __name__ == "__main__":
    main()
