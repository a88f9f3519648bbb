"""Writes that the world lets through: one call for each tool, from witnesses of its goals and from random walks.

They are what an episode can do too much. They depend on the world alone, so that a battery over some of its tasks and one over all
of them try the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

from worldwright.compiler.tasks.ground import Ground
from worldwright.compiler.tasks.instances import attempts
from worldwright.world.records import Call

TRIES = 6
"""Bindings of a goal that are looked at for one that can be carried out."""


def writes(ground: Ground, role: str, walked: Iterable[Call]) -> tuple[Call, ...]:
    """By tool that a role may call, one call that went through somewhere."""
    found: dict[str, Call] = {}
    for call in (*_of_goals(ground), *walked):
        tool = ground.machine.tools[call.tool]
        if tool.mutates and (not tool.roles or role in tool.roles):
            found.setdefault(call.tool, call)
    return tuple(found.values())


@lru_cache(maxsize=4)
def _of_goals(ground: Ground) -> tuple[Call, ...]:
    found: list[Call] = []
    for name, compiled in ground.goals.items():
        if not compiled.goal.mends:
            clean = (a for a in islice(attempts(ground, name, 0, {}), TRIES) if a.clean)
            found += [call for attempt in islice(clean, 1) for call in attempt.played.calls]
    return tuple(found)
