"""Gymnasium: episodes of a gym as an environment whose actions and observations are text.

    env = gymnasium.make("worldwright.adapters.gymnasium:worldwright/gym-v0", gym="hotel_booking")
    env = gymnasium.make(register_gym("hotel_booking"))     # the same under an id of its own, worldwright/hotel_booking-v0

An action is one call as a JSON object with `name` and `arguments`, or a message with calls in `<tool_call>` tags. It is answered
in the form that it came in. The reward comes at the end, with the verdict.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import gymnasium
from gymnasium.spaces import Space
from pydantic_core import from_json

from worldwright.adapters.rows import GYM, TASK, VARIANT, open_row, open_row_gym, render_verdict
from worldwright.agents import chat
from worldwright.agents.tool_call_text import render_tools, take_turn
from worldwright.core.errors import UsageError
from worldwright.core.rng import Stream
from worldwright.engine.episode import Episode
from worldwright.engine.limits import Limits
from worldwright.engine.walk import Walker
from worldwright.world.records import ToolSpec

ENTRY = "worldwright.adapters.gymnasium:WorldEnv"


class AnyText(Space[str]):
    """Every text there is, JSON and all of Unicode. Samples are calls of the tools that it knows."""

    def __init__(self, tools: Sequence[ToolSpec], clock: str, seed: int | None = None) -> None:
        super().__init__(dtype=str, seed=seed)
        self._tools, self._clock = tuple(tools), clock

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A call that can be read, drawn from the schemas."""
        if mask is not None or probability is not None:
            raise UsageError("texts are not drawn with a mask")
        stream = Stream("sample", int(self.np_random.integers(2**62)))
        name, arguments = Walker(self._tools, stream, self._clock).call()
        return chat.encode({"name": name, "arguments": arguments})

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyText) and self._tools == other._tools


class WorldEnv(gymnasium.Env[str, str]):
    """One episode at a time. `reset(options={"variant": ..., "task": ...})` starts a certain one, else the seed decides."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as Gymnasium declares it
    episode: Episode | None = None
    """What runs beneath, for whoever wants its log or its state."""
    _left, _over = 0, cast(tuple[bool, bool] | None, None)

    def __init__(
        self, gym: str, variants: Sequence[str] | None = None, tasks: Sequence[str] | None = None, face: str = "plain",
        calls: int = Limits().calls, tools_in_text: bool = True,
    ) -> None:  # fmt: skip
        self._gym, self._face, self._limits, self._tools_in_text = gym, face, Limits(calls=calls), tools_in_text
        self._variants = tuple(variants or open_row_gym(gym).variants)
        self._tasks = tuple(tasks or ())
        row = {GYM: gym, VARIANT: self._variants[0], TASK: self._choices(self._variants[0])[0]}
        with open_row(row, face) as first:
            self.action_space = AnyText(first.tools, first.clock)
            self.observation_space = AnyText(first.tools, first.clock)

    def _choices(self, variant: str) -> Sequence[str]:
        found = self._tasks or tuple(task.id for task in open_row_gym(self._gym).world(variant).tasks)
        if not found:
            raise UsageError(f"{self._gym} ({variant}) has no tasks")
        return found

    def _pick(self, choices: Sequence[str]) -> str:
        return choices[int(self.np_random.integers(len(choices)))]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        wanted = dict(options or {})
        variant = wanted.pop("variant", None) or self._pick(self._variants)
        task = wanted.pop("task", None) or self._pick(self._choices(variant))
        if wanted:
            raise UsageError(f"there is no option {next(iter(wanted))!r}; known: task, variant")
        self.close()
        row = {GYM: self._gym, VARIANT: variant, TASK: task}
        self.episode = episode = open_row(row, self._face, self._limits)
        self._left, self._over = self._limits.calls, None
        in_words, as_json = _describe_tools(self._gym, variant, task, self._face)
        *said, request = (message["content"] for message in episode.messages)
        said += [in_words, request] if self._tools_in_text else [request]
        more = {"world": episode.world, "messages": list(episode.messages), "tools": from_json(as_json)}
        return "\n\n".join(said), {**row, **more}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        episode = self.episode
        if episode is None:
            raise gymnasium.error.ResetNeeded("reset the environment first")
        if self._over is not None:
            return "This episode has ended: reset the environment.", 0.0, *self._over, {}
        self._left -= 1
        text, submitted, done = take_turn(episode, action)
        if not done and self._left:
            return text, 0.0, False, False, {}
        verdict = episode.verify()
        failed = verdict.reward is None
        self._over = (submitted and not failed, failed or not submitted)
        info = {"verdict": render_verdict(verdict)}
        return text, verdict.reward or 0.0, *self._over, {**info, "error": verdict.reason} if failed else info

    def close(self) -> None:
        if self.episode is not None:
            self.episode.close()


@lru_cache(maxsize=512)
def _describe_tools(gym: str, variant: str, task: str, face: str) -> tuple[str, str]:
    """Describe the tools of a task: in words, and as JSON."""
    with open_row({GYM: gym, VARIANT: variant, TASK: task}, face) as episode:
        tools = [chat.render_tool(spec) for spec in episode.tools]
    return render_tools(tools), chat.encode(tools)


def register_gym(ref: str, id: str | None = None, **options: Any) -> str:
    """Register a gym (a name in the store, a folder of packs) and say under which id. Options go to `WorldEnv`."""
    name = re.sub(r"[^\w.-]", "-", Path(ref).name.removesuffix(":latest"))
    key, kwargs = id or f"worldwright/{name}-v0", {"gym": ref, **options}
    known = gymnasium.registry.get(key)
    if known is None or known.kwargs != kwargs:
        gymnasium.register(key, ENTRY, kwargs=kwargs)
    return key


gymnasium.register("worldwright/gym-v0", ENTRY)
