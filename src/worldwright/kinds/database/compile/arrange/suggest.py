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
from worldwright.blueprint.types import BOOL
from worldwright.kinds.database.compile.arrange.edits import (
    AddRow,
    DropRow,
    Edits,
    PointTo,
    SetArg,
    SetClock,
    SetField,
    Values,
)
from worldwright.kinds.database.compile.arrange.inverse import invert, list_parts
from worldwright.kinds.database.compile.arrange.scene_reader import MIRROR, OPPOSITE, SceneReader, is_field_of
from worldwright.kinds.database.unit_of_work import Row

MAX_DEPTH = 14
MAX_PER_PART = 12
"""Suggestions taken from each part of a condition."""


class Suggester:
    """Takes conditions of one operation apart against what is on the stage now."""

    def __init__(self, sight: SceneReader, operation: c.Operation, clock: bool = False) -> None:
        self.sight = sight
        self.inlined = sight.meanings.resolve
        self.operation = operation
        self.schema = sight.schema
        self.clock = clock
        """Whether the time may be changed too: the last resort, since a test at another time is harder to read."""

    def _resolve(self, node: n.Node) -> n.Node:
        """Resolve a name, and the names in its place, as far as there are any."""
        for _ in range(MAX_DEPTH):
            body = self.inlined(node)
            if body is None:
                break
            node = body
        return node

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
                yield from self._make_joined(node, want, f, depth + 1)
            case n.Compare():
                yield from self._compare(node, want, f, depth + 1)
            case n.IsNone():
                yield from self._make_none(node, want, f, depth + 1)
            case n.InValues():
                values = [v.value for v in node.values]
                for target in values if want else self.sight.other_values(values, node.item.type):
                    yield from islice(self.assign(node.item, target, f, depth + 1), MAX_PER_PART)
            case n.InText():
                needle = self.sight.value(node.needle, f)
                if needle is not None:
                    text = f"about {needle}" if want else "nothing of the kind"
                    yield from self.assign(node.text, text, f, depth + 1)
            case n.If():
                for test, branch in ((True, node.then), (False, node.other)):
                    yield from self._make_all(((node.test, test), (branch, want)), f, depth + 1)
            case n.Aggregate():
                yield from self._make_quantified(node, want, f, depth + 1)
            case n.Var() | n.Field():
                yield from self.assign(node, int(want), f, depth + 1)

    def _make_all(self, wanted: tuple[tuple[n.Node, bool], ...], f: Frame, depth: int) -> Iterator[Edits]:
        """Combine the edits of every part that is not as wanted."""
        lists: list[list[Edits]] = []
        for node, want in wanted:
            if bool(self.sight.value(node, f)) == want:
                continue
            found = list(islice(self.make(node, want, f, depth), MAX_PER_PART))
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

    def _make_joined(self, node: n.And | n.Or, want: bool, f: Frame, depth: int) -> Iterator[Edits]:
        if isinstance(node, n.And) == want:
            yield from self._make_all(tuple((i, want) for i in node.items), f, depth)
            return
        for item in node.items:
            yield from islice(self.make(item, want, f, depth), MAX_PER_PART)

    def _compare(self, node: n.Compare, want: bool, f: Frame, depth: int) -> Iterator[Edits]:
        left, right = self.sight.value(node.left, f), self.sight.value(node.right, f)
        op = node.op if want else OPPOSITE[node.op]
        options = [(node.left, target) for target in self.sight.targets(op, right, node.left.type)]
        options += [(node.right, target) for target in self.sight.targets(MIRROR[op], left, node.right.type)]
        # Hardly any number in a business is below zero; a scene that needs one is tried last.
        for side, target in sorted(options, key=lambda o: isinstance(o[1], int) and o[1] < 0):
            yield from islice(self.assign(side, target, f, depth), MAX_PER_PART)
        if op == "!=" and node.left.type.kind == "ref":
            yield from self._point_to_new(node.left, f)
            yield from self._point_to_new(node.right, f)

    def edge(self, node: n.Compare, want: bool, f: Frame) -> Iterator[Edits]:
        """Edits that put an ordering comparison just on this side of its boundary."""
        left, right = self.sight.value(node.left, f), self.sight.value(node.right, f)
        op = node.op if want else OPPOSITE[node.op]
        if right is not None:
            yield from islice(
                self.assign(node.left, self.sight.nearest_value(op, right, node.left.type), f), MAX_PER_PART
            )
        if left is not None:
            yield from islice(
                self.assign(node.right, self.sight.nearest_value(MIRROR[op], left, node.right.type), f), MAX_PER_PART
            )

    def is_at_edge(self, node: n.Compare, want: bool, f: Frame) -> bool:
        """Return whether an ordering comparison is just on this side of its boundary."""
        left, right = self.sight.value(node.left, f), self.sight.value(node.right, f)
        op = node.op if want else OPPOSITE[node.op]
        return left is not None and right is not None and left == self.sight.nearest_value(op, right, node.left.type)

    def _make_none(self, node: n.IsNone, want: bool, f: Frame, depth: int) -> Iterator[Edits]:
        if want:
            yield from self.assign(node.item, None, f, depth)
            return
        kind = node.item.type
        item = self._resolve(node.item)
        if isinstance(item, n.Aggregate) and kind.kind == "ref":
            yield from self._add_row(item, f, depth)
            return
        if kind.kind == "ref" and isinstance(item, n.Field):
            yield from self._point_to_new(item, f)
        for value in self.sight.examples(kind):
            yield from self.assign(item, value, f, depth)
        if kind.kind == "ref" and isinstance(item, n.Var):
            yield from self._point_to_new(item, f)

    def _point_to_new(self, node: n.Node, f: Frame, values: Values = ()) -> Iterator[Edits]:
        """Let a reference lead to a new row: a field, an argument, or a part of a list's elements."""
        node = self._resolve(node)
        target = node.type.entity
        match node:
            case n.Var() if self.operation.input(node.name) is not None:
                yield (PointTo("", "", node.name, target, values),)
            case n.Field() if node.base.type.kind == "row":
                for i in self.operation.inputs:
                    if any(p.name == node.name for p in i.parts):
                        yield (PointTo("", "", f"{i.name}[].{node.name}", target, values),)
            case n.Field():
                owner = self.sight.row(node.base, f)
                if owner is not None:
                    yield (PointTo(owner.entity, owner.id, node.name, target, values),)

    # rows

    def _make_quantified(self, node: n.Aggregate, want: bool, f: Frame, depth: int) -> Iterator[Edits]:
        """Make `exists` and `all` as wanted; other aggregates are values."""
        if node.kind == "all":
            broken = n.Not(BOOL, node.value)
            where: n.Node = broken if node.where is None else n.And(BOOL, (node.where, broken))
            node, want = n.Aggregate(BOOL, "exists", node.var, node.rows, where, node.value), not want
        if not want:
            yield from self._remove_matching(node, f, depth)
            return
        yield from self._add_row(node, f, depth)
        for row in self.sight.rows(node, f)[:3]:
            if node.where is not None:
                yield from islice(self.make(node.where, True, {**f, node.var: row}, depth), MAX_PER_PART)

    def _remove_matching(self, node: n.Aggregate, f: Frame, depth: int) -> Iterator[Edits]:
        """Leave no row that the aggregate looks for: gone, or not as its condition says."""
        matching = self.sight.matching_rows(node, f)
        if not matching:
            return
        if all(isinstance(r, Row) for r in matching):
            yield tuple(DropRow(r.entity, r.id) for r in matching)
        if node.where is not None:
            options = [
                list(islice(self.make(node.where, False, {**f, node.var: r}, depth), MAX_PER_PART)) for r in matching
            ]
            for i in range(min(map(len, options), default=0)):
                yield tuple(e for found in options for e in found[i])

    def _add_row(self, node: n.Aggregate, f: Frame, depth: int, extra: Values = ()) -> Iterator[Edits]:
        """A new row that the aggregate counts: what its condition says of the row, written into it."""
        if node.rows.items or not node.rows.entity:
            return
        values: dict[str, Any] = {}
        if node.rows.base is not None:
            key = self.sight.value(node.rows.base, f)
            if key is None:
                return
            values[node.rows.column] = key
        for option in self.sight.describe_row(node.where, node.var, f):
            yield (AddRow(node.rows.entity, tuple({**values, **option, **dict(extra)}.items())),)

    # values

    def assign(self, node: n.Node, target: Any, f: Frame, depth: int = 0) -> Iterator[Edits]:
        """Edits that might give an expression a value."""
        if depth > MAX_DEPTH:
            return
        body = self.inlined(node)
        if body is not None:
            yield from self.assign(body, target, f, depth + 1)
            return
        match node:
            case n.Var():
                yield from self._assign_name(node, target)
            case n.Field():
                yield from self._assign_field(node, target, f, depth)
            case n.Arith() | n.Scale() | n.Divide() | n.Call():
                values = [self.sight.value(part, f) for part in list_parts(node)]
                for part, value in invert(node, values, target, self.schema.holidays):
                    yield from self.assign(part, value, f, depth + 1)
            case n.Either():
                left = list(islice(self.assign(node.left, target, f, depth + 1), MAX_PER_PART))
                right = list(islice(self.assign(node.right, target, f, depth + 1), MAX_PER_PART))
                yield from (a + b for a, b in zip(left, right, strict=False))
                yield from left
                yield from right
            case n.If() if node.type.kind != "bool":
                branch = node.then if self.sight.value(node.test, f) else node.other
                yield from self.assign(branch, target, f, depth + 1)
                for test in (True, False):
                    yield from islice(self.make(node.test, test, f, depth + 1), MAX_PER_PART)
            case n.Aggregate() if node.type.kind != "bool":
                yield from self._assign_aggregate(node, target, f, depth)
            case _ if node.type.kind == "bool":
                yield from self.make(node, bool(target), f, depth + 1)

    def _assign_name(self, node: n.Var, target: Any) -> Iterator[Edits]:
        if self.operation.input(node.name) is not None:
            yield (SetArg(node.name, target),)
        elif self.clock and node.name in ("now", "today") and target is not None:
            yield (SetClock(target if node.name == "now" else target + self.schema.now[10:]),)

    def _assign_field(self, node: n.Field, target: Any, f: Frame, depth: int) -> Iterator[Edits]:
        if node.base.type.kind == "row":
            yield from self._assign_part(node, target)
            return
        row = self.sight.row(node.base, f)
        if row is not None and node.name != "id":
            column = self.schema.entities[row.entity].columns[node.name]
            if target is not None or column.optional:
                yield (SetField(row.entity, row.id, node.name, target),)
        elif row is None:
            base = self._resolve(node.base)
            if isinstance(base, n.Aggregate):
                yield from self._add_row(base, f, depth + 1, ((node.name, target),))
            else:
                yield from self._point_to_new(base, f, ((node.name, target),))

    def _assign_part(self, node: n.Field, target: Any) -> Iterator[Edits]:
        """A part of the elements of a list input: of all of them."""
        for i in self.operation.inputs:
            if any(p.name == node.name for p in i.parts) and i.parts[0].name:
                yield (SetArg(f"{i.name}[].{node.name}", target),)

    def _assign_aggregate(self, node: n.Aggregate, target: Any, f: Frame, depth: int) -> Iterator[Edits]:
        matching = self.sight.matching_rows(node, f)
        if node.kind == "count":
            yield from self._make_count(node, matching, target, f, depth)
            return
        if node.kind in ("first", "last") and node.type.kind == "ref":
            yield from self._remove_matching(node, f, depth) if target is None else self._add_row(node, f, depth)
            return
        have = [self.sight.value(node.value, {**f, node.var: r}) or 0 for r in matching] if node.kind == "sum" else []
        for i, row in enumerate(matching[:2]):
            wanted = target - (sum(have) - have[i]) if have and target is not None else target
            yield from self.assign(node.value, wanted, {**f, node.var: row}, depth + 1)
        if isinstance(node.value, n.Field) and is_field_of(node.value, node.var):
            more = target - sum(have) if have and target is not None else target
            yield from self._add_row(node, f, depth, ((node.value.name, more),))
        else:
            yield from self._add_row(node, f, depth)

    def _make_count(self, node: n.Aggregate, matching: list[Any], target: Any, f: Frame, depth: int) -> Iterator[Edits]:
        if target is None or target < 0:
            return
        more = target - len(matching)
        if more > 0:
            for (added,) in islice(self._add_row(node, f, depth), 3):
                assert isinstance(added, AddRow)
                yield (replace(added, times=more),)
        elif more < 0:
            yield tuple(DropRow(r.entity, r.id) for r in matching[:-more] if isinstance(r, Row))
