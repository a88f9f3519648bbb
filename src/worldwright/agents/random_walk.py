"""An agent that knows nothing but the tools' schemas: it draws calls at random, with ids it has seen, and then gives up.

What it scores is what chance scores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from worldwright.agents.chat import Message, Tool, call, get_submit_name
from worldwright.agents.protocol import Agent, Brief, Options
from worldwright.core.errors import UsageError
from worldwright.core.rng import Stream
from worldwright.engine.walk import Plan, Walker
from worldwright.world.records import ToolSpec

MAX_CALLS = 20
MAX_CACHED_PLANS = 64
_NOW = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class RandomWalk:
    name = "random"
    sees_key = False

    def __init__(self, calls: int) -> None:
        self._calls = calls
        self._plans = _Plans()
        self.identity: Mapping[str, Any] = {"version": 1, "calls": calls}

    def begin(self, brief: Brief) -> _RandomWalkActor:
        return _RandomWalkActor(Stream("random agent", brief.seed), self._calls, self._plans)


class _Plans:
    """What was worked out of the tools of earlier episodes, by the very objects they came as."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], tuple[Sequence[Tool], Plan]] = {}

    def get(self, tools: Sequence[Tool]) -> Plan:
        key = tuple(map(id, tools))
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MAX_CACHED_PLANS:
                self._known.clear()
            found = self._known[key] = (
                tools,
                Plan.make(_specs(tools)),
            )  # the tools are kept: an id is theirs as long as they live
        return found[1]


class _RandomWalkActor:
    def __init__(self, stream: Stream, calls: int, plans: _Plans) -> None:
        self._stream = stream
        self._plans = plans
        self._left = calls
        self._walker: Walker | None = None

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        walker = self._walker or self._start(messages, tools)
        if messages[-1].get("role") == "tool":
            walker.learn_text(messages[-1].get("content") or "")
        if not self._left:
            answer = walker.arguments(tools[-1]["function"]["parameters"], True)
            return call(get_submit_name(tools), answer, messages)
        self._left -= 1
        name, arguments = walker.call()
        return call(name, arguments, messages)

    def _start(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Walker:
        now = _NOW.search(messages[0].get("content") or "")
        self._walker = Walker(self._plans.get(tools[:-1]), self._stream, now[0] if now else "2025-01-01T09:00:00Z")
        return self._walker


def _specs(tools: Sequence[Tool]) -> tuple[ToolSpec, ...]:
    """The tools as the walker wants them. What asks for something is taken for a write: nothing else tells."""
    inner = [one["function"] for one in tools]
    return tuple(
        ToolSpec(f["name"], f["description"], f["parameters"], {}, bool(f["parameters"].get("required")), "")
        for f in inner
    )


def make(options: Options) -> Agent:
    calls = options.more.get("calls", str(MAX_CALLS))
    if not calls.isdigit():
        raise UsageError(f"the random agent makes a number of calls, not {calls!r}")
    return RandomWalk(int(calls))
