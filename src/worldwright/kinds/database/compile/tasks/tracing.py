"""The facts that decide: which values of which records an expression rests on, on a state.

A rule that forbids something, a choice that a rule or a goal allows, an amount that is worked out, an answer: each is an
expression, and what it reads is what somebody has to have seen. Of a condition that fails because of one part, that part is enough;
of one that holds by one of several, that one. Of an aggregate, the rows that count; and that there are no others is seen by a look
at where they would be listed.

Not asked for: that a list was turned to its last page, that each of the rows was seen that do not count, and of a rule over a whole
table more than a look into it and the rows that count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Frame, Run
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.unit_of_work import Row

MAX_NEEDS = 400
"""Facts that one expression may rest on."""
PICKED = "#picked"
"""In place of a column: that a record is the one which an order picks, where a tool shows something of just that one."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of a record."""

    entity: str
    id: str
    column: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows of a table that refer to a record by a column; all of them where there is no such record."""

    entity: str
    column: str = ""
    of: str = ""
    id: str = ""
    counted: tuple[str, ...] = ()
    """The rows among them that count: where somebody has made all of these, nothing has to be looked up."""
    near: tuple[tuple[str, str], ...] = ()
    """(entity, id) of what the record itself refers to: a look at what belongs to those shows its rows too."""


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Each of several ways to know something, each with everything that it takes."""

    options: tuple[tuple[Need, ...], ...]


Need: TypeAlias = Cell | Listing | AnyOf


def list_records(needs: Sequence[Need]) -> Iterator[tuple[str, str]]:
    """Yield (entity, id) of the records that facts are taken from, in the first of the ways to know each."""
    for need in needs:
        match need:
            case Cell():
                yield need.entity, need.id
            case AnyOf(options=options):
                yield from list_records(options[0])


class TooMuch(Exception):
    """An expression rests on more than anybody looks at."""


