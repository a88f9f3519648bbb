"""`worldwright assay`: test the verifiers of a pack again."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click
from rich.text import Text

from worldwright.cli import exits
from worldwright.cli.facts.task import task_of
from worldwright.cli.inputs.pack import Opened, open_named
from worldwright.cli.jobs.assay import Assay, assay
from worldwright.cli.terminal.console import Screen, folded, hanging, heading, plain
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.terminal.tables import grid
from worldwright.cli.views.task import battery_table
from worldwright.core.errors import UsageError
from worldwright.kinds.database.battery.run import Sheet
from worldwright.kinds.database.battery.settings import BATTERIES

SHOWN = 20
"""Differences and wrong judgements shown on the screen; `--json` has all."""


@click.command(name="assay")
@click.argument("pack")
@click.option("--task", "refs", multiple=True, metavar="TASK", help="Only this task; may be repeated.")
@click.option("--walks", type=click.IntRange(0, 1000), help="Random walks per role (as many as the datasheet says).")
@click.option(
    "--battery",
    "named",
    type=click.Choice(tuple(BATTERIES)),
    help="Another battery than the one that the datasheet names.",
)
@click.option("--json", "as_json", is_flag=True, help="Counts, failures and differences as one JSON document.")
def command(pack: str, refs: tuple[str, ...], walks: int | None, named: str | None, as_json: bool) -> int:
    """Put every task of a pack through the battery again, and compare with its datasheet.

    The world, the tasks and the keys come from the pack alone. Each episode must be judged rightly: those that reach the
    goal by the rules pass, all others fail. Exit code 0 where that is so and the counts are those of datasheet.json, else 1.
    With another battery than the sealed one, counts are not compared.

    \b
    Examples:
      worldwright assay enterprise_procurement
      worldwright assay enterprise_procurement --task task_007 --task task_012
      worldwright assay town_library --walks 20 --json
      worldwright assay hotel_booking:big/default-0 --battery full
    """
    opened = open_named(pack)
    if not opened.world.book.ids:
        raise UsageError("this pack has no tasks: its Blueprint has no goals, or it was built with --no-tasks")
    chosen = {t.id: t for t in ([task_of(opened.world, r) for r in refs] or opened.world.tasks)}
    episodes = 0
    with Progress(Screen(err=True), "tasks", len(chosen)) as progress:

        def heard(sheet: Sheet) -> None:
            nonlocal episodes
            episodes += sheet.episodes
            progress.step(f"{episodes:,} episodes")

        found = assay(opened, tuple(chosen.values()), walks, heard, named or "")
    if as_json:
        print_json(_document(opened, found))
    else:
        _say(Screen(), found)
    return exits.OK if found.holds else exits.FAILED


def _document(opened: Opened, found: Assay) -> dict[str, Any]:
    now = found.found
    return {
        "world": {"name": opened.world.name, "digest": opened.world.digest},
        "holds": found.holds,
        "battery": now.battery.name,
        "walks_per_role": now.battery.walks_per_role,
        "episodes": now.episodes,
        "false_accepts": now.false_accepts,
        "false_rejects": now.false_rejects,
        "cells": {name: c.model_dump() for name, c in now.cells.items()},
        "tasks": {task: {name: c.model_dump() for name, c in cells.items()} for task, cells in now.tasks.items()},
        "failures": [{"task": s.task, "wrong": list(s.wrong)} for s in found.failed],
        "datasheet": "missing" if found.sealed is None else "differs" if found.differing else "same",
        "not_compared": list(found.left_out) if found.sealed is not None else [],
        "differing": [asdict(d) for d in found.differing],
    }


def _say(screen: Screen, found: Assay) -> None:
    now = found.found
    held = len(found.sheets) - len(found.failed)
    screen.print(Text(f"{held} of {len(found.sheets)} tasks hold over {now.episodes:,} episodes", "bold"))
    battery_table(screen, {name: c for name, c in now.cells.items() if c.episodes})
    if found.failed:
        heading(screen, "judged wrongly", f"{sum(len(s.wrong) for s in found.failed)} episodes")
        wrong = [(s.task, w) for s in found.failed for w in s.wrong]
        grid(screen, ("", ""), [(Text(task, "bold"), plain(what)) for task, what in wrong[:SHOWN]])
        _rest(screen, len(wrong))
    screen.print()
    _say_datasheet(screen, found)


def _say_datasheet(screen: Screen, found: Assay) -> None:
    if found.sealed is None:
        screen.print(Text("no datasheet.json in this pack: nothing to compare with", "red"))
        return
    if not found.differing:
        what = "as datasheet.json says" if not found.left_out else "as datasheet.json says, as far as they compare"
        screen.print(Text(f"the counts are {what}", "green"))
    else:
        screen.print(Text(f"{len(found.differing)} counts are not what datasheet.json says", "bold red"))
        rows = [(d.task or "all", d.cell or "-", d.sealed, d.now) for d in found.differing[:SHOWN]]
        grid(screen, ("task", "cell", "datasheet.json", "now"), rows)
        _rest(screen, len(found.differing))
    if found.left_out:
        folded(
            screen,
            [f"with another battery or number of walks not compared: {found.left_out[0]}", *found.left_out[1:]],
            0,
            "dim",
        )
    if found.holds:
        what = "the pack holds" if len(found.sheets) == len(found.sealed.tasks) else "what was looked at holds"
        hanging(screen, Text(f"{what}: no false accept, no false reject", "green"), 0)


def _rest(screen: Screen, number: int) -> None:
    if number > SHOWN:
        screen.print(Text(f"  and {number - SHOWN} more; --json has them all", "dim"))
