"""Agents by name: `planner`, `openai:MODEL`, or what another package registers."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points

from worldwright.agents.protocol import Agent, Options
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest

GROUP = "worldwright.agents"

Make = Callable[[Options], Agent]


def make_agent(spec: str, options: Options | None = None) -> Agent:
    """Make the agent that `NAME` or `NAME:MODEL` stands for."""
    name, _, model = spec.partition(":")
    found = _find_entry_points()
    if name not in found:
        raise UsageError(f"no agent is called {name!r}; {suggest(name, found)}")
    given = options or Options()
    make: Make = found[name].load()
    return make(Options(model or given.model, given.temperature, given.base_url, given.more))


def _find_entry_points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}
