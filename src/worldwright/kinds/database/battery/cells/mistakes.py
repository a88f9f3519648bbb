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
    mistaken = (
        Call("no_such_tool", {}),
        *(each for call in harness.key.calls for each in _mistake_first(harness, call)),
    )
    yield from harness.try_through("gold after tool errors", mistaken, True, harness.key.answer)


def _mistake_first(harness: VerifierHarness, call: Call) -> Iterator[Call]:
    """Yield a write with records that are not there, as far as the contract lets one say so, and then the call itself."""
    contract = harness.sandbox.contract
    tool = None if contract is None else contract.find_tool(call)
    if tool is not None and harness.tools[call.tool].mutates:
        inputs = harness.sandbox.compiled.blueprint.operations[call.tool].inputs
        refs = [i.name for i in inputs if i.type.kind == "ref" and not i.parts and i.name in tool.takes]
        named = [name for name in refs if call.arguments.get(name) is not None]
        if named:
            yield Call(call.tool, {**call.arguments, **dict.fromkeys(named, NOTHING)})
    yield call
