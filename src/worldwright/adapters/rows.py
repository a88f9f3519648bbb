"""Rows of a dataset: what is asked, and where. Never the key.

A row names its gym, variant and task; whoever plays it opens the world in its own process, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from worldwright.core.errors import StoreError, UsageError
from worldwright.core.names import suggest
from worldwright.engine.episode import Episode
from worldwright.engine.limits import Limits
from worldwright.engine.world import Gym, World
from worldwright.store.open import open_gym, open_world
from worldwright.world.tasks import Verdict

GYM, VARIANT, TASK = "gym", "variant", "task"
"""The columns that say which episode a row is."""
PACKAGE = "package:"
"""What a reference to the packs inside an installed Python package starts with: the same on every machine that has it."""


@cache
def open_row_gym(ref: str) -> Gym:
    """The gym under a reference, a path or `package:NAME`, opened once per process."""
    if not isinstance(ref, str):
        raise UsageError("rows name their gym: give its reference or its path, such as `motor_claims`")
    return _open_package(ref) if ref.startswith(PACKAGE) else open_gym(ref)


def _open_package(ref: str) -> Gym:
    """Open the gym that a package has in its folder `packs`: an archive for each variant."""
    name = ref.removeprefix(PACKAGE)
    spec = find_spec(name) if name.isidentifier() else None
    places = spec.submodule_search_locations if spec is not None else None
    packs = sorted(Path(places[0]).glob("packs/*.tar")) if places else []
    if not packs:
        raise StoreError(f"there is no installed package `{name}` with packs in it")
    return Gym(ref, {pack.stem: partial(open_world, pack) for pack in packs})


def open_row_world(row: dict[str, Any]) -> World:
    missing = [name for name in (GYM, VARIANT, TASK) if not isinstance(row.get(name), str)]
    if missing:
        raise UsageError(f"a row needs the columns {GYM}, {VARIANT} and {TASK}; this one has no {', '.join(missing)}")
    world = open_row_gym(row[GYM]).world(row[VARIANT])
    if row.get("world") not in (None, world.digest):
        raise UsageError(
            f"{row[GYM]} ({row[VARIANT]}) is not the world that this row was made from: make the rows again"
        )
    return world


def open_row(row: dict[str, Any], face: str = "plain", limits: Limits | None = None) -> Episode:
    """The episode that a row stands for, from its start."""
    return open_row_world(row).open(row[TASK], face=face, limits=limits)


def list_rows(
    ref: str, variants: Iterable[str] | None = None, tasks: Iterable[str] | None = None, face: str = "plain"
) -> Iterator[dict[str, Any]]:
    """A row for every task of a gym: `prompt` in the chat format, `gym`, `variant`, `task`, `world` and `family`."""
    gym = open_row_gym(ref)
    wanted = None if tasks is None else list(tasks)
    for variant in gym.variants if variants is None else variants:
        world = gym.world(variant)
        known = {task.id: task for task in world.tasks}
        for name in known if wanted is None else wanted:
            if name not in known:
                raise UsageError(f"{ref} ({variant}) has no task {name!r}; {suggest(name, known)}")
            with world.open(name, face=face) as episode:
                yield {
                    "prompt": [dict(m) for m in episode.messages],
                    GYM: ref,
                    VARIANT: variant,
                    TASK: name,
                    "world": world.digest,
                    "family": known[name].family,
                }


def render_verdict(verdict: Verdict) -> dict[str, Any]:
    """A verdict as a framework's log has it: what held and what did not, never what was expected.

    Without a reward the world itself failed, and `reason` says how.
    """
    held = [{"name": one.name, "ok": one.ok} for one in verdict.assertions]
    out: dict[str, Any] = {"status": verdict.status, "reward": verdict.reward, "assertions": held}
    return {**out, "reason": verdict.reason} if verdict.reason else out
