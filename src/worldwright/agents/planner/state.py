"""The state of the planner during an episode: the request, the tools, the rules, what it has seen, and the calls that are left.

A plan is a generator: it yields the next call and is sent what came of it. So a plan reads like a program over the tools.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from worldwright.agents.chat import encode
from worldwright.agents.planner.handbook import Handbook
from worldwright.agents.planner.memory import Memory, learn_search
from worldwright.agents.planner.request import Request
from worldwright.agents.planner.toolbox import Op, Toolbox
from worldwright.core.rng import Stream, exp

T = TypeVar("T")


class PlannedCall(NamedTuple):
    """A call that the plan wants made, and why."""

    tool: str
    arguments: Mapping[str, Any]
    why: str


class Outcome(NamedTuple):
    """What came of a call."""

    ok: bool
    data: Any = None
    error: Mapping[str, Any] = {}

    @property
    def code(self) -> str:
        return str(self.error.get("code") or "")

    @property
    def message(self) -> str:
        return str(self.error.get("message") or "")


Plan = Generator[PlannedCall, Outcome, T]


class OutOfCalls(Exception):
    """The planner has made all the calls that it allows itself."""


@dataclass
class PlannerState:
    """Everything that the planner knows during an episode; it changes as calls come back."""

    request: Request
    tools: Toolbox
    book: Handbook
    stream: Stream
    temperature: float
    calls_left: int
    memory: Memory = field(default_factory=Memory)
    aim: str = ""
    """What the operation in hand says of itself: records in the state that it speaks of fit better."""
    undone: list[str] = field(default_factory=list)
    """Why steps were not carried out."""
    told: list[Any] = field(default_factory=list)
    """What tools worked out without changing anything."""
    used: set[int] = field(default_factory=set)
    """Mentions that only tell which records are meant, by where they stand."""
    written: list[tuple[Op, Mapping[str, Any], Any]] = field(default_factory=list)
    """The writes that went through, with their results."""
    _seen: dict[str, Outcome] = field(default_factory=dict)

    def call(self, op: Op, arguments: Mapping[str, Any], why: str) -> Plan[Outcome]:
        """Make one call. What was looked up once and cannot have changed is not looked up again."""
        key = encode([op.name, dict(sorted(arguments.items()))])
        if not op.writes and key in self._seen:
            return self._seen[key]
        if self.calls_left <= 0:
            raise OutOfCalls
        self.calls_left -= 1
        outcome = yield PlannedCall(op.name, arguments, why)
        if outcome.ok:
            self.memory.learn(outcome.data, len(self.written) + op.writes)
            learn_search(self.tools, op, outcome.data)
        if not op.writes:
            self._seen[key] = outcome
        elif outcome.ok:
            self._seen.clear()
            self.written.append((op, arguments, outcome.data))
        return outcome

    def pick(self, scored: Sequence[tuple[float, T]]) -> T:
        """Pick one of several, the better ones more often; at temperature 0 always the first of the best."""
        best = max(score for score, _ in scored)
        if self.temperature <= 0:
            return next(one for score, one in scored if score == best)
        weights = [exp(max(-40.0, (score - best) / self.temperature)) for score, _ in scored]
        return self.stream.weighted([one for _, one in scored], weights)
