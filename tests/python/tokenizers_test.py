"""Every token of real tokenizers, compared with a second decoding that shares no code with weir.

What weir has comes from the program dump_vocabulary. What it must be comes from Hugging Face's tokenizers, from
sentencepiece, or from the few lines of Python below; all ids are compared. The byte-level alphabet is not written down
here a second time: Hugging Face's own pre-tokenizer is asked for it.
"""

import base64
import json
import struct
import subprocess
from typing import NamedTuple

import pytest
import sentencepiece
import tokenizers
from conftest import need

METASPACE = "\u2581"
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


class Token(NamedTuple):
    kind: str  # text, special, eos, unused
    text: bytes  # for special and eos, the spelling


@pytest.fixture(scope="module")
def tokenizers_dir(request):
    # By its name, since the module `tokenizers` has the same.
    return request.getfixturevalue("tokenizers")


@pytest.fixture(scope="module")
def load(build_dir):
    """Loads a file with weir and gives the list of its tokens by id."""
    program = need(build_dir / "tests" / "dump_vocabulary", "run ./dev build")

    def run(path):
        need(path, "run tests/tools/fetch_tokenizers.py build/tokenizers")
        done = subprocess.run([program, path], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        tokens = []
        for line in done.stdout.splitlines():
            number, kind, digits = line.split(" ")
            assert int(number) == len(tokens)
            tokens.append(Token(kind, bytes.fromhex(digits)))
        return tokens

    return run


@pytest.fixture(scope="module")
def byte_of_char():
    """The byte that each character of the byte-level alphabet stands for."""
    byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    table = {}
    for code_point in [*range(0x800), *range(0x800, 0x110000, 0x40)]:
        if 0xD800 <= code_point < 0xE000:
            continue
        text = chr(code_point)
        ((shown, _),) = byte_level.pre_tokenize_str(text)
        table.update(zip(shown, text.encode(), strict=True))
    # The 13 bytes that no UTF-8 has are letters of Latin-1, which stand for themselves.
    for byte in {*range(256)} - {*table.values()}:
        table[chr(byte)] = byte
    assert len(table) == 256 and {*table} == {*tokenizers.pre_tokenizers.ByteLevel.alphabet()}
    return table


def plain_bytes(piece):
    """A piece of a byte-fallback model."""
    if len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">"):
        return bytes([int(piece[3:5], 16)])
    return piece.replace(METASPACE, " ").encode()


def differences(got, want):
    """The first few ids whose tokens differ; got and want must be equally long."""
    assert len(got) == len(want)
    return [(i, g, w) for i, (g, w) in enumerate(zip(got, want)) if g != w][:10]


def hugging_face_tokens(tokenizer, piece_bytes, eos):
    """What the vocabulary of a tokenizer.json must be."""
    added = tokenizer.get_added_tokens_decoder()
    tokens = []
    for i in range(tokenizer.get_vocab_size(with_added_tokens=True)):
        piece = tokenizer.id_to_token(i)
        if i in added and added[i].special:
            tokens.append(Token("eos" if piece in eos else "special", piece.encode()))
        else:
            tokens.append(Token("text", piece_bytes(piece)))
    return tokens


@pytest.mark.parametrize(
    ("name", "size", "eos"),
    [
        ("llama3_1.json", 128_256, {"<|end_of_text|>", "<|eot_id|>"}),
        ("qwen2_5.json", 151_665, {"<|endoftext|>", "<|im_end|>"}),
        ("gemma3.json", 262_145, {"<eos>", "<end_of_turn>"}),
    ],
)
def test_tokenizer_json(tokenizers_dir, load, byte_of_char, name, size, eos):
    got = load(tokenizers_dir / name)
    tokenizer = tokenizers.Tokenizer.from_file(str(tokenizers_dir / name))
    byte_level = name != "gemma3.json"
    piece_bytes = (lambda piece: bytes(byte_of_char[c] for c in piece)) if byte_level else plain_bytes
    want = hugging_face_tokens(tokenizer, piece_bytes, eos)
    assert len(got) == size
    assert differences(got, want) == []
    assert {t.text.decode() for t in got if t.kind == "eos"} == eos
    # Hugging Face's decoder of the single token, where it makes text; it shows U+FFFD for what is no UTF-8.
    texts = tokenizer.decode_batch([[i] for i in range(size)], skip_special_tokens=False)
    shown = [t.text.decode("utf-8", errors="replace") for t in got]
    assert differences(shown, texts) == []


