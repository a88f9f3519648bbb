"""The build as a person watches it: one line per stage, when it ends."""

from __future__ import annotations

import time

from rich.console import Console
from rich.text import Text

from worldwright.cli.console import plain
from worldwright.cli.render import grid

TITLES = {
    "ingest": "INGEST",
    "state": "DATABASE",
    "tools": "TOOLS",
    "tests": "TESTS",
    "graph": "GRAPH",
    "tasks": "TASKS",
    "vcode": "VCODE",
    "gate": "QUALITY",
    "seal": "SEALED",
}


def stage_title(stage: str) -> str:
    return TITLES.get(stage, stage.replace("_", " ").upper())


class Stages:
    """A `Progress` that prints, and remembers what it heard."""

    def __init__(self, screen: Console, indent: int = 0) -> None:
        self.heard: list[dict[str, str]] = []
        self._screen = screen
        self._indent = indent
        self._since = time.monotonic()

    def __call__(self, stage: str, figures: str) -> None:
        now = time.monotonic()
        self.heard.append({"stage": stage, "title": stage_title(stage), "figures": figures})
        title = Text(f"{' ' * self._indent}{stage_title(stage):<10}", "bold green" if stage == "seal" else "bold cyan")
        said = Text.assemble(plain(figures), (f"  {now - self._since:.1f} s", "dim"))
        grid(self._screen, ("", ""), [(title, said)], indent=0)
        self._since = now
