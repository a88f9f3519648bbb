"""Suggestions: edits of a scene that might make a condition true or false.

A condition is taken apart symbolically; the values on the stage say what the boundary is. A suggestion may be wrong: whoever
asked runs the scene and sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Frame
from worldwright.blueprint.types import BOOL, Type
from worldwright.compiler.arrange.edits import AddRow, DropRow, Edits, PointTo, SetArg, SetField, definitions, moved
from worldwright.compiler.arrange.stage import Stage
from worldwright.core import days
from worldwright.kinds.database.desk import Row
from worldwright.kinds.database.sql import SqlCompiler

MAX_DEPTH = 14
BRANCH = 12
"""Suggestions taken from each part of a condition."""


class Suggester:
    """Takes conditions apart against what is on the stage now."""

    def __init__(self, stage: Stage, operation: c.Operation) -> None:
        self.stage = stage
        self.operation = operation
        self.machine = stage.machine
        self.blueprint = stage.machine.blueprint
        self.schema = self.blueprint.schema
        self._renamer = SqlCompiler(self.machine.evaluator, self.blueprint)
        self._locals = definitions(operation)

    # what things are now

    def value(self, node: n.Node, f: Frame) -> Any:
        return self.machine.evaluator.value(node)(self.stage.desk, f)

    def row(self, node: n.Node, f: Frame) -> Row | None:
        found: Row | None = self.machine.evaluator.row(node)(self.stage.desk, f)
        return found

    def inlined(self, node: n.Node) -> n.Node | None:
        """The body behind a name, or none where the node is not a name of something."""
        match node:
            case n.Var() if node.name in self._locals:
                return self._renamer.renamed(self._locals[node.name])
            case n.TermCall():
                term = self.blueprint.terms[node.name]
                return n.substitute(self._renamer.renamed(term.body), dict(zip(term.takes, node.args, strict=True)))
            case n.Obeys():
                policy = self.blueprint.policies[node.policy]
                return n.substitute(
                    self._renamer.renamed(policy.binding), dict(zip(policy.takes, node.args, strict=True))
                )
            case n.Field() if node.base.type.kind == "ref":
                key = (node.base.type.entity, node.name)
                body = self.blueprint.computed.get(key) or self.blueprint.kept.get(key)
                return n.substitute(self._renamer.renamed(body), {"self": node.base}) if body is not None else None
        return None

    # conditions

    def make(self, node: n.Node, want: bool, f: Frame, depth: int = 0) -> Iterator[Edits]:
        """Edits that might make the condition `want`."""
        if depth > MAX_DEPTH:
            return
        body = self.inlined(node)
        if body is not None:
            yield from self.make(body, want, f, depth + 1)
            return
        match node:
            case n.Not():
                yield from self.make(node.item, not want, f, depth + 1)
            case n.And() | n.Or():
                yield from self._joined(node, want, f, depth + 1)
            case n.Compare():
                yield from self._compare(node, want, f, depth + 1)
            case n.IsNone():
                yield from self._none(node, want, f, depth + 1)
            case n.InValues():
                values = [v.value for v in node.values]
                others = [v for v in [*self._examples(node.item.type), None] if v not in values]
                for target in values if want else others:
                    yield from islice(self.assign(node.item, target, f, depth + 1), BRANCH)
            case n.InText():
                needle = self.value(node.needle, f)
                if needle is not None:
                    yield from self.assign(
                        node.text, f"about {needle}" if want else "nothing of the kind", f, depth + 1
                    )
            case n.If():
                for test, branch in ((True, node.then), (False, node.other)):
                    yield from self._both(((node.test, test), (branch, want)), f, depth + 1)
            case n.Aggregate():
                yield from self._quantified(node, want, f, depth + 1)
            case n.Var() | n.Field():
                yield from self.assign(node, int(want), f, depth + 1)

    def _both(self, parts: tuple[tuple[n.Node, bool], ...], f: Frame, depth: int) -> Iterator[Edits]:
        """Every part as wanted: the edits of those that are not, together."""
        lists: list[list[Edits]] = []
        for node, want in parts:
            if bool(self.value(node, f)) == want:
                continue
            found = list(islice(self.make(node, want, f, depth), BRANCH))
            if found:
                lists.append(found)
        if not lists:
            yield ()
            return
        width = max(map(len, lists))
        for i in range(width):
            yield tuple(e for found in lists for e in found[min(i, len(found) - 1)])
        for first in lists[0][1:]:
            yield first + tuple(e for found in lists[1:] for e in found[0])

    def _joined(self, node: n.And | n.Or, want: bool, f: Frame, depth: int) -> Iterator[Edits]:
        if isinstance(node, n.And) == want:
            yield from self._both(tuple((i, want) for i in node.items), f, depth)
            return
        for item in node.items:
            yield from islice(self.make(item, want, f, depth), BRANCH)

    def _none(self, node: n.IsNone, want: bool, f: Frame, depth: int) -> Iterator[Edits]:
        if want:
            yield from self.assign(node.item, None, f, depth)
            return
        kind = node.item.type
        item = self.inlined(node.item) or node.item
        if isinstance(item, n.Aggregate) and kind.kind == "ref":
            yield from self._add_row(item, f, depth)
            return
        if kind.kind == "ref" and isinstance(item, n.Field) and item.base.type.kind == "ref":
            owner = self.row(item.base, f)
            if owner is not None:
                yield (PointTo(owner.entity, owner.id, item.name, kind.entity),)
        for value in self._examples(kind):
            yield from self.assign(item, value, f, depth)
        if kind.kind == "ref":
            yield from self._new_argument(item, kind)

    def _new_argument(self, node: n.Node, kind: Type) -> Iterator[Edits]:
        """A new row, given as an argument or as a part of a list's elements."""
        if isinstance(node, n.Var) and self.operation.input(node.name) is not None:
            yield (PointTo("", "", node.name, kind.entity),)
        elif isinstance(node, n.Field) and node.base.type.kind == "row":
            for i in self.operation.inputs:
                if any(p.name == node.name for p in i.parts):
                    yield (PointTo("", "", f"{i.name}[].{node.name}", kind.entity),)

    def _examples(self, kind: Type) -> list[Any]:
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
                return [r.id for r in self.stage.desk.rows(kind.entity)][:3]
        return [10**kind.places, 0]

    def _compare(self, node: n.Compare, want: bool, f: Frame, depth: int) -> Iterator[Edits]:
        left, right = self.value(node.left, f), self.value(node.right, f)
        op = node.op if want else _OPPOSITE[node.op]
        for target in self._targets(op, right, node.left.type):
            yield from islice(self.assign(node.left, target, f, depth), BRANCH)
        for target in self._targets(_MIRROR[op], left, node.right.type):
            yield from islice(self.assign(node.right, target, f, depth), BRANCH)

    def _targets(self, op: str, other: Any, kind: Type) -> list[Any]:
        """Values on the right side of the boundary, the nearest first."""
        if op == "==":
            return [other]
        if op == "!=":
            return [v for v in [*self._examples(kind), None] if v != other]
        if other is None:
            return [v for v in self._examples(kind) if v is not None]
        near = {"<=": 0, ">=": 0, "<": -1, ">": 1}[op]
        down = op in ("<", "<=")
        steps = [near, -5 if down else 5]
        if kind.numeric:
            steps.append((-100 if down else 100) * 10**kind.places)
        return [moved(other, by, kind) for by in steps]

    # rows

    def _quantified(self, node: n.Aggregate, want: bool, f: Frame, depth: int) -> Iterator[Edits]:
        """exists and all; other aggregates are values."""
        if node.kind == "all":
            broken = n.Not(BOOL, node.value)
            where: n.Node = broken if node.where is None else n.And(BOOL, (node.where, broken))
            node, want = n.Aggregate(BOOL, "exists", node.var, node.rows, where, node.value), not want
        if want:
            yield from self._add_row(node, f, depth)
            for row in self._rows(node, f)[:3]:
                if node.where is not None:
                    yield from islice(self.make(node.where, True, {**f, node.var: row}, depth), BRANCH)
            return
        matching = [r for r in self._rows(node, f) if self._matches(node, r, f)]
        if not matching:
            return
        if all(isinstance(r, Row) for r in matching):
            yield tuple(DropRow(r.entity, r.id) for r in matching)
        if node.where is not None:
            options = [list(islice(self.make(node.where, False, {**f, node.var: r}, depth), BRANCH)) for r in matching]
            for i in range(min(map(len, options), default=0)):
                yield tuple(e for found in options for e in found[i])

    def _rows(self, node: n.Aggregate, f: Frame) -> list[Any]:
        return list(self.machine.evaluator.source(node.rows)(self.stage.desk, f))

    def _matches(self, node: n.Aggregate, row: Any, f: Frame) -> bool:
        return node.where is None or bool(self.value(node.where, {**f, node.var: row}))

    def _add_row(
        self, node: n.Aggregate, f: Frame, depth: int, extra: tuple[tuple[str, Any], ...] = ()
    ) -> Iterator[Edits]:
        """A new row that the aggregate counts: what its condition says of the row, written into it."""
        if node.rows.items or not node.rows.entity:
            return
        values: dict[str, Any] = {}
        if node.rows.base is not None:
            key = self.value(node.rows.base, f)
            if key is None:
                return
            values[node.rows.column] = key
        for option in self._described(node.where, node.var, node.rows.entity, f):
            yield (AddRow(node.rows.entity, tuple({**values, **option, **dict(extra)}.items())),)

    def _described(self, where: n.Node | None, var: str, entity: str, f: Frame) -> Iterator[dict[str, Any]]:
        """Field values of a row under which the condition holds, read off its comparisons."""
        if where is None:
            yield {}
            return
        body = self.inlined(where) if not isinstance(where, n.Field) else None
        if body is not None:
            yield from self._described(body, var, entity, f)
            return
        match where:
            case n.And():
                out: dict[str, Any] = {}
                for item in where.items:
                    out |= next(self._described(item, var, entity, f), {})
                yield out
            case n.Or():
                for item in where.items:
                    yield from self._described(item, var, entity, f)
            case n.Compare():
                yield from self._described_compare(where, var, f)
            case n.InValues() if isinstance(where.item, n.Field) and self._of(where.item, var):
                yield from ({where.item.name: v.value} for v in where.values)
            case n.Field() if self._of(where, var):
                yield {where.name: 1}
            case n.Not() if isinstance(where.item, n.Field) and self._of(where.item, var):
                yield {where.item.name: 0}
            case n.Not() if isinstance(where.item, n.IsNone) and isinstance(where.item.item, n.Field):
                field = where.item.item
                yield {field.name: next(iter(self._examples(field.type)), None)} if self._of(field, var) else {}
            case _:
                yield {}

    def _described_compare(self, node: n.Compare, var: str, f: Frame) -> Iterator[dict[str, Any]]:
        for side, other, op in ((node.left, node.right, node.op), (node.right, node.left, _MIRROR[node.op])):
            if isinstance(side, n.Field) and self._of(side, var) and var not in n.free_names(other):
                for target in self._targets(op, self.value(other, f), side.type):
                    yield {side.name: target}
                return
        yield {}

    @staticmethod
    def _of(node: n.Field, var: str) -> bool:
        return isinstance(node.base, n.Var) and node.base.name == var

    # values

    def assign(self, node: n.Node, target: Any, f: Frame, depth: int) -> Iterator[Edits]:
        """Edits that might give an expression a value."""
        if depth > MAX_DEPTH:
            return
        body = self.inlined(node)
        if body is not None:
            yield from (
                self.make(body, bool(target), f, depth + 1)
                if body.type.kind == "bool"
                else self.assign(body, target, f, depth + 1)
            )
            return
        match node:
            case n.Var():
                if self.operation.input(node.name) is not None:
                    yield (SetArg(node.name, target),)
            case n.Field():
                yield from self._assign_field(node, target, f, depth)
            case n.Arith():
                yield from self._assign_arith(node, target, f, depth)
            case n.Scale():
                if target is None or target % 10**node.up == 0:
                    yield from self.assign(node.item, None if target is None else target // 10**node.up, f, depth + 1)
            case n.Divide():
                right = self.value(node.right, f)
                if right and target is not None:
                    yield from self.assign(node.left, target * right, f, depth + 1)
            case n.Either():
                left = list(islice(self.assign(node.left, target, f, depth + 1), BRANCH))
                right = list(islice(self.assign(node.right, target, f, depth + 1), BRANCH))
                yield from (a + b for a, b in zip(left, right, strict=False))
                yield from left
                yield from right
            case n.If():
                branch = node.then if self.value(node.test, f) else node.other
                yield from self.assign(branch, target, f, depth + 1)
                for test in (True, False):
                    yield from islice(self.make(node.test, test, f, depth + 1), BRANCH)
            case n.Call():
                yield from self._assign_call(node, target, f, depth)
            case n.Aggregate():
                yield from self._assign_aggregate(node, target, f, depth)

    def _assign_field(self, node: n.Field, target: Any, f: Frame, depth: int) -> Iterator[Edits]:
        if node.base.type.kind == "row":
            yield from self._assign_part(node, target, f)
            return
        row = self.row(node.base, f)
        if row is not None and node.name != "id":
            column = self.schema.entities[row.entity].columns[node.name]
            if target is not None or column.optional:
                yield (SetField(row.entity, row.id, node.name, target),)
        elif row is None and isinstance(node.base, n.Field) and node.base.base.type.kind == "ref":
            owner = self.row(node.base.base, f)
            if owner is not None:
                values = ((node.name, target),)
                yield (PointTo(owner.entity, owner.id, node.base.name, node.base.type.entity, values),)
        elif row is None and isinstance(node.base, n.Aggregate):
            yield from self._add_row(node.base, f, depth + 1, ((node.name, target),))
        elif row is None:
            for (point,) in self._new_argument(node.base, node.base.type):
                assert isinstance(point, PointTo)
                yield (replace(point, values=((node.name, target),)),)

    def _assign_part(self, node: n.Field, target: Any, f: Frame) -> Iterator[Edits]:
        """A part of the elements of a list input: of all of them."""
        for i in self.operation.inputs:
            if any(p.name == node.name for p in i.parts) and i.parts[0].name:
                yield (SetArg(f"{i.name}[].{node.name}", target),)

    def _assign_arith(self, node: n.Arith, target: Any, f: Frame, depth: int) -> Iterator[Edits]:
        left, right = self.value(node.left, f), self.value(node.right, f)
        if target is None:
            return
        if right is not None:
            found = {"+": target - right, "-": target + right}.get(node.op)
            if node.op == "*" and right and target % right == 0:
                found = target // right
            if found is not None:
                yield from self.assign(node.left, found, f, depth + 1)
        if left is not None:
            found = {"+": target - left, "-": left - target}.get(node.op)
            if node.op == "*" and left and target % left == 0:
                found = target // left
            if found is not None:
                yield from self.assign(node.right, found, f, depth + 1)

    def _assign_call(self, node: n.Call, target: Any, f: Frame, depth: int) -> Iterator[Edits]:
        values = [self.value(a, f) for a in node.args]
        holidays = self.schema.holidays
        if target is None:
            return
        first = node.args[0]
        match node.name:
            case "add_days" if values[1] is not None:
                yield from self.assign(first, days.add_days(target, -values[1]), f, depth + 1)
                yield from self.assign(node.args[1], days.days_between(values[0], target), f, depth + 1)
            case "days_between":
                yield from self.assign(node.args[1], days.add_days(values[0], target), f, depth + 1)
                yield from self.assign(first, days.add_days(values[1], -target), f, depth + 1)
            case "business_days_between":
                yield from self.assign(node.args[1], days.add_business_days(values[0], target, holidays), f, depth + 1)
                yield from self.assign(first, days.add_business_days(values[1], -target, holidays), f, depth + 1)
            case "add_business_days" if values[1] is not None:
                yield from self.assign(first, days.add_business_days(target, -values[1], holidays), f, depth + 1)
            case "add_months" if values[1] is not None:
                yield from self.assign(first, days.add_months(target, -values[1]), f, depth + 1)
            case "day":
                yield from self.assign(first, days.at_hour(target, 9), f, depth + 1)
            case "hours_between":
                yield from self.assign(node.args[1], days.add_hours(values[0], target), f, depth + 1)
                yield from self.assign(first, days.add_hours(values[1], -target), f, depth + 1)
            case "lower" | "abs":
                yield from self.assign(first, target, f, depth + 1)
            case "len":
                yield from self.assign(first, "x" * max(0, target), f, depth + 1)

    def _assign_aggregate(self, node: n.Aggregate, target: Any, f: Frame, depth: int) -> Iterator[Edits]:
        matching = [r for r in self._rows(node, f) if self._matches(node, r, f)]
        if node.kind == "count":
            yield from self._counted(node, len(matching), target, f, depth)
            return
        if node.kind in ("first", "last") and node.type.kind == "ref":
            yield from self._add_row(node, f, depth)
            return
        for row in matching[:2]:
            inner = {**f, node.var: row}
            wanted = target
            if node.kind == "sum" and target is not None:
                wanted = target - sum(self.value(node.value, {**f, node.var: r}) or 0 for r in matching if r is not row)
            yield from self.assign(node.value, wanted, inner, depth + 1)
        if isinstance(node.value, n.Field) and self._of(node.value, node.var):
            have = sum(self.value(node.value, {**f, node.var: r}) or 0 for r in matching) if node.kind == "sum" else 0
            more = target if target is None or node.kind != "sum" else target - have
            yield from self._add_row(node, f, depth, ((node.value.name, more),))
        else:
            yield from self._add_row(node, f, depth)

    def _counted(self, node: n.Aggregate, have: int, target: Any, f: Frame, depth: int) -> Iterator[Edits]:
        if target is None or target < 0:
            return
        if target > have:
            for (added,) in islice((e for e in self._add_row(node, f, depth) if len(e) == 1), 3):
                yield (added,) * (target - have)
            return
        matching = [r for r in self._rows(node, f) if self._matches(node, r, f) and isinstance(r, Row)]
        if have > target:
            yield tuple(DropRow(r.entity, r.id) for r in matching[: have - target])


_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_MIRROR = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
