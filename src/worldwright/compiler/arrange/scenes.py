"""Making scenes and editing them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.schema import Schema
from worldwright.compiler.arrange.edits import AddRow, DropRow, Edits, PointTo, SetArg, SetField
from worldwright.compiler.arrange.stage import Given, Scene


class SceneEditor:
    """Scenes of one operation."""

    def __init__(self, schema: Schema, operation: c.Operation) -> None:
        self.schema = schema
        self.operation = operation

    def first_scene(self) -> Scene:
        """The plainest scene: a row for every reference, plain values for the rest."""
        rows: list[Given] = []
        actor = ""
        if self.schema.actor:
            role = self.operation.roles[0] if self.operation.roles else (self.schema.roles or ("",))[0]
            actor = self._new(rows, self.schema.actor, {self.schema.role_field: role} if role else {})
        args = tuple(
            (i.name, self._plain(i, rows)) for i in self.operation.inputs if not i.optional and i.default is None
        )
        return Scene(tuple(rows), actor, args)

    def _new(self, rows: list[Given], entity: str, values: dict[str, Any]) -> str:
        """Add a row and the rows it needs; its id."""
        shape = self.schema.entities[entity]
        for column in shape.stored:
            if column.type.kind == "ref" and not column.optional and column.name not in values:
                values = {**values, column.name: self._new(rows, column.type.entity, {})}
        number = sum(r.entity == entity for r in rows) + 1
        key = shape.key.make(number)
        rows.append(Given(entity, key, tuple(values.items())))
        return key

    def _plain(self, i: c.Input, rows: list[Given]) -> Any:
        if i.parts:
            element = self._plain(i.parts[0], rows) if i.parts[0].name == "" else None
            parts = tuple((p.name, self._plain(p, rows)) for p in i.parts if not p.optional and p.default is None)
            return tuple((element if i.parts[0].name == "" else parts) for _ in range(max(1, i.low or 1)))
        match i.type.kind:
            case "ref":
                return self._new(rows, i.type.entity, {})
            case "enum":
                return i.type.values[0]
            case "text":
                return ("some text" + "." * (i.low or 0))[: i.high or None]
            case "date":
                return self.schema.now[:10]
            case "time":
                return self.schema.now
            case "bool":
                return False
        one = 10**i.type.places
        return max(i.low, 1) if i.low is not None else min(one, i.high) if i.high is not None else one

    # editing scenes

    def apply(self, scene: Scene, edits: Edits) -> Scene | None:
        """The scene with the edits made; none where one cannot be."""
        if not edits:
            return None
        for edit in edits:
            match edit:
                case SetField():
                    row = scene.row(edit.entity, edit.id)
                    if row is None or self.schema.entities[edit.entity].columns[edit.name].source != "given":
                        return None
                    scene = scene.with_row(row.but(edit.name, edit.value))
                case SetArg():
                    changed = self._with_arg(scene, edit)
                    if changed is None:
                        return None
                    scene = changed
                case AddRow() | PointTo():
                    scene = self._with_new(scene, edit)
                case DropRow():
                    dropped = self._without(scene, edit)
                    if dropped is None:
                        return None
                    scene = dropped
        return scene

    def _with_arg(self, scene: Scene, edit: SetArg) -> Scene | None:
        name, _, part = edit.name.partition("[].")
        i = self.operation.input(name)
        if i is None:
            return None
        if part:
            p = next(p for p in i.parts if p.name == part)
            if not _fits(p, edit.value):
                return None
            elements = dict(scene.args).get(name, ())
            return scene.with_arg(name, tuple(tuple({**dict(e), part: edit.value}.items()) for e in elements))
        return scene.with_arg(name, edit.value) if _fits(i, edit.value) else None

    def _with_new(self, scene: Scene, edit: AddRow | PointTo) -> Scene:
        rows = list(scene.rows)
        entity = edit.entity if isinstance(edit, AddRow) else edit.target
        columns = self.schema.entities[entity].columns
        values = {
            k: v for k, v in edit.values if columns[k].source == "given" and (v is not None or columns[k].optional)
        }
        key = self._new(rows, entity, values)
        scene = replace(scene, rows=tuple(rows))
        if isinstance(edit, PointTo) and not edit.entity:
            scene = self._with_arg(scene, SetArg(edit.name, key)) or scene
        elif isinstance(edit, PointTo):
            owner = scene.row(edit.entity, edit.id)
            if owner is not None:
                scene = _ordered(scene.with_row(owner.but(edit.name, key)), self.schema.entities)
        return scene

    def _without(self, scene: Scene, edit: DropRow) -> Scene | None:
        """The scene without a row, where it is the last of its table and nothing refers to it (ids go in order)."""
        same = [r for r in scene.rows if r.entity == edit.entity]
        used = any(v == edit.id for r in scene.rows for _, v in r.values) or any(v == edit.id for _, v in scene.args)
        if not same or same[-1].id != edit.id or used or scene.actor == edit.id:
            return None
        return replace(scene, rows=tuple(r for r in scene.rows if r is not same[-1]))


def _fits(i: c.Input, value: Any) -> bool:
    """Whether an input would take the value."""
    if value is None:
        return i.optional
    kind = i.type
    if kind.kind == "enum":
        return value in kind.values
    size = len(value) if kind.kind == "text" and isinstance(value, str) else value if kind.numeric else None
    return size is None or ((i.low is None or size >= i.low) and (i.high is None or size <= i.high))


def _ordered(scene: Scene, entities: Any) -> Scene:
    """Rows so that each comes after those it refers to, as far as that goes; numbers within a table stay in order."""
    done: list[Given] = []
    left = list(scene.rows)
    while left:
        placed = {(r.entity, r.id) for r in done}
        ready = [r for r in left if _needs(r, entities) <= placed and not _earlier(r, left)]
        following = ready[0] if ready else left[0]
        done.append(following)
        left.remove(following)
    return replace(scene, rows=tuple(done))


def _needs(row: Given, entities: Any) -> set[tuple[str, str]]:
    columns = entities[row.entity].columns
    return {
        (columns[k].type.entity, v)
        for k, v in row.values
        if columns[k].type.kind == "ref" and v is not None and v != row.id
    }


def _earlier(row: Given, left: list[Given]) -> bool:
    return any(r.entity == row.entity and r.id < row.id for r in left)
