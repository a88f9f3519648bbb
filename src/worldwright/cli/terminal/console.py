"""The screen: a rich console that keeps to the width, and text from a world made safe to show on it."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli import exits
from worldwright.facts import values as facts

WIDTH = 100
"""Where the output is no terminal and COLUMNS says nothing."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


class Screen(Console):
    """Nothing in what is printed is markup, and a reader that stops reading (`| head`) is no failure."""

    def __init__(self, err: bool = False) -> None:
        file = sys.stderr if err else sys.stdout
        width = None if file.isatty() or os.environ.get("COLUMNS", "").isdigit() else WIDTH
        super().__init__(file=file, width=width, markup=False, emoji=False, highlight=False)

    def on_broken_pipe(self) -> None:
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(exits.OK)


def is_watched(screen: Console) -> bool:
    """Return whether lines can move: a terminal, not only its colours (FORCE_COLOR gives those to a pipe as well)."""
    return screen.is_terminal and screen.file.isatty()


def escape(text: str, lines: bool = False) -> str:
    """Text out of a world without anything that a terminal would obey. `lines` keeps line ends."""
    text = text.encode("utf-8", "backslashreplace").decode()
    if lines:
        return "\n".join(escape(line) for line in text.splitlines())
    return _CONTROL.sub(lambda m: " " if m[0] in "\n\t" else repr(m[0])[1:-1], text)


def format_value(value: Any) -> str:
    """A value of a row, as a person reads it on a screen."""
    return escape(facts.format_value(value))


def heading(screen: Console, title: str, figures: str = "") -> None:
    screen.print()
    screen.print(Text.assemble((title.upper(), "bold cyan"), ("  " if figures else "") + figures))


def print_hanging(screen: Console, text: Text, indent: int) -> None:
    """Print text whose every line starts at the same place."""
    for line in text.wrap(screen, max(20, screen.width - indent)):
        line.rstrip()
        screen.print(Text(" " * indent) + line)


def print_folded(screen: Console, parts: Sequence[str], indent: int, style: str = "", mark: str = ",") -> None:
    """Print a list in lines of the screen's width; only parts longer than a line are broken."""
    width = max(20, screen.width - indent)
    text = f"{mark} ".join(p if len(p) >= width else p.replace(" ", "\xa0") for p in parts)
    for line in textwrap.wrap(text, width, break_on_hyphens=False):
        screen.print(Text(" " * indent + line.replace("\xa0", " "), style))
