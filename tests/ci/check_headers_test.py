"""The header check accepts what compiles alone and names what does not."""

import subprocess
import sys


def run_check(root, folder):
    command = [sys.executable, root / ".ci" / "check_headers.py", folder]
    return subprocess.run(command, capture_output=True, text=True)


def write_header(folder, room, text):
    path = folder / room / "include" / "weir" / room / "x.hpp"
    path.parent.mkdir(parents=True)
    path.write_text(text)


def test_a_header_that_includes_what_it_uses_passes(root, tmp_path):
    write_header(tmp_path, "grammar", "#pragma once\n#include <string>\nstruct X { std::string s; };\n")
    write_header(tmp_path, "automata", "#pragma once\n#include <weir/grammar/x.hpp>\nstruct Y { X x; };\n")
    result = run_check(root, tmp_path)
    assert (result.returncode, result.stdout) == (0, "headers: 2 files, 0 faults\n")


def test_a_missing_include_a_missing_guard_and_a_header_from_downstream_fail(root, tmp_path):
    faults = {
        "unguarded": ("grammar", "struct X {};\n"),
        "incomplete": ("grammar", "#pragma once\nstruct X { std::string s; };\n"),
        "upstream": ("grammar", "#pragma once\n#include <weir/automata/x.hpp>\n"),
    }
    for name, (room, text) in faults.items():
        folder = tmp_path / name
        write_header(folder, room, text)
        if name == "upstream":
            write_header(folder, "automata", "#pragma once\n")
        result = run_check(root, folder)
        assert result.returncode == 1, name
        assert "weir/grammar/x.hpp does not compile alone" in result.stderr, name


def test_no_header_at_all_is_a_failure(root, tmp_path):
    assert run_check(root, tmp_path).returncode == 1
