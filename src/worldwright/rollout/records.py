"""What is kept of an episode, and of a run.

A run is a folder:

    run.json             what was run: worlds by digest, tasks, attempts, agent, limits, seed
    openings.jsonl       what episodes start with, once for each role of a world: {"id", "system", "tools"}
    trajectories.jsonl   one episode a line, in the order of the plan

A line is an `Episode` as JSON. Its `messages` begin with the request; the system message and the tools stand in the opening that
it names, because thousands of episodes share one. `digest` covers everything but what a clock measured, so two runs of the
same plan by the same deterministic agent have the same digests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from pydantic_core import to_json

from worldwright.core.canonical import sha256

FORMAT = 1
OUTCOMES = ("submitted", "turns", "calls", "output", "time", "silent", "error")
"""How an episode ended: with an answer; at a limit (turns, calls, output, time); because the agent would not act; or because
something failed that is not the agent's (`error`, which has no reward)."""
_MEASURED = ("timing", "digest")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one episode may take."""

    turns: int = 60
    """Messages of the agent."""
    calls: int = 100
    """Tool calls, the one that submits apart."""
    output: int = 200_000
    """Characters that the agent writes: words, thoughts and arguments."""
    seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class EpisodeKey:
    """One episode of a plan."""

    world: str
    """The digest of its world."""
    task: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Opening:
    """What episodes of one role start with."""

    id: str
    system: str
    tools: tuple[Mapping[str, Any], ...]
    """In the chat format; without the tool that submits, which every task has of its own."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One line of `trajectories.jsonl`."""

    id: str
    """Of the spot in the plan: world, task, attempt, agent, seed, face, wording."""
    domain: str
    """The name of the world: `hotel_booking`."""
    variant: str
    world: str
    """The digest of the pack."""
    task: str
    family: str
    """walk, program, policy or repair"""
    role: str
    face: str
    attempt: int
    seed: int
    """What the agent was given to draw from."""
    agent: str
    agent_id: str
    """The agent's fingerprint."""
    sees_key: bool
    opening: str
    submit: Mapping[str, Any]
    """The tool that submits, as this task has it."""
    messages: tuple[Mapping[str, Any], ...]
    """In the chat format, from the request on."""
    steps: tuple[Mapping[str, Any], ...]
    """One for each call that reached the world: {"call": id, "tool", "arguments" as the world itself has them, "clock" before it,
    "ok", "policy" where one refused it,
    "diff" where something changed: {table: {"added": {id: row}, "changed": {id: {column: [before, after]}}, "removed":
    {id: row}}}, "others" where somebody else acted meanwhile: [{"clock", "actor", "tool", "arguments", "happened":
    whether the state let it}], and "own" beside it: the part of "diff" that the call itself changed."""
    outcome: str
    submitted: bool
    answer: Any
    status: str
    """pass, fail or error"""
    reward: float | None
    """1 or 0; None where the episode has no verdict."""
    verdict: Mapping[str, Any]
    """Status, and each assertion with what was expected and found."""
    broken_rules: tuple[str, ...]
    features: Mapping[str, Any]
    """Of the task: its difficulty, measured."""
    final: str
    """The digest of what differs from the opening state at the end."""
    usage: Mapping[str, Any] = field(default_factory=dict)
    """Tokens and cost, where the agent counts them."""
    problem: str = ""
    """What failed, where the outcome is `error`."""
    format: int = FORMAT
    timing: Mapping[str, float] = field(default_factory=dict)
    """Seconds: `total`, of that in the `agent`, in the `tools`, in the `verifier`."""
    digest: str = ""

    @property
    def passed(self) -> bool:
        return self.status == "pass"

    def data(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _FIELDS}


_FIELDS = ("id", "status", *(f.name for f in fields(Episode) if f.name not in ("id", "status")))
"""In the order in which a line has them: what a reader looks for first comes first, the digest last."""


def episode_line(episode: Episode) -> bytes:
    """The episode as a line of JSON, without the line end. Its digest is made of the line itself."""
    body = _body(episode.data())
    return b'%s,"timing":%s,"digest":"%s"}' % (body[:-1], to_json(episode.timing), sha256(body).encode())


def episode_digest(data: Mapping[str, Any]) -> str:
    """The digest of everything in a line that does not depend on a clock, in the order of the line."""
    return sha256(_body(data))


def _body(data: Mapping[str, Any]) -> bytes:
    return to_json({k: v for k, v in data.items() if k not in _MEASURED}, fallback=dict)
