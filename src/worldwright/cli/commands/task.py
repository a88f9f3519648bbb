"""`worldwright task`: list the tasks of a world, and show one with its key."""

from __future__ import annotations

from dataclasses import asdict

import click

from worldwright.cli.groups import NamedCommands
from worldwright.cli.inputs.options import json_option
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.engine.tasks import FAMILIES


@click.group(name="task", cls=NamedCommands)
def command() -> None:
    """List the tasks of a world, and show one with or without its key."""


@command.command(name="list", short_help="List the tasks of a pack.")
@click.argument("pack")
@click.option("--family", type=click.Choice(FAMILIES), help="Only tasks of this family.")
@click.option("--role", metavar="ROLE", help="Only tasks for this role.")
@json_option()
def list_(pack: str, family: str | None, role: str | None, as_json: bool) -> None:
    """List the tasks of a pack: family, who is asked, who asks, how long the witness is, and what is wanted.

    \b
    Examples:
      worldwright task list enterprise_procurement
      worldwright task list enterprise_procurement --family policy --role buyer
      worldwright task list town_library --json
    """
    from worldwright.cli.jobs.task import world_data
    from worldwright.cli.views.task import show_list
    from worldwright.facts.opened import open_named
    from worldwright.facts.task import count_families, task_facts

    opened = open_named(pack)
    if role is not None and role not in opened.world.roles:
        raise UsageError(f"this world has no role `{role[:60]}`; {suggest(role[:60], opened.world.roles)}")
    tasks = task_facts(opened)
    chosen = [t for t in tasks if family in (None, t.family) and role in (None, t.role)]
    if as_json:
        print_json({**world_data(opened), "families": count_families(chosen), "tasks": [asdict(t) for t in chosen]})
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
@json_option()
def show(pack: str, task: str, with_key: bool, as_json: bool) -> None:
    """Show one task: what is asked, of whom, what an answer looks like, how hard it is.

    TASK is an id (task_007) or its number (7). The key is what an agent must never see.

    \b
    Examples:
      worldwright task show enterprise_procurement task_007
      worldwright task show enterprise_procurement 7 --key
      worldwright task show town_library task_001 --key --json
    """
    from worldwright.cli.jobs.task import show_key, task_document
    from worldwright.cli.views.task import show_task
    from worldwright.facts.key import check_task
    from worldwright.facts.opened import open_named
    from worldwright.facts.task import person_of, task_of

    opened = open_named(pack)
    found = task_of(opened.world, task)
    check_task(opened.world, found.id)
    if as_json:
        print_json(task_document(opened, found, with_key))
        return
    screen = Screen()
    persona = opened.checked.blueprint.personas.get(found.persona)
    show_task(screen, found, person_of(opened, found), persona.says if persona is not None else "")
    if with_key:
        show_key(screen, opened, found)