@pytest.mark.parametrize(("name", "size"), [("cl100k_base.tiktoken", 100_256), ("o200k_base.tiktoken", 199_998)])
def test_tiktoken(tokenizers_dir, load, name, size):
    got = load(tokenizers_dir / name)
    want = [Token("unused", b"")] * size
    for line in (tokenizers_dir / name).read_text().splitlines():
        text, rank = line.split()
        want[int(rank)] = Token("text", base64.b64decode(text))
    assert differences(got, want) == []


def test_tekken(tokenizers_dir, load):
    got = load(tokenizers_dir / "tekken_240911.json")
    file = json.loads((tokenizers_dir / "tekken_240911.json").read_text())
    special = file["config"]["default_num_special_tokens"]
    ranks = file["vocab"][: file["config"]["default_vocab_size"] - special]
    assert [r["rank"] for r in ranks] == [*range(len(ranks))]
    want = [Token("text", base64.b64decode(r["token_bytes"])) for r in ranks]
    assert differences(got[special:], want) == []
    # Where the file shows a token as text, too, that is a third opinion.
    shown = [r["token_str"].encode() if r["token_str"] is not None else t.text for r, t in zip(ranks, want)]
    assert differences([t.text for t in got[special:]], shown) == []
    assert {t.kind for t in got[:special]} == {"special", "eos"}
    assert [i for i, t in enumerate(got) if t.kind == "eos"] == [2]
    assert [t.text for t in got[:5]] == [b"<unk>", b"<s>", b"</s>", b"[INST]", b"[/INST]"]
    assert got[999].text == b"<SPECIAL_999>"


def sentencepiece_tokens(model):
    tokens, types = [], []
    for i in range(model.get_piece_size()):
        piece = model.id_to_piece(i)
        if model.is_unused(i):
            tokens.append(Token("unused", b""))
            types.append(UNUSED)
        elif model.is_control(i) or model.is_unknown(i):
            tokens.append(Token("eos" if i == model.eos_id() else "special", piece.encode()))
            types.append(UNKNOWN if model.is_unknown(i) else CONTROL)
        elif model.is_byte(i):
            tokens.append(Token("text", bytes([int(piece[3:5], 16)])))
            types.append(BYTE)
        else:
            tokens.append(Token("text", piece.replace(METASPACE, " ").encode()))
            types.append(NORMAL)
    return tokens, types


@pytest.mark.parametrize(("name", "size"), [("mistral_v1.model", 32_000), ("mistral_v3.model", 32_768)])
def test_sentencepiece(tokenizers_dir, load, name, size):
    got = load(tokenizers_dir / name)
    model = sentencepiece.SentencePieceProcessor(model_file=str(tokenizers_dir / name))
    want, _ = sentencepiece_tokens(model)
    assert len(got) == size
    assert differences(got, want) == []
    # sentencepiece's decoder of each token behind an "a"; alone, it would lose a leading space.
    a = model.piece_to_id("a")
    shown = [t.text.decode("utf-8", errors="replace") if t.kind == "text" else "" for t in got]
    decoded = [model.decode([a, i])[1:] if got[i].kind == "text" else "" for i in range(size)]
    assert differences(shown, decoded) == []


