#!/usr/bin/env python3
"""Writes the example at the top of each public header into one C++ file, to be compiled as a test.

usage: header_examples.py ROOT OUTPUT.cpp

Every public header (not those in detail/) opens with an example; a header without one is an error, as is an entry below
for a header that no longer exists.
"""

import pathlib
import re
import sys

# What an example takes for granted: parameters of the function it stands in, and declarations before it.
LOGITS = "std::span<const float> logits, std::span<const std::uint32_t> mask"
SEARCH = "LanguageModel* model, const CompiledGrammar& grammar, std::span<const TokenId> prompt"
USE = "void use(const std::string&);"
CONTEXT = {
    "result.hpp": ("const char* text", "Result<int> parse(std::string_view);\nvoid use(int);"),
    "structure.hpp": ("StructureSource& source, ValueId id, std::uint32_t i", ""),
    "matcher.hpp": ("const CompiledGrammar& grammar", "TokenId sample(std::span<const std::uint32_t>);"),
    "mask.hpp": ("Matcher& first, Matcher& second, std::span<std::uint32_t> mask, std::span<std::uint32_t> other", ""),
    "batch.hpp": (
        "std::span<Matcher* const> matchers, std::vector<std::uint32_t>& rows, std::size_t words",
        "void apply(std::span<const std::uint32_t>);",
    ),
    "completion.hpp": ("const CompiledGrammar& grammar, std::string_view truncated", ""),
    "draw_batch.hpp": (
        f"{LOGITS}, std::vector<Sampler*>& samplers, std::span<const std::uint32_t> rows, std::size_t width, "
        "std::size_t words",
        "",
    ),
    "filters.hpp": ("std::span<const double> probabilities", ""),
    "generate.hpp": (
        "LanguageModel& model, const CompiledGrammar& grammar, std::span<const TokenId> prompt_tokens",
        "void use(const std::string&);",
    ),
    "logits.hpp": (LOGITS, ""),
    "particles.hpp": (SEARCH, USE),
    "penalties.hpp": ("std::span<const TokenId> history, std::span<float> logits", ""),
    "sampler.hpp": (f"{LOGITS}, std::span<const TokenId> tokens", ""),
    "search.hpp": (SEARCH, USE),
    "text_stream.hpp": ("std::span<const std::string_view> tokens", ""),
    "model.hpp": ("std::span<const TokenId> tokens", ""),
}
WITHOUT_EXAMPLE = {"limits.hpp"}  # a list of fields


def example_of(path):
    lines = []
    for line in path.read_text().splitlines():
        code = re.fullmatch(r"//   ( *\S.*)", line)
        if code:
            lines.append(code.group(1))
        elif lines or line.startswith("#pragma once"):
            break
    return lines


def main(root, output):
    headers = sorted(p for p in pathlib.Path(root).glob("*/include/weir/**/*.hpp") if "detail" not in p.parts)
    names = {p.name for p in headers}
    stale = (CONTEXT.keys() | WITHOUT_EXAMPLE) - names
    if stale:
        sys.exit(f"header_examples.py: no such headers: {', '.join(sorted(stale))}")
    out = ["#include <iostream>", "#include <weir/weir.hpp>", '#include "weir/grammar/structure.hpp"', ""]
    out += ['#include "weir/sampler/llama_model.hpp"', '#include "weir/sampler/ngram_model.hpp"', "", "namespace weir {"]
    for number, path in enumerate(headers):
        lines = example_of(path)
        if not lines and path.name not in WITHOUT_EXAMPLE:
            sys.exit(f"{path}: no example at the top (lines that start with three blanks after //)")
        if not lines:
            continue
        parameters, declarations = CONTEXT.get(path.name, ("", ""))
        out += ["", f"// {path.relative_to(root)}", f"namespace example_{number} {{", declarations]
        out += [f"Result<int> run({parameters}) {{", *(f"  {line}" for line in lines), "  return 0;", "}", "}"]
    out += ["}  // namespace weir", ""]
    pathlib.Path(output).write_text("\n".join(out))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
