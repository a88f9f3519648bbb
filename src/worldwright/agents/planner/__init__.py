"""The planner: an agent without a language model.

It reads the request, the handbook and the tools' schemas, as every agent is given them, plans over the tools' signatures, and
says why it makes each call. Nothing in it knows a domain. docs/planner.md says what it can and how it fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from worldwright.agents.chat import Message, Tool, call, read_payload
from worldwright.agents.planner.handbook import read_handbook
from worldwright.agents.planner.plan import plan_episode
from worldwright.agents.planner.request import add_to_request, read_request
from worldwright.agents.planner.state import Outcome, Plan, PlannedCall, PlannerState
from worldwright.agents.planner.toolbox import Toolbox
from worldwright.agents.protocol import Agent, Brief, Options
from worldwright.core.canonical import sha256
from worldwright.core.rng import Stream

SAMPLING_TEMPERATURE = 0.5
MAX_CALLS = 40


@cache
def code() -> str:
    """The digest of the planner's own source: whoever changes it has another agent."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return sha256(b"".join(file.read_bytes() for file in files))[:16]


class Planner:
    name = "planner"
    sees_key = False

    def __init__(self, temperature: float) -> None:
        self._temperature = temperature
        self.identity: Mapping[str, Any] = {"code": code(), "temperature": temperature, "calls": MAX_CALLS}

    def begin(self, brief: Brief) -> _PlannerActor:
        return _PlannerActor(Stream("planner", brief.seed), self._temperature)


class _PlannerActor:
    """One episode: a plan that is asked for its next call."""

    def __init__(self, stream: Stream, temperature: float) -> None:
        self._stream = stream
        self._temperature = temperature
        self._plan: Plan[PlannedCall] | None = None
        self._last: PlannedCall | None = None

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        try:
            if self._plan is None:
                self._plan = self._begin(messages, tools)
                wanted = next(self._plan)
            elif self._last is not None:
                wanted = self._last
            else:
                wanted = self._plan.send(_read_outcome(messages))
        except StopIteration as end:
            wanted = self._last = end.value
        return call(wanted.tool, wanted.arguments, messages, wanted.why)

    def _begin(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Plan[PlannedCall]:
        told = "\n".join(_text(m) for m in messages if m.get("role") == "system")
        heard = "\n".join(_text(m) for m in messages if m.get("role") == "user")
        box = Toolbox(tools)
        kinds = frozenset(box.nouns)
        state = PlannerState(
            read_request(told, heard, kinds), box, read_handbook(told), self._stream, self._temperature, MAX_CALLS
        )
        return plan_episode(state, lambda more: read_request(told, add_to_request(heard, more), kinds))


def _text(message: Message) -> str:
    found = message.get("content")
    return found if isinstance(found, str) else ""


def _read_outcome(messages: Sequence[Message]) -> Outcome:
    """Read what came of the last call."""
    found = read_payload(messages[-1]) if messages else None
    if not isinstance(found, Mapping):
        return Outcome(False)
    error = found.get("error")
    return Outcome(found.get("ok") is True, found.get("data"), error if isinstance(error, Mapping) else {})


def make(options: Options) -> Agent:
    return Planner(SAMPLING_TEMPERATURE if options.temperature is None else max(0.0, options.temperature))
