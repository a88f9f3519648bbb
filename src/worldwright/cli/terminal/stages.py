"""The build as a person watches it: one line per stage, when it ends."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import Progress as Waiting
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from worldwright.cli.terminal.console import plain, watched
from worldwright.cli.terminal.tables import grid

TITLES = {
    "ingest": "INGEST",
    "tools": "TOOLS",
    "situations": "SITUATIONS",
    "state": "DATABASE",
    "requests": "REQUESTS",
    "graph": "GRAPH",
    "tasks": "TASKS",
    "tests": "TESTS",
    "vcode": "VCODE",
    "assay": "ASSAY",
    "gate": "QUALITY",
    "seal": "SEALED",
}


ORDER = ("tools", "situations", "state", "requests", "graph", "tasks", "tests", "assay", "seal")
"""The stages of a build, for the line that names the one at work."""


def stage_title(stage: str) -> str:
    return TITLES.get(stage, stage.replace("_", " ").upper())


class Stages:
    """A `Progress` that prints, and remembers what it heard. Inside `with` a terminal shows that work goes on."""

    def __init__(self, screen: Console, indent: int = 0) -> None:
        self.heard: list[dict[str, str]] = []
        self._screen = screen
        self._indent = indent
        self._since = time.monotonic()
        columns = (TextColumn(" " * indent), SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        self._waiting = Waiting(*columns, console=screen, transient=True, disable=not watched(screen))

    def __enter__(self) -> Stages:
        self._since = time.monotonic()
        self._waiting.add_task("starting")
        self._waiting.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._waiting.stop()

    def __call__(self, stage: str, figures: str) -> None:
        now = time.monotonic()
        self.heard.append({"stage": stage, "title": stage_title(stage), "figures": figures})
        title = Text(f"{' ' * self._indent}{stage_title(stage):<10}", "bold green" if stage == "seal" else "bold cyan")
        said = Text.assemble(plain(figures), (f"  {now - self._since:.1f} s", "dim"))
        grid(self._screen, ("", ""), [(title, said)], indent=0)
        self._since = now
        for task in self._waiting.task_ids:
            self._waiting.reset(task, description=describe_next(stage))


def describe_next(stage: str) -> str:
    """Name what is at work once `stage` has ended: `TASKS, stage 6 of 9`."""
    if stage not in ORDER[:-1]:
        return f"after {stage_title(stage)}"
    following = ORDER.index(stage) + 1
    return f"{stage_title(ORDER[following])}, stage {following + 1} of {len(ORDER)}"
