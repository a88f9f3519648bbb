"""The battery over the tasks of a pack once more, from the pack alone, and what its datasheet says held against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from worldwright.core.errors import TamperedPack, UsageError
from worldwright.facts.datasheet import Counts, Datasheet, read_datasheet
from worldwright.facts.key import check_task
from worldwright.facts.opened import OpenedPack
from worldwright.kinds import builder
from worldwright.kinds.database.battery.datasheet import datasheet
from worldwright.kinds.database.battery.run import Sheet
from worldwright.kinds.database.battery.settings import FULL, BatterySettings, find_battery
from worldwright.kinds.database.runtime import Runtime
from worldwright.world.tasks import Task

OF_WALKS = frozenset({"random walks", "one write more"})
"""Cells whose episodes come from the random walks: with another number of walks they are not comparable."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A count that is not what the datasheet says."""

    task: str
    """Empty for a count over all tasks."""
    cell: str
    sealed: str
    now: str


@dataclass(frozen=True, slots=True)
class Assay:
    sheets: tuple[Sheet, ...]
    found: Datasheet
    """What was counted now."""
    sealed: Datasheet | None
    """What the pack says."""
    differing: tuple[Difference, ...]
    left_out: tuple[str, ...]
    """Cells that were not compared."""

    @property
    def failed(self) -> tuple[Sheet, ...]:
        return tuple(s for s in self.sheets if not s.holds)

    @property
    def holds(self) -> bool:
        return not self.failed and not self.differing and self.sealed is not None


def assay(
    opened: OpenedPack, tasks: Sequence[Task], walks: int | None, on_episodes: Callable[[int], None], named: str = ""
) -> Assay:
    """Judge every episode of the battery again, or of the one that is named. `on_episodes` hears the count of each task."""
    sealed = read_datasheet(opened.pack)
    battery = find_battery(named or (sealed.battery.name if sealed is not None else FULL.name))
    as_sealed = sealed is not None and sealed.battery.name == battery.name
    sealed_walks = sealed.battery.walks_per_role if sealed is not None and as_sealed else battery.walks
    battery = replace(battery, walks=sealed_walks if walks is None else walks)
    done = tuple(_sheets(opened, tasks, battery, on_episodes))
    found = Datasheet.model_validate(datasheet(done, sealed.dropped if sealed is not None else {}, battery))
    left_out = frozenset() if battery.walks == sealed_walks else OF_WALKS
    if not as_sealed:
        left_out = frozenset(found.cells)
    every = as_sealed and len(tasks) == len(opened.world.book.ids)
    differing = () if sealed is None else tuple(_list_differences(sealed, found, left_out, every))
    return Assay(done, found, sealed, differing, tuple(sorted(left_out)))


def _sheets(
    opened: OpenedPack, tasks: Sequence[Task], battery: BatterySettings, on_episodes: Callable[[int], None]
) -> Iterator[Sheet]:
    world = opened.world
    if not isinstance(world.runtime, Runtime):
        raise UsageError(f"a world of kind {world.manifest.kind} has no battery")
    for task in tasks:
        check_task(world, task.id)
    try:
        for sheet in builder(world.manifest.kind).try_verifiers(
            world.runtime, [(t, world.key(t.id)) for t in tasks], battery, world.contract
        ):
            on_episodes(sheet.episodes)
            yield sheet
    except LookupError as e:
        # A sealed key can still name a row that its own calls do not make; no factory wrote that.
        raise TamperedPack(f"a key speaks of something that its calls do not make: {e}") from None


# comparing


def _list_differences(
    sealed: Datasheet, found: Datasheet, left_out: frozenset[str], every: bool
) -> Iterator[Difference]:
    for task, cells in found.tasks.items():
        if task not in sealed.tasks:
            yield Difference(task, "", "nothing", "put through the battery")
        else:
            yield from _cells(task, sealed.tasks[task], cells, left_out)
    if every:
        for task in sealed.tasks:
            if task not in found.tasks:
                yield Difference(task, "", "put through the battery", "not in the pack")
        yield from _cells("", sealed.cells, found.cells, left_out)
        if not left_out:
            yield from _totals(sealed, found)


def _cells(
    task: str, sealed: Mapping[str, Counts], found: Mapping[str, Counts], left_out: frozenset[str]
) -> Iterator[Difference]:
    for cell in dict.fromkeys([*sealed, *found]):
        said, now = sealed.get(cell, Counts()), found.get(cell, Counts())
        if cell not in left_out and said != now:
            yield Difference(task, cell, counts_in_words(said), counts_in_words(now))


def _totals(sealed: Datasheet, found: Datasheet) -> Iterator[Difference]:
    for name in ("episodes", "false_accepts", "false_rejects"):
        said, now = getattr(sealed, name), getattr(found, name)
        if said != now:
            yield Difference("", name.replace("_", " "), f"{said:,}", f"{now:,}")


def counts_in_words(counts: Counts) -> str:
    wrong = counts.false_accepts + counts.false_rejects
    return f"{counts.accepted} passed, {counts.rejected} failed" + (f", {wrong} wrong" if wrong else "")
