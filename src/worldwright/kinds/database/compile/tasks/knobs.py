"""Difficulty: what may be set when tasks are made, and what is measured on each of them.

Five knobs steer how tasks are made: how many there are, how things are referred to, how many goals a walk has, which phrases are
used, how many requests are such that the rules decide what is right. All the others are bounds on what was measured: a task
outside of them is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

from worldwright.core.errors import UsageError
from worldwright.core.names import suggest

LIVING: Mapping[str, str] = MappingProxyType(
    {
        "hidden": "things that the requester tells only when asked, in a conversation of its own",
        "beliefs": "of these, things that the requester is wrong about until it is doubted",
        "changes": "times that the requester changes their mind",
        "acts": "calls of the witness that only the requester makes, when asked to",
        "waits": "calls of the witness that let time pass",
        "others": "calls of others about the same things, up to the end of the witness",
        "rivals": "calls of the witness that others make impossible for who comes after them",
        "too_late": "calls of the witness that time alone makes impossible",
    }
)
"""What people and time add. A task without them has none of these."""
MEASURES: Mapping[str, str] = MappingProxyType(
    {
        "calls": "calls of the witness",
        "writes": "calls that change something",
        "goals": "goals in one request",
        "joins": "other tables one has to look into to find what is meant",
        "branches": "decisions that depend on what is found",
        "items": "rows that a loop or a list goes over",
        "policies": "handbook rules in play",
        "distractors": "rows that share something with what is meant",
        "systems": "systems involved",
        "mess": "rows of it that a mess layer has touched",
        "tools": "tools offered",
        "turns": "messages it takes the requester to say everything, one thing at a time, under the face `asking`",
        "end_states": "end states that are accepted, ids and moments aside",
        **LIVING,
    }
)
FEATURES: Mapping[str, str] = MappingProxyType(
    {
        **MEASURES,
        "reference": "the hardest way in which something is referred to",
        "held_out": "asked in words that are held out for evaluation",
        "group": "tasks of one world that are about the same things share it: keep them on one side of a split",
    }
)
"""What is measured on a task and what it means, in the order in which it is shown."""
MAX_TASKS = 60
"""Tasks of one world."""
REFERENCES = ("id", "name", "description", "relation")
"""How a thing is referred to, from the easiest to the hardest; `any` as people do."""
WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"reference": ("any", *REFERENCES), "phrases": ("any", "seen", "held_out")}
)
"""Knobs that are one of some words."""
NUMBERS = ("longest", "contrast", "most")
"""Knobs that are a number."""

_RANGE = re.compile(r"(\d{1,4})?(\.\.)?(\d{1,4})?\Z")


@dataclass(frozen=True, slots=True)
class Knobs:
    """What tasks are asked for."""

    reference: str = "any"
    longest: int = 6
    """Goals of one walk at most."""
    phrases: str = "any"
    """Which ways to ask are used: the last of each goal is held out for evaluation."""
    bounds: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """By measure, the least and the most."""
    contrast: int = 0
    """Requests, at most, that end otherwise under other rules of the same Blueprint."""
    most: int = MAX_TASKS
    """Tasks of one world. Where fewer are asked for, kinds of tasks and goals take turns, and no more is looked for."""

    def admits(self, features: Mapping[str, Any]) -> bool:
        """Return whether the measures of a task are within the bounds."""
        return all(low <= int(features.get(name, 0)) <= high for name, (low, high) in self.bounds.items())

    def options(self) -> dict[str, str]:
        """Return the knobs as a manifest keeps them: only what is not as usual."""
        usual = Knobs()
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "bounds"}
        changed = {name: str(value) for name, value in own.items() if value != getattr(usual, name)}
        return changed | {name: f"{low}..{high}" for name, (low, high) in sorted(self.bounds.items())}


PROFILES: Mapping[str, Knobs] = MappingProxyType(
    {
        "low": Knobs("id", 1, bounds={"writes": (0, 2), "goals": (1, 1), "items": (0, 4), "calls": (0, 6)}),
        "medium": Knobs(),
        "high": Knobs("relation", 3, bounds={"calls": (3, 99)}),
    }
)


def knobs(complexity: str, settings: Mapping[str, str]) -> Knobs:
    """A profile with single knobs set otherwise: `writes=2..6`, `reference=id`, `longest=2`."""
    if complexity not in PROFILES:
        raise UsageError(f"no complexity is called {complexity!r}; {suggest(complexity, PROFILES)}")
    found = PROFILES[complexity]
    changes: dict[str, Any] = {}
    bounds = dict(found.bounds)
    for name, value in settings.items():
        if name in WORDS:
            if value not in WORDS[name]:
                raise UsageError(f"{name} is one of {', '.join(WORDS[name])}, not {value!r}")
            changes[name] = value
        elif name in NUMBERS:
            changes[name] = _range(name, value)[0]
            if name == "most" and not 1 <= changes[name] <= MAX_TASKS:
                raise UsageError(f"a world has 1 to {MAX_TASKS} tasks, not {value}")
        elif name in MEASURES:
            bounds[name] = _range(name, value)
        else:
            raise UsageError(f"no knob is called {name!r}; {suggest(name, [*WORDS, *NUMBERS, *MEASURES])}")
    return replace(found, bounds=bounds, **changes)


def _range(name: str, value: str) -> tuple[int, int]:
    m = _RANGE.match(value)
    if m is None or not value or value == "..":
        raise UsageError(f"{name}={value} is no range; for instance {name}=2..6, {name}=3 or {name}=2..")
    low = int(m[1] or 0)
    high = int(m[3]) if m[3] else (9999 if m[2] else low)
    if low > high:
        raise UsageError(f"{name}={value} is an empty range")
    return low, high


def read_options(options: Mapping[str, str]) -> Knobs:
    """The knobs that a manifest names."""
    return knobs("medium", options)
