"""The same for two records: where one call does what is asked and nothing has to be looked up, two make a task."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from worldwright.anchor.model.goals.phrases import Goal, Named


def twice(name: str, goal: Goal) -> Iterator[Named]:
    """A goal about one record, or about a new one, asked for two of them; nothing for any other goal."""
    given = goal.get("given", {})
    if len(goal.get("how", ())) != 1 or goal.get("tells"):
        return
    if set(given) == {"x"}:
        entity, _, condition = given["x"].partition(" where ")
        if not condition or not _variables(condition, {"x"}):
            yield f"two_{name}", _of_two(goal, entity, condition)
    elif not given and goal.get("states"):
        yield f"two_{name}", _two_new(goal)


def _of_two(goal: Goal, entity: str, condition: str) -> Goal:
    second = f"({condition}) and id > x.id" if condition else "id > x.id"
    other = {"x": "y"}
    return {
        **{k: goal[k] for k in ("states", "by") if k in goal},
        "given": {"x": goal["given"]["x"], "y": f"{entity} where {second}"},
        "wants": f"({goal['wants']}) and ({_renamed(goal['wants'], other)})",
        "how": [goal["how"][0], _called(goal["how"][0], other)],
        "asks": [f"{ask.rstrip('.?')}. The same goes for {{y}}" for ask in goal["asks"] if "{x}" in ask],
    }


def _two_new(goal: Goal) -> Goal:
    other = {name: f"w_{name.removeprefix('v_')}" for name in goal["states"]}
    asks = []
    for ask in goal["asks"]:
        start, _, details = ask.partition(": ")
        again = details
        for name, later in other.items():
            again = again.replace(f"{{{name}}}", f"{{{later}}}").replace(f"{{{name}:", f"{{{later}:")
        asks.append(f"{start}: {details}. And a second one: {again}")
    return {
        **{k: goal[k] for k in ("by",) if k in goal},
        "states": {**goal["states"], **{other[k]: v for k, v in goal["states"].items()}},
        "wants": f"({goal['wants']}) and ({_renamed(goal['wants'], other)})",
        "how": [goal["how"][0], _called(goal["how"][0], other)],
        "asks": asks,
    }


def _called(call: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {**call, "with": {k: _renamed(str(v), names) for k, v in call["with"].items()}}


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """An expression with its variables renamed: never a field, a text or the kind of rows that a loop goes over."""
    written = text.encode()
    for at, name in sorted(_variables(text, names), reverse=True):
        written = written[:at] + names[name].encode() + written[at + len(name.encode()) :]
    return written.decode()


def _variables(text: str, names: Mapping[str, str] | set[str]) -> list[tuple[int, str]]:
    nodes = list(ast.walk(ast.parse(text, mode="eval")))
    rows = {id(node.iter) for node in nodes if isinstance(node, ast.comprehension)}
    return [(n.col_offset, n.id) for n in nodes if isinstance(n, ast.Name) and n.id in names and id(n) not in rows]
