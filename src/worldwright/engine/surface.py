"""How tools are shown: as they are, among all the others, or under names that say nothing.

A surface is another face of the same task, never another task: calls are turned back into real names at the door, and what is
recorded, replayed and judged is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from worldwright.core.errors import UsageError
from worldwright.core.names import nearest
from worldwright.core.rng import Stream
from worldwright.world.records import ToolSpec

SURFACES = ("plain", "crowded", "obscured", "crowded_obscured")
"""The role's own tools; everybody's; the role's own under other names; everybody's under other names."""


@dataclass(frozen=True, slots=True)
class Surface:
    """The tools as an agent sees them."""

    tools: tuple[ToolSpec, ...]
    real: Mapping[str, str]
    """By the name that is shown, the real one."""


def surface(kind: str, tools: Mapping[str, ToolSpec], role: str, digest: str) -> Surface:
    """The surface of a world for a role. Names that say nothing are the same in every episode of a world."""
    if kind not in SURFACES:
        raise UsageError(f"no surface is called {kind!r}; {nearest(kind, SURFACES)}")
    offered = [t for t in tools.values() if kind.startswith("crowded") or not t.roles or role in t.roles]
    if not kind.endswith("obscured"):
        return Surface(tuple(offered), {t.name: t.name for t in offered})
    numbers = Stream("surface", digest).shuffled(range(1, len(tools) + 1))
    names = {name: f"action_{number:02d}" for name, number in zip(tools, numbers, strict=True)}
    shown = sorted((replace(t, name=names[t.name]) for t in offered), key=lambda t: t.name)
    return Surface(tuple(shown), {names[t.name]: t.name for t in offered})
