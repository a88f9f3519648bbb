"""Episodes played again, word for word: what the agent said is said again, and everything else has to come out the same.

So a record proves itself: results, changes, clock, verdict and reward follow from the world and from what was said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldwright.agents.chat import Message, Tool
from worldwright.agents.protocol import AgentUnavailable, Brief
from worldwright.core.canonical import canonical_json
from worldwright.core.errors import UsageError
from worldwright.engine.limits import Limits as EngineLimits
from worldwright.engine.requester import NAME as ASK
from worldwright.engine.world import World
from worldwright.rollout.episode import EpisodeSetup, Openings, play
from worldwright.rollout.read import Run
from worldwright.rollout.records import Episode, EpisodeKey, Limits, episode_digest
from worldwright.store.open import open_world

NOT_REPLAYED_OUTCOMES = ("time", "error")
"""Outcomes that do not follow from what was said: they are taken over."""


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What came of one episode."""

    episode: Episode
    differs: tuple[str, ...] = ()
    """Where the replay is another one; empty where it is the same."""

    @property
    def same(self) -> bool:
        return not self.differs


def replay_run(run: Run, ids: Sequence[str] = (), packs: Mapping[str, Path] | None = None) -> Iterator[ReplayResult]:
    """Play every episode of a run again, or those whose id starts so. `packs` are worlds by digest that lie elsewhere now."""
    worlds: dict[str, World] = {}
    openings = Openings()
    limits = Limits(**run.config["limits"])
    met = False
    for episode in run.episodes():
        if ids and not any(episode.id.startswith(start) for start in ids):
            continue
        met = True
        if episode.world not in worlds:
            worlds[episode.world] = open_world_of(run, episode.world, packs or {})
        yield replay_episode(worlds[episode.world], episode, limits, openings)
    if not met:
        raise UsageError(f"{run.folder} has no such episode: {', '.join(ids) or 'it is empty'}")


def replay_episode(world: World, episode: Episode, limits: Limits, openings: Openings) -> ReplayResult:
    """Play one episode again in its world."""
    if world.digest != episode.world:
        raise UsageError("the episode is of another world")
    replies = iter(list_replies(episode))
    env = world.env(EngineLimits(calls=limits.calls), episode.face, word=lambda script, voice: next(replies, None))
    spot = EpisodeKey(episode.world, episode.task, episode.attempt)
    setting = EpisodeSetup(
        episode.id, spot, episode.domain, episode.variant, episode.face, episode.seed, episode.agent_id,
        _find_wording(world, episode),
    )  # fmt: skip
    again = play(env, _RecordedAgent(episode), setting, limits, openings)
    env.close()
    return ReplayResult(episode, tuple(_list_differences(episode, again)))


def open_world_of(run: Run, digest: str, packs: Mapping[str, Path]) -> World:
    """Open a world that a run was played in, where it lay then or where `packs` says."""
    named = {str(w["digest"]): Path(str(w["path"])) for w in run.config.get("worlds", ())}
    path = packs.get(digest) or named.get(digest)
    if path is None:
        raise UsageError(f"{run.folder} does not say where the world {digest[:12]} lies; name its pack")
    world = open_world(path)
    if world.digest != digest:
        raise UsageError(f"the pack at {path} is another one than was played; name the pack {digest[:12]}")
    return world


def list_replies(episode: Episode) -> list[str]:
    """What the requester said, in order: a model may have worded it."""
    asked = {step["call"] for step in episode.steps if step["tool"] == ASK and step["ok"]}
    return [json.loads(str(m["content"]))["data"]["reply"] for m in episode.messages if m.get("tool_call_id") in asked]


def _find_wording(world: World, episode: Episode) -> str | None:
    """The words that stood in the place of the task's own, where they did."""
    task = world.book.task(episode.task)
    request = str(episode.messages[0].get("content"))
    if task.instruction in request or (task.turns and task.turns[0] in request):
        return None
    env = world.env(None, episode.face)
    before, _, after = str(env.reset(task.id).messages[1]["content"]).partition(task.instruction)
    env.close()
    return request.removeprefix(before).removesuffix(after)


class _RecordedAgent:
    """Says what was said."""

    waits = False

    def __init__(self, episode: Episode) -> None:
        self.name, self.sees_key = episode.agent, episode.sees_key
        self.identity: Mapping[str, Any] = {}
        self._said = [m for m in episode.messages if m.get("role") == "assistant"]
        self.usage = episode.usage
        self._left = iter(self._said)
        self._problem = episode.problem

    def begin(self, brief: Brief) -> _RecordedAgent:
        return self

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        for message in self._left:
            return message  # type: ignore[return-value]
        raise AgentUnavailable(self._problem)


def _list_differences(episode: Episode, again: Episode) -> Iterator[str]:
    """Yield the parts in which two records differ; first of all whether the record is what its own digest says."""
    was, now = episode.data(), again.data()
    if episode_digest(was) != episode.digest:
        yield "the record is not what its digest says"
    if episode.outcome in NOT_REPLAYED_OUTCOMES:
        taken = ("outcome", "problem", "status", "reward", "verdict")
        now |= {name: was[name] for name in taken if episode.outcome == "error" or name in ("outcome", "problem")}
    for name in was:
        if name not in ("timing", "digest") and canonical_json(was[name]) != canonical_json(now[name]):
            yield f"{name}: {_describe_first_difference(was[name], now[name])}"


def _describe_first_difference(was: Any, now: Any) -> str:
    """The first thing that differs, shortened."""
    if isinstance(was, (list, tuple)) and isinstance(now, (list, tuple)):
        for number, (a, b) in enumerate(zip(was, now, strict=False), start=1):
            if canonical_json(a) != canonical_json(b):
                return f"number {number} was {_shorten(a)}, is {_shorten(b)}"
        return f"there were {len(was)}, there are {len(now)}"
    return f"was {_shorten(was)}, is {_shorten(now)}"


def _shorten(value: Any) -> str:
    text = canonical_json(value).decode()
    return text if len(text) <= 120 else f"{text[:117]}..."
