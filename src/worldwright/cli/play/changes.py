"""Changes of state on the screen: what one call did, and what others did meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.terminal.console import escape, format_value, print_folded, print_hanging
from worldwright.facts.changes import Changes
from worldwright.world.records import OthersCall

MAX_OTHERS_SHOWN = 8


def show_others(screen: Console, others: Sequence[OthersCall]) -> None:
    """What others did meanwhile: each call, or how often each operation where there were many."""
    if len(others) > MAX_OTHERS_SHOWN:
        counted = Counter(one.call.tool for one in others if one.happened)
        said = ", ".join(f"{many} {tool}" for tool, many in counted.most_common())
        screen.print(Text(f"  meanwhile, by others: {escape(said)}", "cyan"))
        return
    for one in others:
        given = " ".join(f"{name}={format_value(value)}" for name, value in one.call.arguments.items())
        said = f"{one.clock} {one.actor} {one.call.tool} {given}{'' if one.happened else ': the state did not let it happen'}"
        screen.print(Text(f"  meanwhile {escape(said)}", "cyan"))


def show_changes(screen: Console, changes: Changes, indent: int = 2) -> None:
    """Added green, changed yellow with before -> after, removed red."""
    pad = " " * indent
    for table, d in changes.items():
        for key, row in d.added.items():
            screen.print(Text(f"{pad}+ {table} {escape(key)}", "green"))
            print_folded(screen, _pairs(row), indent + 4, "green")
        for key, columns in d.changed.items():
            screen.print(Text(f"{pad}~ {table} {escape(key)}", "yellow"))
            for name, (before, after) in columns.items():
                text = Text.assemble(
                    f"{name}: ", (format_value(before), "dim"), " -> ", (format_value(after), "yellow")
                )
                print_hanging(screen, text, indent + 4)
        for key, row in d.removed.items():
            screen.print(Text(f"{pad}- {table} {escape(key)}", "red"))
            print_folded(screen, _pairs(row), indent + 4, "red")


def show_changes_briefly(screen: Console, changes: Changes, indent: int = 2) -> None:
    """Show each row in one line, as much of it as there is room for."""
    for table, d in changes.items():
        lines = [("+", "green", key, _pairs(row)) for key, row in d.added.items()]
        for key, columns in d.changed.items():
            lines.append(
                ("~", "yellow", key, [f"{n}: {format_value(b)} -> {format_value(a)}" for n, (b, a) in columns.items()])
            )
        lines += [("-", "red", key, _pairs(row)) for key, row in d.removed.items()]
        for mark, style, key, parts in lines:
            line = Text(f"{' ' * indent}{mark} {table} {escape(key)}  {', '.join(parts)}", style)
            screen.print(line, no_wrap=True, overflow="ellipsis")


def _pairs(row: Mapping[str, Any]) -> list[str]:
    """The columns that say something."""
    return [f"{name}: {format_value(value)}" for name, value in row.items() if name != "id" and value is not None]