def gguf_file(model, tokens, types, eos):
    """The metadata of a GGUF file of version 3, as llama.cpp's converters write it."""

    def string(text):
        return struct.pack("<Q", len(text.encode())) + text.encode()

    def pair(key, value_type, value):
        return string(key) + struct.pack("<I", value_type) + value

    def array(element_type, elements):
        return struct.pack("<IQ", element_type, len(elements)) + b"".join(elements)

    pairs = [
        pair("general.architecture", 8, string("llama")),
        pair("llama.rope.freq_base", 6, struct.pack("<f", 1e4)),
        pair("tokenizer.ggml.model", 8, string(model)),
        pair("tokenizer.ggml.merges", 9, array(8, [string("a b"), string("c d")])),
        pair("tokenizer.ggml.tokens", 9, array(8, [string(t) for t in tokens])),
        pair("tokenizer.ggml.scores", 9, array(6, [struct.pack("<f", 0)] * len(tokens))),
        pair("tokenizer.ggml.token_type", 9, array(5, [struct.pack("<i", t) for t in types])),
        pair("tokenizer.ggml.eos_token_id", 4, struct.pack("<I", eos)),
        pair("tokenizer.ggml.add_bos_token", 7, b"\1"),
    ]
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + b"".join(pairs)


def test_gguf_of_a_byte_level_tokenizer(tokenizers_dir, load, byte_of_char, tmp_path):
    tokenizer = tokenizers.Tokenizer.from_file(str(tokenizers_dir / "qwen2_5.json"))
    added = tokenizer.get_added_tokens_decoder()
    pieces = [tokenizer.id_to_token(i) for i in range(tokenizer.get_vocab_size())]
    types = [NORMAL if i not in added else CONTROL if added[i].special else USER_DEFINED for i in range(len(pieces))]
    eos = tokenizer.token_to_id("<|im_end|>")
    path = tmp_path / "qwen.gguf"
    path.write_bytes(gguf_file("gpt2", [*pieces, "[PAD0]"], [*types, UNUSED], eos))
    want = hugging_face_tokens(tokenizer, lambda piece: bytes(byte_of_char[c] for c in piece), {"<|im_end|>"})
    assert differences(load(path), [*want, Token("unused", b"")]) == []


def test_gguf_of_a_sentencepiece_model(tokenizers_dir, load, tmp_path):
    model = sentencepiece.SentencePieceProcessor(model_file=str(tokenizers_dir / "mistral_v3.model"))
    want, types = sentencepiece_tokens(model)
    pieces = [model.id_to_piece(i) for i in range(len(want))]
    path = tmp_path / "mistral.gguf"
    path.write_bytes(gguf_file("llama", pieces, types, model.eos_id()))
    assert differences(load(path), want) == []


def gguf_metadata(path):
    """The metadata of a GGUF file, read anew in Python."""
    numbers = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
    with open(path, "rb") as file:

        def number(code):
            return struct.unpack("<" + code, file.read(struct.calcsize("<" + code)))[0]

        def value(kind):
            if kind == 8:
                return file.read(number("Q")).decode()
            if kind == 9:
                element, count = number("I"), number("Q")
                return [value(element) for _ in range(count)]
            return number(numbers[kind])

        magic, version, _, pairs = struct.unpack("<4sIQQ", file.read(24))
        assert magic == b"GGUF" and version in (2, 3)
        return {value(8): value(number("I")) for _ in range(pairs)}


@pytest.mark.llm
def test_gguf_of_smollm2(llm_model, load, byte_of_char):
    metadata = gguf_metadata(llm_model)
    pieces, types = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.token_type"]
    want = []
    for i, (piece, kind) in enumerate(zip(pieces, types, strict=True)):
        assert kind in (NORMAL, CONTROL)
        if kind == NORMAL:
            want.append(Token("text", bytes(byte_of_char[c] for c in piece)))
        else:
            want.append(Token("eos" if i == metadata["tokenizer.ggml.eos_token_id"] else "special", piece.encode()))
    assert len(want) == 49_152
    assert differences(load(llm_model), want) == []
