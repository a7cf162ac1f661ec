"""The layering check finds what it is there to find."""

import importlib.util

import pytest


@pytest.fixture(scope="module")
def check_layers(root):
    spec = importlib.util.spec_from_file_location("check_layers", root / ".ci" / "check_layers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CLEAN = {
    "grammar/include/weir/grammar/expr.hpp": "#include <vector>\n",
    "grammar/ir/utf8.hpp": '#include "weir/grammar/expr.hpp"\n',
    "grammar/ir/utf8.cpp": '#include "ir/utf8.hpp"\n#include <fmt/format.h>\n',
    "automata/include/weir/automata/matcher.hpp": '#include "weir/grammar/expr.hpp"\n',
    "automata/match/matcher.cpp": '#include "weir/automata/matcher.hpp"\n',
    "sampler/include/weir/weir.hpp": '#include "weir/automata/matcher.hpp"\n',
    "cli/main.cpp": "#include <CLI/CLI.hpp>\n#include <weir/weir.hpp>\n",
    "tests/grammar/utf8_test.cpp": '#include "ir/utf8.hpp"\n#include <gtest/gtest.h>\n',
}

FAULTS = [
    ("grammar/ir/utf8.cpp", '#include "weir/automata/matcher.hpp"', "data flows"),
    ("grammar/ir/utf8.cpp", "#  include <weir/weir.hpp>", "data flows"),
    ("automata/match/matcher.cpp", "#include <weir/weir.hpp>", "data flows"),
    ("automata/match/matcher.cpp", '#include "../../grammar/ir/utf8.hpp"', "private to grammar"),
    ("cli/main.cpp", '#include "../automata/match/walk.hpp"', "private to automata"),
    ("grammar/include/weir/grammar/expr.hpp", "#include <fmt/format.h>", "third-party"),
    ("grammar/include/weir/grammar/expr.hpp", "#include <nlohmann/json.hpp>", "third-party"),
    ("grammar/include/weir/grammar/expr.hpp", '#include "../../../ir/table.hpp"', "includes the private"),
    ("grammar/ir/utf8.cpp", '#include "weir/grammar/nothing.hpp"', "in no room's include folder"),
    ("grammar/ir/utf8.cpp", '#include "fmt/format.h"', "is no file of the project"),
    ("sampler/draw.cpp", '#include "../cli/main.hpp"', "data flows"),
    ("bench/maskbench.cpp", '#include "../cli/main.hpp"', "only the library's rooms are shared"),
]


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def test_a_clean_tree_has_no_fault(check_layers, tmp_path):
    write(tmp_path, CLEAN)
    assert check_layers.check(tmp_path) == ([], len(CLEAN))


@pytest.mark.parametrize("includer, line, complaint", FAULTS)
def test_each_fault_is_found_at_its_line(check_layers, tmp_path, includer, line, complaint):
    extra = {"grammar/ir/table.hpp": "\n", "automata/match/walk.hpp": "\n", "cli/main.hpp": "\n"}
    write(tmp_path, {**CLEAN, **extra, includer: f"// why\n{line}\n"})
    faults, _ = check_layers.check(tmp_path)
    assert len(faults) == 1
    assert faults[0].startswith(f"{includer}:2: ")
    assert complaint in faults[0]


def test_a_cycle_of_three_files_is_found_and_a_diamond_is_none(check_layers, tmp_path):
    write(tmp_path, {
        "automata/a.hpp": '#include "b.hpp"\n#include "c.hpp"\n',
        "automata/b.hpp": '#include "d.hpp"\n',
        "automata/c.hpp": '#include "d.hpp"\n',
        "automata/d.hpp": "#include <vector>\n",
    })
    assert check_layers.check(tmp_path)[0] == []
    (tmp_path / "automata/d.hpp").write_text('#include "a.hpp"\n')
    faults, _ = check_layers.check(tmp_path)
    assert faults
    assert "automata/a.hpp -> automata/b.hpp -> automata/d.hpp -> automata/a.hpp" in faults[0]


def test_the_project_itself_is_clean(check_layers, root):
    faults, files = check_layers.check(root)
    assert faults == []
    assert files > 0
