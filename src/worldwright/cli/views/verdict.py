"""A verdict on the screen: assertion by assertion, with what was expected and what was found where one does not hold."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.terminal.console import escape, format_value, print_hanging
from worldwright.world.tasks import Assertion, Verdict

STYLES = {"pass": "bold green", "fail": "bold red", "error": "bold magenta"}
_ANSWER = re.compile(r"answer |\d+ answers: ")
_LABEL = 10
"""`expected  ` and `found     ` start what they say at one place."""


def show_verdict(
    screen: Console, verdict: Verdict, submitted: bool = True, indent: int = 2, only_failed: bool = False
) -> None:
    for a in verdict.assertions:
        if only_failed and a.ok:
            continue
        if not submitted and _ANSWER.match(a.name):
            screen.print(Text(f"{' ' * indent}--  {escape(a.name)}  not submitted yet", "dim"))
        else:
            _show_assertion(screen, a, indent)
    held = sum(a.ok for a in verdict.assertions)
    reward = "no reward" if verdict.reward is None else f"reward {verdict.reward:g}"
    so_far = "" if submitted else "; the episode goes on"
    figures = f"  {held} of {len(verdict.assertions)} assertions hold, {reward}{so_far}"
    screen.print(Text.assemble(" " * indent, (verdict.status, STYLES.get(verdict.status, "bold")), figures))
    if verdict.reason:
        print_hanging(screen, Text(escape(verdict.reason), "magenta"), indent)


def _show_assertion(screen: Console, a: Assertion, indent: int) -> None:
    mark = ("ok", "green") if a.ok else ("NO", "bold red")
    line = Text.assemble(" " * indent, mark, "  ", (escape(a.name), "" if a.ok else "bold"))
    if a.ok:
        screen.print(line)
        return
    expected, found = _list_parts(a.expected), _list_parts(a.found)
    if a.name.startswith("goal "):
        expected, found = ["reached"], ["not reached" if a.expected == 1 else f"{found[0]} of {expected[0]} reached"]
    if len(expected) == len(found) == 1:
        short = line + Text.assemble(("  expected ", "dim"), expected[0], (", found ", "dim"), found[0])
        if short.cell_len <= screen.width:
            screen.print(short)
            return
    screen.print(line)
    _show_parts(screen, "expected", expected, indent + 4)
    _show_parts(screen, "found", found, indent + 4)


def _show_parts(screen: Console, label: str, parts: list[str], indent: int) -> None:
    for i, part in enumerate(parts):
        lead = Text(f"{label if i == 0 else '':<{_LABEL}}", "dim")
        for k, line in enumerate(Text(part).wrap(screen, max(20, screen.width - indent - _LABEL))):
            line.rstrip()
            screen.print(Text(" " * indent) + (lead if k == 0 else Text(" " * _LABEL)) + line)


def _list_parts(value: Any) -> list[str]:
    """List what an assertion holds against what: a list is shown item by item, no value at all as `nothing`."""
    if value is None or value == []:
        return ["nothing"]
    return [_format_item(v) for v in value] if isinstance(value, (list, tuple)) else [_format_item(value)]


def _format_item(value: Any) -> str:
    """Format one item; of several assertions told as one, the name of each with what it says."""
    if isinstance(value, (list, tuple)) and len(value) == 2 and isinstance(value[0], str):
        return f"{escape(value[0])}: {', '.join(_list_parts(value[1]))}"
    return (
        escape(json.dumps(value, ensure_ascii=False))
        if isinstance(value, (list, tuple, Mapping))
        else format_value(value)
    )
