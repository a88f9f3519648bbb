"""The referee over the tasks of a pack, from the pack alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worldwright.core.errors import TamperedPack, UsageError
from worldwright.facts.key import check_task
from worldwright.facts.opened import OpenedPack
from worldwright.kinds.database.referee.compare import Comparison, compare_tasks
from worldwright.kinds.database.referee.settings import EVERYTHING, SAMPLE
from worldwright.kinds.database.runtime import Runtime
from worldwright.world.tasks import Task


def compare(opened: OpenedPack, tasks: Sequence[Task], sample: bool) -> Iterator[Comparison]:
    """Hold the referee's word against the verifier's, task by task."""
    world = opened.world
    if not isinstance(world.runtime, Runtime):
        raise UsageError(f"a world of kind {world.manifest.kind} has no referee")
    for task in tasks:
        check_task(world, task.id)
    keys = [(task, world.key(task.id)) for task in tasks]
    try:
        yield from compare_tasks(world.runtime, keys, SAMPLE if sample else EVERYTHING)
    except LookupError as e:
        # A sealed key can still name a goal or a tool that its Blueprint does not have; no factory wrote that.
        raise TamperedPack(f"a key speaks of something that the world does not have: {e}") from None
