"""Gold on the nearest sibling of each thing that the request names: must fail. It is the wrong record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.kinds.database.compile.tasks.variations import rank_nearest_rows
from worldwright.world.records import Call

NAME = "nearest sibling"
POSITION = 10


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    for bound in harness.bounds:
        for entity, key in bound.rows.values():
            if isinstance(key, str):
                yield from _try_siblings(harness, entity, key)


def _try_siblings(harness: VerifierHarness, entity: str, key: str) -> Iterator[Trial]:
    through, nearest = False, harness.settings.siblings
    for k, other in enumerate(
        rank_nearest_rows(harness.sandbox, entity, key, ("assay", entity))[: harness.settings.farthest_sibling]
    ):
        plan = tuple(Call(c.tool, _swap(c.arguments, key, other)) for c in harness.plan)
        if plan == harness.plan or (k >= nearest and through):
            return
        end = harness.end(plan, stop=k >= nearest)
        through = through or end.played.ok
        if k < nearest or end.played.ok:
            yield harness.score_end(f"on {other}, not {key}", plan, end)


def _swap(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {k: _swap(v, old, new) for k, v in value.items()}
    if isinstance(value, list):
        return [_swap(v, old, new) for v in value]
    return new if value == old else value
