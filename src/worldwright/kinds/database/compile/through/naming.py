"""Whether a record is found by what it is called, with nothing but what the tools of a contract show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldwright.blueprint.expr import nodes as n
from worldwright.kinds.database.arguments import value_to_json
from worldwright.kinds.database.compile.tasks.describe import path_of, speak
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.through.reading import Reading
from worldwright.kinds.database.compile.through.telling import Telling

SEARCHED = ("text", "enum", "date")
"""Kinds of values that a request says as they are, and by which one can search."""


def list_nodes(form: n.Format) -> list[tuple[n.Node, str]]:
    """List what a way of calling something says of it, each with how it is written."""
    return [part for part in form.parts if not isinstance(part, str)]


def list_said_values(sandbox: Sandbox, entity: str, key: str, form: n.Format) -> Iterator[tuple[str, str, Any]]:
    """Yield (entity, column, value) of what is said of a record by calling it so."""
    uow = sandbox.first_uow()
    row = uow.row(entity, key)
    for node, _ in list_nodes(form):
        path = path_of(node)
        if len(path) == 1 and path[0] != "id" and row is not None and node.type.kind in SEARCHED:
            value = sandbox.compiled.evaluator.value(node)(uow, {"self": row})
            if value is not None:
                yield entity, path[0], value_to_json(value, node.type)


def find_alike(sandbox: Sandbox, reading: Reading, entity: str, key: str, form: n.Format) -> str:
    """Say what was not shown of what a record is called; empty where the rest is enough to tell it from all others."""
    uow = sandbox.first_uow()
    rows = {row.id: row for row in sandbox.list_live(entity)}
    mine, others, lack = rows.pop(key, None), list(rows.values()), ""
    if mine is None:
        return key
    telling = Telling(sandbox.compiled, reading, linked=True)
    for node, spec in list_nodes(form):
        if path_of(node) == ("id",):
            return ""
        run = sandbox.compiled.evaluator.value(node)
        value = run(uow, {"self": mine})
        missing = telling.find_lack(node, uow, {"self": mine})
        if missing and not _can_search(reading, entity, node, value):
            lack = lack or missing
            continue
        said = speak(value, node.type, spec)
        others = [row for row in others if speak(run(uow, {"self": row}), node.type, spec) == said]
    return lack if others else ""


def _can_search(reading: Reading, entity: str, node: n.Node, value: Any) -> bool:
    """Tell whether a record can be asked for by a value that is said of it."""
    path = path_of(node)
    if len(path) != 1 or value is None or node.type.kind not in SEARCHED:
        return False
    return any(reading.can_list(entity, path[0], op, value) for op in ("==", "contains"))
