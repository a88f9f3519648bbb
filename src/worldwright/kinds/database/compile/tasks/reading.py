"""Finding things out: the read calls by which somebody who knows only the instruction gets to the ids that a plan needs.

Every id that a call of the witness uses was in the instruction or in the result of an earlier call. A thing that was described
is searched for by what was said of it; what hangs on it is reached from there, by the tools that show it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.toolgraph import list_produced
from worldwright.kinds.database.compile.tasks.describe import Fact, Reference
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox, value_to_json
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.unit_of_work import Row
from worldwright.world.records import Call

MAX_DEPTH = 3
MAX_PAGES = 3


def find_page_size(search: c.Operation) -> int:
    """Return how many records a search shows at most."""
    return next((i.high for i in search.inputs if i.name == "limit" and i.high is not None), 50)


def needs_no_input(operation: c.Operation) -> bool:
    """Return whether an operation can be called without saying anything."""
    return all(i.optional or i.default is not None for i in operation.inputs)


class Reader:
    """Reads on a running session, and remembers what it was shown."""

    def __init__(self, sandbox: Sandbox, session: Session) -> None:
        self.sandbox = sandbox
        self.session = session
        self.blueprint = sandbox.compiled.blueprint
        self.calls: list[Call] = []
        self.seen: dict[str, int] = {}
        """Each id that was shown, with the number of the call that showed it first."""
        self._reads = [
            op
            for op in self.blueprint.operations.values()
            if op.read is not None and (not op.roles or session.role in op.roles)
        ]
        self._produces = {op.name: list_produced(self.blueprint, op.name) for op in self._reads}

    # calling

    def note(self, data: Any) -> None:
        """Remember every id in a result."""
        number = len(self.calls) - 1
        todo = [data]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                self.seen.setdefault(item, number)
            elif isinstance(item, Mapping):
                todo.extend(item.values())
            elif isinstance(item, (list, tuple)):
                todo.extend(item)

    def _read(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Make a call, once."""
        call = Call(tool, dict(arguments))
        if call in self.calls:
            return False
        result = self.session.call(tool, arguments)
        if not result.ok:
            return False
        self.calls.append(call)
        self.note(result.data)
        return True

    def _try(self, wanted: str, calls: Iterator[Call]) -> bool:
        """The first of these calls that shows an id; those that do not are not kept."""
        for call in calls:
            kept, before = len(self.calls), dict(self.seen)
            if self._read(call.tool, call.arguments):
                if wanted in self.seen:
                    return True
                del self.calls[kept:]
                self.seen = before
        return False

    # finding

    def find(self, reference: Reference) -> bool:
        """Get to a row by what was said of it."""
        return reference.id in self.seen or self._reach_by_facts(reference.entity, reference.id, reference.facts, 0)

    def look_at(self, entity: str, key: str) -> bool:
        """Get to a row, and open its record where there is a tool for that."""
        if not self.reach(entity, key):
            return False
        for op in self._reads:
            if isinstance(op.read, c.Get) and op.read.entity == entity and op.read.where is None:
                self._read(op.name, {op.inputs[0].name: key})
                break
        return True

    def _reach_by_facts(self, entity: str, key: str, facts: Sequence[Fact], depth: int) -> bool:
        if key in self.seen:
            return True
        row = self._row(entity, key)
        if row is None or depth > MAX_DEPTH:
            return False
        for column, sub in self._relations(facts).items():
            other = self._column(row, column)
            if other is not None:
                target = self.blueprint.schema.entities[entity].columns[column].type.entity
                self._reach_by_facts(target, other, sub, depth + 1)
        own = {path[0]: value for path, value in facts if len(path) == 1}
        own.update({column: self._column(row, column) for column in self._relations(facts)})
        return self._try(key, self._searches(entity, own)) or self.reach(entity, key, depth + 1)

    def _relations(self, facts: Sequence[Fact]) -> dict[str, list[Fact]]:
        out: dict[str, list[Fact]] = {}
        for path, value in facts:
            if len(path) > 1:
                out.setdefault(path[0], []).append((path[1:], value))
        return out

    def _searches(self, entity: str, own: Mapping[str, Any]) -> Iterator[Call]:
        """Searches of a table by what is known: everything at once, then single things."""
        for op in self._reads:
            if not isinstance(op.read, c.Search) or op.read.entity != entity:
                continue
            known = self._filters(op.read, own)
            if known:
                yield Call(op.name, known)
                for name, value in known.items():
                    yield Call(op.name, {name: value})

    def _filters(self, search: c.Search, own: Mapping[str, Any]) -> dict[str, Any]:
        columns = self.blueprint.schema.entities[search.entity].columns
        out = {}
        for f in search.filters:
            column = columns.get(f.column)
            if column is None:
                continue
            if column.type.kind == "ref":
                if f.op == "==" and own.get(f.column) in self.seen:
                    out[f.name] = own[f.column]
            elif f.column in own and own[f.column] is not None:
                out[f.name] = value_to_json(own[f.column], column.type)
        return out

    def reach(self, entity: str, key: str, depth: int = 0) -> bool:
        """Get to a row from what was shown already: what it refers to, what shows it, or a search by its kind."""
        if key in self.seen:
            return True
        row = self._row(entity, key)
        if row is None or depth > MAX_DEPTH:
            return False
        related = self._try(key, self._list_calls_via_relatives(entity, row))
        found = related or self._browse(entity, row) or self._reach_via_parent(entity, row, depth)
        return found or self._leaf_through(entity, key)

    def _list_calls_via_relatives(self, entity: str, row: Row) -> Iterator[Call]:
        """Yield calls for records that show this one, and searches by what it refers to."""
        relatives = dict(self._list_relatives(entity, row))
        for op in self._reads:
            if entity not in self._produces[op.name]:
                continue
            if isinstance(op.read, c.Get) and op.read.entity in relatives.values():
                for key, kind in relatives.items():
                    if kind == op.read.entity and key in self.seen:
                        yield Call(op.name, {op.inputs[0].name: key})
            elif isinstance(op.read, c.Search) and op.read.entity == entity:
                for column in self.blueprint.schema.entities[entity].refs:
                    known = self._filters(op.read, {column.name: self._column(row, column.name)})
                    if known:
                        yield Call(op.name, known)

    def _list_relatives(self, entity: str, row: Row) -> Iterator[tuple[str, str]]:
        """Yield (id, entity) of the rows that this one refers to and that refer to it."""
        schema = self.blueprint.schema
        for column in schema.entities[entity].refs:
            value = self._column(row, column.name)
            if value is not None:
                yield value, column.type.entity
        uow = self.session.unit_of_work()
        for way in schema.entities[entity].ways.values():
            for child in list(uow.children(way.entity, way.column, row.id))[:5]:
                yield child.id, way.entity

    def _reach_via_parent(self, entity: str, row: Row, depth: int) -> bool:
        """Get to what a row belongs to first, then look there."""
        for column in self.blueprint.schema.entities[entity].refs:
            value = self._column(row, column.name)
            if value is None or value in self.seen:
                continue
            kept, before = len(self.calls), dict(self.seen)
            if self.reach(column.type.entity, value, depth + 1) and self._try(
                row.id, self._list_calls_via_relatives(entity, row)
            ):
                return True
            del self.calls[kept:]
            self.seen = before
        return False

    def _browse(self, entity: str, row: Row) -> bool:
        """Search by kind, page by page: how somebody looks for anyone who qualifies."""
        columns = self.blueprint.schema.entities[entity].columns
        for op in self._reads:
            if not isinstance(op.read, c.Search) or op.read.entity != entity:
                continue
            kinds = {}
            for f in op.read.filters:
                column = columns.get(f.column)
                if column is not None and column.stored and column.type.kind in ("enum", "bool") and f.op == "==":
                    kinds[f.name] = value_to_json(self._column(row, f.column), column.type)
            by_text = any(f.column in columns and columns[f.column].type.kind == "text" for f in op.read.filters)
            if (kinds or not by_text) and self._pages(op, row.id, kinds):
                return True
        return False

    def _leaf_through(self, entity: str, key: str) -> bool:
        """Page after page without saying what is looked for, where nothing else leads there."""
        for op in self._reads:
            found = isinstance(op.read, c.Search) and op.read.entity == entity and needs_no_input(op)
            if found and self._pages(op, key, {}):
                return True
        return False

    def _pages(self, op: c.Operation, key: str, kinds: Mapping[str, Any]) -> bool:
        kept, before = len(self.calls), dict(self.seen)
        for page in range(MAX_PAGES):
            size = find_page_size(op)
            arguments: dict[str, Any] = {**kinds, "limit": size}
            if page:
                arguments["offset"] = size * page
            if not self._read(op.name, arguments):
                break
            if key in self.seen:
                return True
        del self.calls[kept:]
        self.seen = before
        return False

    def sweep(self, entity: str, pages: int) -> None:
        """Read everything that a search shows without being told what to look for."""
        for op in self._reads:
            if not isinstance(op.read, c.Search) or op.read.entity != entity or op.read.where is not None:
                continue
            if not needs_no_input(op):
                continue
            size = find_page_size(op)
            for page in range(pages):
                before = len(self.seen)
                self._read(op.name, {"limit": size, **({"offset": size * page} if page else {})})
                if len(self.seen) == before:
                    break
            return

    def _row(self, entity: str, key: str) -> Row | None:
        return self.session.unit_of_work().row(entity, key)

    def _column(self, row: Row, name: str) -> Any:
        position = self.sandbox.compiled.tables[row.entity].position
        return row.values[position[name]] if name in position else None
