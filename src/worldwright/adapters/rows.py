"""Rows of a dataset: what is asked, and where. Never the key.

A row names its gym, variant and task; whoever plays it opens the world in its own process, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from worldwright.core.errors import UsageError
from worldwright.core.names import nearest
from worldwright.engine.episode import Episode
from worldwright.engine.limits import Limits
from worldwright.engine.world import Gym, World
from worldwright.store.open import open_gym

GYM, VARIANT, TASK = "gym", "variant", "task"
"""The columns that say which episode a row is."""


@cache
def gym_of(ref: str) -> Gym:
    """The gym under a reference or a path, opened once per process."""
    return open_gym(ref)


def world_of_row(row: dict[str, Any]) -> World:
    missing = [name for name in (GYM, VARIANT, TASK) if not isinstance(row.get(name), str)]
    if missing:
        raise UsageError(f"a row needs the columns {GYM}, {VARIANT} and {TASK}; this one has no {', '.join(missing)}")
    return gym_of(row[GYM]).world(row[VARIANT])


def open_row(row: dict[str, Any], face: str = "plain", limits: Limits | None = None) -> Episode:
    """The episode that a row stands for, from its start."""
    return world_of_row(row).open(row[TASK], face=face, limits=limits)


def rows(
    ref: str, variants: Iterable[str] | None = None, tasks: Iterable[str] | None = None, face: str = "plain"
) -> Iterator[dict[str, Any]]:
    """A row for every task of a gym: `prompt` in the chat format, `gym`, `variant`, `task`, `world` and `family`."""
    gym = gym_of(ref)
    wanted = None if tasks is None else list(tasks)
    for variant in gym.variants if variants is None else variants:
        world = gym.world(variant)
        known = {task.id: task for task in world.tasks}
        for name in known if wanted is None else wanted:
            if name not in known:
                raise UsageError(f"{ref} ({variant}) has no task {name!r}; {nearest(name, known)}")
            with world.open(name, face=face) as episode:
                yield {
                    "prompt": [dict(m) for m in episode.messages],
                    GYM: ref,
                    VARIANT: variant,
                    TASK: name,
                    "world": world.digest,
                    "family": known[name].family,
                }
