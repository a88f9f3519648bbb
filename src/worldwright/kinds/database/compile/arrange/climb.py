"""Climbing: from a scene in which an operation is refused to one in which it gets as far as wanted, refusal by refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Frame
from worldwright.blueprint.schema import Schema
from worldwright.blueprint.types import BOOL
from worldwright.kinds.database.compile.arrange.edits import (
    AddRow,
    DropRow,
    Edits,
    PointTo,
    SetArg,
    SetClock,
    SetField,
    merge_edits,
)
from worldwright.kinds.database.compile.arrange.guards import find_condition
from worldwright.kinds.database.compile.arrange.scene_reader import SceneReader
from worldwright.kinds.database.compile.arrange.scene_rows import is_complete, order_rows, remove_rows
from worldwright.kinds.database.compile.arrange.scene_runner import Scene, SceneRow, SceneRunner, Trial
from worldwright.kinds.database.compile.arrange.suggest import Suggester

MAX_ROWS = 36
"""Rows of a scene at most: a test with more is not read by anybody."""


class SceneEditor:
    """Scenes of one operation."""

    def __init__(self, schema: Schema, operation: c.Operation) -> None:
        self.schema = schema
        self.operation = operation

    def first_scene(self) -> Scene:
        """The plainest scene: a row for every reference, plain values for the rest."""
        rows: list[SceneRow] = []
        actor = ""
        if self.schema.actor:
            role = self.operation.roles[0] if self.operation.roles else (self.schema.roles or ("",))[0]
            actor = self._add_row(rows, self.schema.actor, {self.schema.role_field: role} if role else {})
        args = tuple(
            (i.name, self._choose_value(i, rows)) for i in self.operation.inputs if not i.optional and i.default is None
        )
        return Scene(tuple(rows), actor, args)

    def _add_row(self, rows: list[SceneRow], entity: str, values: dict[str, Any]) -> str:
        """Add a row and the rows it needs; return its id."""
        shape = self.schema.entities[entity]
        for column in shape.stored:
            if column.type.kind == "ref" and not column.optional and column.name not in values:
                values = {**values, column.name: self._add_row(rows, column.type.entity, {})}
        last = next((r.id for r in reversed(rows) if r.entity == entity), None)
        key = shape.key.make((shape.key.number(last) or 0) + 1 if last is not None else 1)
        rows.append(SceneRow(entity, key, tuple(values.items())))
        return key

    def _choose_value(self, i: c.Input, rows: list[SceneRow]) -> Any:
        if i.parts:
            element = self._choose_value(i.parts[0], rows) if i.parts[0].name == "" else None
            parts = tuple(
                (p.name, self._choose_value(p, rows)) for p in i.parts if not p.optional and p.default is None
            )
            return tuple((element if i.parts[0].name == "" else parts) for _ in range(max(1, i.low or 1)))
        match i.type.kind:
            case "ref":
                return self._add_row(rows, i.type.entity, {})
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
        gone = frozenset((e.entity, e.id) for e in edits if isinstance(e, DropRow))
        for edit in merge_edits(edits):
            following: Scene | None = scene
            match edit:
                case SetClock():
                    following = replace(scene, now=edit.now)
                case SetField():
                    following = self._set_field(scene, edit)
                case SetArg():
                    following = self._set_arg(scene, edit)
                case AddRow() | PointTo():
                    following = self._add_target(scene, edit)
            if following is None:
                return None
            scene = following
        # A row that the operation itself would add cannot be referred to beforehand.
        if len(scene.rows) > MAX_ROWS or not is_complete(self.schema, self.operation, scene):
            return None
        # Last of all, because what is left gets other numbers.
        return remove_rows(self.schema, self.operation, scene, gone) if gone else scene

    def _set_field(self, scene: Scene, edit: SetField) -> Scene | None:
        row = scene.row(edit.entity, edit.id)
        column = self.schema.entities[edit.entity].columns[edit.name]
        if row is None or column.source != "given":
            return None
        changed = scene.with_row(row.with_value(edit.name, edit.value))
        return order_rows(self.schema, changed) if column.type.kind == "ref" and edit.value is not None else changed

    def _set_arg(self, scene: Scene, edit: SetArg) -> Scene | None:
        name, _, part = edit.name.partition("[].")
        i = self.operation.input(name)
        if i is None:
            return None
        if part:
            p = next(p for p in i.parts if p.name == part)
            if not _accepts(p, edit.value):
                return None
            elements = dict(scene.args).get(name, ())
            return scene.with_arg(name, tuple(tuple({**dict(e), part: edit.value}.items()) for e in elements))
        return scene.with_arg(name, edit.value) if _accepts(i, edit.value) else None

    def _add_target(self, scene: Scene, edit: AddRow | PointTo) -> Scene | None:
        if isinstance(edit, AddRow) and edit.times > MAX_ROWS:
            return None
        rows = list(scene.rows)
        entity = edit.entity if isinstance(edit, AddRow) else edit.target
        columns = self.schema.entities[entity].columns
        values = {
            k: v
            for k, v in edit.values
            if k in columns and columns[k].source == "given" and (v is not None or columns[k].optional)
        }
        key = self._add_row(rows, entity, values)
        if isinstance(edit, AddRow) and edit.times > 1:
            self._repeat(rows, values, edit.times - 1)
        scene = replace(scene, rows=tuple(rows))
        if isinstance(edit, AddRow):
            return scene
        if not edit.entity:
            return self._set_arg(scene, SetArg(edit.name, key))
        return self._set_field(scene, SetField(edit.entity, edit.id, edit.name, key))

    def _repeat(self, rows: list[SceneRow], said: dict[str, Any], times: int) -> None:
        """Add so many more rows like the last one. They refer to the same rows, save where two of them must not."""
        row = rows[-1]
        apart = {name for group in self.schema.entities[row.entity].unique for name in group} - said.keys()
        same = {name: value for name, value in row.values if name not in apart}
        for _ in range(times):
            self._add_row(rows, row.entity, same)


def _accepts(i: c.Input, value: Any) -> bool:
    """Return whether an input would take the value."""
    if value is None:
        return i.optional
    kind = i.type
    if kind.kind == "enum":
        return value in kind.values
    size = len(value) if kind.kind == "text" and isinstance(value, str) else value if kind.numeric else None
    return size is None or ((i.low is None or size >= i.low) and (i.high is None or size <= i.high))


MAX_SUGGESTIONS = 14
"""Suggestions tried at each refusal."""
MAX_SCENES_ASIDE = 4

Goal = Callable[[Trial], bool]


class Climber:
    """Tries scenes of one operation, so many at most."""

    def __init__(self, stage: SceneRunner, operation: c.Operation) -> None:
        self.stage = stage
        self.operation = operation
        self.schema = stage.compiled.blueprint.schema
        self.suggester = Suggester(SceneReader(stage, operation), operation)
        self.editor = SceneEditor(self.schema, operation)
        self.budget = 0
        self.tried: dict[Scene, Trial] = {}

    def run(self, scene: Scene) -> Trial | None:
        """Run a scene; None where enough has been tried."""
        trial = self.tried.get(scene)
        if trial is None and self.budget > 0:
            self.budget -= 1
            trial = self.tried[scene] = self.stage.run(self.operation, scene)
        return trial

    def climb(self, scene: Scene, depth: int, goal: Goal, aside: int = 3) -> tuple[Scene, Trial] | None:
        """Climb from a scene to one that succeeds and meets the goal; `aside` steps may be taken that change no refusal yet."""
        trial = self.run(scene)
        if trial is None or trial.ok:
            return (scene, trial) if trial is not None and goal(trial) else None
        if depth == 0:
            return None
        level: list[Scene] = []
        for edited in self.get_past(scene):
            following = self.run(edited)
            if following is None:
                return None
            if following.ok or _is_further(following, trial) or self._keeps_more(following, trial):
                found = self.climb(edited, depth - 1, goal, aside)
                if found is not None:
                    return found
            elif following.at is trial.at:
                level.append(edited)
        for edited in level[:MAX_SCENES_ASIDE] if aside else ():
            found = self.climb(edited, depth - 1, goal, aside - 1)
            if found is not None:
                return found
        return None

    def _keeps_more(self, trial: Trial, before: Trial) -> bool:
        """Tell whether both break an invariant, and this one breaks a later one: they are looked at in their order."""
        order = list(self.stage.compiled.blueprint.always)
        now, then = (order.index(t.details["invariant"]) if t.code == "INVARIANT" else -1 for t in (trial, before))
        return now > then >= 0

    def get_past(self, scene: Scene) -> Iterator[Scene]:
        """Yield scenes that might get past the refusal of this one."""
        trial = self.stage.run_again(self.operation, scene)
        return self.edit(
            scene, self._suggest_past_invariant(trial) if trial.code == "INVARIANT" else self._suggest_past(trial)
        )

    def edit(self, scene: Scene, options: Iterator[Edits], width: int = MAX_SUGGESTIONS) -> Iterator[Scene]:
        """Yield other scenes, by each of the first suggestions that can be followed; none of them twice."""
        seen = {scene}
        for edits in list(islice(options, width)):
            out = self.editor.apply(scene, edits)
            if out is not None and out not in seen:
                seen.add(out)
                yield out

    # suggestions

    def _suggest_past(self, trial: Trial) -> Iterator[Edits]:
        if isinstance(trial.at, c.Set):
            yield from self._suggest_past_move(trial.at, trial.frame)
        elif isinstance(trial.at, (c.Require, c.Obey, c.Find)):
            test = find_condition(trial.at)
            assert test is not None
            yield from self.suggester.make(test, True, trial.frame)

    def _suggest_past_move(self, s: c.Set, frame: Frame) -> Iterator[Edits]:
        entity = self.schema.entities[s.row.type.entity]
        row = self.suggester.sight.row(s.row, frame)
        if row is None:
            yield from self.suggester.make(n.IsNone(BOOL, s.row), False, frame)
            return
        for name, node in s.values:
            value = self.suggester.sight.value(node, frame)
            if name == entity.state_field:
                for state, following in entity.lifecycle.items():
                    if value in following:
                        yield (SetField(row.entity, row.id, name, state),)
            elif value is None and not entity.columns[name].optional:
                yield from self.suggester.make(n.IsNone(BOOL, node), False, frame)

    def _suggest_past_invariant(self, trial: Trial) -> Iterator[Edits]:
        """Suggest edits of what breaks an invariant: what the operation leaves behind."""
        invariant = self.stage.compiled.blueprint.always[(trial.details or {}).get("invariant", "")]
        rows = [{}] if not invariant.each else [{"self": r} for r in self.stage.uow.rows(invariant.each)]
        for f in rows:
            if not self.suggester.sight.value(invariant.holds, f):
                yield from self.suggester.make(invariant.holds, True, f)


def _is_further(trial: Trial, before: Trial) -> bool:
    return trial.steps > before.steps or (trial.steps == before.steps and trial.at is not before.at)
