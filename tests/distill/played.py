"""Runs for tests of distilling: agents that follow the key as far as a test wants them to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldwright.agents.chat import Message, Tool, call, get_submit_name, make_text_message
from worldwright.agents.protocol import Agent, AgentUnavailable, Brief, fingerprint
from worldwright.core.canonical import digest
from worldwright.engine.world import World
from worldwright.rollout.episode import EpisodeSetup, Openings, make_opening, play
from worldwright.rollout.read import OPENINGS, RUN, TRAJECTORIES, Run, open_run
from worldwright.rollout.records import Episode, EpisodeKey, Limits, Opening, episode_digest, episode_line
from worldwright.world.tasks import Key

Step = Message | tuple[str, Mapping[str, Any]] | None
Script = Callable[[Key, str], Sequence[Step]]
"""From the key and the name of the submit tool to what is done: messages, calls, or None for an agent that cannot be reached."""


class Scripted:
    """An agent that does what a test says."""

    sees_key = True

    def __init__(self, name: str, script: Script) -> None:
        self.name = name
        self.identity: Mapping[str, Any] = {}
        self._script = script

    def begin(self, brief: Brief) -> _Acting:
        assert brief.key is not None
        return _Acting(brief.key, self._script)


class _Acting:
    def __init__(self, key: Key, script: Script) -> None:
        self._key, self._script, self._next = key, script, 0

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        steps = self._script(self._key, get_submit_name(tools))
        step = steps[self._next] if self._next < len(steps) else make_text_message("I am through.")
        self._next += 1
        if step is None:
            raise AgentUnavailable("nobody there")
        return call(*step, messages) if isinstance(step, tuple) else step


def gold(key: Key, submit: str) -> list[Step]:
    """The right way."""
    return [*((c.tool, c.arguments) for c in key.calls), (submit, key.answer or {})]


def wrong_answer(key: Key, submit: str) -> list[Step]:
    """Everything right but the answer."""
    return [*gold(key, submit)[:-1], (submit, {})]


def chatty(key: Key, submit: str) -> list[Step]:
    """The right calls in other words, and the wrong answer."""
    steps = [
        call(*s, (), "because") | {"content": "Let me see."} for s in gold(key, submit)[:-1] if isinstance(s, tuple)
    ]
    return [*steps, (submit, {})]


def record(
    world: World, agent: Agent, folder: Path, tasks: Iterable[str] = (), attempts: int = 1, limits: Limits | None = None
) -> Run:
    """Play a run into a folder."""
    env, openings, episodes = world.env(), Openings(), []
    for attempt in range(1, attempts + 1):
        for task in tasks or [t.id for t in world.tasks]:
            key = digest([world.digest, task, attempt, agent.name])[:16]
            setting = EpisodeSetup(
                key,
                EpisodeKey(world.digest, task, attempt),
                world.name,
                "default-7",
                "plain",
                attempt,
                fingerprint(agent),
            )
            episodes.append(play(env, agent, setting, limits or Limits(), openings))
    return write_run(folder, episodes, openings.by_id.values(), agent.name)


def write_run(folder: Path, episodes: Iterable[Episode], openings: Iterable[Opening], agent: str) -> Run:
    folder.mkdir(parents=True)
    config = {"gym": "town_library", "agent": {"spec": agent, "name": agent}, "seed": 0, "attempts": 1}
    (folder / RUN).write_text(json.dumps(config))
    lines = [json.dumps({"id": o.id, "system": o.system, "tools": list(o.tools)}) for o in openings]
    (folder / OPENINGS).write_text("".join(f"{line}\n" for line in lines))
    (folder / TRAJECTORIES).write_bytes(b"".join(episode_line(e) + b"\n" for e in episodes))
    return open_run(folder)


def changed(episode: Episode, **parts: Any) -> Episode:
    """The episode with other parts, and a digest that fits."""
    other = replace(episode, **parts)
    return replace(other, digest=episode_digest(other.data()))


def elsewhere(run: Run, folder: Path, domain: str) -> Run:
    """The same run as if it had been played in another domain: other world, other handbook, other requests."""
    openings = {k: make_opening(f"{o.system}\n\nThis is {domain}.", o.tools) for k, o in run.openings.items()}
    episodes = []
    for e in run.episodes():
        first, *rest = e.messages
        asked = {**first, "content": f"{first['content']}\nIn {domain}, please."}
        episodes.append(
            changed(
                e, id=digest([e.id, domain])[:16], domain=domain, world=digest([e.world, domain]),
                opening=openings[e.opening].id, messages=(asked, *rest),
            )
        )  # fmt: skip
    return write_run(folder, episodes, openings.values(), next(iter(episodes)).agent)
