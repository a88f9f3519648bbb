"""Tasks, keys and verdicts: what is asked, what is known of the answer, what came of it. Records only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from worldwright.world.records import Call


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that a requester keeps until they are asked for it."""

    name: str
    kind: str
    """record, reference, person, place, date, money, count, choice, reason or text"""
    called: tuple[str, ...]
    """What people call it."""
    says: str
    """What the requester answers."""
    asked: tuple[str, ...] = ()
    """Examples of how one asks for it."""
    thinks: str = ""
    """What they believe it to be, wrongly: they say so until somebody doubts it or asks again. Empty where they know."""


@dataclass(frozen=True, slots=True)
class Act:
    """Something that the requester does with their own hands when they are asked to: a call that is made in their name."""

    name: str
    called: tuple[str, ...]
    """What they do, as people say it: `restart the router`."""
    asked: tuple[str, ...]
    """Examples of how one asks for it."""
    tool: str
    arguments: Mapping[str, Any]
    says: str
    """What they report of it, with parts of what the call gave in braces."""


@dataclass(frozen=True, slots=True)
class Requester:
    """Whoever made a request, as they answer under the face `asking`."""

    voice: str
    facts: tuple[Fact, ...]
    acts: tuple[Act, ...] = ()
    changes: tuple[str, ...] = ()
    """What they think better of: said one after the other, each with the next reply that tells or does something."""
    patience: int = 0
    """The number of useless messages with which they leave; 0 where they never do."""


@dataclass(frozen=True, slots=True)
class Task:
    """What an agent is asked to do. Nothing in it gives the answer away."""

    id: str
    family: str
    """walk, program, policy or repair"""
    instruction: str
    role: str
    actor: str
    """The id of the person the agent acts as."""
    persona: str
    """Who asks."""
    form: str
    """message, mail or ticket"""
    answer_schema: Mapping[str, Any]
    features: Mapping[str, Any] = field(default_factory=dict)
    """Difficulty, measured."""
    turns: tuple[str, ...] = ()
    """The same request in pieces: what is said first, and what is added each time the requester is asked whether there is more.
    Empty where it cannot be taken apart."""
    requester: Requester | None = None
    """What the first piece leaves out, and who answers for it."""


@dataclass(frozen=True, slots=True)
class Key:
    """The controller's side of a task. It never reaches an agent."""

    task: str
    calls: tuple[Call, ...]
    """The gold trajectory: one witness, not the definition of success."""
    answer: Any
    expects: Mapping[str, Any]
    """What the kind's verifier checks, as data."""
    program: str = ""
    """The witness as a readable program over the tools."""
    provenance: tuple[Mapping[str, str], ...] = ()
    """Where each demanded value comes from."""


class Assertion(NamedTuple):
    """One thing that must hold."""

    name: str
    ok: bool
    expected: Any = None
    found: Any = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an episode came to. A broken backend is `error` and has no reward."""

    status: str
    """pass, fail or error"""
    assertions: tuple[Assertion, ...] = ()
    reason: str = ""

    @property
    def reward(self) -> float | None:
        return {"pass": 1.0, "fail": 0.0}.get(self.status)

    def data(self) -> dict[str, Any]:
        out: dict[str, Any] = {"status": self.status, "reward": self.reward}
        out["assertions"] = [a._asdict() for a in self.assertions]
        if self.reason:
            out["reason"] = self.reason
        return out
