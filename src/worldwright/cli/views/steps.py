"""An episode on the screen, call by call: what changed, and when each assertion of the verdict came to be as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.play.call_line import format_call
from worldwright.cli.play.changes import show_changes
from worldwright.cli.terminal.console import escape, heading, print_hanging
from worldwright.cli.terminal.tables import grid
from worldwright.world.records import TableDiff

MAX_RESULT_CHARS = 300


def show_steps(screen: Console, found: Mapping[str, Any]) -> None:
    """Show `rollout.stepwise.steps_data`."""
    screen.print(
        Text.assemble(
            (escape(found["id"]), "bold"), f"  {escape(found['task'])}  {found['status']} ({found['outcome']})"
        )
    )
    held = {a["name"]: a["ok"] for a in found["before"]["assertions"]}
    for step in found["steps"]:
        _show_step(screen, step, held)
        held = {a["name"]: a["ok"] for a in step["verdict"]["assertions"]}
    heading(screen, "verdict", "the step after which each assertion was as it is at the end")
    rows = [
        (
            Text("ok" if held[name] else "NO", "green" if held[name] else "bold red"),
            f"step {at}" if at else "from the beginning",
            escape(name),
        )
        for name, at in found["decided"].items()
    ]
    grid(screen, ("", "", ""), rows)
    if found["differs"]:
        said = ", ".join(map(str, found["differs"]))
        screen.print(Text(f"the replay is another one than the record at step {said}", "bold red"))


def _show_step(screen: Console, step: Mapping[str, Any], before: Mapping[str, bool]) -> None:
    screen.print()
    given = step["arguments"] if isinstance(step["arguments"], Mapping) else {}
    print_hanging(screen, Text.assemble((f"{step['number']:>3}  ", "dim"), escape(format_call(step["tool"], given))), 0)
    result = json.dumps(step["result"], ensure_ascii=False)
    style = "dim" if step["result"].get("ok") else "red"
    print_hanging(
        screen, Text(escape(result[:MAX_RESULT_CHARS] + ("…" if len(result) > MAX_RESULT_CHARS else "")), style), 5
    )
    show_changes(screen, {table: read_diff(found) for table, found in step["diff"].items()}, 5)
    for rule in step["broken_rules"]:
        screen.print(Text(f"     breaks {escape(rule)}", "magenta"))
    for one in step["verdict"]["assertions"]:
        if before.get(one["name"], False) != one["ok"]:
            mark = ("now holds", "green") if one["ok"] else ("holds no more", "bold red")
            screen.print(Text.assemble("     ", mark, f"  {escape(one['name'])}"))


def read_diff(found: Mapping[str, Any]) -> TableDiff:
    """Read what changed in a table from how it is written down."""
    changed = {key: {n: (b, a) for n, (b, a) in row.items()} for key, row in found.get("changed", {}).items()}
    return TableDiff(found.get("added", {}), changed, found.get("removed", {}))
