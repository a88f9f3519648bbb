"""What a pack's verifiers came to under the battery, on the screen and as `--json` prints it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.jobs.assay import Assay
from worldwright.cli.terminal.console import escape, heading, print_folded, print_hanging
from worldwright.cli.terminal.tables import grid
from worldwright.cli.views.task import show_cells
from worldwright.facts.opened import OpenedPack

MAX_SHOWN = 20
"""Differences and wrong judgements shown on the screen; `--json` has all."""


def assay_document(opened: OpenedPack, found: Assay) -> dict[str, Any]:
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


def show_assay(screen: Console, found: Assay) -> None:
    now = found.found
    held = len(found.sheets) - len(found.failed)
    screen.print(Text(f"{held} of {len(found.sheets)} tasks hold over {now.episodes:,} episodes", "bold"))
    show_cells(screen, {name: c for name, c in now.cells.items() if c.episodes})
    if found.failed:
        heading(screen, "judged wrongly", f"{sum(len(s.wrong) for s in found.failed)} episodes")
        wrong = [(s.task, w) for s in found.failed for w in s.wrong]
        grid(screen, ("", ""), [(Text(task, "bold"), escape(what)) for task, what in wrong[:MAX_SHOWN]])
        _rest(screen, len(wrong))
    screen.print()
    _show_datasheet(screen, found)


def _show_datasheet(screen: Console, found: Assay) -> None:
    if found.sealed is None:
        screen.print(Text("no datasheet.json in this pack: nothing to compare with", "red"))
        return
    if not found.differing:
        what = "as datasheet.json says" if not found.left_out else "as datasheet.json says, as far as they compare"
        screen.print(Text(f"the counts are {what}", "green"))
    else:
        screen.print(Text(f"{len(found.differing)} counts are not what datasheet.json says", "bold red"))
        rows = [(d.task or "all", d.cell or "-", d.sealed, d.now) for d in found.differing[:MAX_SHOWN]]
        grid(screen, ("task", "cell", "datasheet.json", "now"), rows)
        _rest(screen, len(found.differing))
    if found.left_out:
        print_folded(
            screen,
            [f"with another battery or number of walks not compared: {found.left_out[0]}", *found.left_out[1:]],
            0,
            "dim",
        )
    if found.holds:
        what = "the pack holds" if len(found.sheets) == len(found.sealed.tasks) else "what was looked at holds"
        print_hanging(screen, Text(f"{what}: no false accept, no false reject", "green"), 0)


def _rest(screen: Console, number: int) -> None:
    if number > MAX_SHOWN:
        screen.print(Text(f"  and {number - MAX_SHOWN} more; --json has them all", "dim"))
