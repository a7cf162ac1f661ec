#!/usr/bin/env python3
"""Checks what includes what. Data flows grammar -> automata -> sampler, so:

1. a room includes its own files and those of rooms upstream, never one downstream;
2. across rooms only public headers (<room>/include/weir/...) are included;
3. public headers include the standard library and other public headers, nothing else;
4. no file includes itself, directly or through others.

usage: check_layers.py [ROOT]    exit 0: clean; 1: faults, one a line as path:line: what
"""

import re
import sys
from pathlib import Path

UPSTREAM = {
    "grammar": [],
    "automata": ["grammar"],
    "sampler": ["grammar", "automata"],
}
# These stand on the whole library, through its public headers. Tests may also look inside a room, and check what is
# measured in bench/.
FOLDERS_ON_TOP = ["cli", "bench", "examples", "tests"]
SOURCE_SUFFIXES = {".hpp", ".cpp", ".h"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
# C++20's headers have neither a dot nor a slash; of the C ones only the <c...> forms are used.
STANDARD_HEADER = re.compile(r"[a-z0-9_]+")


def room_of(path):
    return path.parts[0]


def is_public(path):
    return len(path.parts) > 2 and path.parts[1] == "include"


def source_files(root):
    for folder in [*UPSTREAM, *FOLDERS_ON_TOP]:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SOURCE_SUFFIXES and path.is_file():
                yield path.relative_to(root)


def resolve(root, includer, name):
    """The project file that `name` stands for in `includer`, as a path from the root; None for a foreign header."""
    folders = [includer.parent, Path(room_of(includer))]
    if room_of(includer) == "tests":
        folders += [Path(room) for room in UPSTREAM]
    folders += [Path(room) / "include" for room in UPSTREAM]
    for folder in folders:
        candidate = (root / folder / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(root):
            return candidate.relative_to(root)
    return None


def fault_of(includer, bracket, name, target):
    """What is wrong with one include, or None."""
    room = room_of(includer)
    if target is None:
        if name.startswith("weir/"):
            return f"{name} is in no room's include folder"
        if bracket == '"':
            return f'"{name}" is no file of the project; write <{name}> for a foreign header'
        if is_public(includer) and not STANDARD_HEADER.fullmatch(name):
            return f"public header includes <{name}>; keep third-party headers in .cpp files"
        return None
    other = room_of(target)
    if is_public(includer) and not is_public(target):
        return f"public header includes the private {target}"
    if other == room:
        return None
    if room == "tests" and other == "bench":
        return None
    if room in UPSTREAM:
        if other not in UPSTREAM[room]:
            return f"{room} includes {target}; data flows grammar -> automata -> sampler"
    elif other not in UPSTREAM:
        return f"{room} includes {target}; only the library's rooms are shared"
    if room != "tests" and not is_public(target):
        return f"{target} is private to {other}"
    return None


def find_cycles(graph):
    """One cycle for each strongly connected component that has one, as a list of paths."""
    cycles = []
    done = set()
    for start in sorted(graph):
        trail = []
        on_trail = {}
        stack = [(start, iter(graph[start]))] if start not in done else []
        while stack:
            node, targets = stack[-1]
            if node not in on_trail:
                on_trail[node] = len(trail)
                trail.append(node)
            target = next(targets, None)
            if target is None:
                stack.pop()
                trail.pop()
                del on_trail[node]
                done.add(node)
            elif target in on_trail:
                cycles.append([*trail[on_trail[target]:], target])
            elif target not in done:
                stack.append((target, iter(graph.get(target, []))))
    return cycles


def check(root):
    root = Path(root).resolve()
    faults = []
    graph = {}
    for path in source_files(root):
        text = (root / path).read_text(encoding="utf-8")
        targets = []
        for match in INCLUDE.finditer(text):
            target = resolve(root, path, match.group(2))
            fault = fault_of(path, match.group(1), match.group(2), target)
            if fault:
                line = text.count("\n", 0, match.start()) + 1
                faults.append(f"{path}:{line}: {fault}")
            if target is not None:
                targets.append(target)
        graph[path] = targets
    faults += ["include cycle: " + " -> ".join(map(str, cycle)) for cycle in find_cycles(graph)]
    return faults, len(graph)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    faults, files = check(root)
    if files == 0:
        faults.append(f"no source file under {root}")
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    print(f"layering: {files} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
