"""What the tests of the programs share: running them within limits, and a small vocabulary."""

import json
import os
import subprocess
import tempfile
from typing import NamedTuple

import pytest

TIME_LIMIT_S = 120
MEMORY_LIMIT_MB = 1500  # room for sanitizers


class Run(NamedTuple):
    code: int
    out: bytes
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def json_lines(self):
        return [json.loads(line) for line in self.out.splitlines()]


def run_program(program, arguments, stdin=b""):
    """Runs the program, which must end by itself, in time and bounded memory, with an exit code of its own."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        process = subprocess.Popen(
            # `timeout` ends what hangs; its exit code 124 is none of the program's.
            ["timeout", str(TIME_LIMIT_S), program, *arguments], stdin=given, stdout=out, stderr=err
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        run = Run(process.returncode, out.read(), err.read().decode(errors="backslashreplace"))
    assert run.code in (0, 1, 2, 3), f"{arguments} ended with {run.code}: {run.err[-2000:]}"
    memory_mb = usage.ru_maxrss / 1024
    assert memory_mb < MEMORY_LIMIT_MB, f"{arguments} took {memory_mb:.0f} MB"
    return run


@pytest.fixture(scope="session")
def cli(weir):
    """cli("mask", "--regex", "a", stdin=b"") -> Run"""
    return lambda *arguments, stdin=b"": run_program(weir, arguments, stdin)


@pytest.fixture
def fails(cli):
    """Runs what must be refused: exit 2, one error of one line, nothing on standard output; returns the message."""

    def check(*arguments, stdin=b""):
        run = cli(*arguments, stdin=stdin)
        assert run.code == 2, (arguments, run)
        assert run.out == b"", (arguments, run)
        assert run.err.startswith("error: ") and run.err.count("\n") == 1 and run.err.endswith("\n"), (arguments, run)
        assert len(run.err) > len("error: \n") + 10, (arguments, run)
        return run.err

    return check


@pytest.fixture
def file(tmp_path):
    """file(text or bytes, name="file") -> path"""

    def write(content, name="file"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.fixture(scope="session")
def byte_characters():
    """The character that stands for each byte in byte-level BPE files: printable bytes for themselves, the rest from
    U+0100 on in their order."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {**{byte: chr(byte) for byte in printable}, **{byte: chr(0x100 + i) for i, byte in enumerate(others)}}


@pytest.fixture
def tokenizer(file, byte_characters):
    """tokenizer([b"a", b"b"]) -> path of a tokenizer.json: those tokens, then an end-of-sequence token </s>."""

    def write(tokens):
        spelled = ["".join(byte_characters[byte] for byte in token) for token in tokens]
        content = {
            "version": "1.0",
            "added_tokens": [{"id": len(tokens), "content": "</s>", "special": True}],
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
            "decoder": {"type": "ByteLevel"},
            "model": {"type": "BPE", "vocab": {token: i for i, token in enumerate(spelled)}, "merges": []},
        }
        return file(json.dumps(content), "tokenizer.json")

    return write
