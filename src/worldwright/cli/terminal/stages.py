"""The build as a person watches it: one line per stage, when it ends, and the stage that is at work."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Sequence
from threading import Event, Thread

from rich.console import Console
from rich.progress import Progress as Waiting
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from worldwright.cli.terminal.console import escape, is_watched
from worldwright.cli.terminal.tables import grid
from worldwright.kinds.build_events import (
    BuildEvent,
    LinkProven,
    RowsGrown,
    StageBegun,
    StageEnded,
    TaskFound,
    TaskLeftOut,
    TaskTried,
)

TITLES = {"state": "DATABASE", "seal": "SEALED"}
"""Titles of stages that are not their names in capitals."""
THIN, PACKED = "thin", "PACKED"
"""A world of that grade is packed like the others, and not called sealed: hardly anything of its evidence holds in it."""
SILENT_SECONDS = 8.0
"""Where there is no terminal, a stage that takes longer is named while it is at work."""
UPLOAD_STAGES = ("read", "merge", "model")


def build_stages(with_tasks: bool = True, contract: bool = False) -> tuple[str, ...]:
    """The stages of a build, in order."""
    from worldwright.compiler.build import list_stages

    found = [s for s in list_stages("database") if with_tasks or not s.of_tasks]
    return tuple(s.name for s in found if contract or s.name not in ("contract", "grade"))


def stage_title(stage: str) -> str:
    return TITLES.get(stage, stage.replace("_", " ").upper())


class Stages:
    """Prints each stage of `order` as it ends, and remembers what it heard. Inside `with` it also says what is at work."""

    def __init__(
        self, screen: Console, order: Sequence[str] = (), indent: int = 0, only: Collection[str] | None = None
    ) -> None:
        """`only`: the stages that get a line."""
        self.heard: list[dict[str, str]] = []
        self._screen = screen
        self._order = tuple(order)
        self._indent = indent
        self._only = only
        self._since = time.monotonic()
        columns = (TextColumn(" " * indent), SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        self._waiting = Waiting(*columns, console=screen, transient=True, disable=not is_watched(screen))
        self._ended = Event()
        self._counts: Counter[str] = Counter()
        """Of what came of the stage that is at work."""

    def __enter__(self) -> Stages:
        self._since = time.monotonic()
        self._waiting.add_task(self.describe_next())
        self._waiting.start()
        if not is_watched(self._screen):
            Thread(target=self._break_silence, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._waiting.stop()

    def _break_silence(self) -> None:
        said = self._since
        while not self._ended.wait(0.5):
            if time.monotonic() - max(said, self._since) > SILENT_SECONDS:
                said = time.monotonic()
                seconds = f"{said - self._since:.0f} s so far"
                self._screen.print(Text(f"{' ' * self._indent}{self.describe_next()}, {seconds} ...", "dim"))

    def hear(self, event: BuildEvent) -> None:
        """Hear how a build goes on."""
        match event:
            case StageBegun():
                self._counts.clear()
            case StageEnded(stage, figures):
                self._counts.clear()
                self(stage, figures)
            case RowsGrown(_, rows):
                self._counts["rows"] = sum(rows.values())
            case LinkProven():
                self._counts["links"] += 1
            case TaskFound():
                self._counts["found"] += 1
            case TaskLeftOut():
                self._counts["left out"] += 1
            case TaskTried():
                self._counts["tasks tried"] += 1
            case _:
                return
        for task_id in self._waiting.task_ids:
            self._waiting.update(task_id, description=self.describe_next())

    def __call__(self, stage: str, figures: str) -> None:
        now = time.monotonic()
        thin = any(h["stage"] == "grade" and h["figures"].startswith(f"{THIN};") for h in self.heard)
        called = PACKED if stage == "seal" and thin else stage_title(stage)
        self.heard.append({"stage": stage, "title": called, "figures": figures})
        if self._only is None or stage in self._only:
            style = "bold yellow" if called == PACKED else "bold green" if stage == "seal" else "bold cyan"
            title = Text(f"{' ' * self._indent}{called:<10}", style)
            line = Text.assemble(escape(figures), (f"  {now - self._since:.1f} s", "dim"))
            grid(self._screen, ("", ""), [(title, line)], indent=0)
        self._since = now
        for task in self._waiting.task_ids:
            self._waiting.reset(task, description=self.describe_next())

    def describe_next(self) -> str:
        """Name the stage that is at work, and what came of it so far: `TASKS, stage 6 of 9, 31 found, 12 left out`."""
        so_far = "".join(f", {number:,} {what}" for what, number in self._counts.items())
        return f"{self._describe_stage()}{so_far}"

    def _describe_stage(self) -> str:
        last = self.heard[-1]["stage"] if self.heard else ""
        if last and last not in self._order[:-1]:
            return f"after {stage_title(last)}"
        following = self._order.index(last) + 1 if last else 0
        if not self._order:
            return "at work"
        return f"{stage_title(self._order[following])}, stage {following + 1} of {len(self._order)}"
