"""A look at a Blueprint that is being written: what its world would hold and ask, in seconds and without the proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.depth import Depth, measure_depth
from worldwright.catalogue.standard import find_missing
from worldwright.core.memo import Memo
from worldwright.kinds import builder
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.pipeline import run_stages
from worldwright.kinds.database.compile.tasks.instances import attempts
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.runtime import Runtime
from worldwright.world.tasks import Task

MAX_REASONS = 2
"""Reasons that are told of one goal."""


@dataclass(frozen=True, slots=True)
class GoalPreview:
    """What the opening state has for one goal."""

    name: str
    possible: int
    """Rows it could be about, with everything in order."""
    forbidden: Mapping[str, int]
    """By policy, how often exactly this one stands in the way."""
    failing: Mapping[str, int]
    """By reason, how often it cannot be done for any other one: usually something to mend in the goal."""


@dataclass(frozen=True, slots=True)
class Preview:
    depth: Depth
    lacking: tuple[str, ...]
    """What the catalogue would still ask for."""
    figures: Mapping[str, str]
    """By stage of the compiler, what came of it."""
    refused: Mapping[str, int]
    """`operation CODE` of the past, and how often."""
    goals: tuple[GoalPreview, ...]
    tasks: tuple[Task, ...]
    dropped: Mapping[str, int]
    handbook: str
    runtime: Runtime


def make_preview(
    checked: Checked, seed: int, with_tasks: bool = True, progress: Callable[[str], None] = lambda _: None
) -> Preview:
    """Build everything up to the proof. `progress` hears of each stage as it ends."""
    own = builder(checked.blueprint.kind)
    draft: Draft = own.start_draft(checked, seed, Memo(), with_tasks=with_tasks)
    for stage, fuller in run_stages(own.COMPILE_STAGES, draft):
        draft = fuller
        progress(stage)
    runtime = draft.open_runtime()
    looks = tuple(_look_at_goals(checked, Sandbox(runtime, draft.state.messed_rows), seed, draft)) if with_tasks else ()
    measured = measure_depth(checked)
    return Preview(
        measured, tuple(find_missing(measured)), draft.figures, draft.state.past.refused, looks,
        tuple(task for task, _ in draft.made.tasks) if draft.made is not None else (),
        draft.made.dropped if draft.made is not None else {}, draft.files["policy.md"].decode(), runtime,
    )  # fmt: skip


def rotate_families(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Reorder tasks so that each family has its turn."""
    seen: Counter[str] = Counter()
    turns: list[tuple[int, int]] = []
    for number, task in enumerate(tasks):
        turns.append((seen[task.family], number))
        seen[task.family] += 1
    return tuple(tasks[number] for _, number in sorted(turns))


def _look_at_goals(checked: Checked, sandbox: Sandbox, seed: int, draft: Draft) -> Iterator[GoalPreview]:
    for name in checked.goals:
        possible, forbidden, failing = 0, Counter[str](), Counter[str]()
        for found in attempts(sandbox, name, seed, draft.state.messed_rows):
            if found.clean:
                possible += 1
            elif found.forbidden_by:
                forbidden[found.forbidden_by] += 1
            elif found.error is not None:
                failing[f"{found.error.code}: {found.error.message}"] += 1
            else:
                broken = ", ".join(found.played.broken)
                failing[
                    f"several rules stand in the way: {broken}" if broken else "`how` does not lead to `wants`"
                ] += 1
        yield GoalPreview(name, possible, dict(forbidden), dict(failing.most_common(MAX_REASONS)))
