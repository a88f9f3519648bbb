"""How `worldwright demo` tells its story: acts of one screen each, steps in them, and calls with what they changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.play.call_line import format_call
from worldwright.cli.play.changes import show_changes_briefly
from worldwright.cli.play.player import Player
from worldwright.cli.terminal.console import escape, print_hanging
from worldwright.world.records import Result

ACTS = (
    "A world from a Blueprint",
    "Somebody works in it",
    "A task and its verdict",
    "Agents try",
    "A world from evidence",
)


def begin_act(screen: Console, number: int, says: str) -> None:
    screen.print()
    screen.print(Text(f"ACT {number} OF {len(ACTS)}: {ACTS[number - 1].upper()}", "bold cyan"))
    print_hanging(screen, Text(says), 2)


def begin_step(screen: Console, title: str, says: str) -> None:
    screen.print()
    print_hanging(screen, Text.assemble((title, "bold"), f"  {escape(says)}"), 2)


def show_call(player: Player, tool: str, arguments: Mapping[str, Any]) -> Result:
    """Make a call: what it found in its own line, what it changed or why it was refused below."""
    line = Text(escape(f"{player.prompt}{format_call(tool, arguments)}"), "bold")
    result = player.env.call_tool(tool, arguments)
    if result.ok and isinstance(result.data, Mapping) and "total" in result.data:
        line.append(f"  {result.data['total']} found", "not bold dim")
    print_hanging(player.screen, line, 2)
    show_changes_briefly(player.screen, player.env.diff_since_last(), 4)
    if result.error is not None:
        said = Text.assemble(("refused ", "red"), (result.error.code, "bold red"), f"  {escape(result.error.message)}")
        print_hanging(player.screen, said, 4)
    return result
