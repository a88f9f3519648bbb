"""What results show of records: which facts somebody has seen who made these calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Run
from worldwright.blueprint.toolgraph import list_produced
from worldwright.blueprint.types import ref
from worldwright.core.ids import prefix_of
from worldwright.kinds.database.compile.tasks.known import EVERYTHING, Known
from worldwright.kinds.database.compile.tasks.tracing import PICKED, AnyOf, Cell, Listing, Need
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.unit_of_work import UnitOfWork
from worldwright.world.records import Call, Result

MAX_SAID = 3
"""Facts that are named where a value was worked out from many."""


class Sight:
    """Reads results for what is known, and says of facts whether they were shown."""

    def __init__(self, compiled: CompiledWorld, known: Known, role: str) -> None:
        self._compiled = compiled
        self._known = known
        self.reads = [
            op
            for op in compiled.blueprint.operations.values()
            if op.read is not None and (not op.roles or role in op.roles)
        ]
        blueprint = compiled.blueprint
        self._runs: dict[int, Run] = {}
        self._produces = {op.name: list_produced(blueprint, op.name) for op in self.reads}
        self._entities, self._revealing = compiled.derive(_map_entities), compiled.derive(_map_revealing)
        self.showing = self._map_showing()
        """By (entity, column), the read tools whose results show it."""
        self._own: set[tuple[str, str]] = set()
        """(id, column) of what own calls have written: who wrote it knows it."""

    def _map_showing(self) -> dict[tuple[str, str], list[c.Operation]]:
        columns = self._compiled.derive(_list_shown_columns)
        out: dict[tuple[str, str], list[c.Operation]] = {}
        for op in self.reads:
            for at in columns[op.name]:
                out.setdefault(at, []).append(op)
        return out

    def note(self, call: Call, result: Result, session: Session) -> None:
        """Take in what a call showed, and what it changed."""
        if self._compiled.tools[call.tool].mutates:
            self._note_changes(session)
        self._known.note(call, result.data)
        self._note_revealed(call.tool, result.data, session)

    def _note_changes(self, session: Session) -> None:
        created = set(session.list_created())
        for entity, diff in session.diff_since_last().items():
            for key, columns in diff.changed.items():
                self._known.outdate(key, columns)
            for key, record in diff.added.items():
                self._own.update((key, column) for column in record if (entity, key) in created)

    def _note_revealed(self, tool: str, data: Any, session: Session) -> None:
        """Take in fields of other records that records show beside their own, under names of their own."""
        read = self._compiled.blueprint.operations[tool].read
        uow = session.unit_of_work()
        if isinstance(read, c.Search) and read.shows:
            shown = [node for _, node in read.shows if isinstance(node, n.Field)]
            for item in data["items"] if data and "items" in data else ():
                row = uow.row(read.entity, item.get("id", ""))
                for node in shown if row is not None else ():
                    self._note_field(node, row, uow)
            return
        for key, entity in self._list_records(data):
            for node in self._revealing[entity]:
                self._note_field(node, uow.row(entity, key), uow)

    def _list_records(self, data: Any) -> Iterator[tuple[str, str]]:
        """Yield (id, entity) of every record in a result that shows fields of others."""
        todo = [data]
        while todo:
            item = todo.pop()
            if isinstance(item, Mapping):
                todo.extend(v for v in item.values() if isinstance(v, (Mapping, list)))
                entity = self._entities.get(prefix_of(str(item.get("id", ""))))
                if entity is not None and self._revealing[entity]:
                    yield item["id"], entity
            elif isinstance(item, list):
                todo.extend(item)

    def _note_field(self, node: n.Field, row: Any, uow: Any) -> None:
        """Take in the value that a field of a row shows, and the one that it is taken from."""
        owner = row if isinstance(node.base, n.Var) else self._run(node.base)(uow, {"self": row})
        if owner is None:
            return
        self._known.note_cell(owner.id, node.name)
        if isinstance(node.base, n.Aggregate):
            self._known.note_cell(owner.id, PICKED)
        body = find_field(self._compiled.blueprint.computed.get((owner.entity, node.name)))
        if body is not None:
            self._note_field(body, owner, uow)

    def _run(self, node: n.Node) -> Run:
        if id(node) not in self._runs:
            self._runs[id(node)] = self._compiled.evaluator.row(node)
        return self._runs[id(node)]

    def is_shown(self, need: Need) -> bool:
        """Tell whether a fact was shown, or follows from what was."""
        match need:
            case AnyOf(options=options):
                return any(all(self.is_shown(inner) for inner in option) for option in options)
            case Cell():
                at = (need.id, need.column)
                made = need.column == PICKED and any(key == need.id for key, _ in self._own)
                return made or at in self._known.cells or at in self._own
            case Listing():
                return self._is_listed(need)

    def can_show(self, need: Need, uow: UnitOfWork) -> bool:
        """Tell whether there is a tool at all that shows such a fact. Rows that are not there yet are shown by what makes them."""
        match need:
            case AnyOf(options=options):
                return any(all(self.can_show(inner, uow) for inner in option) for option in options)
            case Cell():
                return (need.entity, need.column) in self.showing or uow.row(need.entity, need.id) is None
            case Listing():
                made = bool(need.counted) and all(uow.row(need.entity, key) is None for key in need.counted)
                return made or any(need.entity in produced for produced in self._produces.values())

    def _is_listed(self, need: Listing) -> bool:
        lists, own = self._known.lists, {key for key, _ in self._own}
        if need.id in own or (need.counted and own.issuperset(need.counted)):
            return True
        tools = [op.name for op in self.reads if need.entity in self._produces[op.name]]
        if any((tool, need.id) in lists or (tool, EVERYTHING) in lists for tool in tools):
            return True
        beside = any((tool, key) in lists for tool in tools for _, key in need.near)
        return beside and all(self._known.is_seen(key) for key in need.counted)

    def list_missing(self, needs: Iterable[Need]) -> list[Need]:
        """List what of these was not shown."""
        return [need for need in needs if not self.is_shown(need)]


def _map_entities(compiled: CompiledWorld) -> Mapping[str, str]:
    return {e.key.prefix: name for name, e in compiled.blueprint.schema.entities.items()}


def _map_revealing(compiled: CompiledWorld) -> Mapping[str, Sequence[n.Field]]:
    """Of each entity, the fields that show a value of another record."""
    out: dict[str, list[n.Field]] = {entity: [] for entity in compiled.blueprint.schema.entities}
    for (owner, column), node in compiled.blueprint.computed.items():
        if find_field(node) is not None:
            out[owner].append(n.Field(node.type, n.Var(ref(owner), "self"), column))
    return out


def _list_shown_columns(compiled: CompiledWorld) -> Mapping[str, Sequence[tuple[str, str]]]:
    """By read tool, (entity, column) of everything that it shows."""
    reads = [op for op in compiled.blueprint.operations.values() if op.read is not None]
    return {op.name: tuple(dict.fromkeys(_list_columns(compiled.blueprint, op))) for op in reads}


def _list_columns(blueprint: c.Checked, op: c.Operation) -> Iterator[tuple[str, str]]:
    read, schema = op.read, blueprint.schema
    assert read is not None
    if isinstance(read, c.Search) and read.shows:
        for _, node in read.shows:
            if isinstance(node, n.Field):
                yield from _follow_field(blueprint, node)
        return
    ways = schema.entities[read.entity].ways
    beside = (ways[e.way].entity if e.ref is None else e.ref.type.entity for e in read.embeds)
    for entity in (read.entity, *beside):
        for column in schema.entities[entity].columns.values():
            if not column.hidden:
                yield from _follow_field(blueprint, n.Field(column.type, n.Var(ref(entity), "self"), column.name))


def _follow_field(blueprint: c.Checked, node: n.Field) -> Iterator[tuple[str, str]]:
    at = (node.base.type.entity, node.name)
    yield at
    if isinstance(node.base, n.Aggregate):
        yield at[0], PICKED
    body = find_field(blueprint.computed.get(at))
    if body is not None:
        yield from _follow_field(blueprint, body)


def find_field(node: n.Node | None) -> n.Field | None:
    """Find the field that a computed one only repeats: `flight.status`, also where it is made a text; None where it is more."""
    if isinstance(node, n.Format) and len(node.parts) == 1 and not isinstance(node.parts[0], str):
        node = node.parts[0][0]
    if not isinstance(node, n.Field) or node.base.type.kind != "ref":
        return None
    return None if isinstance(node.base, n.Var) and node.base.name != "self" else node


def say_need(need: Need) -> str:
    """Say a fact in words: `order ORD-1's status`."""
    match need:
        case AnyOf(options=options):
            return say_need(options[0][0]) if options and options[0] else "something"
        case Cell():
            return f"{need.column} of {need.id}"
        case Listing():
            return f"the {need.entity} rows of {need.id}" if need.id else f"the {need.entity} rows"


def say_needs(needs: Iterable[Need]) -> str:
    """Say what something was worked out from: the first few facts, and how many more there are."""
    said = list(dict.fromkeys(map(say_need, needs)))
    more = f" and {len(said) - MAX_SAID} more" if len(said) > MAX_SAID else ""
    return ", ".join(said[:MAX_SAID]) + more
