"""A world and a gym, opened: what programs hold in their hands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, overload

from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.engine import requester
from worldwright.engine.contract import Contract, tool_spec
from worldwright.engine.env import Env
from worldwright.engine.episode import Episode
from worldwright.engine.faces import open_through
from worldwright.engine.limits import Limits
from worldwright.engine.replay import replay_calls
from worldwright.engine.requester import Word
from worldwright.engine.surface import SURFACES
from worldwright.engine.tasks import TaskBook
from worldwright.world.manifest import Manifest
from worldwright.world.protocol import Runtime
from worldwright.world.records import Observation, ToolSpec, Trajectory
from worldwright.world.tasks import Key, Task, Verdict


class World:
    """One opened pack."""

    def __init__(
        self, manifest: Manifest, runtime: Runtime, book: TaskBook | None = None, contract: Contract | None = None
    ) -> None:
        self.manifest = manifest
        self.runtime = runtime
        self.book = book or TaskBook({})
        self.contract = contract
        """The API whose tools these are, where the world was made from one."""
        self._idle: dict[tuple[str, Limits], list[Env]] = {}

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def digest(self) -> str:
        return self.manifest.digest

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        inside = self.runtime.tools
        if self.contract is None:
            return tuple(inside.values())
        return tuple(tool_spec(tool, inside[tool.operation]) for tool in self.contract.tools.values())

    @property
    def tasks(self) -> tuple[Task, ...]:
        return self.book.tasks()

    def key(self, task_ref: str | int) -> Key:
        """The key of a task: gold calls and answer. For the controller only."""
        return self.book.key(task_ref)

    @property
    def roles(self) -> tuple[str, ...]:
        return self.runtime.roles

    @property
    def handbook(self) -> str:
        return self.runtime.handbook

    def env(
        self,
        limits: Limits | None = None,
        face: str = "plain",
        faults: Mapping[str, Sequence[str]] | None = None,
        word: Word | None = None,
    ) -> Env:
        """A new environment over this world. Open a world once, make as many of these as you like.

        `face` is how a task is shown: plain, or any of crowded (everybody's tools), obscured (names that say nothing) and asking
        (a request in pieces) joined by `_`. `faults` are error statuses that tools of a contract answer first, one a call, before
        they work again: `{"createOrder": ["503", "429"]}`. `word` gives other words for what a requester says, which are taken
        where they say the same.
        """
        return Env(self.runtime, self.digest, limits, self.book, face, self.contract, faults, word)

    @overload
    def open(self, task_ref: str | int, *, face: Literal["app", "app_asking"], limits: Limits | None = None) -> Any: ...
    @overload
    def open(self, task_ref: str | int, *, face: str = "plain", limits: Limits | None = None) -> Episode: ...
    def open(self, task_ref: str | int, *, face: str = "plain", limits: Limits | None = None) -> Any:
        """Begin an episode. Environments of closed episodes are used again: a reset costs less than an opening.

        A face that another package brings, such as `app`, gives an episode of its own kind: see `worldwright.engine.faces`.
        """
        if face not in SURFACES:
            return open_through(self, task_ref, face, limits)
        kind = (face, limits or Limits())
        idle = self._idle.setdefault(kind, [])
        try:
            env = idle.pop()
        except IndexError:
            env = self.env(kind[1], face)
        return Episode(env, task_ref, lambda env: idle.append(env) if _worth_keeping(env, idle) else env.close())

    def judge(self, log: Trajectory) -> Verdict:
        """The verdict on a logged episode, by playing its calls again: nothing that the log says of results is believed."""
        asked = any(requester.is_asked(step, self.runtime.tools) for step in log.steps)
        env = Env(
            self.runtime, self.digest, Limits(calls=len(log.steps) + 1), self.book, "asking" if asked else "plain"
        )
        try:
            replay_calls(env, log)
            return env.verify()
        finally:
            env.close()


MAX_IDLE_ENVS = 64
"""Environments that a world keeps for later episodes: half a megabyte each."""


def _worth_keeping(env: Env, idle: Sequence[Env]) -> bool:
    return not env.broken and len(idle) < MAX_IDLE_ENVS


class Gym:
    """A family of variants under one name."""

    def __init__(self, name: str, variants: Mapping[str, Callable[[], World]]) -> None:
        self.name = name
        self._open = dict(variants)
        self._worlds: dict[str, World] = {}

    @property
    def variants(self) -> tuple[str, ...]:
        return tuple(self._open)

    def world(self, variant_ref: str) -> World:
        if variant_ref not in self._open:
            raise UsageError(f"{self.name} has no variant {variant_ref!r}; {suggest(variant_ref, self._open)}")
        if variant_ref not in self._worlds:
            self._worlds[variant_ref] = self._open[variant_ref]()
        return self._worlds[variant_ref]

    def env(self, limits: Limits | None = None) -> GymEnv:
        return GymEnv(self, limits)


class GymEnv:
    """An environment that can start in any variant of a gym."""

    def __init__(self, gym: Gym, limits: Limits | None) -> None:
        self._gym = gym
        self._limits = limits
        self._envs: dict[str, Env] = {}
        self._current: Env | None = None

    def reset(self, variant_ref: str, task_ref: str | int | None = None, *, role: str | None = None) -> Observation:
        """The same as `Env.reset` on the variant's world."""
        if variant_ref not in self._envs:
            self._envs[variant_ref] = self._gym.world(variant_ref).env(self._limits)
        self._current = self._envs[variant_ref]
        return self._current.reset(task_ref, role=role)

    def __getattr__(self, name: str) -> Any:
        if self._current is None:
            raise UsageError("reset the environment first")
        return getattr(self._current, name)
