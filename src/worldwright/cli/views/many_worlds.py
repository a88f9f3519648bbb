"""Many worlds on the screen: how the build goes on, what came of it, and what a run would be."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.terminal.console import escape, heading
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.terminal.tables import grid, show_next
from worldwright.cli.views.variants import format_counts
from worldwright.english.nouns import count_noun
from worldwright.factory.build_log import PLANNED, WORKER, BuildLog
from worldwright.factory.journal import Row
from worldwright.factory.many import RunObserver
from worldwright.factory.work import Worker
from worldwright.variants.counts import Counts

WORLDS_SHOWN = 10
"""Failures and references that are shown; the report has all."""
OUT_OF_MEMORY = ("MemoryError", "WorkerDied")


class RunProgress(RunObserver):
    """An observer that shows one line: worlds, worlds a minute, what is left, what failed."""

    def __init__(self, screen: Console, log: BuildLog | None = None) -> None:
        """`log` is a file that is told of the run as well."""
        self.total, self.there, self.failed = 0, 0, 0
        self._log = log if log is not None else BuildLog(None)
        self._screen = screen
        self._now = 0
        self._since = time.monotonic()
        self._bar: Progress | None = None
        self._comparing: Progress | None = None

    def __enter__(self) -> RunProgress:
        return self

    def __exit__(self, *error: object) -> None:
        for bar in (self._bar, self._comparing):
            if bar is not None:
                bar.__exit__(*error)

    def on_planning(self, family: str) -> None:
        if self._bar is None:
            self._screen.print(Text(f"planning {escape(family)}: which variants and layers fit it", "dim"))

    def on_planned(self, total: int, there: int) -> None:
        self._log.write(PLANNED, {"total": total, "there": there})
        self.total = total
        if self._bar is None:
            self.there = there
            if there:
                self._screen.print(
                    Text(f"{there:,} of {total:,} worlds are there already; going on from them"), style="dim"
                )
            self._since = time.monotonic()
            self._bar = Progress(self._screen, "worlds", total, there).__enter__()

    def on_world(self, row: Row) -> None:
        self._now += 1
        if row.ok:
            self.there += 1
        else:
            self.failed += 1
            self._screen.print(Text(failure_text(row.data()), "red"), soft_wrap=True)
        if self._bar is not None:
            self._bar.step(self._figures(), self.total)

    def on_worker(self, worker: Worker) -> None:
        self._log.write(WORKER, asdict(worker))

    def on_stopped(self, total: int, there: int) -> None:
        self.total, self.there = total, there

    def _figures(self) -> str:
        took = max(time.monotonic() - self._since, 1e-6)
        rate = self._now / took
        left = max(0, self.total - self.there - self.failed) / rate
        return f"{60 * rate:,.0f} a minute, {format_duration(left)} left, {self.failed} failed"

    def on_compared(self) -> None:
        if self._comparing is None:
            if self._bar is not None:
                self._bar.__exit__(None, None, None)
                self._bar = None
            self._comparing = Progress(self._screen, "compared", min(self.there, 100)).__enter__()
        self._comparing.step()


def format_duration(seconds: float) -> str:
    """Format `40 s`, `12 min`, `2 h 05 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"


def failure_text(row: Mapping[str, Any]) -> str:
    return escape(f"failed: {row['family']} {row['variant']} (seed {row['seed']}): {row['problem']}")


def show_many(screen: Console, done: Mapping[str, Any]) -> None:
    """Show what came of a run."""
    screen.print()
    if not done["built"] and not done["failed"]:
        screen.print(Text("finished before: every world of this run is there", "green"))
    counted = format_counts(Counts(**done["counts"]))
    figures, near = done["figures"], done["near_duplicates"]
    rows = [("worlds", counted)]
    rows.append(
        ("built", f"{done['built']:,} now, {done['there_before']:,} were there, {len(done['failed']):,} failed")
    )
    if done["built"]:
        rows.append(
            (
                "took",
                f"{format_duration(figures['wall_seconds'])}, {figures['worlds_per_minute']:,.0f} worlds a minute, "
                f"{figures['core_seconds_per_world']:.2f} seconds of one core each",
            )
        )
        peak = f"{figures['worker_peak_bytes'] / 2**20:,.0f} MiB a worker, {figures['driver_peak_bytes'] / 2**20:,.0f} MiB here"
        rows.append(("memory", f"at most {peak}"))
    rows.append(
        (
            "on disk",
            f"{figures['stored_bytes'] / 1e6:,.1f} MB, {figures['stored_bytes_per_world'] / 1e3:,.1f} kB a world",
        )
    )
    rows.append(("alike", _format_near_duplicates(near)))
    rows.append(("list", done["worlds_file"]))
    grid(screen, ("", ""), [(Text(name, "dim"), Text(text, overflow="fold")) for name, text in rows])
    _show_failures(screen, done["failed"])
    _show_references(screen, done["references"])


def _format_near_duplicates(near: Mapping[str, Any]) -> str:
    found = f"{near['near']:,} near-duplicates" if near["near"] else "no near-duplicates"
    return f"{found} in {count_noun(near['pairs'], 'pair')} of {count_noun(near['worlds'], 'world')} that were compared"


def _show_failures(screen: Console, failed: Sequence[Mapping[str, Any]]) -> None:
    if not failed:
        return
    screen.print()
    for row in failed[:WORLDS_SHOWN]:
        screen.print(Text(failure_text(row), "red"), soft_wrap=True)
    if len(failed) > WORLDS_SHOWN:
        screen.print(Text(f"and {len(failed) - WORLDS_SHOWN:,} more, in the list", "red"))
    if any(row["problem"].startswith(OUT_OF_MEMORY) for row in failed):
        screen.print(Text("workers were out of memory: fewer of them at once (--workers) leave more for each"))
    screen.print(Text("the same command tries these again, and nothing else"))


def _show_references(screen: Console, references: Sequence[str]) -> None:
    if not references:
        return
    show_next(screen, *(f"rollout --gym {reference} --agent planner" for reference in references[:WORLDS_SHOWN]))
    if len(references) > WORLDS_SHOWN:
        screen.print(Text(f"  and {len(references) - WORLDS_SHOWN} more: worldwright store list", "dim"))


def show_order(screen: Console, document: Mapping[str, Any]) -> None:
    """Show what a run would be."""
    heading(screen, "plan", format_counts(Counts(**document["counts"])))
    rows = [
        (name, f"{found['variants']:,}", f"{found['jobs']:,}", ", ".join(found["layers"]))
        for name, found in document["families"].items()
    ]
    grid(screen, ("", "worlds", "states", "layers"), rows, right=("worlds", "states"))
    screen.print()
    there = document["there"]
    screen.print(Text(f"{there:,} of them are there already" if there else "none of them is there yet"))
    screen.print(Text(f"the journal would be {document['run']}", "dim"), soft_wrap=True)
