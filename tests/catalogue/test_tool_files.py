"""The tool files of every Blueprint that ships have no long lines, and nothing in them is to be linted."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from tests.domains import CHOSEN
from tests.ruff_check import complaints
from tests.statement_world import STATEMENTS

from worldwright import catalogue
from worldwright.blueprint.siblings import load_cached
from worldwright.kinds.database.emit.source import WIDTH
from worldwright.kinds.database.emit.tools import tool_source

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))
TEXTS = {
    **{name: catalogue.text(name) for name in CHOSEN},
    **{path.stem: path.read_text(encoding="utf-8") for path in EXAMPLES},
    "statement_world": STATEMENTS,
}


@cache
def files(name: str) -> dict[str, str]:
    blueprint = load_cached(TEXTS[name], f"{name}.yaml")
    return {f"{tool}.py": tool_source(blueprint, tool) for tool in blueprint.operations}


@pytest.mark.parametrize("name", TEXTS)
def test_ruff_has_nothing_to_say(name: str, tmp_path: Path) -> None:
    assert complaints(files(name), tmp_path) == ""


@pytest.mark.parametrize("name", TEXTS)
def test_no_line_is_too_long(name: str) -> None:
    lines = [line for source in files(name).values() for line in source.splitlines()]
    assert [line for line in lines if len(line) > WIDTH] == []


@pytest.mark.parametrize(("source", "said"), [("import os\n", "F401"), ("x = (\n", "invalid-syntax")])
def test_ruff_would_say_it(source: str, said: str, tmp_path: Path) -> None:
    assert said in complaints({"bad.py": source}, tmp_path)


def test_files_are_the_same_under_any_hash_seed() -> None:
    program = (
        "from hashlib import sha256\n"
        "from worldwright import catalogue\n"
        "from worldwright.kinds.database.emit.tools import tool_source\n"
        "blueprint = catalogue.load('hotel_booking')\n"
        "print(sha256(''.join(tool_source(blueprint, o) for o in blueprint.operations).encode()).hexdigest())\n"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(seen) == 1
