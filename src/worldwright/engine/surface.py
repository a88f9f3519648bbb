"""How a task is shown: tools as they are, among all the others, or under names that say nothing; a request whole or in pieces.

A surface is another face of the same task, never another task: calls are turned back into real names at the door, and what is
recorded, replayed and judged is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.core.rng import Stream
from worldwright.engine import requester
from worldwright.world.records import ToolSpec

TURNS = ("crowded", "obscured", "asking")
"""Everybody's tools, not only the role's own; names that say nothing; a requester who has to be asked for the rest."""
SURFACES = ("plain", *("_".join(some) for n in range(1, 4) for some in combinations(TURNS, n)))


@dataclass(frozen=True, slots=True)
class Surface:
    """The tools as an agent sees them."""

    tools: tuple[ToolSpec, ...]
    real: Mapping[str, str]
    """By the name that is shown, the real one."""


def surface(
    kind: str, tools: Mapping[str, ToolSpec], role: str, digest: str, hands: frozenset[str] = frozenset()
) -> Surface:
    """The surface of a world for a role. Names that say nothing are the same in every episode of a world. `hands` are tools that
    only the requester can use, who is asked to."""
    if kind not in SURFACES:
        raise UsageError(f"no surface is called {kind!r}; {suggest(kind, SURFACES)}")
    turns = kind.split("_")
    more = (replace(requester.TOOL, mutates=bool(hands)),) if "asking" in turns else ()
    if more and requester.NAME in tools:
        raise UsageError(f"this world has a tool of its own that is called `{requester.NAME}`: it has no face `asking`")
    offered = [
        t for t in tools.values() if t.name not in hands and ("crowded" in turns or not t.roles or role in t.roles)
    ]
    if "obscured" not in turns:
        return Surface((*offered, *more), {t.name: t.name for t in (*offered, *more)})
    numbers = Stream("surface", digest).shuffled(range(1, len(tools) + 1))
    names = {name: f"action_{number:02d}" for name, number in zip(tools, numbers, strict=True)}
    shown = sorted((replace(t, name=names[t.name]) for t in offered), key=lambda t: t.name)
    real = {names[t.name]: t.name for t in offered} | {t.name: t.name for t in more}
    return Surface((*shown, *more), real)
