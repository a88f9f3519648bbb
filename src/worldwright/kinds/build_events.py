"""What a build tells while it goes on. Whoever watches hears these records; none of them changes what is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class StageBegun:
    stage: str


@dataclass(frozen=True, slots=True)
class StageEnded:
    """A stage did something. One that had nothing to do begins and does not end."""

    stage: str
    figures: str
    """The line that a person sees."""


@dataclass(frozen=True, slots=True)
class RowsGrown:
    """How many rows each table has by now."""

    reached: str
    """The month that history has come to; `base` before it, `mess` after it."""
    rows: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class GraphProposed:
    """The tools and the links between them that runs will look for."""

    tools: Mapping[str, str]
    """Each with its sub-domain."""
    changing: Sequence[str]
    """The tools that change something."""
    links: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class LinkProven:
    """A value passed from one tool to another."""

    source: str
    target: str
    kind: str
    """value or effect"""
    input: str


@dataclass(frozen=True, slots=True)
class TaskFound:
    """A candidate that is kept for now."""

    family: str
    goal: str
    asks: str


@dataclass(frozen=True, slots=True)
class TaskLeftOut:
    reason: str
    goal: str = ""
    after_all: bool = False
    """Whether it had been kept for now."""


@dataclass(frozen=True, slots=True)
class TaskTried:
    """The battery went through one task."""

    task: str
    family: str
    asks: str
    cells: Mapping[str, Sequence[int]]
    """By cell: rightly passed, rightly failed, false accepts, false rejects."""
    wrong: Sequence[str]
    """What was judged wrongly: then the task is left out."""
    mended: bool = False


@dataclass(frozen=True, slots=True)
class RefereeDisagreed:
    """The second judge differs from the verifier of a task, which is left out."""

    task: str
    play: str
    what: str


BuildEvent: TypeAlias = (
    StageBegun
    | StageEnded
    | RowsGrown
    | GraphProposed
    | LinkProven
    | TaskFound
    | TaskLeftOut
    | TaskTried
    | RefereeDisagreed
)
Watch: TypeAlias = Callable[[BuildEvent], None]


def unwatched(event: BuildEvent) -> None:
    """Hear an event and do nothing with it."""
