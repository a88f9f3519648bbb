"""`worldwright task`: list the tasks of a world, and show one with its key."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from worldwright.cli.facts.datasheet import Counts, datasheet_of
from worldwright.cli.facts.key import accepted_facts, check_task, rule_facts, wanted_facts
from worldwright.cli.facts.task import families, person_of, task_facts, task_of
from worldwright.cli.inputs.pack import Opened, open_named
from worldwright.cli.terminal.console import Screen, heading
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.views.task import (
    show_accepted,
    show_battery,
    show_calls,
    show_list,
    show_program,
    show_provenance,
    show_rules,
    show_task,
    show_wanted,
)
from worldwright.core.errors import UsageError
from worldwright.core.names import nearest
from worldwright.engine.contract import as_shown
from worldwright.engine.tasks import FAMILIES, key_data, task_data
from worldwright.world.tasks import Key, Task


@click.group(name="task")
def command() -> None:
    """List the tasks of a world, and show one with or without its key."""


@command.command(name="list", short_help="List the tasks of a pack.")
@click.argument("pack")
@click.option("--family", type=click.Choice(FAMILIES), help="Only tasks of this family.")
@click.option("--role", metavar="ROLE", help="Only tasks for this role.")
@click.option("--json", "as_json", is_flag=True, help="The same as one JSON document.")
def list_(pack: str, family: str | None, role: str | None, as_json: bool) -> None:
    """List the tasks of a pack: family, who is asked, who asks, how long the witness is, and what is wanted.

    \b
    Examples:
      worldwright task list enterprise_procurement
      worldwright task list enterprise_procurement --family policy --role buyer
      worldwright task list town_library --json
    """
    opened = open_named(pack)
    if role is not None and role not in opened.world.roles:
        raise UsageError(f"this world has no role `{role[:60]}`; {nearest(role[:60], opened.world.roles)}")
    tasks = task_facts(opened)
    chosen = [t for t in tasks if family in (None, t.family) and role in (None, t.role)]
    if as_json:
        print_json({**_world(opened), "families": families(chosen), "tasks": [asdict(t) for t in chosen]})
        return
    screen = Screen()
    if not tasks:
        screen.print("  no tasks: the Blueprint has no goals, or the pack was built with --no-tasks")
        return
    show_list(screen, chosen, len(tasks))
    if chosen:
        screen.print()
        screen.print(f"  worldwright task show {pack} {chosen[0].id}", soft_wrap=True, style="dim")
        screen.print(f"  worldwright play {pack} --task {chosen[0].id}", soft_wrap=True, style="dim")


@command.command(short_help="Show one task, with or without its key.")
@click.argument("pack")
@click.argument("task")
@click.option("--key", "with_key", is_flag=True, help="The controller's side too: gold, end states, rules, battery.")
@click.option("--json", "as_json", is_flag=True, help="The same as one JSON document.")
def show(pack: str, task: str, with_key: bool, as_json: bool) -> None:
    """Show one task: what is asked, of whom, what an answer looks like, how hard it is.

    TASK is an id (task_007) or its number (7). The key is what an agent must never see.

    \b
    Examples:
      worldwright task show enterprise_procurement task_007
      worldwright task show enterprise_procurement 7 --key
      worldwright task show town_library task_001 --key --json
    """
    opened = open_named(pack)
    found = task_of(opened.world, task)
    check_task(opened.world, found.id)
    if as_json:
        print_json(_document(opened, found, with_key))
        return
    screen = Screen()
    persona = opened.checked.blueprint.personas.get(found.persona)
    show_task(screen, found, person_of(opened, found), persona.says if persona is not None else "")
    if with_key:
        _show_key(screen, opened, found)


def _show_key(screen: Screen, opened: Opened, task: Task) -> None:
    key = opened.world.key(task.id)
    writes = frozenset(name for name, t in opened.world.runtime.tools.items() if t.mutates)
    contract = opened.world.contract
    shown = [as_shown(contract, call) for call in key.calls]
    writing = frozenset(as_shown(contract, call).tool for call in key.calls if call.tool in writes)
    show_calls(screen, shown, writing, key.answer)
    show_wanted(screen, wanted_facts(opened, key))
    show_accepted(screen, accepted_facts(opened, key))
    show_rules(screen, rule_facts(opened, key))
    show_provenance(screen, key)
    show_program(screen, key)
    cells = _cells(opened, task)
    if cells:
        show_battery(screen, cells)
    file = _vcode(opened, task)
    if file:
        heading(screen, "verifier", f"as a file to read and to run: {file}")


def _cells(opened: Opened, task: Task) -> dict[str, Counts]:
    """What the pack's own datasheet says of the task."""
    sheet = datasheet_of(opened.pack)
    return dict(sheet.tasks.get(task.id, {})) if sheet is not None else {}


def _vcode(opened: Opened, task: Task) -> str:
    file = f"vcode/verify_{task.id.removeprefix('task_')}.py"
    return file if file in opened.pack.files else ""


def _world(opened: Opened) -> dict[str, Any]:
    return {"world": {"name": opened.world.name, "digest": opened.world.digest}}


def _document(opened: Opened, task: Task, with_key: bool) -> dict[str, Any]:
    out = {**_world(opened), "task": {**task_data(task), "person": person_of(opened, task)}}
    if with_key:
        out["key"] = _key(opened, task, opened.world.key(task.id))
    return out


def _key(opened: Opened, task: Task, key: Key) -> dict[str, Any]:
    return {
        **key_data(key),
        "goals": [asdict(w) for w in wanted_facts(opened, key)],
        "end_states": [[asdict(row) for row in rows] for rows in accepted_facts(opened, key)],
        "rules": [asdict(r) for r in rule_facts(opened, key)],
        "battery": {name: c.model_dump() for name, c in _cells(opened, task).items()},
        "vcode": _vcode(opened, task),
    }
