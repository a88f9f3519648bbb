"""The same for two records: where one call does what is asked and nothing has to be looked up, two make a task."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from worldwright.anchor.model.goals.phrases import Goal, Named

_RECORD = re.compile(r"\bx\b")
_VALUE = re.compile(r"\bv_(\w+)")


def twice(name: str, goal: Goal) -> Iterator[Named]:
    """A goal about one record, or about a new one, asked for two of them; nothing for any other goal."""
    given = goal.get("given", {})
    if len(goal.get("how", ())) != 1 or goal.get("tells"):
        return
    if set(given) == {"x"}:
        entity, _, condition = given["x"].partition(" where ")
        if not _RECORD.search(condition):
            yield f"two_{name}", _of_two(goal, entity, condition)
    elif not given and goal.get("states"):
        yield f"two_{name}", _two_new(goal)


def _of_two(goal: Goal, entity: str, condition: str) -> Goal:
    asks = [ask for ask in goal["asks"] if "{x}" in ask]
    second = f"({condition}) and id > x.id" if condition else "id > x.id"
    return {
        **{k: goal[k] for k in ("states", "by") if k in goal},
        "given": {"x": goal["given"]["x"], "y": f"{entity} where {second}"},
        "wants": f"({goal['wants']}) and ({_RECORD.sub('y', goal['wants'])})",
        "how": [goal["how"][0], _renamed(goal["how"][0], _RECORD, "y")],
        "asks": [f"{ask.rstrip('.?')}. The same goes for {{y}}" for ask in asks],
    }


def _two_new(goal: Goal) -> Goal:
    later = r"w_\1"
    asks = []
    for ask in goal["asks"]:
        start, _, details = ask.partition(": ")
        asks.append(f"{start}: {details}. And a second one: {_VALUE.sub(later, details)}")
    return {
        **{k: goal[k] for k in ("by",) if k in goal},
        "states": {**goal["states"], **{_VALUE.sub(later, k): _VALUE.sub(later, v) for k, v in goal["states"].items()}},
        "wants": f"({goal['wants']}) and ({_VALUE.sub(later, goal['wants'])})",
        "how": [goal["how"][0], _renamed(goal["how"][0], _VALUE, later)],
        "asks": asks,
    }


def _renamed(call: dict[str, Any], names: re.Pattern[str], to: str) -> dict[str, Any]:
    return {**call, "with": {k: names.sub(to, str(v)) for k, v in call["with"].items()}}
