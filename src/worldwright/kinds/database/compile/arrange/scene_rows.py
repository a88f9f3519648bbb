"""The rows of a scene as a whole: who refers to whom, in what order they come, and the scene without some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from worldwright.blueprint import checked as c
from worldwright.blueprint.schema import Schema
from worldwright.kinds.database.compile.arrange.scene_runner import Scene, SceneRow

Key: TypeAlias = tuple[str, str]
"""The entity and the id of a row."""


def list_references(schema: Schema, row: SceneRow) -> Iterator[Key]:
    """The rows that a row refers to."""
    columns = schema.entities[row.entity].columns
    for name, value in row.values:
        if value is not None and columns[name].type.kind == "ref":
            yield columns[name].type.entity, value


def list_named_rows(schema: Schema, operation: c.Operation, scene: Scene) -> set[Key]:
    """List the rows that a scene names outside its rows: who acts, and the arguments."""
    out = {(schema.actor, scene.actor)} if scene.actor else set()

    def note(i: c.Input, value: Any) -> Any:
        if i.type.kind == "ref" and value is not None:
            out.add((i.type.entity, value))
        return value

    _arguments(operation, scene, note)
    return out


def is_complete(schema: Schema, operation: c.Operation, scene: Scene) -> bool:
    """Return whether every row that is referred to is there."""
    there = {(r.entity, r.id) for r in scene.rows}
    used = {key for row in scene.rows for key in list_references(schema, row)}
    return used | list_named_rows(schema, operation, scene) <= there


def order_rows(schema: Schema, scene: Scene) -> Scene:
    """Rows so that each comes after those it refers to, as far as that goes; numbers within a table stay in order."""
    done: list[SceneRow] = []
    left = list(scene.rows)
    placed: set[Key] = set()
    while left:
        first: set[str] = set()
        following = left[0]
        for row in left:
            if row.entity not in first and all(k in placed or k[1] == row.id for k in list_references(schema, row)):
                following = row
                break
            first.add(row.entity)
        done.append(following)
        placed.add((following.entity, following.id))
        left.remove(following)
    return replace(scene, rows=tuple(done))


def find_loose_rows(schema: Schema, operation: c.Operation, scene: Scene) -> Iterator[frozenset[Key]]:
    """Yield rows that nothing refers to, from the last to the first, each with the rows that only it needs."""
    kept = list_named_rows(schema, operation, scene)
    refers = {(r.entity, r.id): set(list_references(schema, r)) for r in scene.rows}
    for key in reversed(refers):
        if key in kept or any(key in others for others in refers.values()):
            continue
        gone = {key}
        growing = True
        while growing:
            left = kept.union(*(others for k, others in refers.items() if k not in gone))
            more = {k for g in gone for k in refers[g] if k in refers} - left - gone
            gone |= more
            growing = bool(more)
        yield frozenset(gone)


def remove_rows(schema: Schema, operation: c.Operation, scene: Scene, gone: frozenset[Key]) -> Scene | None:
    """The scene without some rows, the others numbered anew; none where one of them is still needed."""
    left = tuple(r for r in scene.rows if (r.entity, r.id) not in gone)
    used = {key for row in left for key in list_references(schema, row)} | list_named_rows(schema, operation, scene)
    if used & gone or len(left) == len(scene.rows):
        return None
    numbers: dict[str, int] = {}
    names: dict[Key, str] = {}
    for row in left:
        number = numbers[row.entity] = numbers.get(row.entity, 0) + 1
        names[row.entity, row.id] = schema.entities[row.entity].key.make(number)

    def named(i: c.Input, value: Any) -> Any:
        return names.get((i.type.entity, value), value) if i.type.kind == "ref" else value

    rows = tuple(_rename_row(schema, row, names) for row in left)
    actor = names.get((schema.actor, scene.actor), scene.actor)
    return replace(scene, rows=rows, actor=actor, args=_arguments(operation, scene, named))


def _rename_row(schema: Schema, row: SceneRow, names: dict[Key, str]) -> SceneRow:
    columns = schema.entities[row.entity].columns
    values = tuple(
        (k, names.get((columns[k].type.entity, v), v) if columns[k].type.kind == "ref" else v) for k, v in row.values
    )
    return SceneRow(row.entity, names[row.entity, row.id], values)


def _arguments(
    operation: c.Operation, scene: Scene, change: Callable[[c.Input, Any], Any]
) -> tuple[tuple[str, Any], ...]:
    """The arguments with every plain value changed, parts of lists included."""
    out = []
    for name, value in scene.args:
        i = operation.input(name)
        assert i is not None
        if not i.parts:
            out.append((name, change(i, value)))
        elif i.parts[0].name == "":
            out.append((name, tuple(change(i.parts[0], v) for v in value)))
        else:
            parts = {p.name: p for p in i.parts}
            out.append((name, tuple(tuple((k, change(parts[k], v)) for k, v in element) for element in value)))
    return tuple(out)
