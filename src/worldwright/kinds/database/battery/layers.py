"""Which tasks meet which complexity layer: from what the layer put into the Blueprint, and what the witness calls and sees.

Only those who judge see it: it stands in the datasheet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.checked import Operation, Search
from worldwright.blueprint.effects import columns_read
from worldwright.blueprint.expr.nodes import Node
from worldwright.blueprint.model import MessSpec
from worldwright.blueprint.service import find_covered_tools
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.world.tasks import Key, Task

MAX_ROWS_MET = 5
"""Rows that a search of the witness may show for all of them to be met: more than these are read past."""
RowKey = tuple[str, str]
"""(entity, id); the entity is empty where only the id is known."""


@dataclass(frozen=True, slots=True)
class _TaskFacts:
    """What a task has to do with."""

    request: str
    rows: frozenset[RowKey]
    taken: frozenset[RowKey]
    """What it is about, and what is handed to a call that writes or is forbidden."""
    tools: frozenset[str]
    """Called by the witness, or forbidden."""
    goals: frozenset[str]
    policies: frozenset[str]
    deciding: str
    """The rule that forbids what is asked for; empty where it is done."""


def layers_data(
    sandbox: Sandbox, tasks: Sequence[tuple[Task, Key]], damaged: Mapping[str, Sequence[RowKey]]
) -> dict[str, dict[str, Any]]:
    """Return by layer of the Blueprint how many rows it touched, and the tasks that meet it. Empty where no layer is on."""
    bp = sandbox.compiled.blueprint.blueprint
    if not bp.layers:
        return {}
    courses = {task.id: _course(sandbox, task, key) for task, key in tasks}
    sandbox.start("", "")  # names are those of the opening state, not what a witness has made of them
    out: dict[str, dict[str, Any]] = {}
    for layer, parts in bp.layers.items():
        rows = {at for part in parts if part.startswith("mess:") for at in damaged.get(part[5:], ())}
        met = [task for task, course in courses.items() if any(_meets_part(sandbox, p, course, damaged) for p in parts)]
        out[layer] = {"rows": len(rows), "tasks": met}
    return out


def _meets_part(sandbox: Sandbox, part: str, course: _TaskFacts, damaged: Mapping[str, Sequence[RowKey]]) -> bool:
    kind, _, name = part.partition(":")
    if kind == "mess":
        spec = _spec(sandbox, name)
        if spec is not None and spec.onto:
            return any(
                at in course.taken and _is_called_by_text(sandbox, at, course.request) for at in damaged.get(name, ())
            )
        rows = course.taken if spec is not None and spec.layer == "half_done" else course.rows
        met = any(at in rows or ("", at[1]) in rows for at in damaged.get(name, ()))
        return met and _matters(sandbox, name, course)
    test = _TESTS.get(kind)
    return test is not None and test(sandbox, name, course)


def _spec(sandbox: Sandbox, label: str) -> MessSpec | None:
    return next((one.spec for one in sandbox.compiled.blueprint.mess if one.spec.label == label), None)


def _is_called_by_text(sandbox: Sandbox, at: RowKey, request: str) -> bool:
    """Return whether a request speaks of a row by a text of its own, and not by its id: then it has to be told from its twin."""
    entity, key = at
    row = sandbox.session.unit_of_work().row(entity, key)
    if row is None or _stands_alone(key, request):
        return False
    kept = sandbox.compiled.tables[entity].position
    texts = (row.values[kept[column]] for column in _names(sandbox, entity))
    return any(text and _stands_alone(text, request) for text in texts)


def _stands_alone(text: str, where: str) -> bool:
    """Return whether a text stands there as a word, or as words, of its own."""
    return re.search(rf"\b{re.escape(text)}\b", where) is not None


def _names(sandbox: Sandbox, entity: str) -> list[str]:
    """The texts of its own that a row is called by."""
    checked, columns = sandbox.compiled.blueprint, sandbox.schema.entities[entity].columns
    called = sorted(column for of, column in columns_read(checked, checked.called.get(entity, ())) if of == entity)
    kept = sandbox.compiled.tables[entity].position
    return [name for name in called if name in kept and name in columns and columns[name].type.kind == "text"]


def _matters(sandbox: Sandbox, label: str, course: _TaskFacts) -> bool:
    """Return whether what a mess layer did to a row is of any use to know. Where it only marks rows whose values are shown
    otherwise, one of these values has to be told, spoken of, or gone by."""
    checked = sandbox.compiled.blueprint
    spec = _spec(sandbox, label)
    entity = checked.schema.entities.get(spec.in_.partition(".")[0]) if spec is not None else None
    if spec is None or entity is None or not course.goals:
        return True
    columns = {c.name for c in entity.columns.values() if c.shown is not None and c.shown.by in spec.set}
    return not columns or any((entity.name, column) in _read(sandbox, course) for column in columns)


def _read(sandbox: Sandbox, course: _TaskFacts) -> set[tuple[str, str]]:
    """The columns that a task has to do with: what its goals want, tell and are asked by, and what rules in play go by."""
    checked = sandbox.compiled.blueprint
    nodes: list[Node] = [checked.policies[name].binding for name in course.policies if name in checked.policies]
    for goal in (checked.goals[name] for name in course.goals):
        nodes += [*goal.asks, *goal.where.values(), *(() if course.deciding else (goal.wants, *goal.tells.values()))]
        nodes += [way for kind in goal.given.values() for way in checked.called.get(kind.entity, ())]
        nodes += [arg for step in goal.how for _, arg in step.args]
    return columns_read(checked, nodes)


def _meets_service(sandbox: Sandbox, name: str, course: _TaskFacts) -> bool:
    checked = sandbox.compiled.blueprint
    spec = checked.blueprint.service.get(name)
    return spec is not None and not course.tools.isdisjoint(find_covered_tools(spec, checked.operations))


def _operation(sandbox: Sandbox, name: str, course: _TaskFacts) -> bool:
    steps = {step.operation for goal in course.goals for step in sandbox.compiled.blueprint.goals[goal].how}
    return name in course.tools or name in steps


_TESTS: Mapping[str, Callable[[Sandbox, str, _TaskFacts], bool]] = {
    "policy": lambda sandbox, name, course: name in course.policies,
    "decides": lambda sandbox, name, course: name == course.deciding,
    "operation": _operation,
    "goal": lambda sandbox, name, course: name in course.goals,
    "service": _meets_service,
}


def _course(sandbox: Sandbox, task: Task, key: Key) -> _TaskFacts:
    expects, tools = key.expects, sandbox.compiled.tools
    called = {call.tool for call in key.calls} | {call["tool"] for call in expects.get("forbidden", ())}
    goals = {use["goal"] for use in expects.get("goals", ())} | {expects.get("asked", "")}
    deciding = str(expects.get("answer", {}).get("rule", {}).get("is", ""))
    guards = {policy for tool in called if tool in tools for policy in tools[tool].effects.policies}
    return _TaskFacts(
        task.instruction,
        frozenset(_rows(sandbox, task, key)),
        frozenset(_find_taken_rows(sandbox, key)),
        frozenset(called),
        frozenset(goals & sandbox.goals.keys()),
        frozenset(_list_related_rules(sandbox, deciding) if deciding else {*expects.get("rules", ()), *guards}),
        deciding,
    )


def _list_related_rules(sandbox: Sandbox, deciding: str) -> set[str]:
    """Return the rule that forbids something, and those that come before it or after it: what else may forbid it is not in play."""
    policies = sandbox.compiled.blueprint.policies
    before = {name for name, policy in policies.items() if deciding in policy.beats}
    return {deciding, *before, *(policies[deciding].beats if deciding in policies else ())}


def _find_given_rows(sandbox: Sandbox, key: Key) -> Iterator[RowKey]:
    """The rows that a task is about."""
    for use in key.expects.get("goals", ()):
        given = sandbox.goals[use["goal"]].goal.given
        yield from ((given[name].entity, at["id"]) for name, at in use["rows"].items() if "id" in at)


def _find_taken_rows(sandbox: Sandbox, key: Key) -> Iterator[RowKey]:
    """These, and those that its witness hands to calls that write, or that are forbidden."""
    yield from _find_given_rows(sandbox, key)
    forbidden = ((str(call["tool"]), call["arguments"]) for call in key.expects.get("forbidden", ()))
    for tool, arguments in (*((call.tool, call.arguments) for call in key.calls), *forbidden):
        operation = sandbox.compiled.blueprint.operations.get(tool)
        if operation is not None and operation.read is None:
            yield from _list_given_rows(operation, arguments)


def _list_given_rows(operation: Operation, arguments: Mapping[str, Any]) -> Iterator[RowKey]:
    for taken in operation.inputs:
        if taken.type.kind == "ref" and isinstance(arguments.get(taken.name), str):
            yield taken.type.entity, arguments[taken.name]


def _rows(sandbox: Sandbox, task: Task, key: Key) -> Iterator[RowKey]:
    """The rows that a task is about, and those that its witness is shown where these are few or are what is worked with."""
    yield from _find_given_rows(sandbox, key)
    session = sandbox.start(task.role, task.actor)
    operations = sandbox.compiled.blueprint.operations
    for call in key.calls:
        operation = operations[call.tool]
        yield from _list_given_rows(operation, call.arguments)
        data = session.call(call.tool, call.arguments).data
        if operation.read is None:
            continue
        found = data["items"] if isinstance(operation.read, Search) and isinstance(data, Mapping) else [data]
        if task.family != "program" and len(found) > MAX_ROWS_MET:
            continue
        for row in found:
            if isinstance(row, Mapping) and "id" in row:
                yield operation.read.entity, str(row["id"])
                yield from (("", one) for one in _ids(row))


def _ids(data: Any) -> Iterator[str]:
    """Ids inside a record, as far as they tell what they are of."""
    if isinstance(data, Mapping):
        for value in data.values():
            yield from _ids(value)
    elif isinstance(data, list):
        for value in data:
            yield from _ids(value)
    elif isinstance(data, str) and _ID.match(data):
        yield data


_ID = re.compile(r"[A-Z][A-Z0-9]*-\d+\Z")
