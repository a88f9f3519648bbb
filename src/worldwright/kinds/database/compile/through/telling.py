"""What somebody can tell who has read a world through a contract: whether everything was shown that an expression rests on.

Values of one record have to be shown. What is counted, added up or picked over many records can be told where each of them was
seen with what decides it, or where a tool lists just those that count. Of a condition that one part decides, that part is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Frame, Run
from worldwright.blueprint.types import ref
from worldwright.kinds.database.compile.tasks.tracing import PICKED, AnyOf, Cell, Listing, Need
from worldwright.kinds.database.compile.through.reading import Reading
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.records import to_json
from worldwright.kinds.database.unit_of_work import Row, UnitOfWork
from worldwright.kinds.database.verify.patterns import read_stored


class Telling:
    """Says of expressions on a state what of them was not shown."""

    def __init__(self, compiled: CompiledWorld, reading: Reading, linked: bool = False) -> None:
        self._compiled = compiled
        self._evaluator = compiled.evaluator
        self._reading = reading
        self._linked = linked
        """Whether values count only where they were shown together with the id of their record."""
        self.made: dict[str, str] = {}
        """By id, the entity of records that were made since the reading: they are shown as others of their kind are."""
        self._runs: dict[tuple[str, int], tuple[n.Node, Run]] = {}
        self._covered: dict[int, tuple[n.Node, bool]] = {}

    def find_lack(self, node: n.Node, uow: UnitOfWork, frame: Frame) -> str:
        """Say what an expression rests on that was not shown; empty where all of it was."""
        match node:
            case n.Const() | n.Var() | n.Draw():
                return ""
            case n.Field():
                return self._find_lack_of_field(node, uow, frame)
            case n.And():
                return self._find_lack_of_items(node.items, uow, frame, decisive=False)
            case n.Or():
                return self._find_lack_of_items(node.items, uow, frame, decisive=True)
            case n.If():
                branch = node.then if self._holds(node.test, uow, frame) else node.other
                return self.find_lack(node.test, uow, frame) or self.find_lack(branch, uow, frame)
            case n.TermCall():
                term = self._compiled.blueprint.terms[node.name]
                return self._find_lack_of_named(tuple(term.takes), term.body, node.args, uow, frame)
            case n.Obeys():
                policy = self._compiled.blueprint.policies[node.policy]
                return self._find_lack_of_named(tuple(policy.takes), policy.binding, node.args, uow, frame)
            case n.Aggregate() | n.ListOf():
                return "" if self.is_covered(node) else self._find_lack_of_rows(node, uow, frame)
        return self._first(self.find_lack(child, uow, frame) for child in n.children(node))

    def is_covered(self, node: n.Node) -> bool:
        """Tell whether every value that an expression may read of any record was shown: then nothing has to be looked at closer."""
        if id(node) not in self._covered:
            self._covered[id(node)] = (node, all(map(self._is_part_covered, n.walk(node))))
        return self._covered[id(node)][1]

    def _is_part_covered(self, node: n.Node) -> bool:
        blueprint = self._compiled.blueprint
        match node:
            case n.Field():
                if node.base.type.kind == "row" or node.name == "id":
                    return True
                return self._reading.covers(node.base.type.entity, node.name, self._linked)
            case n.TermCall():
                return self.is_covered(blueprint.terms[node.name].body)
            case n.Obeys():
                return self.is_covered(blueprint.policies[node.policy].binding)
            case n.Aggregate() | n.ListOf():
                rows = node.rows
                return rows is None or bool(rows.items) or self._reading.covers(rows.entity, rows.column, self._linked)
        return True

    @staticmethod
    def _first(lacks: Iterator[str]) -> str:
        return next((lack for lack in lacks if lack), "")

    def _holds(self, node: n.Node, uow: UnitOfWork, frame: Frame) -> bool:
        return bool(self._run("truth", node)(uow, frame))

    def _run(self, how: str, node: n.Node) -> Run:
        at = (how, id(node))
        if at not in self._runs:
            self._runs[at] = (node, getattr(self._evaluator, how)(node))
        return self._runs[at][1]

    def _find_lack_of_field(self, node: n.Field, uow: UnitOfWork, frame: Frame) -> str:
        lack = self.find_lack(node.base, uow, frame)
        if lack or node.base.type.kind == "row":
            return lack
        row = self._run("row", node.base)(uow, frame)
        if row is None:
            return ""
        if node.name == "id":
            return "" if self.has_id(row.entity, row.id) else f"the id of {row.id}"
        return self.find_lack_of_value(row, node.name, uow)

    def find_lack_of_value(self, row: Row, column: str, uow: UnitOfWork) -> str:
        """Say what of a value of a record was not shown: itself, or what it is worked out from."""
        blueprint = self._compiled.blueprint
        if self.has_value(row.entity, row.id, column) or self._is_actor(row, uow, column):
            return ""
        body = blueprint.computed.get((row.entity, column)) or blueprint.kept.get((row.entity, column))
        if body is not None and not self.find_lack(body, uow, {"self": row}):
            return ""
        return f"{column} of {row.entity} {row.id}"

    def _is_actor(self, row: Row, uow: UnitOfWork, column: str) -> bool:
        """Tell whether it is the role of who acts, which everybody is told."""
        schema = self._compiled.blueprint.schema
        own = None if uow.actor is None else (schema.actor, uow.actor.id, schema.role_field)
        return (row.entity, row.id, column) == own

    def _find_lack_of_items(self, items: Sequence[n.Node], uow: UnitOfWork, frame: Frame, decisive: bool) -> str:
        """Each part by which alone a condition is decided is a way to know it; or else all are needed."""
        alone = [item for item in items if self._holds(item, uow, frame) is decisive]
        lacks = [self.find_lack(item, uow, frame) for item in alone or items]
        return (lacks[0] if all(lacks) else "") if alone else self._first(iter(lacks))

    def _find_lack_of_named(
        self, names: Sequence[str], body: n.Node, args: Sequence[n.Node], uow: UnitOfWork, frame: Frame
    ) -> str:
        inner = {name: self._run("bind", arg)(uow, frame) for name, arg in zip(names, args, strict=True)}
        used = n.free_names(body)
        given = [arg for name, arg in zip(names, args, strict=True) if name in used]
        return self._first(self.find_lack(arg, uow, frame) for arg in given) or self.find_lack(body, uow, inner)

    def _find_lack_of_rows(self, node: n.Aggregate | n.ListOf, uow: UnitOfWork, frame: Frame) -> str:
        rows = node.rows
        if rows is None:
            return ""
        if rows.items:
            parts = [p for p in _list_parts(node) if p is not None]
            every = list(self._evaluator.source(rows)(uow, frame))
            return self._first(self.find_lack(p, uow, {**frame, node.var: row}) for row in every for p in parts)
        tests = [] if node.where is None else list_conjuncts(node.where)
        every = list(self._evaluator.source(rows)(uow, frame))
        lack, narrowed = "", False
        if rows.base is not None:
            owner = self._run("row", rows.base)(uow, frame)
            lack = self.find_lack(rows.base, uow, frame)
            narrowed = owner is not None and self._lists(rows.entity, rows.column, "==", owner.id, every)
        if lack:
            return lack
        lack, left = self.narrow(rows.entity, (node.var,), tests, every, uow, frame, narrowed)
        return lack or self._first(
            self.find_lack(part, uow, {**frame, node.var: row})
            for row in left
            for part in _list_parts(node)
            if part is not None
        )

    def narrow(
        self,
        entity: str,
        names: Sequence[str],
        tests: Sequence[n.Node],
        rows: Sequence[Row],
        uow: UnitOfWork,
        frame: Frame,
        narrowed: bool = False,
    ) -> tuple[str, list[Row]]:
        """Find which of these rows pass all tests, by what was shown; and what was not shown that it takes.

        `names` are what the tests call the row. `narrowed`: that these rows are all of theirs is known."""

        def frame_of(row: Row) -> Frame:
            return {**frame, **dict.fromkeys(names, row)}

        left, waiting = list(rows), list(tests)
        for test in tests:
            found = self._read_comparison(test, names, uow, frame)
            if found is not None:
                fitting = [row for row in left if self._holds(test, uow, frame_of(row))]
                if self._lists(entity, *found, fitting):
                    left, narrowed = fitting, True
                    waiting.remove(test)
        unseen = next((row for row in left if not narrowed and not self._is_seen(row)), None)
        if unseen is not None:
            return f"every {entity}: nothing shows {unseen.id}", []
        lack = ""
        while waiting:
            for test in waiting:
                known = self.is_covered(test)
                lack = "" if known else self._first(self.find_lack(test, uow, frame_of(row)) for row in left)
                if not lack:
                    left = [row for row in left if self._holds(test, uow, frame_of(row))]
                    waiting.remove(test)
                    break
            else:
                return lack, []
        return "", left

    def _read_comparison(
        self, test: n.Node, names: Sequence[str], uow: UnitOfWork, frame: Frame
    ) -> tuple[str, str, Any] | None:
        """Read a test as the (column, comparison, value) of a filter; None where it is none."""
        if not isinstance(test, n.Compare) or test.op not in ("==", "<=", ">="):
            return None
        field, other = test.left, test.right
        if not (isinstance(field, n.Field) and isinstance(field.base, n.Var) and field.base.name in names):
            if test.op != "==":
                return None
            field, other = other, field
        if not (isinstance(field, n.Field) and isinstance(field.base, n.Var) and field.base.name in names):
            return None
        if n.free_names(other) & set(names):
            return None
        value = self._run("bind", other)(uow, frame)
        value = value.id if isinstance(value, Row) else to_json(value, field.type)
        return None if value is None else (field.name, test.op, value)

    def _lists(self, entity: str, column: str, op: str, value: Any, fitting: Sequence[Row]) -> bool:
        """Tell whether just these rows can be asked for; of those that were made since, one has made them oneself."""
        known = self._reading.can_list(entity, column, op, value)
        return known and all(self._is_seen(row) for row in fitting)

    def _is_seen(self, row: Row) -> bool:
        return row.id in self._reading.rows or row.id in self.made

    def has_id(self, entity: str, key: str) -> bool:
        """Tell whether somebody knows an id: it was shown or stated, or is one of a kind whose ids are all listed."""
        return self._reading.has_id(entity, key) or (
            key in self.made and all(self._reading.has_id(entity, row.id) for row in self._opening(entity))
        )

    def has_value(self, entity: str, key: str, column: str) -> bool:
        """Tell whether a value of a record was shown, or would be after it was made."""
        if self._reading.has_value(key, column, self._linked):
            return True
        every = self._opening(entity) if key in self.made else ()
        return bool(every) and all(self._reading.has_value(row.id, column, self._linked) for row in every)

    def _opening(self, entity: str) -> Sequence[Row]:
        return self._reading.list_rows(entity)

    def drop_unshown(self, node: n.Node) -> n.Node:
        """The same condition without what it asks of records by a mark that no tool shows: that nothing was done with them yet."""
        match node:
            case n.And():
                kept = [self.drop_unshown(item) for item in node.items if not self._is_unshown_mark(item)]
                return replace(node, items=tuple(kept) or (n.TRUE,))
            case n.Not():
                return replace(node, item=self.drop_unshown(node.item))
            case n.Aggregate() if node.where is not None:
                return replace(node, where=self.drop_unshown(node.where))
        return n.TRUE if self._is_unshown_mark(node) else node

    def _is_unshown_mark(self, node: n.Node) -> bool:
        mark = node.item if isinstance(node, n.Not) else node
        return isinstance(mark, n.IsNone) and not self.is_covered(mark)

    # facts

    def find_lack_of_needs(self, needs: Sequence[Need], uow: UnitOfWork) -> str:
        """Say which of the facts that something rests on were not shown."""
        return self._first(self._find_lack_of_need(need, uow) for need in needs)

    def _find_lack_of_need(self, need: Need, uow: UnitOfWork) -> str:
        match need:
            case AnyOf(options=options):
                lacks = [self.find_lack_of_needs(option, uow) for option in options]
                return lacks[0] if lacks and all(lacks) else ""
            case Cell():
                row = uow.row(need.entity, need.id)
                if row is None:
                    return ""
                if need.column == PICKED:
                    return "" if self.has_id(need.entity, need.id) else f"that it is {need.id}"
                return self.find_lack_of_value(row, need.column, uow)
            case Listing():
                counted = [row for key in need.counted if (row := uow.row(need.entity, key)) is not None]
                if need.id and self._lists(need.entity, need.column, "==", need.id, counted):
                    return ""
                unseen = next((row for row in self._opening(need.entity) if not self._is_seen(row)), None)
                return "" if unseen is None else f"every {need.entity}: nothing shows {unseen.id}"


def list_conjuncts(node: n.Node) -> list[n.Node]:
    """List the conditions that must all hold."""
    return [part for item in node.items for part in list_conjuncts(item)] if isinstance(node, n.And) else [node]


def _list_parts(node: n.Aggregate | n.ListOf) -> tuple[n.Node | None, ...]:
    """List what an aggregate reads of the rows that count."""
    return (node.value, node.by) if isinstance(node, n.Aggregate) else tuple(value for _, value in node.parts)


def make_tests(where: Sequence[Mapping[str, Any]], entity: str, compiled: CompiledWorld) -> list[n.Node]:
    """The conditions of a request over many records as expressions on `self`."""
    columns = compiled.blueprint.schema.entities[entity].columns
    out: list[n.Node] = []
    for one in where:
        kind = columns[one["field"]].type
        field = n.Field(kind, n.Var(ref(entity), "self"), one["field"])
        value = read_stored(one["value"], kind, one["field"])
        out.append(n.Compare(n.TRUE.type, one["op"], field, n.Const(kind, value)))
    return out
