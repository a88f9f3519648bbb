"""The datasheet: what the battery measured on every verifier of a pack, and how to measure it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from typing import Any

from worldwright.core.memo import Memo
from worldwright.kinds.build_events import TaskTried, Watch, unwatched
from worldwright.kinds.database.battery.activity import CALLS_PER_WALK, activity_of
from worldwright.kinds.database.battery.cells.conversation import NAME as CONVERSATION
from worldwright.kinds.database.battery.cells.hearsay import NAME as HEARSAY
from worldwright.kinds.database.battery.cells.timing import NAME as TIMES
from worldwright.kinds.database.battery.harness import VerifierHarness
from worldwright.kinds.database.battery.run import CELLS, Sheet, sheet
from worldwright.kinds.database.battery.settings import FULL, BatterySettings
from worldwright.kinds.database.compile.tasks.accept import MAX_END_STATES, widen
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.verify.patterns import pattern_data, read_accepted
from worldwright.world.tasks import Key, Task


@dataclass(frozen=True, slots=True)
class Proven:
    """The tasks that held, with their sheets, and those that did not."""

    tasks: tuple[tuple[Task, Key], ...]
    sheets: tuple[Sheet, ...]
    failed: tuple[Sheet, ...]
    mended: int = 0
    """Of those that held, how many were repaired first."""


def prove(
    sandbox: Sandbox,
    tasks: Sequence[tuple[Task, Key]],
    settings: BatterySettings,
    memo: Memo,
    repair: bool = False,
    watch: Watch = unwatched,
) -> Proven:
    """Put every task through the battery and keep those whose verifier judged every episode rightly.

    With `repair`, a verifier that rejected something right gets that accepted, and goes through the whole battery again.
    """
    held: list[tuple[Task, Key]] = []
    good: list[Sheet] = []
    failed: list[Sheet] = []
    activity = activity_of(sandbox, settings, memo)
    mended = 0
    for task, key in tasks:
        shared = activity.sample(task.role, settings.walks)
        harness = VerifierHarness(sandbox, task, key, settings=settings, activity=shared)
        found = sheet(harness)
        before = mended
        for _ in range(MAX_REPAIRS if repair else 0):
            better = None if found.holds else repair_key(harness, found)
            if better is None:
                break
            harness = VerifierHarness(sandbox, task, better, settings=settings, activity=shared)
            found = sheet(harness)
            mended += found.holds
        cells = {name: astuple(count) for name, count in found.cells.items()}
        watch(TaskTried(task.id, task.family, task.instruction, cells, found.wrong, mended > before))
        if found.holds:
            held.append((task, harness.key))
            good.append(found)
        else:
            failed.append(found)
    return Proven(tuple(held), tuple(good), tuple(failed), mended)


TEXTS_CHECKED = "facts, figures, names and a list of promises are checked; tone and other sentences are not"
"""What verifiers look at in the texts that an episode wrote."""


def datasheet(
    found: Sequence[Sheet],
    dropped: Mapping[str, int],
    settings: BatterySettings = FULL,
    referee: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Counts per cell for every task, and over all of them; `referee` has what the second judge said of the sealed tasks."""
    totals: Counter[tuple[str, str]] = Counter()
    for one in found:
        for name, count in one.cells.items():
            for key, value in asdict(count).items():
                totals[name, key] += value
    keys = ("accepted", "rejected", "false_accepts", "false_rejects")
    tried = [name for name, _ in CELLS if name not in RARE or any(totals[name, key] for key in keys)]
    overall = {name: {key: totals[name, key] for key in keys} for name in tried}
    return {
        "battery": {"name": settings.name, "walks_per_role": settings.walks, "calls_per_walk": CALLS_PER_WALK},
        "recompute": "worldwright assay PACK",
        "texts": TEXTS_CHECKED,
        "tasks": {
            one.task: {name: asdict(count) for name, count in one.cells.items() if any(asdict(count).values())}
            for one in found
        },
        "cells": overall,
        "episodes": sum(one.episodes for one in found),
        "false_accepts": sum(c["false_accepts"] for c in overall.values()),
        "false_rejects": sum(c["false_rejects"] for c in overall.values()),
        "dropped": dict(sorted(dropped.items())),
        **({"referee": dict(referee)} if referee is not None else {}),
    }


RARE = frozenset({TIMES, CONVERSATION, HEARSAY})
"""Cells that only stand on the sheet of a world that has something to do with them."""
MAX_REPAIRS = 3


def repair_key(harness: VerifierHarness, sheet: Sheet) -> Key | None:
    """Accept what was wrongly rejected; None where that is not all that went wrong."""
    if not sheet.missed or any(count.false_accepts for count in sheet.cells.values()):
        return None
    schema = harness.sandbox.schema
    accepts = list(read_accepted(harness.key.expects["accepts"], schema))
    for plan in sheet.missed:
        widen(accepts, harness.end(plan, stop=False), schema.entities)
    if len(accepts) > MAX_END_STATES:
        return None
    data = [[pattern_data(p, schema) for p in patterns] for patterns in accepts]
    if data == harness.key.expects["accepts"]:
        return None
    return replace(harness.key, expects={**harness.key.expects, "accepts": data})
