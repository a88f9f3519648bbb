"""A gym in TRL: what `GRPOTrainer(environment_factory=...)` takes, and the rows of the dataset that goes with it.

    trainer = GRPOTrainer(
        model=..., train_dataset=Dataset.from_list(dataset_rows("town_library")),
        environment_factory=environment_factory("town_library"),
    )

TRL reads tools off the methods of an environment. What a role may call makes a class; the method that takes the answer differs
from task to task, so each instance has its own. A row names in its column `environment` one that has the tools of its task.
TRL itself is not imported here.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from types import MethodType
from typing import Any, NamedTuple

from worldwright.adapters.names import rename_tools
from worldwright.adapters.rows import GYM, TASK, VARIANT, list_rows, open_row, open_row_world
from worldwright.adapters.signatures import make_method
from worldwright.agents.chat import encode
from worldwright.core.canonical import digest
from worldwright.core.errors import EpisodeError, UsageError
from worldwright.engine.episode import Episode
from worldwright.engine.limits import Limits
from worldwright.world.records import ToolSpec

ENVIRONMENT = "environment"
"""The column by which TRL finds the environment of a row."""
RESERVED = frozenset({"reset", "get_reward"})
CHECKED_TASKS = (1, 16), (1, 16)
"""The oldest and the newest release of TRL that this was tried with."""
Factory = Callable[[], "Environment"]
Release = tuple[int, int]


def dataset_rows(
    gym: str, variants: Iterable[str] | None = None, tasks: Iterable[str] | None = None, face: str = "plain"
) -> list[dict[str, Any]]:
    """A row for every task of a gym, as `Dataset.from_list` takes them. No row holds a key."""
    found = list(list_rows(gym, variants, tasks, face))
    for row in found:
        with open_row(row, face) as episode:
            row[ENVIRONMENT] = _assign_class_names(row, episode, face)[1]
    return found


def environment_factory(
    gym: str,
    variants: Iterable[str] | None = None,
    tasks: Iterable[str] | None = None,
    face: str = "plain",
    limits: Limits | None = None,
) -> dict[str, Factory]:
    """The environments that the rows of a gym name, in TRL's dict form: for several gyms, join them with `|`."""
    check_release("trl", *CHECKED_TASKS, extra="train")
    found: dict[str, Factory] = {}
    for row in dataset_rows(gym, variants, tasks, face):
        found.setdefault(row[ENVIRONMENT], partial(environment, row[GYM], row[VARIANT], row[TASK], face, limits))
    return found


def environment(gym: str, variant: str, task: str, face: str = "plain", limits: Limits | None = None) -> Environment:
    """A new environment for this task and all others that offer the same tools. It is to be reset with a row."""
    design = _design(gym, variant, task, face)
    return design.kind(design, limits)


class Environment:
    """One episode at a time. TRL takes every public method for a tool, but for the two that it calls itself."""

    _episode: Episode | None = None
    _failed = False

    def __init__(self, design: EnvironmentDesign, limits: Limits | None) -> None:
        self._design, self._limits = design, limits
        self.__dict__[design.submit.__name__] = MethodType(design.submit, self)

    def reset(self, **row: Any) -> str | None:
        """Begin the episode of a row. What the agent is told comes back only where no `prompt` of the row says it."""
        if self._episode is not None:
            self._episode.close()
            self._episode = None
        episode = open_row(row, self._design.place[-1], self._limits)
        if _list_tool_texts(episode.tools) != self._design.looks:
            raise UsageError(f"{row[TASK]} has other tools than this environment: its row names the right one")
        self._episode, self._failed = episode, False
        return None if "prompt" in row else "\n\n".join(m["content"] for m in episode.messages)

    def get_reward(self) -> float | None:
        """Return what the verifier says. None where the environment failed: TRL leaves such an episode out of its group."""
        return None if self._failed else get_episode(self).verify().reward

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is in no episode: it has to be reset."""
        return environment, (*self._design.place, self._limits)


def get_episode(environment: Environment) -> Episode:
    """The episode that an environment is in, for reward functions that look at more than the verdict."""
    if environment._episode is None:
        raise EpisodeError("reset the environment first")
    return environment._episode


class EnvironmentDesign(NamedTuple):
    """What environments of one name have in common."""

    place: tuple[str, str, str, str]
    """Gym, variant, task and face that the tools come from: enough to make it again in another process."""
    looks: tuple[tuple[str, str, Mapping[str, Any]], ...]
    kind: type[Environment]
    submit: Callable[..., str]


_kinds: dict[str, type[Environment]] = {}


@lru_cache(maxsize=4096)
def _design(gym: str, variant: str, task: str, face: str) -> EnvironmentDesign:
    row = {GYM: gym, VARIANT: variant, TASK: task}
    with open_row(row, face) as episode:
        name, offered = _assign_class_names(row, episode, face)[0], episode.tools
    tools, real = rename_tools(offered, RESERVED)
    methods = [make_method(tool, partial(_call, real[tool.name])) for tool in tools]
    kind = type(name, (Environment,), {"__module__": __name__, **{one.__name__: one for one in methods}})
    return EnvironmentDesign(
        (gym, variant, task, face), _list_tool_texts(offered), _kinds.setdefault(name, kind), methods[-1]
    )


def _assign_class_names(row: dict[str, Any], episode: Episode, face: str) -> tuple[str, str]:
    """Name the class that has the tools of an episode, and the environment. They say the same in every process."""
    *tools, ending = _list_tool_texts(episode.tools)
    kind = f"{open_row_world(row).name}_{episode.task.role}_{digest([face, tools])[:6]}"
    return kind, f"{kind}_{digest(ending)[:6]}"


def _list_tool_texts(tools: Sequence[ToolSpec]) -> tuple[tuple[str, str, Mapping[str, Any]], ...]:
    """List what a model is told of tools: names, descriptions and schemas."""
    return tuple((tool.name, tool.description, tool.input_schema) for tool in tools)


def _call(name: str, environment: Environment, arguments: dict[str, Any]) -> str:
    episode = environment._episode or get_episode(environment)
    failed, environment._failed = environment._failed, True  # TRL tells the model of an exception, and goes on
    text = encode(episode.call(name, arguments).payload())
    environment._failed = failed
    return text


def check_release(package: str, oldest: Release, newest: Release, extra: str) -> None:
    """Refuse a release that is too old, warn of one that is newer than any that was tried. Not installed is no fault."""
    try:
        found = version(package)
    except PackageNotFoundError:
        return
    number = re.match(r"(\d+)\.(\d+)", found)
    release = (int(number[1]), int(number[2])) if number else newest
    if release < oldest:
        wanted = ".".join(map(str, oldest))
        raise UsageError(f"{package} {found} is too old, {wanted} is needed: pip install 'worldwright[{extra}]'")
    if release > newest:
        tried = ".".join(map(str, newest))
        warnings.warn(f"{package} {found} is newer than {tried}, the newest that was tried", stacklevel=3)
