"""An episode step by step: what each call changed, and which assertions of the verdict held after it.

The record of an episode has its calls, their results and changes, and the verdict at the end. What held in between follows from
playing the calls again, and from judging after each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from worldwright.agents import chat
from worldwright.core.errors import UsageError
from worldwright.engine.env import Env
from worldwright.engine.limits import Limits as EngineLimits
from worldwright.engine.world import World
from worldwright.rollout.episode import render_diff, render_others_call
from worldwright.rollout.read import Run
from worldwright.rollout.records import Episode, Limits
from worldwright.rollout.replay import list_replies
from worldwright.world.records import Result
from worldwright.world.tasks import Assertion, Verdict


@dataclass(frozen=True, slots=True)
class PlayedStep:
    """One call of an episode, and how things stood after it."""

    number: int
    """From 1."""
    message: int
    """Of the messages of the episode, the one in which it was called."""
    call: str
    """The id of the call in that message."""
    tool: str
    """As the agent called it."""
    arguments: Any
    result: Mapping[str, Any]
    """As the agent saw it."""
    clock: str
    diff: Mapping[str, Any]
    """What it changed."""
    others: tuple[Mapping[str, Any], ...]
    """What others did meanwhile."""
    broken: tuple[str, ...]
    """Rules of the handbook that it broke."""
    verdict: Verdict
    """The episode, judged as if it had ended here."""
    submits: bool = False

    @property
    def held(self) -> dict[str, bool]:
        return {a.name: a.ok for a in self.verdict.assertions}


@dataclass(frozen=True, slots=True)
class PlayedEpisode:
    steps: tuple[PlayedStep, ...]
    before: Verdict
    """Judged before the first call."""
    differs: tuple[int, ...]
    """The steps whose result was another one than the record has."""

    def find_decided(self) -> dict[str, int]:
        """By assertion, after which step it was as it is at the end, and stayed so; 0 where it was so from the beginning."""
        states = [{a.name: a.ok for a in self.before.assertions}, *(step.held for step in self.steps)]
        out = {}
        for name, last in states[-1].items():
            at = len(states) - 1
            while at and states[at - 1].get(name) == last:
                at -= 1
            out[name] = at
        return out


def step_through(world: World, episode: Episode, limits: Limits) -> PlayedEpisode:
    """Play the calls of an episode again in its world, and judge after each."""
    env = open_env(world, episode, limits)
    try:
        before = env.verify()
        steps: list[PlayedStep] = []
        differs: list[int] = []
        others = rules = 0
        for (at, one), recorded in zip_longest(_list_calls(episode), _list_results(episode)):
            clock = env.agent.clock()
            result = make_call(env, episode, one)
            if result is None:
                continue
            new, broken = env.list_others(others), env.violations()[rules:]
            others, rules = others + len(new), rules + len(broken)
            step = PlayedStep(
                len(steps) + 1, at, one.id, one.name, one.arguments, result.payload(), clock,
                {table: render_diff(found) for table, found in env.diff_since_last().items()},
                tuple(map(render_others_call, new)), tuple(dict.fromkeys(policy for policy, _, _ in broken)), env.verify(),
                one.name == chat.get_tool_name(episode.submit),
            )  # fmt: skip
            steps.append(step)
            if recorded is not None and chat.make_result_message(one, result).get("content") != recorded:
                differs.append(step.number)
        return PlayedEpisode(tuple(steps), before, tuple(differs))
    finally:
        env.close()


def find_episode(run: Run, start: str) -> Episode:
    """The episode of a run whose id starts so."""
    found = [episode for episode in run.episodes() if episode.id.startswith(start)] if start else []
    if len(found) != 1:
        what = "no episode" if not found else f"{len(found)} episodes"
        raise UsageError(f"{run.folder} has {what} with an id that starts with {start[:40]!r}; name one")
    return found[0]


def steps_data(episode: Episode, played: PlayedEpisode) -> dict[str, Any]:
    """An episode step by step, as JSON has it."""
    return {
        "id": episode.id,
        "task": episode.task,
        "status": episode.status,
        "outcome": episode.outcome,
        "differs": list(played.differs),
        "decided": played.find_decided(),
        "before": played.before.data(),
        "steps": [
            {
                "number": one.number,
                "tool": one.tool,
                "arguments": one.arguments,
                "result": dict(one.result),
                "clock": one.clock,
                "diff": dict(one.diff),
                "others": list(one.others),
                "broken_rules": list(one.broken),
                "verdict": one.verdict.data(),
            }
            for one in played.steps
        ],
    }


def play_until(world: World, episode: Episode, limits: Limits, step: int) -> Env:
    """Play the first so many calls of an episode again, and hand over the environment as it stands then."""
    env = open_env(world, episode, limits)
    made = 0
    for _, one in _list_calls(episode):
        if made >= step:
            break
        made += make_call(env, episode, one) is not None
    return env


def open_env(world: World, episode: Episode, limits: Limits) -> Env:
    """Open an environment as the episode had it, at its beginning."""
    if world.digest != episode.world:
        raise UsageError("the episode is of another world")
    replies = iter(list_replies(episode))
    env = world.env(EngineLimits(calls=limits.calls), episode.face, word=lambda script, voice: next(replies, None))
    env.reset(episode.task)
    return env


def make_call(env: Env, episode: Episode, one: chat.ToolCall) -> Result | None:
    """Make a call as the agent made it; None where it never reached the world, because nobody could read it."""
    if one.problem:
        return None
    if one.name == chat.get_tool_name(episode.submit):
        return env.submit(one.arguments)
    return env.call_tool(one.name, one.arguments)


def _list_calls(episode: Episode) -> list[tuple[int, chat.ToolCall]]:
    """Every call with the number of its message, those that nobody could read among them."""
    return [
        (at, one)
        for at, message in enumerate(episode.messages)
        if message.get("role") == "assistant"
        for one in chat.parse_tool_calls(message)  # type: ignore[arg-type]
    ]


def _list_results(episode: Episode) -> list[Any]:
    """What every call came to, in the order of the calls: the last ones may have come to nothing, because the episode was over."""
    return [m.get("content") for m in episode.messages if m.get("role") == "tool"][: len(_list_calls(episode))]


def name_assertions(played: PlayedEpisode) -> list[Assertion]:
    """The assertions of the verdict at the end, in its order."""
    return list(played.steps[-1].verdict.assertions if played.steps else played.before.assertions)
