"""Gold with extra reads before, between and after its calls: must pass. Looking is free."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.world.records import Call

NAME = "extra reads"
POSITION = 2


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    blueprint = harness.sandbox.compiled.blueprint
    looks = [
        Call(op.name, {})
        for op in blueprint.operations.values()
        if op.read is not None
        and (not op.roles or harness.task.role in op.roles)
        and all(i.optional or i.default is not None for i in op.inputs)
    ][: harness.settings.looks]
    calls: list[Call] = []
    for call in harness.key.calls:
        calls += [*looks, call]
    yield harness.trial("gold with extra reads", (*calls, *looks), True, harness.key.answer)
