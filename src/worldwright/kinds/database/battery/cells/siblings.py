"""Gold on the nearest sibling of each thing that the request names: must fail. It is the wrong record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.kinds.database.compile.tasks.variations import nearest_rows
from worldwright.world.records import Call

NAME = "nearest sibling"
POSITION = 10


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    for bound in harness.bounds:
        for entity, key in bound.rows.values():
            if isinstance(key, str):
                yield from _instead(harness, entity, key)


def _instead(harness: VerifierHarness, entity: str, key: str) -> Iterator[Trial]:
    through, nearest = False, harness.settings.siblings
    for k, other in enumerate(
        nearest_rows(harness.ground, entity, key, ("assay", entity))[: harness.settings.farthest_sibling]
    ):
        plan = tuple(Call(c.tool, _swapped(c.arguments, key, other)) for c in harness.plan)
        if plan == harness.plan or (k >= nearest and through):
            return
        end = harness.end(plan, stop=k >= nearest)
        through = through or end.played.ok
        if k < nearest or end.played.ok:
            yield harness.scored(f"on {other}, not {key}", plan, end)


def _swapped(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {k: _swapped(v, old, new) for k, v in value.items()}
    if isinstance(value, list):
        return [_swapped(v, old, new) for v in value]
    return new if value == old else value
