"""docs/cli.md against the code: every command, every option, every exit code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from worldwright.cli import exits
from worldwright.cli.main import cli

DOCS = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")


def _commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        found = cli.get_command(context, name)
        assert found is not None
        yield name, found
        if isinstance(found, click.Group):
            yield from ((f"{name} {inner}", sub) for inner, sub in found.commands.items())


COMMANDS = dict(_commands())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_place(name: str) -> None:
    assert f"worldwright {name}" in DOCS
    assert f"\n## {name.split()[0]}\n" in DOCS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_mentioned(name: str) -> None:
    section = DOCS.partition(f"\n## {name.split()[0]}\n")[2].partition("\n## ")[0] + DOCS.partition("\n## ")[0]
    options = [o for p in COMMANDS[name].params if isinstance(p, click.Option) for o in p.opts if o.startswith("--")]
    assert [o for o in options if o not in section] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples(name: str) -> None:
    command = COMMANDS[name]
    assert isinstance(command, click.Group) or "Example" in (command.help or "")


def test_examples_name_commands_that_exist() -> None:
    lines = re.findall(r"^    (?:.*\| )?worldwright ([a-z]+)(?: ([a-z]+))?", DOCS, re.MULTILINE)
    assert len(lines) > 15
    for first, second in lines:
        command = COMMANDS[first]
        assert not isinstance(command, click.Group) or second in command.commands


def test_exit_codes_are_those_of_the_code() -> None:
    documented = {(int(code), name) for code, name in re.findall(r"^\| (\d+) \| `([A-Z_]+)` \|", DOCS, re.MULTILINE)}
    assert documented == {(v, k) for k, v in vars(exits).items() if k.isupper() and isinstance(v, int)}
