"""What the tools of a contract show one role of the opening state, found out by calling them.

It begins with the tools that can be called without knowing anything, and goes on with every id and value that an answer showed, or
that a request states, until nothing new comes. Lists are read page by page, as far as the contract has a way to turn pages. Kept
are the values of records that answers showed, under the world's own names, and which lists were read to their end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, NamedTuple

from worldwright.blueprint import checked as c
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.toolgraph import Shape, derive_shape
from worldwright.engine.contract import Contract, ContractTool, call_inside, call_outside, find_shown_record
from worldwright.engine.revealed import Revealing, reveal
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.session import Session
from worldwright.kinds.database.unit_of_work import Row
from worldwright.world.records import Call, Result

MAX_CALLS = 6_000
"""Calls that are made for one role before the reading ends, and once more for what one request states."""
MAX_CALLS_OF_A_TOOL = 600
MAX_PAGES = 200
WIDEST: Mapping[tuple[str, str], Any] = {
    (">=", "date"): "2000-01-01", ("<=", "date"): "2099-12-31",
    (">=", "time"): "2000-01-01T00:00:00Z", ("<=", "time"): "2099-12-31T23:59:59Z",
}  # fmt: skip
"""By comparison and kind, what somebody says who has to name a bound and wants everything."""


class Seen(NamedTuple):
    """A call through a contract: how it was made inside, what it came to, and what of that the answer shows."""

    call: Call
    result: Result
    operation: str
    """The operation whose result is answered."""
    data: Any
    """What that gave."""
    shown: dict[str, Any]

    def is_meant(self, call: Call) -> bool:
        """Tell whether the contract made a call with all that was meant to be said, but for the size of a page."""
        return all(self.call.arguments.get(k) == v for k, v in call.arguments.items() if k != "limit")

    @property
    def told(self) -> Any:
        """What somebody knows by the answer, as the operation gives it: also which record was asked for, and if a list ends."""
        if not isinstance(self.data, Mapping):
            return self.data
        asked = {"id": self.data["id"]} if self.data.get("id") in self.call.arguments.values() else {}
        return {**{k: v for k, v in self.data.items() if k == "next_offset"}, **self.shown, **asked}


def call_through(tool: ContractTool, session: Session, call: Call, reveal: Revealing = reveal) -> Seen | str:
    """Make a call as the contract takes it; why not, where it cannot be made so."""
    arguments = json.loads(json.dumps(call_outside(tool, call)))
    inside, problem = call_inside(tool, arguments)
    if problem:
        return problem
    return see_result(tool, session, inside, session.call(inside.tool, inside.arguments), reveal)


def see_result(tool: ContractTool, session: Session, call: Call, result: Result, reveal: Revealing = reveal) -> Seen:
    """See what the answer of a tool shows of the result of a call."""
    seen = find_shown_record(tool, result, session.call)
    operation = call.tool if seen is result else tool.shows
    return Seen(call, result, operation, seen.data, reveal(tool, seen.data) if seen.ok else {})


def shows_by_person(blueprint: c.Checked) -> bool:
    """Return whether what reading tools show may depend on who calls them, not only on the role."""
    reads = [op.read for op in blueprint.operations.values() if op.read is not None]
    shown = [node for read in reads if isinstance(read, c.Search) for _, node in read.shows]
    asked = [read.where for read in reads if read.where is not None]
    terms = [term.body for term in blueprint.terms.values()]
    return any("actor" in n.free_names(node) for node in (*asked, *shown, *terms, *blueprint.computed.values()))


class Reading:
    """What one role has seen, and how far it gets from there."""

    def __init__(self, runtime: Runtime, contract: Contract, role: str, actor: str = "") -> None:
        self._compiled: CompiledWorld = runtime.compiled
        self._operations = runtime.compiled.blueprint.operations
        self._session = runtime.session(role, actor)
        specs = runtime.compiled.specs
        self._tools = [
            tool
            for tool in contract.tools.values()
            if not specs[tool.operation].mutates
            and (not specs[tool.operation].roles or role in specs[tool.operation].roles)
        ]
        self._asked = frozenset(self._list_asked())
        """(entity, column) of values that some tool cannot be called without."""
        self.cells: set[tuple[str, str]] = set()
        """(id, column) of every value of a record that was shown together with its id."""
        self._loose: set[tuple[str, str]] = set()
        """The same of records that were shown without it."""
        self.rows: set[str] = set()
        """Ids of records of which something was shown."""
        self.ids: dict[str, dict[str, None]] = {}
        """By entity, the ids that were shown or stated, in their order."""
        self._values: dict[tuple[str, str], dict[Any, None]] = {}
        """By entity and column, the values that were shown or stated."""
        self.told: set[str] = set()
        """Every plain value that was shown, as folded text."""
        self._made: dict[str, bool] = {}
        """By call, whether it was read to its end."""
        self._lists: dict[tuple[str, str, str, str], bool] = {}
        self._opening: dict[str, tuple[Row, ...]] = {}
        self._covers: set[tuple[str, str, bool]] = set()
        self._left = MAX_CALLS

    def close(self) -> None:
        self._session.close()

    # reading

    def explore(self) -> None:
        """Make every call that can be made by what was shown, until none is left or enough were made."""
        before = -1
        while before != len(self._made) and self._left > 0:
            before = len(self._made)
            for tool in self._tools:
                for arguments in islice(self._list_arguments(tool), MAX_CALLS_OF_A_TOOL):
                    if not self.read_list(tool, arguments):
                        for narrower in islice(self._list_narrower(tool, arguments), MAX_CALLS_OF_A_TOOL):
                            self.read_list(tool, narrower)

    def state(self, ids: Iterable[tuple[str, str]], values: Iterable[tuple[str, str, Any]]) -> Reading:
        """The same reading for somebody who was told these (entity, id) and (entity, column, value) too."""
        new_ids = [(entity, key) for entity, key in ids if key not in self.ids.get(entity, ())]
        new_values = [
            (entity, column, value)
            for entity, column, value in values
            if (entity, column) in self._asked and value not in self._values.get((entity, column), ())
        ]
        if not new_ids and not new_values:
            return self
        more = self.copy()
        for entity, key in new_ids:
            more.ids.setdefault(entity, {})[key] = None
        for entity, column, value in new_values:
            more._values.setdefault((entity, column), {})[value] = None
        more.explore()
        return more

    def copy(self) -> Reading:
        """A reading that goes on from here without changing this one."""
        more = object.__new__(Reading)
        more.__dict__.update(self.__dict__)
        more.cells, more._loose, more.rows = set(self.cells), set(self._loose), set(self.rows)
        more.ids = {entity: dict(keys) for entity, keys in self.ids.items()}
        more._values = {at: dict(values) for at, values in self._values.items()}
        more._covers = set(self._covers)
        more.told, more._made, more._lists = set(self.told), dict(self._made), dict(self._lists)
        more._left = MAX_CALLS
        return more

    def _list_arguments(self, tool: ContractTool) -> Iterator[dict[str, Any]]:
        """Yield every way to call a tool with no more than it asks for."""
        operation = self._operations[tool.operation]
        needed = [i for i in operation.inputs if self._is_needed(tool, i)]
        found = [self._list_candidates(operation, i) for i in needed]
        for values in product(*found):
            yield dict(zip((i.name for i in needed), values, strict=True))

    def _list_narrower(self, tool: ContractTool, arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield ways to ask for less of a list whose end cannot be reached: with one more filter."""
        operation = self._operations[tool.operation]
        own = operation.read.filters if isinstance(operation.read, c.Search) else ()
        for name in [f.name for f in own if f.op == "==" and f.name in tool.takes and f.name not in arguments]:
            taken = operation.input(name)
            for value in self._list_candidates(operation, taken) if taken is not None else ():
                yield {**arguments, name: value}

    def _list_asked(self) -> Iterator[tuple[str, str]]:
        for tool in self._tools:
            operation = self._operations[tool.operation]
            read = operation.read
            if isinstance(read, c.Search):
                needed = {i.name for i in operation.inputs if self._is_needed(tool, i)}
                yield from ((read.entity, f.column) for f in read.filters if f.name in needed)

    def _is_needed(self, tool: ContractTool, taken: c.Input) -> bool:
        if taken.name in tool.fixed or taken.name in ("limit", "offset", "sort"):
            return False
        take = tool.takes.get(taken.name)
        asked = take is not None and take.at[0] in tool.input_schema.get("required", ())
        return asked or not (taken.optional or taken.default is not None)

    def _list_candidates(self, operation: c.Operation, taken: c.Input) -> Sequence[Any]:
        kind, read = taken.type, operation.read
        if taken.parts:
            return ()
        if kind.kind == "ref":
            return list(self.ids.get(kind.entity, ()))
        if kind.kind == "bool":
            return (True, False)
        if kind.kind == "enum":
            return kind.values
        own = next((f for f in read.filters if f.name == taken.name), None) if isinstance(read, c.Search) else None
        if own is None or not isinstance(read, c.Search):
            return ()
        widest = WIDEST.get((own.op, kind.kind))
        return list(self._values.get((read.entity, own.column), ())) if widest is None else (widest,)

    def read_list(self, tool: ContractTool, arguments: Mapping[str, Any]) -> bool:
        """Make a call, and turn its pages; tells whether it was read to its end. What was read once is not read again."""
        key = json.dumps([tool.name, arguments], sort_keys=True, default=str)
        if key not in self._made:
            self._made[key] = self._left > 0 and self._read_pages(tool, arguments)
        return self._made[key]

    def _read_pages(self, tool: ContractTool, arguments: Mapping[str, Any]) -> bool:
        sizes = self._find_page_size(tool)
        offset = 0
        for _ in range(MAX_PAGES):
            call = Call(tool.operation, {**arguments, **sizes, **({"offset": offset} if offset else {})})
            self._left -= 1
            seen = call_through(tool, self._session, call)
            if isinstance(seen, str) or not seen.result.ok or not seen.is_meant(call):
                return False
            self.note(seen)
            data = seen.result.data
            following = data.get("next_offset") if isinstance(data, Mapping) else None
            if following is None:
                return True
            if not _turns(tool, seen.shown):
                return False
            offset = following
        return False

    def _find_page_size(self, tool: ContractTool) -> dict[str, int]:
        """The largest page that can be asked for; nothing where the operation has no pages."""
        taken = self._operations[tool.operation].input("limit")
        if taken is None:
            return {}
        if "limit" in tool.fixed:
            return {"limit": tool.fixed["limit"]}
        if "limit" not in tool.takes:
            return {}
        declared = tool.input_schema.get("properties", {}).get(tool.takes["limit"].at[0], {})
        most = declared.get("maximum") if isinstance(declared, Mapping) else None
        return {"limit": int(min(m for m in (taken.high or 50, most) if isinstance(m, (int, float))))}

    # what was seen

    def note(self, seen: Seen) -> None:
        """Take in what a call showed."""
        given = {str(v) for v in seen.call.arguments.values() if isinstance(v, str)}
        shape = derive_shape(self._compiled.blueprint, seen.operation)
        self._note_object(shape, seen.data, seen.shown, given, self._operations[seen.operation].read)
        self._note_filters(seen, self._operations[seen.call.tool].read)
        self._note_leaves(seen.shown)

    def _note_object(
        self, shape: Shape, raw: Any, shown: Any, given: set[str], read: c.Search | c.Get | None, parent: str = ""
    ) -> None:
        if not isinstance(raw, Mapping) or not isinstance(shown, Mapping):
            return
        key = str(raw.get("id", "")) if shape.entity else ""
        linked = bool(key) and ("id" in shown or key in given)
        if key:
            self.rows.add(key)
            if "id" in shown:
                self._see(shape.entity, key)
            for name in shape.own:
                if name in shown:
                    (self.cells if linked else self._loose).add((key, name))
                    if isinstance(shown[name], (str, int, float)):
                        self._values.setdefault((shape.entity, name), {})[shown[name]] = None
            self._note_listed(shown, key, linked, read)
        for name, entities in shape.refs:
            if isinstance(shown.get(name), str):
                for entity in entities:
                    self._see(entity, shown[name])
        for name, part in shape.parts:
            if name in shown:
                self._note_part(part, name, raw.get(name), shown[name], given, read, key if linked else "")

    def _note_part(
        self, part: Shape, name: str, raw: Any, shown: Any, given: set[str], read: c.Search | c.Get | None, owner: str
    ) -> None:
        """Take in records that stand in an answer; one that stands in another belongs to it."""
        several = isinstance(raw, (list, tuple))
        own = next((e for e in read.embeds if e.name == name), None) if read is not None and owner else None
        if own is not None and isinstance(own.ref, n.Field) and isinstance(own.ref.base, n.Var):
            self.cells.add((owner, own.ref.name))
        way = self._compiled.blueprint.schema.entities[read.entity].ways.get(own.way) if own and read else None
        if way is not None:
            self._lists[way.entity, way.column, "==", owner] = True
        for one, seen in zip(raw, shown, strict=False) if several else ((raw, shown),):
            self._note_object(part, one, seen, given, None if own is not None else read)
            if way is not None and isinstance(one, Mapping):
                self.cells.add((str(one.get("id")), way.column))

    def _note_listed(self, shown: Mapping[str, Any], key: str, linked: bool, read: c.Search | c.Get | None) -> None:
        """Take in fields of other records that a list shows beside its own, under names of its own."""
        if not isinstance(read, c.Search) or not read.shows:
            return
        uow = self._session.unit_of_work()
        row = uow.row(read.entity, key)
        for name, node in read.shows:
            if name in shown and isinstance(node, n.Field) and row is not None:
                owner = self._compiled.evaluator.row(node.base)(uow, {"self": row})
                if owner is not None:
                    (self.cells if linked else self._loose).add((owner.id, node.name))

    def _note_filters(self, seen: Seen, read: c.Search | c.Get | None) -> None:
        """Take in that what a search found has the values that it was asked for."""
        items = seen.result.data.get("items", ()) if isinstance(seen.result.data, Mapping) else ()
        for f in read.filters if isinstance(read, c.Search) else ():
            if f.op == "==" and f.name in seen.call.arguments:
                self.cells.update((str(item["id"]), f.column) for item in items)

    def _note_leaves(self, shown: Any) -> None:
        todo = [shown]
        while todo:
            item = todo.pop()
            if isinstance(item, Mapping):
                todo.extend(item.values())
            elif isinstance(item, (list, tuple)):
                todo.extend(item)
            elif item is not None and not isinstance(item, bool):
                self.told.add(fold(item))

    def _see(self, entity: str, key: str) -> None:
        self.ids.setdefault(entity, {})[key] = None

    # what is known

    def has_id(self, entity: str, key: str) -> bool:
        return key in self.ids.get(entity, ())

    def has_value(self, key: str, column: str, linked: bool = False) -> bool:
        """Tell whether a value of a record was shown; `linked`: together with the id of the record."""
        return (key, column) in self.cells or (not linked and (key, column) in self._loose)

    def covers(self, entity: str, column: str, linked: bool = False) -> bool:
        """Tell whether every record of the opening state was seen, and with this value; without a column, every one at all."""
        at = (entity, column, linked)
        if at not in self._covers:
            keys = [row.id for row in self.list_rows(entity)]
            if all(self.has_value(key, column, linked) if column else key in self.rows for key in keys):
                self._covers.add(at)
        return at in self._covers

    def list_rows(self, entity: str) -> Sequence[Row]:
        """List the records of the opening state, seen or not."""
        if entity not in self._opening:
            self._opening[entity] = tuple(self._session.unit_of_work().rows(entity))
        return self._opening[entity]

    def can_list(self, entity: str, column: str, op: str, value: Any) -> bool:
        """Tell whether the records with such a value can be listed to the last: asked for, or as parts of another record."""
        at = (entity, column, op, str(value))
        if at not in self._lists:
            self._lists[at] = any(self._lists_all(tool, entity, column, op, value) for tool in self._tools)
        return self._lists[at]

    def _lists_all(self, tool: ContractTool, entity: str, column: str, op: str, value: Any) -> bool:
        read = self._operations[tool.operation].read
        own = read.filters if isinstance(read, c.Search) and read.entity == entity else ()
        name = next((f.name for f in own if (f.column, f.op) == (column, op) and f.name in tool.takes), "")
        if not name:
            return False
        ways = [{**given, name: value} for given in islice(self._list_arguments(tool), MAX_CALLS_OF_A_TOOL)]
        ended = [self.read_list(tool, given) for given in ways]
        return bool(ended) and all(ended)


def fold(value: Any) -> str:
    """A plain value as text that is compared."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).casefold()


def _turns(tool: ContractTool, shown: Mapping[str, Any]) -> bool:
    """Tell whether a contract has a way to the next page that its caller can know."""
    take = tool.takes.get("offset")
    return take is not None and (take.codec.get("as") != "cursor" or shown.get("next_offset") is not None)
