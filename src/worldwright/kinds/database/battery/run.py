"""The battery: a tuple of cells and a loop. Each cell says what its episodes must score; the sheet counts what they did."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from worldwright.core.memo import Memo
from worldwright.kinds.database.battery import cells
from worldwright.kinds.database.battery.activity import activity_of
from worldwright.kinds.database.battery.harness import Cell, Trial, VerifierHarness
from worldwright.kinds.database.battery.settings import FULL, BatterySettings
from worldwright.kinds.database.compile.tasks.plans import Plan
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.world.tasks import Key, Task


@dataclass(frozen=True, slots=True)
class Count:
    """One cell for one task."""

    accepted: int
    """Episodes that had to pass and did."""
    rejected: int
    """Episodes that had to fail and did."""
    false_accepts: int
    false_rejects: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """The battery's word on one task."""

    task: str
    cells: Mapping[str, Count]
    wrong: tuple[str, ...]
    """What was judged wrongly, by cell."""
    missed: tuple[Plan, ...] = ()
    """Plans that were rejected and should not have been."""

    @property
    def holds(self) -> bool:
        return not self.wrong

    @property
    def episodes(self) -> int:
        return sum(c.accepted + c.rejected + c.false_accepts + c.false_rejects for c in self.cells.values())


def _discover_cells() -> tuple[tuple[str, Cell], ...]:
    """Find the cells of the battery by looking, in the order of their positions."""
    names = [module.name for module in pkgutil.iter_modules(cells.__path__)]
    modules = sorted((import_module(f"{cells.__name__}.{name}") for name in names), key=lambda m: int(m.POSITION))
    return tuple((module.NAME, module.episodes) for module in modules)


CELLS = _discover_cells()
"""Every cell by the name that the datasheet gives it."""


def sheet(harness: VerifierHarness, only: Iterable[str] = ()) -> Sheet:
    """Run the battery over one task."""
    wanted = set(only)
    counts: dict[str, Count] = {}
    wrong: list[str] = []
    missed: list[Plan] = []
    for name, episodes in CELLS:
        if wanted and name not in wanted:
            continue
        found = list(episodes(harness))
        counts[name] = _count_trials(found)
        wrong += [f"{name}: {_describe_trial(t)}" for t in found if not t.right]
        missed += [t.plan for t in found if t.wanted and not t.right]
    return Sheet(harness.task.id, counts, tuple(wrong), tuple(missed))


def _count_trials(found: Sequence[Trial]) -> Count:
    return Count(
        sum(t.wanted and t.right for t in found),
        sum(not t.wanted and t.right for t in found),
        sum(not t.wanted and not t.right for t in found),
        sum(t.wanted and not t.right for t in found),
    )


def _describe_trial(trial: Trial) -> str:
    failed = next((a for a in trial.verdict.assertions if not a.ok), None)
    why = "" if failed is None else f" ({failed.name}: expected {failed.expected}, found {failed.found})"
    return f"{trial.what} {'was rejected' if trial.wanted else 'was accepted'}{why}"


def sheets(
    sandbox: Sandbox, tasks: Sequence[tuple[Task, Key]], settings: BatterySettings = FULL, memo: Memo | None = None
) -> Iterator[Sheet]:
    """The battery over all tasks of a world, walks shared by those of one role."""
    activity = activity_of(sandbox, settings, memo or Memo())
    for task, key in tasks:
        yield sheet(
            VerifierHarness(sandbox, task, key, settings=settings, activity=activity.sample(task.role, settings.walks))
        )
