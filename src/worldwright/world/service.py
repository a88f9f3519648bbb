"""What a service answers when it is busy, as a record. It belongs to episodes, at the agent's door, and never to the state."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Service:
    """A limit on calls, or a share of calls that fail once, over some tools."""

    name: str
    tools: frozenset[str]
    """The tools that it is about, counted together."""
    at_most: int = 0
    """So many of their calls are answered in any `in_any` calls of an episode, of whatever kind; 0 is no limit."""
    in_any: int = 0
    fails: float = 0.0
    """The share of calls that fail the first time they are made."""