class Tracer:
    """Finds what expressions rest on."""

    def __init__(self, compiled: CompiledWorld) -> None:
        self._blueprint = compiled.blueprint
        self._evaluator = compiled.evaluator
        self._runs: dict[tuple[str, int], tuple[n.Node, Run]] = {}

    def list_needs(self, node: n.Node, uow: Any, frame: Frame) -> tuple[Need, ...]:
        """List what an expression rests on, each once."""
        found: dict[Need, None] = {}
        for need in self._trace(node, uow, frame):
            found[need] = None
            if len(found) > MAX_NEEDS:
                raise TooMuch
        return tuple(found)

    def _run(self, how: str, node: n.Node) -> Run:
        at = (how, id(node))
        if at not in self._runs:
            self._runs[at] = (node, getattr(self._evaluator, how)(node))
        return self._runs[at][1]

    def _holds(self, node: n.Node, uow: Any, frame: Frame) -> bool:
        return bool(self._run("truth", node)(uow, frame))

    def _trace(self, node: n.Node, uow: Any, frame: Frame) -> Iterator[Need]:
        match node:
            case n.Const() | n.Var() | n.Draw():
                return
            case n.Field():
                yield from self._trace_field(node, uow, frame)
            case n.And():
                yield from self._trace_items(node.items, uow, frame, decisive=False)
            case n.Or():
                yield from self._trace_items(node.items, uow, frame, decisive=True)
            case n.If():
                yield from self._trace(node.test, uow, frame)
                branch = node.then if self._holds(node.test, uow, frame) else node.other
                yield from self._trace(branch, uow, frame)
            case n.TermCall():
                term = self._blueprint.terms[node.name]
                yield from self._trace_named(tuple(term.takes), term.body, node.args, uow, frame)
            case n.Obeys():
                policy = self._blueprint.policies[node.policy]
                yield from self._trace_named(tuple(policy.takes), policy.binding, node.args, uow, frame)
            case n.Aggregate() | n.ListOf():
                yield from self._trace_rows(node, uow, frame)
            case _:
                for child in n.children(node):
                    yield from self._trace(child, uow, frame)

    def _trace_items(self, items: Sequence[n.Node], uow: Any, frame: Frame, decisive: bool) -> Iterator[Need]:
        """Trace the parts of a condition: each by which alone it is decided is a way to know it, or else all are needed."""
        alone = [item for item in items if self._holds(item, uow, frame) is decisive]
        if not alone:
            for item in items:
                yield from self._trace(item, uow, frame)
            return
        options = tuple(tuple(dict.fromkeys(self._trace(item, uow, frame))) for item in alone)
        yield from options[0] if len(options) == 1 else () if () in options else (AnyOf(options),)

    def _trace_field(self, node: n.Field, uow: Any, frame: Frame) -> Iterator[Need]:
        yield from self._trace(node.base, uow, frame)
        if node.base.type.kind == "row" or node.name == "id":
            return
        row = self._run("row", node.base)(uow, frame)
        if row is None:
            return
        entity = node.base.type.entity
        if self._is_own_role(row, node.name, uow):
            return
        cell = Cell(entity, row.id, node.name)
        body = self._blueprint.computed.get((entity, node.name)) or self._blueprint.kept.get((entity, node.name))
        yield cell if body is None else AnyOf(((cell,), tuple(dict.fromkeys(self._trace(body, uow, {"self": row})))))

    def _is_own_role(self, row: Row, column: str, uow: Any) -> bool:
        """Tell whether it is the role of who acts, which everybody is told."""
        schema, actor = self._blueprint.schema, uow.actor
        return actor is not None and (row.entity, row.id, column) == (schema.actor, actor.id, schema.role_field)

    def _trace_named(
        self, names: Sequence[str], body: n.Node, args: Sequence[n.Node], uow: Any, frame: Frame
    ) -> Iterator[Need]:
        inner = {name: self._run("bind", arg)(uow, frame) for name, arg in zip(names, args, strict=True)}
        used = n.free_names(body)
        for name, arg in zip(names, args, strict=True):
            if name in used:
                yield from self._trace(arg, uow, frame)
        yield from self._trace(body, uow, inner)

    def _trace_rows(self, node: n.Aggregate | n.ListOf, uow: Any, frame: Frame) -> Iterator[Need]:
        """Trace the rows of an aggregate that count, and that one has looked where they are."""
        rows = node.rows
        if rows is None:
            return
        parts = [p for p in self._list_parts(node) if p is not None]
        if rows.base is not None:
            yield from self._trace(rows.base, uow, frame)
        counted = []
        for row in self._evaluator.source(rows)(uow, frame):
            if node.where is None or self._holds(node.where, uow, {**frame, node.var: row}):
                counted.append(row)
                if isinstance(node, n.Aggregate) and node.kind in ("exists", "any", "favourite"):
                    break
        if len(counted) > MAX_NEEDS:
            raise TooMuch
        found: list[Need] = []
        if not rows.items:
            found += self._trace_listing(rows, tuple(row.id for row in counted), uow, frame)
        for row in counted:
            for part in parts:
                found += self._trace(part, uow, {**frame, node.var: row})
        best = self._find_picked(node, uow, frame)
        yield from (
            found if best is None else (AnyOf((tuple(dict.fromkeys(found)), (Cell(rows.entity, best, PICKED),))),)
        )

    def _find_picked(self, node: n.Aggregate | n.ListOf, uow: Any, frame: Frame) -> str | None:
        """Find the row that an order picks, where it picks one."""
        if not isinstance(node, n.Aggregate) or node.kind not in ("first", "last") or node.type.kind != "ref":
            return None
        row = self._run("row", node)(uow, frame)
        return None if row is None else str(row.id)

    @staticmethod
    def _list_parts(node: n.Aggregate | n.ListOf) -> tuple[n.Node | None, ...]:
        if isinstance(node, n.Aggregate):
            return node.where, node.value, node.by
        return node.where, *(value for _, value in node.parts)

    def _trace_listing(self, rows: n.Rows, counted: tuple[str, ...], uow: Any, frame: Frame) -> Iterator[Need]:
        if rows.base is None:
            yield Listing(rows.entity, counted=counted)
            return
        row = self._run("row", rows.base)(uow, frame)
        if row is not None:
            values = {
                column.type.entity: row.values[uow.position(row.entity, column.name)]
                for column in self._blueprint.schema.entities[row.entity].refs
            }
            near = tuple((entity, key) for entity, key in values.items() if key is not None)
            yield Listing(rows.entity, rows.column, row.entity, row.id, counted, near)

    def list_choice_needs(self, node: n.Node, uow: Any, frame: Frame, chosen: Row) -> tuple[Need, ...]:
        """List what shows that a row was one of those that an expression leaves open."""
        if not (isinstance(node, n.Aggregate) and node.kind in ("any", "favourite")):
            return self.list_needs(node, uow, frame)
        inner = {**frame, node.var: chosen}
        return self.list_needs(node.where, uow, inner) if node.where is not None else ()
