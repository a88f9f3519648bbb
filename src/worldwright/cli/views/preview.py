"""`blueprint preview` on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.blueprint.checked import Checked
from worldwright.cli.terminal.console import escape, heading, print_hanging
from worldwright.cli.terminal.tables import grid, rows_table
from worldwright.cli.views.catalog import show_depth
from worldwright.factory.preview import GoalPreview, Preview


def show_preview(
    screen: Console,
    checked: Checked,
    found: Preview,
    samples: Mapping[str, Sequence[Mapping[str, Any]]],
    counts: Mapping[str, int],
) -> None:
    bp = checked.blueprint
    screen.print(Text.assemble((escape(bp.title), "bold"), (f"  {escape(bp.category)}", "dim")))
    show_depth(screen, found.depth)
    heading(screen, "tables", f"{len(counts)} tables, {sum(counts.values()):,} rows")
    for table, rows in samples.items():
        screen.print(Text.assemble("  ", (table, "bold"), (f"  {counts[table]:,} rows", "dim")))
        rows_table(screen, rows, 4)
    if found.refused:
        heading(
            screen,
            "refused in the past",
            "steps of flows that a rule stopped; many of one kind mean a flow that does not fit",
        )
        often = sorted(found.refused.items(), key=lambda item: -item[1])[:8]
        grid(screen, ("", ""), [(f"{count}", what) for what, count in often], right={""})
    if found.goals:
        heading(screen, "goals", "rows each could be about: with everything in order, and where a rule forbids it")
        grid(screen, ("goal", "possible", "forbidden by"), [_goal(g) for g in found.goals], right={"possible"})
    if found.tasks:
        heading(screen, "tasks", found.figures.get("tasks", ""))
        for task in found.tasks:
            screen.print(Text(f"  {task.family}", "cyan"))
            print_hanging(screen, Text(escape(task.instruction)), 4)
    for reason, count in found.dropped.items():
        screen.print(Text(f"  {count} candidates for tasks left out: {reason}", "dim"))
    heading(screen, "what the catalogue would still ask for")
    grid(screen, ("",), [(line,) for line in found.lacking] or [("nothing",)])


def _goal(look: GoalPreview) -> tuple[str, str, str | Text]:
    forbidden = ", ".join(f"{rule} ({count})" for rule, count in look.forbidden.items())
    failing = "; ".join(f"{count} fail: {escape(why)[:90]}" for why, count in look.failing.items())
    if not failing:
        return look.name, str(look.possible), forbidden
    return look.name, str(look.possible), Text.assemble(forbidden, "  " if forbidden else "", (failing, "yellow"))
