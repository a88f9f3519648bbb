"""Work that takes more than two seconds, as a person watches it: a line that moves in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from threading import Event, Thread

from rich.console import Console
from rich.status import Status
from rich.text import Text

from worldwright.cli.terminal.console import is_watched

FIRST, EVERY = 2.0, 5.0
"""Seconds until the first line where there is no terminal, and between two of them."""
SILENT_SECONDS = 5.0
"""Seconds more after which a line is printed although nothing has ended."""


class Progress:
    """`12 of 56 tasks, 1,034 episodes, 6 s`."""

    def __init__(self, screen: Console, what: str, total: int, before: int = 0) -> None:
        self._screen = screen
        self._what = what
        self._total = total
        self._done = before
        self._since = time.monotonic()
        self._next = FIRST
        self._figures = ""
        self._status = Status(self, console=screen) if is_watched(screen) else None
        self._ended = Event()

    def __enter__(self) -> Progress:
        if self._status is not None:
            self._status.start()
        else:
            Thread(target=self._break_silence, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        if self._status is not None:
            self._status.stop()

    def __rich__(self) -> Text:
        """The line as it is now, so that its clock goes on where nothing ends."""
        return Text(self._format_line())

    def _break_silence(self) -> None:
        while not self._ended.wait(0.5):
            if time.monotonic() - self._since >= self._next + SILENT_SECONDS:
                self._print()

    def step(self, figures: str = "", total: int | None = None) -> None:
        """Count one more that is done. `total` where only now it is known how many there are."""
        self._done += 1
        self._total = self._total if total is None else total
        self._figures = figures
        if self._status is None and self._done < self._total and time.monotonic() - self._since >= self._next:
            self._print()

    def _print(self) -> None:
        self._next = time.monotonic() - self._since + EVERY
        self._screen.print(self._format_line(), style="dim")

    def _format_line(self) -> str:
        more = f", {self._figures}" if self._figures else ""
        what = self._what.removesuffix("s") if self._total == 1 else self._what
        return f"{self._done} of {self._total} {what}{more}, {time.monotonic() - self._since:.0f} s"
