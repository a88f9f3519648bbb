"""Writes that the world lets through: a few calls of each tool, from witnesses of its goals and from random walks.

They are what an episode can do too much. They depend on the world alone, so that a battery over some of its tasks and one over all
of them try the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

from worldwright.compiler.tasks.ground import Ground
from worldwright.compiler.tasks.instances import attempts
from worldwright.compiler.tasks.plans import leaves
from worldwright.compiler.tasks.variations import input_at
from worldwright.world.records import Call

TRIES = 9
"""Bindings of a goal that are looked at for some that can be carried out."""
EACH = 3
"""Calls of one tool, about different rows."""


def writes(ground: Ground, role: str, walked: Iterable[Call]) -> tuple[Call, ...]:
    """Of each tool that a role may call, calls that went through somewhere."""
    found: dict[str, dict[frozenset[str], Call]] = {}
    for call in (*_of_goals(ground), *walked):
        tool = ground.machine.tools[call.tool]
        known = found.setdefault(call.tool, {})
        if tool.mutates and (not tool.roles or role in tool.roles) and len(known) < EACH:
            known.setdefault(_rows(ground, call), call)
    return tuple(call for known in found.values() for call in known.values())


def _rows(ground: Ground, call: Call) -> frozenset[str]:
    """The rows that a call is about."""
    operation = ground.machine.blueprint.operations[call.tool]
    kinds = ((input_at(operation, path), value) for path, value in leaves(call.arguments))
    return frozenset(str(value) for kind, value in kinds if kind is not None and kind.type.kind == "ref")


@lru_cache(maxsize=4)
def _of_goals(ground: Ground) -> tuple[Call, ...]:
    found: list[Call] = []
    for name, compiled in ground.goals.items():
        if not compiled.goal.mends:
            clean = (a for a in islice(attempts(ground, name, 0, {}), TRIES) if a.clean)
            found += [call for attempt in islice(clean, EACH) for call in attempt.played.calls]
    return tuple(found)
