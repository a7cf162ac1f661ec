#!/usr/bin/env python3
"""The README's C++ example as a test: extract its program, or compare what the program prints with what is shown.

usage: readme_example.py extract README.md OUT.cpp
       readme_example.py check README.md PROGRAM

The example is the README's only ```cpp block; the block right after it, marked ```text, is its output.
"""

import re
import subprocess
import sys
from pathlib import Path

EXAMPLE = re.compile(r"^```cpp\n(.*?)^```\n(?:(?!```).)*?^```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def read_example(readme):
    """(program, output) of the README."""
    text = Path(readme).read_text(encoding="utf-8")
    found = EXAMPLE.findall(text)
    if len(found) != 1 or text.count("```cpp") != 1:
        sys.exit(f"{readme}: expected exactly one ```cpp block followed by its output in a ```text block")
    return found[0]


def extract(readme, out):
    program, _ = read_example(readme)
    Path(out).write_text(program, encoding="utf-8")


def check(readme, program):
    _, expected = read_example(readme)
    run = subprocess.run([program], capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        sys.exit(f"the example ended with {run.returncode}:\n{run.stderr}")
    if run.stdout != expected:
        sys.exit(f"the README shows\n{expected}\nbut the example prints\n{run.stdout}")
    print("the example prints what the README shows")


if __name__ == "__main__":
    commands = {"extract": extract, "check": check}
    if len(sys.argv) != 4 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](sys.argv[2], sys.argv[3])
