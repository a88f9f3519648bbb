"""Gold on the nearest sibling of each thing that the request names: must fail. It is the wrong record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldwright.assay.bench import Bench, Trial
from worldwright.compiler.tasks.plans import New
from worldwright.compiler.tasks.variations import nearest_rows
from worldwright.world.records import Call

NEAREST = 4


def episodes(bench: Bench) -> Iterator[Trial]:
    for bound in bench.bounds:
        for entity, key in bound.rows.values():
            if isinstance(key, New):
                continue
            for other in nearest_rows(bench.ground, entity, key, ("assay", entity))[:NEAREST]:
                plan = tuple(Call(c.tool, _swapped(c.arguments, key, other)) for c in bench.plan)
                if plan != bench.plan:
                    yield bench.judged(f"on {other}, not {key}", plan)


def _swapped(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {k: _swapped(v, old, new) for k, v in value.items()}
    if isinstance(value, list):
        return [_swapped(v, old, new) for v in value]
    return new if value == old else value
