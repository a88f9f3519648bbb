"""Writes that the world lets through: what an episode can do too much.

They come from witnesses of the world's goals and from random walks, some with less, another word or half the amount. Each is tried
on the opening state to see what it really touches. They depend on the world alone, so that a battery over some of its tasks and
one over all of them try the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from worldwright.kinds.database.compile.tasks.instances import attempts
from worldwright.kinds.database.compile.tasks.plans import list_leaves, replace_at
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.variations import find_input, rank_nearest_rows
from worldwright.kinds.database.verify.net import net_rows
from worldwright.world.records import Call

MAX_BINDINGS, ENOUGH_WITNESSES = 9, 3
"""Bindings of a goal that are looked at, and how many that can be carried out are enough."""
CALLS_PER_TOOL, TURNED_CALLS = 4, 6
"""Calls of one tool about different rows, and what is tried beside them."""
ENOUGH_WRITES, MAX_ROWS_TRIED = 3, 30
"""Calls of one tool that the opening state lets through, and how far to look for them."""


@dataclass(frozen=True, slots=True)
class Write:
    """A call, and what it does on the opening state."""

    call: Call
    touches: frozenset[tuple[str, str]]
    """(op, table) of the rows that it makes a difference to; empty where it is refused there."""


def find_writes(sandbox: Sandbox, role: str, tried: Iterable[Call]) -> tuple[Write, ...]:
    """Of each tool that a role may call, find a few among the calls that went through somewhere."""
    found: dict[str, dict[frozenset[str], Call]] = {}
    for call in tried:
        tool = sandbox.compiled.tools[call.tool]
        known = found.setdefault(call.tool, {})
        if tool.mutates and (not tool.roles or role in tool.roles) and len(known) < CALLS_PER_TOOL:
            known.setdefault(_rows(sandbox, call), call)
    out: list[Write] = []
    for calls in found.values():
        turned = (t for call in calls.values() for t in _vary_call(sandbox, call))
        own = [
            Write(call, _find_touched(sandbox, role, call)) for call in (*calls.values(), *islice(turned, TURNED_CALLS))
        ]
        if calls and sum(bool(write.touches) for write in own) < ENOUGH_WRITES:
            own += islice(_vary_rows(sandbox, role, own[-1].call), ENOUGH_WRITES)
        out += own
    return tuple(out)


def calls_of_goals(sandbox: Sandbox) -> tuple[Call, ...]:
    """The calls of some witnesses of every goal."""
    found: list[Call] = []
    for name, compiled in sandbox.goals.items():
        if not compiled.goal.mends:
            clean = (a for a in islice(attempts(sandbox, name, 0, {}), MAX_BINDINGS) if a.clean)
            found += [call for attempt in islice(clean, ENOUGH_WITNESSES) for call in attempt.played.calls]
    return tuple(found)


def _rows(sandbox: Sandbox, call: Call) -> frozenset[str]:
    """The rows that a call is about."""
    operation = sandbox.compiled.blueprint.operations[call.tool]
    kinds = ((find_input(operation, path), value) for path, value in list_leaves(call.arguments))
    return frozenset(str(value) for kind, value in kinds if kind is not None and kind.type.kind == "ref")


def _vary_call(sandbox: Sandbox, call: Call) -> Iterator[Call]:
    """Yield the same call with no more than it needs, with half the amount, and with another word."""
    operation = sandbox.compiled.blueprint.operations[call.tool]
    needed = {i.name for i in operation.inputs if not i.optional and i.default is None}
    if set(call.arguments) - needed:
        yield Call(call.tool, {k: v for k, v in call.arguments.items() if k in needed})
    for path, value in list_leaves(call.arguments):
        kind = find_input(operation, path)
        if kind is not None and kind.type.monetary and value:
            yield Call(call.tool, replace_at(call.arguments, path, round(value / 2, kind.type.places)))
        elif kind is not None and kind.type.kind in ("enum", "bool"):
            for word in kind.type.values or (not value,):
                if word != value:
                    yield Call(call.tool, replace_at(call.arguments, path, word))


def _vary_rows(sandbox: Sandbox, role: str, call: Call) -> Iterator[Write]:
    """Yield the same call about other rows, where the opening state lets it through."""
    operation = sandbox.compiled.blueprint.operations[call.tool]
    for path, value in list_leaves(call.arguments):
        kind = find_input(operation, path)
        if kind is not None and kind.type.kind == "ref" and isinstance(value, str):
            for other in rank_nearest_rows(sandbox, kind.type.entity, value, ("writes", call.tool))[:MAX_ROWS_TRIED]:
                moved = Call(call.tool, replace_at(call.arguments, path, other))
                for turned in (moved, *islice(_vary_call(sandbox, moved), 2)):
                    touches = _find_touched(sandbox, role, turned)
                    if touches:
                        yield Write(turned, touches)
                        break
            return


def _find_touched(sandbox: Sandbox, role: str, call: Call) -> frozenset[tuple[str, str]]:
    session = sandbox.start(role, "")
    if not session.call(call.tool, call.arguments).ok:
        return frozenset()
    return frozenset((row.op, row.table) for row in net_rows(sandbox.compiled.tables, session.changes()))
