"""Finding things out: the read calls by which somebody who knows only the instruction gets to the ids and facts that a plan needs.

Every value that a call uses was in the instruction or the handbook, is listed by the tool, or was in the result of an earlier call
(`known`). A thing that was described is searched for by what was said of it; what hangs on it is reached from there, by the tools
that show it. The state tells the reader only which of the calls that it could make leads on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.toolgraph import list_produced
from worldwright.kinds.database.arguments import value_to_json
from worldwright.kinds.database.compile.tasks.describe import Fact, Reference
from worldwright.kinds.database.compile.tasks.known import DAY_ENDS, LISTED, Known, list_values
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.compile.tasks.seeing import Sight
from worldwright.kinds.database.compile.tasks.tracing import AnyOf, Cell, Listing, Need
from worldwright.kinds.database.handbook import render_handbook
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.unit_of_work import Row
from worldwright.world.records import Call, Result

MAX_DEPTH = 3
MAX_PAGES = 3
MAX_SMALL_PAGES = 12
"""The same through a contract, whose pages may be small."""
MAX_PAGES_OF_A_LIST = 8
"""Pages that are turned to see all of a list."""


def find_page_size(search: c.Operation) -> int:
    """Return how many records a search shows at most."""
    return next((i.high for i in search.inputs if i.name == "limit" and i.high is not None), 50)


def needs_no_input(operation: c.Operation) -> bool:
    """Return whether an operation can be called without saying anything."""
    return answers_with(operation, {})


def answers_with(operation: c.Operation, given: Mapping[str, Any]) -> bool:
    """Return whether an operation can be called with nothing but these inputs."""
    return all(i.name in given or i.optional or i.default is not None for i in operation.inputs)


class Reader:
    """Reads on a running session, and remembers what it was told and shown."""

    def __init__(self, sandbox: Sandbox, session: Session, request: str) -> None:
        self.sandbox = sandbox
        self.session = session
        self.blueprint = sandbox.compiled.blueprint
        handbook = sandbox.compiled.derive(_render)
        self.known = Known(request, handbook, session.clock, sandbox.compiled.specs)
        self.sight = Sight(sandbox.compiled, self.known, session.role)
        self.sources: list[dict[str, str]] = []
        """By call, where each argument comes from."""
        self._since = 0
        """The number of calls before time last passed: what was read before may be otherwise now."""
        self._next: int | None = None
        """Where the next page of the last list begins; None where there is none."""
        self._reads = self.sight.reads
        self._produces = {op.name: list_produced(self.blueprint, op.name) for op in self._reads}

    @property
    def calls(self) -> list[Call]:
        return self.known.calls

    # calling

    def note(self, call: Call, result: Result, sources: Mapping[str, str]) -> None:
        """Take in what a call showed, and where its arguments came from."""
        self.sources.append(dict(sources))
        self.sight.note(call, self.sandbox.show(self.session, call, result), self.session)
        if self.sandbox.compiled.tools[call.tool].waits is not None:
            self._since = len(self.calls)

    def _read(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Make a call, once, where everything that it says is known."""
        call = Call(tool, dict(arguments))
        if call in self.calls[self._since :]:
            return False
        sources = {path: self.known.find_source(tool, path, value) for path, value in list_values(arguments)}
        seen = self.sandbox.look(self.session, call) if all(sources.values()) else None
        if seen is None or not seen[1].ok:
            return False
        made, result = seen
        self.sight.note(made, result, self.session)
        self.sources.append({path: sources.get(path, LISTED) for path, _ in list_values(made.arguments)})
        self._next = result.data.get("next_offset") if isinstance(result.data, Mapping) else None
        return True

    def _forget(self, kept: int) -> None:
        self.known.forget(kept)
        del self.sources[kept:]

    def _try(self, is_found: Callable[[], bool], calls: Iterator[Call]) -> bool:
        """The first of these calls that shows something; those that do not are not kept."""
        for call in calls:
            kept = len(self.calls)
            if self._read(call.tool, call.arguments):
                if is_found():
                    return True
                self._forget(kept)
        return False

    def _try_for(self, key: str, calls: Iterator[Call]) -> bool:
        return self._try(lambda: self.known.is_seen(key), calls)

    # finding

    def find(self, reference: Reference) -> bool:
        """Get to a row by what was said of it."""
        found = self._reach_by_facts(reference.entity, reference.id, reference.facts, 0)
        if found and self.sandbox.contract is not None:
            self._check_facts(reference)
        return found

    def _check_facts(self, reference: Reference) -> None:
        """Look at what was said of a row, where a way to its id has not shown that."""
        for path, _ in reference.facts:
            entity, key = reference.entity, reference.id
            for column in path if path != ("id",) else ():
                self.show((Cell(entity, key, column),))
                row = self._row(entity, key)
                kind = self.blueprint.schema.entities[entity].columns[column].type
                entity, key = kind.entity, str(self._column(row, column)) if row is not None else ""

    def look_at(self, entity: str, key: str) -> bool:
        """Get to a row, and open its record where there is a tool for that."""
        if not self.reach(entity, key):
            return False
        for call in self._list_gets(entity, key):
            if self._read(call.tool, call.arguments) or call in self.calls:
                break
        return True

    def _list_gets(self, entity: str, key: str) -> Iterator[Call]:
        for op in self._reads:
            if isinstance(op.read, c.Get) and op.read.entity == entity and op.read.where is None:
                yield Call(op.name, {op.inputs[0].name: key})

    def _reach_by_facts(self, entity: str, key: str, facts: Sequence[Fact], depth: int) -> bool:
        if self.known.is_seen(key):
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
        return self._try_for(key, self._searches(entity, own)) or self.reach(entity, key, depth + 1)

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
            if column is None or own.get(f.column) is None:
                continue
            value = own[f.column]
            if column.type.kind == "ref":
                if f.op == "==" and self.known.is_seen(value):
                    out[f.name] = value
            elif column.type.kind == "time":  # people speak of a moment by its day
                if f.op != "==":
                    out[f.name] = str(value)[:10] + DAY_ENDS[f.op.startswith("<")]
            else:
                out[f.name] = value_to_json(value, column.type)
        return out

    def reach(self, entity: str, key: str, depth: int = 0) -> bool:
        """Get to a row from what was shown already: what it refers to, what shows it, or a search by its kind."""
        if self.known.is_seen(key):
            return True
        row = self._row(entity, key)
        if row is None or depth > MAX_DEPTH:
            return False
        related = self._try_for(key, self._list_calls_via_relatives(entity, row))
        return related or self._browse(entity, row) or self._reach_via_parent(entity, row, depth)

    def _list_calls_via_relatives(self, entity: str, row: Row) -> Iterator[Call]:
        """Yield calls for records that show this one, and searches by what it refers to."""
        relatives = dict(self._list_relatives(entity, row))
        for op in self._reads:
            if entity not in self._produces[op.name]:
                continue
            if isinstance(op.read, c.Get) and op.read.entity in relatives.values():
                for key, kind in relatives.items():
                    if kind == op.read.entity and self.known.is_seen(key):
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
            if value is None or self.known.is_seen(value):
                continue
            kept = len(self.calls)
            if self.reach(column.type.entity, value, depth + 1) and self._try_for(
                row.id, self._list_calls_via_relatives(entity, row)
            ):
                return True
            self._forget(kept)
        return False

    def _browse(self, entity: str, row: Row) -> bool:
        """Look through a table: the first page as it comes, pages of the row's kind, then page after page."""
        columns = self.blueprint.schema.entities[entity].columns
        searches = [op for op in self._reads if isinstance(op.read, c.Search) and op.read.entity == entity]

        def is_found() -> bool:
            return self.known.is_seen(row.id)

        bare = [op for op in searches if needs_no_input(op)]
        if any(self._turn_pages(op, {}, 1, is_found) for op in bare):
            return True
        for op in searches:
            assert isinstance(op.read, c.Search)
            kinds = {}
            for f in op.read.filters:
                column = columns.get(f.column)
                if column is not None and column.stored and column.type.kind in ("enum", "bool") and f.op == "==":
                    kinds[f.name] = value_to_json(self._column(row, f.column), column.type)
            if kinds and self._turn_pages(op, kinds, MAX_PAGES, is_found):
                return True
        return any(self._turn_pages(op, {}, MAX_PAGES, is_found) for op in bare)

    def _turn_pages(
        self, op: c.Operation, filters: Mapping[str, Any], pages: int, is_found: Callable[[], bool]
    ) -> bool:
        kept = len(self.calls)
        size, offset = find_page_size(op), 0
        for _ in range(pages if self.sandbox.contract is None else MAX_SMALL_PAGES):
            if not self._read(op.name, {**filters, "limit": size, **({"offset": offset} if offset else {})}):
                break
            if is_found():
                return True
            if self._next is None:
                break
            offset = self._next
        self._forget(kept)
        return False

    def _read_list(self, op: c.Operation, filters: Mapping[str, Any]) -> bool:
        """Read a list to its end."""
        size = find_page_size(op)
        if not self._read(op.name, {**filters, "limit": size}):
            return False
        for _ in range(MAX_PAGES_OF_A_LIST):
            if self._next is None:
                return True
            self._read(op.name, {**filters, "limit": size, "offset": self._next})
        return self._next is None

    def read_table(self, entity: str) -> None:
        """Read all that a search of a table shows, where one can be made without saying what is looked for."""
        for op in self._reads:
            bare = isinstance(op.read, c.Search) and op.read.entity == entity and op.read.where is None
            if bare and needs_no_input(op):
                self._read_list(op, {})
                return

    # facts

    def can_show(self, needs: Sequence[Need]) -> bool:
        """Tell whether tools show such facts at all."""
        uow = self.session.unit_of_work()
        return all(self.sight.can_show(need, uow) for need in needs)

    def show(self, needs: Sequence[Need]) -> bool:
        """Get to see everything that something rests on; what was tried in vain is not kept."""
        kept = len(self.calls)
        if all(self._show(need) for need in needs):
            return True
        self._forget(kept)
        return False

    def _show(self, need: Need) -> bool:
        if self.sight.is_shown(need):
            return True
        match need:
            case AnyOf(options=options):
                return any(self.show(option) for option in options)
            case Cell():
                return self._show_cell(need)
            case Listing():
                return self._show_listing(need)

    def _show_cell(self, cell: Cell) -> bool:
        """Get to see a value: on its own record, or where another one shows it."""
        tools = self.sight.showing.get((cell.entity, cell.column), ())
        row = self._row(cell.entity, cell.id) if tools else None
        if row is None:
            return False

        def is_found() -> bool:
            return self.sight.is_shown(cell)

        if self._try(is_found, self._list_calls_with(row, tools)):
            return True
        if not self.reach(cell.entity, cell.id):
            return False
        if is_found() or self._try(is_found, self._list_calls_with(row, tools)):
            return True
        own = [op for op in tools if isinstance(op.read, c.Search) and op.read.entity == cell.entity]
        return any(self._turn_pages(op, {}, MAX_PAGES, is_found) for op in own if needs_no_input(op))

    def _list_calls_with(self, row: Row, tools: Sequence[c.Operation]) -> Iterator[Call]:
        """Yield calls of these tools about a row, or about a row next to it, by ids that were seen."""
        rows = [row, *(r for key, e in self._list_relatives(row.entity, row) if (r := self._row(e, key)) is not None)]
        for op in tools:
            assert op.read is not None
            for one in rows:
                if one.entity != op.read.entity:
                    continue
                if isinstance(op.read, c.Get):
                    if op.read.where is None and self.known.is_seen(one.id):
                        yield Call(op.name, {op.inputs[0].name: one.id})
                    continue
                refs = self.blueprint.schema.entities[one.entity].refs
                filters = self._filters(op.read, {column.name: self._column(one, column.name) for column in refs})
                names = {f.name: f.column for f in op.read.filters if f.column not in {c_.name for c_ in refs}}
                for name, column in names.items():
                    value = self._column(one, column)
                    if isinstance(value, str) and self.known.find_source(op.name, name, value):
                        filters[name] = value
                for name, value in filters.items():
                    yield Call(op.name, {name: value})

    def _show_listing(self, need: Listing) -> bool:
        """Look where rows are listed: with what they belong to, in a search for it, or in the whole table."""
        if need.id and not self.reach(need.of, need.id):
            return False

        def is_listed() -> bool:
            return self.sight.is_shown(need)

        tools = [op for op in self._reads if need.entity in self._produces[op.name]]
        if need.id:
            gets = {op.name for op in tools if isinstance(op.read, c.Get)}
            calls = (call for call in self._list_gets(need.of, need.id) if call.tool in gets)
            row = self._row(need.of, need.id)
            embedding = [op for op in tools if isinstance(op.read, c.Search) and op.read.entity == need.of]
            found = self._list_calls_with(row, embedding) if row is not None and embedding else iter(())
            if is_listed() or self._try(is_listed, calls) or self._try(is_listed, found):
                return True
        searches = [op for op in tools if isinstance(op.read, c.Search)]
        searches.sort(key=lambda op: op.read is not None and op.read.entity != need.entity)
        about = ((need.of, need.id), *need.near) if need.id else ()
        for entity, key in about:
            for op in searches:
                name = self._find_filter(op, entity)
                kept = len(self.calls)
                if name and self.known.is_seen(key) and self._read_list(op, {name: key}) and self.sight.is_shown(need):
                    return True
                self._forget(kept)
        own = [op for op in searches if op.read is not None and op.read.entity == need.entity and needs_no_input(op)]
        return any(self._turn_pages(op, {}, 1, is_listed) for op in own)

    def _find_filter(self, op: c.Operation, entity: str) -> str:
        """Find the filter of a search that takes the id of an entity; empty where it has none."""
        assert isinstance(op.read, c.Search)
        columns = self.blueprint.schema.entities[op.read.entity].columns
        for f in op.read.filters:
            column = columns.get(f.column)
            if column is not None and f.op == "==" and column.type.kind == "ref" and column.type.entity == entity:
                return f.name
        return ""

    def _row(self, entity: str, key: str) -> Row | None:
        return self.session.unit_of_work().row(entity, key)

    def _column(self, row: Row, name: str) -> Any:
        position = self.sandbox.compiled.tables[row.entity].position
        return row.values[position[name]] if name in position else None


def _render(compiled: Any) -> str:
    return render_handbook(compiled.blueprint)
