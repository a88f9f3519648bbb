"""What is on the stage now, and which values would lie on the other side of a boundary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from worldwright.blueprint import checked as c
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Frame
from worldwright.blueprint.types import Type, ref
from worldwright.core import days
from worldwright.kinds.database.compile.arrange.edits import shift_value
from worldwright.kinds.database.compile.arrange.inverse import invert
from worldwright.kinds.database.compile.arrange.scene_runner import SceneRunner
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.sql import SqlCompiler
from worldwright.kinds.database.unit_of_work import Refusal, Row

OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
MIRROR = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class SceneReader:
    """Reads expressions of one operation against the scene that is set up."""

    def __init__(self, stage: SceneRunner, operation: c.Operation) -> None:
        self.stage = stage
        self.schema = stage.compiled.blueprint.schema
        self.evaluator = stage.compiled.evaluator
        self.meanings = NameResolver(stage.compiled, operation)

    def value(self, node: n.Node, f: Frame) -> Any:
        """Evaluate an expression; None also where the engine would say that it is too large to tell."""
        try:
            return self.evaluator.value(node)(self.stage.uow, f)
        except (Refusal, OverflowError):
            return None

    def row(self, node: n.Node, f: Frame) -> Row | None:
        found: Row | None = self.evaluator.row(node)(self.stage.uow, f)
        return found

    def rows(self, node: n.Aggregate, f: Frame) -> list[Any]:
        """Return what an aggregate looks at."""
        return list(self.evaluator.source(node.rows)(self.stage.uow, f))

    def matching_rows(self, node: n.Aggregate, f: Frame) -> list[Any]:
        """Return the rows of an aggregate that meet its condition."""
        rows = self.rows(node, f)
        if node.where is None:
            return rows
        holds = self.evaluator.truth(node.where)
        return [r for r in rows if holds(self.stage.uow, {**f, node.var: r})]

    # values to try

    def examples(self, kind: Type) -> list[Any]:
        """A few values of a type."""
        today = self.schema.now[:10]
        match kind.kind:
            case "text":
                return ["something"]
            case "date":
                return [today, days.add_days(today, 30), days.add_days(today, -30)]
            case "time":
                return [self.schema.now]
            case "enum":
                return list(kind.values)
            case "bool":
                return [1]
            case "ref":
                return [r.id for r in self.stage.uow.rows(kind.entity)][:3]
        return [10**kind.places, 0]

    def targets(self, op: str, other: Any, kind: Type) -> list[Any]:
        """Values on the right side of a boundary, the nearest first."""
        if op == "==":
            return [other]
        if op == "!=" and kind.kind == "bool":
            return [int(not other)]
        if op == "!=":
            return [v for v in [*self.examples(kind), None] if v != other]
        if other is None:
            return [v for v in self.examples(kind) if v is not None]
        down = op in ("<", "<=")
        steps = [-5 if down else 5]
        if kind.numeric:
            steps.append((-100 if down else 100) * 10**kind.places)
        return [self.nearest_value(op, other, kind), *(shift_value(other, by, kind) for by in steps)]

    def nearest_value(self, op: str, other: Any, kind: Type) -> Any:
        """Return the value nearest to another that an ordering still lets stand beside it."""
        return shift_value(other, {"<=": 0, ">=": 0, "<": -1, ">": 1}[op], kind)

    def other_values(self, values: list[Any], kind: Type) -> list[Any]:
        """List values that are none of those: of numbers, their neighbours first."""
        near = [v + by for by in (1, -1) for v in values if v is not None] if kind.numeric else []
        return [v for v in dict.fromkeys([*near, *self.examples(kind), None]) if v not in values]

    # rows to make

    def describe_row(self, where: n.Node | None, var: str, f: Frame, want: bool = True) -> Iterator[dict[str, Any]]:
        """Yield field values of a new row under which the condition holds (or does not), read off its comparisons."""
        if where is None:
            yield {}
            return
        body = self.meanings.resolve(where)
        if body is not None:
            yield from self.describe_row(body, var, f, want)
            return
        match where:
            case n.Not():
                yield from self.describe_row(where.item, var, f, not want)
            case n.And() | n.Or() if isinstance(where, n.And) == want:
                out: dict[str, Any] = {}
                for item in where.items:
                    out |= next(self.describe_row(item, var, f, want), {})
                yield out
            case n.And() | n.Or():
                for item in where.items:
                    yield from self.describe_row(item, var, f, want)
            case n.Compare():
                yield from self._describe_compare(where, var, f, want)
            case n.InValues() if isinstance(where.item, n.Field) and is_field_of(where.item, var):
                values = [v.value for v in where.values]
                yield from (
                    {where.item.name: v} for v in (values if want else self.other_values(values, where.item.type))
                )
            case n.Field() if is_field_of(where, var):
                yield {where.name: int(want)}
            case n.IsNone() if not want and isinstance(where.item, n.Field) and is_field_of(where.item, var):
                yield {where.item.name: next(iter(self.examples(where.item.type)), None)}
            case _:
                yield {}

    def _describe_compare(self, node: n.Compare, var: str, f: Frame, want: bool) -> Iterator[dict[str, Any]]:
        op = node.op if want else OPPOSITE[node.op]
        for side, other, way in ((node.left, node.right, op), (node.right, node.left, MIRROR[op])):
            if var not in n.free_names(side) or var in n.free_names(other):
                continue
            targets = self.targets(way, self.value(other, f), side.type)
            found = [option for target in targets for option in self._field_values(side, target, var, f)]
            yield from found or [{}]
            return
        yield {}

    def _field_values(self, node: n.Node, target: Any, var: str, f: Frame) -> Iterator[dict[str, Any]]:
        """The field of a new row that makes an expression the target: the field itself, or one inside a function."""
        if isinstance(node, n.Field) and is_field_of(node, var):
            yield {node.name: target}
        elif isinstance(node, n.Call):
            values = [None if var in n.free_names(arg) else self.value(arg, f) for arg in node.args]
            for part, value in invert(node, values, target, self.schema.holidays):
                if isinstance(part, n.Field) and is_field_of(part, var):
                    yield {part.name: value}


def is_field_of(node: n.Field, var: str) -> bool:
    """Return whether a node is a field of the row that the variable stands for."""
    return isinstance(node.base, n.Var) and node.base.name == var


Named: TypeAlias = tuple[str, str]
"""A name and, for a row that the operation adds, one of its fields."""


class NameResolver:
    """Writes out names of one operation."""

    def __init__(self, compiled: CompiledWorld, operation: c.Operation) -> None:
        self.blueprint = compiled.blueprint
        self._renamer = SqlCompiler(compiled.evaluator, compiled.blueprint)
        self._local = _collect_definitions(operation)
        self._known: dict[int, tuple[n.Node, n.Node | None]] = {}

    def resolve(self, node: n.Node) -> n.Node | None:
        """Return the body behind a name, or None where the node is not a name of something."""
        # By identity: the same part is met again and again, and comparing whole expressions costs more than writing one out.
        known = self._known.get(id(node))
        if known is None:
            body = self._body(node)
            known = self._known[id(node)] = node, body
        return known[1]

    def _body(self, node: n.Node) -> n.Node | None:
        match node:
            case n.Var() if (node.name, "") in self._local:
                return self._renamer.rename_variables(self._local[node.name, ""])
            case n.Field(base=n.Var() as base) if (base.name, node.name) in self._local:
                return self._renamer.rename_variables(self._local[base.name, node.name])
            case n.Field() if (kept := self.blueprint.kept.get((node.base.type.entity, node.name))) is not None:
                return n.substitute(self._renamer.rename_variables(kept), {"self": node.base})
        return self._renamer.resolve(node)

    def depends_on_time(self, node: n.Node) -> bool:
        """Return whether an expression depends on what time it is."""
        for part in n.walk(node):
            if isinstance(part, n.Var) and part.name in ("now", "today"):
                return True
            body = self.resolve(part)
            if body is not None and self.depends_on_time(body):
                return True
        return False


def _collect_definitions(operation: c.Operation) -> dict[Named, n.Node]:
    """Map local names to what they stand for, where that is one expression: `let` once, `find`, and fields of added rows."""
    out: dict[Named, n.Node] = {}
    twice: set[str] = set()
    for s in walk_statements(operation.body):
        for named, node in _list_definitions(s):
            twice |= {named[0]} if named in out else set()
            out[named] = node
        if isinstance(s, c.Each):
            twice |= {name for name, _ in s.carry}
    return {k: v for k, v in out.items() if k[0] not in twice}


def _list_definitions(s: c.Statement) -> Iterator[tuple[Named, n.Node]]:
    match s:
        case c.Let():
            yield (s.name, ""), s.value
        case c.Find():
            kind, order = ref(s.rows.entity), "last" if s.descending else "first"
            yield (s.name, ""), n.Aggregate(kind, order, s.name, s.rows, s.where, n.Var(kind, s.name), s.by)
        case c.Add() if s.name:
            yield from (((s.name, name), node) for name, node in s.values)
