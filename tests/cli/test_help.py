"""What somebody meets first: help that answers at once and is not cut, a hint for a mistyped command, the documented exit codes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from worldwright.cli import exits
from worldwright.cli.main import SECTIONS, cli, summary_of

from .conftest import Run

COLUMNS = 80
HEAVY = (
    "pydantic",
    "yaml",
    "rich",
    "sqlite3",
    "worldwright.blueprint",
    "worldwright.compiler",
    "worldwright.cli.commands.generate",
)
SHOW = f"""
import sys
from worldwright.cli.main import main
try:
    main(["--help"])
finally:
    print("LOADED", *(name for name in {HEAVY!r} if name in sys.modules))
"""  # fmt: skip


def _groups() -> Iterator[str]:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        if isinstance(cli.get_command(context, name), click.Group):
            yield name


GROUPS = tuple(_groups())


def test_help_imports_no_command() -> None:
    done = subprocess.run([sys.executable, "-c", SHOW], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED"
    assert "Build a world, or thousands, and keep them in the store." in done.stdout


def test_every_command_stands_in_one_section_of_help() -> None:
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == cli.list_commands(click.Context(cli))


def test_every_command_has_a_summary_that_fits() -> None:
    widest = max(map(len, cli.list_commands(click.Context(cli))))
    for name in cli.list_commands(click.Context(cli)):
        summary = summary_of(name)
        assert summary.endswith(".")
        assert summary[0].isupper()
        assert 2 + widest + 2 + len(summary) <= COLUMNS - 2, name


@pytest.mark.parametrize("group", GROUPS)
def test_summaries_of_subcommands_are_not_cut(group: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    listed = run(group, "--help").out.partition("Commands:")[2]
    assert listed
    assert "..." not in listed


@pytest.mark.parametrize(
    ("typed", "hint"), [(["genrate"], "generate"), (["rolout"], "rollout"), (["store", "lst"], "list")]
)
def test_a_mistyped_command_gets_a_suggestion(run: Run, typed: list[str], hint: str) -> None:
    found = run(*typed)
    assert found.code == exits.USAGE
    assert hint in found.err
    assert "did you mean" in found.err.lower()


@pytest.mark.parametrize("name", cli.list_commands(click.Context(cli)))
def test_an_unknown_option_is_a_usage_error(run: Run, name: str) -> None:
    found = run(name, "--no-such-option")
    assert found.code == exits.USAGE
    assert "no such option" in found.err.lower()


NEEDED = ("assay", "inspect", "play", "pull", "push", "rebuild", "replay", "report", "verify", "upload", "generate",
          "rollout", "serve", "export", "gate", "contamination", "arena", "evolve", "distill", "train")  # fmt: skip


@pytest.mark.parametrize("name", NEEDED)
def test_a_command_without_what_it_needs_is_a_usage_error(run: Run, name: str) -> None:
    found = run(name)
    assert found.code == exits.USAGE
    assert found.err
    assert "Traceback" not in found.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["catalog", "serch", "x"], "did you mean `search`?"),
        (["store", "lst"], "did you mean `list`?"),
        (["task", "shwo", "x"], "did you mean `show`?"),
        (["catalog", "hotel_bookin"], "did you mean `hotel_booking`?"),
    ],
)
def test_a_slip_in_a_command_of_a_group_gets_the_nearest_one(run: Run, words: list[str], says: str) -> None:
    found = run(*words)
    assert found.code in (exits.USAGE, exits.NOT_FOUND)
    assert says in found.err


def test_a_slip_in_a_path_gets_the_nearest_one(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples" / "bike_workshop").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    found = run("upload", "examples/bike_worksop", "--name", "bikes")
    assert found.code == exits.NOT_FOUND
    assert "is not there; did you mean `examples/bike_workshop`?" in found.err


def test_a_store_that_is_no_folder_is_said(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WORLDWRIGHT_HOME", str(tmp_path / "file"))
    found = run("store", "list")
    assert found.code == exits.NOT_FOUND
    assert "is no folder" in found.err
