"""BrowserGym: tasks of a gym as web tasks, done by an agent in a browser that sees pages and no tools.

    ids = register_tasks("hotel_booking")
    env = gymnasium.make("browsergym/worldwright.hotel_booking.task_007")

The goal is the request with the handbook; the start page is that of the app. The episode ends when the answer is submitted on the
page `Finish`, and the reward is the verdict.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
from browsergym.core.registration import register_task
from browsergym.core.task import AbstractBrowserTask

from worldwright.adapters.rows import GYM, TASK, VARIANT, open_row_gym, open_row_world, render_verdict
from worldwright.app.face import AppEpisode, open_app_episode
from worldwright.app.oracle import ClickOracle
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.engine.limits import Limits

PREFIX = "worldwright"
TIMEOUT_MS = 10_000


class WorldTask(AbstractBrowserTask):
    """One task of a world, in its app. The seed decides nothing: a task of a sealed world is always the same."""

    def __init__(
        self, seed: int | None, gym: str, variant: str, task: str, face: str = "app", calls: int = Limits().calls,
        handbook: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(seed or 0)
        self.slow_mo = 0
        self.timeout = TIMEOUT_MS
        self.locale, self.timezone_id = "en-US", "UTC"
        self._row = {GYM: gym, VARIANT: variant, TASK: task}
        name, _, rest = face.partition("_")
        if name != "app":
            raise UsageError(
                f"BrowserGym plays the app of a world: face={face[:40]!r} is none of app, app_asking, app_crowded"
            )
        self._face, self._limits, self._handbook = rest or "plain", Limits(calls=calls), handbook
        self.episode: AppEpisode | None = None
        """What runs beneath, for whoever wants its log or its state."""

    @classmethod
    def get_task_id(cls) -> str:
        return PREFIX

    def setup(self, page: Any) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """Begin the episode and go to its first page. From here on the browser reaches nothing else."""
        world = open_row_world(self._row)
        self.episode = episode = open_app_episode(world, self._row[TASK], self._face, self._limits)
        episode.confine(page.context)
        page.goto(episode.url, timeout=TIMEOUT_MS)
        said = episode.messages if self._handbook else episode.messages[1:]
        goal = [{"type": "text", "text": message["content"]} for message in said]
        return goal, {**self._row, "world": world.digest, "family": episode.task.family}

    def validate(self, page: Any, chat_messages: list[Any]) -> tuple[float, bool, str, dict[str, Any]]:
        """The verdict, once the answer was submitted or no more calls are allowed; until then nothing."""
        episode = self._running()
        if not episode.done:
            return 0.0, False, "", {"calls": episode.calls}
        verdict = episode.verify()
        info = {"calls": episode.calls, "submitted": episode.session.submitted, "verdict": render_verdict(verdict)}
        if verdict.reward is None:
            return 0.0, True, "", {**info, "error": verdict.reason}
        return verdict.reward, True, "", info

    def cheat(self, page: Any, chat_messages: list[Any]) -> None:
        """Do the task as the oracle does: by clicking, with the key."""
        session = self._running().session
        key = session.episode.env.key()
        ClickOracle(page, session.screens, session.looks).play(key, key.calls, self._running().task)

    def teardown(self) -> None:
        episode, self.episode = self.episode, None
        if episode is not None:
            episode.close()

    def _running(self) -> AppEpisode:
        if self.episode is None:
            raise UsageError("set the task up first")
        return self.episode


def register_tasks(
    ref: str, name: str = "", variants: Sequence[str] | None = None, tasks: Sequence[str] | None = None, **options: Any
) -> tuple[str, ...]:
    """Register tasks of a gym (a name in the store, a folder of packs) and say under which ids.

    `name` stands in the ids; left out, what the gym is called. With several variants theirs stands there too. Options go to
    `WorldTask`: face, calls, handbook."""
    gym = open_row_gym(ref)
    chosen = tuple(variants or gym.variants)
    for variant in chosen:
        if variant not in gym.variants:
            raise UsageError(f"{ref} has no variant {variant!r}; {suggest(variant, gym.variants)}")
    called = _clean(name or Path(ref).name.removesuffix(":latest"))
    ids = []
    for variant in chosen:
        known = gym.world(variant).book.ids
        for task in tasks or known:
            if task not in known:
                raise UsageError(f"{ref} ({variant}) has no task {task!r}; {suggest(task, known)}")
            middle = f"{called}.{_clean(variant)}" if len(chosen) > 1 else called
            ids.append(
                _register(f"{PREFIX}.{middle}.{task}", {"gym": ref, "variant": variant, "task": task, **options})
            )
    return tuple(ids)


def _register(id: str, kwargs: dict[str, Any]) -> str:
    """Register a task once; the same id for another task takes its place."""
    full = f"browsergym/{id}"
    gymnasium.registry.pop(full, None)
    register_task(id, WorldTask, task_kwargs=kwargs, nondeterministic=False)
    return full


def _clean(name: str) -> str:
    return re.sub(r"[^\w.-]", "-", name)
