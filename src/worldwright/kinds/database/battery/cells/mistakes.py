"""Gold after tool errors that one recovers from (an unknown id, a missing argument, no such tool): must pass."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.kinds.database.compile.tasks.plans import NOTHING
from worldwright.world.records import Call

NAME = "recovered errors"
POSITION = 6


def episodes(harness: VerifierHarness) -> Iterator[Trial]:
    calls: list[Call] = [Call("no_such_tool", {})]
    for call in harness.key.calls:
        wrong = {k: NOTHING if isinstance(v, str) else v for k, v in call.arguments.items()}
        if call.tool in harness.tools and harness.tools[call.tool].mutates:
            calls += [Call(call.tool, {}), Call(call.tool, {**wrong, "no_such_argument": 1})]
        calls.append(call)
    yield harness.trial("gold after tool errors", tuple(calls), True, harness.key.answer)
