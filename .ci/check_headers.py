#!/usr/bin/env python3
"""Compiles each public header alone, twice in a row, seeing only its own room's headers and those upstream.

So a header includes what it uses, may be included twice, and cannot reach a room downstream or a third-party header.

usage: check_headers.py [ROOT]    CXX names the compiler (c++); exit 0: all compile; 1: some do not
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOMS = ["grammar", "automata", "sampler"]
FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Wshadow", "-Wpedantic", "-Werror", "-fsyntax-only", "-x", "c++", "-"]


def compile_alone(root, room, header):
    """The compiler's complaints, or an empty text."""
    visible = ROOMS[: ROOMS.index(room) + 1]
    include = f"#include <{header}>\n"
    command = [os.environ.get("CXX", "c++"), *(f"-I{root / name / 'include'}" for name in visible), *FLAGS]
    run = subprocess.run(command, input=include * 2, capture_output=True, text=True)
    return run.stderr if run.returncode != 0 else ""


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    headers = []
    for room in ROOMS:
        folder = root / room / "include"
        headers += [(room, path.relative_to(folder)) for path in sorted(folder.rglob("*.hpp"))]
    if not headers:
        print(f"no public header under {root}", file=sys.stderr)
        return 1
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = list(pool.map(lambda item: compile_alone(root, *item), headers))
    failed = 0
    for (_, header), complaint in zip(headers, complaints):
        if complaint:
            failed += 1
            print(f"{header} does not compile alone:\n{complaint}", file=sys.stderr)
    print(f"headers: {len(headers)} files, {failed} faults")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
