"""A gym in SkyRL: a text environment of `skyrl_gym`. The rows of the dataset that goes with it come from `text_rows`.

    skyrl_gym.register(id="worldwright", entry_point="worldwright.adapters.skyrl:WorldTextEnv")

SkyRL hands over what the model wrote and takes messages back. Tools stand in the system message and calls in `<tool_call>`
tags, so any model can be trained, whatever its chat template knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from worldwright.adapters.rows import open_row
from worldwright.adapters.text_rows import ROW
from worldwright.agents import tool_call_text
from worldwright.engine.episode import Episode

MAX_TURNS = 20
"""Replies of the model in one episode, unless a row says otherwise (`max_turns`)."""


class WorldTextEnv(BaseTextEnv):
    """One episode. The verdict is the reward of the last step."""

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        given = dict(extras or {})
        self.max_turns = int(given.get("max_turns") or MAX_TURNS)
        self._row = {name: given[name] for name in ROW if given.get(name) is not None}
        self._face = str(given.get("face") or "plain")
        self._episode: Episode | None = None
        self._no_verdict = False

    def init(self, prompt: Any) -> tuple[Any, dict[str, Any]]:
        self.close()
        self._episode, self.turns = open_row(self._row, self._face), 0
        self._no_verdict = False
        return prompt, {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        assert self._episode is not None, "init comes before step"
        self.turns += 1
        text, submitted, over = tool_call_text.take_turn(self._episode, action)
        done = submitted or over or self.turns >= self.max_turns
        if not done:
            told = [{"role": "user", "content": text}]
            return BaseTextEnvStepOutput(observations=told, reward=0.0, done=False, metadata={})
        verdict = self._episode.verify()
        # Without a verdict there is nothing to learn. SkyRL takes a number from every episode and can leave none out: an exception
        # would end the whole batch. So the reward is 0, and the metrics that SkyRL logs say how often that was.
        self._no_verdict = verdict.reward is None
        said = {"status": verdict.status, "no_verdict": float(self._no_verdict)}
        return BaseTextEnvStepOutput(observations=[], reward=verdict.reward or 0.0, done=True, metadata=said)

    def get_metrics(self) -> dict[str, Any]:
        """Return what SkyRL averages over episodes: `no_verdict` is the share in which the world failed, which must be 0."""
        return {"no_verdict": float(self._no_verdict)}

    def close(self) -> None:
        if self._episode is not None:
            self._episode.close()
            self._episode = None
