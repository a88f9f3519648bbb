"""The documentation of commands, tasks and verdicts against the code: every command, option, exit code, key, measure and cell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import click
import pytest

from worldwright.blueprint.model import FilesSpec, GoalSpec, PersonaSpec, Surface
from worldwright.cli import exits
from worldwright.cli.main import cli
from worldwright.kinds.database.battery.run import CELLS
from worldwright.kinds.database.compile.tasks.knobs import MEASURES, PROFILES
from worldwright.pack.open import Pack

ROOT = Path(__file__).resolve().parents[2]
DOCS, TASKS, VERDICTS, BLUEPRINT, PACK = (
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("cli", "tasks", "verdicts", "blueprint", "pack")
)


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
    text = "\n".join((DOCS, TASKS, VERDICTS))
    lines = re.findall(r"^    +(?:.*\| )?worldwright ([a-z]+)(?: ([a-z]+))?", text, re.MULTILINE)
    assert len(lines) > 25
    for first, second in lines:
        command = COMMANDS[first]
        assert not isinstance(command, click.Group) or second in command.commands


def test_exit_codes_are_those_of_the_code() -> None:
    documented = {(int(code), name) for code, name in re.findall(r"^\| (\d+) \| `([A-Z_]+)` \|", DOCS, re.MULTILINE)}
    assert documented == {(v, k) for k, v in vars(exits).items() if k.isupper() and isinstance(v, int)}


def test_the_goals_of_the_guide_are_those_of_the_example() -> None:
    example = (ROOT / "examples" / "town_library.yaml").read_text(encoding="utf-8")
    blocks = re.findall(r"^( *)```yaml\n(.*?)^ *```", TASKS, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    for _, block in blocks:
        lines = dedent(block).splitlines()
        assert any(dedent(part).splitlines() == lines for part in _parts(example, len(lines))), block


def _parts(text: str, number: int) -> Iterator[str]:
    """Every so many lines in a row."""
    lines = text.splitlines()
    return ("\n".join(lines[i : i + number]) for i in range(len(lines) - number + 1))


@pytest.mark.parametrize("spec", [GoalSpec, PersonaSpec, FilesSpec])
def test_every_key_of_the_goal_language_is_described(spec: type[Surface]) -> None:
    section = BLUEPRINT.partition("\n## Goals\n")[2].partition("\n## History\n")[0]
    for name, field in spec.model_fields.items():
        key = field.alias or name
        assert key == "source" or f"`{key}`" in section or re.search(rf"\b{key}: ", section), key


def test_every_measure_and_profile_is_described() -> None:
    for name in MEASURES:
        assert f"| `{name}` |" in TASKS
    for name in ("reference", "longest"):
        assert f"`{name}`" in TASKS
    assert "|".join(PROFILES) in TASKS


def test_every_reason_to_drop_a_task_is_described() -> None:
    source = "\n".join(
        p.read_text(encoding="utf-8") for p in (ROOT / "src/worldwright/kinds/database/compile/tasks").glob("*.py")
    )
    reasons = {*re.findall(r'Dropped\(\s*"([^"]+)"', source), *re.findall(r'left_out\.add\("([^"]+)"', source)}
    assert len(reasons) > 8
    assert [r for r in sorted(reasons) if f"| `{r}` |" not in TASKS] == []


def test_every_cell_of_the_battery_is_described() -> None:
    described = re.findall(r"^\| ([a-z ]+) \| .* \| (?:pass|fail).* \|$", VERDICTS, re.MULTILINE)
    assert described == [name for name, _ in CELLS]


def test_every_kind_of_file_of_a_pack_is_described(pack: Pack) -> None:
    of_tasks = {re.sub(r"\d{3}", "NNN", path) for path in pack.files if path.startswith(("tasks/", "keys/", "vcode/"))}
    assert of_tasks >= {"tasks/task_NNN.json", "keys/task_NNN.json", "keys/task_NNN.py"}
    assert [path for path in sorted(of_tasks) if f"`{path}`" not in PACK] == []
