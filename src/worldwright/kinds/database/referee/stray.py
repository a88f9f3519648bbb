"""Writes that nobody asked for, in every place: after the witness, before it, instead of it, and two of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import prod
from typing import Any

from worldwright.blueprint.checked import Input, Operation
from worldwright.core.rng import Stream
from worldwright.kinds.database.referee.around import Episode, Surroundings, spread
from worldwright.kinds.database.referee.replay import Step, fill, list_values
from worldwright.world.records import Call

OWN_SHARE = 0.4
"""How often a drawn row is one that the request or its witness speaks of."""


def list_stray_writes(around: Surroundings) -> Iterator[Episode]:
    """Yield the witness with writes that it does not need; where the request is refused, such writes alone."""
    request, settings = around.referee.request, around.settings
    steps = () if request.refuses else around.referee.steps
    own = _list_own_ids(around)
    able = [operation for operation in around.operations.values() if _may_write(around, operation)]
    calls = [_list_calls(around, operation, own) for operation in around.choose(able, settings.operations)]
    after = [call for each in calls for call in _list_let_through(around, steps, each, settings.extras)]
    for call in after:
        yield Episode("one write more", _say(call), (*steps, Step(len(steps), call)))
    before = calls if steps else ()
    for call in [call for each in before for call in _list_let_through(around, (), each, settings.strays)]:
        yield Episode("one write before", _say(call), (Step(len(steps), call), *steps))
        yield Episode("one write instead", _say(call), (Step(len(steps), call),))
    for one, other in spread(list(combinations(after, 2)), settings.stray_pairs):
        two = (Step(len(steps), one), Step(len(steps) + 1, other))
        yield Episode("two writes more", f"{_say(one)}, {_say(other)}", (*steps, *two))


def _may_write(around: Surroundings, operation: Operation) -> bool:
    """Return whether an operation writes, and the role may call it."""
    role = around.referee.request.role
    return around.referee.compiled.tools[operation.name].mutates and (not operation.roles or role in operation.roles)


def _list_calls(around: Surroundings, operation: Operation, own: frozenset[str]) -> list[Call]:
    """List calls of an operation: all that its inputs make, where they are few; else some, drawn."""
    inputs = [found for found in operation.inputs if not found.optional and found.default is None]
    most = around.settings.extra_probes
    if not any(found.parts for found in inputs):
        values = [around.list_values(found) for found in inputs]
        if prod(map(len, values)) <= most:
            return [Call(operation.name, dict(zip((i.name for i in inputs), v, strict=True))) for v in product(*values)]
    out = []
    for k in range(most):
        stream = Stream("referee", around.referee.request.task, operation.name, k)
        arguments = {found.name: _draw(around, found, stream, own) for found in inputs}
        if all(value is not None for value in arguments.values()):
            out.append(Call(operation.name, arguments))
    return out


def _draw(around: Surroundings, found: Input, stream: Stream, own: frozenset[str]) -> Any:
    if found.parts:
        if found.parts[0].name == "":
            return [_draw(around, found.parts[0], stream, own)]
        needed = [part for part in found.parts if not part.optional and part.default is None]
        return [{part.name: _draw(around, part, stream, own) for part in needed}]
    values = around.list_values(found)
    if found.type.kind == "ref":
        mine = [value for value in values if value in own]
        if mine and stream.chance(OWN_SHARE):
            return stream.pick(mine)
    return stream.pick(values) if values else None


def _list_let_through(around: Surroundings, steps: Sequence[Step], calls: Sequence[Call], most: int) -> list[Call]:
    """Probe calls after some steps; list those that go through and change something, evenly over all of them."""
    if not calls or not most:
        return []
    made, session = around.referee.go_to(steps), around.referee.session
    before = session.changes()
    out = []
    for call in calls:
        probe = session.probe(call.tool, fill(call, made).arguments)
        if probe.result.ok and probe.changes != before:
            out.append(call)
    return spread(out, most)


def _list_own_ids(around: Surroundings) -> frozenset[str]:
    """List the ids that the request and its witness speak of."""
    spoken = {key for use in around.referee.request.goals for key in use.ids.values()}
    said = (value for step in around.referee.steps for _, value in list_values(step.call.arguments))
    return frozenset(spoken | {value for value in said if isinstance(value, str)})


def _say(call: Call) -> str:
    return f"{call.tool} {dict(call.arguments)}"
