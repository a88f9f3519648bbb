"""What comes with an extra is needed by nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

EXTRAS = (
    "jsonschema", "sqlglot", "bs4", "markdown_it", "pypdf", "docx", "pyarrow", "mcp", "lxml", "openai",
    "fastapi", "starlette", "uvicorn", "uvloop", "httptools", "prometheus_client", "oras", "requests", "ray",
    "jinja2", "playwright", "pygraphviz",
)  # fmt: skip
BUILD = """
from worldwright import catalogue
from worldwright.compiler.build import build
print(build(catalogue.load("retail_returns"), 7, with_tasks=False).pack.manifest.name)
"""
HELP = "from worldwright.cli.main import main; main(['{}', '--help'])"


COMMANDS = (
    "generate", "upload", "anchor", "demo", "rollout", "gate", "contamination", "distill", "report", "serve",
    "push", "pull", "images", "app", "studio",
)  # fmt: skip


@pytest.mark.parametrize("code", [BUILD, *(HELP.format(c) for c in COMMANDS)])
def test_worlds_are_built_and_commands_explained_without_the_extras(code: str) -> None:
    block = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS!r}))\n"
    done = subprocess.run([sys.executable, "-c", block + code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize(
    ("extra", "command"),
    [
        ("anchor", ["upload", "--sql", __file__]),
        ("serve", ["serve", "--gym", __file__]),
        ("app", ["app", "x"]),
        ("studio", ["studio", "--no-open"]),
    ],
)
def test_a_command_without_its_extra_says_what_to_install(extra: str, command: list[str]) -> None:
    block = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS!r}))\n"
    code = f"from worldwright.cli.main import main; main({command!r})"
    done = subprocess.run([sys.executable, "-c", block + code], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert f"pip install 'worldwright[{extra}]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_library_of_the_core_is_named() -> None:
    code = "import sys; sys.modules['yaml'] = None; from worldwright.cli.main import main; main(['catalog', 'town'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "the library `yaml` is not installed" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("listed", sorted(ROOT.glob("tests/**/requirements.in")), ids=lambda path: path.parent.name)
def test_environments_that_install_the_project_alone_list_what_its_core_needs(listed: Path) -> None:
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert _names(needed) <= _names(listed.read_text().splitlines())


def _names(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=;\[ ]", line)[0] for line in requirements}
