"""Gold with extra reads before, between and after its calls: must pass. Looking is free."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Bench, Trial
from worldwright.world.records import Call

NAME = "extra reads"
POSITION = 2


def episodes(bench: Bench) -> Iterator[Trial]:
    blueprint = bench.ground.compiled.blueprint
    looks = [
        Call(op.name, {})
        for op in blueprint.operations.values()
        if op.read is not None
        and (not op.roles or bench.task.role in op.roles)
        and all(i.optional or i.default is not None for i in op.inputs)
    ][: bench.reach.looks]
    calls: list[Call] = []
    for call in bench.key.calls:
        calls += [*looks, call]
    yield bench.trial("gold with extra reads", (*calls, *looks), True, bench.key.answer)
